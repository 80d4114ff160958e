"""Torch7's packages in Python that counts from one: constructors, methods, fields, inputs, targets and outputs as in Lua.

>>> import numpy as np
>>> from pytorch_legacy.lua import nn
>>> net = nn.Sequential().add(nn.LookupTable(4, 2)).add(nn.Narrow(1, 2, 3))
>>> net.get(2).index, net.get(2).length
(2, 3)
>>> net.forward(np.array([1, 2, 3, 4])).shape  # the words 1 to 4; rows 2 to 4 of their vectors
(3, 2)
>>> round(nn.ClassNLLCriterion().forward(np.log(np.float32([0.25, 0.75])), 2), 4)  # the second class
0.2877

Names, orders of arguments and counts are Torch7's; arrays are NumPy's, tables are lists and dicts. (A list of Python counts from
0 as ever: ``net.modules[0]`` is the first module.) `python(thing)` is the object behind such a one, which counts from 0, and can
be saved, exported and compiled. `counted(module)` is the way back.

>>> from pytorch_legacy.lua import from_one
>>> from_one.python(net)[1].index, from_one.counted(from_one.python(net)) == net
(1, True)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from types import FunctionType, MethodType, ModuleType
from typing import Any

from pytorch_legacy.files.classes import PACKAGES, find_class, list_names
from pytorch_legacy.objects import Object
from pytorch_legacy.objects.counting import countingFromOne

from . import counting

__all__ = ["FromOne", "Package", "counted", "cudnn", "inn", "nn", "nngraph", "optim", "python"]


class FromOne:
    """An object of this package that counts from one, as Lua programs know it.

    ``forward``, ``get``, ``index`` and whatever else it has are Torch7's; see `pytorch_legacy.lua.counting`.
    """

    __slots__ = ("_thing",)

    def __init__(self, thing: Any) -> None:
        object.__setattr__(self, "_thing", thing)

    def __getattr__(self, name: str) -> Any:
        thing = self._thing
        if any(isinstance(getattr(where, name, None), (FunctionType, MethodType)) for where in (type(thing), thing)):
            return _method(thing, name)
        return counted(counting.read(thing, name))

    def __setattr__(self, name: str, value: Any) -> None:
        counting.write(self._thing, name, python(value))

    def __call__(self, *arguments: Any) -> Any:
        return counted(counting.call(self._thing, "__call__", *map(python, arguments)))

    def __neg__(self) -> Any:
        return counted(-self._thing)

    def __sub__(self, other: Any) -> Any:
        return counted(self._thing - python(other))

    def __rsub__(self, other: Any) -> Any:
        return counted(python(other) - self._thing)

    def __len__(self) -> int:
        return len(self._thing)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FromOne) and self._thing is other._thing

    def __hash__(self) -> int:
        return hash(id(self._thing))

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._thing) if name[:1] != "_"]

    def __repr__(self) -> str:
        return repr(self._thing)

    def __str__(self) -> str:
        return repr(self._thing)  # Torch7's picture, which counts from one


class Class:
    """A class of this package that counts from one: ``nn.Narrow(1, 2, 3)``, ``nn.Narrow.updateOutput(layer, x)``."""

    __slots__ = ("_class",)

    def __init__(self, cls: type[Any]) -> None:
        object.__setattr__(self, "_class", cls)

    def __call__(self, *arguments: Any, **names: Any) -> Any:
        names = {name: python(value) for name, value in names.items()}
        return counted(counting.construct(self._class, [python(value) for value in arguments], names))

    def __getattr__(self, name: str) -> Any:
        found = None if name[:1] == "_" else inspect.getattr_static(self._class, name, None)
        if isinstance(found, FunctionType):
            return _unbound(found)
        if found is None:
            raise AttributeError(f"{self._class._typename}: has no attribute {name!r}")
        return counted(getattr(self._class, name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._class, name, python(value))

    def __repr__(self) -> str:
        return f"<class {self._class._typename}, which counts from one>"


class Package:
    """A package of Torch7, such as ``nn``, whose classes and functions count from one.

    Parameters
    ----------
    name : str
        Its name in Torch7.
    module : str
        The module with its functions, which may have packages of its own, as ``nn.tables``.
    """

    def __init__(self, name: str, module: str) -> None:
        vars(self).update(_name=name, _module=module)

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(name)
        cls = find_class(f"{self._name}.{name}") if self._name in _SPACES else None
        found = getattr(import_module(self._module), name, None) if cls is None else cls
        if isinstance(found, type) and issubclass(found, Object):
            return Class(found)
        if isinstance(found, ModuleType) and found.__name__.startswith(f"{self._module}."):
            return Package(f"{self._name}.{name}", found.__name__)
        if isinstance(found, FunctionType) and found.__module__.startswith("pytorch_legacy."):
            return _function(import_module(self._module), name)
        if isinstance(found, (bool, int, float, str)):
            return found
        raise AttributeError(f"{self._name}: has no {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(import_module(self._module), name, python(value))

    def __dir__(self) -> list[str]:
        names = list_names(self._name) if self._name in _SPACES else []
        return sorted({*names, *(name for name in getattr(import_module(self._module), "__all__", ()) if name[:1] != "_")})

    def __repr__(self) -> str:
        return f"<{self._name}, which counts from one>"


_SPACES = frozenset(space for spaces in PACKAGES.values() for space in spaces)

nn = Package("nn", "pytorch_legacy.nn")
nngraph = Package("nngraph", "pytorch_legacy.nngraph")
cudnn = Package("cudnn", "pytorch_legacy.cudnn")
inn = Package("inn", "pytorch_legacy.inn")
optim = Package("optim", "pytorch_legacy.optim")


def counted(value: Any) -> Any:
    """Returns an object as one that counts from one; tables entry by entry."""
    if isinstance(value, Object):
        return FromOne(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(map(counted, value))
    if isinstance(value, dict):
        return {key: counted(entry) for key, entry in value.items()}
    return value


def python(value: Any) -> Any:
    """Returns the object behind one that counts from one; tables entry by entry, and functions so that they get such objects."""
    if isinstance(value, FromOne):
        return value._thing
    if isinstance(value, Class):
        return value._class
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(map(python, value))
    if isinstance(value, dict):
        return {key: python(entry) for key, entry in value.items()}
    return _callback(value) if isinstance(value, FunctionType) else value


def _callback(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that counts from one, as this package calls it."""

    @wraps(function)
    def called(*arguments: Any) -> Any:
        with countingFromOne():
            return python(function(*map(counted, arguments)))

    return called


def _method(thing: Any, name: str) -> Callable[..., Any]:
    def method(*arguments: Any, **names: Any) -> Any:
        names = {key: python(value) for key, value in names.items()}
        return _shown(counting.call(thing, name, *map(python, arguments), **names))

    method.__name__ = name
    method.__doc__ = getattr(getattr(thing, name, None), "__doc__", None)
    return method


def _unbound(function: FunctionType) -> Callable[..., Any]:
    @wraps(function)
    def method(thing: FromOne, *arguments: Any) -> Any:
        return _shown(counting.invoke(thing._thing, function, *map(python, arguments)))

    return method


def _function(module: ModuleType, name: str) -> Callable[..., Any]:
    @wraps(getattr(module, name))
    def function(*arguments: Any, **names: Any) -> Any:
        names = {key: python(value) for key, value in names.items()}
        return _shown(counting.call(module, name, *map(python, arguments), **names))

    return function


def _shown(result: Any) -> Any:
    """A result; an iterator of objects becomes a list."""
    return counted(list(result) if isinstance(result, Iterator) else result)
