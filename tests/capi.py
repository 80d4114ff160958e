"""libTHNN through ctypes, as a host without our bindings sees it; a valid call of each function, made from the header.

Shapes come from the comments of THNN.h, so that a call which the library takes proves them right.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from pytorch_legacy import backend
from pytorch_legacy.backend import header
from pytorch_legacy.backend.header import Argument, Function

HEADER = Path(__file__).resolve().parent.parent / "THNN" / "THNN.h"
FUNCTIONS = header.read(HEADER)
GENERIC = [function for function in FUNCTIONS if function.generic]
ANSWER = "int64_t *"
REALS = {"Float": np.dtype(np.float32), "Double": np.dtype(np.float64)}

OK, NULL, SHAPE, VALUE, INDEX, MEMORY, UNSUPPORTED, DEVICE, VERSION = range(9)
READONLY = 1

lib = ctypes.CDLL(str(backend.library_path))
lib.THNN_lastError.restype = ctypes.c_char_p

NUMBERS: dict[str, Any] = {"double": ctypes.c_double, "int64_t": ctypes.c_int64, "int32_t": ctypes.c_int32}

# Values of the names in the header's shapes; no two sizes of one layer are equal.
SIZES = {
    "N": 2,
    "C": 3,
    "H": 5,
    "W": 7,
    "T": 6,
    "L": 7,
    "D": 7,
    "oT": 5,
    "oH": 4,
    "oW": 5,
    "nFrame": 5,
    "oFrame": 3,
    "frameSize": 4,
    "inputSize": 5,
    "outputSize": 4,
    "nInputPlane": 3,
    "nOutputPlane": 4,
    "F": 4,
    "k": 3,
    "oL": 5,
    "oC": 2,
    "M": 6,
    "fullT": 7,
    "fullH": 6,
    "fullW": 9,
    "nIndex": 6,
    "nOutput": 3,
    "nnz": 8,
    "hiddenSize": 3,
    "nKernel": 5,
    "any": 2,  # "*"
}

# A legal value for every number.
SCALARS: dict[str, float] = {
    "kT": 2, "kW": 3, "kH": 2, "dT": 1, "dW": 1, "dH": 1, "padT": 0, "padW": 0, "padH": 0, "ceil_mode": 0,
    "dilationT": 1, "dilationW": 1, "dilationH": 1, "count_include_pad": 1, "otime": 4, "owidth": 3, "oheight": 2,
    "pad_l": 1, "pad_r": 2, "pad_t": 3, "pad_b": 1, "inplace": 0, "train": 1, "momentum": 0.1, "eps": 1e-5,
    "scale": 1.0, "threshold": 0.0, "val": 0.0, "sizeAverage": 1, "ignore_index": -100, "low": 0.0, "high": 1.0,
    "mean": 0.0, "stdv": 1.0, "p": 1, "min_val": 0.75, "max_val": 1.25, "negval": 0.1, "lower": 0.1, "upper": 0.3,
    "alpha": 1.0, "beta": 1.0, "lambda_": 0.5, "nOutputPlane": 4, "dim": 1, "margin": 1.0, "rate": 2.0, "median": 0.0,
    "sigma": 1.0, "outputW": 3, "outputH": 2, "outputT": 4, "poolSizeW": 3, "poolSizeH": 2, "poolSizeT": 2, "minK": 3,
    "factor": 0.25, "pool": 2, "gridW": 4, "gridH": 2, "exact": 1, "power": 2.5, "use_abs": 1, "width": 2,
    "stride": 1, "batchMode": 1, "adjT": 0, "adjW": 0, "adjH": 0, "inputFrameSize": 4, "outputFrameSize": 5,
    "size": 3, "k": 3, "pleft": 1, "pright": 0, "ptop": 2, "pbottom": 1, "pfront": 0, "pback": 3, "scale_factor": 2,
    "nchannels": 3, "order": 1, "inputDepth": 3, "inputHeight": 5, "inputWidth": 4, "outputDepth": 5, "outputHeight": 3,
    "outputWidth": 6, "scaleGradByFreq": 0, "paddingValue": -1, "maxNorm": 1.0, "normType": 2.0, "mode": 0,
    "weightDecay": 0.0, "learningRate": 0.1, "keysOffset": 0, "nInputPlane": 3, "featFirst": 0,
    "operation": 2, "groups": 1, "full": 0, "activation": 1, "a": 0.0, "b": 0.0, "algorithm": 1,
    "resetFirst": 1,
}  # fmt: skip

# Other values for functions without cases of their own. A layer's cases have `ARGUMENTS`.
OTHERWISE: dict[str, dict[str, float]] = {
    "SpatialGroupedConvolution": {"groups": 2, "nInputPlane": 6},
    "geometric": {"p": 0.5},
    "unfolded": {"outputWidth": 2, "outputHeight": 4},
}


class Tensor(ctypes.Structure):
    """Any TH*Tensor: they differ only in what `data` points to."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_int64 * 8),
        ("stride", ctypes.c_int64 * 8),
        ("nDimension", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
    ]


def describe(array: np.ndarray) -> Tensor:
    """A view of the array, whose memory the caller keeps alive."""
    tensor = Tensor(array.ctypes.data, nDimension=array.ndim, flags=0 if array.flags.writeable else READONLY)
    for d in range(array.ndim):
        tensor.size[d] = array.shape[d]
        tensor.stride[d] = array.strides[d] // array.itemsize
    return tensor


def is_tensor(argument: Argument) -> bool:
    return "Tensor" in argument.type


def is_written(argument: Argument) -> bool:
    return bool({"OUT", "ACC", "BUFFER"} & set(argument.tags))


def last_error() -> str:
    return lib.THNN_lastError().decode()


@dataclass
class Call:
    """One call of a C function: its arguments by name, to be changed before it is made."""

    function: Function
    real: str
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"THNN_{self.real}{self.function.name}"

    def __call__(self) -> int:
        return int(getattr(lib, self.name)(*self.arguments()))

    def arguments(self, **others: Any) -> list[Any]:
        """The arguments in their order, some of them others."""
        values = self.values | others
        return [
            NUMBERS[argument.type](values[argument.name]) if argument.type in NUMBERS else reference(values[argument.name])
            for argument in self.function.arguments
        ]

    def contents(self) -> dict[str, bytes]:
        """The bytes of every array."""
        return {name: array.tobytes() for name, array in self.arrays.items()}


def reference(value: Any) -> Any:
    return ctypes.byref(value) if isinstance(value, (Tensor, ctypes.Array)) else value


def valid(function: Function, real: str, sizes: dict[str, int] = SIZES) -> Call:
    """A call that succeeds, with random values and with zeros for indices and labels."""
    call = Call(function, real)
    rng = np.random.default_rng(1)
    for argument in function.arguments:
        if is_tensor(argument):
            shape = shape_of(function, argument, sizes)
            if "Long" in argument.type:
                array = np.zeros(shape, np.int64)
                if argument.name == "sizes":  # the last sample has all entries
                    array[-1:] = sizes["nnz"]
            else:
                array = rng.uniform(0.25, 0.75, shape).astype(REALS[real])  # probabilities are within 0 to 1
                if "column" in argument.shape and "entry" in argument.shape:  # all entries are in column 0
                    array[..., :-1] = 0
            call.arrays[argument.name] = array
            call.values[argument.name] = describe(array)
        elif argument.name == "state":
            call.values["state"] = None
        elif argument.type == ANSWER:
            call.values[argument.name] = (ctypes.c_int64 * 8)()
        else:
            call.values[argument.name] = known(function, argument.name, numbers(function) | {"nbatch": sizes["N"]})
    return call


def asks(function: Function) -> bool:
    """Returns whether the function only stores an answer, such as the size of an output, in its last argument."""
    return function.arguments[-1].type == ANSWER


def numbers(function: Function) -> dict[str, float]:
    layer = function.layer or function.name
    return SCALARS | OTHERWISE.get(layer, {}) | of_cases(layer)


@cache
def of_cases(layer: str) -> dict[str, float]:
    """``ARGUMENTS`` of a layer's cases: legal values of numbers and sizes that other layers lack, or have otherwise."""
    if not (HEADER.parent.parent / "tests" / "cases" / f"{layer}.py").exists():
        return {}
    return getattr(import_module(f"tests.cases.{layer}"), "ARGUMENTS", {})


def known(function: Function, name: str, values: dict[str, float]) -> float:
    """The value of a number or of a size; an error that says where to give one."""
    if name not in values:
        layer = function.layer or function.name
        raise LookupError(
            f"{function.name}: {name}: no legal value is known for tests; "
            f'give one in tests/cases/{layer}.py: ARGUMENTS = {{"{name}": ...}}'
        )
    return values[name]


def shape_of(function: Function, argument: Argument, sizes: dict[str, int]) -> tuple[int, ...]:
    """The first of the shapes that the argument's comment allows, with the batch dimension if it is optional."""
    other, names, terms = parsed(argument.shape)
    if not other:
        values = sizes | numbers(function)
        for name in names:
            known(function, name, values)
        return tuple(eval(term, {}, values) for term in terms)
    if other == "in":  # as in updateOutput
        function = next(f for f in GENERIC if f.name == f"{function.layer}_updateOutput")
        return shape_of(function, next(a for a in function.arguments if a.name == argument.name), sizes)
    return shape_of(function, next(a for a in function.arguments if a.name == other), sizes)


@cache  # calls are made a hundred thousand times
def parsed(shape: str) -> tuple[str, list[str], list[CodeType]]:
    """Returns the argument whose shape it is, or the names in the shape and its sizes as code."""
    text = re.split(r" : |,| or ", shape.replace("(N x) ", "N x "))[0].strip(" :")
    if other := re.match(r"as (\w+)", text):
        return other[1], [], []
    terms = ["any" if size == "*" else re.sub("/+", "//", size) for size in text.split(" x ")]
    return "", re.findall(r"[A-Za-z_]\w*", " ".join(terms)), [compile(term.strip(), "<shape>", "eval") for term in terms]
