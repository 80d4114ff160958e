"""The default tensor type: that of the parameters and buffers of new objects, and of random arrays.

Torch7 began with doubles; here it is float32 until somebody asks for another one.

>>> import pytorch_legacy as pl
>>> pl.setdefaulttensortype("torch.DoubleTensor")
>>> pl.nn.Linear(2, 3).type()
'torch.DoubleTensor'
>>> pl.setdefaulttensortype("torch.FloatTensor")
"""

from typing import Any

import numpy as np

from pytorch_legacy.errors import ValueRangeError

_TYPES: dict[str, np.dtype[Any]] = {
    "torch.FloatTensor": np.dtype(np.float32),
    "torch.DoubleTensor": np.dtype(np.float64),
}
_present = "torch.FloatTensor"


def setdefaulttensortype(name: str) -> None:
    """New modules, criterions and random arrays are of this type: "torch.FloatTensor" or "torch.DoubleTensor".

    Objects that there are keep theirs, and so do those that are loaded from files.
    """
    global _present
    if not isinstance(name, str) or name not in _TYPES:
        cure = "; build the network, then call its cuda()" if "Cuda" in str(name) else ""
        raise ValueRangeError(f"setdefaulttensortype: name: expected {' or '.join(map(repr, _TYPES))}, got {name!r}{cure}")
    _present = name


def getdefaulttensortype() -> str:
    """The name of the type that new objects have."""
    return _present


def dtype() -> np.dtype[Any]:
    """The dtype of new objects."""
    return _TYPES[_present]
