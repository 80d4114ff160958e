"""Copies of tensors, and tensors of other types."""

from __future__ import annotations

from typing import Any

from ..language.arguments import MISSING
from ..language.errors import raise_error
from .memory import check, check_copy
from .signatures import described
from .tensor import Array, Tensor
from .values import cast
from .views import tensor


def _copied(array: Array) -> Array:
    check_copy(array)
    return array.copy()


def _converted(array: Array, kind: type[Tensor]) -> Array:
    check(array.shape, max(kind.dtype.itemsize, 8))
    return cast(array, kind.dtype)


def clone(x: Any = MISSING, *_: Any) -> Tensor:
    x = tensor(x, 1, "clone")
    return x.__class__(_copied(x.array))


def contiguous_(x: Any = MISSING, *_: Any) -> Tensor:
    x = tensor(x, 1, "contiguous")
    return x if x.array.flags.c_contiguous else x.__class__(_copied(x.array))


def type_(x: Any = MISSING, name: Any = None, *_: Any) -> Any:
    x = tensor(x, 1, "type")
    if name is None:
        return x.name
    kind = x.types.names.get(name) if name.__class__ is str else None
    if kind is None or not issubclass(kind, Tensor):
        raise_error(f"bad argument #2 to 'type' (expected the name of a tensor's class, got {described(name)})")
    return x if kind is x.__class__ else kind(_converted(x.array, kind))


def typeAs(x: Any = MISSING, other: Any = MISSING, *_: Any) -> Tensor:
    kind = tensor(other, 2, "typeAs").__class__
    x = tensor(x, 1, "typeAs")
    return x if kind is x.__class__ else kind(_converted(x.array, kind))


def real(x: Any = MISSING, *_: Any) -> Tensor:
    x = tensor(x, 1, "real")
    found: Tensor = type_(x, x.types.default.name)
    return found


def _converter(word: str) -> Any:
    def converted(x: Any = MISSING, *_: Any) -> Any:
        return type_(x, f"torch.{word}Tensor")

    return converted


METHODS: dict[str, Any] = {
    **{"clone": clone, "contiguous": contiguous_, "type": type_, "typeAs": typeAs, "real": real},
    **{word.lower(): _converter(word) for word in ("Byte", "Char", "Short", "Int", "Long", "Float", "Double", "Half")},
}
