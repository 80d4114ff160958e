"""Compiles a network, and writes it as C."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, DtypeError, ValueRangeError
from pytorch_legacy.files.writing import check_target, whole
from pytorch_legacy.messages import described
from pytorch_legacy.program.compiling import compiled
from pytorch_legacy.program.csource.facts import Facts, Port
from pytorch_legacy.program.csource.gathering import check_shapes, groups, paths, ports, refuse_others, texts, tried
from pytorch_legacy.program.csource.names import identifier
from pytorch_legacy.program.csource.source import Source
from pytorch_legacy.program.csource.steps import step_facts
from pytorch_legacy.program.csource.training import StepSource
from pytorch_legacy.program.inputs import Sizes, batch_axes, first_sizes, leaves, specs
from pytorch_legacy.program.program import prepared
from pytorch_legacy.recording.network import list_modules


def to_c(net: Any, path: str | os.PathLike[str], example: Any, *, embed: bool = False, criterion: Any = None) -> list[Path]:
    """Writes a network in evaluation mode, or a step of its training, as C, which calls libTHNN and nothing else of this package.

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
        With a criterion, a pair of an input and a target.
    embed : bool
        Whether the weights become an array in a file ``net_weights.c``, in place of ``net.bin``.
    criterion : Criterion, optional
        Loss of a training step. Then ``net_step`` takes the place of ``net_run``: it computes the loss, and the gradients of the
        parameters.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    CompileError
        As `pl.compile` raises it, and if the network makes other calls for some numbers of samples. With a criterion also if the
        network keeps a state from step to step, or has no parameters.
    UnsupportedError
        If the network has a layer from outside of the package.

    Examples
    --------
    >>> import tempfile
    >>> import pytorch_legacy as pl
    >>> net = pl.nn.Sequential(pl.nn.Linear(3, 2), pl.nn.Tanh())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in pl.to_c(net, f"{folder}/net.c", (None, 3))]
    ...     [file.name for file in pl.to_c(net, f"{folder}/step.c", ((None, 3), (None, 2)), criterion=pl.nn.MSECriterion())]
    ['net.h', 'net.c', 'net.bin']
    ['step.h', 'step.c', 'step.bin']
    """
    target = Path(path)
    if target.suffix != ".c" or not target.stem:
        raise ValueRangeError(f"pl.to_c: {target}: expected a name that ends in .c")
    if not isinstance(net, nn.Module):
        raise DtypeError(f"pl.to_c: net: expected a module, got {described(net)}")
    if embed and criterion is not None:
        raise ArgumentError("pl.to_c: embed: expected False with a criterion, because no constant array has weights that change")
    header, weights = target.with_suffix(".h"), target.with_suffix(".bin")
    if embed:
        weights = target.with_name(f"{target.stem}_weights.c")
    for file in (header, target, weights):
        check_target(file)
    name = identifier(target.stem)
    if criterion is None:
        source = Source(_facts(net, name, target.stem, example), embed)
    else:
        source = StepSource(step_facts(net, criterion, name, target.stem, example))
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
    check_shapes(all, axes)
    made = prepared(net)
    lists, opened = compiled(made, table, Sizes(first_sizes(made, table), axes))
    isBatched = any(axis is not None for axis in axes)
    found = groups(lists, isBatched)
    first, modules = found[-1].first, list_modules(made)
    for one in [group.first for group in found] + [group.later for group in found if group.later]:
        refuse_others(one, modules)
    kept = 0 if found[-1].later is None else len(found[-1].later.inputs) - len(all)  # arrays of the state
    results = len(first.outputs) - kept
    state = [Port(f"state_{place + 1}", f"s_{place + 1}", ref) for place, ref in enumerate(first.outputs[results:])]
    inputs = ports("input", "x", [*paths(table)], first.inputs)
    outputs = ports("output", "y", [*paths(first.output)], first.outputs[:results])
    measured = tried(opened, inputs, all, found[0].least or 1)
    return Facts(name, stem, found, [*texts(made, modules)], repr(made), inputs, outputs, state, isBatched, *measured)
