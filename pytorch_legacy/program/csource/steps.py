"""The facts that a training step is written from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pytorch_legacy.backend.library import CONVOLUTION, check, convolution, lib
from pytorch_legacy.errors import CompileError
from pytorch_legacy.program.csource.facts import Facts, Port, Training
from pytorch_legacy.program.csource.gathering import check_shapes, groups, paths, ports, refuse_others, texts, tried
from pytorch_legacy.program.csource.names import shape_text
from pytorch_legacy.program.csource.passes import enumerators
from pytorch_legacy.program.inputs import Sizes, batch_axes, first_sizes, leaves
from pytorch_legacy.program.listing import Listing, draws
from pytorch_legacy.program.steps import check_pair, pair
from pytorch_legacy.program.training import compiled_step
from pytorch_legacy.program.training_pass import (
    GRADIENTS,
    PARAMETERS,
    ZEROING,
    Held,
    TrainingPass,
    held_arrays,
    kept_generator,
)
from pytorch_legacy.recording.network import elements, list_modules
from pytorch_legacy.recording.recorder import Call, Ref


def step_facts(net: Any, criterion: Any, name: str, stem: str, example: Any) -> Facts:
    """Compiles a training step."""
    check_pair(net, criterion)
    table = pair(net, example)
    all = leaves(table)
    axes = batch_axes(all)
    check_shapes(all, axes)
    made = TrainingPass(net, criterion)
    if not made.flat.size:
        raise CompileError("pl.to_c: net: expected a network with parameters, got one without")
    with kept_generator():
        lists, opened, held = compiled_step(made, table, Sizes(first_sizes(made, table), axes), made.held())
        if any(one.isLater for one in lists):
            cure = "recurrent layers keep none after forget() and remember('neither')"
            raise CompileError(f"pl.to_c: net: expected one that keeps no state from step to step; {cure}")
        modules = list_modules(made)
        for one in lists:
            refuse_others(one, modules)
        isBatched = any(axis is not None for axis in axes)
        found = groups([(_without_checks(one),) for one in lists], isBatched)
        first = found[-1].first
        given, count = len(leaves(table[0])), len(all)
        inputs = ports("input", "x", [*paths(table[0])], first.inputs[:given])
        inputs += [one for rest in table[1:] for one in ports("target", "t", [*paths(rest)], first.inputs[given:count])]
        training = _training(made, held, [group.first for group in found], count)
        check(lib.THNN_setCacheBytes(opened.state(), 0), "pl.to_c")  # as in the C
        fills, packed, scratch = tried(opened, inputs, all, found[0].least or 1)
    outputs = [Port("loss", "loss", first.outputs[0])]
    picture = f"{made.net!r}\n{made.criterion!r}"
    known = [*texts(made.net, modules)]
    return Facts(name, stem, found, known, picture, inputs, outputs, [], isBatched, fills, packed, scratch, training)


def _training(made: TrainingPass, held: Held, lists: list[Listing], count: int) -> Training:
    """Returns what lives from step to step. `count` is the number of inputs and targets."""
    each = [[*one.inputs[count:], *one.outputs[1:]] for one in lists]  # the parameters, their gradients, and other arrays
    refs = each[-1]
    if refs[0].shape != made.flat.shape or refs[1].shape != made.flatGrad.shape:
        raise CompileError(
            "pl.to_c: net: expected a vector of parameters and one of their gradients, as net.getParameters() makes them, "
            f"got arrays of {shape_text(refs[0].shape)} and of {shape_text(refs[1].shape)} numbers"
        )
    others = [place for place in held.changed() if place not in (PARAMETERS, GRADIENTS)]
    found = [Port("the parameters", "parameters", refs[0]), Port("their gradients", "gradients", refs[1])]
    for number, (place, ref) in enumerate(zip(others, refs[2:], strict=True), 1):
        found.append(Port(f"{place[-1]} of {_place(place)}", f"kept_{number}", ref))
    contents = [array.tobytes() for array in (made.flat, *held_arrays(made, others))]
    how = enumerators("THNNConvolution")[CONVOLUTION.index(convolution())]
    pairs = [*zip(lists, each, strict=True)]
    changers = {call.module for one, (flat, *_) in pairs for call in one.calls if _writes(call, flat)}
    isZeroed = all(_isZeroed(one, flatGrad, made.flatGrad.nbytes) for one, (_, flatGrad, *_) in pairs)
    hasDraws = any(draws(call) for one in lists for call in one.calls)
    return Training(found, contents, how, sorted(changers), isZeroed, hasDraws)


def _writes(call: Call, whole: Ref) -> bool:
    """Returns whether the call writes to the memory of an array."""
    return any(ref.memory == whole.memory for ref in call.refs(call.writes))


def _isZeroed(listing: Listing, gradients: Ref, bytes: int) -> bool:
    """Returns whether the calls before the forward pass fill all of the gradients with zero."""
    zeroed = np.zeros(bytes, np.bool_)
    for call in listing.calls:
        if call.part == ZEROING and call.name == "arrayFill" and call.arguments[1] == 0 and _writes(call, gradients):
            elements(zeroed, call.arguments[0])[...] = True
    return bool(zeroed.all())


def _place(place: tuple[Any, ...]) -> str:
    """Returns the place of a module, from the place of an array in it."""
    numbers = [str(one + 1) for one in place[1:-1] if isinstance(one, int)]
    if place[0] != "net":
        return "the criterion"
    return f"module {'.'.join(numbers)}" if numbers else "the network"


def _without_checks(listing: Listing) -> Listing:
    """Returns the list without calls that check whether numbers are whole, which all integers are."""
    return replace(listing, calls=[call for call in listing.calls if not _isCheckOfWhole(call)])


def _isCheckOfWhole(call: Call) -> bool:
    return call.name == "arrayWithin" and call.arguments[0].dtype.kind in "iu" and call.arguments[2] == 2**62
