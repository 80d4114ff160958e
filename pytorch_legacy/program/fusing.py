"""Passes over the calls of a list, which then computes the same bits in fewer calls and in less memory.

- `with_fixed_algorithm` makes a call of FusedConvolution of each dense convolution whose weight is a constant. It has one
  algorithm for all batches.
- `fuse_epilogues` makes a sum or an activation part of a FusedConvolution if it is the only reader of the result.
- `reuse_inputs` gives the output of a call that may work in place the memory of its input if no later call uses that.

A pass leaves a call unchanged if its rule does not hold. The proof compares the list with the network, in which nothing is
fused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from pytorch_legacy.backend.binding import TensorDescriptor
from pytorch_legacy.backend.library import SIGNATURES, USES, check, ffi, lib
from pytorch_legacy.optimizing.kinds import DENSE_CONVOLUTIONS, FULL_CONVOLUTIONS
from pytorch_legacy.program.listing import Block, Listing, compact, dense
from pytorch_legacy.recording.recorder import Call, Ref
from pytorch_legacy.recording.universal import APPLIES

CONVOLUTIONS = DENSE_CONVOLUTIONS | FULL_CONVOLUTIONS | {"SpatialGroupedConvolution"}
"""The layers whose ``updateOutput`` FusedConvolution computes."""

IN_PLACE = {
    *("Abs", "BatchNormalization", "ELU", "Exp", "HardShrink", "HardTanh", "LeakyReLU", "Log", "LogSigmoid", "LogSoftMax"),
    *("Normalize", "PReLU", "RReLU", "Sigmoid", "SoftMax", "SoftPlus", "SoftShrink", "Sqrt", "Square", "Tanh", "Threshold"),
}
"""The layers whose ``updateOutput`` may write its output over its input: [OUT] [INPLACE] in THNN.h."""

_FUSED = "FusedConvolution_updateOutput"
_DEFAULTS = {"d": 1, "pad": 0, "dilation": 1, "adj": 0}


def fused(one: Listing) -> Listing:
    """Returns a list that computes the same after all passes."""
    calls = [with_fixed_algorithm(call, one.blocks) for call in one.calls]
    return compact(reuse_inputs(replace(one, calls=fuse_epilogues(calls, one.blocks))))


def _plain(ref: Ref) -> Ref:
    """Returns the array with the strides that dense arrays have in dimensions of one element, where any number would do."""
    strides, step = [], ref.dtype.itemsize
    for size, stride in zip(reversed(ref.shape), reversed(ref.strides), strict=True):
        strides.append(step if size == 1 else stride)
        step = strides[-1] * size
    return ref._replace(strides=tuple(reversed(strides)))


def _isSame(one: Ref, other: Ref) -> bool:
    """Returns whether two arrays are the same elements."""
    return one.memory == other.memory and _isAlike(one, other) and one.offset == other.offset


def _isAlike(one: Ref, other: Ref) -> bool:
    """Returns whether two arrays have elements of one type in the same layout."""
    return (one.dtype, one.shape) == (other.dtype, other.shape) and _plain(one).strides == _plain(other).strides


def _function(call: Call) -> str:
    """Returns the name of a function without the type of its arrays; "" for a function from outside of the library."""
    return "" if call.isOutside else call.name.removeprefix("Float").removeprefix("Double")


def arguments_by_name(call: Call) -> dict[str, Any]:
    """Returns the arguments of a call of a layer's function by their names."""
    names = [name for _, name in SIGNATURES[_function(call)] if name != "state"]
    return dict(zip(names, call.arguments, strict=True))


def _call(real: str, arguments: dict[str, Any], module: int) -> Call:
    """Returns a call of FusedConvolution."""
    values = [arguments[name] for _, name in SIGNATURES[_FUSED] if name != "state"]
    places = [place for place, value in enumerate(values) if isinstance(value, Ref)]
    reads = tuple(place for place in places if USES[_FUSED][place] == "r")
    writes = tuple(place for place in places if USES[_FUSED][place] == "w")
    return Call(real + _FUSED, values, reads, writes, module)


# ---- convolutions


def with_fixed_algorithm(call: Call, blocks: Sequence[Block]) -> Call:
    """Returns a dense convolution as a call of FusedConvolution if its weight is a constant; any other call as it is."""
    layer, _, method = _function(call).partition("_")
    if layer not in CONVOLUTIONS or method != "updateOutput":
        return call
    given = arguments_by_name(call)
    weight = _withKernel(given)
    if weight is None or blocks[weight.memory].kind != "constant":
        return call
    numbers = {f"{name}{axis}": given.get(f"{name}{axis}", default) for name, default in _DEFAULTS.items() for axis in "TWH"}
    numbers |= {"groups": given.get("groups", 1), "full": given.get("full", int("Full" in layer))}
    real = call.name.removesuffix(_function(call))
    sample = given["input"].shape[1 - len(weight.shape) :]
    algorithm = _algorithm(real, weight.dtype, sample, weight.shape, tuple(numbers.values()))
    arrays = {"input": given["input"], "output": given["output"], "weight": weight, "bias": given["bias"], "other": None}
    return _call(real, arrays | numbers | {"activation": 0, "a": 0.0, "b": 0.0, "algorithm": algorithm}, call.module)


def _withKernel(given: dict[str, Any]) -> Ref | None:
    """Returns the weight of a convolution with the axes of its kernel, which a dense matrix may lack; None of another one."""
    weight: Ref = given["weight"]
    if len(weight.shape) > 2:
        return weight
    kernel = tuple(given[name] for name in ("kT", "kH", "kW") if name in given)
    if weight.strides != dense(weight.shape, weight.dtype.itemsize) or weight.shape[1] % prod(kernel):
        return None
    shape = (weight.shape[0], weight.shape[1] // prod(kernel), *kernel)
    return weight._replace(shape=shape, strides=dense(shape, weight.dtype.itemsize))


@lru_cache(1024)
def _algorithm(real: str, dtype: Any, sample: tuple[int, ...], weight: tuple[int, ...], numbers: tuple[int, ...]) -> int:
    """Returns the algorithm for the sizes of a sample."""
    answer = ffi.new("int64_t[1]")
    slots = []
    for name, shape in (("input", sample), ("weight", weight)):
        slot = TensorDescriptor("pl.compile", name, f"const TH{real}Tensor *")
        slot.fill(np.empty(shape, dtype))
        slots.append(slot)
    function = getattr(lib, f"THNN_{real}FusedConvolution_algorithm")
    check(function(*(slot.descriptor for slot in slots), *numbers, answer), "pl.compile")
    return int(answer[0])


# ---- sums and activations


def fuse_epilogues(calls: Sequence[Call], blocks: Sequence[Block]) -> list[Call]:
    """Returns the calls in which each FusedConvolution computes the sum and the activation behind it.

    The fused call stands in the place of the sum, because the other operand has been computed there. When two convolutions are
    added, the earlier one is fused: an in-place sum writes to its output, and the other operand must not be overwritten.
    """
    found = [*calls]
    place = 0
    while place < len(found):
        reader = _reader(found, place, blocks)
        both = None if reader is None else _both(found[place], found[reader], blocks)
        if reader is None or both is None:
            place += 1
            continue
        found[reader] = both  # the fused call may join the next one later
        del found[place]
    return found


def _reader(calls: Sequence[Call], place: int, blocks: Sequence[Block]) -> int | None:
    """Returns the place of the call that a FusedConvolution may move to, as it alone reads the result; None if there is none."""
    call = calls[place]
    if _function(call) != _FUSED:
        return None
    [output] = call.refs(call.writes)
    for other in range(place + 1, len(calls)):
        used = [ref for ref in calls[other].refs() if ref.memory == output.memory]
        if used:
            break
        if {ref.memory for ref in calls[other].refs(calls[other].writes)} & {ref.memory for ref in call.refs(call.reads)}:
            return None  # a later call overwrites an operand
    else:
        return None
    reader = calls[other]
    read = [ref for ref in reader.refs(reader.reads) if ref.memory == output.memory]
    written = reader.refs(reader.writes)
    if len(read) != 1 or not _isSame(read[0], output) or len(written) != 1:
        return None
    return other if _isSame(written[0], output) or _isOver(calls[other + 1 :], output, blocks) else None


def _isOver(later: Sequence[Call], array: Ref, blocks: Sequence[Block]) -> bool:
    """Returns whether no later call reads what the memory of an array holds now."""
    block = blocks[array.memory]
    for call in later:
        if any(ref.memory == array.memory for ref in call.refs(call.reads)):
            return False
        if any(ref.memory == array.memory and _bytes(ref) == block.bytes for ref in call.refs(call.writes)):
            return True
    return block.kind == "made"


def _bytes(ref: Ref) -> int:
    """Returns how many bytes a dense array takes; 0 of any other one."""
    return prod(ref.shape) * ref.dtype.itemsize if _plain(ref).strides == dense(ref.shape, ref.dtype.itemsize) else 0


def _both(call: Call, reader: Call, blocks: Sequence[Block]) -> Call | None:
    """Returns the FusedConvolution that also computes the call that reads its result; None if there is no such function."""
    given = arguments_by_name(call)
    [target] = reader.refs(reader.writes)
    if given["activation"] or any(ref.memory == target.memory for ref in (given["input"], given["weight"])):
        return None
    if given["bias"] is not None and given["bias"].memory == target.memory:
        return None
    added: dict[str, Any]
    if (found := activation(reader, blocks)) is not None:
        added = dict(zip(("activation", "a", "b"), found, strict=True))
    elif _function(reader) == "arrayApply" and reader.arguments[3] == APPLIES[np.add] and given["other"] is None:
        left, right, _, _ = reader.arguments
        added = {"other": right if left.memory == given["output"].memory else left}
    else:
        return None
    other = added.get("other", given["other"])
    if not all(_isAlike(ref, given["output"]) for ref in (target, other or target)):
        return None  # another type or shape, or a side of the sum that is repeated
    if other is not None and other.memory == target.memory:
        if not _isSame(other, target):
            return None
        added["other"] = target
    return _call(call.name.removesuffix(_FUSED), given | added | {"output": target}, call.module)


def activation(call: Call, blocks: Sequence[Block]) -> tuple[int, float, float] | None:
    """Returns the number of THNNActivation for the call of an activation, and the numbers a and b; None of any other call."""
    function = _function(call)
    given = arguments_by_name(call) if function.endswith("_updateOutput") and function in SIGNATURES else {}
    if function == "Threshold_updateOutput":
        return 1, given["threshold"], given["val"]
    if function == "HardTanh_updateOutput" and given["min_val"] < given["max_val"]:
        return 2, given["min_val"], given["max_val"]
    if function == "LeakyReLU_updateOutput":
        return 3, given["negval"], 0.0
    if function == "PReLU_updateOutput" and not given["nOutputPlane"] and blocks[given["weight"].memory].kind == "constant":
        weight = given["weight"]
        return 3, float(np.frombuffer(blocks[weight.memory].content, weight.dtype, 1, weight.offset)[0]), 0.0
    return None


# ---- memory


def reuse_inputs(one: Listing) -> Listing:
    """Returns the list in which elementwise calls write over inputs that no later call uses: two blocks become one."""
    spans: dict[int, tuple[int, int]] = {}
    for place, call in enumerate(one.calls):
        for ref in call.refs():
            spans[ref.memory] = spans.get(ref.memory, (place, place))[0], place
    names = {number: number for number in spans}  # for each block, the block that contains it
    calls = [*one.calls]
    for place, call in enumerate(calls):
        pair = _pair(call)
        if pair is None:
            continue
        input, output = pair
        isAlone = [ref.memory for ref in call.refs()].count(input.memory) == 1
        if isAlone and _mayBeOne(input, output, one.blocks) and spans[input.memory][1] == place == spans[output.memory][0]:
            names[input.memory] = output.memory  # the first block ends with the call, the second one begins
            calls[place] = replace(call, arguments=[output if value == input else value for value in call.arguments])

    def moved(value: Any) -> Any:
        if not isinstance(value, Ref):
            return value
        memory = value.memory
        while names[memory] != memory:
            memory = names[memory]
        return value._replace(memory=memory)

    return replace(one, calls=[replace(call, arguments=[*map(moved, call.arguments)]) for call in calls])


def _pair(call: Call) -> tuple[Ref, Ref] | None:
    """Returns the input and the output of a call for which these may be one array."""
    function = _function(call)
    if function == "arrayMap":
        return call.arguments[0], call.arguments[1]
    if function == "arrayApply":
        return call.arguments[0], call.arguments[2]
    if function.endswith("_updateOutput") and function.removesuffix("_updateOutput") in IN_PLACE:
        return call.arguments[0], call.arguments[1]
    return None


def _mayBeOne(input: Ref, output: Ref, blocks: Sequence[Block]) -> bool:
    """Returns whether two arrays take the same part of two blocks that the list may write."""
    old, new = blocks[input.memory], blocks[output.memory]
    isWritten = input.memory != output.memory and old.kind == "made" and new.kind in ("made", "output")
    return isWritten and old.bytes == new.bytes and input.offset == output.offset and _isAlike(input, output)
