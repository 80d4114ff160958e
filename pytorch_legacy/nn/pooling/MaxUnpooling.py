"""The base class of max unpooling of planes with two and with three axes."""

from typing import Any, ClassVar, Self

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import utils
from pytorch_legacy.nn.Native import Native


class MaxUnpooling(Native):
    """Base of layers that put what a max pooling layer left back where it came from.

    Parameters
    ----------
    poolingModule : Module
        The pooling layer. It is kept as it is, not copied: its last forward pass says where things came from and how large
        planes were (fields ``indices``, ``iwidth``, ``iheight`` and, for three axes, ``itime``).
    """

    _extent: ClassVar[tuple[str, ...]]  # the pooling layer's names of its input sizes
    _names = {"otime": "pooling.itime", "owidth": "pooling.iwidth", "oheight": "pooling.iheight"}
    _file = Form(dropped=("indices",), kinds={"pooling": "a module"})  # indices of an earlier pass, and of another kind
    _lua = Lua(fields={"indices": "indices"})
    indices: Tensor = np.empty(0, np.int64)

    def __init__(self, poolingModule: Any) -> None:
        super().__init__()
        self.pooling = poolingModule
        self.indices = np.empty(0, np.int64)

    def updateOutput(self, input: Tensor) -> Tensor:
        self._makeOutput(input)
        indices = self.pooling.indices
        if indices.shape != input.shape:
            wanted = f"{utils.sizes(indices.shape)}, as the output of {self.pooling}"
            raise ShapeError(f"{self._typename}: input: expected {wanted}, got {utils.sizes(input.shape)}")
        self.indices = indices
        output: Tensor = self._pass("updateOutput", input)
        return output

    def _outputShape(self, input: Tensor) -> tuple[int, ...]:
        known = [getattr(self.pooling, name, None) for name in (*self._extent, "indices")]
        if None in known[:-1] or not is_tensor(known[-1]):
            raise ShapeError(f"{self._typename}: pooling: expected a max pooling layer that has gone forward, got {self.pooling}")
        return super()._outputShape(input)

    def clearState(self) -> Self:
        utils.clear(self, "indices")
        return super().clearState()

    def __repr__(self) -> str:
        return f"{self._typename} associated to {self.pooling}"
