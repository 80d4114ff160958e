"""Numbers that Python writes beside the enums of the C headers: both have the same names, in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn
from pytorch_legacy.backend import arrays, binding, header, library
from pytorch_legacy.backend.header import HeaderError
from pytorch_legacy.nn import blocks
from pytorch_legacy.program import encoding
from pytorch_legacy.program.fusing import activation
from pytorch_legacy.recording import record
from pytorch_legacy.recording.operands import NOT_EQUAL
from pytorch_legacy.recording.reductions import REDUCES
from pytorch_legacy.recording.universal import APPLIES, MAPS
from tests import capi
from tests.arrays import functions
from tests.capi import HEADER

ENUMS = header.enums(header.text(HEADER))
FORMAT = header.enums((HEADER.parent / "program" / "format.h").read_text(encoding="utf-8"))

# The functions of NumPy that each constant stands for, as the words behind THNN_ or THNN_APPLY_.
MAPPED = {
    "NEGATE": "negative", "ABSOLUTE": "absolute fabs", "SQUARE": "square", "SQRT": "sqrt", "EXP": "exp", "LOG": "log",
    "LOG1P": "log1p", "EXPM1": "expm1", "TANH": "tanh", "SIN": "sin", "COS": "cos", "FLOOR": "floor", "CEIL": "ceil",
    "TRUNC": "trunc", "RINT": "rint", "SIGN": "sign", "RECIPROCAL": "reciprocal", "LOGICAL_NOT": "logical_not",
    "IS_NAN": "isnan", "IS_INFINITE": "isinf", "IS_FINITE": "isfinite",
}  # fmt: skip
APPLIED = {
    "ADD": "add", "SUBTRACT": "subtract", "MULTIPLY": "multiply", "DIVIDE": "divide", "LARGER": "maximum", "SMALLER": "minimum",
    "POWER": "power float_power", "FLOOR_DIVIDE": "floor_divide", "REMAINDER": "remainder", "HYPOT": "hypot", "ATAN2": "arctan2",
    "EQUAL": "equal", "NOT_EQUAL": "not_equal", "LESS": "less", "LESS_EQUAL": "less_equal", "GREATER": "greater",
    "GREATER_EQUAL": "greater_equal", "AND": "logical_and bitwise_and", "OR": "logical_or bitwise_or",
    "XOR": "logical_xor bitwise_xor",
}  # fmt: skip
REDUCED = {
    "SUM": "add", "PRODUCT": "multiply", "MAXIMUM": "maximum", "MINIMUM": "minimum", "ANY": "logical_or", "ALL": "logical_and",
}  # fmt: skip


def plain(enum: str, prefix: str = "THNN_") -> dict[str, int]:
    """The constants of an enum, without what their names have in common."""
    return {name.removeprefix(prefix): number for name, number in ENUMS[enum].items()}


def expected(constants: dict[str, int], words: dict[str, str]) -> dict[Any, int]:
    assert list(constants) == list(words)
    return {getattr(np, name): constants[word] for word, names in words.items() for name in names.split()}


@pytest.mark.parametrize(
    ("table", "enum", "prefix", "words"),
    [
        (MAPS, "THNNMap", "THNN_", MAPPED),
        (APPLIES, "THNNApply", "THNN_APPLY_", APPLIED),
        (REDUCES, "THNNReduce", "THNN_", REDUCED),
    ],
    ids=["maps", "applies", "reduces"],
)
def test_recorded_functions(table: dict[Any, int], enum: str, prefix: str, words: dict[str, str]) -> None:
    assert table == expected(plain(enum, prefix), words)
    assert APPLIES[np.not_equal] == NOT_EQUAL


def test_functions_of_tests() -> None:
    reduced = dict(zip(REDUCED, ["sum", "prod", "max", "min", "any", "all"], strict=True))
    tables = [
        (functions.MAP, "THNNMap", MAPPED),
        (functions.APPLY, "THNNApply", APPLIED),
        (functions.REDUCE, "THNNReduce", reduced),
    ]
    for table, enum, words in tables:
        first = [names.split()[0] for names in words.values()]
        assert table == dict(zip(first, ENUMS[enum].values(), strict=True))


def test_operations_of_layers() -> None:
    operations = plain("THNNOperation")
    functions: dict[str, Callable[..., Any]] = {
        "ADD": np.add, "SUBTRACT": np.subtract, "MULTIPLY": np.multiply, "DIVIDE": np.divide, "LARGER": blocks.larger,
        "SMALLER": blocks.smaller,
    }  # fmt: skip
    assert {functions[name]: number for name, number in operations.items()} == blocks.OPERATIONS

    activations = plain("THNNActivation")
    layers = {"THRESHOLD": nn.Threshold(), "HARD_TANH": nn.HardTanh(), "LEAKY_RELU": nn.LeakyReLU()}
    assert {"NO_ACTIVATION", *layers} == set(activations)
    for name, layer in layers.items():
        [recording] = record(layer.float(), np.ones(3, np.float32))
        found = activation(recording.calls[0], [])
        assert found is not None and found[0] == activations[name]


@pytest.mark.parametrize(
    ("names", "enum", "prefix"),
    [
        (library.POOLING_BACKWARD, "THNNPoolingBackward", "THNN_"),
        (library.KERNELS, "THNNKernels", "THNN_KERNELS_"),
        (library.CONVOLUTION, "THNNConvolution", "THNN_"),
    ],
    ids=["pooling", "kernels", "convolution"],
)
def test_settings(names: Iterable[str], enum: str, prefix: str) -> None:
    """A setting is sent as its place among the names."""
    words = [name.removeprefix("BY_").replace("_", "").lower() for name in plain(enum, prefix)]
    assert [*plain(enum, prefix).values()] == [*range(len(words))]
    assert [*names] == words


def test_types() -> None:
    dtypes = {"FLOAT": "float32", "DOUBLE": "float64", "LONG": "int64", "BYTE": "uint8"}
    numbers = {np.dtype(dtypes[name]): number for name, number in plain("THNNType").items()}
    numbers[np.dtype(np.bool_)] = numbers[np.dtype(np.uint8)]
    assert arrays.TYPES == numbers == functions.TYPES


def test_memories_of_programs() -> None:
    kinds = {"CONSTANTS": "constant", "ARENA": "made", "INPUT": "input", "OUTPUT": "output"}
    memories = {name.removeprefix("MEMORY_"): number for name, number in FORMAT["Memory"].items()}
    assert {kinds[name]: number for name, number in memories.items()} == encoding.MEMORIES


def test_limits_and_codes() -> None:
    assert ENUMS["THNNLimits"] == {"THNN_MAX_DIMS": binding.MAX_DIMS}
    assert ENUMS["THNNFlags"] == {"THNN_READONLY": binding.READONLY} == {"THNN_READONLY": capi.READONLY}
    for name, number in plain("THNNStatus").items():
        assert getattr(capi, name.removeprefix("ERR_")) == number


def test_enum_is_read() -> None:
    assert header.enums("typedef enum A { X = 1, /* Y = 2 */ Z = 0x10, } A; enum { W = 3 }; int B[] = {1};") == {
        "A": {"X": 1, "Z": 16}
    }


@pytest.mark.parametrize("constants", ["X", "X = 1, Y", "X = 1 + 2", "X = -1"])
def test_enum_without_numbers(constants: str) -> None:
    with pytest.raises(HeaderError, match=r"enum A: expected NAME = NUMBER, got [XY]") as caught:
        header.enums(f"\n\nenum A {{ {constants} }};")
    assert caught.value.line == 3
