"""Torch7's types of tensors, and the default one: that of the parameters and buffers of new objects, and of random arrays.

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

TENSOR_TYPES: dict[str, np.dtype[Any]] = {
    "torch.ByteTensor": np.dtype(np.uint8),
    "torch.CharTensor": np.dtype(np.int8),
    "torch.ShortTensor": np.dtype(np.int16),
    "torch.IntTensor": np.dtype(np.int32),
    "torch.LongTensor": np.dtype(np.int64),
    "torch.HalfTensor": np.dtype(np.float16),
    "torch.FloatTensor": np.dtype(np.float32),
    "torch.DoubleTensor": np.dtype(np.float64),
}

CUDA_TYPES = {
    ("torch.CudaTensor" if name == "torch.FloatTensor" else name.replace("torch.", "torch.Cuda")): dtype
    for name, dtype in TENSOR_TYPES.items()
}
"""The names that tensors on a device had in Torch7: without a word for the numbers they are float."""

ALL_TYPES = TENSOR_TYPES | CUDA_TYPES

_DEFAULTS = ("torch.FloatTensor", "torch.DoubleTensor")
_default = "torch.FloatTensor"


def type_name(dtype: Any, device: bool = False) -> str:
    """Torch7's name for tensors of a NumPy dtype, on the host or on a device; the dtype's own where Torch7 has none."""
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        return str(dtype)
    return next((name for name, known in (CUDA_TYPES if device else TENSOR_TYPES).items() if known == wanted), wanted.name)


def setdefaulttensortype(name: str) -> None:
    """New modules, criterions and random arrays are of this type: "torch.FloatTensor" or "torch.DoubleTensor".

    Objects that there are keep theirs, and so do those that are loaded from files.
    """
    global _default
    if not isinstance(name, str) or name not in _DEFAULTS:
        cure = "; build the network, then call its cuda()" if "Cuda" in str(name) else ""
        raise ValueRangeError(f"setdefaulttensortype: name: expected {' or '.join(map(repr, _DEFAULTS))}, got {name!r}{cure}")
    _default = name


def getdefaulttensortype() -> str:
    """The name of the type that new objects have."""
    return _default


def default_dtype() -> np.dtype[Any]:
    """The dtype of new objects."""
    return TENSOR_TYPES[_default]
