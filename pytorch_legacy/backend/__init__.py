"""The only place that knows cffi: opens libTHNN and calls its functions on NumPy arrays."""

from .binding import MAX_DIMS, call, call_random, output_size
from .library import blas, ffi, get_num_threads, lib, library_path, manual_seed, set_num_threads, set_pooling_backward, version

__all__ = [
    "MAX_DIMS",
    "blas",
    "call",
    "call_random",
    "ffi",
    "get_num_threads",
    "lib",
    "library_path",
    "manual_seed",
    "output_size",
    "set_num_threads",
    "set_pooling_backward",
    "version",
]
