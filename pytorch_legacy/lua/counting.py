"""Objects of this package called as Lua programs call them: what Torch7 counts from one counts from one.

The classes say what counts (`pytorch_legacy.Lua`, beside ``_file``); here it is done. Values on both sides are Python's: arrays,
lists and dicts, objects, and numbers, of which those that are whole become integers for arguments that are integers. This is the
interface of `pytorch_legacy.lua.nn`, and of whatever else shows modules to programs that count from one:

=========================== ======================================================================================
``construct(cls, ...)``     an object, from Torch7's arguments in Torch7's order; surplus ones are ignored
``call(thing, name, ...)``  what a method returns, ``forward`` and ``backward`` included
``initialize(cls, t, ...)`` what the constructor does with an object `t` of a derived class
``invoke(thing, f, ...)``   the same for a function that is at hand: a method of a class, called with an object
``answer(thing, n, f, a)``  what a function `f` in the place of the method `n` returns, as Python has it
``values(thing, name, r)``  the result `r` of a method as Lua has it: one value, or a tuple of none or several
``read(thing, name)``       a field, by the name that it has in Torch7
``write(thing, name, v)``   the same, set
=========================== ======================================================================================

>>> from pytorch_legacy import nn
>>> from pytorch_legacy.lua import counting
>>> rows = counting.construct(nn.Narrow, (1, 2, 3))
>>> rows.dimension, rows.index, counting.read(rows, "dimension"), counting.read(rows, "index")
(0, 1, 1, 2)
>>> net = nn.Sequential(nn.LookupTable(4, 2), rows)
>>> counting.call(net, "get", 2) is rows
True
>>> counting.call(net, "forward", np.array([1, 2, 3, 4])).shape  # words 1 to 4
(3, 2)

A call lets the passes of its thread count from one while it runs (`pytorch_legacy.objects.counting`): layers with indices convert
them themselves, wherever they stand in a network. So a layer that is written in Lua gets the indices of its program. Its passes
are functions with the attribute ``countsFromOne``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter
from types import FunctionType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np

from pytorch_legacy.errors import THNNError
from pytorch_legacy.files.counting import Kind, Lua, fromOne, toOne
from pytorch_legacy.objects import Object
from pytorch_legacy.objects.counting import PASSES, callFromOne

__all__ = [
    "argumentKinds", "attribute", "call", "construct", "declaration", "fieldKinds", "initialize", "invoke", "methodKinds", "read",
    "values", "write",
]  # fmt: skip

MISSING: Any = object()


def construct(cls: Any, arguments: Sequence[Any], names: Mapping[str, Any] | None = None) -> Any:
    """Returns an object of a class for the arguments that Torch7's constructor takes.

    Parameters
    ----------
    cls : type
        A class of this package, or one derived from it.
    arguments : sequence
        Torch7's arguments in Torch7's order; None is nil. Those that are too many are ignored.
    names : dict, optional
        Arguments by the names that they have here.
    """
    given, named = _constructorArguments(cls, arguments, names or {})
    return cls(*given, **named)


def initialize(cls: Any, thing: Any, arguments: Sequence[Any]) -> None:
    """Calls the constructor of a class for an object of a derived one, as `construct` does."""
    given, named = _constructorArguments(cls, arguments, {})
    cls.__init__(thing, *given, **named)


def _constructorArguments(cls: Any, arguments: Sequence[Any], names: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments by position and by name for what a constructor of Torch7 got."""
    kinds = argumentKinds(cls)
    if declaration(cls).isNamed and len(arguments) == 1 and isinstance(arguments[0], Mapping):
        names = {**arguments[0], **names}
        arguments = []
    order = _order(cls, len(arguments))
    where = f"{cls._typename}: "
    given: dict[str, Any] = {}
    rest: list[Any] = []
    for place, value in enumerate(arguments):
        if place < len(order.names):
            given[order.names[place]] = fromOne(value, kinds.get(order.names[place]), f"{where}{order.names[place]}: ")
        elif order.others:
            rest.append(fromOne(value, kinds.get(order.others), f"{where}{order.others}: "))
    for name, value in names.items():
        given[name] = fromOne(value, kinds.get(name), f"{where}{name}: ")
    if rest:
        while rest and rest[-1] is None:
            rest.pop()
        return [*(given.pop(name, None) for name in order.names), *map(_wholes, rest)], given
    return [], {name: _wholes(value) for name, value in given.items() if value is not None or name in order.required}


def call(thing: Any, name: str, *arguments: Any, **names: Any) -> Any:
    """Returns the result of a method of an object, called with what counts from one.

    Surplus arguments are ignored, and None stands for a default.

    Raises
    ------
    AttributeError
        If there is no such method, or its name begins with an underscore.
    """
    method = None if name[:1] == "_" and name != "__call__" else getattr(thing, name, None)
    if not callable(method):
        raise AttributeError(f"{_named(thing)}: has no method {name!r}")
    return _invoke(thing, method, name, arguments, names)


def invoke(thing: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """As `call`, for a function of a class, whose first argument is `thing`: ``nn.Linear.updateOutput(self, x)`` in Lua."""
    return _invoke(thing, function.__get__(thing), function.__name__, arguments, {})


def answer(thing: Any, name: str, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """The inverse of `call`: returns what a function that counts from one gives in the place of a method, which counts from 0.

    What passes count is converted by their class (`pytorch_legacy.objects.counting`).
    """
    method = None if name in PASSES or name[:1] == "_" else _replaced(type(thing), name)
    if method is None:
        return function(*arguments)
    plan: _Plan = _kept(type(thing), (name, method), lambda: _Plan(thing, method, name, True))
    kinds = (*plan.kinds, *[plan.named.get(plan.others)] * len(arguments))
    result = function(*[toOne(value, kind) for value, kind in zip(arguments, kinds, strict=False)])
    return fromOne(result, plan.result, f"{_named(thing)}: {name}: ") if plan.result else result


def _replaced(cls: Any, name: str) -> Any:
    """The method of Python that a function of a program stands in for; None if there is none."""
    methods = (vars(base).get(name) for base in cls.__mro__)
    return next((one for one in methods if isinstance(one, FunctionType) and not hasattr(one, "luaFunction")), None)


def values(thing: Any, name: str, result: Any) -> Any:
    """The result of a method in the form that functions of Lua have: one value, or a tuple of none or of several."""
    wanted = declaration(thing).returns.get(name)
    if wanted == 0:
        return ()
    if wanted == "each":
        return tuple(result)
    return result


def read(thing: Any, name: str) -> Any:
    """A field of an object, by Torch7's name, counted as there.

    Raises
    ------
    AttributeError
        If there is none, if its name begins with an underscore, or if it is a method.
    """
    found = attribute(thing, name)
    value = getattr(thing, found, MISSING) if found else MISSING
    if value is MISSING or (inspect.ismethod(value) and value.__self__ is thing):
        raise AttributeError(f"{_named(thing)}: has no field {name!r}")
    kind = _fieldKind(thing, found)
    return thing._toTorch7().get(name) if kind == "stored" else toOne(value, kind)


def write(thing: Any, name: str, value: Any) -> None:
    """Sets a field of an object, by Torch7's name, to what counts as there. Any name will do that is not the package's own."""
    found = attribute(thing, name)
    if not found:
        raise AttributeError(f"{_named(thing)}: {name}: names that begin with an underscore are the package's own")
    kind = _fieldKind(thing, found)
    if kind == "stored":
        thing._fromTorch7(thing._toTorch7() | {name: value}, thing._version or 1)
    else:
        setattr(thing, found, fromOne(value, kind, f"{_named(thing)}: {name}: "))


def declaration(thing: Any) -> Lua:
    """Returns the declaration of an object or a class; a module of functions has one as ``_lua``, too."""
    found: Any = getattr(thing, "_counts", None) or getattr(thing, "_lua", None)
    return found if isinstance(found, Lua) else _NONE


_NONE = Lua()


# ---------------------------------------------------------------------------------------------- arguments


class _Order:
    """Names of a function's arguments in order: those by position, the one that takes the rest, and those without a default."""

    def __init__(self, function: Any, wanted: tuple[str, ...] | None) -> None:
        try:
            parameters = [*inspect.signature(function, eval_str=True).parameters.values()]
        except Exception:  # annotations whose names are imported for type checkers alone
            parameters = [*inspect.signature(function).parameters.values()]
        byPosition = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.POSITIONAL_ONLY)
        self.names = tuple(p.name for p in parameters if p.kind in byPosition) if wanted is None else wanted
        rest = [p for p in parameters if p.kind is Parameter.VAR_POSITIONAL and wanted is None and not _isModule(p.annotation)]
        self.others = rest[0].name if rest else ""  # containers are filled by ``add`` in Lua
        self.required = frozenset(p.name for p in parameters if p.kind in byPosition and p.default is Parameter.empty)
        self.defaults = {p.name: p.default for p in parameters if p.default is not Parameter.empty}
        self.integers = frozenset(p.name for p in parameters if _isInteger(p.annotation))


def _isModule(hint: Any) -> bool:
    return getattr(hint, "__name__", hint) == "Module"


def _isInteger(hint: Any) -> bool:
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return "int" in (hint, *kinds) or (int in kinds and {*kinds} <= {int, NoneType, str})


def _order(cls: Any, count: int) -> _Order:
    """The arguments of a constructor that gets so many."""
    wanted = declaration(cls).order
    least = 0
    if isinstance(wanted, Mapping):
        least = max(number for number in wanted if number <= count)
        wanted = wanted[least]
    return _kept(cls, ("__init__", least), lambda: _Order(cls, wanted))  # type: ignore[no-any-return]


def argumentKinds(cls: Any) -> dict[str, Kind]:
    """The kinds of a constructor's arguments: those that are declared, and those of fields that have their names."""
    return {**fieldKinds(cls), **declaration(cls).arguments}


def methodKinds(cls: Any, name: str) -> dict[str, Kind]:
    """The kinds of a method's arguments, as those of a constructor's."""
    return {**fieldKinds(cls), **declaration(cls).methods.get(name, {})}


class _Plan:
    """The arguments of a method by their places: names, kinds, defaults, and which are integers."""

    def __init__(self, thing: Any, function: Any, name: str, isMethod: bool) -> None:
        order = _Order(function, None)
        lua = declaration(thing)
        self.named = methodKinds(type(thing), name) if isinstance(thing, Object) else dict(lua.methods.get(name, {}))
        self.names = order.names[1:] if isMethod else order.names
        self.others = order.others
        self.kinds = [self.named.get(argument) for argument in self.names]
        self.defaults = [order.defaults.get(argument, MISSING) for argument in self.names]
        self.integers = [argument in order.integers for argument in self.names]
        self.result = lua.results.get(name)
        self.isVariadic = name in (lua.variadic or ())
        self.isPlain = not any(self.kinds) and not any(self.integers) and not self.others

    def fit(self, arguments: Sequence[Any], where: str) -> Sequence[Any]:
        """Returns the arguments as the method takes them: without those that are too many, and counted from 0."""
        count = len(self.names)
        if self.isVariadic:
            return ([*arguments],)
        if self.isPlain and len(arguments) <= count and not any(value is None for value in arguments):
            return arguments
        given = []
        for place, value in enumerate(arguments[:count]):
            if value is None and self.defaults[place] is not MISSING:
                value = self.defaults[place]
            elif self.kinds[place]:
                value = fromOne(value, self.kinds[place], f"{where}{self.names[place]}: ")
            given.append(_whole(value) if self.integers[place] else value)
        if self.others:
            kind = self.named.get(self.others)
            given += [_whole(fromOne(value, kind, f"{where}{self.others}: ")) for value in arguments[count:]]
        return given


def _invoke(thing: Any, method: Callable[..., Any], name: str, arguments: Sequence[Any], names: Mapping[str, Any]) -> Any:
    function = getattr(method, "__func__", method)
    owner = type(thing) if isinstance(thing, Object) else thing
    plan: _Plan = _kept(owner, (name, function), lambda: _Plan(thing, function, name, function is not method))
    where = f"{_named(thing)}: {name}: "
    given = plan.fit(arguments, where)
    if names:
        names = {key: fromOne(value, plan.named.get(key), f"{where}{key}: ") for key, value in names.items()}
    try:
        result = callFromOne(method, given, names)
    except (IndexError, THNNError) as error:
        _explain(thing, error)
        raise
    return toOne(result, plan.result) if plan.result else result


def _kept(owner: Any, key: Any, make: Callable[[], Any]) -> Any:
    """Returns what is computed once for a class, or a module of functions, and kept with it."""
    kept = owner.__dict__.get("_callPlans")
    if kept is None:
        kept = {}
        owner._callPlans = kept
    found = kept.get(key)
    if found is None:
        found = kept[key] = make()
    return found


def _explain(thing: Any, error: Exception) -> None:
    """An error counts as Lua. If the class of an author declares nothing, an error of an index says that it counts from 0."""
    isOurs = type(thing).__module__.startswith("pytorch_legacy.")
    isOfIndex = isinstance(error, IndexError)
    if isOfIndex and isinstance(thing, Object) and not isOurs and not any(vars(base).get("_lua") for base in _own(type(thing))):
        text = f"{type(thing).__name__} declares nothing as _lua = pl.Lua(...), and counts from 0"
        if text not in str(error):
            error.args = (f"{error.args[0]}; {text}" if error.args else text,)
    elif isinstance(error, THNNError):
        error.count_from_one()


def _own(cls: type[Any]) -> list[type[Any]]:
    """Returns the classes of an author."""
    return [base for base in cls.__mro__ if not base.__module__.startswith("pytorch_legacy.")]


def _whole(value: Any) -> Any:
    """A float without a fraction as an integer, which is what Lua means by it."""
    return int(value) if isinstance(value, (float, np.floating)) and float(value).is_integer() else value


def _wholes(value: Any) -> Any:
    """The whole numbers in lists and dicts as integers: sizes of a constructor."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_wholes, value))
    if isinstance(value, dict):
        return {_whole(key): _wholes(entry) for key, entry in value.items()}
    return _whole(value)


# ---------------------------------------------------------------------------------------------- fields


def attribute(thing: Any, name: str) -> str:
    """The attribute that has a field of Torch7's; "" for what is the package's own."""
    if not isinstance(thing, Object):
        return "" if name[:1] == "_" else name
    for own, field in thing._form.renamed.items():
        if field == name:
            return str(own)
    isPrivate = name[:1] == "_" and name != "_type" and name not in declaration(thing).fields
    return "" if isPrivate else name


def isByStep(thing: Any, attribute: str) -> bool:
    """True for a field that is a dict whose keys count."""
    return thing.__dict__.get(attribute).__class__ is dict and _fieldKind(thing, attribute) == "keys"


def _fieldKind(thing: Any, attribute: str) -> Kind:
    kinds = fieldKinds(type(thing)) if isinstance(thing, Object) else declaration(thing).fields
    return kinds.get(attribute)


def fieldKinds(cls: Any) -> dict[str, Kind]:
    """The kinds of fields: those that count in files, and those that are declared. A leading underscore is no part of a name."""
    return _kept(cls, "fields", lambda: _fieldKinds(cls))  # type: ignore[no-any-return]


def _fieldKinds(cls: Any) -> dict[str, Kind]:
    form = cls._form
    names: dict[str, Kind] = {**dict.fromkeys(form.oneBased, "positions"), **dict.fromkeys(form.oneBasedTensors, "indices")}
    names |= {name.removeprefix("_"): kind for name, kind in names.items()}
    return {**names, **declaration(cls).fields}


def _named(thing: Any) -> str:
    return str(getattr(thing, "_typename", None) or getattr(thing, "__name__", type(thing).__name__))
