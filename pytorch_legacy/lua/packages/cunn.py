"""The packages ``cunn`` and ``cudnn``. Modules stay on the CPU: ``module:cuda()`` is ``module:float()``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..classes import border_of
from ..language.arguments import MISSING
from ..language.errors import raise_error
from ..language.table import Table
from .values import called, truth

if TYPE_CHECKING:
    from ..language.state import State

_CLASSES = ("DataParallelTable", "SpatialConvolutionCUDA", "SpatialMaxPoolingCUDA")
VERSION = 5110.0  # the last version of the library cudnn that cudnn.torch knew


def threads(net: Any = MISSING, *_: Any) -> Any:
    """Returns the network: its threads, one for each GPU, are not needed."""
    return net


def library(state: State) -> Table:
    """Returns the table of nn, which gets cunn's classes."""
    state.require("cutorch")
    table: Table = state.require("nn")
    packages = border_of(state).packages
    packages.add("authors", _CLASSES)
    if (found := packages.named("nn.DataParallelTable")) is not None:
        found.added["threads"] = threads
    return table


def extend_cudnn(state: State, table: Table) -> None:
    """Adds to the table of classes: settings, which change nothing, and ``cudnn.convert``."""
    state.require("cunn")

    def convert(net: Any = MISSING, target: Any = MISSING, exclude: Any = None, *_: Any) -> Any:
        wanted = next((name for name in ("nn", "cudnn") if state.loaded.__dict__.get(name) is target), None)
        if wanted is None:
            raise_error("bad argument #2 to 'convert' (nn or cudnn expected)")
        border = border_of(state)

        def stays(module: Any) -> bool:
            return truth(called(exclude, border.lua(module)))

        ours = import_module("pytorch_legacy.cudnn")
        module = import_module(f"pytorch_legacy.{wanted}")
        return border.lua(ours.convert(border.python(net), module, None if exclude is None else stays))

    table.__dict__.update(benchmark=False, fastest=False, verbose=False, version=VERSION, convert=convert)
