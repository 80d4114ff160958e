"""A network as a table: its modules with parameters, output shapes and operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import DtypeError, ShapeError, THNNError, UnsupportedError
from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.nn import walks
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.words import text_shape

Row = tuple[str, ...]


def first_line(value: Any) -> str:
    """How a module prints; those that print as the network that Torch7 made of them are called by name."""
    line = str(value).split("\n")[0]
    return printable(value._typename if line.endswith("{") else line[:200])


@dataclass
class Place:
    """A module in a network: its way there by positions in ``modules`` counted from 1, and whether it came up before."""

    module: Module
    way: tuple[int, ...]
    seen: bool
    cyclic: bool

    def number(self) -> str:
        way = [str(step) for step in self.way]
        return ".".join(way if len(way) < 12 else [*way[:3], "...", *way[-2:]]) or "1"


def walk_modules(module: Module) -> Iterator[Place]:
    """The module and those inside it, in the order of the network, by way of ``modules`` only."""
    known: set[int] = set()
    around: set[int] = set()
    way: list[int] = []
    waiting: list[tuple[int, Any]] = [(0, iter([module]))]  # id of the container, its children that are to come
    while waiting:
        inner = next(waiting[-1][1], None)
        if inner is None:
            around.discard(waiting.pop()[0])
            del way[-1:]
            continue
        if way:
            way[-1] += 1
        if not isinstance(inner, Module):
            continue
        # The positions of a very deep place are of no use, and would cost too much all together.
        yield Place(inner, tuple(way) if len(way) < 12 else (*way[:9], *way[-3:]), id(inner) in known, id(inner) in around)
        children = inner_modules(inner)
        if id(inner) not in known and children:
            around.add(id(inner))
            waiting.append((id(inner), iter(children)))
            way.append(0)
        known.add(id(inner))


def inner_modules(module: Any) -> list[Any]:
    """The list ``modules`` of a container, an empty one of other modules."""
    modules = getattr(module, "modules", None)
    return modules if isinstance(modules, list) else []


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
    from pytorch_legacy import nn

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
