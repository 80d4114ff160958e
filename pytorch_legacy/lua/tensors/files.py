"""Values of Lua in .t7 files: ``torch.save``, ``torch.load``, ``torch.serialize``. The package's own reader and writer do it.

Tables, tensors, storages, generators and objects of classes that scripts made are stored. What other objects are, two
functions of `Types` know: `describe` and `build`.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from pytorch_legacy.arrays.storage import map_storage
from pytorch_legacy.errors import T7Error
from pytorch_legacy.files import t7

from ..language.arguments import MISSING, string
from ..language.errors import raise_error, type_name
from ..language.libraries.files import system_name
from ..language.table import TABLES, Table, key_of, keys, rawget, rawset, set_metatable
from .generators import Generator
from .signatures import shown
from .tensor import DTYPES, Array, Storage, Tensor, wrap

if TYPE_CHECKING:
    from ..language.state import State

_FORMATS = {"binary": "binary", "ascii": "ascii", "b32": "binary", "b64": "binary"}
_MOST_NESTED = 5000  # tables within each other


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


def _path(name: str) -> str:
    """Returns a name of Lua, which is bytes, as Python has names of files."""
    return os.fsdecode(system_name(name))


def _problem(error: Exception) -> str:
    """Returns the words of an error, those of the system if it comes from there."""
    return error.strerror or str(error) if isinstance(error, OSError) and not isinstance(error, T7Error) else str(error)


class Leaving:
    """Converts values of Lua to objects of files; what is one object stays one."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.made: dict[int, tuple[Any, Any]] = {}  # with the value, whose address no other one may get meanwhile
        self.depth = 0

    def value(self, value: Any) -> Any:
        if value is None or value.__class__ is bool or value.__class__ is float:
            return value
        if value.__class__ is str:
            return _bytes(value)
        found = self.made.get(id(value))
        if found is not None:
            return found[1]
        self.depth += 1
        try:
            if self.depth > _MOST_NESTED:
                raise_error("the tables are nested too deeply to be written")
            return self._object(value)
        finally:
            self.depth -= 1

    def _object(self, value: Any) -> Any:
        if value.__class__ in TABLES:
            return self._table(value)
        if isinstance(value, Tensor):
            return self._keep(value, value.array)
        if isinstance(value, Storage):
            return self._keep(value, value.vector.view(t7.Storage))
        if isinstance(value, Generator):
            return self._keep(value, t7.TorchObject("torch.Generator", 1, value.state.tobytes()))
        if self.state.types.containers is not None:
            contained = self.state.types.containers[0](value, self.value, self._keep)
            if contained is not None:
                return contained
        described = self.state.types.describe(value, self.value)
        if described is None:
            raise_error(f"unable to serialize object of type {type_name(value)}")
        return self._keep(value, described)

    def _keep(self, value: Any, made: Any) -> Any:
        self.made[id(value)] = (value, made)
        return made

    def forget(self, known: int) -> None:
        """Forgets all but the objects that were converted first, because later ones were not written."""
        while len(self.made) > known:
            self.made.popitem()

    def _table(self, table: Table) -> Any:
        metatable = self.state.metatable(table)
        name = metatable.__dict__.get("__typename") if metatable is not None else None
        fields: dict[Any, Any] = {}
        if name is None:
            self._keep(table, fields)
        else:
            made = self._keep(table, t7.TorchObject(name, 1, fields))
        for raw in keys(table):
            value = rawget(table, raw if raw.__class__ is str else key_of(raw))
            if value is not None:
                key = self.value(key_of(raw))
                isPlain = key.__class__ in (bytes, float)
                fields[key if isPlain else t7.IdentityKey(key)] = self.value(value)
        return fields if name is None else made


class Coming:
    """Converts objects of files to values of Lua."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.made: dict[int, tuple[Any, Any]] = {}
        self.aligned: dict[Any, Any] = {}

    def value(self, value: Any) -> Any:
        if value is None or value.__class__ is bool:
            return value
        if isinstance(value, str):
            return value.encode("utf-8", "surrogateescape").decode("latin-1")
        if isinstance(value, (int, float)):
            return float(value)
        found = self.made.get(id(value))
        return self._object(value) if found is None else found[1]

    def keep(self, value: Any, made: Any) -> Any:
        """Notes what became of an object."""
        self.made[id(value)] = (value, made)
        return made

    def _object(self, value: Any) -> Any:
        types = self.state.types
        if isinstance(value, np.ndarray):
            array = self._aligned(np.asarray(value))
            if isinstance(value, t7.Storage):
                return self.keep(value, types.storages[array.dtype](array))
            return self.keep(value, wrap(types, array))
        if isinstance(value, (t7.Hash, t7.Vec)):
            self.state.require("tds")
            return types.containers[1](value, self.value, self.keep)
        if isinstance(value, (list, dict)):
            return self._fill(self.keep(value, Table()), value)
        built = types.build(value, self)
        if built is None and isinstance(value, t7.TorchObject):
            return self._torch_object(value)
        return built

    def _aligned(self, array: Array) -> Array:
        """Returns an array whose elements lie as Python's own: those of binary files may not. Arrays of one storage stay so."""
        return array if array.flags.aligned else map_storage(array, np.copy, self.aligned)

    def _torch_object(self, value: t7.TorchObject) -> Any:
        types = self.state.types
        if value.typename == "torch.Generator":
            made = self.keep(value, types.names["torch.Generator"]())
            made.state = np.frombuffer(value.fields, np.uint8).copy()
            return made
        metatable = types.registered(value.typename)
        if metatable is None:
            raise_error(f"unknown Torch class <{value.typename}>")
        table = Table()
        set_metatable(table, metatable)
        self.keep(value, table)
        return self._fill(table, {} if value.fields is None else value.fields)

    def _fill(self, table: Table, value: Any) -> Table:
        items = enumerate(value, 1) if isinstance(value, list) else value.items()
        for key, one in items:
            key = key.value if isinstance(key, t7.IdentityKey) else key
            rawset(table, self.value(key), self.value(one))
        return table


def to_file(state: State, value: Any) -> Any:
    """Returns a value of Lua as `t7.write` takes it."""
    return Leaving(state).value(value)


def from_file(state: State, value: Any) -> Any:
    """Returns what `t7.read` gives as a value of Lua."""
    return Coming(state).value(value)


def _format(name: Any, function: str) -> Any:
    found = "binary" if name is None else _FORMATS.get(name) if name.__class__ is str else None
    if found is None:
        raise_error(f"bad argument to '{function}' (expected the mode 'binary' or 'ascii', got {shown(name)})")
    return found


def packed(state: State, value: Any, form: Any = None) -> bytes:
    """Returns the bytes of a value."""
    sink = io.BytesIO()
    try:
        t7.write(sink, to_file(state, value), _format(form, "serialize"), describe=state.types.records())
    except T7Error as error:
        raise_error(str(error))
    return sink.getvalue()


def unpacked(state: State, content: bytes, form: Any = None) -> Any:
    """Returns the value that bytes are."""
    try:
        found = t7.read(content, format=_format(form, "deserialize"), objects="first", objectFactory=state.types.factory())
    except T7Error as error:
        raise_error(str(error))
    return from_file(state, found)


def functions(state: State) -> dict[str, Any]:
    """Returns the functions of ``torch`` that write and read values."""
    char = state.types.storages[DTYPES["Char"]]

    def save(name: Any = MISSING, value: Any = None, form: Any = None, *_: Any) -> tuple[()]:
        path, mode = _path(string(name, 1, "save")), _format(form, "save")
        content = to_file(state, value)
        try:
            t7.write(path, content, mode, describe=state.types.records())
        except (OSError, T7Error) as error:
            raise_error(f"cannot write <{name}> in mode w: {_problem(error)}")
        return ()

    def load(name: Any = MISSING, form: Any = None, *_: Any) -> Any:
        path = _path(string(name, 1, "load"))
        mode: Any = _format(form, "load") if form else "auto"
        try:
            found = t7.read(path, format=mode, objects="first", objectFactory=state.types.factory())
        except (OSError, T7Error) as error:
            raise_error(f"cannot open <{name}> in mode r: {_problem(error)}")
        return from_file(state, found)

    def serialize(value: Any = None, form: Any = None, *_: Any) -> str:
        return packed(state, value, form).decode("latin-1")

    def deserialize(text: Any = MISSING, form: Any = None, *_: Any) -> Any:
        return unpacked(state, _bytes(string(text, 1, "deserialize")), form)

    def serializeToStorage(value: Any = None, form: Any = None, *_: Any) -> Storage:
        found: Storage = char(np.frombuffer(packed(state, value, form), np.int8).copy())
        return found

    def deserializeFromStorage(storage: Any = MISSING, form: Any = None, *_: Any) -> Any:
        if not isinstance(storage, Storage) or storage.dtype.itemsize != 1:
            raise_error("bad argument #1 to 'deserializeFromStorage' (CharStorage expected)")
        return unpacked(state, storage.vector.tobytes(), form)

    made = {**state.outside("torch", {"save": save, "load": load}), "serialize": serialize, "deserialize": deserialize}
    return made | {"serializeToStorage": serializeToStorage, "deserializeFromStorage": deserializeFromStorage}
