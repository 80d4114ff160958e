"""Torch7's neural networks, alive: nn on NumPy arrays over plain C layers, and .t7 models without Lua.

>>> import pytorch_legacy as pl
>>> net = pl.nn.Sequential().add(pl.nn.SpatialAdaptiveAveragePooling(1, 1))
>>> net
nn.Sequential {
  [input -> (1) -> output]
  (1): nn.SpatialAdaptiveAveragePooling
}
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import moved_modules
from .arrays.types import getdefaulttensortype, setdefaulttensortype
from .backend import get_num_threads as getNumThreads
from .backend import set_cache_bytes as setCacheBytes
from .backend import set_convolution as setConvolution
from .backend import set_cuda_index_check as setCudaIndexCheck
from .backend import set_num_threads as setNumThreads
from .backend import set_pooling_backward as setPoolingBackward
from .errors import THNNError
from .files import migration, t7
from .files.classes import register
from .files.counting import Lua
from .files.form import Form
from .files.loading import load
from .files.saving import save
from .files.t7 import T7Error
from .random import manualSeed
from .typenames import type, typename
from .version import __version__

if TYPE_CHECKING:
    from . import (
        authors,
        bridge,
        cudnn,
        distributed,
        dpnn,
        errors,
        explain,
        extension,
        inn,
        interop,
        lua,
        nn,
        nngraph,
        nnx,
        optim,
        rnn,
        testing,
    )
    from .bridge import from_torch, to_onnx, to_pt2, to_python, to_torch
    from .optimizing import optimize
    from .program import Program, compile, to_c

moved_modules.install()
mending = migration  # as it was called

__all__ = [
    "Form",
    "Lua",
    "Program",
    "T7Error",
    "THNNError",
    "__version__",
    "authors",
    "bridge",
    "compile",
    "cudnn",
    "distributed",
    "dpnn",
    "errors",
    "explain",
    "extension",
    "from_torch",
    "getNumThreads",
    "getdefaulttensortype",
    "inn",
    "interop",
    "load",
    "lua",
    "manualSeed",
    "migration",
    "nn",
    "nngraph",
    "nnx",
    "optim",
    "optimize",
    "random",
    "register",
    "rnn",
    "save",
    "setCacheBytes",
    "setConvolution",
    "setCudaIndexCheck",
    "setNumThreads",
    "setPoolingBackward",
    "setdefaulttensortype",
    "t7",
    "testing",
    "to_c",
    "to_onnx",
    "to_pt2",
    "to_python",
    "to_torch",
    "type",
    "typename",
]

# The modules of functions that are imported on first use, as the packages are.
_FUNCTIONS = {
    "Program": "program",
    "compile": "program",
    "from_torch": "bridge",
    "optimize": "optimizing",
    "to_c": "program",
    "to_onnx": "bridge",
    "to_pt2": "bridge",
    "to_python": "bridge",
    "to_torch": "bridge",
}

if not TYPE_CHECKING:  # or every name would be known to mypy

    def __getattr__(name: str) -> Any:
        """Packages are imported when they are asked for: ``pl.rnn``, and ``pl.optimize``, which is in one."""
        if name not in __all__:
            raise AttributeError(f"module 'pytorch_legacy' has no attribute '{name}'")
        import_module(f"{__name__}.nn")  # first and whole: two threads that import parts of it would wait for each other
        found = import_module(f"{__name__}.{_FUNCTIONS.get(name, name)}")
        if name in _FUNCTIONS:
            found = globals()[name] = getattr(found, name)
        return found

    def __dir__() -> list[str]:
        return sorted(__all__)
