"""The library ``torch`` of a session: its classes get their methods, and the table its functions."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..language.arguments import MISSING
from ..language.errors import raise_error
from ..language.state import State
from ..language.table import Table
from . import (
    algebra,
    conversions,
    convolutions,
    creation,
    draws,
    files,
    generators,
    ordering,
    pointwise,
    printing,
    products,
    reductions,
    registry,
    selection,
    storages,
    streams,
    system,
    views,
)
from .indexing import index, index_storage, newindex, newindex_storage
from .signatures import Form, function, in_place, method, shown
from .tensor import Tensor, Types
from .values import shape_of, size_storage

FORMS: dict[str, tuple[Form, ...]] = {}
for _module in (pointwise, reductions, products, selection, ordering, convolutions, algebra, creation, draws):
    FORMS |= _module.FORMS
_PLURAL = ("apply", "map", "map2", "copy")  # methods that are no functions of torch


def _length(x: Any = MISSING, *_: Any) -> Any:
    x = views.tensor(x, 1, "#")
    return size_storage(x.types, shape_of(x))


def _itself(x: Any = None, *_: Any) -> Any:
    return x


def _tensor_methods(types: Types) -> dict[str, Any]:
    found: dict[str, Any] = {name: method(name, own) for name, own in FORMS.items()}
    found |= {name: in_place(compute, found[name]) for name, compute in pointwise.IN_PLACE.items()}
    for name, make in creation.RANGES.items():
        found[name] = method(name, make(types))
    found |= {name: make(types) for name, make in creation.OF_SIZES.items()}
    found |= {**draws.METHODS, **views.METHODS, **conversions.METHODS, **pointwise.OPERATORS, "cat": creation.cat(types)}
    found |= {"retain": _itself, "free": _itself}
    found |= {"__index": index, "__newindex": newindex, "__tostring": printing.tensor_text, "__len": _length}
    return found | {"__tostring__": printing.tensor_text, "__len__": _length, "__index__": index, "__newindex__": newindex}


def _constructor(state: State, kind: Any) -> tuple[Any, Any]:
    """Returns what a call of a constructor does, and ``x.new``, which has no x as its own."""
    from_file = state.outside("torch", {"Storage(file)": creation.mapped})["Storage(file)"]
    construct: Any = creation.construct if issubclass(kind, Tensor) else partial(creation.construct_storage, from_file=from_file)
    return lambda _=None, *arguments: construct(kind, arguments), lambda *arguments: construct(kind, arguments)


def _open_classes(state: State, types: Types, torch: dict[str, Any]) -> None:
    """Fills the metatables of tensors and storages, and makes their constructors."""
    methods = _tensor_methods(types)
    ofStorages = {**storages.METHODS, "__index": index_storage, "__newindex": newindex_storage, "__len": storages.size}
    ofStorages |= {"__tostring": printing.storage_text, "__tostring__": printing.storage_text}
    for name, kind in types.names.items():
        metatable = types.metatable(name)
        metatable.__dict__.update(methods if issubclass(kind, Tensor) else ofStorages)
        called, metatable.__dict__["new"] = _constructor(state, kind)
        torch[name.removeprefix("torch.")] = registry.constructor_of(metatable, called)


def _functions(types: Types) -> dict[str, Any]:
    found: dict[str, Any] = {name: function(name, own, types) for name, own in FORMS.items() if name not in _PLURAL}
    for name, make in creation.RANGES.items():
        found[name] = function(name, make(types), types)
    found |= {name: make(types) for name, make in creation.OF_SIZES.items()}
    found |= {name: views.METHODS[name] for name in views.FUNCTIONS} | {"clone": conversions.clone}
    return found | {**draws.functions(types), "cat": creation.cat(types), **generators.functions(types)}


def _defaults(types: Types, torch: Table) -> dict[str, Any]:
    def setdefaulttensortype(name: Any = MISSING, *_: Any) -> tuple[()]:
        kind = types.names.get(name) if name.__class__ is str else None
        if kind is None or not issubclass(kind, Tensor):
            raise_error(f"bad argument #1 to 'setdefaulttensortype' (expected the name of a tensor's class, got {shown(name)})")
        types.default = kind
        short = kind.name.removeprefix("torch.")
        torch.__dict__["Tensor"] = torch.__dict__[short]
        torch.__dict__["Storage"] = torch.__dict__[short.replace("Tensor", "Storage")]
        return ()

    def getdefaulttensortype(*_: Any) -> str:
        return types.default.name

    return {"setdefaulttensortype": setdefaulttensortype, "getdefaulttensortype": getdefaulttensortype}


def library(state: State) -> Table:
    """Returns the table ``torch`` of a state, whose `Types` are ``state.types`` from then on."""
    types = state.types = Types()
    torch = Table()
    names = torch.__dict__
    _open_classes(state, types, names)
    names.update(_functions(types))
    names.update(files.functions(state))
    names.update(streams.functions(state, types))
    names.update(registry.functions(state, types))
    names.update(system.functions(state, types, torch))
    names.update(_defaults(types, torch))
    for name in types.names:
        types.metatable(name).__dict__["isTensor"] = names["isTensor"]
    names["setdefaulttensortype"](types.default.name)
    names["Version"] = "7"
    debug = state.globals.debug
    if isinstance(debug, Table):
        debug.__dict__["getregistry"] = lambda *_: types.registry
    return torch
