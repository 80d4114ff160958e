"""Texts of numbers, sizes and shapes, for the rules of all families."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pytorch_legacy.nn import check
from pytorch_legacy.nn.utils import described

from .registry import NoRule
from .values import Shape, Value, common


def number(value: Any) -> str:
    """A number as Python writes it: 2.0, 1e-05, ``float("inf")``; those of NumPy too."""
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) and value.size == 1 else value
    if not isinstance(value, (bool, int, float)):
        raise NoRule(f"expected a number, got {described(value)}")
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return f'float("{value}")'
    return repr(value)


def limits(low: Any, high: Any) -> str:
    """``low, high`` of a clamp, as fractions: exporters take one clamp of whole numbers alone, and none of both kinds."""
    texts = number(low), number(high)
    return joined(text if "float" in text else repr(float(text)) for text in texts)


def sizes(numbers: Iterable[Any]) -> str:
    """Sizes as PyTorch takes them: (3, 3) as ``3``, (3, 5) as ``(3, 5)``, heights before widths."""
    whole = [int(size) for size in numbers]
    return str(whole[0]) if len(set(whole)) == 1 else str(tuple(whole))


def options(**named: tuple[Any, Any]) -> str:
    """``, key=text`` for each option (text, PyTorch's default) that differs from the default."""
    return "".join(f", {key}={text}" for key, (text, usual) in named.items() if str(text) != str(usual))


def field(module: Any, prefix: str) -> list[int]:
    """The fields prefix + T, H and W of a module that there are, in PyTorch's order: time, height, width."""
    return [int(getattr(module, prefix + axis)) for axis in "THW" if getattr(module, prefix + axis, None) is not None]


def axis(module: Any, dimension: int, x: Value, sample_rank: int | None = None) -> int:
    """A dimension of Torch7's as PyTorch counts it; `sample_rank` is the rank of a sample without its batch."""
    return check.axis(module, dimension, x.ndim, batch=check.batched(x.ndim, sample_rank))


def joined(values: Iterable[Any]) -> str:
    """``x, y, z``."""
    return ", ".join(map(str, values))


def cat(values: Iterable[Any], dimension: int) -> str:
    """All values one after the other along a dimension."""
    return f"torch.cat([{joined(values)}], {dimension})"


def unbatched(x: Value, rank: int, text: str) -> str:
    """`text`, an expression in ``{x}`` for inputs of that rank; an input without a batch gets one for the while."""
    if x.ndim == rank:
        return text.replace("{x}", str(x))
    return f"({text.replace('{x}', f'{x}[None]')})[0]"


def lacks(module: Any, text: str) -> NoRule:
    """The error of a rule that cannot write what the module does here."""
    return NoRule(f"{module._typename}: {text}")


def whole(x: Value) -> str:
    """`x` as integers of the kind that indices have."""
    return str(x) if str(x.held[0].dtype) == "torch.int64" else f"{x}.long()"


def trimmed(pads: tuple[int, ...]) -> tuple[int, ...]:
    """The pads that F.pad takes, last dimension first, without the dimensions at the end that get none."""
    while pads[-2:] == (0, 0):
        pads = pads[:-2]
    return pads


def reshaped(x: Value, shapes: list[tuple[int, ...]]) -> Any:
    """`x` in the shape that a layer gave for each example; `x` itself where the shape stays."""
    if shapes == x.shapes:
        return x
    if len({len(shape) for shape in shapes}) > 1:
        raise NoRule(f"shapes of several ranks: {shapes}; give two examples that give shapes of the same rank")
    shape = common(shapes)
    if len(shape) == 2 and x.ndim > 2 and all(new[0] == old[0] for new, old in zip(shapes, x.shapes, strict=True)):
        return f"torch.flatten({x}, 1)"
    if shape.count(None) < 2:
        return f"{x}.reshape({joined(-1 if size is None else size for size in shape) or '()'})"
    return f"{x}.reshape({joined(_sizes_from(x, shape, shapes))})"


def unfolded(value: Value, *leading: Any) -> str:
    """`value` with its first dimension taken apart into sizes."""
    return f"{value}.unflatten(0, ({joined(leading)}))"


def _sizes_from(x: Value, shape: Shape, shapes: list[tuple[int, ...]]) -> list[str]:
    """The sizes of a new shape. Those that vary are in terms of the sizes of `x`, but for one, which follows from the others.

    A size that stays in its place, counted from the front or from the end, is surely the input's; any other may have the same
    values by chance.
    """
    known = list(zip(*x.shapes, strict=True))  # each size of x, example by example
    wanted = list(zip(*shapes, strict=True))
    texts = [str(size) for size in shape]
    doubtful = []
    for i, size in enumerate(shape):
        if size is None:
            stays = [place for place in (i, i - len(shape) + len(known)) if 0 <= place < len(known) and known[place] == wanted[i]]
            sources = stays or [place for place, sizes in enumerate(known) if sizes == wanted[i]]
            texts[i] = f"{x}.size({sources[0]})" if sources else "-1"
            doubtful += [] if stays else [(bool(sources), i)]
    if doubtful:
        texts[min(doubtful)[1]] = "-1"
    if texts.count("-1") > 1:
        raise NoRule(f"{x.shape} becomes {shape}: several sizes that vary and are none of the input's")
    return texts
