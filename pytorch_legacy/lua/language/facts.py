"""Facts about the value of an expression that are known before the program runs."""

from __future__ import annotations

import ast

from . import tree
from .tree import Node

COMPUTED = {"+": (ast.Add, "add"), "-": (ast.Sub, "sub"), "*": (ast.Mult, "mul")}
"""Arithmetic that Python computes as Lua does: the operator and the function for values that are no floats."""
COMPARED = {"<": (ast.Lt, "lt"), "<=": (ast.LtE, "le"), ">": (ast.Gt, "gt"), ">=": (ast.GtE, "ge")}
"""Comparisons: the operator and the function for values that are no floats."""
ARITHMETIC = (*COMPUTED, "/", "%", "^")


_MAX_DEPTH = 20  # levels of an expression that are looked at


def is_number(node: Node, depth: int = _MAX_DEPTH) -> bool:
    """True if the value is a number. Of a long sum it is not known."""
    match node:
        case tree.Constant(value=value):
            return isinstance(value, float)
        case tree.Parenthesis(inner=inner):
            return is_number(inner, depth)
        case tree.Local(variable=variable):
            return variable.kind == "number" and not variable.isAssigned
        case tree.Unary(operator="-", operand=operand):
            return is_number(operand, depth)
        case tree.Binary(operator=operator, left=left, right=right):
            return depth > 0 and operator in ARITHMETIC and is_number(left, depth - 1) and is_number(right, depth - 1)
    return False


def is_index(node: Node, depth: int = _MAX_DEPTH) -> bool:
    """True if the value is a number, and not NaN. Of a long sum it is not known."""
    match node:
        case tree.Constant(value=value):
            return isinstance(value, float) and value == value
        case tree.Local():
            return is_number(node)
        case tree.Binary(operator="+" | "-" | "*", left=left, right=right):
            return depth > 0 and is_index(left, depth - 1) and is_index(right, depth - 1)
    return False


def is_boolean(node: Node, depth: int = _MAX_DEPTH) -> bool:
    """True if the value is true or false. Of a long chain of ``and`` it is not known."""
    match node:
        case tree.Constant(value=value):
            return isinstance(value, bool)
        case tree.Parenthesis(inner=inner):
            return is_boolean(inner, depth)
        case tree.Unary(operator="not"):
            return True
        case tree.Binary(operator="and" | "or", left=left, right=right):
            return depth > 0 and is_boolean(left, depth - 1) and is_boolean(right, depth - 1)
        case tree.Binary(operator=operator):
            return operator in COMPARED or operator in ("==", "~=")
    return False


def has_calls(node: Node) -> bool:
    """True if the expression may call a function, which may assign to outer variables."""
    return not isinstance(node, (tree.Constant, tree.Local, tree.Global, tree.Vararg, tree.Function))


def has_results(node: Node) -> bool:
    """True if the expression may have none or several values."""
    return isinstance(node, (tree.Call, tree.MethodCall, tree.Vararg))
