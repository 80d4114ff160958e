"""Facts that networks in evaluation mode and training steps have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from pytorch_legacy.backend.library import check, ffi, free_scratch, lib
from pytorch_legacy.errors import CompileError, THNNError, UnsupportedError, ValueRangeError
from pytorch_legacy.program.csource.facts import Group, Port
from pytorch_legacy.program.csource.names import identifier
from pytorch_legacy.program.execution import Opened
from pytorch_legacy.program.inputs import Spec
from pytorch_legacy.program.listing import Listing, at, at_batch, same
from pytorch_legacy.recording.recorder import Ref, Scalar


def check_shapes(all: list[Spec], axes: Sequence[int | None]) -> None:
    """Raises ValueRangeError if more may vary than the number of samples."""
    free = [spec.shape.count(None) for spec in all]
    if any(count > (axis is not None) for count, axis in zip(free, axes, strict=True)):
        raise ValueRangeError("pl.to_c: example: expected at most one None in a shape, for the number of samples, got more")


def groups(lists: list[tuple[Listing, ...]], isBatched: bool) -> list[Group]:
    """Returns the lists for one sample and for more; one for all, if the list for more is right for one sample, too."""
    made = [Group(one[0], one[1] if len(one) > 1 else None, one[0].least) for one in lists]
    if not isBatched:
        made[0].least = 0
        return made[:1]
    if made[-1].least == 0:
        raise CompileError(
            "pl.to_c: net: expected a network that makes the same calls for each number of samples; "
            "this one does not, so give the number in the place of None"
        )
    if len(lists) == 2 and all(same(at_batch(more, 1), one) for one, more in zip(*lists, strict=True)):
        made = [made[-1]]
        made[0].least = 1
    elif len(lists) == 2 and any(_counts(one) != _counts(at_batch(more, 1)) for one, more in zip(*lists, strict=True)):
        made = [made[-1]]  # the header has one number of elements for each n
    return made


def _counts(one: Listing) -> list[int]:
    """Returns how many elements the outputs have."""
    return [prod(ref.shape) for ref in one.outputs]


def refuse_others(listing: Listing, modules: list[Any]) -> None:
    """Raises UnsupportedError if a list calls a function from outside of the library."""
    for call in listing.calls:
        if call.isOutside:
            layer = modules[call.module]._typename if call.module >= 0 else call.name
            raise UnsupportedError(f"pl.to_c: net: expected layers of libTHNN, got {layer}, which calls another library")


def paths(table: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yields the place of each leaf of a table: counts from 1, and keys."""
    if isinstance(table, dict):
        for key, entry in table.items():
            yield from paths(entry, (*path, key))
    elif isinstance(table, (list, tuple)) and not isinstance(table, Scalar) and not hasattr(table, "dtype"):
        for place, entry in enumerate(table):
            yield from paths(entry, (*path, place + 1))
    else:
        yield path


def ports(name: str, short: str, paths: list[tuple[Any, ...]], refs: list[Ref]) -> list[Port]:
    """Returns the inputs or outputs, whose names end in their places."""
    found: list[Port] = []
    for path, ref in zip(paths, refs, strict=False):
        end = "".join(f"_{identifier(f'k{key}')[1:] or 'key'}" for key in path)
        while any(port.name == name + end for port in found):
            end += "_"
        found.append(Port(name + end, short + end, ref))
    return found


def texts(net: Any, modules: list[Any]) -> Iterator[tuple[str, str]]:
    """Yields for each module its place in the network, which counts from 1, and the first line of its text."""
    places: dict[int, str] = {id(net): ""}
    waiting = [net]
    while waiting:
        container = waiting.pop()
        for number, child in enumerate(container._children()):
            if id(child) not in places:
                places[id(child)] = f"{places[id(container)]}{number + 1}."
                waiting.append(child)
    for module in modules:
        text = repr(module).splitlines()[0]
        place = places.get(id(module), "").rstrip(".")
        yield place, (module._typename if text.endswith("{") or len(text) > 80 else text)


def tried(opened: Opened, inputs: list[Port], specs: list[Spec], n: int) -> tuple[list[tuple[int, ...]], int, int]:
    """Returns numbers that the inputs may consist of, and the bytes of packed weights and of scratch memory that a run uses."""
    state = opened.state()
    examples = [_integers(spec.example) for spec in specs]
    constants: list[list[tuple[int, ...]]] = [[(number,)] * len(inputs) for number in range(3)]
    for fills in (*constants, examples):
        shapes = [tuple(at(size, n) for size in port.ref.shape) for port in inputs]
        arrays = [
            np.resize(np.array(fill, port.ref.dtype), shape) for fill, shape, port in zip(fills, shapes, inputs, strict=True)
        ]
        try:
            opened.forget()
            opened.run(arrays, shapes)
        except THNNError as error:
            failure = error
            continue
        bytes = ffi.new("uint64_t[2]")
        check(lib.THNN_setNumThreads(state, 1), "pl.to_c")  # with more, scratch memory depends on how many are awake
        free_scratch(state)
        opened.forget()
        opened.run(arrays, shapes)
        check(lib.THNN_stateBytes(state, bytes, bytes + 1), "pl.to_c")
        return fills, int(bytes[0]), int(bytes[1])
    wanted = "expected a network that takes inputs of 0, of 1 or of 2, or an example of indices that it takes"
    raise CompileError(f"pl.to_c: net: {wanted}, got the error {failure}")


def _integers(example: Any) -> tuple[int, ...]:
    """Returns the numbers of an example of integers, or 0."""
    if example is None or example.dtype.kind not in "iu" or not example.size:
        return (0,)
    return tuple(int(number) for number in example.reshape(-1))
