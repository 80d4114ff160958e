"""The packages ``nn``, ``nngraph``, ``dpnn``, ``rnn``, ``nnx``, ``inn`` and ``cudnn`` of Lua: tables of classes.

Several packages of Torch7 put their classes into ``nn``. Those of ours are there once a script has required the package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.files.saving import records
from pytorch_legacy.files.stored import Stored
from pytorch_legacy.rnn.AbstractRecurrent import AbstractRecurrent

from ..language.errors import register
from ..language.operators import next_
from ..language.state import State
from ..language.table import Table, fields, rawget, rawset, set_metatable
from . import recursive, training, utilities
from . import tables as tables
from .border import Border, Object
from .classes import Class, Classes
from .definitions import Definitions
from .loading import ScriptFactory
from .objects import Metatables
from .optimizers import library as optim_library

_ADDED = {"nngraph": "nn", "nnx": "nn", "dpnn": "nnx", "rnn": "dpnn"}
"""The packages that add the classes of a subpackage of ours to ``nn``, and what they require before."""
_OWN = ("cudnn", "inn")


class Packages:
    """The tables of classes of a session.

    Parameters
    ----------
    border : Border
        The session's.
    """

    def __init__(self, border: Border) -> None:
        self.border = border
        self._nn: dict[str, Any] = {name: getattr(nn, name) for name in nn.__all__}
        self._spaces: dict[str, dict[str, Any]] = {"nn": self._nn}
        self.table = self._space("nn")

    def add(self, package: str, wanted: Sequence[str] = ()) -> None:
        """Adds the classes of a subpackage that are called nn.X in Torch7, or those of some names."""
        module = import_module(f"pytorch_legacy.{package}")
        for name in wanted or module.__all__:
            if is_class(found := getattr(module, name)) and found._typename == f"nn.{name}":
                self._nn.setdefault(name, found)

    def own(self, package: str) -> Table:
        """Returns the table of a package whose classes are called as it is."""
        module = import_module(f"pytorch_legacy.{package}")
        names = {name: found for name in module.__all__ if is_class(found := getattr(module, name))}
        self._spaces[package] = {name: found for name, found in names.items() if found._typename.startswith(f"{package}.")}
        return self._space(package)

    def _space(self, space: str) -> Table:
        names, classes = self._spaces[space], self.border.classes
        table = Table()

        def index(table: Any, name: Any) -> Any:
            if (found := names.get(name)) is None:
                return None
            made = classes.of(found).table
            rawset(table, name, made)
            return made

        def pairs(table: Any) -> Any:
            for name in names:
                if rawget(table, name) is None:
                    index(table, name)
            return next_, table, None

        set_metatable(table, fields(__index=index, __pairs=pairs))
        return table

    def named(self, typename: str) -> Class | None:
        """Returns a class of ours, None if there is none or a script has not required its package."""
        space, _, name = typename.rpartition(".")
        found = self._spaces.get(space, {}).get(name)
        return None if found is None else self.border.classes.of(found)


def is_class(value: Any) -> bool:
    """True for a class whose objects scripts may hold."""
    return isinstance(value, type) and issubclass(value, Stored)


def border_of(state: State) -> Border:
    """Returns where values cross between a state and Python. The package ``torch`` is opened, if it was not."""
    if state.border is None:
        torch = state.require("torch")
        state.border = border = Border(state)
        border.classes = Classes(border)
        border.classes.metatable = metatables = Metatables(border)
        border.classes.fields = metatables.fields
        border.packages = Packages(border)
        border.definitions = Definitions(border, torch)
        types = state.types
        types.border, types.factory, types.records = border, lambda: ScriptFactory(border, True), records
        types.describe, types.build = _described, _built
        functions = border.definitions.library()
        register(functions)
        torch.__dict__.update(functions)
    return state.border  # type: ignore[no-any-return]


def _described(value: Any, _: Any) -> Any:
    """Returns the module of Python, which files take."""
    return value.python if isinstance(value, Object) else None


def _built(value: Any, coming: Any) -> Any:
    """Returns a module from a file as Lua has it."""
    if not isinstance(value, Stored):
        return None
    border = coming.state.border
    border.classes.made.add(value)
    return coming.keep(value, border.object(value))


def add_packages(state: State) -> None:
    """``require`` finds the packages of classes."""

    def open_nn(state: State) -> Table:
        table = border_of(state).packages.table
        for name, library in utilities.libraries(state).items():
            table.__dict__[name] = library
        border_of(state).classes.of(nn.StochasticGradient).added["train"] = training.train(state)
        return table

    def adding(name: str) -> Callable[[State], Table]:
        def open_package(state: State) -> Table:
            state.require(_ADDED[name])
            border_of(state).packages.add(name)
            if name == "nngraph":
                state.require("pl")  # a global that scripts expect of it
                return utilities.nngraph(state)
            table = fields(**recursive.RNN, version=2.0) if name == "rnn" else fields(version=2.0)
            if name == "rnn":
                state.require("nn").__dict__["rnn"] = table
                border_of(state).classes.of(AbstractRecurrent).added.update(recursive.RNN)
            return table

        return open_package

    state.add_package("nn", open_nn)
    for name in _ADDED:
        state.add_package(name, adding(name))
    for name in _OWN:
        state.add_package(name, lambda state, name=name: border_of(state).packages.own(name))  # type: ignore[misc]
    state.add_package("optim", optim_library)
