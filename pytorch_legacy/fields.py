"""What the fields of Torch7's classes are: a broken file shall be an error when it is read, not a riddle when it is run.

Torch7 used its names alike in all classes: ``kW`` is a whole number wherever it comes up. So one table serves them all.
A name that means different things in different classes is not in it. Fields with plain words for names are looked at only if
the class has them: else they are notes of the model's author, or buffers of an old release.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import isfunction, unwrap
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
        poolSizeW pleft pright ptop pbottom pfront pback pad_l pad_r pad_t pad_b pad offset nfeatures ndim
        T W H ignoreIndex paddingValue nClasses dim inputDimension outputDimension length print_interval numFwds numBwds pos""",
    "a number": """
        k eps momentum lambda_ lower upper margin max_val min_val negval threshold val p pow power
        learningRate l1weight norm thresval ratioT ratioH ratioW""",
    "true or false": """
        affine inplace ceil_mode count_include_pad divide sizeAverage squeeze train v2 batch_mode batchMode averaging
        castin castout castTarget doGradInput featFirst gradFirst normalized newRandomPool shouldScaleGradByFreq
        stochastic_inference trans transA transB repeatTarget provideOutput""",
    "a tensor of floating-point numbers": """
        weight bias gradWeight gradBias running_mean running_var save_mean save_std kernel simplex
        v g gradV gradG diagCov gradDiagCov""",
    "a tensor": "connTable indices mask",
    "text": "mode moduleType inputShape outputShape",
    "a module": "lsm nll sigmoid tanh normalizer pooling criterion targetModule inputModule",
    "a list of modules": "modules criterions",
}  # fmt: skip
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_PLAIN = """
    H T W criterion dim g indices k kernel length lower margin mask mode momentum nll norm normalized
    normalizer offset p pad pooling pos pow power sigmoid simplex squeeze tanh threshold trans upper v val"""
_WORDS = frozenset(_PLAIN.split())


# What passes write anew: it is dropped where it is not what it has to be. All other fields of these kinds are parameters.
_BUFFERS = frozenset((*GRADIENTS.values(), "save_mean", "save_std", "indices", "mask"))
# Layers that look at their parameters themselves, and the dimensions that these have.
_PARAMETERS = {
    "Bilinear": ("weight", 3), "Cosine": ("weight", 2), "Euclidean": ("weight", 2), "Kmeans": ("weight", 2),
    "Linear": ("weight", 2), "LinearWeightNorm": ("v", 2), "Mul": ("weight", 1), "SparseLinear": ("weight", 2),
}  # fmt: skip


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
    for name, value in fields.items():
        if value is None:
            del found[name]
        elif isinstance(value, np.ndarray) and name not in BUFFERS and is_repeated(value):
            what = f"{described(value)} on a storage of {storage_of(value).size}"
            if name not in _BUFFERS and _KINDS.get(name, "").startswith("a tensor"):
                raise FieldError(f"{name}: expected a tensor as large as its storage, got {what}")
            mending.note(instance, str(name), f"was {what}: not needed")
            del found[name]
        elif name in _BUFFERS and not _is(_KINDS[name], value) and _expects(instance, name):
            mending.note(instance, name, f"was {_shown(value)}: not needed")
            del found[name]
    return found


def check(instance: TorchObject) -> None:
    """Raise FieldError if a field of an object that was read from a file cannot be what the class takes it for."""
    own = vars(instance)
    for name, value in [*own.items()]:
        kind = _KINDS.get(name)
        if kind is None or value is None or type(value) is _USUAL.get(kind) or _is(kind, value):
            continue
        if kind == "a whole number" and (number := truncated(instance, name, value)) is not None:
            mending.note(instance, name, f"was {value}: {number}, the whole part")
            own[name] = number
        elif _expects(instance, name):
            raise FieldError(f"{name}: expected {kind}, got {_shown(value)}")
    for name, gradient in GRADIENTS.items():
        ours = own.get(name)
        if ours is not None and (theirs := own.get(gradient)) is not None and theirs.size and ours.shape != theirs.shape:
            mending.note(instance, gradient, f"was {described(theirs)}: zeros in the shape of {name}")
            own[gradient] = np.zeros(ours.shape, ours.dtype)
    name, rank = _parameter(type(instance))  # type: ignore[arg-type]
    if own.get(name) is not None and own[name].ndim != rank:  # None: a decorator may compute it
        raise FieldError(f"{name}: expected a tensor with {rank} dimensions, got {described(own[name])}")


@cache
def _parameter(cls: type) -> tuple[str, int]:
    """The parameter that a class looks at itself, and its dimensions; without a name for all other classes."""
    return next((_PARAMETERS[base.__name__] for base in cls.__mro__ if base.__name__ in _PARAMETERS), ("", 0))


def _expects(instance: TorchObject, name: str) -> bool:
    """Does the class take a field of that name for what the name means elsewhere?"""
    return name not in _WORDS or name in _known(type(instance))  # type: ignore[arg-type]


@cache
def _known(cls: type) -> frozenset[str]:
    """The names that a class gives to arguments of its constructors and to what it says of its objects."""
    names: set[str] = set()
    for base in cls.__mro__:
        names |= vars(base).keys() | vars(base).get("__annotations__", {}).keys()
        if isfunction(maker := vars(base).get("__init__")):
            code = unwrap(maker).__code__
            names |= {*code.co_names, *code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}
    return frozenset(names)


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


# What needs no test; numbers of files are whole up to 2^53.
_USUAL = {"a whole number": int, "a number": float, "true or false": bool, "a tensor": np.ndarray, "text": str}


def _shown(value: Any) -> str:
    known = isinstance(value, (np.ndarray, list, dict, str, float, int))
    return described(value) if known else f"a {getattr(value, '_typename', type(value).__name__)}"
