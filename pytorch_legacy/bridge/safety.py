"""Protects the text against hostile files: a file may contribute numbers only. All else stands in comments, on one line.

The text is executed, and files are hostile. So each expression is parsed before it runs: it may use the names of the text and
functions of PyTorch, and no word that is not one of PyTorch's options. A rule that forgets to convert a field can do no harm.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container
from types import ModuleType
from typing import Any

import torch
import torch.nn.functional as F

from .registry import NoRule

_NODES = (
    *(ast.Expression, ast.Call, ast.keyword, ast.Starred, ast.Attribute, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List),
    *(ast.Subscript, ast.Slice, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.cmpop, ast.boolop, ast.unaryop),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult, ast.BitAnd, ast.BitOr),
)
_WORDS = {"inf", "-inf", "nan", "mean", "sum", "none", "reflect", "replicate", "nearest", "bilinear", "trilinear", "relu", "tanh"}
_EQUATION = re.compile(r"[a-z.,]{1,30}->[a-z.]{1,10}")
_FUNCTIONS = ("float", "int", "len", "max", "min", "range", "slice", "tuple")
_MODULES = (torch.nn, torch.linalg, F)
_LONGEST = 100


def check_code(text: str, space: dict[str, Any], names: Container[str] = ()) -> str:
    """`text`, if it is one expression of the kind that rules write; raises NoRule if not."""
    shown = one_line(text)
    if "\n" in text or "#" in text:
        raise NoRule(f"a field of the file is no number: {shown}")
    try:
        nodes = [*ast.walk(ast.parse(text, mode="eval"))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NoRule(f"a field of the file is no number: {shown}") from None
    for node in nodes:
        if (
            not isinstance(node, _NODES)
            or (isinstance(node, ast.Name) and not (node.id in space or node.id in names or node.id in _FUNCTIONS))
            or (isinstance(node, ast.Name) and node.id.startswith("__"))
            or (isinstance(node, ast.Attribute) and (node.attr.startswith("_") or isinstance(_found(node, space), ModuleType)))
            or (isinstance(node, ast.Constant) and not _is_plain(node.value))
        ):
            raise NoRule(f"a field of the file is no number: {shown}")
    return text


def _found(node: ast.expr, space: dict[str, Any]) -> Any:
    """Returns the object that an attribute names, or None for a module that rules use."""
    if isinstance(node, ast.Name):
        return space.get(node.id)
    holder = _found(node.value, space) if isinstance(node, ast.Attribute) else None
    found = getattr(holder, node.attr, None) if isinstance(holder, ModuleType) and isinstance(node, ast.Attribute) else None
    return found if not any(found is module for module in _MODULES) else None


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return value in _WORDS or _EQUATION.fullmatch(value) is not None
    return value is None or value is Ellipsis or isinstance(value, (bool, int, float))


def one_line(text: str) -> str:
    """`text` for a comment or an error: one line of characters that are seen, and not too long."""
    seen = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: _LONGEST + 1])
    return seen if len(text) <= _LONGEST and len(seen) <= 4 * _LONGEST else f"{seen[:_LONGEST]}..."


def in_docstring(text: str) -> str:
    """`text` for a docstring."""
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')
