"""Values of one state for another: functions get the other's globals, tables and tensors are copied."""

from __future__ import annotations

import copy
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any

from ..classes import Object, border_of
from ..language.errors import CHUNK, raise_error, type_name
from ..language.table import TABLES, Table, Userdata, rawset, set_metatable
from ..tensors import Storage, Tensor, wrap
from .values import items

if TYPE_CHECKING:
    from ..language.state import State


class Moving:
    """Values that go from one state to another. What is one object stays one.

    Parameters
    ----------
    source, target : State
        From where, and to where.
    isShared : bool
        Tensors and modules are the same in both, and are copied otherwise.
    """

    def __init__(self, source: State, target: State, isShared: bool) -> None:
        self.source, self.target, self.isShared = source, target, isShared
        self._made: dict[int, Any] = {}
        self._kept: list[Any] = []
        self._packages: dict[int, Any] = {id(source.globals): lambda: target.globals}
        for name, table in items(source.loaded):
            if table.__class__ in TABLES and name != "_G":
                self._note(name, table)

    def _note(self, name: str, table: Table) -> None:
        """Notes that a package, and its functions, are those of the other state."""
        loadable = name in self.target.loaded.__dict__ or name in self.target.globals.package.preload.__dict__
        if not loadable:
            return
        self._packages.setdefault(id(table), lambda: self.target.require(name))
        for key, value in items(table):
            if isinstance(value, FunctionType) and CHUNK not in value.__globals__:
                self._packages.setdefault(id(value), lambda key=key: self.target.require(name).__dict__.get(key))

    def value(self, value: Any) -> Any:
        """Returns a value for the other state."""
        if value is None or value.__class__ in (bool, float, str):
            return value
        if id(value) in self._made:
            return self._made[id(value)]
        package = self._packages.get(id(value))
        if package is not None:
            return self._keep(value, package())
        return self._object(value)

    def _keep(self, value: Any, made: Any) -> Any:
        self._made[id(value)] = made
        self._kept.append(value)
        return made

    def _object(self, value: Any) -> Any:
        if value.__class__ in TABLES:
            return self._table(value)
        if value.__class__ is FunctionType:
            return self._function(value)
        if isinstance(value, (Tensor, Storage)):
            self.target.require("torch")
            array = value.array if isinstance(value, Tensor) else value.vector
            array = array if self.isShared else array.copy()
            types = self.target.types
            return self._keep(value, wrap(types, array) if isinstance(value, Tensor) else types.storages[array.dtype](array))
        if isinstance(value, Object):
            self.target.require("nn")
            python = value.python if self.isShared else copy.deepcopy(value.python)
            return self._keep(value, border_of(self.target).lua(python))
        if isinstance(value, Userdata):
            return value
        if value.__class__ is list:  # a variable of a loop's body that functions change
            made = self._keep(value, [])
            made += [self.value(one) for one in value]
            return made
        raise_error(f"a value of type {type_name(value)} cannot be given to a thread")

    def _table(self, table: Table) -> Table:
        made = self._keep(table, Table())
        metatable = table._metatable if table.__class__ is not Table else None
        name = metatable.__dict__.get("__typename") if metatable is not None else None
        for key, value in items(table):
            rawset(made, self.value(key), self.value(value))
        if metatable is not None:
            types = self.target.types
            known = types.registry.__dict__.get(name) if types is not None and name is not None else None
            set_metatable(made, self.value(metatable) if known is None else known)
        return made  # type: ignore[no-any-return]

    def _space(self, space: dict[str, Any]) -> dict[str, Any]:
        """Returns the globals of Python of a function in the other state."""
        if id(space) in self._made:
            return self._made[id(space)]  # type: ignore[no-any-return]
        target = self.target
        own = {"G": target.globals, "index": target.index, "setindex": target.setindex, "method": target.method}
        return self._keep(space, {**space, **own})  # type: ignore[no-any-return]

    def _function(self, function: FunctionType) -> Any:
        if CHUNK not in function.__globals__:
            return function
        cells = tuple(self._cell(cell) for cell in function.__closure__ or ())
        space = self._space(function.__globals__)
        made = FunctionType(function.__code__, space, function.__name__, function.__defaults__, cells or None)
        self._keep(function, made)
        for old, new in zip(function.__closure__ or (), cells, strict=True):
            self._fill(old, new)
        if function.__kwdefaults__:
            made.__kwdefaults__ = {name: self.value(value) for name, value in function.__kwdefaults__.items()}
        return made

    def _cell(self, cell: CellType) -> CellType:
        return self._made.get(id(cell)) or self._keep(cell, CellType())  # type: ignore[no-any-return]

    def _fill(self, old: CellType, new: CellType) -> None:
        """Gives a variable of outer functions its value, once."""
        key = id(new)
        if key in self._made:
            return
        self._keep(new, new)
        try:
            content = old.cell_contents
        except ValueError:  # it has no value yet
            return
        new.cell_contents = self.value(content)
