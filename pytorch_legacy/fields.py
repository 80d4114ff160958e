"""What the fields of Torch7's classes are: a broken file shall be an error when it is read, not a riddle when it is run.

Torch7 used its names alike in all classes: ``kW`` is a whole number wherever it comes up. So one table serves them all.
A name that means different things in different classes is not in it: classes declare what such fields are (`Form`). So they do
with plain words (``mode``), which are else notes of the model's author, or buffers of an old release.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from pytorch_legacy import mending
from pytorch_legacy.errors import FieldError
from pytorch_legacy.nn.arguments import truncated
from pytorch_legacy.nn.Module import GRADIENTS
from pytorch_legacy.nn.TorchObject import BUFFERS, TorchObject
from pytorch_legacy.nn.utils import described
from pytorch_legacy.storage import is_repeated, storage_of

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
    "a tensor": "connTable",
    "text": "moduleType inputShape outputShape",
    "a module": "lsm targetModule inputModule",
    "a list of modules": "modules criterions",
}  # fmt: skip
_COMMON = {name: kind for kind, names in _NAMES.items() for name in names.split()}


# What passes write anew: it is dropped where it is not what it has to be. All other fields of these kinds are parameters.
_BUFFERS = frozenset((*GRADIENTS.values(), "save_mean", "save_std", "indices", "mask"))


def present(instance: TorchObject, fields: dict[Any, Any]) -> dict[Any, Any]:
    """The fields as the `_fromTorch7` of an object takes them: without those that are nil, which in Lua are not there at all.

    Buffers that cannot be what their names say are left out too: expanded tensors that ask for much more memory than the file
    has for them, and what is no tensor.

    Raises
    ------
    FieldError
        If a parameter is such an expanded tensor.
    """
    found = dict(fields)
    kinds = _kinds(type(instance))  # type: ignore[arg-type]
    for name, value in fields.items():
        if value is None:
            del found[name]
        elif isinstance(value, np.ndarray) and name not in BUFFERS and is_repeated(value):
            what = f"{described(value)} on a storage of {storage_of(value).size}"
            if name not in _BUFFERS and kinds.get(name, "").startswith("a tensor"):
                raise FieldError(f"{name}: expected a tensor as large as its storage, got {what}")
            mending.note(instance, str(name), f"was {what}: not needed")
            del found[name]
        elif name in _BUFFERS and name in kinds and not _is(kinds[name], value):
            mending.note(instance, name, f"was {_shown(value)}: not needed")
            del found[name]
    return found


@cache
def _kinds(cls: type[TorchObject]) -> dict[str, str]:
    """What the fields of a class are: those of this package have the names that Torch7 used alike everywhere, too."""
    byDefault = {name: _OF[type(default)] for name, default in cls._form.defaults.items() if type(default) in _OF}
    isOurs = cls.__module__.startswith("pytorch_legacy.")
    return byDefault | dict.fromkeys(cls._form.dimensions, "a tensor") | (_COMMON if isOurs else {}) | dict(cls._form.kinds)


def check(instance: TorchObject) -> None:
    """Raise FieldError if a field of an object that was read from a file cannot be what the class takes it for."""
    own, kinds = vars(instance), _kinds(type(instance))  # type: ignore[arg-type]
    for name, value in [*own.items()]:
        kind = kinds.get(name)
        if kind is None or value is None or type(value) is _USUAL.get(kind) or _is(kind, value):
            continue
        if kind == "a whole number" and (number := truncated(instance, name, value)) is not None:
            mending.note(instance, name, f"was {value}: {number}, the whole part")
            own[name] = number
        else:
            raise FieldError(f"{name}: expected {kind}, got {_shown(value)}")
    for name, gradient in GRADIENTS.items() if "weight" in kinds else ():
        ours = own.get(name)
        if ours is not None and (theirs := own.get(gradient)) is not None and theirs.size and ours.shape != theirs.shape:
            mending.note(instance, gradient, f"was {described(theirs)}: zeros in the shape of {name}")
            own[gradient] = np.zeros(ours.shape, ours.dtype)
    for name, rank in instance._form.dimensions.items():
        if own.get(name) is not None and own[name].ndim != rank:  # None: a decorator may compute it
            raise FieldError(f"{name}: expected a tensor with {rank} dimensions, got {described(own[name])}")


def _is(kind: str, value: Any) -> bool:
    return _TESTS[kind](value)


def _is_number(value: Any) -> bool:
    return isinstance(value, _NUMBERS) and not isinstance(value, bool)


_TESTS: dict[str, Callable[[Any], bool]] = {
    "a whole number": lambda value: _is_number(value) and abs(value) < 1 << 62 and value == int(value),
    "a number": _is_number,
    "true or false": lambda value: isinstance(value, (bool, *_NUMBERS)),
    "a tensor of floating-point numbers": lambda value: isinstance(value, np.ndarray) and value.dtype.kind == "f",
    "a tensor": lambda value: isinstance(value, np.ndarray),
    "text": lambda value: isinstance(value, str),
    "a module": lambda value: isinstance(value, TorchObject),
    "a list of modules": lambda value: isinstance(value, list) and all(isinstance(entry, TorchObject) for entry in value),
}


_OF: dict[type, str] = {int: "a number", float: "a number", bool: "true or false", str: "text"}
# What needs no test; numbers of files are whole up to 2^53.
_USUAL = {"a whole number": int, "a number": float, "true or false": bool, "a tensor": np.ndarray, "text": str}


def _shown(value: Any) -> str:
    known = isinstance(value, (np.ndarray, list, dict, str, float, int))
    return described(value) if known else f"a {getattr(value, '_typename', type(value).__name__)}"
