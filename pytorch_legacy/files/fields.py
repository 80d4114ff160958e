"""Kinds of the fields of Torch7's classes: a broken file raises an error when it is read, not later when it runs.

Torch7 used its names alike in all classes: ``kW`` is a whole number wherever it comes up. So one table serves them all.
A name that means different things in different classes is not in it: classes declare what such fields are (`Form`). So they do
with plain words (``mode``), which are else notes of the model's author, or buffers of an old release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import get_annotations, unwrap
from itertools import count, takewhile
from math import prod
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np

from pytorch_legacy.arguments import truncated
from pytorch_legacy.arrays import are_whole, base_storage, is_repeated
from pytorch_legacy.errors import FieldError
from pytorch_legacy.files.form import BUFFERS, GRADIENTS, SCRATCH, Form
from pytorch_legacy.listed import by_class
from pytorch_legacy.messages import described, sizes

from . import migration
from .t7 import nodes

_NUMBERS: tuple[Any, ...] = (int, float, np.integer, np.floating)

_NAMES = {
    "a whole number": """
        kW kH kT dW dH dT padW padH padT adjW adjH adjT dilationW dilationH dilationT nInputPlane nOutputPlane
        inputFrameSize outputFrameSize inputSize outputDim upscaleFactor scale_factor dimension nInputDims nInputDim
        numInputDims nOutputDim odepth oheight owidth oT oH oW outT outH outW iT iH iW poolSizeT poolSizeH
        poolSizeW pleft pright ptop pbottom pfront pback pad_l pad_r pad_t pad_b nfeatures ndim
        ignoreIndex paddingValue nClasses inputDimension outputDimension print_interval numFwds numBwds""",
    "a number": """
        eps lambda_ max_val min_val negval
        learningRate l1weight thresval ratioT ratioH ratioW""",
    "true or false": """
        affine inplace ceil_mode count_include_pad divide sizeAverage train v2 batch_mode batchMode averaging
        castin castout castTarget doGradInput featFirst gradFirst newRandomPool shouldScaleGradByFreq
        stochastic_inference transA transB repeatTarget provideOutput""",
    "a tensor of floating-point numbers": """
        weight bias gradWeight gradBias running_mean running_var save_mean save_std
        gradV gradG diagCov gradDiagCov""",
    "a tensor": "connTable output_tensor total_weight_tensor isTarget zeroTensor",
    "a table": "gradInputs gradOutputs outputs cells gradCells usage",
    "a table of modules": "sharedClones",

    "text": "moduleType inputShape outputShape",
    "a module": "lsm targetModule inputModule",
    "a list of modules": "modules",
    "a list of criterions": "criterions",
}  # fmt: skip
_COMMON = {name: kind for kind, names in _NAMES.items() for name in names.split()}


# Fields that passes write anew: a value of the wrong kind is dropped. All other fields of these kinds are parameters.
_BUFFERS = frozenset((*GRADIENTS.values(), "save_mean", "save_std", "indices", "mask", "loss"))


def present(instance: Any, fields: dict[Any, Any]) -> dict[Any, Any]:
    """The fields as the `_fromTorch7` of an object takes them: without those that are nil, which in Lua are not there at all.

    Buffers that cannot be what their names say are left out too: expanded tensors that ask for much more memory than the file
    has for them, and what is no tensor.

    Raises
    ------
    FieldError
        If a parameter is such an expanded tensor.
    """
    found = dict(fields)
    kinds = of(type(instance))
    for name, value in fields.items():
        if value is None:
            del found[name]
        elif isinstance(value, np.ndarray) and name not in BUFFERS and is_repeated(value):
            what = f"{described(value)} on a storage of {base_storage(value).size}"
            if name not in _BUFFERS and kinds.get(name, "").startswith("a tensor"):
                raise FieldError(f"{name}: expected a tensor as large as its storage, got {what}")
            migration.note(instance, str(name), f"was {what}: not needed")
            del found[name]
        elif _is_buffer(name, kinds.get(name)) and not _TESTS[kinds[name]](value):
            migration.note(instance, name, f"was {_shown(value)}: not needed")
            del found[name]
    return found


def _is_buffer(name: Any, kind: str | None) -> bool:
    return kind is not None and (name in _BUFFERS or (name in SCRATCH and kind.startswith(("a tensor", "a table"))))


def of(cls: Any) -> dict[str, str]:
    """Returns the kinds of the fields of a class. Those of this package share the names that Torch7 used alike everywhere."""
    return _kinds(cls)


@by_class
def _kinds(cls: Any) -> dict[str, str]:
    form: Form = cls._form
    byDefault = {name: _OF[type(default)] for name, default in form.defaults.items() if type(default) in _OF}
    isOurs = cls.__module__.startswith("pytorch_legacy.") and cls._knowsFields
    said = _said(cls) if isOurs else {}
    return said | byDefault | dict.fromkeys(form.dimensions, "a tensor") | (_COMMON if isOurs else {}) | dict(form.kinds)


def _said(cls: Any) -> dict[str, str]:
    """The kinds that the source of a class and its bases tells: by the arguments of constructors, which are called as the
    attributes that they become, by values that all objects have, and by annotations of attributes."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        own = vars(base)
        if not base.__module__.startswith("pytorch_legacy.") or not isinstance(own.get("_form"), Form):
            continue
        hints = _annotated(unwrap(own["__init__"])) if "__init__" in own else {}
        code = getattr(unwrap(own.get("__init__", base)), "__code__", None)
        for several in code.co_varnames[code.co_argcount :] if code else ():  # *modules: one of them is no list
            hints.pop(several, None)
        values = {name: _OF.get(type(value)) for name, value in own.items()}
        attributes = _annotated(base)
        found |= {name: kind for several in (hints, values, attributes) for name, kind in several.items() if kind}
    return {name: kind for name, kind in found.items() if name[0] != "_" or name in cls._form.renamed}


def _annotated(thing: Any) -> dict[str, str | None]:
    """The kinds that the annotations of a class or function say."""
    try:
        hints = get_annotations(thing, eval_str=True)
    except NameError:  # a name that is imported for mypy alone
        hints = get_annotations(thing)
    return {name: _hinted(_BY_NAME.get(hint, hint) if isinstance(hint, str) else hint) for name, hint in hints.items()}


def _hinted(hint: Any) -> str | None:
    """The kind that an annotation says; None if it says another thing, or several. It may be None in Python, nil in Lua."""
    hints = [each for each in (get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)) if each is not NoneType]
    kinds = {_hint(each) for each in hints}
    if kinds == {"a whole number", "text"} or kinds == {"a number", "text"}:
        return "a number or text"
    if kinds == {"a number", "a tensor"}:
        return "a number or a tensor"
    return kinds.pop() if len(kinds) == 1 else None


def _hint(hint: Any) -> str | None:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _HINTS:
        return _HINTS[hint]
    if origin is np.ndarray:
        return "a tensor"
    if origin is dict:
        return "a table of modules" if _hint(arguments[1]) == "a module" else "a table"
    if origin is list and len(arguments) == 1:
        inner = _hint(arguments[0])
        return "a list of numbers" if inner in ("a whole number", "a number") else {
            "text": "a list of text", "a module": "a list of modules", "a criterion": "a list of criterions",
        }.get(inner or "")  # fmt: skip
    isClass = isinstance(hint, type) and isinstance(getattr(hint, "_form", None), Form) and hasattr(hint, "updateOutput")
    return ("a module" if hasattr(hint, "accGradParameters") else "a criterion") if isClass else None


def check_kinds(instance: Any) -> None:
    """Holds the fields of an object that was read from a file to the kinds that the class takes them for.

    Sizes become tuples, tables with names beside the positions lists, sizes with a fraction whole numbers where Torch7 took
    them for such.

    Raises
    ------
    FieldError
        If a field cannot be what the class takes it for.
    """
    own, kinds = vars(instance), of(type(instance))
    for name, value in [*own.items()]:
        kind = kinds.get(name)
        if kind is not None and value is not None and type(value) is not _USUAL.get(kind):
            own[name] = checked(instance, name, value, kind)
    for name, rank in instance._form.dimensions.items():
        if own.get(name) is not None and own[name].ndim != rank:  # None: a decorator may compute it
            raise FieldError(f"{name}: expected a tensor with {rank} dimensions, got {described(own[name])}")


def tell(instance: Any) -> None:
    """Raise FieldError if a property that goes into files cannot be had: the module of a decorator without any."""
    for name in instance._form.properties:
        try:
            getattr(instance, name)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise FieldError(f"{name}: missing, and the other fields do not tell it: {error!r:.100}") from None


def checked(instance: Any, name: str, value: Any, kind: str) -> Any:
    """The value of a field as its kind has it.

    Raises
    ------
    FieldError
        If it is of another kind.
    """
    if kind in _MENDED:
        value = _MENDED[kind](instance, name, value)
    if _TESTS[kind](value):
        return int(value) if kind.startswith("a whole number") else value
    if kind.startswith("a whole number") and (number := truncated(instance, name, value)) is not None:
        migration.note(instance, name, f"was {value}: {number}, the whole part")
        return number
    shown = instance._form.renamed.get(name, name)
    raise FieldError(f"{shown}: expected {_EXPECTED.get(kind, kind)}, got {_shown(value)}")


def reshape(instance: Any, name: str, shape: tuple[int, ...]) -> None:
    """Gives a parameter the shape that the other fields ask for: old files have flat ones.

    Raises
    ------
    FieldError
        If it has another number of elements.
    """
    array = getattr(instance, name)
    if array is None or not array.size or array.shape == shape:
        return
    if array.size != prod(shape):
        raise FieldError(f"{name}: expected {sizes(shape)}, as the sizes of the layer say, got {described(array)}")
    migration.note(instance, name, f"had the shape {array.shape}: {shape}")
    setattr(instance, name, array.reshape(shape))


def gradients(instance: Any) -> None:
    """Gradients in another shape than their parameters become zeros."""
    own, kinds = vars(instance), of(type(instance))
    for name, gradient in GRADIENTS.items() if "weight" in kinds else ():
        ours = own.get(name)
        if ours is not None and (theirs := own.get(gradient)) is not None and theirs.size and ours.shape != theirs.shape:
            migration.note(instance, gradient, f"was {described(theirs)}: zeros in the shape of {name}")
            own[gradient] = np.zeros(ours.shape, ours.dtype)


class Fields:
    """The argument of functions among the defaults of a form: the fields of a file, each of the kind that the class declares.

    Attributes
    ----------
    dtype : numpy.dtype
        That of the object's tensors.
    """

    def __init__(self, instance: Any, file: Mapping[Any, Any]) -> None:
        self._instance, self._file = instance, file

    @property
    def dtype(self) -> Any:
        return self._instance._dtype

    def __getitem__(self, name: str) -> Any:
        """The field of that name, be it an attribute or one that the class does not take over; an error if it is missing."""
        value = self.get(name)
        if value is None:
            raise FieldError(f"{name}: missing")
        return value

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def get(self, name: str, default: Any = None) -> Any:
        """The field of that name; `default` if it is missing."""
        cls, own = type(self._instance), vars(self._instance)
        kind = of(cls).get(name)
        if kind is None:
            raise TypeError(f"{cls.__name__}: _file: a default asks for {name!r}, which has no kind")
        value = own[name] if name in own else self._file.get(name)
        if value is None:
            return default
        return value if name in own else checked(self._instance, name, value, kind)

    def compute(self, name: str, function: Callable[[Fields], Any]) -> Any:
        """Returns a function's value for the missing field `name`, or raises an error if a field that it needs is missing."""
        try:
            return function(self)
        except FieldError as error:
            raise FieldError(f"{name}: missing, and so is what would tell it: {error}") from None
        except (ArithmeticError, AttributeError, LookupError, MemoryError, ValueError) as error:
            raise FieldError(f"{name}: missing, and the other fields do not tell it: {error!r:.100}") from None


def _is_number(value: Any) -> bool:
    return isinstance(value, _NUMBERS) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return _is_number(value) and abs(value) < 1 << 62 and value == int(value)


def _is_object(value: Any) -> bool:
    return isinstance(getattr(type(value), "_form", None), Form)


def _is_module(value: Any) -> bool:
    return _is_object(value) and hasattr(type(value), "accGradParameters")


def _is_criterion(value: Any) -> bool:
    """An object whose class is not known may be one."""
    return _is_object(value) and (not value._knowsFields or (hasattr(value, "updateOutput") and not _is_module(value)))


def _is_node(value: Any) -> bool:
    return _is_object(value) and hasattr(type(value), "graphNodeName")


def _sizes(instance: Any, name: str, value: Any) -> Any:
    """Sizes came as storages, tensors or tables."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf":
        value = value.tolist()
    entries = [] if isinstance(value, dict) and not value else value
    isRight = isinstance(entries, (list, tuple)) and all(map(_is_whole, entries))
    return tuple(map(int, entries)) if isRight else value


def _numbers(instance: Any, name: str, value: Any) -> Any:
    """A storage or a tensor as a list."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf":
        return value.tolist()
    return listed(instance, name, value)


def listed(instance: Any, name: str, value: Any) -> Any:
    """The entries at the positions, where a table has names beside them; an empty table of Lua comes as a dict."""
    if not isinstance(value, dict):
        return value
    positions = [*takewhile(value.__contains__, count(1))]
    if value:
        migration.note(instance, name, f"a table with names, too: its list of {len(positions)}")
    return [value[position] for position in positions]


_TESTS: dict[str, Callable[[Any], bool]] = {
    "a whole number": _is_whole,
    "a whole number from 1 on": lambda value: _is_whole(value) and value >= 1,
    "a number": lambda value: _is_number(value) and value == value,
    "true or false": lambda value: isinstance(value, (bool, np.bool_)) or (_is_number(value) and value in (0, 1)),
    "a tensor of floating-point numbers": lambda value: isinstance(value, np.ndarray) and value.dtype.kind == "f",
    "a tensor": lambda value: isinstance(value, np.ndarray),
    "a tensor of whole numbers": lambda value: isinstance(value, np.ndarray) and bool(are_whole(value, -1, np.int32).all()),
    "a number or a tensor": lambda value: _is_number(value) or isinstance(value, np.ndarray),
    "text": lambda value: isinstance(value, str),
    "a number or text": lambda value: _is_number(value) or isinstance(value, str),
    "sizes": lambda value: isinstance(value, tuple),
    "a list of numbers": lambda value: isinstance(value, list) and all(map(_is_number, value)),
    "a list of text": lambda value: isinstance(value, list) and all(isinstance(entry, str) for entry in value),
    "a module": lambda value: _is_module(value),
    "a criterion": lambda value: _is_criterion(value),
    "a list of modules": lambda value: isinstance(value, list) and all(map(_is_module, value)),
    "a list of criterions": lambda value: isinstance(value, list) and all(map(_is_criterion, value)),
    "a list of objects": lambda value: isinstance(value, list) and all(map(_is_object, value)),
    "an object": _is_object,
    "a table": lambda value: isinstance(value, (list, dict, tuple)),
    "a table of modules": lambda value: (
        isinstance(value, (list, dict)) and all(map(_is_module, value.values() if isinstance(value, dict) else value))
    ),
    "a node": lambda value: _is_node(value),
    "a list of nodes": lambda value: isinstance(value, list) and all(map(_is_node, value)),
}
_MENDED: dict[str, Callable[[Any, str, Any], Any]] = {
    "sizes": _sizes, "a list of numbers": _numbers,
    **{kind: listed for kind in _TESTS if kind.startswith("a list of ") and kind != "a list of numbers"},
}  # fmt: skip
_EXPECTED = {"sizes": "a list of whole numbers"}


_HINTS: dict[Any, str] = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
_BY_NAME: dict[str, type] = {hint.__name__: hint for hint in _HINTS}
_OF: dict[type, str] = {int: "a number", float: "a number", bool: "true or false", str: "text"}
# Kinds that need no test; whole numbers in files are exact up to 2^53.
_USUAL = {"a whole number": int, "true or false": bool, "a tensor": np.ndarray, "text": str}


def _shown(value: Any) -> str:
    known = isinstance(value, (np.ndarray, list, dict, str, float, int))
    return described(value) if known else "a " + nodes.shown(getattr(value, "_typename", type(value).__name__))
