"""The base class of layers that remember the source of each output."""

from contextlib import suppress
from typing import Any, ClassVar, Self

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import THNNError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import utils
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.pooling.indices import fromTorch7, toTorch7


class Indexed(Native):
    """Base of max pooling layers: the field ``indices``, an int64 array like the output.

    An index is the place of a cell in its plane, counted from 0 in row-major order.
    """

    _file = Form(lazy=("indices",), kinds={"indices": "a tensor"})
    _lua = Lua(fields={"indices": "stored"})
    _extent: ClassVar[tuple[str, ...]] = ()  # fields that keep the last sizes of the input, for an unpooling layer
    indices: Tensor = np.empty(0, np.int64)
    _indexType: np.dtype[Any] = np.dtype(np.int64)  # in files; some have floating-point numbers

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.indices = np.empty(0, np.int64)

    def _makeOutput(self, input: Tensor) -> None:
        super()._makeOutput(input)
        for name, size in zip(self._extent, input.shape[-len(self._extent) :], strict=False):
            setattr(self, name, size)

    def clearState(self) -> Self:
        utils.clear(self, "indices")
        return super().clearState()

    def empty(self) -> Self:
        """Another name of ``clearState``, as in Torch7."""
        return self.clearState()

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """Indices of a pass count otherwise in files. Without the size of its input they stay as they are there."""
        super()._fromTorch7({name: value for name, value in fields.items() if name != "indices"}, version)
        stored = fields.get("indices")
        if is_tensor(stored) and stored.size:
            with suppress(THNNError, ValueError, IndexError), np.errstate(invalid="ignore"):
                self.indices = fromTorch7(self, stored, self._inputSize())
                self._indexType = stored.dtype

    def _toTorch7(self) -> dict[str, Any]:
        fields = super()._toTorch7()
        if self.indices.size and "indices" in fields:
            try:
                fields["indices"] = toTorch7(self, self.indices, self._inputSize()).astype(self._indexType, copy=False)
            except (THNNError, ValueError, IndexError):
                del fields["indices"]
        return fields

    def _inputSize(self) -> tuple[int, ...]:
        """Size of the last input, or of its planes, as far as it is known."""
        if is_tensor(self.gradInput) and self.gradInput.size:
            return self.gradInput.shape
        sizes = (getattr(self, name, None) for name in ("itime", "iheight", "iwidth"))
        return tuple(size for size in sizes if size is not None)
