"""p-norms of neighbouring features."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Native import Native


class FeatureLPPooling(Native):
    """p-norm of neighbouring features, at each place of its own.

    .. math:: y_o = \\Big(\\sum_{j < width} x_{o \\cdot stride + j}^p\\Big)^{1/p}

    where o counts features. As in Torch7 the powers are those of signed numbers: p = 2 is the Euclidean norm, while an
    odd p can give a negative sum and with it NaN. No gradient passes an output of 0, even for p = 1.

    Parameters
    ----------
    width : int
        Number of features in a norm.
    stride : int
        Distance between the first features of neighbouring norms.
    power : float
        p, a finite number above 0.
    batch_mode : bool
        Whether the input has a batch dimension in front.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input has the wrong rank or too few features, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C``, ``(N x) C x L`` or ``(N x) C x H x W``, with N in batch mode only, to the same with
    ``(C - width) / stride + 1`` features.
    Torch7 took a width of 2 to 16 and a stride of 1 to 4 only, and could not print the layer.
    Source: Torch7 ``nn.FeatureLPPooling``; C: ``THNN/pooling/PowerAveragePooling.c``.

    Examples
    --------
    >>> nn.FeatureLPPooling(2, 2, 2, False).forward(np.float32([3, 4, 5, 12]))  # norms of pairs
    array([ 5., 13.], dtype=float32)
    """

    _layer = "FeatureLPPooling"
    _names = {"batchMode": "batch_mode"}

    _file = Form(kinds={"power": "a number"})

    def __init__(self, width: int, stride: int, power: float, batch_mode: bool) -> None:
        super().__init__()
        self.width = width
        self.stride = stride
        self.power = power
        self.batch_mode = batch_mode

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        if self.gradInput is None:
            return None
        self._makeGradInput(input, gradOutput)
        self._call("updateGradInput", gradOutput, input)
        gradInput: Tensor = self.gradInput
        return gradInput

    def __repr__(self) -> str:
        return f"{self._typename}(w{self.width} s{self.stride} power {self.power:g} batch {str(self.batch_mode).lower()})"
