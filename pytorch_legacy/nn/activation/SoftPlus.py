"""A smooth form of the positive part."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class SoftPlus(Native):
    """A smooth form of the positive part of each element.

    .. math:: y = \\frac{1}{\\beta} \\log(1 + e^{\\beta x}), \\qquad
              \\frac{\\partial y}{\\partial x} = \\frac{1}{1 + e^{-\\beta x}}

    Parameters
    ----------
    beta : float
        How sharply it bends.

    Attributes
    ----------
    threshold : float
        Limit of beta times x above which y is x; 20 by default.

    Raises
    ------
    ValueRangeError
        If `beta` is 0.

    Notes
    -----
    Shapes: any; the output has that of the input. Torch7's gradient compared y, not x, with the threshold.
    Source: Torch7 ``nn.SoftPlus``; C: ``THNN/activation/SoftPlus.c``.

    Examples
    --------
    >>> x = np.float32([-1, 0, 1, 50])
    >>> np.round(nn.SoftPlus().forward(x), 4)
    array([ 0.3133,  0.6931,  1.3133, 50.    ], dtype=float32)
    >>> np.round(nn.SoftPlus(beta=10).forward(x), 4)
    array([ 0.    ,  0.0693,  1.    , 50.    ], dtype=float32)
    """

    _layer = "SoftPlus"
    threshold = 20

    _file = Form(defaults={"beta": 1}, kinds={"threshold": "a number"})

    def __init__(self, beta: float = 1) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = 20
        if not beta < 0 and not beta > 0:
            raise ValueRangeError(f"{self._typename}: beta: expected a number other than 0, got {beta}")

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape, mustNotOverlap=[input, gradOutput])
        self._call("updateGradInput", input, gradOutput, gradInput, None)  # C does not read the output
        return gradInput
