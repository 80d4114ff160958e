"""The format's tables: type tags, names of number types, and the bodies of Torch objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy.arrays import CUDA_TYPES, TENSOR_TYPES

DType = np.dtype[Any]

NIL, NUMBER, STRING, TABLE, TORCH, BOOLEAN = 0, 1, 2, 3, 4, 5
FUNCTION_OLDEST, FUNCTION_LEGACY, FUNCTION = 6, 7, 8
"""Type tags. The oldest form of a function has no index, so it is never shared."""

STORED = -1
"""In the place of a tag: a storage that so far stands behind tensors only. Its array is of the type that tensors have."""

# NumPy allows 64 dimensions only since version 2; Torch7 itself never went beyond 25.
MAX_DIMENSIONS = 32

_NUMBERS = {name[len("torch.") : -len("Tensor")]: dtype for name, dtype in TENSOR_TYPES.items()}
NAMES = {dtype: name for name, dtype in _NUMBERS.items()}
"""Torch's word for the numbers of a dtype: ``Double`` for float64."""

CUDA_NAMES = {dtype: name[len("torch.") : -len("Tensor")] for name, dtype in CUDA_TYPES.items()}
"""The same for tensors of a device: ``Cuda`` for float32, ``CudaDouble`` for float64."""

# Memory of a device is written as if it were the CPU's. Cuda without a word for the numbers is float.
_ON_DEVICES = {f"Cuda{name}": dtype for name, dtype in _NUMBERS.items() if name != "Float"}
_ON_DEVICES |= {"Cuda": _NUMBERS["Float"], "Cl": _NUMBERS["Float"]}
TENSORS = {f"torch.{name}Tensor": dtype for name, dtype in (_NUMBERS | _ON_DEVICES).items()}
STORAGES = {f"torch.{name}Storage": dtype for name, dtype in (_NUMBERS | _ON_DEVICES).items()}

HASH, VECTOR = "tds.Hash", "tds.Vec"
HASHES = frozenset({HASH, "tds_hash"})
VECTORS = frozenset({VECTOR, "tds_vec"})
GENERATOR = "torch.Generator"
COUNTER = "tds.AtomicCounter"

# The C structure of the generator as a whole is in the file. It holds 625 longs, so its size
# follows theirs (four-byte longs: as on Windows, with doubles aligned to 8).
GENERATOR_BYTES = {8: 5048, 4: 2552}


def body_objects(typename: str, version: int) -> int:
    """Number of objects in the body of a Torch object: one, its fields, but for a few classes."""
    if typename == "torch.Timer":
        return 0
    if typename == "nn.GPU" or (typename == "nn.DataParallelTable" and version >= 2):
        return 2
    return 1
