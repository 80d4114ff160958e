"""Plain Python objects to a .t7 file that Torch7 can read."""

from __future__ import annotations

import io
import os
from bisect import bisect_right
from collections.abc import Callable, Collection
from functools import lru_cache
from itertools import accumulate
from typing import Any, BinaryIO, Literal

import numpy as np

from pytorch_legacy.arrays import Placement, base_storage, placement
from pytorch_legacy.errors import T7Error
from pytorch_legacy.files.writing import whole

from . import layouts, nodes
from .ascii import AsciiSink
from .binary import BinarySink
from .nodes import join_path, segment
from .numbers import LARGEST_EXACT
from .objects import DeviceTensor, Function, Hash, IdentityKey, Storage, TorchObject, Vec

Describe = Callable[[Any], TorchObject | None]

_LARGEST_INT = (1 << 31) - 1
# Tables of numbers from so many on are written at once.
_RUN = 32
_NUMBERS = {int, float}


def write(
    target: str | os.PathLike[str] | BinaryIO,
    obj: Any,
    format: Literal["binary", "ascii"] = "binary",
    *,
    describe: Describe | None = None,
    compact: bool = False,
) -> None:
    """Write an object to a .t7 file.

    What :func:`read` returns can be written, and comes back equal from :func:`read`, with these
    exceptions: an empty list comes back as the empty table ``{}``, a dict with the keys 1..n as a list,
    a tuple as a list, ``bytes`` as ``str``, a boolean array as bytes, an array without dimensions as a
    vector of one element. A tensor is written with the whole storage that it is a view of, as Torch7 does,
    unless `compact` is true.
    Arrays of size 0 are written as Torch7's empty tensor, arrays that Torch7 has no storage for
    (negative strides, fields of records, foreign byte order) as contiguous copies. What was of a
    Cuda type is written as the type of the CPU, unless it is a :class:`DeviceTensor`.

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
    compact : bool
        Leave out the parts of storages that no tensor reaches. Tensors still share their storage.

    Raises
    ------
    T7Error
        If the object holds something that the format has no place for. Nothing is written then.

    Source: Torch7 ``torch.save``.
    """
    if format not in ("binary", "ascii"):
        raise ValueError(f"t7.write: format: expected 'binary' or 'ascii', got {format!r}")
    if not isinstance(target, (str, os.PathLike)):
        if not hasattr(target, "write"):
            raise TypeError(f"t7.write: target: expected a path or a file opened for writing, got {type(target).__name__}")
        content = io.BytesIO()
        _Writer(content, format, describe, compact).write(obj)
        target.write(content.getbuffer())
        return
    with whole(target) as file:
        _Writer(file, format, describe, compact).write(obj)


def writer(
    target: BinaryIO, format: Literal["binary", "ascii"] = "binary", describe: Describe | None = None
) -> Callable[[Any], None]:
    """Returns a function that writes one object after the other to a stream, as Torch7's ``File:writeObject`` did.

    An object that was written before is referred to. If an object cannot be written, nothing of it is in the stream, and nothing
    later refers to it. `describe` is that of `write`.
    """
    own = _Writer(target, format, describe, False)

    def write_next(obj: Any) -> None:
        content, known = io.BytesIO(), len(own.indices)
        own.sink = own.sink.__class__(content)
        try:
            own.write(obj)
            target.write(content.getbuffer())
        except BaseException:
            own.stack.clear()
            while len(own.indices) > known:
                own.indices.popitem()
            raise

    return write_next


class _Refused(Exception):
    """The format has no place for a value."""


class _Body:
    """Objects that are being written one after the other; `slot` counts those that were begun."""

    __slots__ = ("items", "kind", "slot")

    def __init__(self, kind: int, items: list[Any]) -> None:
        self.kind = kind
        self.items = items
        self.slot = 0


class _Used:
    """The parts of a storage that arrays lie in."""

    def __init__(self, place: Placement) -> None:
        self.storage = place.storage
        self.parts: list[tuple[int, int]] = []

    def add(self, place: Placement) -> None:
        reaches = [(extent - 1) * step for extent, step in zip(place.shape, place.strides, strict=True)]
        self.parts.append((place.offset, place.offset + sum(reaches) + 1))

    def close(self) -> None:
        """Joins parts that overlap or touch."""
        joined: list[tuple[int, int]] = []
        for start, end in sorted(self.parts):
            if joined and start <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(end, joined[-1][1])
            else:
                joined.append((start, end))
        self.parts = joined
        self.starts = [start for start, _ in joined]
        # Number of elements between the parts, up to each of them.
        self.gaps = [start - before for (start, _), before in zip(joined, self._lengths(), strict=True)]

    def _lengths(self) -> list[int]:
        return [0, *accumulate(end - start for start, end in self.parts[:-1])]

    def moved(self, offset: int) -> int:
        """The place of an element when only the parts are left."""
        return offset - self.gaps[bisect_right(self.starts, offset) - 1]

    def elements(self) -> np.ndarray[Any, Any]:
        if self.parts == [(0, self.storage.size)]:
            return self.storage
        return np.concatenate([self.storage[start:end] for start, end in self.parts])


class _Nowhere(io.RawIOBase):
    """A file that forgets what is written to it."""

    def write(self, content: Any) -> int:
        return 0


class _Writer:
    def __init__(self, file: BinaryIO, format: str, describe: Describe | None, compact: bool) -> None:
        self.sink: BinarySink | AsciiSink = BinarySink(file) if format == "binary" else AsciiSink(file)
        self.describe = describe
        self.compact = compact
        # The record of each object, and the form of an array that can be stored: made once for each.
        self.records: dict[int, TorchObject] = {}
        self.stored: dict[int, np.ndarray[Any, Any]] = {}
        self.used: dict[Any, _Used] = {}
        self.looking = False
        # The index of everything that may be referred to: objects by identity, storages by place in memory.
        self.indices: dict[Any, int] = {}
        # An identity is good only as long as its object lives.
        self.kept: list[Any] = []
        # Bodies inside bodies; the innermost goes on, so depth costs memory but no recursion.
        self.stack: list[_Body] = []

    def write(self, obj: Any) -> None:
        if self.compact:
            self._look(obj)
        self._write(obj)

    def _look(self, obj: Any) -> None:
        """Writes nothing, but finds out which parts of storages are in use."""
        sink, self.sink, self.looking = self.sink, BinarySink(_Nowhere()), True  # type: ignore[arg-type]
        self._write(obj)
        self.sink, self.looking, self.indices = sink, False, {}
        for used in self.used.values():
            used.close()

    def _write(self, obj: Any) -> None:
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
        """Writes a value; the values inside it follow later, from the stack."""
        _writing(type(value))(self, value)  # type: ignore[arg-type]

    def _nil(self, value: None) -> None:
        self.sink.int32(layouts.NIL)

    def _text(self, value: str) -> None:
        self.sink.int32(layouts.STRING)
        self._string(_encoded(value))

    def _bytes(self, value: bytes | bytearray) -> None:
        self.sink.int32(layouts.STRING)
        self._string(bytes(value))

    def _boolean(self, value: Any) -> None:
        self.sink.int32(layouts.BOOLEAN)
        self.sink.int32(int(value))

    def _plainNumber(self, value: Any) -> None:
        self.sink.int32(layouts.NUMBER)
        self.sink.double(_number(value))

    def _hashOrVec(self, value: Any) -> None:
        if not self._known(layouts.TORCH, id(value)):
            self._container(value)

    def _list(self, value: list[Any] | tuple[Any, ...]) -> None:
        if not self._known(layouts.TABLE, id(value)) and not self._numbers(range(1, len(value) + 1), value):
            self._table([item for pair in enumerate(value, 1) for item in pair])

    def _dict(self, value: dict[Any, Any]) -> None:
        if not self._known(layouts.TABLE, id(value)) and not self._numbers(value.keys(), value.values()):
            self._table([item for key, entry in value.items() for item in (_key(key), entry)])

    def _function(self, value: Function) -> None:
        if value.form not in (layouts.FUNCTION_OLDEST, layouts.FUNCTION_LEGACY, layouts.FUNCTION):
            raise _Refused(f"expected a function of the form 6, 7 or 8, got {value.form}")
        # The oldest form has no index and so could not be shared; the next one has the same body.
        if not self._known(max(value.form, layouts.FUNCTION_LEGACY), id(value)):
            self._string(value.bytecode)
            self._open(nodes.FUNCTION, [value.upvalues])

    def _torchObject(self, value: Any) -> None:
        record = self._record(value)
        if not self._known(layouts.TORCH, id(value)):
            self._object(record)

    def _record(self, value: Any) -> TorchObject:
        if isinstance(value, TorchObject):
            return value
        record = self.records.get(id(value))
        if record is None:
            record = None if self.describe is None else self.describe(value)
            if record is None:
                advice = getattr(type(value), "_insteadOfSaving", "")  # advice of a class that has another way to be saved
                raise _Refused(f"expected a value that a .t7 file can hold, got {type(value).__name__}{advice}")
            self.records[id(value)] = record
            self.kept.append(value)
        return record

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

    def _class(self, typename: str, version: float) -> None:
        self._string(b"V %.14g" % version)
        self._string(_encoded(typename))

    def _table(self, items: list[Any]) -> None:
        if len(items) // 2 > _LARGEST_INT:
            raise _Refused(f"expected at most {_LARGEST_INT} entries in a table, got {len(items) // 2}")
        self.sink.int32(len(items) // 2)
        self._open(nodes.TABLE, items)

    def _container(self, value: Hash | Vec) -> None:
        """The body of a container of tds."""
        self._class(layouts.HASH if isinstance(value, Hash) else layouts.VECTOR, 0)
        self.sink.longs([len(value)])
        if isinstance(value, Hash):
            self._open(nodes.HASH, [item for key, entry in value.items() for item in (_key(key), entry)])
        else:
            self._open(nodes.VECTOR, [*value])

    def _numbers(self, keys: Collection[Any], values: Collection[Any]) -> bool:
        """Write a table of nothing but numbers at once; tell whether it was one, and large enough to be worth it."""
        if len(keys) < _RUN or not (_NUMBERS.issuperset(map(type, values)) and _NUMBERS.issuperset(map(type, keys))):
            return False
        try:
            pairs = np.array([list(keys), list(values)], np.float64)
        except OverflowError:
            return False
        # Ints that a double does not hold and keys that Lua does not allow are refused one by one.
        isLarge = bool((np.abs(pairs) >= LARGEST_EXACT).any())
        if np.isnan(pairs[0]).any() or (isLarge and any(type(x) is int and abs(x) >= LARGEST_EXACT for x in (*keys, *values))):
            return False
        self.sink.int32(len(keys))
        self.sink.numbers(pairs.T.ravel())
        return True

    def _object(self, record: TorchObject) -> None:
        name, fields = record.typename, record.fields
        if name in layouts.TENSORS or name in layouts.STORAGES:
            raise _Refused(f"expected a numpy.ndarray or a t7.Storage in place of a TorchObject {name}")
        if name in layouts.HASHES or name in layouts.VECTORS:
            raise _Refused(f"expected a t7.Hash or a t7.Vec in place of a TorchObject {name}")
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
                self._storage(place)
            else:
                self._storage(placement(np.array(array, place.storage.dtype))._replace(key=(id(array),)))
            return
        stored = self._storable(array)
        names = layouts.CUDA_NAMES if isinstance(array, DeviceTensor) else layouts.NAMES
        if self._known(layouts.TORCH, id(array)):
            return
        self._class(f"torch.{names[stored.dtype]}Tensor", 1)
        if stored.size == 0:
            self.sink.int32(0)
            self.sink.longs([1])
            root = base_storage(stored)
            if self.compact or root is stored or root.size == 0 or root.ndim != 1 or root.dtype != stored.dtype:
                self.sink.int32(layouts.NIL)
            else:  # as Torch7 keeps it for later
                self._storage(placement(root), names)
            return
        place = placement(stored)
        if place.key in self.used and not self.looking:
            place = place._replace(offset=self.used[place.key].moved(place.offset))
        self.sink.int32(len(place.shape))
        self.sink.longs(place.shape)
        self.sink.longs(place.strides)
        self.sink.longs([place.offset + 1])
        self._storage(place, names)

    def _storage(self, place: Placement, names: dict[layouts.DType, str] = layouts.NAMES) -> None:
        if self.looking:
            self.used.setdefault(place.key, _Used(place)).add(place)
        if not self._known(layouts.TORCH, place.key):
            used = self.used.get(place.key)
            elements = place.storage if used is None or self.looking else used.elements()
            self._class(f"torch.{names[elements.dtype]}Storage", 1)
            self.sink.longs([elements.size])
            if not self.looking:
                self.sink.array(elements)

    def _storable(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The array in a form that Torch7 knows: itself, if possible."""
        if id(array) in self.stored:
            return self.stored[id(array)]
        original = array
        if array.ndim > layouts.MAX_DIMENSIONS:
            raise _Refused(f"expected an array of at most {layouts.MAX_DIMENSIONS} dimensions, got {array.ndim}")
        if isinstance(array, np.ma.MaskedArray):
            raise _Refused("expected an array whose elements are all there, got a masked array")
        if array.dtype == np.bool_:
            array = array.view(np.uint8)
        dtype = array.dtype.newbyteorder("=")
        if dtype not in layouts.NAMES:
            names = ", ".join(str(known) for known in layouts.NAMES)
            raise _Refused(f"expected an array of one of the dtypes {names}, got {array.dtype}")
        if array.ndim == 0:  # Torch7 has no such tensors: layers give them for inputs of that kind
            array = array.reshape(1)
        if dtype != array.dtype or any(step < 0 or step % array.itemsize for step in array.strides):
            array = array.astype(dtype, order="C")
        if array is not original:
            self.kept.append(original)
            self.stored[id(original)] = array
        return array


# The first row to which a value belongs decides how it is written; Hash and Vec are a dict and a list, and bool is an int.
_WRITES: tuple[tuple[tuple[type, ...], Callable[[_Writer, Any], None]], ...] = (
    ((type(None),), _Writer._nil),
    ((str,), _Writer._text),
    ((bool, np.bool_), _Writer._boolean),
    ((int, float, np.integer, np.floating), _Writer._plainNumber),
    ((bytes, bytearray), _Writer._bytes),
    ((Hash, Vec), _Writer._hashOrVec),
    ((list, tuple), _Writer._list),
    ((dict,), _Writer._dict),
    ((np.ndarray,), _Writer._array),
    ((Function,), _Writer._function),
)


@lru_cache(1000)
def _writing(kind: type) -> Callable[[_Writer, Any], None]:
    """Returns the method that writes values of a type."""
    return next((write for kinds, write in _WRITES if issubclass(kind, kinds)), _Writer._torchObject)


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
