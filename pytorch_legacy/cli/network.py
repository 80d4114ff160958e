"""A network as a table: its modules with parameters, output shapes and operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import DtypeError, ShapeError, THNNError, UnsupportedError
from pytorch_legacy.nn import walks
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module

from . import expected, inputs
from .describe import first_line, inner_modules, walk_modules
from .files import text_shape
from .problem import Problem

Row = tuple[str, ...]


def count(module: Module) -> int:
    """Number of the module's parameters, each once however many modules share it."""
    arrays: dict[Any, Any] = {}
    for place in walk_modules(module):
        if not place.seen and not _hands_on(place.module):
            for array in _parameters(place.module):
                arrays[array.__array_interface__["data"][0], array.shape] = array
    return sum(array.size for array in arrays.values())


def _hands_on(module: Module) -> bool:
    """Are its parameters those of the modules in it?"""
    return bool(inner_modules(module)) and type(module).parameters is Container.parameters


def _parameters(module: Module) -> list[Any]:
    try:
        found = module.parameters()
    except (THNNError, RecursionError, TypeError, AttributeError):
        return []  # a broken one
    return [array for array in (found[0] if found else []) if isinstance(array, np.ndarray)]


def rows(module: Module, shapes: dict[Any, Any] | None, depth: int | None, most: int | None) -> list[Row]:
    """A line for each module, at most `most`: label, output and operations if the shapes are known, parameters."""
    result: list[Row] = []
    numbers: dict[int, str] = {}
    owners: dict[Any, str] = {}
    for place in walk_modules(module):
        inner, level, number = place.module, len(place.way), place.number()
        leaf = not inner_modules(inner)
        if (level == 0 and not leaf) or (depth is not None and level > depth):
            numbers.setdefault(id(inner), "1" if leaf else "the whole")
            continue
        if most is not None and len(result) >= most:
            result.append(("... and more (--all)", *([""] * (3 if shapes else 1))))
            break
        label = "  " * min(level - 1, 30) + f"({number}) "
        if place.seen:
            first = f"-> the same module as ({numbers[id(inner)]})" + ", which it stands in" * place.cyclic
            result.append((f"{label}{first}", *([""] * (3 if shapes else 1))))
            continue
        numbers[id(inner)] = number
        parameters = f"{count(inner):,}" if leaf else ""
        label += first_line(inner) + _shared(inner, number, owners) if leaf else inner._typename
        if shapes is None:
            result.append((label, parameters))
        else:
            _, output, operations = shapes.get(id(inner), (None, "not run", 0))
            result.append((label, output, parameters, f"{operations:,}" if leaf else ""))
    return result


def _shared(module: Module, number: str, owners: dict[Any, str]) -> str:
    """Says whose weights the module shares."""
    weight = getattr(module, "weight", None)
    if not isinstance(weight, np.ndarray) or not weight.size:
        return ""
    owner = owners.setdefault((weight.__array_interface__["data"][0], weight.dtype), number)
    return "" if owner == number else f", shares its weight with ({owner})"


_MOST_STEPS = 10_000_000


def endless(module: Module) -> str | None:
    """Why a pass through the network would not end today, if it would not: shared modules that stand in very many places."""
    steps = walks.places(module)
    return f"its modules stand in {steps:.3g} places, and a pass goes through each" if steps > _MOST_STEPS else None


def refuse_endless(module: Module) -> None:
    """Raises UnsupportedError for a network through which no pass would end."""
    if reason := endless(module):
        raise UnsupportedError(f"{module._typename}: {reason}")


def run(module: Module, text: str) -> dict[Any, Any]:
    """Run the network on zeros, as `run_on`, of the sizes that `--input` says; "input" -> them, as they were taken."""
    spec = expected.given(text, module)
    try:
        found = run_on(module, inputs.candidates(spec, module))
    except (ShapeError, DtypeError) as problem:
        takes = expected.expected(module)
        words = "" if takes is None else f"; the network expects {takes.sentence()}"
        raise Problem(f"--input {text}: {problem}{words}") from None
    return found | {"input": output_text(found["input"])}


def run_on(module: Module, inputs: Iterable[Any]) -> dict[Any, Any]:
    """Run the network on the first input that has a fitting shape.

    Returns id of module -> (module, text of its output's shape, operations), and "input" -> which one it was.
    """
    refuse_endless(module)
    module.evaluate()
    results: dict[Any, Any] = {}
    watched_modules = [place.module for place in walk_modules(module) if not place.seen]

    def watch(inner: Module) -> None:
        original = inner.updateOutput

        def watched(input: Any) -> Any:
            sizes = [entry.size for entry in (input if isinstance(input, list) else [input]) if isinstance(entry, np.ndarray)]
            output = original(input)
            results[id(inner)] = (inner, output_text(output), operations(inner, sizes, output))
            return output

        inner.__dict__["updateOutput"] = watched

    for inner in watched_modules:
        watch(inner)
    try:
        problem: ShapeError | DtypeError | None = None
        for input in inputs:
            try:
                module.forget()
                module.forward(input)
            except (ShapeError, DtypeError) as error:
                problem = problem or error
                continue
            return results | {"input": input}
        raise problem or ShapeError(f"{module._typename}: input: there is none")
    finally:
        for inner in watched_modules:
            inner.__dict__.pop("updateOutput", None)


def output_text(output: Any) -> str:
    """The shape of an array, of a device too, and of those in a table."""
    if is_tensor(output):
        return text_shape(output.shape)
    if isinstance(output, list):
        return "{" + ", ".join(output_text(entry) for entry in output) + "}"
    return type(output).__name__


# Names of layers that hand elements on, all or some, in another order or more than once.
_MOVES_ONLY = (
    "View", "Reshape", "Identity", "Dropout", "PixelShuffle", "Padding", "Copy", "Contiguous", "Transpose", "Replicate",
    "Narrow", "Select", "Squeeze", "Unsqueeze", "JoinTable", "Collapse", ".Index",
)  # fmt: skip


def operations(module: Module, inputs: list[int], output: Any) -> int:
    """What the module computes: multiply-adds with a weight, cells that pooling windows hold, else one per element.

    `inputs` are the sizes of the input, or of those in a table.
    """
    if not isinstance(output, np.ndarray) or isinstance(getattr(module, "modules", None), list):
        return 0  # what a container computes, the modules inside do
    input_size = inputs[0] if inputs else 0
    if isinstance(module, (nn.DotProduct, nn.CosineDistance, nn.PairwiseDistance, nn.MV, nn.Sum, nn.Mean, nn.Max, nn.Min)):
        return input_size  # one for each pair of elements, or for each element that is reduced
    if isinstance(module, nn.MM):
        matrices = output.shape[0] if output.ndim == 3 else 1
        return round(np.sqrt(np.prod([*inputs, output.size], dtype=np.float64) / max(matrices, 1)))
    if isinstance(module, nn.LookupTable):
        return 0  # it copies rows
    weight = getattr(module, "weight", None)
    if isinstance(weight, np.ndarray) and weight.ndim > 1:
        return int(output.size * (weight.size // weight.shape[0]))
    if "Pooling" in module._typename:
        width, height = getattr(module, "kW", None), getattr(module, "kH", None)
        return int(output.size * width * height) if width and height else input_size
    return 0 if module._typename.endswith(_MOVES_ONLY) else int(output.size)
