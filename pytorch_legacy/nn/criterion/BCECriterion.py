"""The binary cross entropy."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class BCECriterion(NativeCriterion):
    """The binary cross entropy of probabilities, such as those of a Sigmoid.

    .. math:: loss = -\\frac{1}{n} \\sum_i w_i (t_i \\log(x_i + \\epsilon) + (1 - t_i) \\log(1 - x_i + \\epsilon))

    over all n elements, or their sum without `sizeAverage`; :math:`\\epsilon` is 1e-12.

    Parameters
    ----------
    weights : array, optional
        A factor for each element, or for each element of a sample; 1 if not given.
    sizeAverage : bool
        Whether to divide by the number of elements.

    Raises
    ------
    ValueRangeError
        If an element of the input is not in 0 .. 1, as in Torch7. A NaN gives NaN.
    ShapeError
        If the target has not as many elements as the input, or the weights are not as the last dimensions of the input.

    Notes
    -----
    Shapes: any; the target has as many elements as the input, of its dtype, integers or booleans. The input
    lies in 0 .. 1, and so should the target, which is not looked at: labels are smoothed in many ways.
    Source: Torch7 ``nn.BCECriterion``; C: ``THNN/criterion/BCECriterion.c``.

    Examples
    --------
    >>> loss, x, t = nn.BCECriterion(), np.float32([0.5, 0.25]), np.float32([1, 0])
    >>> round(loss.forward(x, t), 4)  # (-log(0.5) - log(0.75)) / 2
    0.4904
    >>> loss.backward(x, t).round(4)
    array([-1.    ,  0.6667], dtype=float32)
    """

    _layer = "BCECriterion"
    weights: Tensor | None = None
    sizeAverage = True

    _file = Form(defaults={"weights": None, "sizeAverage": True})

    def __init__(self, weights: Any = None, sizeAverage: bool = True) -> None:
        super().__init__()
        self.weights = None if weights is None else self._constant("weights", weights)
        self.sizeAverage = sizeAverage

    def _pass(self, name: str, input: Tensor, *handed: Tensor) -> Tensor:
        if self.weights is None:
            return super()._pass(name, input, *handed)  # type: ignore[no-any-return]
        weights = check.weighing(self, "weights", self.weights, check.tensor(self, "input", input), handed[0])
        if name == "updateOutput":
            buffer = self._resize("output_tensor", (1,))
        else:
            buffer = self._resize("gradInput", input.shape, mustNotOverlap=[input, *handed])
        self._call(name, input, *handed, buffer, self.sizeAverage, weights)
        return buffer

    def _goal(self, target: Tensor) -> Tensor:
        return check.marks(self, target, "biu")
