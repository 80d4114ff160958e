"""Converts a Lua table: to a list if its keys are 1..n, else to a dict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .objects import IdentityKey

_ORDINARY, _WHOLE = {str, int}, {int}


class BadKey(ValueError):
    """A key that no table can have."""


def table(items: list[Any]) -> list[Any] | dict[Any, Any]:
    """The table with these keys and values, which alternate; there is at least one pair."""
    # type() and not isinstance(): a boolean is another key than 1.
    if type(items[0]) is int:
        keys, values = items[::2], items[1::2]
        if _WHOLE.issuperset(map(type, keys)) and keys == list(range(1, len(keys) + 1)):  # a tensor is no truth value
            return values
        if is_array(keys):
            return [value for _, value in sorted(zip(keys, values, strict=True), key=_first)]
    pairs = iter(items)
    try:
        found = dict(zip(pairs, pairs))  # noqa: B905
        if _ORDINARY.issuperset(map(type, found)):
            return found
    except TypeError:  # a table or a tensor
        pass
    found = {}
    fill(found, items[::2], items[1::2])
    return found


def is_array(keys: list[Any]) -> bool:
    """Tell whether the keys are exactly 1..n, in any order, with n > 0."""
    return _WHOLE.issuperset(map(type, keys)) and len(keys) > 0 and sorted(keys) == list(range(1, len(keys) + 1))


def fill(table: dict[Any, Any], keys: list[Any], values: Iterable[Any]) -> None:
    """Add the pairs to a dict, under keys that Python can hash and tell from each other.

    Raises
    ------
    BadKey
        If one is nil or not a number.
    """
    # True == 1 and False == 0 in Python, but not in Lua.
    numbers = {key for key in keys if type(key) in (int, float)} if bool in map(type, keys) else set()
    for key, value in zip(keys, values, strict=True):
        if key is None or (type(key) is float and key != key):
            raise BadKey(f"expected keys that Lua allows, but one is {'nil' if key is None else 'not a number'}")
        if type(key).__hash__ is None or (type(key) is bool and key in numbers):
            key = IdentityKey(key)
        table[key] = value


def _first(pair: tuple[int, Any]) -> int:
    return pair[0]
