"""``convert`` to what PyTorch and others run: .py, .onnx, .pt2."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.errors import THNNError
from pytorch_legacy.nn.Module import Module

from . import models, network
from .problem import Problem

ENDINGS = (".py", ".onnx", ".pt2")


def leave(options: argparse.Namespace) -> str:
    """Writes the network of options.source as options.target; what to tell about it."""
    net = models.network(options.source, pl.load(options.source), options.model)
    example, assumed = (given(options.input, net), "") if options.input else inferred(net)
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
    """The example of ``1x3x224x224``, ``1x3x32x32,1x10:int`` or ``Nx10:0-89``: the first size of each, and letters, may vary."""
    parts = [_part(part, text) for part in text.split(",")]
    if all(limits is None for _, limits in parts):
        shapes = tuple(shape for shape, _ in parts)
        return shapes if len(shapes) > 1 else shapes[0]
    rng = np.random.default_rng(0)
    examples = []
    for free in (2, 3):
        arrays: list[Any] = []
        for shape, limits in parts:
            sizes = [free + 2 * i if size is None else size for i, size in enumerate(shape)]
            if limits is None:
                arrays.append(rng.standard_normal(sizes))
            else:
                low, high = limits or _indices(net)
                arrays.append(rng.integers(low, high + 1, sizes))
        examples.append(arrays if len(arrays) > 1 else arrays[0])
    return examples


def _part(text: str, whole: str) -> tuple[tuple[int | None, ...], tuple[int, ...] | None]:
    """Sizes, and for indices the first and the last; () where the network says which."""
    match = re.fullmatch(r"([1-9]\d*|[A-Z])((?:x(?:[1-9]\d*|[A-Z]))*)(?::(int|(\d+)-(\d+)))?", text.strip())
    if match is None:
        wanted = "sizes such as 1x3x32x32, with commas between several inputs, :int or :0-89 behind indices"
        raise Problem(f"--input {whole}: expected {wanted}")
    rest = [int(size) if size.isdigit() else None for size in match[2].split("x")[1:]]
    return (None, *rest), None if match[3] is None else () if match[3] == "int" else (int(match[4]), int(match[5]))


def _indices(net: Module) -> tuple[int, int]:
    from pytorch_legacy.bridge.examples import indices

    found = next((limits for module in net.listModules() if (limits := indices(module))), (0, 2))
    return found[0], found[1] - 1


def inferred(net: Module) -> tuple[Any, str]:
    """The example that the first layers suggest, and the assumption in words."""
    text = network.expected_input(net) or ""
    if re.fullmatch(r"\d+( x \d+)*", text):
        shape: tuple[int | None, ...] = (None, *map(int, text.split(" x ")))
    elif re.fullmatch(r"\d+( x [THW])+", text):
        shape = tuple(int(size) if size.isdigit() else None for size in ("N", *text.split(" x ")))
    elif match := re.fullmatch(r"frames x (\d+)", text):
        shape = (None, 16, int(match[1]))
    elif text.startswith("indices"):
        shape = (None, 8)
    else:
        raise Problem("what the network takes is not known: say it, such as --input 1x3x224x224")
    if shape.count(None) == 1:
        _check_batch(net, shape)
    letters = iter("NHWT")
    return shape, f"; assumed: --input {'x'.join(next(letters) if size is None else str(size) for size in shape)}"


def _check_batch(net: Module, shape: tuple[int | None, ...]) -> None:
    """Refuses an input that the network takes for more samples than it has."""
    from pytorch_legacy.bridge.examples import examples_of, forget

    for input in examples_of(shape, net):
        try:
            net.evaluate()
            forget(net)
            output = net.forward(input)
        except THNNError as error:
            raise Problem(f"what the network takes is not known: say it, such as --input 1x3x224x224 ({error})") from None
        if isinstance(output, np.ndarray) and output.ndim and len(output) > len(input):
            raise Problem(
                f"of {len(input)} samples the network makes {len(output)}: give the size that it was made for, with --input"
            )
