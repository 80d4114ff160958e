"""Methods of storages."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..language.arguments import MISSING
from ..language.errors import raise_error
from .signatures import described
from .tensor import Storage
from .values import cast, count, integer, scalar
from .views import totable


def _storage(value: Any, name: str) -> Storage:
    if not isinstance(value, Storage):
        got = "no value" if value is MISSING else described(value)
        raise_error(f"bad argument #1 to '{name}' (Storage expected, got {got})")
    return value  # type: ignore[no-any-return]


def size(storage: Any = MISSING, *_: Any) -> float:
    return float(_storage(storage, "size").vector.size)


def elementSize(storage: Any = MISSING, *_: Any) -> float:
    return float(_storage(storage, "elementSize").dtype.itemsize)


def fill(storage: Any = MISSING, value: Any = MISSING, *_: Any) -> Storage:
    storage = _storage(storage, "fill")
    if value.__class__ is not float:
        raise_error(f"bad argument #2 to 'fill' (number expected, got {described(value)})")
    storage.vector.fill(scalar(storage.dtype, value))
    return storage


def copy(storage: Any = MISSING, source: Any = MISSING, *_: Any) -> Storage:
    storage, source = _storage(storage, "copy"), _storage(source, "copy")
    if storage.vector.size != source.vector.size:
        raise_error("bad argument #2 to 'copy' (size mismatch)")
    storage.vector[...] = cast(source.vector, storage.dtype)
    return storage


def resize(storage: Any = MISSING, n: Any = MISSING, *_: Any) -> Storage:
    storage, length = _storage(storage, "resize"), integer(n, "resize")
    if length < 0:
        raise_error("bad argument #2 to 'resize' (the size has to be 0 or more)")
    count((length,))
    storage.resize(length)
    return storage


def string(storage: Any = MISSING, text: Any = None, *_: Any) -> Any:
    """Returns the bytes as a string, or takes those of a string."""
    storage = _storage(storage, "string")
    if storage.dtype.itemsize != 1:
        raise_error("only ByteStorage and CharStorage have 'string'")
    if text is None:
        return storage.vector.tobytes().decode("latin-1")
    if text.__class__ is not str:
        raise_error(f"bad argument #2 to 'string' (string expected, got {described(text)})")
    storage.resize(len(text))
    storage.vector[...] = np.frombuffer(text.encode("latin-1"), storage.dtype)
    return storage


def type_(storage: Any = MISSING, name: Any = None, *_: Any) -> Any:
    storage = _storage(storage, "type")
    if name is None:
        return storage.name
    kind = storage.types.names.get(name) if name.__class__ is str else None
    if kind is None or not issubclass(kind, Storage):
        raise_error(f"bad argument #2 to 'type' (expected the name of a storage's class, got {described(name)})")
    return storage if kind is storage.__class__ else kind(cast(storage.vector, kind.dtype))


def _converter(word: str) -> Any:
    def converted(storage: Any = MISSING, *_: Any) -> Any:
        return type_(storage, f"torch.{word}Storage")

    return converted


METHODS: dict[str, Any] = {
    **{"size": size, "elementSize": elementSize, "fill": fill, "copy": copy, "resize": resize, "string": string},
    **{"type": type_, "totable": totable},
    **{word.lower(): _converter(word) for word in ("Byte", "Char", "Short", "Int", "Long", "Float", "Double", "Half")},
}
