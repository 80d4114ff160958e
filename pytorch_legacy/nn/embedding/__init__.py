"""Tables looked up by index, and affine maps of sparse vectors."""

from .IndexLinear import IndexLinear
from .LookupTable import LookupTable
from .SparseLinear import SparseLinear

__all__ = [
    "IndexLinear",
    "LookupTable",
    "SparseLinear",
]
