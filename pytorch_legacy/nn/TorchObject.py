"""What modules, criterions and the other objects of Torch7's class system have in common."""

import copy
from collections import deque
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, wraps
from html import escape
from itertools import islice
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from pytorch_legacy import backend, hints
from pytorch_legacy.arrays import (
    CUDA_TYPES,
    TENSOR_TYPES,
    Tensor,
    buffer,
    cupy,
    entered,
    is_repeated,
    is_tensor,
    moved,
    on_device,
    overlap,
    pickled,
    placed,
    placement,
)
from pytorch_legacy.errors import DtypeError, FieldError, OutOfMemoryError, ShapeError, ValueRangeError
from pytorch_legacy.files import form, mending, t7
from pytorch_legacy.files.fields import Fields, check
from pytorch_legacy.files.fields import of as kinds_of
from pytorch_legacy.files.form import BUFFERS, Form
from pytorch_legacy.files.t7.objects import IdentityKey
from pytorch_legacy.nn import pickling
from pytorch_legacy.nn.arguments import checked, numbers
from pytorch_legacy.nn.lua import LuaMethod, stand_in
from pytorch_legacy.nn.printing import always
from pytorch_legacy.passes import guarded
from pytorch_legacy.words import described

_TYPES = TENSOR_TYPES | CUDA_TYPES
# The packages of Torch7 that had a table of their own for their classes.
# Methods that are held to their annotations, in each class: those that users give numbers.
_CHECKED = ("__init__", "reset", "updateParameters", "accUpdateGradParameters", "backwardUpdate")
_NAMESPACES = ("nn", "optim", "nngraph", "cudnn", "inn")


class TorchObject:
    """A named bag of fields that can be converted, cloned, pickled and read from a .t7 file.

    Attributes
    ----------
    _typename : str
        Torch7's name of the class, "nn.Linear". Classes of this package have the name of their subpackage in front, or
        "nn" where Torch7 had them there; other classes are called what Python calls them unless they set it.
    _dtype : numpy.dtype
        That of parameters and buffers: that of the default tensor type, float32 unless another one was chosen, until the object
        is converted. ``_type`` is Torch7's name for it.
    _array : type
        What parameters and buffers are: NumPy's arrays or, on a CUDA device (``_onDevice``), CuPy's.
    _file : Form
        What the class, beyond its bases, declares of its fields in .t7 files. ``_form`` is what it and its bases declare.
    _version : int, optional
        The version of the class in files: that of the form or, where it has none, of the object's file.
    _knowsFields : bool
        Does the class know what its fields are? False of objects whose class is not known.
    _addsSizes : bool
        Torch7 computed with the sizes in Lua before it took their whole parts: one with a fraction is an error.
    _exact : dict
        Constants that were given in double precision, byte by byte, under the names of the fields that have them rounded.
    _constructed : set of str
        The attributes that constructors made in this process, for who looks for misspelt ones (misspelt.py).
    _bindings : dict
        Backend code keeps here what it remembers between calls; clones, conversions and pickles go without it.
    _inPass : bool
        Is a thread within ``forward`` or ``backward``? See passes.py.
    """

    _typename = "nn.TorchObject"
    _dtype: np.dtype[Any] = np.dtype(np.float32)
    _array: Any = np.ndarray
    _file = Form()
    _form = Form()
    _addsSizes = False
    _knowsFields = True
    _version: int | None = None
    _exact: dict[str, bytes] = {}
    _constructed: set[str] = set()
    _inPass = False
    _isPart = False  # is it pickled as part of another object?
    # Of objects that come from a file: the names of the fields there, and the fields that the class did not take over.
    _fileFields: frozenset[Any] = frozenset()
    _fileRest: dict[Any, Any] = {}

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        package, *inner = cls.__module__.split(".")
        if "_typename" not in cls.__dict__:
            space = inner[0] if inner and inner[0] in _NAMESPACES else "nn"
            cls._typename = f"{space}.{cls.__name__}" if package == "pytorch_legacy" else cls.__name__
        cls._form = form.of(cls)
        if form.OLD & cls.__dict__.keys():
            raise TypeError(f"{cls.__name__}: {min(form.OLD & cls.__dict__.keys())} is now an entry of _file = pl.Form(...)")
        cls._version = cls._form.version
        if "__repr__" in cls.__dict__:
            cls.__repr__ = always(cls.__repr__)  # type: ignore[method-assign]
        isOurs = package == "pytorch_legacy"
        for name in _CHECKED if isOurs else ("__init__",):
            method = cls.__dict__.get(name)
            if (isOurs and method) or (isinstance(method, FunctionType) and method.__annotations__):
                setattr(cls, name, checked(method))
        cls._constructed = set()
        if isOurs and "__init__" in cls.__dict__:
            cls.__init__ = _noting(cls.__init__)  # type: ignore[method-assign]
        for name in ("forward", "backward", "backwardUpdate"):
            if name in cls.__dict__:
                setattr(cls, name, guarded(cls.__dict__[name]))

    if not TYPE_CHECKING:  # or every attribute would be known to mypy

        def __getattr__(self, name: str) -> Any:
            """What is called when there is no such attribute, as in an object whose file lacked a field."""
            member = getattr(type(self), name, None)
            if isinstance(member, property):
                return member.fget(self)  # it is there, and misses another one: that is the one to name
            error = FieldError(f"{self._typename}: has no attribute {name!r}{hints.of_attribute(name)}")
            error.name, error.obj = name, self  # Python then says which name may have been meant
            try:
                raise error
            finally:
                del error  # else the frames of all callers, and the arrays in them, wait for the garbage collector

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Converts the floating-point arrays in all fields, objects inside included, and returns self.

        Arrays that share a storage share the converted one. Integer arrays (indices, masks) keep their dtype.

        Parameters
        ----------
        type
            "torch.FloatTensor", "torch.DoubleTensor", or what NumPy takes for such a dtype; "torch.CudaTensor" (of single
            precision), "torch.CudaDoubleTensor" and "torch.CudaHalfTensor" move all arrays to the current CUDA device.
            Without it the method returns the name of the present type.
        tensorCache
            Hand one dictionary to several calls to keep sharing between their objects.

        Raises
        ------
        DeviceError
            If there is no CUDA device, or what is needed to use it is not installed.
        """
        if type is None:
            return self._type
        name = self._checkedType(type)
        cache: dict[Any, Any] = {} if tensorCache is None else tensorCache
        waiting = [self] if id(self) not in cache else []

        def later(inner: TorchObject) -> TorchObject:
            """Objects inside wait for their turn, or containers in containers would call each other; but for other methods."""
            if inner.__class__.type is not TorchObject.type or "type" in inner.__dict__:
                return inner.type(name, cache) or inner
            if id(inner) not in cache:
                cache[id(inner)] = inner
                waiting.append(inner)
            return inner

        cache[id(self)] = self
        while waiting:
            thing = waiting.pop()
            fields, exact = thing._ownFields(), thing._unchanged()
            for key, value in fields.items():
                fields[key] = converted(value, name, cache, floatsOnly=True, alone=key in BUFFERS, each=later)
            for key, constant in exact.items():
                if (new := fields[key]) is not thing.__dict__[key]:
                    new[...] = placed(constant, on_device(new), new.dtype)
            thing.__dict__ = fields
            thing._take(name)
        return self

    def float(self, tensorCache: dict[Any, Any] | None = None) -> Self:
        """Converts to single precision, on the host, and returns self."""
        self.type("torch.FloatTensor", tensorCache)
        return self

    def double(self, tensorCache: dict[Any, Any] | None = None) -> Self:
        """Converts to double precision, on the host, and returns self."""
        self.type("torch.DoubleTensor", tensorCache)
        return self

    def cuda(self, tensorCache: dict[Any, Any] | None = None) -> Self:
        """Moves to the current CUDA device, in single precision, and returns self.

        Arrays become CuPy's: parameters and buffers, and from then on outputs. ``float()`` brings all back.
        """
        self.type("torch.CudaTensor", tensorCache)
        return self

    def half(self, tensorCache: dict[Any, Any] | None = None) -> Self:
        """Converts to half precision where it is, and returns self. Layers compute in it on a CUDA device only."""
        self.type("torch.CudaHalfTensor" if self._onDevice else "torch.HalfTensor", tensorCache)
        return self

    @classmethod
    def new(cls, *arguments: Any, **keywords: Any) -> Self:
        """A new object of the same class: ``m.new(...)`` is what the class makes of these arguments."""
        return cls(*arguments, **keywords)

    def clone(self) -> Self:
        """A deep copy; arrays that share a storage in the original share one in the copy."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        return self._typename

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return f"<pre>{escape(str(self))}</pre>"

    def _take(self, name: str) -> None:
        """Notes the tensor type that the object now has."""
        self._dtype = _TYPES[name]
        self._array = cupy().ndarray if name in CUDA_TYPES else np.ndarray

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

    def _resize(self, name: str, shape: tuple[int, ...], dtype: Any = None, apart: Any = None) -> Tensor:
        """The buffer in field `name`: the old array when shape and dtype fit, else a new one with any contents.

        `dtype` is the module's own if it is not given. `apart` is an array, or a table, that will be read while the buffer
        is written: if it lies in the old one, as when a layer gets its own output to read, there is a new one.
        """
        old: Any = self.__dict__.get(name)
        dtype = dtype or self._dtype
        if apart is not None and overlap(old, apart):
            old = None
        if type(old) is np.ndarray and old.shape == shape and old.dtype == dtype and old.flags.carray:
            return old
        new = self.__dict__[name] = self._made(name, shape, buffer, old, shape, dtype, self._onDevice)
        return new

    def _made(self, name: str, shape: Any, make: Callable[..., Tensor], *arguments: Any) -> Tensor:
        """What `make` gives: an array of that shape for a field. Where there can be none the error says for what."""
        try:
            return make(*arguments)
        except MemoryError as error:
            raise OutOfMemoryError(f"{self._typename}: {name}: {error}") from None
        except (TypeError, ValueError) as error:
            raise ShapeError(f"{self._typename}: {name}: no array has the shape {shape}: {error}") from None

    def _resizeTable(self, name: str, shapes: list[tuple[int, ...]], apart: Any = None) -> list[Tensor]:
        """As `_resize`, for a field that is a list of buffers."""
        old = getattr(self, name, None)
        spare = list(old) if isinstance(old, list) and not overlap(old, apart) else []
        spare += [None] * (len(shapes) - len(spare))
        table = [buffer(entry, shape, self._dtype, self._onDevice) for entry, shape in zip(spare, shapes, strict=False)]
        setattr(self, name, table)
        return table

    def _constant(self, name: str, value: Any) -> Tensor:
        """Numbers, a constant of the layer's user, as an array for field `name` in the object's element type.

        Digits that are lost in it are remembered: the field has them when the object is converted to double precision.
        """
        exact = numbers(self, name, value)
        constant = exact.astype(self._dtype)
        if (constant != exact).any():
            self._exact = self._exact | {name: exact.tobytes()}
        return constant

    def _unchanged(self) -> dict[str, Tensor]:
        """The constants in double precision of those fields that still hold them, rounded."""
        found = {}
        for name, digits in self._exact.items():
            field = self.__dict__.get(name)
            if is_tensor(field) and 8 * field.size == len(digits):
                exact = np.frombuffer(digits).reshape(field.shape)
                if np.array_equal(placed(field, False), exact.astype(field.dtype), equal_nan=True):
                    found[name] = exact
        return found

    def _ownFields(self) -> dict[str, Any]:
        # A list first: another thread's pass may give the object one more field meanwhile.
        return {key: value for key, value in [*self.__dict__.items()] if key not in ("_bindings", "_inPass")}

    def _with(self, fields: dict[str, Any]) -> Self:
        result = type(self).__new__(type(self))
        result.__dict__ = fields
        return result

    def __copy__(self) -> Self:
        return self._with(self._ownFields())

    def __deepcopy__(self, memo: dict[Any, Any]) -> Self:
        # Make all objects, then fill them: a graph of nodes may be chained deeper than Python can recurse.
        things = reachable(self, memo)
        for thing in things:
            memo[id(thing)] = thing._with({})
        for thing in things:
            memo[id(thing)].__dict__ = thing._copiedFields(memo)
        return memo[id(self)]

    def _copiedFields(self, memo: dict[Any, Any]) -> dict[str, Any]:
        storages = memo.setdefault("pytorch_legacy.storages", {})
        fields = self._ownFields()
        for key, value in fields.items():

            def copied(array: Tensor, alone: bool = key in BUFFERS) -> Tensor:
                if id(array) not in memo:
                    memo[id(array)] = moved(array, np.copy, storages, alone)
                return memo[id(array)]

            fields[key] = rebuilt(value, memo, copied, lambda thing: memo[id(thing)], lambda leaf: copy.deepcopy(leaf, memo))
        return fields

    def __getstate__(self) -> dict[str, Any]:
        seen: dict[Any, Any] = {}
        fields = self._ownFields()
        whole = {key for key in BUFFERS if key in fields and not is_repeated(fields[key])}
        state = {key: value if key in whole else rebuilt(value, seen, pickled) for key, value in fields.items()}
        return {"_inner": inner, **state} if (inner := pickling.inner(self)) else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__.pop("_inner", None)

    def _entered(self, name: str, value: Any) -> Any:
        """An argument of that name, with arrays of other libraries as NumPy's or CuPy's."""
        try:
            return entered(value, self._onDevice)
        except DtypeError as error:
            raise DtypeError(f"{self._typename}: {name}: {error}") from None

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """Takes over the fields of a .t7 file; the object was made without ``__init__``.

        A class whose older files differ by more than its form can say mends `fields` and then calls this method. `version` is
        the class version in the file. Afterwards all fields are of their kinds, and those that are missing are the defaults
        that the class declares.
        """
        own, form, places = self.__dict__, self._form, _places(type(self))  # type: ignore[arg-type]
        for old, name in form.formerly.items():
            fields = mending.rename(self, fields, old, name)
        for key, value in fields.items():
            if type(key) is not str:
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
        self._dtype = (_TYPES.get(type_) if isinstance(type_, str) else None) or dtype_of(fields)
        # Without a gradInput many layers compute none, as in Torch7; an object without both was stripped of its buffers.
        if "gradInput" not in own:
            own["gradInput"] = None if own.get("output") is not None else np.empty(0, self._dtype)
        if "output" not in own:
            own["output"] = np.empty(0, self._dtype)
        check(self)
        kinds = kinds_of(type(self))
        for name, default in form.defaults.items():
            if name not in own or (kinds.get(name) == "a list of modules" and not own[name]):
                self._default(name, default, fields)

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
        if name in self._form.implied or name in _places(type(self)).unused or (is_tensor(used) and not used.size):  # type: ignore[arg-type]
            return  # Torch7's class has none, or makes it at first use
        mending.note(self, self._form.renamed.get(name, name), f"missing: {_filled(used)}")

    def _countFromZero(self, storages: dict[Any, Any]) -> None:
        """Lets the tensors that count from 1 in the file count from 0. Those that are converted with one dict share what they
        shared in the file."""
        if self._form.oneBasedTensors:
            kept = self.__dict__.setdefault("_fileTensors", {})
            for name, (dtype, _) in self._form.oneBasedTensors.items():
                source = kept.setdefault(name, self.__dict__.get(name))
                if is_tensor(source):
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
        """Are these the fields of an object of this class, and not of another one with the same typename?"""
        return True

    def _toTorch7(self) -> dict[str, Any]:
        """The fields as Torch7 names and counts them: what `_fromTorch7` takes.

        Attributes whose names begin with an underscore are the package's own, unless the file had them.
        """
        fields: dict[str, Any] = {}
        places = _places(type(self))  # type: ignore[arg-type]
        for key, value in self._ownFields().items():
            if value is None or key in places.unused or isinstance(value, FunctionType):
                continue  # a function in Python has no form in a .t7 file
            name = places.names.get(key, key)
            if isinstance(value, LuaMethod):
                fields[key] = value.function
            elif name in self._fileFields or key in places.names or not self._isOurs(key, value):
                fields[name] = self._asStored(key, value)
        for key in (*self._form.properties, *(key for key in places.names if key not in self.__dict__)):
            if (value := getattr(self, key, None)) is not None:
                fields[places.names.get(key, key)] = self._asStored(key, value)
        return fields | self._countFromOne({})

    def _asStored(self, name: str, value: Any) -> Any:
        """The value of an attribute as it stands in files."""
        if name in self._form.oneBased:
            return counted(value, 1)
        return t7.longs(value) if isinstance(value, tuple) and name in _places(type(self)).sizes else value  # type: ignore[arg-type]

    def _luaFunctions(self) -> dict[str, t7.Function]:
        """The functions that the file has in the place of methods."""
        found = {name: value.function for name, value in self.__dict__.items() if isinstance(value, LuaMethod)}
        rest = self._fileRest.items()
        return found | {key: value for key, value in rest if isinstance(value, t7.Function) and isinstance(key, str)}

    def _isOurs(self, key: str, value: Any) -> bool:
        """Does the attribute mean nothing to Torch7?"""
        implied = self._form.implied
        if key[0] == "_" or (key in implied and np.isscalar(value) and value == implied[key]):
            return True
        isEmpty = is_tensor(value) and not value.size
        return isEmpty and (key in self._form.lazy or bool(self._fileFields))

    def _toRecord(self) -> t7.TorchObject:
        """The object as it stands in a .t7 file. What the class did not take over from its own file is as it was there."""
        own = self._toTorch7()
        if "_type" in self._fileFields:
            own.setdefault("_type", self._type)
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
        own, unused = self.__dict__, _places(type(self)).unused  # type: ignore[arg-type]
        rest = {key: value for key, value in fields.items() if key not in own or key in unused}
        if rest:
            for key in ("_type", *self._form.outdated, *self._form.formerly):
                rest.pop(key, None)
            if rest:
                self._fileRest = rest
        if self._version is None and record.version != 1:
            self._version = record.version

    def _checkedType(self, wanted: Any) -> str:
        name = wanted if isinstance(wanted, str) and wanted.startswith("torch.") else type_name(wanted)
        known = _TYPES.get(name)
        if known is None or known.kind != "f":
            names = '"torch.FloatTensor", "torch.DoubleTensor" or "torch.CudaTensor"'
            raise ValueRangeError(f"{self._typename}: type: expected {names}, got {wanted!r}")
        if name in CUDA_TYPES:
            backend.require(f"{self._typename}: {name}")
        return name


def _noting(constructor: Callable[..., None]) -> Any:
    """A constructor that notes for the class which attributes it made."""

    @wraps(constructor)
    def noting(self: TorchObject, /, *arguments: Any, **keywords: Any) -> None:
        constructor(self, *arguments, **keywords)
        type(self)._constructed.update(self.__dict__)

    return noting


class _Places(NamedTuple):
    """Names of fields that do not become attributes as they are: all of them, those of methods, those that are not taken, the
    attributes of the others; and the fields of attributes that are called otherwise, the attributes that are sizes."""

    unlike: frozenset[str]
    methods: frozenset[str]
    unused: frozenset[str]
    attributes: dict[str, str]
    names: dict[str, str]
    sizes: frozenset[str]


@cache
def _places(cls: type[TorchObject]) -> _Places:
    methods = frozenset(name for name in dir(cls) if callable(getattr(cls, name, None)))
    form = cls._form
    unused = frozenset((*form.dropped, *form.scratch, *form.private, *form.properties))
    names = dict(form.renamed)
    attributes = {name: name for name in form.oneBased if name not in names} | {field: name for name, field in names.items()}
    unlike = methods | unused | {*attributes, *names, *vars(TorchObject)}
    sizes = frozenset(name for name, kind in kinds_of(cls).items() if kind == "sizes")
    return _Places(unlike, methods - unused - attributes.keys(), unused, attributes, names, sizes)


def _filled(value: Any) -> str:
    """What a missing field became, in a few words."""
    if not is_tensor(value):
        return str(value)
    return "zeros" if not value.any() else "ones" if (value == 1).all() else described(value)


@lru_cache(1024)
def _names(fields: tuple[Any, ...]) -> frozenset[Any]:
    """The set of some names: one for all objects of a kind."""
    return frozenset(fields)


def type_name(dtype: Any, device: bool = False) -> str:
    """Torch7's name for tensors of a NumPy dtype, on the host or on a device; the dtype's own where Torch7 has none."""
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        return str(dtype)
    return next((name for name, known in (CUDA_TYPES if device else TENSOR_TYPES).items() if known == wanted), wanted.name)


def fitting(array: Any, like: Tensor, dtype: Any = None) -> Tensor:
    """`array` if it can serve as a contiguous buffer in the shape of `like` and on its device, else a new one."""
    return buffer(array, like.shape, dtype or like.dtype, on_device(like))


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


def _stepped(array: Tensor, step: int, dtype: Any, storages: dict[Any, Any]) -> Tensor:
    """A tensor of positions made to count from 0 (`step` -1) or from 1, in another dtype."""
    if step < 0:
        return moved(array, lambda vector: vector.astype(dtype) - np.dtype(dtype).type(1), storages)
    return moved(array, lambda vector: (vector + 1).astype(dtype), storages)


def rebuilt(
    value: Any,
    seen: dict[Any, Any],
    array: Callable[[Tensor], Any],
    thing: Callable[[TorchObject], Any] = lambda thing: thing,
    leaf: Callable[[Any], Any] = lambda leaf: leaf,
) -> Any:
    """`value` with every array, every object and every other leaf in it passed through a function.

    Tables within tables, and objects that are keys of tables, are included, as deep as they may lie. The tables are
    made anew; `seen`, a memo as that of ``copy.deepcopy``, lets one table stay one table, even if it contains itself.
    """
    pending: deque[Any] = deque()

    def renewed(value: Any) -> Any:
        if is_tensor(value):
            return array(value)
        if isinstance(value, TorchObject):
            return thing(value)
        kind = type(value)
        if kind is IdentityKey:
            return IdentityKey(renewed(value.value))
        if kind not in (list, dict, tuple):
            return leaf(value)
        if id(value) not in seen:
            seen.setdefault("pytorch_legacy.originals", []).append(value)  # an id must not be given away while it is a key
            if kind is tuple:
                seen[id(value)] = tuple(map(renewed, value))
            else:
                seen[id(value)] = kind()
                pending.append(value)
        return seen[id(value)]

    result = renewed(value)
    while pending:
        table = pending.popleft()
        if type(table) is list:
            seen[id(table)].extend(map(renewed, table))
        else:
            seen[id(table)].update([(renewed(key), renewed(entry)) for key, entry in table.items()])
    return result


def reachable(thing: TorchObject, beyond: Iterable[Any] = ()) -> list[TorchObject]:
    """`thing` and all objects inside it, each once. Ids in `beyond` are those of objects to leave out."""
    found = [thing]
    known = {id(thing), *beyond}
    seen: dict[Any, Any] = {}

    def meet(inner: TorchObject) -> None:
        if id(inner) not in known:
            known.add(id(inner))
            found.append(inner)

    for inner in found:  # which grows meanwhile
        for value in inner._ownFields().values():
            rebuilt(value, seen, lambda array: array, meet)
    return found


def converted(
    value: Any,
    name: str,
    cache: dict[Any, Any],
    floatsOnly: bool = False,
    alone: bool = False,
    apart: tuple[type, ...] = (),
    each: Callable[[TorchObject], Any] | None = None,
) -> Any:
    """`value` with its arrays converted to the tensor type `name`; objects in it convert themselves, or go to `each`.

    Objects of the classes `apart` are left as they are.
    """
    convertThing = each or (lambda thing: thing.type(name, cache))
    dtype, device = _TYPES[name], name in CUDA_TYPES

    def convert(array: Tensor) -> Tensor:
        wanted = array.dtype if floatsOnly and array.dtype.kind != "f" else dtype
        if array.dtype == wanted and on_device(array) == device:
            return array
        with np.errstate(all="ignore"):  # elements of a storage that nobody uses may be anything
            return moved(array, lambda vector: placed(vector, device, wanted), cache, alone)

    return rebuilt(value, cache, convert, lambda thing: thing if isinstance(thing, apart) else convertThing(thing))


def rebind(thing: TorchObject, replacements: list[tuple[Tensor, Tensor]]) -> None:
    """Puts new arrays in the place of old ones everywhere in `thing` and the objects inside.

    Other arrays over the very elements of an old one are replaced too: the copies for each time step that a recurrent
    network has in a .t7 file hold such.
    """
    seen: dict[Any, Any] = {}

    def place(array: Tensor) -> Any:
        key, _, *where = placement(array)
        return key, *where

    places = {place(old): new for old, new in replacements}
    for inner in reachable(thing):
        fields = inner._ownFields()
        for key, value in fields.items():
            fields[key] = rebuilt(value, seen, lambda array: places.get(place(array), array))
        inner.__dict__ = fields


def dtype_of(fields: dict[str, Any]) -> np.dtype[Any]:
    """The dtype of an object whose file does not name it: that of its first floating-point tensor, or first child."""
    # Popped from the end: parameters and buffers first, then the other fields in order.
    first = ("weight", "bias", *BUFFERS)
    backwards = [*fields][::-1]
    backwards.sort(key=lambda key: -first.index(key) if key in first else -len(first))
    waiting = [fields[key] for key in backwards]
    children: list[TorchObject] = []
    # Tables may be deep, endless or large, and shared by many objects: a look at their beginning has to do.
    for _ in range(10_000):
        if not waiting:
            break
        value = waiting.pop()
        if is_tensor(value) and value.dtype.kind == "f":
            return value.dtype
        if isinstance(value, TorchObject):
            children.append(value)
        elif isinstance(value, (list, dict)):
            entries = list(islice(value.values() if isinstance(value, dict) else value, 100))
            waiting += entries[::-1]
    return children[0]._dtype if children else np.dtype(np.float64)  # Torch7's own default
