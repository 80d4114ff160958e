"""The package ``hdf5``: files of numbers by h5py. Arrays are tensors, groups are tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..language.arguments import MISSING, string
from ..language.arguments import table as checked_table
from ..language.errors import LuaError, raise_error, register
from ..language.libraries.files import decoded, encoded
from ..language.table import Table, Userdata, fields, rawget, sequence
from ..tensors.registry import native
from ..tensors.signatures import described
from ..tensors.tensor import Array, Tensor, wrap
from ..tensors.values import items
from .values import is_table
from .values import items as pairs

if TYPE_CHECKING:
    from ..language.state import State

_MODES = {"r": "r", "r+": "r+", "w": "w", "w-": "x", "a": "a"}
_WIDER = {"uint16": np.int32, "uint32": np.int64, "uint64": np.int64, "bool": np.uint8}


def _h5py() -> Any:
    try:
        import h5py
    except ImportError:
        raise_error('hdf5 needs h5py; run: pip install "pytorch-legacy[convert]"')
    return h5py


class Node(Userdata):
    """An open file, a group, a data set, or options of one.

    Attributes
    ----------
    handle : object
        What h5py has, or a dict of options. None once it is closed.
    """

    __slots__ = ("handle",)

    def __init__(self, handle: Any) -> None:
        self.handle = handle


def _handle(node: Any, name: str) -> Any:
    """Returns what a node holds, which has to be open."""
    if not isinstance(node, Node):
        raise_error(f"calling '{name}' on bad self")
    if node.handle is None or (not isinstance(node.handle, dict) and not node.handle):
        raise_error(f"hdf5: {name}: the file is closed")
    return node.handle


def _name(value: Any, function: str) -> str:
    """Returns a path in a file, which is UTF-8."""
    return encoded(string(value, 2, function)).decode("utf-8", "surrogateescape")


class _Package:
    """The functions of a session's package."""

    def __init__(self, state: State) -> None:
        self.state = state
        common = {"all": self.all_of(), "close": close}
        own = {"getOrCreateChild": self.child(), "read": self.reader(), "write": self.writer()}
        ofSets = {**common, "partial": self.partial(), "dataspaceSize": dataspaceSize}
        self.kinds = {
            name: native(state.types, Node, f"hdf5.{name}", methods)
            for name, methods in {
                "HDF5File": {**common, **own, "append": self.writer(isAppending=True)},
                "HDF5Group": {**common, **own},
                "HDF5DataSet": ofSets,
                "DataSetOptions": OPTIONS,
            }.items()
        }
        for kind in self.kinds.values():
            register(kind._metatable.__dict__)

    def node(self, handle: Any) -> Node:
        """Returns a data set or group as Lua has it."""
        name = "HDF5DataSet" if isinstance(handle, _h5py().Dataset) else "HDF5Group"
        return self.kinds[name](handle)  # type: ignore[no-any-return]

    def value(self, handle: Any) -> Any:
        """Returns all that a group or data set holds."""
        if not isinstance(handle, _h5py().Dataset):
            table = Table()
            for name, member in handle.items():
                self.state.setindex(table, decoded(name.encode()), self.value(member))
            return table
        found = handle[()]
        if isinstance(found, (bytes, str)):
            return decoded(found if isinstance(found, bytes) else found.encode())
        return self.tensor(np.asarray(found), handle.name)

    def tensor(self, array: Array, name: str) -> Tensor:
        """Returns an array as a tensor."""
        array = array.astype(_WIDER.get(array.dtype.name, array.dtype.newbyteorder("=")))
        if array.dtype not in self.state.types.tensors:
            raise_error(f"hdf5: {name}: there are no tensors of {array.dtype}")
        return wrap(self.state.types, array)

    def all_of(self) -> Any:
        def all_(node: Any = MISSING, *_: Any) -> Any:
            return self.value(_handle(node, "all"))

        return all_

    def reader(self) -> Any:
        def read(node: Any = MISSING, path: Any = None, *_: Any) -> Node:
            handle = _handle(node, "read")
            name = "" if path is None else _name(path, "read")
            if name.strip("/") and name not in handle:
                raise_error(f"HDF5Group:read() - no such child '{path}'")
            return self.node(handle[name] if name.strip("/") else handle[handle.name])

        return read

    def child(self) -> Any:
        def getOrCreateChild(node: Any = MISSING, name: Any = MISSING, *_: Any) -> Node:
            return self.node(_handle(node, "getOrCreateChild").require_group(_name(name, "getOrCreateChild")))

        return getOrCreateChild

    def writer(self, isAppending: bool = False) -> Any:
        def write(node: Any = MISSING, path: Any = MISSING, data: Any = MISSING, options: Any = None, *_: Any) -> tuple[()]:
            handle = _handle(node, "write")
            chosen = _handle(options, "write") if isinstance(options, Node) else {}
            _write(handle, _name(path, "write"), data, chosen, isAppending)
            return ()

        return write

    def partial(self) -> Any:
        def partial(node: Any = MISSING, *ranges: Any) -> Tensor:
            handle = _handle(node, "partial")
            if len(ranges) != handle.ndim:
                raise_error(f"HDF5DataSet:partial() - expected {handle.ndim} ranges, got {len(ranges)}")
            parts = []
            for i, one in enumerate(ranges):
                first, last = (int(rawget(checked_table(one, i + 2, "partial"), float(j)) or 0) for j in (1, 2))
                if not 1 <= first <= last <= handle.shape[i]:
                    raise_error(f"HDF5DataSet:partial() - expected a range in 1 to {handle.shape[i]}, got {first} to {last}")
                parts.append(slice(first - 1, last))
            return self.tensor(handle[tuple(parts)], handle.name)

        return partial


def _write(handle: Any, path: str, data: Any, options: dict[str, Any], isAppending: bool) -> None:
    """Writes a tensor or a table of them."""
    if is_table(data):
        for key, value in pairs(data):
            if key.__class__ is not str:
                raise_error("hdf5: write: expected names as keys of a table")
            _write(handle, f"{path.rstrip('/')}/{_name(key, 'write')}", value, options, isAppending)
        if not len(pairs(data)):
            handle.require_group(path)
        return
    if not isinstance(data, Tensor):
        raise_error(f"torch-hdf5: writing data of type {described(data)} is not supported")
    array = data.array
    if path in handle and isAppending:
        known = handle[path]
        known.resize(known.shape[0] + len(array), 0)
        known[-len(array) :] = array
        return
    if path in handle:
        raise_error(f"HDF5Group:write() - {path} is there already")
    shape = (None, *array.shape[1:]) if isAppending else None
    handle.create_dataset(path, data=array, maxshape=shape, **options)


def close(node: Any = MISSING, *_: Any) -> tuple[()]:
    handle = _handle(node, "close")
    if isinstance(handle, _h5py().File):
        handle.close()
        node.handle = None
    return ()


def dataspaceSize(node: Any = MISSING, *_: Any) -> Table:
    return sequence(*map(float, _handle(node, "dataspaceSize").shape))


def setChunked(options: Any = MISSING, *sizes: Any) -> Any:
    values = items(sizes[0]) if len(sizes) == 1 and is_table(sizes[0]) else sizes
    _handle(options, "setChunked")["chunks"] = tuple(int(one) for one in values)
    return options


def setDeflate(options: Any = MISSING, level: Any = None, *_: Any) -> Any:
    _handle(options, "setDeflate").update(compression="gzip", compression_opts=6 if level is None else int(level))
    return options


def setShuffle(options: Any = MISSING, *_: Any) -> Any:
    _handle(options, "setShuffle")["shuffle"] = True
    return options


OPTIONS = {"setChunked": setChunked, "setDeflate": setDeflate, "setShuffle": setShuffle}


def library(state: State) -> Table:
    """Returns the package's table."""
    state.require("torch")
    package = _Package(state)

    def open_(name: Any = MISSING, mode: Any = None, *_: Any) -> Node:
        name = string(name, 1, "open")
        wanted = "a" if mode is None else string(mode, 2, "open")
        if wanted not in _MODES:
            raise_error(f"hdf5.open: expected the mode r, r+, w, w- or a, got {wanted}")
        try:
            return package.kinds["HDF5File"](_h5py().File(encoded(name), _MODES[wanted]))  # type: ignore[no-any-return]
        except OSError as problem:
            raise LuaError(f"hdf5.open: {name}: {decoded(str(problem).encode())}") from None

    def DataSetOptions(*_: Any) -> Node:
        return package.kinds["DataSetOptions"]({})  # type: ignore[no-any-return]

    return fields(**state.outside("hdf5", {"open": open_}), DataSetOptions=DataSetOptions)
