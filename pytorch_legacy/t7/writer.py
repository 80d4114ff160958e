"""Plain Python objects to a .t7 file that Torch7 can read."""

from __future__ import annotations

import io
import os
import secrets
import shutil
from collections.abc import Callable
from typing import Any, BinaryIO, Literal

import numpy as np

from ..errors import T7Error
from ..storage import placement
from . import layouts, nodes
from .ascii import AsciiSink
from .binary import BinarySink
from .nodes import join_path, segment
from .objects import Function, IdentityKey, Storage, TorchObject

Describe = Callable[[Any], TorchObject | None]

_LARGEST_INT = (1 << 31) - 1


def write(
    target: str | os.PathLike[str] | BinaryIO,
    obj: Any,
    format: Literal["binary", "ascii"] = "binary",
    *,
    describe: Describe | None = None,
) -> None:
    """Write an object to a .t7 file.

    What :func:`read` returns can be written, and comes back equal from :func:`read`, with these
    exceptions: an empty list comes back as the empty table ``{}``, a dict with the keys 1..n as a list,
    a tuple as a list, ``bytes`` as ``str``, a boolean array as bytes. A tensor is written with the
    whole storage that it is a view of, as Torch7 does: write ``array.copy()`` to save a slice alone.
    Arrays of size 0 are written as Torch7's empty tensor, arrays that Torch7 has no storage for
    (negative strides, fields of records, foreign byte order) as contiguous copies. What was of a
    Cuda type is written as the type of the CPU.

    Parameters
    ----------
    target : path or binary file
        An existing file is replaced only when the new one is complete. An open file gets everything
        at once, or nothing.
    obj : object
        None, bool, int, float, str, bytes, list, tuple, dict, numpy.ndarray, Storage, TorchObject,
        Function, and nested structures of these. Sharing and cycles are kept.
    format : {"binary", "ascii"}
        Binary files are little endian, with longs of eight bytes.
    describe : function, optional
        Returns the TorchObject that stands for a value of any other type, or None.

    Raises
    ------
    T7Error
        If the object holds something that the format has no place for. Nothing is written then.

    Source: Torch7 ``torch.save``.
    """
    if format not in ("binary", "ascii"):
        raise ValueError(f"t7.write: format: expected 'binary' or 'ascii', got {format!r}")
    if not isinstance(target, (str, os.PathLike)):
        content = io.BytesIO()
        _Writer(content, format, describe).write(obj)
        target.write(content.getbuffer())
        return
    # Through a link, so that it stays one.
    path = os.path.realpath(os.fsdecode(target))
    unfinished = f"{path}.{secrets.token_hex(4)}.tmp"
    try:
        with open(unfinished, "xb", buffering=1 << 20) as file:
            _Writer(file, format, describe).write(obj)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            shutil.copymode(path, unfinished)
        os.replace(unfinished, path)
    except BaseException:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
        raise


class _Refused(Exception):
    """The format has no place for a value."""


class _Body:
    """Objects that are being written one after the other; `slot` counts those that were begun."""

    __slots__ = ("items", "kind", "slot")

    def __init__(self, kind: int, items: list[Any]) -> None:
        self.kind = kind
        self.items = items
        self.slot = 0


class _Writer:
    def __init__(self, file: BinaryIO, format: str, describe: Describe | None) -> None:
        self.sink = BinarySink(file) if format == "binary" else AsciiSink(file)
        self.describe = describe
        # The index of everything that may be referred to: objects by identity, storages by place in memory.
        self.indices: dict[Any, int] = {}
        # An identity is good only as long as its object lives.
        self.kept: list[Any] = []
        # Bodies inside bodies; the innermost goes on, so depth costs memory but no recursion.
        self.stack: list[_Body] = []

    def write(self, obj: Any) -> None:
        self._open(nodes.ROOT, [obj])
        try:
            while self.stack:
                body = self.stack[-1]
                if body.slot == len(body.items):
                    self.stack.pop()
                else:
                    body.slot += 1
                    self._value(body.items[body.slot - 1])
        except _Refused as error:
            parts = [segment(body.kind, body.items, body.slot - 1, len(body.items)) for body in self.stack]
            raise T7Error(f"t7.write: {join_path(['root', *parts])}: {error}") from None

    def _open(self, kind: int, items: list[Any]) -> None:
        self.stack.append(_Body(kind, items))

    def _value(self, value: Any) -> None:
        sink = self.sink
        if value is None:
            sink.int32(layouts.NIL)
        elif isinstance(value, str):
            sink.int32(layouts.STRING)
            self._string(_encoded(value))
        elif isinstance(value, (bool, np.bool_)):
            sink.int32(layouts.BOOLEAN)
            sink.int32(int(value))
        elif isinstance(value, (int, float, np.integer, np.floating)):
            sink.int32(layouts.NUMBER)
            sink.double(_number(value))
        elif isinstance(value, (bytes, bytearray)):
            sink.int32(layouts.STRING)
            self._string(bytes(value))
        elif isinstance(value, (list, tuple)):
            if not self._known(layouts.TABLE, id(value)):
                self._table([item for pair in enumerate(value, 1) for item in pair])
        elif isinstance(value, dict):
            if not self._known(layouts.TABLE, id(value)):
                self._table([item for key, entry in value.items() for item in (_key(key), entry)])
        elif isinstance(value, np.ndarray):
            self._array(value)
        elif isinstance(value, Function):
            if value.form not in (layouts.FUNCTION_OLDEST, layouts.FUNCTION_LEGACY, layouts.FUNCTION):
                raise _Refused(f"expected a function of the form 6, 7 or 8, got {value.form}")
            # The oldest form has no index and so could not be shared; the next one has the same body.
            if not self._known(max(value.form, layouts.FUNCTION_LEGACY), id(value)):
                self._string(value.bytecode)
                self._open(nodes.FUNCTION, [value.upvalues])
        else:
            record = value if isinstance(value, TorchObject) else None
            if record is None and self.describe is not None:
                record = self.describe(value)
            if record is None:
                raise _Refused(f"expected a value that a .t7 file can hold, got {type(value).__name__}")
            if not self._known(layouts.TORCH, id(value)):
                self.kept.append(record)
                self._object(record)

    def _known(self, tag: int, identity: Any) -> bool:
        """Write the tag and the index of an object, and tell whether its body is in the file already."""
        known = identity in self.indices
        self.sink.int32(tag)
        self.sink.int32(self.indices.setdefault(identity, len(self.indices) + 1))
        return known

    def _string(self, content: bytes) -> None:
        if len(content) > _LARGEST_INT:
            raise _Refused(f"expected a string of at most {_LARGEST_INT} bytes, got {len(content)}")
        self.sink.int32(len(content))
        self.sink.raw(content)

    def _class(self, typename: str, version: int) -> None:
        self._string(b"V %d" % version)
        self._string(_encoded(typename))

    def _table(self, items: list[Any]) -> None:
        if len(items) // 2 > _LARGEST_INT:
            raise _Refused(f"expected at most {_LARGEST_INT} entries in a table, got {len(items) // 2}")
        self.sink.int32(len(items) // 2)
        self._open(nodes.TABLE, items)

    def _object(self, record: TorchObject) -> None:
        name, fields = record.typename, record.fields
        if name in layouts.TENSORS or name in layouts.STORAGES:
            raise _Refused(f"expected a numpy.ndarray or a t7.Storage in place of a TorchObject {name}")
        if name in layouts.HASHES or name in layouts.VECTORS:
            raise _Refused(f"expected a dict or a list in place of a TorchObject {name}")
        self._class(name, record.version)
        if name == layouts.GENERATOR:
            size = layouts.GENERATOR_BYTES[8]
            if not isinstance(fields, bytes) or len(fields) != size:
                raise _Refused(f"expected {size} bytes as the fields of a {name}")
            self.sink.raw(fields)
            return
        if name == layouts.COUNTER:
            if not isinstance(fields, int):
                raise _Refused(f"expected an int as the fields of a {name}, got {type(fields).__name__}")
            self.sink.longs([fields])
            return
        objects = layouts.body_objects(name, record.version)
        if (record.header is not None) != (objects == 2):
            raise _Refused(f"a {name} of version {record.version} has {'a' if objects == 2 else 'no'} header")
        self._open(nodes.OBJECT, [record.header, fields][2 - objects :])

    def _array(self, array: np.ndarray[Any, Any]) -> None:
        if isinstance(array, Storage) and array.ndim == 1:
            place = placement(self._storable(array))
            if (place.offset, place.shape, place.strides) == (0, place.storage.shape, (1,)):
                self._storage(place.key, place.storage)
            else:
                self._storage((id(array),), np.ascontiguousarray(self._storable(array)))
            return
        stored = self._storable(array)
        if self._known(layouts.TORCH, id(array)):
            return
        self._class(f"torch.{layouts.NAMES[stored.dtype]}Tensor", 1)
        if stored.size == 0:
            self.sink.int32(0)
            self.sink.longs([1])
            self.sink.int32(layouts.NIL)
            return
        place = placement(stored)
        self.sink.int32(len(place.shape))
        self.sink.longs(place.shape)
        self.sink.longs(place.strides)
        self.sink.longs([place.offset + 1])
        self._storage(place.key, place.storage)

    def _storage(self, key: Any, elements: np.ndarray[Any, Any]) -> None:
        if not self._known(layouts.TORCH, key):
            self._class(f"torch.{layouts.NAMES[elements.dtype]}Storage", 1)
            self.sink.longs([elements.size])
            self.sink.array(elements)

    def _storable(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The array in a form that Torch7 knows: itself, if possible."""
        if not 1 <= array.ndim <= layouts.MAX_DIMENSIONS:
            raise _Refused(f"expected an array of 1 to {layouts.MAX_DIMENSIONS} dimensions, got {array.ndim}")
        if isinstance(array, np.ma.MaskedArray):
            raise _Refused("expected an array whose elements are all there, got a masked array")
        if array.dtype == np.bool_:
            array = array.view(np.uint8)
        dtype = array.dtype.newbyteorder("=")
        if dtype not in layouts.NAMES:
            names = ", ".join(str(known) for known in layouts.NAMES)
            raise _Refused(f"expected an array of one of the dtypes {names}, got {array.dtype}")
        if dtype != array.dtype or any(step < 0 or step % array.itemsize for step in array.strides):
            array = array.astype(dtype, order="C")
            self.kept.append(array)
        return array


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise _Refused(f"expected a string that can be encoded, got {text[:40]!a} ({error.reason})") from None


def _number(value: Any) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if isinstance(value, (int, np.integer)) and number != int(value):
        raise _Refused(f"expected an int that a double holds exactly, got {value}")
    return number


def _key(key: Any) -> Any:
    key = key.value if isinstance(key, IdentityKey) else key
    if key is None or (isinstance(key, float) and key != key):
        raise _Refused(f"expected a key that Lua allows, got {key}")
    return key
