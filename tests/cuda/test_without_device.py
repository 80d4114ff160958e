"""libTHCUNN as nvcc makes it, where there is no GPU: it loads, and every layer answers with THNN_ERR_DEVICE.

Needs PYTORCH_LEGACY_THCUNN, a library built with THCUNN=cuda.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest

from pytorch_legacy.backend import cuda
from pytorch_legacy.backend.header import Function
from pytorch_legacy.backend.library import ffi
from tests import capi
from tests.arrays.functions import describe
from tests.arrays.test_functions import CALLS
from tests.cuda.test_twins import ARRAYS, REALS, TWINS, converted, exported
from tests.rows import all_of, rows

LIBRARY = os.environ.get("PYTORCH_LEGACY_THCUNN")

pytestmark = [
    pytest.mark.skipif(LIBRARY is None, reason="needs a library that nvcc compiled: PYTORCH_LEGACY_THCUNN"),
    pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="there is a GPU"),
]


def built() -> list[str]:
    """The element types that the library has: continuous integration compiles one of them."""
    names = exported(str(LIBRARY))
    return [real for real in REALS if f"THNN_{real}{TWINS[0].name}" in names]


BUILT = built() if LIBRARY else list(REALS)


@all_of("real", BUILT)
@rows("function", [(f.layer, f.name, f) for f in (TWINS if LIBRARY else TWINS[:1]) if f.arguments[0].name == "state"])
def test_says_so(function: Function, real: str) -> None:
    lib = ctypes.CDLL(str(LIBRARY))
    lib.THNN_CudaLastError.restype = ctypes.c_char_p
    call = converted(capi.valid(function, "Double"), REALS[real])
    before = call.contents()
    assert getattr(lib, f"THNN_{real}{function.name}")(*call.arguments()) == capi.DEVICE
    assert "expected a CUDA device" in lib.THNN_CudaLastError().decode()
    assert call.contents() == before


# arrayProduct calls the matrix products of both types.
HAS_PRODUCT = {"Cuda", "CudaDouble"} <= {*BUILT}


@pytest.mark.parametrize("name", [name for name in CALLS if HAS_PRODUCT or name != "arrayProduct"])
def test_arrays_say_so(name: str) -> None:
    library = cuda.Library(Path(str(LIBRARY)))
    function = library.array_function(name)
    assert function is not None
    given = [describe(a) if isinstance(a, np.ndarray) else a for a in CALLS[name]]
    assert function(ffi.NULL, *given) == capi.DEVICE
    assert "expected a CUDA device" in library.ffi.string(library.lib.THNN_CudaLastError()).decode()


def test_exports() -> None:
    assert BUILT
    layers = {f"THNN_{real}{function.name}" for function in TWINS for real in BUILT}
    assert exported(str(LIBRARY)) == layers | (ARRAYS if HAS_PRODUCT else ARRAYS - {"THNN_CudaArrayProduct"})
