"""``pytorch-legacy inspect``: the network as a table."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from pytorch_legacy.errors import ShapeError, THNNError
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Unknown import Unknown

from . import models
from .problem import Problem

HELP = "show what a .t7 file holds"
DESCRIPTION = """\
Show what a .t7 file holds: its tables, its tensors, and each network as a table of modules with their parameters.

  pytorch-legacy inspect digits.t7
  pytorch-legacy inspect digits.t7 --input 1x8x8      runs the network on zeros of that shape and adds, for each
                                                      module, the shape of its output and its operations
                                                      (multiply-adds, comparisons or function calls)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.t7", help="binary or ASCII file of Torch7")
    parser.add_argument("--input", metavar="SHAPE", help="shape of an input, such as 1x32x32 or 10x3x224x224")
    parser.add_argument("--model", metavar="PLACE", help="show only this network, for example protos.rnn")


def execute(options: argparse.Namespace) -> None:
    value = models.load(options.file)
    found = dict(models.networks(value))
    if options.model is not None:
        found = {options.model: models.network(options.file, value, options.model)}
    print(f"{options.file}: {summary(value)}")
    if isinstance(value, dict | list) and options.model is None:
        pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        width = max((len(str(key)) for key, _ in pairs), default=0)
        for key, entry in pairs[:50]:
            print(f"  {key!s:{width}}  {summary(entry)}")
        if len(pairs) > 50:
            print(f"  ... and {len(pairs) - 50} more")
    elif isinstance(value, np.ndarray):
        print(np.array2string(value, threshold=100, edgeitems=3))
    for place, module in found.items():
        print()
        show(place, module, options.input)
    if options.input and not found:
        raise Problem(f"{options.file}: --input: there is no network in this file")


def summary(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, Module):
        modules = len(value.listModules()) - 1
        return f"{value._typename}, {modules} modules" if modules else str(value)
    if isinstance(value, np.ndarray):
        if value.size == 0:
            return f"empty tensor, {value.dtype}"
        return f"tensor {text_shape(value.shape)}, {value.dtype}"
    if isinstance(value, list):
        some = ", ".join(summary(entry) for entry in value[:10]) if all(isinstance(e, str | int | float) for e in value) else ""
        return f"list of {len(value)}" + (f": {some}{', ...' if len(value) > 10 else ''}" if some else "")
    if isinstance(value, dict):
        return f"table of {len(value)}"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "...")
    return str(value)


def text_shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "()"


def parse_shape(text: str) -> tuple[int, ...]:
    """(1, 32, 32) of "1x32x32"."""
    try:
        shape = tuple(int(size) for size in text.lower().replace(",", "x").split("x"))
    except ValueError:
        shape = ()
    if not shape or min(shape) < 1 or np.prod(shape, dtype=np.float64) > 1e9:
        raise Problem(f"--input {text}: expected sizes joined by x, such as 1x32x32")
    return shape


def show(place: str, module: Module, shape_text: str | None) -> None:
    """Print one network: a line for each module."""
    shapes = _shapes(module, parse_shape(shape_text)) if shape_text else None
    rows = list(_rows(module, "", shapes))
    header = ("module", "output", "parameters", "operations") if shapes else ("module", "parameters")
    total = count(module)
    print(f"{place or 'network'}: {module._typename}, {total:,} parameters, {module._dtype}")
    if rows:
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        for row in [header, *rows]:
            cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
            print("  " + "  ".join(cells).rstrip())
    if shapes:
        operations = sum(shapes[id(m)][2] for m in module.listModules() if id(m) in shapes and not getattr(m, "modules", None))
        print(f"  total: {total:,} parameters, {operations:,} operations for an input of {text_shape(shapes['input'])}")
    for unknown in module.listModules():
        if isinstance(unknown, Unknown):
            print(f'  not known: {unknown._typename} (register a class for it: @pl.register("{unknown._typename}"))')


def count(module: Module) -> int:
    """Number of the module's parameters, each once however many modules share it."""
    found = module.parameters()
    arrays = {(a.__array_interface__["data"][0], a.shape): a for a in (found[0] if found else [])}
    return sum(array.size for array in arrays.values())


def _rows(module: Module, number: str, shapes: dict[Any, Any] | None) -> Any:
    children = getattr(module, "modules", None) or []
    name = module._typename if children else str(module).split("\n")[0]
    indent = "  " * number.count(".")
    label = f"{indent}({number}) {name}" if number else ""
    if label:
        parameters = f"{count(module):,}" if not children else ""
        if shapes is None:
            yield label, parameters
        else:
            _, output, operations = shapes.get(id(module), (None, "not run", 0))
            yield label, output, parameters, f"{operations:,}" if not children else ""
    for i, child in enumerate(children, 1):
        yield from _rows(child, f"{number}.{i}" if number else str(i), shapes)
    if not number and not children:
        yield from _rows(module, "1", shapes)


def _shapes(module: Module, shape: tuple[int, ...]) -> dict[Any, Any]:
    """Run the network on zeros; id of module -> (module, text of its output's shape, operations)."""
    module.evaluate()
    results: dict[Any, Any] = {}
    originals: list[tuple[Module, Any]] = []

    def watch(inner: Module) -> None:
        original = inner.updateOutput

        def watched(input: Any) -> Any:
            size = input.size if isinstance(input, np.ndarray) else 0
            output = original(input)
            results[id(inner)] = (inner, _output_text(output), operations(inner, size, output))
            return output

        originals.append((inner, original))
        inner.__dict__["updateOutput"] = watched

    for inner in module.listModules():
        watch(inner)
    try:
        for candidate in (shape, (1, *shape)):
            try:
                module.forward(np.zeros(candidate, module._dtype))
            except ShapeError as error:
                problem: THNNError = error
                continue
            return results | {"input": candidate}
        raise Problem(f"--input {text_shape(shape)}: {problem}")
    finally:
        for inner, _ in originals:
            inner.__dict__.pop("updateOutput", None)


def _output_text(output: Any) -> str:
    if isinstance(output, np.ndarray):
        return text_shape(output.shape)
    if isinstance(output, list):
        return "{" + ", ".join(_output_text(entry) for entry in output) + "}"
    return type(output).__name__


def operations(module: Module, input_size: int, output: Any) -> int:
    """What the module computes: multiply-adds with a weight, cells that pooling windows hold, else one per element."""
    if not isinstance(output, np.ndarray):
        return 0
    weight = getattr(module, "weight", None)
    if isinstance(weight, np.ndarray) and weight.ndim > 1:
        return int(output.size * (weight.size // weight.shape[0]))
    if "Pooling" in module._typename:
        width, height = getattr(module, "kW", None), getattr(module, "kH", None)
        return int(output.size * width * height) if width and height else input_size
    moves_only = ("View", "Reshape", "Identity", "Dropout", "PixelShuffle", "Padding", "Copy", "Contiguous", "Transpose")
    return 0 if module._typename.endswith(moves_only) else int(output.size)
