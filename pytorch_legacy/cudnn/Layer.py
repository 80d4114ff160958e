"""The base class of cudnn's layers, with their additions to those of nn."""

from typing import Any

import numpy as np

from pytorch_legacy.files import t7
from pytorch_legacy.objects import Object


class Layer(Object):
    """Base of the layers of cudnn.torch, in front of the layer of ``nn`` that does the work.

    cuDNN's choice of algorithms, its sizes of the last input and functions of Lua that some versions left in their objects
    mean nothing here: they stay in the object, and go back to the file with it. What the layer of ``nn`` has and that of cudnn
    has not is private in its form.
    """


def no_size(dims: int) -> Any:
    """The size of an input before there was one, as cudnn.torch writes it."""
    return np.zeros(dims, np.int64).view(t7.Storage)
