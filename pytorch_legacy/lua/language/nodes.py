"""Nodes of Python's ``ast`` with their places, and what the compiler knows of a source besides its code."""

from __future__ import annotations

import ast
from typing import Any, TypeVar

from .errors import short_name
from .tree import Node

_Node = TypeVar("_Node", bound=ast.AST)


class Chunk:
    """A compiled source.

    Attributes
    ----------
    source : str
        The name that it was loaded with, such as ``@net.lua``.
    name : str
        The name in messages.
    nodes : list
        The expressions by their numbers.
    functions : dict
        Lua's names of functions by Python's.
    lines : dict
        First and last line of functions by Python's names.
    """

    def __init__(self, source: str) -> None:
        self.source, self.name = source, short_name(source)
        self.nodes: list[Node | None] = [None]
        self.functions: dict[str, str] = {}
        self.lines: dict[str, tuple[int, int]] = {}


class Nodes:
    """The base class of the parts of the compiler.

    Parameters
    ----------
    chunk : Chunk
        It gets the expressions and names.

    Attributes
    ----------
    column, line : int
        The place of new nodes: the number of a Lua expression, and a line.
    """

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.column, self.line = 0, 1
        self._names = 0

    def mark(self, node: Node) -> tuple[int, int]:
        """Nodes from now on are at this expression. Returns the place before."""
        before = self.column, self.line
        self.chunk.nodes.append(node)
        self.column, self.line = len(self.chunk.nodes) - 1, node.line
        return before

    def fresh(self, prefix: str) -> str:
        """Returns a name that no other variable has."""
        self._names += 1
        return f"{prefix}{self._names}_"

    def at(self, node: _Node) -> _Node:
        """Returns the node, which gets the present place."""
        node.lineno = node.end_lineno = self.line  # type: ignore[attr-defined]
        node.col_offset = node.end_col_offset = self.column  # type: ignore[attr-defined]
        return node

    def name(self, name: str) -> ast.expr:
        return self.at(ast.Name(name, ast.Load()))

    def store(self, name: str) -> Any:
        return self.at(ast.Name(name, ast.Store()))

    def constant(self, value: Any) -> ast.expr:
        return self.at(ast.Constant(value))

    def attribute(self, value: ast.expr, name: str) -> ast.expr:
        return self.at(ast.Attribute(value, name, ast.Load()))

    def call(self, function: str, *arguments: ast.expr) -> ast.expr:
        return self.at(ast.Call(self.name(function), list(arguments), []))

    def compare(self, operator: ast.cmpop, left: ast.expr, right: ast.expr) -> ast.expr:
        return self.at(ast.Compare(left, [operator], [right]))

    def assign(self, target: ast.expr, value: ast.expr) -> ast.stmt:
        return self.at(ast.Assign([target], value))

    def packed(self, values: list[ast.expr]) -> ast.expr:
        return self.at(ast.Tuple(values, ast.Load()))

    def item(self, name: str, i: int) -> ast.expr:
        return self.at(ast.Subscript(self.name(name), self.constant(i), ast.Load()))

    def has_fields(self, value: ast.expr) -> ast.expr:
        """Returns a test if a value is a table whose fields are attributes: a `Table` or a `MetaTable`."""
        kind = self.at(ast.NamedExpr(self.store("c_"), self.attribute(value, "__class__")))
        isMeta = self.compare(ast.Is(), self.name("c_"), self.name("MetaTable"))
        return self.at(ast.BoolOp(ast.Or(), [self.compare(ast.Is(), kind, self.name("Table")), isMeta]))

    def is_table(self, value: ast.expr) -> ast.expr:
        return self.compare(ast.Is(), self.attribute(value, "__class__"), self.name("Table"))
