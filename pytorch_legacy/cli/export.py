"""``convert`` to .py, .onnx and .pt2, which PyTorch and others run, and to .c."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytorch_legacy as pl
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import CompileError, THNNError
from pytorch_legacy.inference import given, inputs, models
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.nn.Module import Module

from . import training
from .program import by_examples

PROVEN = (".py", ".onnx", ".pt2")
"""Endings for which the numbers of the written network are compared, which ``--force`` makes no condition."""
ENDINGS = (*PROVEN, ".c")


def write(options: argparse.Namespace) -> str:
    """Writes the network of options.source as options.target. Returns a text about the comparison."""
    return write_network(options, models.network(options.source, pl.load(options.source, lua=options.lua), options.model))


def write_network(options: argparse.Namespace, net: Module) -> str:
    """Writes a network as options.target. Returns a text about the comparison."""
    example, assumed = (given.by_text(options.input[0], net), "") if options.input else given.by_layers(net)
    try:
        return _writeNetwork(options, net, example, assumed)
    except THNNError as error:
        raise error if options.input or isinstance(error, MemoryError) else Problem(f"{error}{assumed}") from None


def _writeNetwork(options: argparse.Namespace, net: Module, example: Any, assumed: str) -> str:
    suffix = Path(options.target).suffix.lower()
    if suffix == ".c":
        return _write_c(options, net, example, assumed)
    if suffix == ".py":
        module = pl.to_python(net, options.target, example, force=options.force, wrap=options.wrap)
        whole = module.proof.whole
        weights = Path(options.target).with_suffix(".safetensors")
        gap = "a random layer was not compared" if whole is None else f"it differs by {whole:.1e}"
        beside = "".join(f", {Path(options.target).with_suffix(f'.{place}.t7')}" for place in module.legacy_parts)
        pairs = module.proof.untied
        untied = "".join(
            f"; {other} shares memory with {one} in the network, but is trained separately in PyTorch" for one, other in pairs
        )
        return f"with {weights}{beside}; {gap}{untied}{assumed}"
    exported = (pl.to_onnx if suffix == ".onnx" else pl.to_pt2)(net, options.target, example, force=options.force)
    fixed = f"; fixed: {', '.join(exported.fixed)}" if exported.fixed else ""
    return f"it differs by {exported.difference:.1e}{fixed}{assumed}"


def _write_c(options: argparse.Namespace, net: Module, examples: Any, assumed: str) -> str:
    """Writes the network as C, or a step of its training, for any number of samples if the network takes that."""
    criterion = None if options.training is None else training.criterion(options.training, net)
    table, _ = by_examples(examples)
    if any(spec.shape.count(None) > 1 for spec in tree.leaves(table)):
        cure = "pass the others by --input, such as Nx3x224x224"
        raise Problem(f"{options.target}: C has one size that may vary, the number of samples; {cure}")
    target = None
    if criterion is not None:
        isFree = any(None in spec.shape for spec in tree.leaves(table))
        target = training.target(options.sizes, net, examples, criterion, isFree)

    def write(table: Any, target: Any) -> list[Path]:
        example = table if criterion is None else (table, target)
        return pl.to_c(net, options.target, example, embed=options.embed, criterion=criterion)

    try:
        files = write(table, target)
    except CompileError:
        typed = [*inputs.arrays(inputs.parse(options.input[0]))] if options.input else []
        if not typed or any(isinstance(size, str) for array in typed for size in array.sizes):
            raise
        waiting: Any = iter([array.sizes for array in typed])
        fixed = tree.map_entries(lambda spec: spec._replace(shape=next(waiting)), table)  # the first size was free
        first = typed[0].sizes[0]
        target = target and tree.map_entries(lambda spec: _fixed(spec, first), target)
        files = write(fixed, target)
    if target is not None and options.sizes is None:
        assumed += f"; assumed a target of {training.shown(target)}; --target changes it"
    others = [str(file) for file in files if file != Path(options.target)]
    return f"with {' and '.join(others)}{assumed}"


def _fixed(spec: Any, samples: Any) -> Any:
    """Returns the spec of a target for this number of samples."""
    return spec._replace(shape=tuple(samples if size is None else size for size in spec.shape))
