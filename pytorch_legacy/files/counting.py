"""The declaration of what counts from one in Lua, beside that of fields in files (form.py).

A class says as ``_lua`` which of its indices, labels and dimensions Lua programs count from 1, where they count from 0 here.
Fields of files need no entry: they are declared already (`_file`, `Form.oneBased`), and with them arguments of their names.

>>> from pytorch_legacy import Lua, nn
>>> class Pick(nn.Module):
...     _lua = Lua(inputs="indices", methods={"drop": {"place": "positions"}})
>>> Pick._counts.inputs, Pick._counts.methods["drop"]
('indices', {'place': 'positions'})

These are the kinds of what counts:

============= ====================================================================================================
"indices"     each number is one less here; so 0, which Lua programs have for none or the end, is -1
"labels"      as "indices", but -100, the label that counts nowhere, stays
"positions"   as "indices", but negative ones count from the end in both; 0 is an error
"columns"     of pairs (index, value), along the last dimension, each index is one less
"numbers"     as "indices", of a number alone: an array is something else, such as scores of classes
"vectors"     as "indices", of a vector: a matrix is something else
"keys"        of a dict, whose keys are indices
"numbered"    of a dict with numbers that an author chose, which are the same in both: a list of Lua has those from 1 on
"stored"      of a field, which the class counts itself when it goes into a file
============= ====================================================================================================

A tuple of kinds is for the entries of a table, None for one that does not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import declarations

KINDS = ("indices", "labels", "positions", "columns", "numbers", "vectors", "keys", "numbered", "stored")
NOTHING = -100  # the label of samples that count nowhere

Kind = str | tuple[Any, ...] | None
_LETTERED = ("inputs", "targets", "outputs", "gradInputs")


@dataclass(frozen=True, kw_only=True)
class Lua:
    """The declaration of a class about what counts from 1 in Lua. Each entry adds to that of the bases, or replaces it.

    Attributes
    ----------
    inputs, targets, outputs, gradInputs : kind, optional
        What counts in what passes get and return; ``()`` where that of the bases does not hold.
    fields : dict
        Fields that count, beyond those of files: their kinds.
    arguments : dict
        Arguments of the constructor that count, beyond those that have the name of such a field: their kinds.
    methods : dict
        For methods, the arguments that count, beyond those that have the name of such a field:
        ``{"get": {"index": "positions"}}``.
    results : dict
        For methods, what counts in what they return.
    returns : dict
        For methods, how many values they return in Lua, where that is not one for each entry of a tuple, or one: 0, ``"each"``
        for the entries of a list, or ``"first"`` for the first argument, a tensor that gets shape and elements of the result.
    order : tuple of str, optional
        The constructor's arguments in Torch7's order, where that is another one than here. Further ones are ignored, as in Lua.
        In a dict a key is the number of arguments from which on an order holds. It is for the constructor of this class; a
        derived class with one of its own has that one's order.
    variadic : tuple of str, optional
        Methods that take a list here, and its entries one by one in Lua.
    renewed : tuple of str, optional
        Fields whose new list is another table in Lua. Elsewhere a list of as many entries is the old table with other contents.
    isNamed : bool
        True if Torch7's constructor takes its arguments by name, in one table.
    """

    inputs: Kind = None
    targets: Kind = None
    outputs: Kind = None
    gradInputs: Kind = None
    fields: Mapping[str, Kind] = field(default_factory=dict)
    arguments: Mapping[str, Kind] = field(default_factory=dict)
    methods: Mapping[str, Mapping[str, Kind]] = field(default_factory=dict)
    results: Mapping[str, Kind] = field(default_factory=dict)
    returns: Mapping[str, int | str] = field(default_factory=dict)
    order: tuple[str, ...] | Mapping[int, tuple[str, ...]] | None = None
    isNamed: bool | None = None
    variadic: tuple[str, ...] | None = None
    renewed: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        kinds = [getattr(self, name) for name in _LETTERED]
        for named in (self.arguments, self.results, self.fields, *self.methods.values()):
            kinds += named.values()
        for kind in kinds:
            _checkKind(kind)

    @property
    def countsInPasses(self) -> bool:
        """True if what passes get or return counts."""
        return bool(self.inputs or self.targets or self.outputs or self.gradInputs)


def _checkKind(kind: Any) -> None:
    if isinstance(kind, tuple):
        for entry in kind:
            _checkKind(entry)
    elif kind is not None and kind not in KINDS:
        raise TypeError(f"Lua: expected one of {', '.join(KINDS)}, or a tuple of them, got {kind!r:.100}")


def declared_lua(cls: type) -> Lua:
    """Returns the declaration of a class: what it and its bases declare as ``_lua``, the bases first.

    Raises
    ------
    TypeError
        If something else than a `Lua` is declared.
    """
    whole = Lua()
    for base, own in declarations(cls, "_lua", Lua):
        if own is None and "__init__" not in vars(base):
            continue
        # A constructor of its own has its own order of arguments.
        changes = {entry.name: getattr(own or Lua(), entry.name) for entry in fields(Lua)}
        for name, value in changes.items():
            old = getattr(whole, name)
            if name != "order":
                changes[name] = {**old, **value} if isinstance(value, Mapping) else old if value is None else value
        if "__init__" not in vars(base) and changes["order"] is None:
            changes["order"] = whole.order
        whole = replace(whole, **changes)
    return whole


def fromOne(value: Any, kind: Kind, where: str = "") -> Any:
    """Returns a value that counts from 1 as it is here; tables entry by entry. `where` begins the messages of errors."""
    return _stepped(value, kind, -1, where)


def toOne(value: Any, kind: Kind) -> Any:
    """Returns a value that counts from 0 as Lua programs have it."""
    return _stepped(value, kind, 1, "")


def _stepped(value: Any, kind: Kind, step: int, where: str) -> Any:
    if not kind or kind == "stored" or value is None or isinstance(value, (str, bool)):
        return value
    if kind == "indices" and type(value) is np.ndarray and value.dtype.kind in "if":
        return value + value.dtype.type(step)
    if isinstance(kind, tuple):
        if not isinstance(value, (list, tuple)):
            return value  # the class says what it expects
        kinds = (*kind, *[None] * (len(value) - len(kind)))
        return [_stepped(entry, one, step, where) for entry, one in zip(value, kinds, strict=False)]
    if kind == "numbered":
        return dict(enumerate(value, 1)) if isinstance(value, list) and step < 0 else value
    if kind == "keys":
        if isinstance(value, list) and step < 0:
            return dict(enumerate(value))
        isKeyed = isinstance(value, dict)
        return {key + step if isinstance(key, int) else key: entry for key, entry in value.items()} if isKeyed else value
    if isinstance(value, dict):
        return {key: _stepped(entry, kind, step, where) for key, entry in value.items()}
    if kind == "vectors" and isinstance(value, (list, tuple)):
        value = np.asarray(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_stepped(entry, kind, step, where) for entry in value])
    if is_tensor(value):
        return _steppedArray(value, kind, step, where)
    if isinstance(value, (int, float, np.number)):
        number: Any = _steppedNumber(value, kind, step, where)
        return number
    return value


def _steppedNumber(value: Any, kind: str, step: int, where: str) -> Any:
    if kind == "labels" and value == NOTHING:
        return value
    if kind == "positions":
        if step < 0 and value == 0:
            raise ValueRangeError(f"{where}expected a position, which counts from 1, or from the end if negative, got 0")
        return value + step if value >= (1 if step < 0 else 0) else value
    return value + step


def _steppedArray(array: Any, kind: str, step: int, where: str) -> Any:
    if array.dtype.kind not in "iuf" or not array.size or array.ndim > {"numbers": 0, "vectors": 1}.get(kind, array.ndim):
        return array
    array = array.astype(np.int64) if array.dtype.kind == "u" else array
    if kind == "columns":
        pairs = array.copy()
        if pairs.ndim:
            pairs[..., 0] += step
        return pairs
    if kind == "labels":
        return np.where(array == NOTHING, array, array + array.dtype.type(step))
    if kind == "positions":
        if step < 0 and (array == 0).any():
            raise ValueRangeError(f"{where}expected positions, which count from 1, or from the end if negative, got 0")
        return np.where(array >= (1 if step < 0 else 0), array + array.dtype.type(step), array)
    return array + array.dtype.type(step)
