"""Torch7's tensors over NumPy arrays, and the library ``torch`` of Lua."""

from .library import library
from .tensor import Storage, Tensor, Types, wrap

__all__ = ["Storage", "Tensor", "Types", "library", "wrap"]
