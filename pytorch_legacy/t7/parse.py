"""Phase 1: bytes to raw nodes.

The stream is a tree in depth-first order with references back. One loop walks it: the node whose body
is being read stands in `node`, and the way back up is its parent, so depth costs memory but no stack.
"""

from __future__ import annotations

import re
from typing import Any

from . import layouts, nodes
from .ascii import AsciiSource
from .binary import BinarySource
from .nodes import Malformed, Node, join_path, segment, shown
from .tensors import tensor_view

Source = BinarySource | AsciiSource
Memo = dict[int, Node]

_VERSION = re.compile(r"V (-?\d{1,9})")
_LARGEST_EXACT = float(1 << 53)


def parse(source: Source, memo: Memo, finished: list[Node], root: str = "root") -> Any:
    """Read one object.

    Parameters
    ----------
    source
        Stands where the object begins, and behind it afterwards.
    memo
        The nodes of this stream by index, known before their bodies so that cycles find them.
    finished
        Gets every new node when its body is complete: children before parents, but for cycles.
    root
        Name of the object in error messages.

    Returns
    -------
    A :class:`Node`, or the value itself where nothing can be shared (nil, boolean, number, string).
    """
    top = node = Node(nodes.ROOT, -1, source.position, None, 0)
    top.typename = root
    top.wanted = 1
    items, wanted = node.items, 1
    int32, double, raw, append = source.int32, source.double, source.raw, items.append
    try:
        while True:
            if len(items) >= wanted:
                if node is top:
                    return items[0]
                if node.kind == nodes.TENSOR:
                    _close_tensor(node)
                finished.append(node)
                node = node.parent  # type: ignore[assignment]
                items, wanted = node.items, node.wanted
                append = items.append
                continue
            offset = source.position
            tag = int32()
            if tag == layouts.STRING:
                append(str(raw(int32()), "utf-8", "surrogateescape"))
            elif tag == layouts.NUMBER:
                number = double()
                if number.is_integer() and -_LARGEST_EXACT < number < _LARGEST_EXACT:
                    append(int(number) if number or str(number) == "0.0" else number)
                else:
                    append(number)
            elif tag == layouts.BOOLEAN:
                flag = int32()
                if flag not in (0, 1):
                    raise Malformed(offset, f"expected a boolean (0 or 1), got {flag}")
                append(flag == 1)
            elif tag == layouts.NIL:
                append(None)
            elif layouts.TABLE <= tag <= layouts.FUNCTION:
                index = 0
                if tag != layouts.FUNCTION_OLDEST:
                    index = int32()
                    known = memo.get(index)
                    if known is not None:
                        if known.tag != tag:
                            kinds = f"expected a {_noun(tag)}, got a {_noun(known.tag)}"
                            raise Malformed(offset, f"{kinds} behind the index {index}")
                        append(known)
                        continue
                    if index < 1:
                        raise Malformed(offset, f"expected an index from 1 on, got {index}")
                child = Node(nodes.TABLE, tag, offset, node, len(items))
                append(child)
                if index:
                    memo[index] = child
                node = child
                if tag == layouts.TABLE:
                    child.wanted = 2 * _count(source, 2)
                elif tag == layouts.TORCH:
                    child.wanted = _open_object(source, child)
                else:
                    child.kind = nodes.FUNCTION
                    child.data = bytes(raw(int32()))
                    child.wanted = 1
                items, wanted = child.items, child.wanted
                append = items.append
            else:
                raise Malformed(offset, f"expected a type tag from 0 to 8, got {tag}")
    except Malformed as error:
        place = str(node)
        if len(node.items) < node.wanted:
            place = join_path([place, segment(node.kind, node.items, len(node.items), node.wanted)])
        error.path = place
        raise


def _noun(tag: int) -> str:
    return {layouts.TABLE: "table", layouts.TORCH: "Torch object"}.get(tag, "function")


def _count(source: Source, objects: int, long: bool = False) -> int:
    """Read how many groups of `objects` objects follow, and check that the file has room for them."""
    offset = source.position
    count = source.longs(1)[0] if long else source.int32()
    # The newline after the last object of an ASCII file may be missing.
    room = (source.end - source.position + 1) // (source.smallest_object * objects)
    if not 0 <= count <= room:
        raise Malformed(offset, f"expected 0 to {room} entries (the file has no room for more), got {count}")
    return count


def _text(source: Source) -> str:
    return str(source.raw(source.int32()), "utf-8", "surrogateescape")


def _open_object(source: Source, node: Node) -> int:
    """Read the body of a Torch object as far as it is not objects; return how many objects follow."""
    node.kind = nodes.OBJECT
    text = _text(source)
    match = _VERSION.fullmatch(text)
    # The oldest files have no version, only the name of the class.
    node.version = int(match[1]) if match else 0
    node.typename = typename = _text(source) if match else text
    if typename in layouts.TENSORS:
        node.kind = nodes.TENSOR
        offset = source.position
        dimensions = source.int32()
        if not 0 <= dimensions <= layouts.MAX_DIMENSIONS:
            raise Malformed(offset, f"expected 0 to {layouts.MAX_DIMENSIONS} dimensions, got {dimensions}")
        node.data = (source.longs(dimensions), source.longs(dimensions), source.longs(1)[0])
        return 1
    if typename in layouts.STORAGES:
        node.kind = nodes.STORAGE
        node.data = source.array(layouts.STORAGES[typename], source.longs(1)[0])
        return 0
    if typename in layouts.HASHES:
        node.kind = nodes.HASH
        return 2 * _count(source, 2, long=True)
    if typename in layouts.VECTORS:
        node.kind = nodes.VECTOR
        return _count(source, 1, long=True)
    if typename == layouts.GENERATOR:
        node.kind = nodes.OPAQUE
        node.data = bytes(source.raw(layouts.GENERATOR_BYTES[source.longSize]))
        return 0
    if typename == layouts.COUNTER:
        node.kind = nodes.OPAQUE
        node.data = source.longs(1)[0]
        return 0
    return layouts.body_objects(typename, node.version)


def _close_tensor(node: Node) -> None:
    """Make the array of a tensor whose storage has been read."""
    size, stride, offset = node.data
    storage = node.items[0]
    dtype = layouts.TENSORS[node.typename]
    if storage is None:
        elements = None
    elif isinstance(storage, Node) and storage.kind == nodes.STORAGE and storage.data.dtype == dtype:
        elements = storage.data
    else:
        found = type(storage).__name__
        if isinstance(storage, Node):
            found = shown(storage.typename or _noun(storage.tag))
        raise Malformed(node.offset, f"expected a storage of {dtype} for the {node.typename}, got a {found}")
    try:
        node.value = tensor_view(elements, dtype, offset - 1, size, stride)
    except ValueError as error:
        raise Malformed(node.offset, f"{node.typename}: {error}") from None
