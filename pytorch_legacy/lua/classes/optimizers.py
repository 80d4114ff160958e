"""The package ``optim`` of Lua: its functions on tensors and tables, and its classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from pytorch_legacy import optim
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.files.stored import Stored

from ..language.errors import LuaError, raise_error, register
from ..language.table import TABLES, Table, fields, rawget, rawset
from ..tensors import Tensor
from ..tensors.registry import constructor_of, new_class, object_maker
from .errors import failing

if TYPE_CHECKING:
    from ..language.state import State
    from .border import Border


class Options(MutableMapping[Any, Any]):
    """A table of Lua as the options and the state of an algorithm.

    Parameters
    ----------
    table : Table
        The table, which is read and written.
    border : Border
        Where values cross.
    """

    def __init__(self, table: Table, border: Border) -> None:
        self._table, self._border = table, border

    def __getitem__(self, key: Any) -> Any:
        value = self._border.state.index(self._table, _key(key))
        if value is None:
            raise KeyError(key)
        return self._border.python(value)

    def __setitem__(self, key: Any, value: Any) -> None:
        rawset(self._table, _key(key), self._border.lua(value))

    def __delitem__(self, key: Any) -> None:
        rawset(self._table, _key(key), None)

    def __iter__(self) -> Iterator[Any]:
        for raw in [*self._table.__dict__, *dict.keys(self._table)]:
            if rawget(self._table, raw) is not None:
                yield raw

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _key(key: Any) -> Any:
    return float(key) if key.__class__ is int else key


def _algorithm(border: Border, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns an algorithm as Lua calls it: ``x, fs = optim.sgd(opfunc, x, config, state)``."""

    def call(opfunc: Any = None, x: Any = None, config: Any = None, state: Any = None, *rest: Any) -> Any:
        if not isinstance(x, Tensor):
            raise_error(f"bad argument #2 to '{name}' (tensor expected)")
        if opfunc is None:
            raise_error(f"bad argument #1 to '{name}' (function expected, got nil)")
        border.homes.note(x.array, x)
        tables = [Options(one, border) if one.__class__ in TABLES else border.python(one) for one in (config, state)]
        given = [*tables, *map(border.python, rest)]
        while given and given[-1] is None:
            given.pop()
        with failing(border, None):
            found = border.call(function, border.python(opfunc), x.array, *given)
        return tuple(border.lua(one) for one in found)

    return call


def library(state: State) -> Table:
    """Returns the table ``optim`` of a state."""
    from .packages import border_of

    border = border_of(state)
    functions: dict[str, Any] = {}
    classes: dict[str, Any] = {}
    for name in optim.__all__:
        found = getattr(optim, name)
        if isinstance(found, type) and issubclass(found, Stored):
            classes[name] = border.classes.of(found).table
        elif isinstance(found, FunctionType):
            functions[name] = _algorithm(border, name, found)
    register(functions)
    return fields(**functions, **classes, Logger=_logger(border))


_LOGGER = "_logger"  # a field that holds the Logger, under a name that no code reaches as an attribute
_SETTINGS = ("showPlot", "logscale", "defaultStyle")


def _logger(border: Border) -> Table:
    """Returns ``optim.Logger``: a class of tables, in whose fields scripts set what is plotted."""
    metatable = new_class(border.state.types, "optim.Logger", None)

    def begin(handle: Any, name: Any = None, timestamp: Any = None, *_: Any) -> tuple[()]:
        with failing(border, None):
            handle.__dict__[_LOGGER] = optim.Logger(border.python(name), bool(timestamp))
        return ()

    def method(name: str) -> Callable[..., Any]:
        def call(handle: Any = None, *arguments: Any) -> Any:
            logger = handle.__dict__.get(_LOGGER) if handle.__class__ in TABLES else None
            if not isinstance(logger, optim.Logger):
                raise_error(f"bad argument #1 to '{name}' (optim.Logger expected)")
            for setting in _SETTINGS:
                if (value := handle.__dict__.get(setting)) is not None:
                    setattr(logger, setting, value)
            given = [border.python(one) for one in arguments]
            try:
                with failing(border, None):
                    border.call(getattr(logger, name), *given)
            except LuaError as error:
                if not isinstance(error.__cause__, UnsupportedError):
                    raise
                border.state.write(f"<Logger> warning: {error.__cause__}\n")
            return handle

        return call

    methods = {name: method(name) for name in ("setNames", "add", "style", "setlogscale", "display", "plot")}
    register(methods)
    metatable.__dict__.update(methods, __init=border.state.outside("optim", {"Logger": begin})["Logger"])
    return constructor_of(metatable, object_maker(metatable))
