"""The mean squared error against the middle of a larger target."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.criterion.MSECriterion import MSECriterion
from pytorch_legacy.nn.utils import sizes


class SpatialAutoCropMSECriterion(MSECriterion):
    """MSECriterion between the input and the middle of a target that may be larger in height and width.

    Parameters
    ----------
    sizeAverage : bool
        Whether to divide by the number of elements of the input.

    Raises
    ------
    ShapeError
        If the input is larger than the target, or they differ in their other sizes.

    Notes
    -----
    Shapes: input ``(N x) C x H x W``, target ``(N x) C x tH x tW``. What is left over is cropped on both sides; of an
    odd number the side at the end loses one more. Torch7 could not go backward where there was something to crop.
    Source: Torch7 ``nn.SpatialAutoCropMSECriterion``.

    Examples
    --------
    >>> loss, t = nn.SpatialAutoCropMSECriterion(), np.arange(16, dtype=np.float32).reshape(1, 4, 4)
    >>> x = np.float32([[[5, 6], [9, 12]]])  # the middle of the target is [[5, 6], [9, 10]]
    >>> loss.forward(x, t)  # 2**2 / 4
    1.0
    """

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        return super().updateOutput(input, self._cropped(input, target))

    def updateGradInput(self, input: Tensor, target: Tensor) -> Tensor:
        return super().updateGradInput(input, self._cropped(input, target))

    def _cropped(self, input: Tensor, target: Tensor) -> Tensor:
        """The part of the target that the input is compared with."""
        *others, height, width = check.tensor(self, "input", input, 3, 4).shape
        shape = check.tensor(self, "target", target, input.ndim).shape
        top, left = shape[-2] - height, shape[-1] - width
        if list(shape[:-2]) != others or top < 0 or left < 0:
            raise ShapeError(f"{self._typename}: target: expected {sizes(input.shape)} or larger planes, got {sizes(shape)}")
        return target[..., top // 2 : top // 2 + height, left // 2 : left // 2 + width]
