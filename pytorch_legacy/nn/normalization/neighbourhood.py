"""Weighted sums over neighbourhoods: what local normalizations have in common."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arguments import as_doubles
from pytorch_legacy.arrays import Tensor, on_device
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, described, sizes
from pytorch_legacy.objects import ArrayField


def averagingKernel(module: Module, kernel: Any) -> Tensor:
    """The doubles of a kernel, 9 x 9 ones if it is None: one or two dimensions, all odd."""
    found = np.ones((9, 9)) if kernel is None else as_doubles(module, "kernel", kernel)
    if found.ndim not in (1, 2):
        raise ShapeError(f"{module._typename}: kernel: expected a 1-D or 2-D array of numbers, got {described(kernel)}")
    if any(size % 2 == 0 for size in found.shape):
        raise ValueRangeError(f"{module._typename}: kernel: expected odd sizes, got {sizes(found.shape)}")
    return found


class LocalNormalization(Module):
    """Knows the sum of each cell's neighbourhood: over all planes, weighted by a kernel that is centred on the cell.

    A kernel of one dimension stands for its product with itself, along width and height. Around the planes there is
    nothing; `_coef`, the sum for planes of ones, tells how much of the kernel lies on the input.
    """

    # The file's inner modules do what the methods below do; the kernel is all that they know.
    _file = Form(
        dropped=("ones", "_coef", "localsums", "localstds", "adjustedsums", "adjustedstds", "thresholdedstds"),
        scratch={
            "coef": lambda module: np.ones((1, 1, 1), module._dtype),
            "meanestimator": lambda module: module._estimator(),
            "divider": lambda module: module._fileLayer("nn.CDivTable"),
        },
        defaults={"nInputPlane": 1},
        kinds={"kernel": "a tensor of floating-point numbers"},
    )

    _arrayFields = (ArrayField("kernel"),)
    _coef: Tensor = np.empty(0)
    _kernel: Any = None  # the kernel that `_coef` was computed from
    _estimators = 1  # the number of networks for such sums in Torch7's class

    def __init__(self, nInputPlane: int = 1, kernel: Any = None) -> None:
        super().__init__()
        self.nInputPlane = check.count(self, "nInputPlane", nInputPlane)
        weights = averagingKernel(self, kernel)
        self.kernel = self._constant("kernel", weights / (weights.sum() * self._divisor(weights.ndim)))
        # Torch7's constructor drew the parameters of the convolutions inside before it set them.
        size = nInputPlane * weights.size
        drawn = size + 1 if weights.ndim == 2 else size + nInputPlane + size + 1
        random.uniform(0, 1, self._estimators * drawn, np.float64)

    def clearState(self) -> Self:
        clear(self, "_coef")
        super().clearState()
        return self

    def _divisor(self, rank: int) -> float:
        """Returns the number that the weights of a kernel of that rank are divided by, besides their sum."""
        return self.nInputPlane

    def _checked(self, input: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input, 3, 4).shape
        if shape[-3] != self.nInputPlane:
            raise ShapeError(f"{self._typename}: input: expected {self.nInputPlane} planes, got {sizes(shape)}")
        # The kernel may have changed, in place too; a device is not asked for its elements.
        kernel = self.kernel if self._onDevice else self.kernel.tobytes()
        isKnown = kernel is self._kernel if self._onDevice else kernel == self._kernel
        if not isKnown or self._coef.shape != shape[-2:] or self._coef.dtype != self._dtype:
            self._coef, self._kernel = self._filtered(np.full_like(input, self.nInputPlane, shape=shape[-2:])), kernel
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

    def _estimator(self, *around: t7.TorchObject) -> t7.TorchObject:
        """Torch7's network for `_sums`, between the first and the last of `around` if there are any."""
        n, kernel = self.nInputPlane, self.kernel
        height, width = kernel.shape if kernel.ndim == 2 else kernel.shape * 2
        pads = {"pad_l": width // 2, "pad_r": width // 2, "pad_t": height // 2, "pad_b": height // 2}
        if kernel.ndim == 2:
            sums = [self._convolution("nn.SpatialConvolution", np.stack([kernel] * n)[None])]
        else:
            pairs = np.repeat(np.arange(1, n + 1, dtype=self._dtype)[:, None], 2, axis=1)
            rows = np.stack([kernel[None]] * n)
            columns = np.stack([kernel[:, None]] * n)[None]
            sums = [
                self._convolution("nn.SpatialConvolutionMap", rows, n, connTable=pairs),
                self._convolution("nn.SpatialConvolution", columns),
            ]
        copies = self._fileLayer("nn.Replicate", nfeatures=n, dim=1, ndim=3)
        modules = [*around[:1], self._fileLayer("nn.SpatialZeroPadding", **pads), *sums, copies, *around[1:]]
        return self._fileLayer("nn.Sequential", modules=modules)

    def _convolution(self, typename: str, weight: Tensor, nOutputPlane: int = 1, **fields: Any) -> t7.TorchObject:
        bias = np.zeros(nOutputPlane, self._dtype)
        if typename == "nn.SpatialConvolution":
            fields |= {"padW": 0, "padH": 0}
        return self._fileLayer(
            typename, weight=weight, bias=bias, gradWeight=np.zeros_like(weight), gradBias=bias.copy(), kW=weight.shape[-1],
            kH=weight.shape[-2], dW=1, dH=1, nInputPlane=self.nInputPlane, nOutputPlane=nOutputPlane, **fields,
        )  # fmt: skip


def _weighted(plane: Tensor, kernel: Tensor) -> Tensor:
    """The sum over the kernel's places of weight times neighbour. Neighbours without weight are not looked at.

    On a device they are: to know the weights would mean to wait.
    """
    height, width = plane.shape[-2:]
    result = np.zeros_like(plane)
    for row, column in np.ndindex(kernel.shape):
        weight = kernel[row, column]
        down, right = row - kernel.shape[0] // 2, column - kernel.shape[1] // 2
        if (on_device(weight) or weight != 0) and abs(down) < height and abs(right) < width:
            to = result[..., max(-down, 0) : height - max(down, 0), max(-right, 0) : width - max(right, 0)]
            to += weight * plane[..., max(down, 0) : height - max(-down, 0), max(right, 0) : width - max(-right, 0)]
    return result
