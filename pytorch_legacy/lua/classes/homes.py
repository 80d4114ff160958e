"""Fields of Python objects that Lua holds as tensors and tables, and that both sides change.

A module has arrays and lists in its fields. Lua holds a tensor or a table for each that it has read, and this one stays the same
as long as anybody holds it: who has ``net.output`` sees the next pass. Before Python runs, `Homes.enter` writes to the fields
what Lua changed: a tensor that was resized, a table that got an entry. After it, `Homes.leave` lets tensors and tables show what
the fields are by then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from pytorch_legacy.nn.Module import Module

from ..counting import declaration
from ..language.table import Table, border, key_of
from ..tensors import Tensor

_get = dict.get


def fields_of(holder: Any) -> Any:
    """Returns what a key of a holder is looked up in: a list or dict itself, the fields of an object."""
    return holder if holder.__class__ in (list, dict) else holder.__dict__


def entry(holder: Any, key: Any) -> Any:
    """Returns a field of an object, or an entry of a list or dict; None if there is none."""
    fields = fields_of(holder)
    if fields.__class__ is list:
        return fields[key] if key < len(fields) else None
    return fields.get(key)


class TensorHome:
    """The field that a tensor of Lua shows.

    Attributes
    ----------
    shown : ndarray
        The array of the field when both were last the same.
    seen : ndarray
        The tensor's array then, which is another object if it is a view of other elements.
    """

    __slots__ = ("holder", "key", "reference", "seen", "shown")

    def __init__(self, holder: Any, key: Any, tensor: Tensor, shown: Any, gone: Callable[[Any], None]) -> None:
        self.holder, self.key, self.reference = holder, key, ref(tensor, gone)
        self.shown, self.seen = shown, tensor.array

    def write(self, tensor: Tensor, homes: Homes) -> None:
        """Puts the tensor's array into the field if Lua gave the tensor another one."""
        array = tensor.array
        if array is not self.seen:
            if homes.known(array) not in (None, tensor):  # as after x:set(y): two tensors, whose fields are two arrays
                tensor.set_array(array := array[...])
            if entry(self.holder, self.key) is self.shown:
                fields_of(self.holder)[self.key] = array
                self.shown = array
            self.seen = array

    def update(self, tensor: Tensor, homes: Homes, given: tuple[Any, ...]) -> bool:
        """Lets the tensor show the field's present array. Returns False if the field has nothing for this tensor any more."""
        value = entry(self.holder, self.key)
        if value is self.shown:
            return True
        if value.__class__ is not np.ndarray or not value.ndim or homes.known(value) is not None:
            return False
        if any(one.__class__ is np.ndarray and np.may_share_memory(one, value) for one in given):
            return False  # the field shows memory of the caller's: another tensor, as in Torch7
        return self._follow(tensor, value, homes)

    def _follow(self, tensor: Tensor, value: Any, homes: Homes) -> bool:
        """Lets the tensor show a new array, if the old one is gone: what was in the field has got another size.

        If the old one is somewhere else, such as in the module of another time step, the tensor stays with it, and the result is
        False.
        """
        old = ref(tensor.array)
        tensor.set_array(value)
        self.shown, self.seen = value, tensor.array
        if (kept := old()) is not None:
            tensor.set_array(kept)
            return False
        homes.note(value, tensor)
        return True


class TableHome:
    """The field that a table of Lua shows: a list or a dict.

    Attributes
    ----------
    shown : list or dict
        The value of the field when both were last the same.
    before : list or dict
        A copy of it.
    seen : list or dict
        What the table had then, as Lua has it, under the keys of the field.
    first : int
        The key in Lua of what has the key 0 in a dict: 1 of a dict by steps, which counts from 0.
    """

    __slots__ = ("before", "first", "holder", "key", "reference", "seen", "shown")

    def __init__(self, holder: Any, key: Any, table: Table, shown: Any, gone: Callable[[Any], None], first: int) -> None:
        self.holder, self.key, self.reference, self.shown = holder, key, ref(table, gone), shown
        self.first = first
        self.before: Any = None
        self.seen: Any = None

    def note(self, table: Table) -> None:
        """Both are the same now."""
        self.before = self.shown.copy()
        self.seen = self._content(table)

    def _content(self, table: Table) -> Any:
        """Returns what the table has, under the keys of the field."""
        found = content(table, self.shown.__class__)
        if not self.first:
            return found
        pairs = enumerate(found, 1) if found.__class__ is list else found.items()
        return {key if key.__class__ is str else key - self.first: value for key, value in pairs}

    def write(self, table: Table, homes: Homes) -> None:
        """Puts into the list or dict what Lua put into the table."""
        now = self._content(table)
        if _is_same(now, self.seen):
            return
        if now.__class__ is not self.shown.__class__:
            new = homes.python(table, self)
            if entry(self.holder, self.key) is self.shown:
                fields_of(self.holder)[self.key] = new
            self.shown = new
        elif now.__class__ is list:
            homes.forget(self.shown)
            old = {id(one): python for one, python in zip(self.seen, self.before, strict=False)}
            self.shown[:] = [old[id(one)] if id(one) in old else homes.python(one) for one in now]
        else:
            homes.forget(self.shown)
            for name in [name for name in self.seen if name not in now]:
                self.shown.pop(name, None)
            for name, one in now.items():
                if name not in self.seen or self.seen[name] is not one:
                    self.shown[name] = homes.python(one)
        self.note(table)

    def _isAnother(self, value: Any) -> bool:
        """True if a new list is another table: if a class that says so made it, which may be that of a module inside."""
        modules = self.holder.listModules() if isinstance(self.holder, Module) else [self.holder]
        makers = (one for one in modules if entry(one, self.key) is value)
        return any(self.key in (declaration(one).renewed or ()) for one in makers)

    def update(self, table: Table, homes: Homes, given: tuple[Any, ...]) -> bool:
        """Lets the table have the entries of the field. Returns False if the field is no list or dict any more."""
        value = entry(self.holder, self.key)
        if value.__class__ not in (list, dict):
            return value is self.shown
        if value is not self.shown and value.__class__ is list and self._isAnother(value):
            return False
        if value is not self.shown or not _is_same(value, self.before):
            self.shown = value
            homes.fill(table, value, self.first)
            self.note(table)
        return True


def _is_same(one: Any, other: Any) -> bool:
    if one.__class__ is not other.__class__ or len(one) != len(other):
        return False
    if one.__class__ is list:
        for a, b in zip(one, other, strict=True):  # noqa: SIM110  # half of what all() and a generator take
            if a is not b:
                return False
        return True
    return all(name in other and other[name] is value for name, value in one.items())


def content(table: Table, kind: type = list) -> Any:
    """Returns what a table has: a list if its keys are 1 to n, else a dict. An empty table is of the class `kind`."""
    n = border(table)
    if not table.__dict__ and (n == len(table) or not any(_get(table, key) is not None for key in [*dict.keys(table)][n:])):
        if n or kind is list:
            return [_get(table, i) for i in range(1, n + 1)]
        return {}
    found: dict[Any, Any] = {}
    for raw in dict.keys(table):
        if (value := _get(table, raw)) is not None:
            key = key_of(raw)
            found[int(key) if key.__class__ is float and key.is_integer() else key] = value
    found.update((name, value) for name, value in table.__dict__.items() if value is not None)
    return found


def _living(values: list[Any]) -> list[Any]:
    """Returns those of the values, which are taken out of their list, that something else holds."""
    references = [ref(value) for value in values]
    values.clear()
    return [value for reference in references if (value := reference()) is not None]


class Homes:
    """The tensors and tables of fields that Lua holds.

    Parameters
    ----------
    lua : callable
        ``lua(value, holder, key)`` returns an entry of a list or dict as Lua has it.
    python : callable
        ``python(value)`` returns a value of Lua as Python has it.
    """

    def __init__(self, lua: Callable[[Any, Any, Any], Any], python: Callable[[Any], Any]) -> None:
        self._lua, self._python = lua, python
        self._homes: dict[tuple[int, Any], Any] = {}
        self._tables: dict[int, TableHome] = {}
        self._tensors: dict[int, Any] = {}
        self._held: list[Any] = []  # values that Lua has read and holds: it may change and drop them at once

    # ------------------------------------------------------------------------------------------ tensors without a field

    def note(self, array: Any, tensor: Tensor) -> None:
        """An array that comes back from Python is this tensor."""
        key = id(array)
        if key not in self._tensors or self._tensors[key]() is not tensor:
            self._tensors[key] = ref(tensor, lambda _: self._tensors.pop(key, None))

    def known(self, array: Any) -> Tensor | None:
        """Returns the tensor that shows an array."""
        reference = self._tensors.get(id(array))
        tensor = None if reference is None else reference()
        return tensor if tensor is not None and tensor.array is array else None

    # ------------------------------------------------------------------------------------------ fields

    def find(self, holder: Any, key: Any, value: Any) -> Any:
        """Returns the tensor or table that shows a field whose value is an array, list or dict; None if there is none."""
        home = self._homes.get((id(holder), key))
        if home is None or (held := home.reference()) is None:
            return None
        if home.shown is not value and not home.update(held, self, ()):
            del self._homes[id(holder), key]
            return None
        return held

    def add_tensor(self, holder: Any, key: Any, tensor: Tensor, array: Any) -> None:
        """A tensor shows a field from now on."""
        place = id(holder), key
        self._homes[place] = TensorHome(holder, key, tensor, array, lambda gone: self._drop(place, gone))
        self._held.append(tensor)

    def add_table(self, holder: Any, key: Any, table: Table, value: Any, first: int = 0) -> None:
        """A table shows a field, which is a list or dict, from now on. It has the entries already, `first` in the place of 0."""
        place = id(holder), key
        home = TableHome(holder, key, table, value, lambda gone: self._drop(place, gone), first)
        home.note(table)
        self._homes[place] = self._tables[id(table)] = home
        self._held.append(table)

    def _drop(self, place: tuple[int, Any], gone: Any) -> None:
        home = self._homes.get(place)
        if home is not None and home.reference is gone:
            del self._homes[place]
        for key in [key for key, one in self._tables.items() if one.reference is gone]:
            del self._tables[key]

    def forget(self, holder: Any) -> None:
        """The entries of a list or dict are at other places now."""
        for place in [place for place in self._homes if place[0] == id(holder)]:
            del self._homes[place]

    def forget_field(self, holder: Any, key: Any) -> None:
        """A field gets another value, which the tensor or table that showed it does not follow."""
        self._homes.pop((id(holder), key), None)

    def fill(self, table: Table, value: Any, first: int = 0) -> None:
        """Gives a table the entries of a list or dict, that of 0 in a dict the key `first`."""
        dict.clear(table)
        table.__dict__.clear()
        self.forget(value)
        if value.__class__ is list:
            for i, one in enumerate(value):
                if (entry := self._lua(one, value, i)) is not None:
                    dict.__setitem__(table, i + 1, entry)
            return
        for key, one in [*value.items()]:
            if key.__class__ is str:
                if (entry := self._lua(one, value, key)) is not None:
                    table.__dict__[key] = entry
            elif key.__class__ in (int, float) and (entry := self._lua(one, value, key)) is not None:
                dict.__setitem__(table, key + first, entry)

    def showing(self, value: Any) -> Table | None:
        """Returns the table that shows a list or dict in another field; None if there is none."""
        tables = (home.reference() for home in self._tables.values() if home.shown is value)
        return next((table for table in tables if table is not None), None)

    def shown(self, table: Table) -> Any:
        """Returns the list or dict that a table shows under its own keys, None if it is a table of Lua's own."""
        home = self._tables.get(id(table))
        return None if home is None or home.first else home.shown

    def python(self, value: Any, home: TableHome | None = None) -> Any:
        """Returns a value of Lua as Python has it, a table that shows a field as a new list or dict."""
        if home is not None:
            self._tables.pop(id(value), None)
            new = self._python(value)
            self._tables[id(value)] = home
            return new
        return self._python(value)

    # ------------------------------------------------------------------------------------------ both ways

    def enter(self) -> None:
        """Python runs now: fields become what Lua made of them."""
        if self._homes:
            for home in [*self._homes.values()]:
                held = home.reference()
                if held is not None and (home.__class__ is TableHome or held.array is not home.seen):
                    home.write(held, self)
            self._held = _living(self._held)

    def leave(self, given: tuple[Any, ...] = ()) -> None:
        """Lua runs now: tensors and tables show what fields are. `given` is what Python was called with."""
        for place, home in [*self._homes.items()]:
            if home.__class__ is TensorHome:  # at once where nothing has changed
                holder = home.holder
                if holder.__class__ is list:
                    if home.key < len(holder) and holder[home.key] is home.shown:
                        continue
                elif (holder if holder.__class__ is dict else holder.__dict__).get(home.key) is home.shown:
                    continue
            held = home.reference()
            if held is not None and not home.update(held, self, given) and self._homes.get(place) is home:
                del self._homes[place]
