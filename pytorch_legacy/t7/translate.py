"""The quick way to read a file: C makes a pickle of it, and Python's unpickler makes the objects.

It takes ordinary files only, and is left out where the library is not built: then, and for whatever is wrong with a file,
the parser in Python does the work and says what it found.
"""

from __future__ import annotations

import ctypes
import gc
import io
import os
import pickle
import struct
import sys
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..storage import TENSOR_TYPES
from . import layouts
from .binary import BinarySource, Buffer
from .nodes import Node
from .objects import IdentityKey, ObjectFactory, Storage, TorchObject
from .parse import parse
from .tensors import tensor_view

_DTYPES = tuple(TENSOR_TYPES.values())
_HEAD = 11  # protocol, and length of all that follows
_OBJECT, _PAIR, _TENSOR, _STORAGE, _HASH, _VECTOR, _REFUSED = range(7)
_NAME = {"darwin": "libt7.dylib"}.get(sys.platform, "libt7.so")


class _Class(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
        ("itemsize", ctypes.c_int32),
    ]


def _classes() -> list[_Class]:
    """All classes that are no ordinary objects."""
    rows = [(name, _TENSOR, dtype) for name, dtype in layouts.TENSORS.items()]
    rows += [(name, _STORAGE, dtype) for name, dtype in layouts.STORAGES.items()]
    rows.sort(key=lambda row: row[0] not in ("torch.FloatTensor", "torch.FloatStorage"))  # the most frequent ones first
    made = [_Class(name.encode(), kind, _DTYPES.index(dtype), dtype.itemsize) for name, kind, dtype in rows]
    others = {_HASH: layouts.HASHES, _VECTOR: layouts.VECTORS, _PAIR: ("nn.GPU",)}
    others[_REFUSED] = (layouts.GENERATOR, layouts.COUNTER, "torch.Timer", "nn.DataParallelTable")
    return made + [_Class(name.encode(), kind, 0, 0) for kind, names in others.items() for name in sorted(names)]


@cache
def _library() -> tuple[Any, Any, int] | None:
    path = os.environ.get("PYTORCH_LEGACY_T7") or str(Path(__file__).resolve().parent.parent / "lib" / _NAME)
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    library.t7_free.argtypes = [ctypes.c_void_p]
    library.t7_free.restype = None
    table = _classes()
    return library, (_Class * len(table))(*table), len(table)


def quick(buffer: Buffer, factory: ObjectFactory | None) -> list[Any]:
    """The object of an ordinary file in a list, or an empty list: then the parser has to look at it."""
    pickled = _translated(buffer, factory is not None)
    if pickled is None:
        return []
    # Every object is in use: there is nothing to collect, and looking for it takes longer than all the rest.
    isCollecting = gc.isenabled()
    gc.disable()
    try:
        value, fillings = _unpickled(pickled, buffer, factory)
        places = _Places(buffer)
        for instance, typename, version, offset, body in fillings:
            record = TorchObject(typename, version, body[-1], body[0] if len(body) == 2 else None)
            factory.fill(instance, record, _Place(places, offset))  # type: ignore[union-attr]
    except Exception:
        return []  # it happens again to the parser, which knows where
    finally:
        if isCollecting:
            gc.enable()
    return [value]


class _Places:
    """The nodes of the file by their offsets, found by parsing it when the first is asked for."""

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer

    @cached_property
    def nodes(self) -> dict[int, Node]:
        finished: list[Node] = []
        parse(BinarySource(self.buffer, "<", 8), {}, finished)
        return {node.offset: node for node in finished}


class _Place:
    """Path of the object at an offset."""

    __slots__ = ("offset", "places")

    def __init__(self, places: _Places, offset: int) -> None:
        self.places = places
        self.offset = offset

    def __str__(self) -> str:
        return str(self.places.nodes[self.offset])


def _translated(buffer: Buffer, hasFactory: bool) -> bytes | None:
    """The pickle of a file, None if it is not an ordinary one."""
    found = _library()
    if found is None or sys.byteorder != "little" or not len(buffer):
        return None
    library, classes, count = found
    content = (ctypes.c_char * len(buffer)).from_buffer(buffer)
    pickled, length = ctypes.c_void_p(), ctypes.c_size_t()
    arguments = ctypes.c_size_t(len(buffer)), classes, count, int(hasFactory), ctypes.byref(pickled), ctypes.byref(length)
    try:
        if not library.t7_translate(content, *arguments):
            return None
        return ctypes.string_at((pickled.value or 0) + _HEAD, length.value - _HEAD)
    finally:
        del content  # a mapped file cannot be closed meanwhile
        library.t7_free(pickled)


class _File:
    """What the unpickler reads from: it asks for the head in pieces, for all the rest at once, and no copy is made."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.head = io.BytesIO(b"\x80\x04\x95" + struct.pack("<Q", len(body)))

    def read(self, size: int) -> bytes:
        return self.head.read(size) or self.body

    def readline(self) -> bytes:
        raise pickle.UnpicklingError("there are no lines")


class _Unpickler(pickle.Unpickler):
    """Finds nothing but what it was given."""

    given: list[Any]

    def persistent_load(self, number: int) -> Any:
        return self.given[number]

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name}")


Filling = tuple[Any, str, int, int, list[Any]]


def _unpickled(pickled: bytes, buffer: Buffer, factory: ObjectFactory | None) -> tuple[Any, list[Filling]]:
    """The object, and what is still to be filled by the factory: instance, typename, version, offset, body."""
    fillings: list[Filling] = []

    def make(typename: str, version: int) -> Any:
        made = factory.create(typename, version)  # type: ignore[union-attr]
        return TorchObject(typename, version) if made is None else made

    def close(instance: Any, typename: str, version: int, offset: int, *body: Any) -> None:
        if isinstance(instance, TorchObject):
            instance.fields, instance.header = body[-1], body[0] if len(body) == 2 else None
        else:
            fillings.append((instance, typename, version, offset, list(body)))

    reader = _Unpickler(_File(pickled))
    reader.given = [
        buffer,
        np.frombuffer,
        np.empty,
        np.ndarray,
        _view,
        _storage,
        TorchObject if factory is None else make,
        close,
        IdentityKey,
        _decoded,
        "typename",
        "version",
        "header",
        "fields",
        *_DTYPES,
    ]
    return reader.load(), fillings


def _view(storage: Any, dtype: Any, offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> Any:
    return tensor_view(storage, dtype, offset, size, stride)


def _storage(elements: Any) -> Storage:
    return elements.view(Storage)  # type: ignore[no-any-return]


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
