"""Tables of all functions, from THNN.h: a page of the site, which `python docs/functions.py` prints."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from pytorch_legacy.backend import header
from pytorch_legacy.backend.header import Argument, Function

HEADER = Path(__file__).resolve().parent.parent / "THNN" / "THNN.h"

INTRODUCTION = """\
# Functions of libTHNN

Made from [THNN.h](../THNN/THNN.h) by `python docs/functions.py`. [abi.md](abi.md) says how to call them.

A layer's function exists for both element types: `Linear_updateOutput` stands for `THNN_FloatLinear_updateOutput`,
whose tensors are `THFloatTensor`, and `THNN_DoubleLinear_updateOutput`, whose tensors are `THDoubleTensor`. Indices and
labels are always `THLongTensor`. `state` may be NULL, and `size` has room for 8 numbers. What a function does with a
tensor:

- *in*: read
- *out*: overwritten
- *acc*: added to
- *buffer*: read and written, kept for the backward pass
- *inplace*: may be the same view as the input
- *?*: may be NULL

Shapes: `(N x) C x H x W` has an optional batch dimension, `*` is any shape.
"""


def role(argument: Argument) -> str:
    """Returns the text of a table's cell: the tags of a tensor, or the type of a number."""
    if not argument.tags:
        return f"`{argument.type}`"
    words = [tag.lower() for tag in argument.tags if tag != "OPTIONAL"]
    return " ".join(words) + (" ?" if "OPTIONAL" in argument.tags else "")


def escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def prototype(function: Function) -> str:
    """A layer's function without types; one that exists once with them."""
    if function.generic:
        return f"{function.name}({', '.join(a.name for a in function.arguments)})"
    arguments = ", ".join(f"{a.type} {a.name}" for a in function.arguments) or "void"
    return f"{function.returns} {function.name}({arguments})".replace("* ", "*")


def table(functions: list[Function]) -> list[str]:
    """A column for each of a layer's functions, a row for each tensor, then a row for each group of numbers alike."""
    columns = [function.name.rpartition("_")[2] for function in functions]
    lines = ["| argument | " + " | ".join([*columns, "shape"]) + " |", "|---" * (len(columns) + 2) + "|"]
    numbers: dict[tuple[str, ...], list[str]] = {}
    for name in dict.fromkeys(a.name for f in functions for a in f.arguments if a.name not in ("state", "size")):
        found = [next((a for a in f.arguments if a.name == name), None) for f in functions]
        roles = tuple(role(a) if a else "" for a in found)
        if any(a and a.is_pointer for a in found):
            shapes = dict.fromkeys(a.shape for a in found if a and a.shape)
            lines.append(f"| `{name}` | " + " | ".join([*roles, escaped("; ".join(shapes))]) + " |")
        else:
            numbers.setdefault(roles, []).append(f"`{name}`")
    lines += [f"| {', '.join(names)} | " + " | ".join([*roles, ""]) + " |" for roles, names in numbers.items()]
    return lines


def page() -> str:
    """The whole text."""
    lines = [INTRODUCTION]
    for section, members in groupby(header.read(HEADER), key=lambda function: function.section):
        lines += [f"## {section}", ""]
        for layer, group in groupby(members, key=lambda function: function.layer):
            family = list(group)
            if layer:
                lines += [f"### {layer}", ""]
            lines += ["```c", *(prototype(f) for f in family), "```", ""]
            if any(f.generic for f in family):
                lines += [*table(family), ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    print(page(), end="")
