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

    def _toTorch7(self) -> dict[str, Any]:
        return {name: value for name, value in super()._toTorch7().items() if name not in self._nnOnly}


def no_size(dims: int) -> Any:
    """The size of an input before there was one, as cudnn.torch writes it."""
    return np.zeros(dims, np.int64).view(t7.Storage)
