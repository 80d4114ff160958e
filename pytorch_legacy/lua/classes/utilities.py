"""Functions beside the classes: ``nn.utils``, ``nn.Jacobian`` and others, and the package ``nngraph``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytorch_legacy import nn
from pytorch_legacy import nngraph as graphs
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.nngraph import graph
from pytorch_legacy.nngraph.graph import pictures

from .. import counting
from ..language.errors import LuaError, register
from ..language.table import Table, fields
from ..tensors import Tensor
from . import recursive
from .errors import failing

if TYPE_CHECKING:
    from ..language.state import State
    from .border import Border

_UTILS = ("recursiveType", "clear")


def function(border: Border, module: Any, name: str) -> Callable[..., Any]:
    """Returns a function of a module of Python as Lua calls it."""

    def call(*arguments: Any) -> Any:
        given = [border.python(one) for one in arguments]
        with failing(border, None):
            found = border.call(counting.call, module, name, *given)
        return tuple(border.lua(one) for one in found) if found.__class__ is tuple else border.lua(found)

    return call


def _adding_dimension(border: Border) -> Callable[..., Any]:
    """Returns ``nn.utils.addSingletonDimension``, which takes the result first, too."""
    plain = function(border, nn.utils, "addSingletonDimension")

    def addSingletonDimension(*arguments: Any) -> Any:
        if len(arguments) > 1 and isinstance(arguments[1], Tensor):
            result = arguments[0]
            result.set_array(plain(*arguments[1:]).array)
            return result
        return plain(*arguments)

    return addSingletonDimension


def libraries(state: State) -> dict[str, Table]:
    """Returns the tables that stand in ``nn`` beside its classes."""
    border = state.border
    utils = {**recursive.UTILS, "addSingletonDimension": _adding_dimension(border)}
    utils |= {name: function(border, nn.utils, name) for name in _UTILS}

    def enable(*_: Any) -> tuple[()]:
        nn.hessian.enable()
        return ()

    hessian = {"enable": enable}
    tables = {name: function(border, nn.tables, name) for name in ("full", "oneToOne", "random")}
    made = {"utils": utils, "hessian": hessian, "tables": tables}
    for name, module in (("Jacobian", nn.Jacobian), ("SparseJacobian", nn.SparseJacobian)):
        own = {key: one for key, one in vars(module).items() if getattr(one, "__module__", "") == module.__name__}
        made[name] = {key: function(border, module, key) for key in own if key[0] != "_"}
    for found in made.values():
        register(found)
    return {name: fields(**found) for name, found in made.items()}


def nngraph(state: State) -> Table:
    """Returns the table ``nngraph``. The global ``graph`` has the functions for pictures."""
    border = state.border
    functions: dict[str, Any] = {"setDebug": function(border, graphs, "setDebug"), "annotateNodes": lambda *_: ()}
    functions["nest"] = function(border, graphs, "nest")
    drawing = {**state.outside("graph", {"dot": _drawing(border)}), "todot": function(border, pictures, "todot")}
    for one in (functions, drawing):
        register(one)
    own = [found for name in graphs.__all__ if isinstance(found := getattr(graphs, name), type)]
    classes = {found.__name__: border.classes.of(found).table for found in own}
    parts = {name: border.classes.of(getattr(graph, name)).table for name in ("Node", "Edge", "Graph")}
    state.globals.__dict__["graph"] = fields(**drawing, **parts)
    return fields(**functions, **classes, simple_print=fields(**drawing))


def _drawing(border: Border) -> Callable[..., Any]:
    """Returns ``graph.dot``, which writes a picture if it gets a file name and something can draw."""
    plain = function(border, pictures, "dot")

    def dot(found: Any = None, title: Any = None, file: Any = None, *_: Any) -> tuple[()]:
        if file is not None:
            try:
                plain(found, title, file)
            except LuaError as error:
                if not isinstance(error.__cause__, UnsupportedError):
                    raise
                border.state.write(f"graph.dot: {error.__cause__}\n")
        return ()

    return dot
