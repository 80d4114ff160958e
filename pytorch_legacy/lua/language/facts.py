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


def is_number(node: Node) -> bool:
    """True if the value is a number."""
    match node:
        case tree.Constant(value=value):
            return isinstance(value, float)
        case tree.Parenthesis(inner=inner):
            return is_number(inner)
        case tree.Local(variable=variable):
            return variable.kind == "number" and not variable.isAssigned
        case tree.Unary(operator="-", operand=operand):
            return is_number(operand)
        case tree.Binary(operator=operator, left=left, right=right):
            return operator in ARITHMETIC and is_number(left) and is_number(right)
    return False


def is_index(node: Node) -> bool:
    """True if the value is a number, and not NaN."""
    match node:
        case tree.Constant(value=value):
            return isinstance(value, float) and value == value
        case tree.Local():
            return is_number(node)
        case tree.Binary(operator="+" | "-" | "*", left=left, right=right):
            return is_index(left) and is_index(right)
    return False


def is_boolean(node: Node) -> bool:
    """True if the value is true or false."""
    match node:
        case tree.Constant(value=value):
            return isinstance(value, bool)
        case tree.Parenthesis(inner=inner):
            return is_boolean(inner)
        case tree.Unary(operator="not"):
            return True
        case tree.Binary(operator="and" | "or", left=left, right=right):
            return is_boolean(left) and is_boolean(right)
        case tree.Binary(operator=operator):
            return operator in COMPARED or operator in ("==", "~=")
    return False


def has_results(node: Node) -> bool:
    """True if the expression may have none or several values."""
    return isinstance(node, (tree.Call, tree.MethodCall, tree.Vararg))
