"""What layers share that remember where each output came from."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.nn import utils
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Indexed(Module):
    """Base of max pooling layers: the field ``indices``, an int64 array like the output.

    An index is the place of a cell in its plane, counted from 0 in row-major order.
    """

    indices: Tensor

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.indices = np.empty(0, np.int64)

    def _resizeWithIndices(self, shape: tuple[int, ...]) -> tuple[Tensor, Tensor]:
        """``output`` and ``indices`` of this shape."""
        return self._resize("output", shape), self._resize("indices", shape, np.int64)

    def clearState(self) -> Self:
        utils.clear(self, "indices")
        return super().clearState()

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """The indices of a file count otherwise, and are made anew by the next forward: they stay behind."""
        super()._fromTorch7(fields | {"indices": np.empty(0, np.int64)}, version)
