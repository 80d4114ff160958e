"""Weighted sums over neighbourhoods: what local normalizations have in common."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, described, sizes
from pytorch_legacy.storage import Tensor


def averagingKernel(module: Module, kernel: Any) -> Tensor:
    """A copy of a kernel, 9 x 9 ones if it is None: one or two dimensions, all odd."""
    found = np.ones((9, 9)) if kernel is None else np.asarray(kernel)
    if found.ndim not in (1, 2) or found.dtype.kind not in "iuf":
        raise ShapeError(f"{module._typename}: kernel: expected a 1-D or 2-D array of numbers, got {described(kernel)}")
    if any(size % 2 == 0 for size in found.shape):
        raise ValueRangeError(f"{module._typename}: kernel: expected odd sizes, got {sizes(found.shape)}")
    return found.astype(module._dtype)


class LocalNormalization(Module):
    """Knows the sum of each cell's neighbourhood: over all planes, weighted by a kernel that is centred on the cell.

    A kernel of one dimension stands for its product with itself, along width and height. Around the planes there is
    nothing; `coef`, the sum for planes of ones, tells how much of the kernel lies on the input.
    """

    # The file's inner modules do what the methods below do; the kernel is all that they know.
    _dropped = ("meanestimator", "stdestimator", "subtractor", "divider", "normalizer", "thresholder", "coef", "ones",
                "_coef", "localsums", "localstds", "adjustedsums", "adjustedstds", "thresholdedstds")  # fmt: skip

    def __init__(self, nInputPlane: int = 1, kernel: Any = None) -> None:
        super().__init__()
        self.nInputPlane = check.count(self, "nInputPlane", nInputPlane)
        self.kernel = averagingKernel(self, kernel)
        self.kernel /= self.kernel.sum() * nInputPlane
        self.coef = np.empty(0, self._dtype)

    def clearState(self) -> Self:
        clear(self, "coef")
        super().clearState()
        return self

    def _checked(self, input: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input, 3, 4).shape
        if shape[-3] != self.nInputPlane:
            raise ShapeError(f"{self._typename}: input: expected {self.nInputPlane} planes, got {sizes(shape)}")
        if self.coef.shape != shape[-2:] or self.coef.dtype != self._dtype:
            self.coef = self._filtered(np.full(shape[-2:], self.nInputPlane, self._dtype))
        return input

    def _checkedGradient(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        return check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), input.shape)

    def _sums(self, planes: Tensor) -> Tensor:
        """The sum around each cell. It is the same for all planes, of which the result has one."""
        return self._filtered(self._joined(planes))

    def _spread(self, gradients: Tensor) -> Tensor:
        """The gradient of the planes, one for all, from that of the sums."""
        return self._filtered(gradients, backward=True)

    @staticmethod
    def _joined(planes: Tensor) -> Tensor:
        """The sum of all planes, added one after the other."""
        total = planes[..., :1, :, :].copy()
        for c in range(1, planes.shape[-3]):
            total += planes[..., c : c + 1, :, :]
        return total

    def _filtered(self, plane: Tensor, backward: bool = False) -> Tensor:
        kernel = self.kernel[(slice(None, None, -1),) * self.kernel.ndim] if backward else self.kernel
        if kernel.ndim == 2:
            return _weighted(plane, kernel)
        return _weighted(_weighted(plane, kernel[None, :]), kernel[:, None])

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        self.coef = np.empty(0, self._dtype)


def _weighted(plane: Tensor, kernel: Tensor) -> Tensor:
    """The sum over the kernel's places of weight times neighbour. Neighbours without weight are not looked at."""
    height, width = plane.shape[-2:]
    result = np.zeros_like(plane)
    for (row, column), weight in np.ndenumerate(kernel):
        down, right = row - kernel.shape[0] // 2, column - kernel.shape[1] // 2
        if weight != 0 and abs(down) < height and abs(right) < width:
            to = result[..., max(-down, 0) : height - max(down, 0), max(-right, 0) : width - max(right, 0)]
            to += weight * plane[..., max(down, 0) : height - max(-down, 0), max(right, 0) : width - max(-right, 0)]
    return result
