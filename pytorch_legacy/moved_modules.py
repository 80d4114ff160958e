"""Former names of modules: a pickle of an earlier version names the module of each class and function in it.

>>> from importlib import import_module
>>> import_module("pytorch_legacy.storage")
<module 'pytorch_legacy.arrays.storage' from ...>
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_FILES = ("fields", "form", "loading", "misspelt", "saving", "t7", "writing")
_NOW = {name: f"files.{name}" for name in _FILES} | {
    "mending": "files.migration",
    "storage": "arrays.storage",
    "nn.lua": "files.lua",
}

# The classes of cudnn that had a file each, by the files that hold several of them today.
_TOGETHER = {
    "activation": ("ClippedReLU", "Pointwise", "ReLU", "Sigmoid", "Tanh"),
    "convolution": (
        "SpatialDilatedConvolution", "VolumetricConvolution", "VolumetricDilatedConvolution", "VolumetricFullConvolution",
    ),
    "normalization": ("BatchNormalization", "SpatialBatchNormalization", "SpatialCrossMapLRN", "VolumetricBatchNormalization"),
    "pooling": ("SpatialAveragePooling", "SpatialMaxPooling", "VolumetricAveragePooling", "VolumetricMaxPooling"),
    "recurrent": ("BGRU", "BLSTM", "GRU", "LSTM", "RNNReLU", "RNNTanh"),
    "softmax": (
        "LogSoftMax", "SoftMax", "SpatialLogSoftMax", "SpatialSoftMax", "VolumetricLogSoftMax", "VolumetricSoftMax",
    ),
}  # fmt: skip


class _Finder(MetaPathFinder, Loader):
    """Finds the moved module for its former name. It is the same module, not a second one."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        if package != "pytorch_legacy":
            return None
        parts = rest.split(".")
        for n in (1, 2):
            if (now := _NOW.get(".".join(parts[:n]))) is not None:
                return ModuleSpec(fullname, self, origin=".".join([package, now, *parts[n:]]))
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(str(spec.origin))
        spec.loader_state = module.__spec__  # importlib replaces it by the spec of the former name
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def install() -> None:
    """Makes the former names importable. The finder comes first, because parts of `t7` would be loaded twice otherwise."""
    sys.meta_path.insert(0, _Finder())


def cudnn_installed() -> None:
    """Makes the former files of the package cudnn importable. The package calls this after it has imported its classes.

    They are entered in ``sys.modules``, because importlib would replace a class by a module of the same name that it finds.
    """
    for file, names in _TOGETHER.items():
        module = sys.modules[f"pytorch_legacy.cudnn.{file}"]
        sys.modules.update({f"pytorch_legacy.cudnn.{name}": module for name in names})
