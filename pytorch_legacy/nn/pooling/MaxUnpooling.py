"""What max unpooling of planes with two and with three axes shares."""

from typing import Any, ClassVar, Self

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.backend import call, output_size
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import check, utils
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class MaxUnpooling(Module):
    """Base of layers that put what a max pooling layer left back where it came from.

    Parameters
    ----------
    poolingModule : Module
        The pooling layer. It is kept as it is, not copied: its last forward pass says where things came from and how large
        planes were (fields ``indices``, ``iwidth``, ``iheight`` and, for three axes, ``itime``).
    """

    _layer: ClassVar[str]  # whose C functions to call
    _extent: ClassVar[tuple[str, ...]]  # sizes of the pooling layer's input, in the order of the C functions

    _dropped = ("indices",)  # those of a pass that is over, and of another kind
    indices: Tensor = np.empty(0, np.int64)

    def __init__(self, poolingModule: Any) -> None:
        super().__init__()
        self.pooling = poolingModule
        self.indices = np.empty(0, np.int64)

    def updateOutput(self, input: Tensor) -> Tensor:
        size = self._size()
        shape = output_size(self, f"{self._layer}_outputSize", check.tensor(self, "input", input), *size)
        output = self._resize("output", shape)
        indices = self.pooling.indices
        if indices.shape != input.shape:
            wanted = f"{utils.sizes(indices.shape)}, as the output of {self.pooling}"
            raise ShapeError(f"{self._typename}: input: expected {wanted}, got {utils.sizes(input.shape)}")
        self.indices = indices
        call(self, f"{self._layer}_updateOutput", input, output, self.indices, *size)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, f"{self._layer}_updateGradInput", input, gradOutput, gradInput, self.indices, *self._size())
        return gradInput

    def clearState(self) -> Self:
        utils.clear(self, "indices")
        return super().clearState()

    def _size(self) -> tuple[int, ...]:
        size = tuple(getattr(self.pooling, name, None) for name in self._extent)
        if None in size or not is_tensor(getattr(self.pooling, "indices", None)):
            raise ShapeError(f"{self._typename}: pooling: expected a max pooling layer that has gone forward, got {self.pooling}")
        return size  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"{self._typename} associated to {self.pooling}"
