"""The package ``hdf5``: files of numbers by h5py. Arrays are tensors, groups are tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..language.arguments import string
from ..language.errors import LuaError, raise_error, register
from ..language.libraries.files import decoded, encoded
from ..language.table import Table, Userdata, fields
from ..tensors.registry import native
from ..tensors.signatures import described
from ..tensors.tensor import Array, Tensor, wrap
from .functions import count, functions, size
from .values import is_table, listed
from .values import items as pairs

if TYPE_CHECKING:
    from ..language.state import State

_MODES = {"r": "r", "r+": "r+", "w": "w", "w-": "x", "a": "a"}
_WIDER = {"uint16": np.int32, "uint32": np.int64, "uint64": np.int64, "bool": np.uint8}
_MAX_DEPTH = 100  # tables within each other that are written, and groups that are read


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
        The object of h5py, or a dict of options. None once it is closed.
    """

    __slots__ = ("handle",)

    def __init__(self, handle: Any) -> None:
        self.handle = handle


def _node(node: Any, _: int, name: str) -> Node:
    """Returns a node, which has to be open."""
    if not isinstance(node, Node):
        raise_error(f"calling '{name}' on bad self")
    if node.handle is None or (not isinstance(node.handle, dict) and not node.handle):
        raise_error(f"hdf5: {name}: the file is closed")
    return node


def _name(value: Any, position: int, function: str) -> str:
    """Returns a path in a file, which is UTF-8."""
    text = string(value, position, function)
    if "\0" in text:
        raise_error(f"hdf5: {function}: expected a name without zero bytes")
    return encoded(text).decode("utf-8", "surrogateescape")


def _protected(act: Any) -> Any:
    """Returns a function whose errors of h5py are errors of Lua."""

    def protected(*given: Any) -> Any:
        try:
            return act(*given)
        except (OSError, KeyError, ValueError, TypeError, RuntimeError, NotImplementedError) as problem:
            words = problem.args[0] if problem.args else problem
            raise_error(f"hdf5: {decoded(str(words).encode('utf-8', 'surrogateescape'))}")

    return protected


class _Package:
    """The functions of a session's package."""

    def __init__(self, state: State) -> None:
        self.state = state
        common = {"all": ("handle", self.value), "close": ("node", _close)}
        own = {
            "getOrCreateChild": ("handle name", lambda handle, name: self.node(handle.require_group(name))),
            "read": ("handle name?", self.read),
            "write": ("handle name any any", _write),
        }
        ofSets = {"partial": ("handle *list", self.partial), "dataspaceSize": ("handle", lambda handle: [*handle.shape])}
        kinds = {
            "HDF5File": {**common, **own, "append": ("handle name any any", _append)},
            "HDF5Group": {**common, **own},
            "HDF5DataSet": {**common, **ofSets},
            "DataSetOptions": OPTIONS,
        }
        self.kinds = {name: native(state.types, Node, f"hdf5.{name}", _methods(methods)) for name, methods in kinds.items()}
        for kind in self.kinds.values():
            register(kind._metatable.__dict__)

    def node(self, handle: Any) -> Node:
        """Returns a data set or group as Lua has it."""
        name = "HDF5DataSet" if isinstance(handle, _h5py().Dataset) else "HDF5Group"
        return self.kinds[name](handle)  # type: ignore[no-any-return]

    def value(self, handle: Any, depth: int = 0) -> Any:
        """Returns all that a group or data set holds."""
        if depth > _MAX_DEPTH:
            raise_error("hdf5: all: the groups are nested too deeply")
        if not isinstance(handle, _h5py().Dataset):
            table = Table()
            for name, member in handle.items():
                self.state.setindex(table, decoded(name.encode("utf-8", "surrogateescape")), self.value(member, depth + 1))
            return table
        found = handle[()]
        if isinstance(found, (bytes, str)):
            return decoded(found if isinstance(found, bytes) else found.encode("utf-8", "surrogateescape"))
        return self.tensor(np.asarray(found), handle.name)

    def tensor(self, array: Array, name: str) -> Tensor:
        """Returns an array as a tensor."""
        array = array.astype(_WIDER.get(array.dtype.name, array.dtype.newbyteorder("=")))
        if array.dtype not in self.state.types.tensors:
            raise_error(f"hdf5: {name}: there are no tensors of {array.dtype}")
        return wrap(self.state.types, array)

    def read(self, handle: Any, name: str | None) -> Node:
        """Returns a member of a group, or the group itself."""
        if name is None or not name.strip("/"):
            return self.node(handle[handle.name])
        if name not in handle:
            raise_error(f"HDF5Group:read() - no such child '{decoded(name.encode('utf-8', 'surrogateescape'))}'")
        return self.node(handle[name])

    def partial(self, handle: Any, *ranges: list[Any]) -> Tensor:
        """Returns a part of a data set."""
        if len(ranges) != handle.ndim:
            raise_error(f"HDF5DataSet:partial() - expected {handle.ndim} ranges, got {len(ranges)}")
        parts = []
        for i, one in enumerate(ranges):
            first, last = (count(value or 0.0, i + 2, "partial") for value in (*one, None, None)[:2])
            if not 1 <= first <= last <= handle.shape[i]:
                raise_error(f"HDF5DataSet:partial() - expected a range in 1 to {handle.shape[i]}, got {first} to {last}")
            parts.append(slice(first - 1, last))
        return self.tensor(handle[tuple(parts)], handle.name)


def _methods(declarations: dict[str, Any]) -> dict[str, Any]:
    made = {name: (text, _protected(act)) for name, (text, act) in declarations.items()}
    return functions(made, node=_node, handle=lambda *given: _node(*given).handle, name=_name)


def _array(data: Any) -> Array:
    if not isinstance(data, Tensor):
        raise_error(f"torch-hdf5: writing data of type {described(data)} is not supported")
    return data.array


def _write(handle: Any, path: str, data: Any, options: Any, depth: int = 0) -> tuple[()]:
    """Writes a tensor or a table of them."""
    if depth > _MAX_DEPTH:
        raise_error("hdf5: write: the tables are nested too deeply")
    if is_table(data):
        for key, value in pairs(data):
            if key.__class__ is not str:
                raise_error("hdf5: write: expected names as keys of a table")
            _write(handle, f"{path.rstrip('/')}/{_name(key, 2, 'write')}", value, options, depth + 1)
        if not pairs(data):
            handle.require_group(path)
        return ()
    array = _array(data)
    if path in handle:
        raise_error(f"HDF5Group:write() - {path} is there already")
    handle.create_dataset(path, data=array, **(options.handle if isinstance(options, Node) else {}))
    return ()


def _append(handle: Any, path: str, data: Any, options: Any) -> tuple[()]:
    """Adds rows to a data set, which is made if there is none."""
    array = _array(data)
    if path in handle:
        known = handle[path]
        known.resize(known.shape[0] + len(array), 0)
        known[known.shape[0] - len(array) :] = array
    else:
        shape = (None, *array.shape[1:])
        handle.create_dataset(path, data=array, maxshape=shape, **(options.handle if isinstance(options, Node) else {}))
    return ()


def _close(node: Node) -> tuple[()]:
    if isinstance(node.handle, _h5py().File):
        node.handle.close()
        node.handle = None
    return ()


def _option(compute: Any) -> Any:
    """Returns a method that notes options, and returns its object."""

    def noted(node: Node, *given: Any) -> Node:
        node.handle.update(compute(*given))
        return node

    return noted


def _chunks(*sizes: Any) -> dict[str, Any]:
    values = listed(sizes[0]) if len(sizes) == 1 and is_table(sizes[0]) else sizes
    return {"chunks": tuple(size(one, i, "setChunked") for i, one in enumerate(values, 2))}


OPTIONS: dict[str, Any] = {
    "setChunked": ("node *any", _option(_chunks)),
    "setDeflate": ("node count=6", _option(lambda level: {"compression": "gzip", "compression_opts": level})),
    "setShuffle": ("node", _option(lambda: {"shuffle": True})),
}


def library(state: State) -> Table:
    """Returns the package's table."""
    state.require("torch")
    package = _Package(state)

    def open_(path: bytes, mode: str) -> Node:
        if mode not in _MODES:
            raise_error(f"hdf5.open: expected the mode r, r+, w, w- or a, got {mode}")
        try:
            return package.kinds["HDF5File"](_h5py().File(path, _MODES[mode]))  # type: ignore[no-any-return]
        except OSError as problem:
            raise LuaError(f"hdf5.open: {decoded(path)}: {decoded(str(problem).encode('utf-8', 'surrogateescape'))}") from None

    made = {"open": ("path string=a", open_), "DataSetOptions": ("*any", lambda *_: package.kinds["DataSetOptions"]({}))}
    return fields(**state.outside("hdf5", functions(made), ("DataSetOptions",)))
