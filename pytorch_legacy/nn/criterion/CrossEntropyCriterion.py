"""Classification loss on unnormalised scores."""

from typing import Any

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import located
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.activation.LogSoftMax import LogSoftMax
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.criterion.ClassNLLCriterion import ClassNLLCriterion


class CrossEntropyCriterion(Criterion):
    """Minus the logarithm of the probability that the scores give to the target class::

        output = ClassNLLCriterion(LogSoftMax(input), target)

    Parameters
    ----------
    weights : array, optional
        One factor for each class.
    sizeAverage : bool
        Average over a batch, or sum.

    Notes
    -----
    Input: scores of C classes (C) or of a batch (N x C). Target: class labels from 0, a number or N integers. Sizes of
    1 beyond these, as convolutions leave them (N x C x 1 x 1), are dropped; ``gradInput`` has the shape of the input.
    Source: Torch7 nn.CrossEntropyCriterion.

    Examples
    --------
    >>> loss, x = nn.CrossEntropyCriterion(), np.log(np.float32([1, 3, 4]))  # probabilities 1/8, 3/8 and 4/8
    >>> round(loss.forward(x, 2), 4)  # -log(4/8); classes count from 0, so 3 in Lua
    0.6931
    >>> loss.backward(x, 2)  # the probabilities, less 1 for the right class
    array([ 0.125,  0.375, -0.5  ], dtype=float32)
    """

    _file = Form(
        scratch={"oldSizeAverage": lambda criterion: criterion.sizeAverage},
        defaults={"sizeAverage": True},
        kinds={"nll": "a module"},
    )

    def __init__(self, weights: Tensor | None = None, sizeAverage: bool = True) -> None:
        super().__init__()
        self.lsm = LogSoftMax()
        self.nll = ClassNLLCriterion(weights, sizeAverage)
        self.sizeAverage = sizeAverage

    def updateOutput(self, input: Tensor, target: Any) -> float:
        scores, target = self._squeezed(input, target)
        self.nll.sizeAverage = self.sizeAverage
        with located(f"in {self._typename}"):  # complaints of the parts say that they are parts
            self.output = self.nll.updateOutput(self.lsm.updateOutput(scores), target)
        return self.output

    def updateGradInput(self, input: Tensor, target: Any) -> Tensor:
        scores, target = self._squeezed(input, target)
        self.nll.sizeAverage = self.sizeAverage
        with located(f"in {self._typename}"):
            gradient = self.nll.updateGradInput(self.lsm.output, target)
            self.gradInput = self.lsm.updateGradInput(scores, gradient).reshape(input.shape)
        return self.gradInput

    def _squeezed(self, input: Tensor, target: Any) -> tuple[Tensor, Any]:
        """Scores as a vector or a matrix, and one label or a vector of labels to go with them."""
        scores = check.tensor(self, "input", input)
        if scores.ndim > 2:
            scores = scores.squeeze()
        if not is_tensor(target):
            return scores, target
        if scores.ndim == 1 and target.size == 1:
            return scores, target.reshape(1)
        return scores, target.reshape(-1) if target.ndim == 0 or target.size == max(target.shape) else target
