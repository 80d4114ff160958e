"""Storages and tensors: what scripts hold of memory.

A tensor shows a NumPy array. Its storage is the vector over the whole memory of that array, which is looked for when it is
needed. A storage that grows gets another vector, and the tensors on it other arrays.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np

from pytorch_legacy.arrays import address
from pytorch_legacy.arrays.storage import base_storage, placement

from ..language.table import Table, Userdata, fields
from .memory import zeros

Array = np.ndarray[Any, Any]
DTYPES: dict[str, np.dtype[Any]] = {
    "Byte": np.dtype(np.uint8),
    "Char": np.dtype(np.int8),
    "Short": np.dtype(np.int16),
    "Int": np.dtype(np.int32),
    "Long": np.dtype(np.int64),
    "Float": np.dtype(np.float32),
    "Double": np.dtype(np.float64),
    "Half": np.dtype(np.float16),
}
_storages: WeakValueDictionary[tuple[int, str, int, bool], Storage] = WeakValueDictionary()


class Storage(Userdata):
    """A vector, which may be replaced when it grows.

    A session has a subclass of each type (see `Types`).

    Attributes
    ----------
    vector : ndarray
        The elements.
    isShared : bool
        False while one tensor at most lies on it.
    dtype, name, types
        Of the class: the type of an element, "torch.DoubleStorage", and the types of the session.
    """

    __slots__ = ("isShared", "vector")
    dtype: ClassVar[np.dtype[Any]]
    name: ClassVar[str]
    types: ClassVar[Types]

    def __init__(self, vector: Array) -> None:
        self.vector, self.isShared = vector, True
        self._note()

    def _note(self) -> None:
        _storages[_key(self.vector, self.__class__)] = self

    def resize(self, count: int) -> None:
        """Changes the number of elements. Those that are there stay, and new ones are 0."""
        old = self.vector
        if old.size == count:
            return
        new = zeros((count,), old.dtype)
        kept = min(count, old.size)
        new[:kept] = old[:kept]
        self.vector = new
        self._note()
        if self.isShared:  # this is rare, so the tensors are searched
            for tensor in gc.get_referrers(self):
                if isinstance(tensor, Tensor) and tensor._storage is self:
                    tensor._derive(old)


class Tensor(Userdata):
    """A tensor. A session has a subclass of each type (see `Types`).

    Attributes
    ----------
    array : ndarray
        The elements, in place.
    dtype, isFloat, name, types
        Of the class: the type of an element, if it is one of floating point numbers, "torch.DoubleTensor", and the types of the
        session.
    """

    __slots__ = ("_storage", "array")
    dtype: ClassVar[np.dtype[Any]]
    isFloat: ClassVar[bool]
    name: ClassVar[str]
    types: ClassVar[Types]

    def __init__(self, array: Array, storage: Storage | None = None) -> None:
        self.array, self._storage = array, storage

    def _derive(self, before: Array) -> None:
        """Shows the same elements of the new vector of the storage, or none where it has become too short."""
        assert self._storage is not None
        old, vector = self.array, self._storage.vector
        offset = address(old) - address(before) if old.size else 0
        shown = np.empty(0, old.dtype)
        if vector.size:  # NumPy does not check the sizes of an array in memory of no bytes
            with suppress(TypeError, ValueError):
                shown = np.ndarray(old.shape, old.dtype, vector, offset, old.strides)
        self.array = shown

    @property
    def storage(self) -> Storage:
        """The storage, which is looked for when it is asked for."""
        if self._storage is None:
            self._storage = self._find_storage()
        return self._storage

    @property
    def hasStorage(self) -> bool:
        """False for a new tensor without elements."""
        return bool(self.array.size) or self._storage is not None

    def _find_storage(self) -> Storage:
        array, kind = self.array, self.types.storages[self.array.dtype]
        storage = _storages.get(_key(array, kind)) if array.size else None
        if storage is not None and base_storage(storage.vector) is base_storage(array):
            storage.isShared = True
            return storage
        vector = placement(array).storage
        if not array.flags.writeable:  # the memory may be another array's that is writeable
            vector = vector.view()
            vector.flags.writeable = False
        storage = kind(vector)
        storage.isShared = False
        if not array.size or not np.may_share_memory(storage.vector, array):
            self.array = storage.vector.reshape(array.shape)
        return storage

    def set_array(self, array: Array) -> None:
        """Shows another array from now on, which may be of another type."""
        array = _plain(array)
        if array.dtype != self.array.dtype:
            self.__class__ = self.types.tensors[array.dtype]
        self.array, self._storage = array, None

    def lie_on(self, storage: Storage, array: Array) -> None:
        """Shows an array from now on that lies on a storage."""
        storage.isShared = True
        self.array, self._storage = array, storage

    def place(self, storage: Storage, offset: int, sizes: tuple[int, ...], strides: tuple[int, ...]) -> None:
        """Lies on a storage from now on, which has to be long enough. Offset and strides count elements."""
        vector = storage.vector
        size = vector.itemsize
        shown = np.ndarray(sizes, vector.dtype, vector, offset * size, tuple(stride * size for stride in strides))
        if storage is self._storage:
            self.array = shown
        else:
            self.lie_on(storage, shown)

    def view(self, array: Array) -> Tensor:
        """Returns a tensor that shows a part of this one's array."""
        storage = self._storage
        if storage is None:
            storage = self.storage
        storage.isShared = True
        return self.__class__(array, storage)


class Types:
    """The classes of a session, so that two sessions share no metatable.

    Attributes
    ----------
    tensors, storages : dict
        The classes by dtype.
    names : dict
        All classes by their names, such as "torch.LongStorage".
    registry : Table
        The metatable of each class, those of scripts, too, by its name.
    default : type
        The class of ``torch.Tensor``.
    describe : callable
        ``describe(value, convert)`` returns the object of a .t7 file that stands for an object that this package does not know,
        or None.
    build : callable
        ``build(object, coming)`` returns what scripts get for an object of a file, or None. ``coming.value`` converts its parts.
    containers : tuple or None
        Two functions ``(value, convert, keep)`` for the hashes and vectors of ``tds``: to what files have, and from it. The first
        returns None for other values. None before ``tds`` is opened.
    records, factory : callable
        They return what `t7.write` and `t7.read` take as ``describe`` and ``objectFactory``.
    """

    def __init__(self) -> None:
        self.tensors: dict[np.dtype[Any], type[Tensor]] = {}
        self.storages: dict[np.dtype[Any], type[Storage]] = {}
        self.names: dict[str, type[Any]] = {}
        self.registry = Table()
        for name, dtype in DTYPES.items():
            self.tensors[dtype] = self._made(Tensor, f"{name}Tensor", dtype)
            self.storages[dtype] = self._made(Storage, f"{name}Storage", dtype)
        self.default = self.tensors[DTYPES["Double"]]
        self.describe: Callable[..., Any] = _nothing
        self.build: Callable[..., Any] = _nothing
        self.containers: tuple[Callable[..., Any], Callable[..., Any]] | None = None
        self.records: Callable[[], Any] = _nothing
        self.factory: Callable[[], Any] = _nothing

    def _made(self, base: Any, name: str, dtype: np.dtype[Any]) -> Any:
        metatable = self.metatable(f"torch.{name}")
        space = {"__slots__": (), "_metatable": metatable, "_methods": metatable, "types": self, "dtype": dtype}
        if base is Tensor:
            space["isFloat"] = dtype.kind == "f"
        made = type(name, (base,), {**space, "name": f"torch.{name}"})
        self.names[f"torch.{name}"] = made
        return made

    def registered(self, name: str) -> Table | None:
        """Returns the metatable of a class, None if there is none. Scripts may put other values than tables into the registry."""
        found = self.registry.__dict__.get(name)
        return found if isinstance(found, Table) else None

    def metatable(self, name: str) -> Table:
        """Returns the metatable of a class, which is made if there is none."""
        found = self.registered(name)
        if found is None:
            found = self.registry.__dict__[name] = fields(__typename=name)
        return found

    def __iter__(self) -> Iterator[type[Tensor]]:
        return iter(self.tensors.values())


def _nothing(*_: Any) -> None:
    return None


def wrap(types: Types, array: Array) -> Tensor:
    """Returns a tensor that shows an array, in place. An array of no dimension has one of size 1 then.

    An array that no tensor of Torch7 can be is copied: one with negative strides, or with strides of no whole elements.

    Parameters
    ----------
    types : Types
        The session's.
    array : ndarray
        Of one of Torch7's types, or of booleans, which are bytes then.
    """
    array = _plain(array)
    kind = types.tensors.get(array.dtype)
    if kind is None:
        raise TypeError(f"pl.lua: expected an array of one of Torch7's types, got {array.dtype}")
    return kind(array)


def _plain(array: Array) -> Array:
    """Returns an array as tensors show it."""
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    if array.ndim == 0:
        return array.reshape(1)
    strides, size = array.strides, array.itemsize
    if min(strides) < 0 or any(stride % size for stride in strides):
        return array.copy()
    return array


def _key(array: Array, kind: type) -> tuple[int, str, int, bool]:
    return id(base_storage(array)), array.dtype.str, id(kind), array.flags.writeable
