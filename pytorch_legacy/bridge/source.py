"""The text of a module from what a Writer gathered: names for variables, one class, one forward()."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from .fields import in_precision
from .values import TOKEN, flat, tree

if TYPE_CHECKING:
    from .writer import Writer

WIDTH = 120
_FIRST = "xyzuvw"


def names() -> Iterator[str]:
    """Names of variables: x, y, z, u, v, w, x1, y1, z1, x2, ..."""
    yield from _FIRST
    for number in count(1):
        yield from (f"{letter}{number}" for letter in "xyz")


def body_text(writer: Writer, result: Any) -> str:
    """``class Net``, and before it the functions and classes that it calls."""
    own = "\n".join(class_text(writer, result, "Net"))
    code, called = own, set[str]()
    while found := {name for name in writer.helpers if name not in called and re.search(rf"\b{name}\(", code)}:
        called |= found
        code = "\n".join(writer.helpers[name] for name in found)
    return "\n\n\n".join([*(text for name, text in writer.helpers.items() if name in called), own])


def file_text(body: str, doc: str, kind: str, isTied: bool) -> str:
    """The text of the file: imports, the body, and ``load()``; `kind` is that of the weights."""
    body = in_precision(body, kind == "mixed")
    lines = [f'"""{doc}"""', "", *(["import math"] if "math." in body else []), "from pathlib import Path", "", "import torch"]
    lines += ["import torch.nn.functional as F"] * ("F." in body)
    load = "load_model" if isTied else "load_file"
    lines += [f"from safetensors.torch import {load}", "from torch import nn", "", "", body, "", ""]
    lines += [
        'def load(path=Path(__file__).with_suffix(".safetensors")):',
        '    """The network with its weights, in evaluation mode."""',
        f"    net = Net(){'.double()' if kind == 'double' else ''}",
        "    load_model(net, path)  # shared weights stand in the file once"
        if isTied
        else "    net.load_state_dict(load_file(path))",
        "    return net.eval()",
        "",
    ]
    return "\n".join(lines)


def class_text(writer: Writer, result: Any, name: str) -> list[str]:
    """The lines of the class."""
    variables = _named(writer, [value.token for value in writer.finals(result)])
    arguments, body = _signature(writer, variables)
    for statement in writer.statements:
        text = TOKEN.sub(lambda match: variables[match[0]], statement.expression)
        targets = ", ".join(variables[target] for target in statement.targets)
        body += _line(f"{targets}{',' if len(statement.targets) == 1 and statement.unpacks else ''} = {text}", statement.comment)
    answer = pattern(tree(lambda value: value.token, result), variables)
    if writer.states:
        kept = ", ".join(variables[state.token] if state else "None" for state in writer.states)
        answer = f"{answer}, [{kept}]"
    elif isinstance(result, list) and len(result) > 1:
        answer = answer[1:-1]
    body.append(f"return {answer}")
    made = ["super().__init__()", *(line for text, place in writer.fields.lines() for line in _line(text, place))]
    lines = [f"class {name}(nn.Module):", "    def __init__(self):", *(f"        {line}" for line in made), ""]
    lines += [f"    def forward({', '.join(['self', *arguments])}):", *(f"        {line}" for line in body)]
    return [writer.fields.final_text(line) for line in lines]


def pattern(value: Any, variables: dict[str, str]) -> str:
    """A table as Python writes it, with parentheses."""
    if isinstance(value, list):
        return f"({', '.join(pattern(entry, variables) for entry in value)}{',' if len(value) == 1 else ''})"
    return variables[value]


def _signature(writer: Writer, variables: dict[str, str]) -> tuple[list[str], list[str]]:
    """The arguments of forward(), and the lines that take tables apart."""
    arguments: list[str] = []
    body: list[str] = []
    given = writer.arguments if isinstance(writer.arguments, list) else [writer.arguments]
    for value in given:
        if isinstance(value, list):
            arguments.append(f"table{len(body) + 1}")
            body.append(f"{pattern(value, variables)} = {arguments[-1]}")
        else:
            arguments.append(variables[value])
    if writer.states:
        arguments.append("state=None")
        body.append(f"state = state or [None] * {len(writer.states)}")
    return arguments, body


def _named(writer: Writer, final: list[str]) -> dict[str, str]:
    """The name of each variable. A name is free again after the last line that uses it."""
    statements = writer.statements
    last = {token: len(statements) for token in final}
    for i, statement in reversed([*enumerate(statements)]):
        for number in TOKEN.findall(statement.expression):
            last.setdefault(f"«{number}»", i)
    named: dict[str, str] = {}
    taken: set[str] = set()

    def take() -> str:
        name = next(name for name in names() if name not in taken)
        taken.add(name)
        return name

    for token in flat([writer.arguments]):
        named[token] = take()
    taken -= {named[token] for token in flat([writer.arguments]) if token not in last}
    for i, statement in enumerate(statements):
        for token in {f"«{number}»" for number in TOKEN.findall(statement.expression)}:
            if last[token] == i:
                taken.discard(named[token])
        for target in statement.targets:
            named[target] = take() if target in last else "_"
    return named


def _line(text: str, comment: str) -> list[str]:
    """A line with its comment, which stands before it where both are too long."""
    if not comment:
        return [text]
    whole = f"{text}  # {comment}"
    return [whole] if len(whole) <= WIDTH - 8 else [f"# {comment}", text]
