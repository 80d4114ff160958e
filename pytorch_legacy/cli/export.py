"""``convert`` to .py, .onnx and .pt2, which PyTorch and others run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytorch_legacy as pl
from pytorch_legacy.errors import THNNError
from pytorch_legacy.inference import given, models
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.nn.Module import Module

ENDINGS = (".py", ".onnx", ".pt2")


def write(options: argparse.Namespace) -> str:
    """Writes the network of options.source as options.target. Returns a text about the comparison."""
    net = models.network(options.source, pl.load(options.source), options.model)
    example, assumed = (given.by_text(options.input[0], net), "") if options.input else given.by_layers(net)
    try:
        return _writeNetwork(options, net, example, assumed)
    except THNNError as error:
        raise error if options.input or isinstance(error, MemoryError) else Problem(f"{error}{assumed}") from None


def _writeNetwork(options: argparse.Namespace, net: Module, example: Any, assumed: str) -> str:
    suffix = Path(options.target).suffix.lower()
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
