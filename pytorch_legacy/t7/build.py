"""Phase 2: raw nodes to Python objects.

All containers are made before the first is filled, so an object that is reached twice, or that
contains itself, is one object.
"""

from __future__ import annotations

from typing import Any

from ..errors import T7Error
from . import nodes
from .nodes import Malformed, Node
from .objects import Function, IdentityKey, ObjectFactory, Storage, TorchObject


def build(finished: list[Node], factory: ObjectFactory | None = None) -> None:
    """Give every node its ``value``.

    Parameters
    ----------
    finished
        All nodes, children before parents but for cycles (as `parse` leaves them).
    factory
        Makes the instances of the Torch classes it knows.
    """
    for node in finished:
        _make(node, factory)
    for node in finished:
        _fill(node, factory)


def resolved(item: Any) -> Any:
    """The value of an item of a body: a node stands for what was made of it."""
    return item.value if type(item) is Node else item


def _make(node: Node, factory: ObjectFactory | None) -> None:
    kind = node.kind
    if kind == nodes.TABLE:
        node.value = [None] * (node.wanted // 2) if _is_array(node.items) else {}
    elif kind == nodes.HASH:
        node.value = {}
    elif kind == nodes.VECTOR:
        node.value = []
    elif kind == nodes.STORAGE:
        node.value = node.data.view(Storage)
    elif kind == nodes.FUNCTION:
        node.value = Function(node.data, None, node.tag)
    elif kind in (nodes.OBJECT, nodes.OPAQUE):
        if factory is not None:
            node.value = factory.create(node.typename, node.version)
        if node.value is None:
            node.value = TorchObject(node.typename, node.version)


def _is_array(items: list[Any]) -> bool:
    """Tell whether the keys among the items are exactly 1..n, in any order, with n > 0."""
    # type() and not isinstance(): a boolean is another key than 1.
    if not items or type(items[0]) is not int:
        return False
    keys = set(items[::2])
    count = len(items) // 2
    return len(keys) == count and all(type(key) is int and 0 < key <= count for key in keys)


def _fill(node: Node, factory: ObjectFactory | None) -> None:
    kind, value = node.kind, node.value
    if kind in (nodes.TABLE, nodes.HASH):
        if type(value) is list:
            for key, item in zip(node.items[::2], node.items[1::2], strict=True):
                value[key - 1] = item.value if type(item) is Node else item
        else:
            _fill_dict(node)
    elif kind == nodes.VECTOR:
        value.extend(map(resolved, node.items))
    elif kind == nodes.FUNCTION:
        upvalues = node.items[0]
        if type(upvalues) is not Node or upvalues.kind != nodes.TABLE or upvalues.items:
            value.upvalues = resolved(upvalues)
    elif kind in (nodes.OBJECT, nodes.OPAQUE):
        record = value if isinstance(value, TorchObject) else TorchObject(node.typename, node.version)
        if kind == nodes.OPAQUE:
            record.fields = node.data
        else:
            record.header = resolved(node.items[0]) if len(node.items) == 2 else None
            record.fields = resolved(node.items[-1]) if node.items else None
        if record is not value and factory is not None:
            try:
                factory.fill(value, record, node)
            except T7Error as error:
                raise Malformed(node.offset, str(error), str(node)) from error


def _fill_dict(node: Node) -> None:
    table = node.value
    items = iter(node.items)
    for key, item in zip(items, items, strict=True):
        if type(key) is not str and type(key) is not int:
            key = _dict_key(node, key)
        table[key] = item.value if type(item) is Node else item


def _dict_key(node: Node, key: Any) -> Any:
    if type(key) is Node:
        return IdentityKey(key.value) if type(key.value).__hash__ is None else key.value
    if key is None or key != key:
        what = "nil" if key is None else "not a number"
        raise Malformed(node.offset, f"expected keys that Lua allows, but one is {what}", str(node))
    if type(key) is bool:
        # True == 1 and False == 0 in Python, but not in Lua.
        if node.data is None:
            node.data = {other for other in node.items[::2] if type(other) in (int, float)}
        return IdentityKey(key) if key in node.data else key
    return key
