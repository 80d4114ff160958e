"""Our operators written out in PyTorch's own operations, for exports that know no others: ONNX.

What a layer of ours is in PyTorch's words stands in one place, the rules of the bridge; here one is applied to the tensors of a
graph that is being traced.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch._decomp import register_decomposition

from pytorch_legacy import nn
from pytorch_legacy.bridge.exportable import functions
from pytorch_legacy.bridge.rules import find_rule

Values = dict[str, Any]
F = functions(for_onnx=True)


def written(operator: Any) -> Callable[..., Any]:
    """Decorator: the function computes what the operator does, from its arguments by name."""

    def decorate(function: Callable[[Values], Any]) -> Callable[[Values], Any]:
        overload = operator._opoverload
        names = [argument.name for argument in overload._schema.arguments]
        register_decomposition(overload)(lambda *arguments: function(dict(zip(names, arguments, strict=True))))
        return function

    return decorate


def by_rule(operator: Any, make: Callable[[Values], nn.Module], *parameters: str) -> None:
    """The operator is written as the bridge writes the layer that `make` makes, with these of its fields from the graph."""

    @written(operator)
    def _(values: Values) -> Any:
        layer = make(values)
        for name in parameters:
            setattr(layer, name, values[name])
        x = [_Token(name) for name in ("input", "logit") if name in values]
        lines: Any = _Lines(values)
        rule = find_rule(type(layer))
        assert rule is not None
        output = lines.value(rule(layer, x if len(x) > 1 else x[0], lines))
        others = len(operator._opoverload._schema.returns) - 1  # outputs that only the gradient needs
        nothing = torch.zeros_like(output, dtype=torch.int64)
        return (output, *[nothing] * others) if others else output


class _Token(str):
    """A variable of an expression."""


class _Lines:
    """Runs each expression of a rule at once: the writer of the bridge, without text and without proof."""

    def __init__(self, values: Values) -> None:
        self.space: Values = {"torch": torch, "F": F, "math": math, "self": SimpleNamespace(training=False), **values}
        self.unpooled: Values = {}

    def helper(self, source: str) -> str:
        source = textwrap.dedent(source).strip()
        exec(source, self.space)
        found = re.match(r"(?:def|class) (\w+)", source)
        assert found is not None
        return found[1]

    def let(self, expression: Any) -> _Token:
        name = f"_{len(self.space)}"
        self.space[name] = self.value(expression)
        return _Token(name)

    def parameter(self, stem: str, tensor: Any) -> _Token:
        name = f"{stem}_{len(self.space)}"
        self.space[name] = tensor
        return _Token(name)

    buffer = parameter

    def note(self, text: str) -> None:
        """Comments are for readers."""

    def value(self, expression: Any) -> Any:
        return eval(str(expression), self.space)


def window(values: Values) -> list[Any]:
    """Kernel, stride and padding as Torch7's constructors take them."""
    return [values[f"{name}{axis}"] for name in ("k", "d", "pad") for axis in "TWH" if f"{name}{axis}" in values]


def with_ceil(layer: Any, values: Values) -> Any:
    return layer.ceil() if values["ceil_mode"] else layer


def of_torch(values: Values) -> list[tuple[Any, ...]]:
    """Kernel, stride and padding as PyTorch's functions take them."""
    return [tuple(values[f"{name}{a}"] for a in "THW" if f"{name}{a}" in values) for name in ("k", "d", "pad")]
