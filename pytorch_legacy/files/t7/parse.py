"""Bytes to Python objects.

The stream is a tree in depth-first order with references back. One loop walks it: the body that is being read is the
present `Frame`, and the way back up is its parent, so depth costs memory but no stack. What has no identity (nil,
booleans, numbers, strings) a source reads by itself, many at a time.

Whether a table is a list or a dict is known when its last key was read. If something inside refers to the table before,
an `_Open` stands for it, and the bodies that hold one are filled last.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from pytorch_legacy.errors import T7Error

from . import layouts, nodes, tables
from .ascii import AsciiSource
from .binary import BinarySource, Memo
from .nodes import Frame, Malformed, join_path, segment, shown
from .numbers import plain, tonumber
from .objects import Function, Hash, ObjectFactory, Storage, TorchObject, Vec
from .tensors import tensor_view

Source = BinarySource | AsciiSource


class _Open:
    """Stands for a table whose body is not yet read."""

    __slots__ = ("value",)

    value: Any


class Parser:
    """Reads the objects of one stream.

    Parameters
    ----------
    source
        Stands where the next object begins, and behind it after each `read`.
    factory
        Makes the instances of the Torch classes it knows.
    """

    def __init__(self, source: Source, factory: ObjectFactory | None = None) -> None:
        self.source = source
        self.factory = factory
        # Tag and object behind each index, known before the bodies so that cycles find them. Where the object is not yet
        # made the tag is negative, ~tag, and behind it stands None or the _Open that somebody asked for.
        self.memo: Memo = {}
        # The bodies that hold an _Open, by the identity of their items.
        self.loose: set[int] = set()
        self.late: list[Frame] = []
        # Objects of the factory, children before parents but for cycles.
        self.fillings: list[Frame] = []

    def read(self, root: str = "root") -> Any:
        """Read one object, `root` in error messages. It is complete after `finish`."""
        source, memo, loose = self.source, self.memo, self.loose
        scalars = source.scalars
        frame = Frame(None, 0, nodes.ROOT, [], 1, source.position, None, root)
        parent, _, kind, items, wanted, offset, value, mark = frame
        try:
            while True:
                tag = scalars(items, wanted, memo)
                if tag < 0:
                    if parent is None:
                        return items[0]
                    if kind == nodes.TABLE and not (loose and id(items) in loose):
                        value = self._closedTable(items, offset, mark)
                    else:
                        value = self._closed(frame)
                    frame = parent
                    parent, _, kind, items, wanted, offset, _, mark = frame
                    items.append(value)
                    continue
                index = source.index
                if index:
                    known = memo.get(index)
                    if known is not None:
                        items.append(self._open(known, tag, items))
                        continue
                if index < 1 and tag != layouts.FUNCTION_OLDEST:
                    raise Malformed(source.start, f"expected an index from 1 on, got {index}")
                if tag == layouts.TABLE:
                    frame = self._table(frame, index)
                elif tag == layouts.TORCH:
                    frame = self._object(frame, index, source.start, *(source.usual_class() or self._class()))
                else:
                    frame = self._function(frame, index, tag)
                parent, _, kind, items, wanted, offset, value, mark = frame
        except Malformed as error:
            error.path = str(frame)
            if len(items) < wanted:
                error.path = join_path([error.path, segment(kind, items, len(items), wanted)])
            raise

    def _table(self, frame: Frame, index: int) -> Frame:
        """Reads the size of a table and returns the frame of its body; `frame` if the table is empty or a list of numbers."""
        source = self.source
        place = source.position
        count = source.int32()
        room = (source.end - source.position + 1) // (2 * source.smallest_object)
        value: Any = {}
        if not 0 < count <= room:
            self._check(count, room, place)
        elif (value := source.list_of_numbers(count)) is None:
            self.memo[index] = _OPEN_TABLE
            return _new(Frame, (frame, len(frame.items), nodes.TABLE, [], 2 * count, source.start, None, index))
        self.memo[index] = layouts.TABLE, value
        frame.items.append(value)
        return frame

    def _closedTable(self, items: list[Any], offset: int, mark: int) -> Any:
        """Returns the table of the keys and values that were read."""
        try:
            value = tables.table(items)
        except tables.BadKey as error:
            raise Malformed(offset, str(error)) from None
        opened = self.memo[mark][1]
        if opened is not None:
            opened.value = value
        self.memo[mark] = layouts.TABLE, value
        return value

    def _function(self, frame: Frame, index: int, tag: int) -> Frame:
        """Reads the bytecode of a function and returns the frame of its upvalues."""
        source = self.source
        function = Function(source.raw(source.int32()), None, tag)
        if index:
            self.memo[index] = tag, function
        return Frame(frame, len(frame.items), nodes.FUNCTION, [], 1, source.start, function)

    def finish(self) -> None:
        """Fill what waited for the end of the stream."""
        for frame in self.late:
            frame.items[:] = [item.value if type(item) is _Open else item for item in frame.items]
            _fill(frame)
        for frame in self.fillings:
            try:
                self.factory.fill(frame.value, frame.mark, frame)  # type: ignore[union-attr]
            except T7Error as error:
                text = f"{error}; t7.read reads the file as plain objects"
                raise Malformed(frame.offset, text, str(frame)) from error

    def _open(self, known: tuple[int, Any], tag: int, items: list[Any]) -> Any:
        """Returns the object for a reference to one that is still open or to a storage, or raises an error for a wrong one."""
        found, value = known
        source = self.source
        if found == layouts.STORED and tag == layouts.TORCH:
            return self._standing(source.index)
        if found != ~tag:
            text = f"expected a {_noun(tag)}, got a {_noun(found)} behind the index {source.index}"
            raise Malformed(source.start, text)
        if value is None:
            value = _Open()
            self.memo[source.index] = ~tag, value
        self.loose.add(id(items))
        return value

    def _standing(self, index: int) -> Storage:
        """A storage that stands as a value of its own."""
        value: Storage = self.memo[index][1].view(Storage)
        self.memo[index] = layouts.TORCH, value
        return value

    def _closed(self, frame: Frame) -> Any:
        """The object whose body was read last, but for tables that nothing inside refers to."""
        kind, items, value = frame.kind, frame.items, frame.value
        if kind == nodes.TENSOR:
            index, typename = frame.mark
            return self._tensor(frame.offset, typename, index, value, items[0])
        isLoose = id(items) in self.loose
        if kind == nodes.TABLE:
            # An _Open is no number, and so never the key of a list.
            value = [None] * (len(items) // 2) if tables.is_array(items[::2]) else {}
            opened = self.memo[frame.mark][1]
            if opened is not None:
                opened.value = value
            self.memo[frame.mark] = layouts.TABLE, value
            frame = frame._replace(value=value)
        if isLoose:
            self.loose.remove(id(items))
            self.late.append(frame)
        else:
            _fill(frame)
        if kind == nodes.OBJECT and frame.mark is not value:
            self.fillings.append(frame)
        return value

    def _count(self, objects: int) -> int:
        """Read how many groups of `objects` objects follow."""
        source = self.source
        place = source.position
        count = source.longs(1)[0]
        return self._check(count, (source.end - source.position + 1) // (source.smallest_object * objects), place)

    def _check(self, count: int, room: int, place: int) -> int:
        """The number of entries, if the file has room for them. The newline behind a text may be missing."""
        if not 0 <= count <= room:
            raise Malformed(place, f"expected 0 to {room} entries (the file has no room for more), got {count}")
        return count

    def _object(self, parent: Frame, index: int, offset: int, version: int, typename: str) -> Frame:
        """Read a Torch object as far as it is not objects; return its frame, or `parent` if nothing is left to be read."""
        if typename in layouts.TENSORS:
            return self._open_tensor(parent, typename, index, offset)
        source, factory, slot = self.source, self.factory, len(parent.items)
        if typename in layouts.STORAGES:
            storage = self._storage(typename, index)
            parent.items.append(storage if parent.kind == nodes.TENSOR else self._standing(index))
            return parent
        value: Any
        kind, wanted, record = nodes.OBJECT, 0, None
        if typename in layouts.HASHES:
            kind, wanted, value = nodes.HASH, 2 * self._count(2), Hash()
        elif typename in layouts.VECTORS:
            kind, wanted, value = nodes.VECTOR, self._count(1), Vec()
        else:
            record = TorchObject(typename, version)
            if typename == layouts.GENERATOR:
                record.fields = source.raw(layouts.GENERATOR_BYTES[source.longSize])
            elif typename == layouts.COUNTER:
                record.fields = source.longs(1)[0]
            else:
                wanted = layouts.body_objects(typename, version)
            value = None if factory is None else factory.create(typename, version)
            if value is None:
                value = record
        self.memo[index] = layouts.TORCH, value
        return Frame(parent, slot, kind, [], wanted, offset, value, record)

    def _open_tensor(self, parent: Frame, typename: str, index: int, offset: int) -> Frame:
        """The same for a tensor; it is read as a whole where its storage is what it should be."""
        source, memo = self.source, self.memo
        place = source.position
        dimensions = source.int32()
        if not 0 <= dimensions <= layouts.MAX_DIMENSIONS:
            raise Malformed(place, f"expected 0 to {layouts.MAX_DIMENSIONS} dimensions, got {dimensions}")
        numbers = source.longs(2 * dimensions + 1)
        memo[index] = _OPEN_TENSOR
        items: list[Any] = []
        inside = parent.kind != nodes.TENSOR  # else it is no storage
        tag = source.scalars(items, 1, memo) if inside else 0
        if tag >= 0:
            frame = Frame(parent, len(parent.items), nodes.TENSOR, items, 1, offset, numbers, (index, typename))
            inner, start = source.index, source.start
            known = memo.get(inner)
            if inside and tag == layouts.TORCH and known is None and inner > 0:
                version, name = source.usual_class() or self._class()
                if name not in layouts.STORAGES:
                    return self._object(frame, inner, start, version, name)
                items.append(self._storage(name, inner))
            elif inside and known is not None and known[0] == layouts.STORED:
                items.append((known[1],))
            else:
                if inside:
                    source.position = start
                return frame
        parent.items.append(self._tensor(offset, typename, index, numbers, items[0]))
        return parent

    def _storage(self, typename: str, index: int) -> tuple[np.ndarray[Any, Any]]:
        """Read a storage. It is in a tuple for the tensor around: nothing else in a file becomes one."""
        source = self.source
        elements = source.array(layouts.STORAGES[typename], source.longs(1)[0])
        self.memo[index] = layouts.STORED, elements
        return (elements,)

    def _tensor(self, offset: int, typename: str, index: int, numbers: tuple[int, ...], storage: Any) -> Any:
        """The array of a tensor whose storage has been read."""
        dtype = layouts.TENSORS[typename]
        elements = storage[0] if type(storage) is tuple else storage.base if type(storage) is Storage else None
        if storage is not None and (elements is None or elements.dtype != dtype):
            found = _described(storage, typename)
            raise Malformed(offset, f"expected a storage of {dtype} for the {typename}, got a {found}")
        middle = len(numbers) // 2
        try:
            value = tensor_view(elements, dtype, numbers[-1] - 1, numbers[:middle], numbers[middle:-1])
        except ValueError as error:
            raise Malformed(offset, f"{typename}: {error}") from None
        self.memo[index] = layouts.TORCH, value
        return value

    def _class(self) -> tuple[int, str]:
        """Version and name. The oldest files have only the name."""
        text = self.source.string()
        number = tonumber(text[2:]) if text.startswith("V ") else None
        return (0, text) if number is None else (cast(int, plain(number)), self.source.string())


# A NamedTuple made in one step.
_new = tuple.__new__
_OPEN_TABLE = ~layouts.TABLE, None
_OPEN_TENSOR = ~layouts.TORCH, None


def _noun(tag: int) -> str:
    names = {layouts.TABLE: "table", layouts.TORCH: "Torch object", layouts.STORED: "Torch object"}
    return names.get(tag if tag >= layouts.STORED else ~tag, "function")


def _fill(frame: Frame) -> None:
    """Give an object that has been made its contents."""
    kind, value, items = frame.kind, frame.value, frame.items
    if kind == nodes.OBJECT:
        record = frame.mark
        if items:
            record.fields = items[-1]
            record.header = items[0] if len(items) == 2 else None
    elif kind == nodes.VECTOR:
        value.extend(items)
    elif kind == nodes.FUNCTION:
        if type(items[0]) is not dict or items[0]:
            value.upvalues = items[0]
    elif type(value) is list:
        for key, item in zip(items[::2], items[1::2], strict=True):
            value[key - 1] = item
    elif kind in (nodes.TABLE, nodes.HASH):
        try:
            tables.fill(value, items[::2], items[1::2])
        except tables.BadKey as error:
            raise Malformed(frame.offset, str(error), str(frame)) from None


def _described(value: Any, typename: str) -> str:
    """Returns the description of a value in place of a storage; an open tensor has the given type."""
    if isinstance(value, _Open):
        return typename
    if isinstance(value, tuple):
        value = value[0].view(Storage)
    if isinstance(value, np.ndarray):
        word = "Storage" if type(value) is Storage else "Tensor"
        return f"torch.{layouts.NAMES[value.dtype]}{word}"
    if isinstance(value, (list, dict)):
        return "table"
    return shown(getattr(value, "typename", "") or type(value).__name__)
