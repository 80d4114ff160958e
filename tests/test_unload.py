"""A host may close the library at any time: OpenMP's threads, which stand in the code it brought, must not fall."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pytorch_legacy import backend

SCRIPT = """
import _ctypes, ctypes, os, sys
from pytorch_legacy import backend, nn
import numpy as np
nn.ReLU().forward(np.zeros(1 << 20, np.float32))  # starts the threads
library = ctypes.CDLL(sys.argv[1])
for _ in range(3):
    _ctypes.dlclose(library._handle)  # as often as anybody has opened it
ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOLOAD)  # fails if it is gone
"""


@pytest.mark.skipif(not hasattr(os, "RTLD_NOLOAD"), reason="this system cannot tell whether a library is loaded")
def test_closing_the_library_does_not_unload_it() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT, str(backend.library_path)], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
