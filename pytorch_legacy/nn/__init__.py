"""Torch7's nn: every class by its own name, each in a file of that name in its family's folder. Nothing lists them.

Type checkers and editors read ``__init__.pyi``, which the build writes (``backend/stubs.py``).
"""

from importlib import import_module

from . import Jacobian as Jacobian
from . import SparseJacobian as SparseJacobian
from . import hessian as hessian
from . import tables as tables
from . import utils as utils
from .Container import Container
from .Criterion import Criterion
from .Module import Module
from .Unknown import Unknown

FAMILIES = (
    "activation",
    "container",
    "convolution",
    "criterion",
    "decorator",
    "embedding",
    "linear",
    "math",
    "normalization",
    "padding",
    "pooling",
    "regularization",
    "sampling",
    "shape",
    "table",
    "training",
)

oldSeed = False
"""Torch7's switch to draw initial parameters one by one. Those of Euclidean and SparseLinear come in another order then."""

_PARTS = ("Jacobian", "SparseJacobian", "hessian", "oldSeed", "tables", "utils")
"""The names that Torch7 has in ``nn`` beside its classes."""

__all__ = ["Container", "Criterion", "Module", "Unknown"]
for _family in FAMILIES:
    _members = import_module(f"{__name__}.{_family}")
    globals().update({name: getattr(_members, name) for name in _members.__all__})
    __all__ += _members.__all__


def __getattr__(name: str) -> type:
    """The classes that other packages of Torch7 put into ``nn``: ``nn.gModule``, ``nn.LSTM``, ``nn.Inception``."""
    from pytorch_legacy.files.classes import find_class

    found = find_class(f"nn.{name}")
    if found is None:
        from pytorch_legacy.torch_names import class_hint

        raise AttributeError(f"module 'pytorch_legacy.nn' has no attribute '{name}'{class_hint(name)}")
    return found


def __dir__() -> list[str]:
    """Returns the public names, those of other packages' classes included."""
    from pytorch_legacy.files.classes import list_names

    return sorted({*__all__, *_PARTS, *filter(str.isidentifier, list_names("nn"))})
