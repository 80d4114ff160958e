"""``convert`` to what PyTorch and others run: .py, .onnx, .pt2."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.bridge.examples import forget
from pytorch_legacy.errors import THNNError, UnsupportedError
from pytorch_legacy.nn.Module import Module

from . import expected, inputs, models
from .problem import Problem

ENDINGS = (".py", ".onnx", ".pt2")


def leave(options: argparse.Namespace) -> str:
    """Writes the network of options.source as options.target; what to tell about it."""
    net = models.network(options.source, pl.load(options.source), options.model)
    example, assumed = (given(options.input, net), "") if options.input else inferred(net)
    try:
        return _written(options, net, example, assumed)
    except THNNError as error:
        raise error if options.input else Problem(f"{error}{assumed}") from None


def _written(options: argparse.Namespace, net: Module, example: Any, assumed: str) -> str:
    suffix = Path(options.target).suffix.lower()
    if suffix == ".py":
        module = pl.to_python(net, options.target, example, force=options.force, wrap=options.wrap)
        whole = module.proof.whole
        weights = Path(options.target).with_suffix(".safetensors")
        gap = "a random layer was not compared" if whole is None else f"it differs by {whole:.1e}"
        beside = "".join(f", {Path(options.target).with_suffix(f'.{place}.t7')}" for place in module.legacy_parts)
        return f"with {weights}{beside}; {gap}{assumed}"
    exported = (pl.to_onnx if suffix == ".onnx" else pl.to_pt2)(net, options.target, example, force=options.force)
    fixed = f"; fixed: {', '.join(exported.fixed)}" if exported.fixed else ""
    return f"it differs by {exported.difference:.1e}{fixed}{assumed}"


def given(text: str, net: Module) -> Any:
    """The two inputs that ``--input`` stands for."""
    spec = expected.given(text, net)
    for array in inputs.arrays(spec):
        if array.kind in ("float", "double") and inputs.KINDS[array.kind] != net._dtype.name:
            raise Problem(f"--input {text}: the network computes in {net._dtype}, not in {array.kind}")
    net.evaluate()
    examples = inputs.examples(spec, net)
    for example in examples:
        forget(net)
        try:
            with suppress(UnsupportedError):  # of a class that is not known: the conversion says more
                net.forward(inputs.mapped(np.copy, example))
        except THNNError as error:
            raise Problem(f"--input {text}: {error}{expected.words(net)}") from None
    forget(net)
    return examples


def inferred(net: Module) -> tuple[Any, str]:
    """The two inputs that the layers suggest, and the assumption in words.

    Raises
    ------
    Problem
        If they do not tell, or if the network takes the input for another number of samples than it has.
    """
    takes = expected.expected(net)
    spec = None if takes is None else takes.spec()
    if takes is None or spec is None or not (takes.batched or takes.single):
        known = "is not known" if takes is None else f"is known in part ({takes})"
        form = "1x6,1x10:int" if isinstance(takes and takes.taken, (expected.Table, expected.Each)) else "1x3x224x224"
        raise Problem(f"what the network takes {known}: say it, such as --input {form}")
    text = inputs.text_of(spec)
    if takes.changes:
        raise Problem(
            f"of {text} the network makes another number of samples, because of a View or Reshape: "
            "give the size that it was made for, with --input"
        )
    clone = net.sharedClone().evaluate()
    return inputs.examples(spec, clone), f"; assumed an input of {text}; --input says otherwise"
