"""Every function of the header, with every argument missing, misshapen or not to be written: one error, no write."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy.backend.header import Argument, Function
from tests import capi
from tests.capi import FUNCTIONS, GENERIC, Call, is_tensor, is_written, last_error
from tests.rows import all_of, rows

Check = Callable[[Function, Any, str], None]
TABLE: list[tuple[str, str, tuple[Check, Function, Any]]] = []
"""The rows of all checks of arguments: layer, what is wrong with which argument, and the check with what it gets."""


def of_arguments(of: Callable[[Argument], bool]) -> Callable[[Check], Check]:
    """Decorator: the check is for all tensor arguments of all layers for which `of` holds."""

    def add(check: Check) -> Check:
        pairs = [(f, a) for f in GENERIC for a in f.arguments if is_tensor(a) and of(a)]
        TABLE.extend((f.layer, f"{check.__name__}: {f.name} {a.name}", (check, f, a)) for f, a in pairs)
        return check

    return add


def of_functions(check: Check) -> Check:
    """Decorator: the check is for all functions of all layers."""
    TABLE.extend((f.layer, f"{check.__name__}: {f.name}", (check, f, None)) for f in GENERIC)
    return check


def is_optional(argument: Argument) -> bool:
    return "OPTIONAL" in argument.tags


def is_read(argument: Argument) -> bool:
    return not argument.shape.endswith("not read")


def assert_fails(call: Call, code: int, argument: str) -> None:
    """The call fails with this code and blames this argument, and no array has changed."""
    before = call.contents()
    assert call() == code, last_error()
    assert last_error().startswith(f"{call.name}: {argument}: "), last_error()
    assert call.contents() == before


KEPT_BYTES = 512 << 20  # as the library begins


@of_functions
def valid(function: Function, argument: None, real: str) -> None:
    """Shapes as the header gives them are accepted: the other checks start from this call."""
    call = capi.valid(function, real)
    assert call() == capi.OK, last_error()


@of_functions
def empty_batch(function: Function, argument: None, real: str) -> None:
    """No samples are a legal input; gradients of parameters then stay as they are."""
    call = capi.valid(function, real, capi.SIZES | {"N": 0, "nnz": 0})
    before = call.contents()
    assert call() == capi.OK, last_error()
    for a in function.arguments:
        if "ACC" in a.tags and a.name.startswith("grad"):
            assert call.contents()[a.name] == before[a.name]


@of_arguments(lambda argument: not is_optional(argument))
def null(function: Function, argument: Argument, real: str) -> None:
    call = capi.valid(function, real)
    call.values[argument.name] = None
    assert_fails(call, capi.NULL, argument.name)


@of_arguments(is_optional)
def optional(function: Function, argument: Argument, real: str) -> None:
    call = capi.valid(function, real)
    call.values[argument.name] = None
    assert call() == capi.OK, last_error()


@of_functions
def all_null(function: Function, argument: None, real: str) -> None:
    """Nothing but NULL and zeros: an argument that must be there is named."""
    call = capi.valid(function, real)
    for a in function.arguments:
        call.values[a.name] = None if a.is_pointer else 0
    before = call.contents()
    assert call() == capi.NULL
    required = [a.name for a in function.arguments if a.is_pointer and a.name != "state" and not is_optional(a)]
    assert last_error().startswith(tuple(f"{call.name}: {name}: " for name in required)), last_error()
    assert call.contents() == before


@of_arguments(is_read)
def null_data(function: Function, argument: Argument, real: str) -> None:
    """A tensor that claims elements but has no memory."""
    call = capi.valid(function, real)
    call.values[argument.name].data = None
    assert_fails(call, capi.NULL, argument.name)


@of_arguments(is_read)
def impossible_rank(function: Function, argument: Argument, real: str) -> None:
    for rank in (-1, 9, 2**31 - 1):
        call = capi.valid(function, real)
        call.values[argument.name].nDimension = rank
        assert_fails(call, capi.SHAPE, argument.name)


@of_arguments(is_read)
def impossible_size(function: Function, argument: Argument, real: str) -> None:
    """Sizes that are negative, or whose product is beyond all memory. Another argument may be blamed: it differs."""
    for size in (-1, -(2**63), 2**63 - 1, 2**40):
        call = capi.valid(function, real)
        tensor = call.values[argument.name]
        for d in range(tensor.nDimension):
            tensor.size[d] = size
            tensor.stride[d] = 2**40
        before = call.contents()
        assert call() in (capi.SHAPE, capi.VALUE), f"size {size}: {last_error()}"
        assert last_error().startswith(f"{call.name}: ")
        assert call.contents() == before


@of_arguments(is_written)
def read_only(function: Function, argument: Argument, real: str) -> None:
    call = capi.valid(function, real)
    call.values[argument.name].flags = capi.READONLY
    assert_fails(call, capi.VALUE, argument.name)


@of_arguments(is_written)
def overlapping_output(function: Function, argument: Argument, real: str) -> None:
    """An output whose elements share an address."""
    call = capi.valid(function, real)
    tensor = call.values[argument.name]
    if np.prod(tensor.size[: tensor.nDimension]) == 1:
        return
    for d in range(tensor.nDimension):
        tensor.stride[d] = 0
    assert_fails(call, capi.VALUE, argument.name)


def no_place_for_the_answer(function: Function, argument: Argument, real: str) -> None:
    call = capi.valid(function, real)
    name = function.arguments[-1].name
    call.values[name] = None
    assert_fails(call, capi.NULL, name)


TABLE += [
    (function.layer, f"no_place_for_the_answer: {function.name}", (no_place_for_the_answer, function, None))
    for function in GENERIC
    if capi.asks(function)
]


@all_of("real", capi.REALS)
@rows("check, function, argument", TABLE)
def test_arguments(check: Check, function: Function, argument: Argument | None, real: str) -> None:
    """Every call of a layer's functions that is right, and every wrong argument, in one item for the layer."""
    check(function, argument, real)


# ---------------------------------------------------------------------------------------------- the rest of the header


@rows(
    "function, argument",
    [
        ("core", f"{function.name} {argument.name}", (function, argument))
        for function in FUNCTIONS
        for argument in function.arguments
        if not function.generic and argument.is_pointer
    ],
)
def test_null_outside_layers(function: Function, argument: Argument) -> None:
    """Only `state` may be NULL, except where a new one is to be stored, and what is to be closed."""
    pointers = {a.name: ctypes.byref((ctypes.c_int64 * 64)()) for a in function.arguments if a.is_pointer}
    values = [
        None if a is argument or a.name == "state" else pointers.get(a.name, capi.NUMBERS.get(a.type, ctypes.c_int64)(1))
        for a in function.arguments
    ]
    try:
        status = getattr(capi.lib, function.name)(*values)
    finally:
        capi.lib.THNN_setNumThreads(None, 0)
        capi.lib.THNN_setCacheBytes(None, ctypes.c_int64(KEPT_BYTES))
    if argument.name == "state" and function.name not in ("THNN_newState", "THNN_newProgramState", "THNN_programState"):
        assert status == capi.OK or not last_error().startswith(f"{function.name}: state: ")
    elif function.name in ("THNN_closeProgram", "THNN_unmapFile"):
        assert status == capi.OK
    else:
        assert status == capi.NULL
        assert last_error().startswith(f"{function.name}: {argument.name}: "), last_error()
