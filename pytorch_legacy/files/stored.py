"""The engine by which objects come from .t7 files and go into them, as the forms of their classes say."""

from functools import lru_cache
from itertools import islice
from types import FunctionType
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from pytorch_legacy.arrays import ALL_TYPES, Tensor, are_whole, is_tensor, map_storage, tree, type_name
from pytorch_legacy.errors import FieldError
from pytorch_legacy.files.counting import Lua, fromOne, toOne
from pytorch_legacy.files.fields import Fields, check_kinds
from pytorch_legacy.files.fields import of as kinds_of
from pytorch_legacy.files.form import BUFFERS, SCRATCH, Form
from pytorch_legacy.files.lua import LuaMethod, ScriptMethod, stand_in
from pytorch_legacy.listed import Listed, by_class
from pytorch_legacy.messages import described

from . import migration, t7


class Stored(metaclass=Listed):
    """Fields that are read from a .t7 file and written to one. The base of all objects: what they have, and of what type.

    Attributes
    ----------
    _everyday : tuple of str
        The methods of the base that ``help`` lists for each class (`Listed`). A class without it is listed whole.
    _typename : str
        Torch7's name of the class, "nn.Linear".
    _dtype : numpy.dtype
        That of parameters and buffers: that of the default tensor type, float32 unless another one was chosen, until the object
        is converted. ``_type`` is Torch7's name for it.
    _array : type
        Type of parameters and buffers: NumPy's array or, on a CUDA device (``_onDevice``), CuPy's.
    _file : Form
        Declarations of the class, beyond those of its bases, of its fields in .t7 files.
        ``_form`` is what it and its bases declare.
    _lua : Lua
        Declarations of the class, beyond those of its bases, of what Lua programs count from 1.
        ``_counts`` is what it and its bases declare.
    _version : int, optional
        The version of the class in files: that of the form or, where it has none, of the object's file.
    _knowsFields : bool
        True if the class knows what its fields are; False of objects whose class is not known.
    _companions : tuple of str
        Typenames that files of this class contain, too. A class declares them if another class has the same typename and the
        same fields, so that only other objects in the file show which class it is.
    """

    _everyday: ClassVar[tuple[str, ...]] = ("dtype",)
    _typename = "nn.TorchObject"
    _dtype: np.dtype[Any] = np.dtype(np.float32)
    _array: Any = np.ndarray
    _file = Form()
    _form = Form()
    _lua = Lua()
    _counts = Lua()
    _knowsFields = True
    _companions: ClassVar[tuple[str, ...]] = ()
    _version: int | None = None
    # For objects from a file: the names of the fields there, and the fields that the class did not adopt.
    _fileFields: frozenset[Any] = frozenset()
    _fileRest: dict[Any, Any] = {}
    # Names that all objects have, which no field of a file replaces.
    _reserved: ClassVar[frozenset[str]] = frozenset()
    _bindings: Any  # `backend.prepared.Bindings`
    _fileTensors: dict[str, Tensor]  # the tensors of positions as they are in the file

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of parameters and outputs, and of what the object takes: float32 until it is converted."""
        return self._dtype

    @property
    def _onDevice(self) -> bool:
        return self._array is not np.ndarray

    @property
    def _type(self) -> str:
        return type_name(self._dtype, self._onDevice)

    @property
    def _inputDtype(self) -> np.dtype[Any]:
        """The dtype of the floating-point arrays that the object takes."""
        return self._dtype

    def _typed(self) -> tuple[Any, Any]:
        """The dtype, and the class of arrays: NumPy's or CuPy's."""
        return self._dtype, self._array

    def _ownType(self) -> tuple[Any, Any]:
        """The dtype, and the class of arrays, to which the object itself was converted. Those of an object that holds others may
        be different: see objects/typed.py."""
        return self._dtype, self._array

    @property
    def _ownTypeName(self) -> str:
        dtype, array = self._ownType()
        return type_name(dtype, array is not np.ndarray)

    def _ownFields(self) -> dict[str, Any]:
        # A list first: another thread's pass may give the object one more field meanwhile.
        return {key: value for key, value in [*self.__dict__.items()] if key not in ("_bindings", "_inPass")}

    def _with(self, fields: dict[str, Any]) -> Self:
        result = type(self).__new__(type(self))
        result.__dict__ = fields
        return result

    def _filePlaces(self) -> "_Places":
        cls: Any = type(self)
        return _places(cls)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """Takes over the fields of a .t7 file; the object was made without ``__init__``.

        A class whose older files differ by more than its form can say mends `fields` and then calls this method. `version` is
        the class version in the file. Afterwards all fields are of their kinds, and those that are missing are the defaults
        that the class declares.
        """
        own, form, places = self.__dict__, self._form, self._filePlaces()
        for old, name in form.formerly.items():
            fields = migration.rename(self, fields, old, name)
        for key, value in fields.items():
            if type(key) is not str or places.isPrivate(key):
                continue
            if key not in places.unlike:
                own[key] = value
            elif key in places.methods:
                # Only what does nothing can run here in the place of a method.
                if isinstance(value, t7.Function) and (method := stand_in(self, key, value)):
                    own[key] = method
            elif (name := places.attributes.get(key, "")) and name not in places.unused:
                own[name] = _position(key, value) if name in form.oneBased else value
        self._countFromZero({})
        type_ = fields.get("_type")
        if type_ is not None and not isinstance(type_, str) and self._knowsFields:
            raise FieldError(f"_type: expected the name of a tensor type, got {described(type_)}")
        self._dtype = dtype = (ALL_TYPES.get(type_) if isinstance(type_, str) else None) or stored_dtype(fields)
        # Without a gradInput many layers compute none, as in Torch7; an object without both was stripped of its buffers.
        if "gradInput" not in own:
            own["gradInput"] = None if own.get("output") is not None else np.empty(0, dtype)
        if "output" not in own:
            own["output"] = np.empty(0, dtype)
        check_kinds(self)
        for name, kind in self._counts.fields.items():
            if isinstance(own.get(name), (int, float)):
                own[name] = fromOne(own[name], kind)
        kinds = kinds_of(type(self))
        for name, default in form.defaults.items():
            if name not in own or (kinds.get(name) in ("a list of modules", "a list of criterions") and not own[name]):
                self._default(name, default, fields)

    def _open(self, fields: dict[Any, Any]) -> dict[str, Any]:
        """The fields of a file that become attributes as they are: none takes the place of a method, or of what is private."""
        places = self._filePlaces()
        return {str(key): value for key, value in fields.items() if not places.isPrivate(key) and key not in places.unlike}

    def _default(self, name: str, default: Any, fields: dict[str, Any]) -> None:
        """Gives a field that the file lacks what the class declares for it, or has itself."""
        isComputed = isinstance(default, FunctionType)
        if isComputed:
            if (default := Fields(self, fields).compute(name, default)) is not None:
                self.__dict__[name] = default
        elif not hasattr(self, name):
            self.__dict__[name] = default
        used: Any = getattr(self, name, None)
        if used is None or callable(used) or (used is False and not isComputed):
            return  # nil is what Lua has for None and False
        if isinstance(used, list) and not any(isinstance(entry, str) for entry in used):
            return  # modules of another field
        if name in self._form.implied or name in self._filePlaces().unused or (is_tensor(used) and not used.size):
            return  # Torch7's class has none, or makes it at first use
        migration.note(self, self._form.renamed.get(name, name), f"missing: {_filled(used)}")

    def _countFromZero(self, storages: dict[Any, Any]) -> None:
        """Lets the tensors that count from 1 in the file count from 0. Those that are converted with one dict share what they
        shared in the file."""
        if self._form.oneBasedTensors:
            kept = self.__dict__.setdefault("_fileTensors", {})
            for name, (dtype, _) in self._form.oneBasedTensors.items():
                source = kept.setdefault(name, self.__dict__.get(name))
                if not is_tensor(source):
                    continue
                if wrong := not_positions(source, dtype):
                    if name not in SCRATCH:
                        raise FieldError(f"{name}: {wrong}")
                    migration.note(self, name, f"was {described(source)}, not positions: empty")
                    kept[name] = source = np.empty(0, dtype)
                self.__dict__[name] = _stepped(source, -1, dtype, storages)

    def _countFromOne(self, storages: dict[Any, Any]) -> dict[str, Tensor]:
        """The tensors that count from 1 as they go into a file: those that came from one, which other objects may share, as
        long as they say the same. Those that are converted with one dict share what they share here."""
        found = {}
        for name, (_, wanted) in self._form.oneBasedTensors.items():
            here, dtype = self.__dict__.get(name), np.dtype(wanted or self._dtype)
            if is_tensor(here):
                stored = self.__dict__.get("_fileTensors", {}).get(name)
                isSame = is_tensor(stored) and stored.dtype == dtype and np.array_equal(stored, here + 1)
                found[name] = stored if isSame else _stepped(here, 1, dtype, storages)
        return found

    @classmethod
    def _claims(cls, fields: Any) -> bool:
        """Returns True if the fields belong to an object of this class, not to another author's class with the same typename."""
        return True

    def _toTorch7(self) -> dict[str, Any]:
        """The fields as Torch7 names and counts them: what `_fromTorch7` takes.

        Attributes whose names begin with an underscore are the package's own, unless the file had them.
        """
        fields: dict[str, Any] = {}
        places = self._filePlaces()
        for key, value in self._ownFields().items():
            if value is None or key in places.unused or isinstance(value, (FunctionType, ScriptMethod)):
                continue  # a function in Python, and one of a script, has no form in a .t7 file
            name = places.names.get(key, key)
            if isinstance(value, LuaMethod):
                fields[key] = value.function
            elif (name in self._fileFields and not places.isPrivate(name)) or key in places.names or not self._isOurs(key, value):
                fields[name] = self._asStored(key, value)
        for key in (*self._form.properties, *(key for key in places.names if key not in self.__dict__)):
            if (value := getattr(self, key, None)) is not None:
                fields[places.names.get(key, key)] = self._asStored(key, value)
        if (kept := self.__dict__.get("_luaFields")) is not None:
            fields |= {key: value for key, value in tree.plain(kept).items() if not isinstance(value, FunctionType)}
        return fields | self._countFromOne({})

    def _asStored(self, name: str, value: Any) -> Any:
        """The value of an attribute as it stands in files."""
        if name in self._form.oneBased:
            return counted(value, 1)
        if isinstance(value, (int, float)):
            return toOne(value, self._counts.fields.get(name))
        return t7.longs(value) if isinstance(value, tuple) and name in self._filePlaces().sizes else tree.plain(value)

    def _luaFunctions(self) -> dict[str, t7.Function]:
        """The functions that the file has in the place of methods."""
        found = {name: value.function for name, value in self.__dict__.items() if isinstance(value, LuaMethod)}
        rest = self._fileRest.items()
        return found | {key: value for key, value in rest if isinstance(value, t7.Function) and isinstance(key, str)}

    def _isOurs(self, key: str, value: Any) -> bool:
        """Returns True if the attribute means nothing to Torch7."""
        implied = self._form.implied
        if key[0] == "_" or (key in implied and np.isscalar(value) and value == implied[key]):
            return True
        isEmpty = is_tensor(value) and not value.size
        return isEmpty and (key in self._form.lazy or bool(self._fileFields))

    def _toRecord(self) -> t7.TorchObject:
        """The object as it stands in a .t7 file. What the class did not take over from its own file is as it was there."""
        own = self._toTorch7()
        if "_type" in self._fileFields:
            own.setdefault("_type", self._ownTypeName)
        fields = self._fileRest | own
        if not self._fileFields:
            for key, make in self._form.scratch.items():
                value = np.empty(0, self._dtype) if make is None else make(self)
                if value is not None:
                    fields.setdefault(key, value)
        return t7.TorchObject(self._typename, 1 if self._version is None else self._version, fields)

    def _remember(self, record: t7.TorchObject) -> None:
        """Keeps what saving needs to know about the file, after `_fromTorch7`."""
        fields: dict[Any, Any] = record.fields if isinstance(record.fields, dict) else {}
        self._fileFields = _names(tuple(fields))
        own, places = self.__dict__, self._filePlaces()
        rest = {key: value for key, value in fields.items() if key not in own or key in places.unused or places.isPrivate(key)}
        if rest:
            for key in ("_type", *self._form.outdated, *self._form.formerly):
                rest.pop(key, None)
            if rest:
                self._fileRest = rest
        if self._version is None and record.version != 1:
            self._version = record.version


class _Places(NamedTuple):
    """Names of fields that do not become attributes as they are: all of them, those that are declared, those of methods, those
    that are not taken, the attributes of the others; and the fields of attributes that are called otherwise, the attributes that
    are sizes."""

    unlike: frozenset[str]
    declared: frozenset[str]
    methods: frozenset[str]
    unused: frozenset[str]
    attributes: dict[str, str]
    names: dict[str, str]
    sizes: frozenset[str]
    knowsFields: bool

    def isPrivate(self, name: Any) -> bool:
        """Returns True if the class keeps the name for itself, whatever a file has under it."""
        return type(name) is str and name[:1] == "_" and self.knowsFields and name not in self.declared


@by_class
def _places(cls: Any) -> _Places:
    methods = frozenset(name for base in cls.__mro__ for name in vars(base) if callable(getattr(cls, name, None)))
    form = cls._form
    unused = frozenset((*form.dropped, *form.scratch, *form.private, *form.properties))
    names = dict(form.renamed)
    attributes = {name: name for name in form.oneBased if name not in names} | {field: name for name, field in names.items()}
    unlike = methods | unused | {*attributes, *names, *cls._reserved}
    sizes = frozenset(name for name, kind in kinds_of(cls).items() if kind == "sizes")
    declared = frozenset((*form.names(), *form.renamed.values()))
    return _Places(unlike, declared, methods - unused - attributes.keys(), unused, attributes, names, sizes, cls._knowsFields)


def _filled(value: Any) -> str:
    """Returns the new value of a missing field, in a few words."""
    if not is_tensor(value):
        return str(value)
    return "zeros" if not value.any() else "ones" if (value == 1).all() else described(value)


@lru_cache(1024)
def _names(fields: tuple[Any, ...]) -> frozenset[Any]:
    """The set of some names: one for all objects of a kind."""
    return frozenset(fields)


def counted(position: Any, step: int) -> Any:
    """A position that counts from 1 made to count from 0 (`step` -1) or back; negative ones count from the end."""
    if isinstance(position, (list, dict)):  # an empty table of Lua comes as a dict
        if len(position) > 4096:
            raise ValueError(f"{len(position)} positions in one list")
        return [counted(entry, step) for entry in position]
    if position is None or isinstance(position, str):
        return position
    return int(position) + step if position >= (1 if step < 0 else 0) else int(position)


def _position(name: str, value: Any) -> Any:
    """A field that counts from 1 in the file, made to count from 0."""
    try:
        return counted(value, -1)
    except (TypeError, ValueError, OverflowError):
        raise FieldError(f"{name}: expected positions, got {described(value)}") from None


def not_positions(array: Tensor, dtype: Any) -> str:
    """Returns the error of a tensor of positions from a file, which becomes one of the whole numbers of `dtype`; "" if none."""
    wrong = array[~are_whole(array, 1, dtype)]
    most = np.iinfo(dtype).max
    return f"expected positions, whole numbers from 1 to {most}, got {wrong.flat[0]}" if wrong.size else ""


def _stepped(array: Tensor, step: int, dtype: Any, storages: dict[Any, Any]) -> Tensor:
    """A tensor of positions made to count from 0 (`step` -1) or from 1, in another dtype."""
    if step < 0:
        with np.errstate(invalid="ignore"):  # elements of the storage that are not the tensor's may be anything
            return map_storage(array, lambda vector: vector.astype(dtype) - np.dtype(dtype).type(1), storages)
    return map_storage(array, lambda vector: (vector + 1).astype(dtype), storages)


def stored_dtype(fields: dict[str, Any]) -> np.dtype[Any]:
    """Returns the dtype of an object whose file does not name it: that of its first floating-point tensor, or first child."""
    # Popped from the end: parameters and buffers first, then the other fields in order.
    first = ("weight", "bias", *BUFFERS)
    backwards = [*fields][::-1]
    backwards.sort(key=lambda key: -first.index(key) if key in first else -len(first))
    waiting = [fields[key] for key in backwards]
    children: list[Stored] = []
    # Tables may be deep, cyclic or large, and shared by many objects, so only their beginnings are examined.
    for _ in range(10_000):
        if not waiting:
            break
        value = waiting.pop()
        if is_tensor(value) and value.dtype.kind == "f":
            return value.dtype
        if isinstance(value, Stored):
            children.append(value)
        elif isinstance(value, (list, dict)):
            entries = list(islice(value.values() if isinstance(value, dict) else value, 100))
            waiting += entries[::-1]
    return children[0]._ownType()[0] if children else np.dtype(np.float64)  # Torch7's own default
