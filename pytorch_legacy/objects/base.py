"""The base class of modules, criterions and the other objects of Torch7's class system."""

from collections.abc import Callable
from functools import wraps
from html import escape
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from pytorch_legacy import torch_names
from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor, as_arrays, buffer, on_device, overlap
from pytorch_legacy.errors import DtypeError, FieldError, OutOfMemoryError, ShapeError
from pytorch_legacy.files import counting, form
from pytorch_legacy.objects import array_checks, loaded, results
from pytorch_legacy.objects.conversion import Converted
from pytorch_legacy.objects.counting import add_counting
from pytorch_legacy.objects.printing import always
from pytorch_legacy.reentrancy import guarded

# Methods that are held to their annotations, in each class: those that users give numbers.
_CHECKED = ("__init__", "reset", "updateParameters", "accUpdateGradParameters", "backwardUpdate")
# The packages of Torch7 that had a table of their own for their classes.
_NAMESPACES = ("nn", "optim", "nngraph", "cudnn", "inn")


class Object(Converted):
    """A named bag of fields that can be converted, cloned, pickled and read from a .t7 file.

    Classes of this package are called as their subpackage and they themselves, "nn.Linear", and "nn." where Torch7 had them
    there; other classes are called what Python calls them unless they set ``_typename``.

    Attributes
    ----------
    _addsSizes : bool
        Torch7 computed with the sizes in Lua before it took their whole parts: one with a fraction is an error.
    _arrayFields : tuple of ArrayField
        The arrays that passes of array operations read and validate first (array_checks.py), beside those of the bases.
    _constructed : set of str
        The attributes that constructors made in this process, for who looks for misspelt ones (files/misspelt.py).
    changesDtype : bool
        True of a class whose results have another dtype than the object on purpose. Results of a class of one's own are held to
        the dtype of the object otherwise.
    _bindings : Bindings
        Prepared calls of C functions, and other results that the object stores between two calls (backend/prepared.py). Clones,
        pickles and converted objects are made without it.
    _inPass : bool
        True while a thread is within ``forward`` or ``backward``; see reentrancy.py.
    """

    _everyday: ClassVar[tuple[str, ...]] = ()
    _arrayFields: ClassVar[tuple[array_checks.ArrayField, ...]] = ()
    _checkedFields: ClassVar[tuple[tuple[array_checks.ArrayField, str], ...]] = ()
    _addsSizes = False
    changesDtype: ClassVar[bool] = False
    _constructed: set[str] = set()
    _inPass = False

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        package, *inner = cls.__module__.split(".")
        if "_typename" not in cls.__dict__:
            space = inner[0] if inner and inner[0] in _NAMESPACES else "nn"
            cls._typename = f"{space}.{cls.__name__}" if package == "pytorch_legacy" else cls.__name__
        cls._form = form.declared_form(cls)
        if form.OLD & cls.__dict__.keys():
            raise TypeError(f"{cls.__name__}: {min(form.OLD & cls.__dict__.keys())} is now an entry of _file = pl.Form(...)")
        cls._version = cls._form.version
        # Methods are replaced by `setattr`: editors (jedi) take `cls.__init__ = ...` for the constructor of all classes.
        if "__repr__" in cls.__dict__:
            _replace(cls, "__repr__", always)
        isOurs = package == "pytorch_legacy"
        for name in _CHECKED if isOurs else ("__init__",):
            method = cls.__dict__.get(name)
            if (isOurs and method) or (isinstance(method, FunctionType) and method.__annotations__):
                setattr(cls, name, checked(method))
        for name in loaded.METHODS if isOurs else ():
            if isinstance(cls.__dict__.get(name), FunctionType):
                setattr(cls, name, loaded.explaining(cls.__dict__[name]))
        cls._constructed = set()
        if isOurs and "__init__" in cls.__dict__:
            _replace(cls, "__init__", _noting)
        for name in ("forward", "backward", "backwardUpdate"):
            if name in cls.__dict__:
                method = guarded(cls.__dict__[name])
                explains = not isOurs or cls.__name__ in ("Module", "Criterion") or not isinstance(method, FunctionType)
                setattr(cls, name, method if explains else loaded.explaining(method))
        for name in () if isOurs else results.PASSES:
            if isinstance(cls.__dict__.get(name), FunctionType):
                setattr(cls, name, results.checked(cls.__dict__[name]))
        cls._checkedFields = array_checks.declared_fields(cls)
        if cls._checkedFields and isOurs:
            array_checks.add_checks(cls)
        cls._counts = counting.declared_lua(cls)
        add_counting(cls)

    if not TYPE_CHECKING:  # or every attribute would be known to mypy

        def __getattr__(self, name: str) -> Any:
            """Raises an error for a missing attribute, as in an object whose file lacked a field."""
            member = getattr(type(self), name, None)
            if isinstance(member, property):
                return member.fget(self)  # it is there, and misses another one: that is the one to name
            error = FieldError(f"{self._typename}: has no attribute {name!r}{torch_names.attribute_hint(name)}")
            error.name, error.obj = name, self  # Python then says which name may have been meant
            try:
                raise error
            finally:
                del error  # else the frames of all callers, and the arrays in them, wait for the garbage collector

    @classmethod
    def new(cls, *arguments: Any, **keywords: Any) -> Self:
        """A new object of the same class: ``m.new(...)`` is what the class makes of these arguments."""
        return cls(*arguments, **keywords)

    def __repr__(self) -> str:
        return self._typename

    def _repr_html_(self) -> str:
        """Returns the HTML for notebooks."""
        return f"<pre>{escape(str(self))}</pre>"

    def _asArrays(self, name: str, value: Any) -> Any:
        """An argument of that name, with arrays of other libraries as NumPy's or CuPy's."""
        try:
            return as_arrays(value, self._onDevice)
        except DtypeError as error:
            raise DtypeError(f"{self._typename}: {name}: {error}") from None

    def _resize(self, name: str, shape: tuple[int, ...], dtype: Any = None, mustNotOverlap: Any = None) -> Tensor:
        """Returns the buffer in field `name`: the old array if shape and dtype fit, else a new one with any contents.

        `dtype` is the module's own if it is not given. `mustNotOverlap` is an array, or a table, that will be read while the
        buffer is written: if it shares memory with the old array, as when a layer reads its own output, the array is new.
        """
        old: Any = self.__dict__.get(name)
        dtype = dtype or self._dtype
        if mustNotOverlap is not None and overlap(old, mustNotOverlap):
            old = None
        if type(old) is np.ndarray and old.shape == shape and old.dtype == dtype and old.flags.carray:
            return old
        self.__dict__[name] = new = self._made(name, shape, buffer, old, shape, dtype, self._onDevice)
        return new

    def _made(self, name: str, shape: Any, make: Callable[..., Tensor], *arguments: Any) -> Tensor:
        """Returns the array of `make` for a field; adds the field's name to errors."""
        try:
            return make(*arguments)
        except MemoryError as error:
            raise OutOfMemoryError(f"{self._typename}: {name}: {error}") from None
        except (TypeError, ValueError) as error:
            raise ShapeError(f"{self._typename}: {name}: no array has the shape {shape}: {error}") from None

    def _resizeTable(self, name: str, shapes: list[tuple[int, ...]], mustNotOverlap: Any = None) -> list[Tensor]:
        """As `_resize`, for a field that is a list of buffers."""
        old = getattr(self, name, None)
        spare = list(old) if isinstance(old, list) and not overlap(old, mustNotOverlap) else []
        spare += [None] * (len(shapes) - len(spare))
        table = [buffer(entry, shape, self._dtype, self._onDevice) for entry, shape in zip(spare, shapes, strict=False)]
        setattr(self, name, table)
        return table


Object._reserved = frozenset(name for base in Object.__mro__[:-1] for name in (*vars(base), *base.__annotations__))


def _replace(cls: type, name: str, decorate: Callable[[Any], Any]) -> None:
    """Decorates a method of a class."""
    setattr(cls, name, decorate(vars(cls)[name]))


def _noting(constructor: Callable[..., None]) -> Any:
    """A constructor that notes for the class which attributes it made."""

    @wraps(constructor)
    def noting(self: Object, /, *arguments: Any, **keywords: Any) -> None:
        constructor(self, *arguments, **keywords)
        type(self)._constructed.update(self.__dict__)

    return noting


def fitting(array: Any, like: Tensor, dtype: Any = None) -> Tensor:
    """`array` if it can serve as a contiguous buffer in the shape of `like` and on its device, else a new one."""
    return buffer(array, like.shape, dtype or like.dtype, on_device(like))
