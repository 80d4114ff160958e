"""The arrays of tests on a device: CuPy and libTHCUNN, or without a GPU a CuPy of pretence and emulated kernels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import arrays
from pytorch_legacy.arrays import is_tensor, to_device
from pytorch_legacy.backend import cuda
from pytorch_legacy.backend._signatures import SIGNATURES
from tests.cuda import fake_cupy
from tests.trees import Tree, mapped

IS_REAL = not os.environ.get("PYTORCH_LEGACY_EMULATE") and not cuda.missing()  # there is a GPU
LIBRARY = str(cuda._path()) if IS_REAL else os.environ.get("PYTORCH_LEGACY_EMULATE")
TYPES = {"torch.CudaTensor": np.dtype(np.float32), "torch.CudaDoubleTensor": np.dtype(np.float64)}

REASON = "needs a GPU, or emulated kernels: tests/cuda/run.sh"
on_a_device = pytest.mark.skipif(LIBRARY is None, reason=REASON)
pretended = pytest.mark.skipif(LIBRARY is None or IS_REAL, reason="needs emulated kernels: tests/cuda/run.sh")


def need_device() -> None:
    """Skips the test file that calls it where there is no device: one item says so, not one for each network."""
    if LIBRARY is None:
        pytest.skip(REASON, allow_module_level=True)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """CuPy, as far as the package can see."""
    if IS_REAL:
        yield arrays.cupy()
        return
    monkeypatch.setenv("PYTORCH_LEGACY_THCUNN", str(LIBRARY))
    cupy = fake_cupy.install(monkeypatch)
    monkeypatch.setattr(cuda, "_states", cuda._States())
    cuda._is_ready.cache_clear()
    yield cupy
    cuda._is_ready.cache_clear()


def up(tree: Tree) -> Tree:
    """The arrays on the device; numbers stay, and so does the None of a criterion without a target, in an array as it may be."""
    return mapped(lambda leaf: to_device(leaf, True) if is_tensor(leaf) and leaf.dtype != object else leaf, tree)


def down(tree: Tree) -> Tree:
    return mapped(lambda leaf: to_device(leaf, False) if is_tensor(leaf) else leaf, tree)


def has_kernel(function: str) -> bool:
    """Returns True if the library has a kernel for this function of libTHNN."""
    assert LIBRARY
    return cuda._library(Path(LIBRARY)).function("Cuda", function) is not None


def layers_with_kernels() -> set[str]:
    return {name.rpartition("_")[0] for name in SIGNATURES if "_" in name and has_kernel(name)}
