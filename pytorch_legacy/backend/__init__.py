"""The only place that knows cffi: opens libTHNN and libTHCUNN and calls their functions on NumPy's and CuPy's arrays."""

from . import installed as installed  # first: it says where the library is
from .binding import MAX_DIMS, call, call_random, output_size
from .callers import Callers
from .cuda import cuda_index_check, require, set_cuda_index_check, set_pooling_backward
from .library import (
    SIGNATURES,
    ffi,
    free_scratch,
    get_num_threads,
    lib,
    library_path,
    manual_seed,
    set_cache_bytes,
    set_convolution,
    set_kernels,
    set_num_threads,
    version,
)

__all__ = [
    "MAX_DIMS",
    "SIGNATURES",
    "Callers",
    "call",
    "call_random",
    "cuda_index_check",
    "ffi",
    "free_scratch",
    "get_num_threads",
    "lib",
    "library_path",
    "manual_seed",
    "output_size",
    "require",
    "set_cache_bytes",
    "set_convolution",
    "set_cuda_index_check",
    "set_kernels",
    "set_num_threads",
    "set_pooling_backward",
    "version",
]
