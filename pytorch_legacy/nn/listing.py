"""A network as a table: its modules with parameters, output shapes and operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import DtypeError, ShapeError, THNNError, UnsupportedError
from pytorch_legacy.files.form import SCRATCH
from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.messages import text_shape
from pytorch_legacy.nn import walks
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Unknown import Unknown
from pytorch_legacy.nn.utils import author_name

Row = tuple[str, ...]
_NO_PARAMETERS = ("_", "grad", "userGrad", "running_", "modules")


def first_line(value: Any) -> str:
    """Returns the first line of a module's text, or the class name if the module prints as a network that Torch7 built."""
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
    """Returns the number of the module's parameters. An array that several modules share counts once."""
    return sum(array.size for array in _parameters(module, inside=True))


def _parameters(module: Module, inside: bool = False) -> list[Any]:
    """Returns the parameters of a module, each array once; with `inside` those of the modules inside it, too."""
    arrays: dict[Any, Any] = {}
    known: set[int] = set()
    waiting = [module]
    while waiting:
        for place in walk_modules(waiting.pop()) if inside else [Place(waiting.pop(), (), False, False)]:
            if place.seen or id(place.module) in known:
                continue
            known.add(id(place.module))
            if isinstance(place.module, Unknown):
                found, modules = _weights(place.module)
                waiting += modules
            else:
                found = _own_parameters(place.module)
            for array in found:
                arrays[array.__array_interface__["data"][0], array.shape] = array
    return [*arrays.values()]


def _own_parameters(module: Module) -> list[Any]:
    if inner_modules(module) and type(module).parameters is Container.parameters:
        return []  # they are those of the modules inside
    try:
        found = module.parameters()
    except (THNNError, RecursionError, TypeError, AttributeError):
        return []  # a broken one
    return [array for array in (found[0] if found else []) if isinstance(array, np.ndarray)]


def _weights(unknown: Unknown) -> tuple[list[Any], list[Module]]:
    """Returns what may be parameters of an object whose class is not known, and the modules in its fields beside ``modules``.

    These are the floating-point tensors that have a gradient, and those that are no results, scratch memory or statistics.
    """
    fields = unknown.fields if isinstance(unknown.fields, dict) else {"contents": unknown.fields}
    own = {name: unknown.__dict__.get(name, value) if isinstance(name, str) else value for name, value in fields.items()}
    arrays, modules = [], []
    for name, value in own.items():
        hasGradient = isinstance(name, str) and f"grad{name[:1].upper()}{name[1:]}" in own
        if isinstance(name, str) and not hasGradient and (name in SCRATCH or name.startswith(_NO_PARAMETERS)):
            continue
        entries = value if isinstance(value, list) else [*value.values()] if isinstance(value, dict) else [value]
        arrays += [entry for entry in entries if isinstance(entry, np.ndarray) and entry.dtype.kind == "f" and entry.size]
        modules += [entry for entry in entries if isinstance(entry, Module)]
    return arrays, modules


def table(
    module: Module, shapes: dict[Any, Any] | None = None, depth: int | None = None, most: int | None = None, place: str = ""
) -> tuple[Row, list[Row]]:
    """Returns the header of a network's table, and a row for each module, at most `most`.

    Parameters
    ----------
    module : Module
    shapes : dict, optional
        Result of `run_on`: the table then has shapes of outputs and operations.
    depth : int, optional
        How deep to go into modules within modules.
    most : int, optional
    place : str
        The place of the network in a file. It precedes the positions of modules: ``(model.1.2)``.

    Notes
    -----
    The columns are module, name, output, parameters and operations. A name is what the author called a module, as loadcaffe
    did (``conv1_1``); the column is left out if no module has one.
    """
    header = ("module", "name", "output", "parameters", "operations")
    rows = [*_rows(module, shapes, depth, most, f"{place}." if place else "")]
    shown = [True, any(row[1] for row in rows), shapes is not None, True, shapes is not None]
    left, *others = ([cell for cell, isShown in zip(row, shown, strict=True) if isShown] for row in (header, *rows))
    return tuple(left), [tuple(row) for row in others]


def _rows(module: Module, shapes: dict[Any, Any] | None, depth: int | None, most: int | None, prefix: str) -> Iterator[Row]:
    numbers: dict[int, str] = {}
    owners: dict[Any, str] = {}
    printed = 0
    for place in walk_modules(module):
        inner, level, number = place.module, len(place.way), f"{prefix}{place.number()}"
        leaf = not inner_modules(inner)
        if level == 0 and leaf:
            number = prefix.removesuffix(".") or number
        if (level == 0 and not leaf) or (depth is not None and level > depth):
            numbers.setdefault(id(inner), number if leaf else "the whole")
            continue
        if most is not None and printed >= most:
            yield "... and more (--all)", "", "", "", ""
            return
        printed += 1
        label = "  " * min(level - 1, 30) + f"({number}) "
        if place.seen:
            first = f"-> the same module as ({numbers[id(inner)]})" + ", which it stands in" * place.cyclic
            yield f"{label}{first}", "", "", "", ""
            continue
        numbers[id(inner)] = number
        counted = leaf or isinstance(inner, Unknown)
        parameters = f"{sum(array.size for array in _parameters(inner, inside=leaf)):,}" if counted else ""
        label += first_line(inner) + _shared(inner, number, owners) if leaf else inner._typename
        output, operations = "", ""
        if shapes is not None:
            _, output, operations = shapes.get(id(inner), (None, "not run", 0))
        operations = f"{operations:,}" if leaf and shapes is not None else ""
        yield label, author_name(inner), output, parameters, operations


def _shared(module: Module, number: str, owners: dict[Any, str]) -> str:
    """Says whose weights the module shares."""
    weight = getattr(module, "weight", None)
    if not isinstance(weight, np.ndarray) or not weight.size:
        return ""
    owner = owners.setdefault((weight.__array_interface__["data"][0], weight.dtype), number)
    return "" if owner == number else f", shares its weight with ({owner})"


_MOST_STEPS = 10_000_000


def endless(module: Module) -> str | None:
    """Returns why a pass through the network would practically never end: shared modules stand in very many places. Else None."""
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
    """Returns the operations of the module: multiply-adds with a weight, cells of pooling windows, else one per element.

    `inputs` are the sizes of the input, or of those in a table.
    """
    from pytorch_legacy import nn

    if not isinstance(output, np.ndarray) or isinstance(getattr(module, "modules", None), list):
        return 0  # a container's operations are counted in its modules
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
