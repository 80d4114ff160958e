"""What the layers of cudnn have that those of nn have not."""

from typing import Any, ClassVar

import numpy as np

from pytorch_legacy import t7
from pytorch_legacy.nn.TorchObject import TorchObject


class Layer(TorchObject):
    """Base of the layers of cudnn.torch, in front of the layer of ``nn`` that does the work.

    cuDNN's choice of algorithms, its sizes of the last input and functions of Lua that some versions left in their objects
    mean nothing here: they stay in the object, and go back to the file with it.

    Attributes
    ----------
    _nnOnly : tuple of str
        Fields of the layer of ``nn`` that the one of cudnn does not have.
    """

    _nnOnly: ClassVar[tuple[str, ...]] = ()
    _lua: ClassVar[dict[str, Any]] = {}

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        # Functions in the place of methods are not set as attributes: they would hide the methods.
        hidden = {name: value for name, value in fields.items() if isinstance(value, t7.Function) and name not in vars(self)}
        if hidden:
            self.__dict__["_lua"] = hidden

    def _toTorch7(self) -> dict[str, Any]:
        fields = {name: value for name, value in super()._toTorch7().items() if name not in (*self._nnOnly, "_lua")}
        return fields | self._lua


def no_size(dims: int) -> Any:
    """The size of an input before there was one, as cudnn.torch writes it."""
    return np.zeros(dims, np.int64).view(t7.Storage)
