"""Compiles a network, and writes it as C."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.backend.library import check, ffi, lib
from pytorch_legacy.errors import CompileError, DtypeError, THNNError, UnsupportedError, ValueRangeError
from pytorch_legacy.files.writing import check_target, whole
from pytorch_legacy.messages import described
from pytorch_legacy.program.compiling import compiled
from pytorch_legacy.program.csource.facts import Facts, Group, Port
from pytorch_legacy.program.csource.names import identifier
from pytorch_legacy.program.csource.source import Source
from pytorch_legacy.program.execution import Opened
from pytorch_legacy.program.inputs import Sizes, Spec, batch_axes, first_sizes, leaves, specs
from pytorch_legacy.program.listing import Listing, at, at_batch, same
from pytorch_legacy.program.program import prepared
from pytorch_legacy.recording.network import list_modules
from pytorch_legacy.recording.recorder import Ref, Scalar


def to_c(net: Any, path: str | os.PathLike[str], example: Any, *, embed: bool = False) -> list[Path]:
    """Writes a network in evaluation mode as C, which calls libTHNN and nothing else of this package.

    ``net.c`` has a call for each layer, in the order in which they run, ``net.h`` the functions for a host, and ``net.bin`` the
    weights. The C computes the bits of the program that `pl.compile` makes. Nothing is written if an error is raised.

    Parameters
    ----------
    net : Module
        Stays as it is.
    path : path
        Ends in ``.c``. Functions begin with the name of the file: ``net_open``, ``net_run``, ``net_close``.
    example : tuple, array, or list or dict of them
        As for `pl.compile`. In a shape, one None stands for the number of samples, which ``net_run`` gets: ``(None, 3, 32, 32)``.
    embed : bool
        Whether the weights become an array in a file ``net_weights.c``, in place of ``net.bin``.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    CompileError
        As `pl.compile` raises it, and if the network makes other calls for some numbers of samples.
    UnsupportedError
        If the network has a layer from outside of the package.

    Examples
    --------
    >>> import tempfile
    >>> import pytorch_legacy as pl
    >>> net = pl.nn.Sequential(pl.nn.Linear(3, 2), pl.nn.Tanh())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in pl.to_c(net, f"{folder}/net.c", (None, 3))]
    ['net.h', 'net.c', 'net.bin']
    """
    target = Path(path)
    if target.suffix != ".c" or not target.stem:
        raise ValueRangeError(f"pl.to_c: {target}: expected a name that ends in .c")
    if not isinstance(net, nn.Module):
        raise DtypeError(f"pl.to_c: net: expected a module, got {described(net)}")
    header, weights = target.with_suffix(".h"), target.with_suffix(".bin")
    if embed:
        weights = target.with_name(f"{target.stem}_weights.c")
    for file in (header, target, weights):
        check_target(file)
    source = Source(_facts(net, identifier(target.stem), target.stem, example), embed)
    contents = {header: source.header().encode(), target: source.source().encode()}
    contents[weights] = source.embedded().encode() if embed else source.weights
    with ExitStack() as files:
        for file, content in contents.items():
            files.enter_context(whole(file)).write(content)
    return [*contents]


def _facts(net: Any, name: str, stem: str, example: Any) -> Facts:
    """Compiles the network."""
    table = specs(net, example)
    all = leaves(table)
    axes = batch_axes(all)
    free = [spec.shape.count(None) for spec in all]
    if any(count > (axis is not None) for count, axis in zip(free, axes, strict=True)):
        raise ValueRangeError("pl.to_c: example: expected at most one None in a shape, for the number of samples, got more")
    made = prepared(net)
    lists, opened = _compiled(made, table, axes)
    isBatched = any(axis is not None for axis in axes)
    groups = _groups(lists) if isBatched else [Group(lists[0][0], lists[0][1] if len(lists[0]) > 1 else None, 0)]
    first = groups[-1].first
    for one in [group.first for group in groups] + [group.later for group in groups if group.later]:
        _refuse_others(one, made)
    kept = 0 if groups[-1].later is None else len(groups[-1].later.inputs) - len(all)  # arrays of the state
    results = len(first.outputs) - kept
    state = [Port(f"state_{place + 1}", f"s_{place + 1}", ref) for place, ref in enumerate(first.outputs[results:])]
    inputs = _ports("input", "x", [*_paths(table)], first.inputs)
    outputs = _ports("output", "y", [*_paths(first.output)], first.outputs[:results])
    measured = _tried(opened, inputs, all, groups[0].least or 1)
    return Facts(name, stem, groups, [*_texts(made)], repr(made), inputs, outputs, state, isBatched, *measured)


def _compiled(net: Any, table: Any, axes: Any) -> tuple[list[tuple[Listing, ...]], Opened]:
    """Returns the lists of a program, and the program itself."""
    return compiled(net, table, Sizes(first_sizes(net, table), axes))


def _groups(lists: list[tuple[Listing, ...]]) -> list[Group]:
    """Returns the lists for one sample and for more; one for all, if the list for more is right for one sample, too."""
    made = [Group(one[0], one[1] if len(one) > 1 else None, one[0].least) for one in lists]
    if made[-1].least == 0:
        raise CompileError(
            "pl.to_c: net: expected a network that makes the same calls for each number of samples; "
            "this one does not, so give the number in the place of None"
        )
    if len(lists) == 2 and all(same(at_batch(more, 1), one) for one, more in zip(*lists, strict=True)):
        made = [made[-1]]
        made[0].least = 1
    return made


def _refuse_others(listing: Listing, net: Any) -> None:
    """Raises UnsupportedError if a list calls a function from outside of the library."""
    for call in listing.calls:
        if call.isOutside:
            layer = list_modules(net)[call.module]._typename if call.module >= 0 else call.name
            raise UnsupportedError(f"pl.to_c: net: expected layers of libTHNN, got {layer}, which calls another library")


def _paths(table: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yields the place of each leaf of a table: counts from 1, and keys."""
    if isinstance(table, dict):
        for key, entry in table.items():
            yield from _paths(entry, (*path, key))
    elif isinstance(table, (list, tuple)) and not isinstance(table, Scalar) and not hasattr(table, "dtype"):
        for place, entry in enumerate(table):
            yield from _paths(entry, (*path, place + 1))
    else:
        yield path


def _ports(name: str, short: str, paths: list[tuple[Any, ...]], refs: list[Ref]) -> list[Port]:
    """Returns the inputs or outputs, whose names end in their places."""
    found: list[Port] = []
    for path, ref in zip(paths, refs, strict=False):
        end = "".join(f"_{identifier(f'k{key}')[1:] or 'key'}" for key in path)
        while any(port.name == name + end for port in found):
            end += "_"
        found.append(Port(name + end, short + end, ref))
    return found


def _texts(net: Any) -> Iterator[tuple[str, str]]:
    """Yields for each module its place, which counts from 1, and the first line of its text."""
    places: dict[int, str] = {id(net): ""}
    waiting = [net]
    while waiting:
        container = waiting.pop()
        for number, child in enumerate(container._children()):
            if id(child) not in places:
                places[id(child)] = f"{places[id(container)]}{number + 1}."
                waiting.append(child)
    for module in list_modules(net):
        text = repr(module).splitlines()[0]
        place = places.get(id(module), "").rstrip(".")
        yield place, (module._typename if text.endswith("{") or len(text) > 80 else text)


def _tried(opened: Opened, inputs: list[Port], specs: list[Spec], n: int) -> tuple[list[tuple[int, ...]], int, int]:
    """Returns numbers that the inputs may consist of, and the bytes of packed weights and of scratch memory that a run uses."""
    examples = [_integers(spec.example) for spec in specs]
    constants: list[list[tuple[int, ...]]] = [[(number,)] * len(inputs) for number in range(3)]
    for fills in (*constants, examples):
        shapes = [tuple(at(size, n) for size in port.ref.shape) for port in inputs]
        arrays = [
            np.resize(np.array(fill, port.ref.dtype), shape) for fill, shape, port in zip(fills, shapes, inputs, strict=True)
        ]
        try:
            opened.forget()
            opened.run(arrays)
        except THNNError as error:
            failure = error
            continue
        state, bytes = ffi.new("THNNState **"), ffi.new("uint64_t[2]")
        check(lib.THNN_programState(opened.handle, state), "pl.to_c")
        # With several threads the scratch memory depends on how many of them were awake.
        check(lib.THNN_setNumThreads(state[0], 1), "pl.to_c")
        opened.free_scratch()
        opened.forget()
        opened.run(arrays)
        check(lib.THNN_stateBytes(state[0], bytes, bytes + 1), "pl.to_c")
        return fills, int(bytes[0]), int(bytes[1])
    wanted = "expected a network that takes inputs of 0, of 1 or of 2, or an example of indices that it takes"
    raise CompileError(f"pl.to_c: net: {wanted}, got the error {failure}")


def _integers(example: Any) -> tuple[int, ...]:
    """Returns the numbers of an example of integers, or 0."""
    if example is None or example.dtype.kind not in "iu" or not example.size:
        return (0,)
    return tuple(int(number) for number in example.reshape(-1))
