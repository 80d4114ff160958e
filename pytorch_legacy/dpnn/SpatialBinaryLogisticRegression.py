"""The logistic loss of two classes, a number for each cell."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.dpnn.BinaryLogisticRegression import BinaryLogisticRegression
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.utils import sizes


class SpatialBinaryLogisticRegression(BinaryLogisticRegression):
    """The logistic loss of two classes for each cell of a plane.

    .. math:: loss = \\frac{1}{2 N H W} \\sum_{n,h,w} \\log(1 + \\exp(-t_{n,h,w} x_{n,h,w}))

    Without `sizeAverage`, N is 1 in the divisor. Targets are 1 or -1, or 0 for a cell without a class, whose gradient is 0.

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by the number of pictures: True, until set.

    Raises
    ------
    DtypeError, ShapeError, ValueRangeError
        If the input is not ``(N x) 1 x H x W``, or the target is not as many numbers, each 1, 0 or -1.

    Notes
    -----
    Source: Element-Research dpnn ``SpatialBinaryLogisticRegression``.

    Examples
    --------
    >>> loss = dpnn.SpatialBinaryLogisticRegression()
    >>> x, target = np.float32([[[[0, 0]]]]), np.float32([[[[1, -1]]]])
    >>> round(loss.forward(x, target), 4)  # log(2) / 2
    0.3466
    >>> loss.backward(x, target)
    array([[[[-0.125,  0.125]]]], dtype=float32)
    """

    _file = Form(dropped=("_isBatch", "_h", "_w"))

    def __init__(self) -> None:
        super().__init__()

    def _divisor(self, input: Tensor) -> int:
        *samples, _, height, width = input.shape
        return max(2 * (samples[0] if samples and self.sizeAverage else 1) * height * width, 1)

    def _checked(self, input: Tensor, target: Any) -> tuple[Tensor, Tensor]:
        shape = check.tensor(self, "input", input, 3, 4).shape
        if shape[-3] != 1:
            raise ShapeError(f"{self._typename}: input: expected one plane, got {sizes(shape)}")
        signs = check.signs(self, "target", target, hasZero=True).astype(self._dtype)
        return input, check.matching(self, "target", signs, shape)
