"""Expressions of Lua as expressions of Python.

- A local is a Python local. One that an inner function uses is a variable of a Python closure. If each turn of a loop has a new
  one, it is bound when the function is made (``def f(x, *, i_3=i_3)``), or, if it is assigned to, a list of one value.
- A value is read as an attribute only of an object whose class is `Table` or `MetaTable`, and of the table of globals. The names
  are constants without a leading underscore. All else goes through ``index`` and ``method``. This closes the sandbox.
- Arithmetic is computed in place if both operands are floats, and by a function otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from . import tree
from .facts import COMPARED, COMPUTED, has_calls, has_results, is_boolean, is_index, is_number
from .nodes import Chunk, Nodes
from .table import HIDDEN
from .tree import Node, Variable

_FUNCTIONS = {"/": "div", "%": "mod", "^": "pow_"}


def is_attribute(name: str) -> bool:
    """True if a field is read and written as an attribute. ``G`` and ``G_1`` are tables of globals, which ``setfenv`` renames."""
    isReserved = name in HIDDEN or name in ("None", "True", "False", "G") or name.startswith(("_", "G_"))
    return name.isascii() and name.isidentifier() and not isReserved


class Expressions(Nodes):
    """The part of the compiler that writes expressions."""

    def __init__(self, chunk: Chunk) -> None:
        super().__init__(chunk)
        self.depth = 0
        self.scope = tree.FunctionScope(None, 0)  # the function that is written

    def function(self, node: tree.Function) -> ast.expr:
        """Returns the value of a function that is defined before the statement."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------ variables

    def storage(self, variable: Variable) -> str:
        if not variable.storage:
            variable.storage = self._choose(variable)
            self._names += 1
            name = "".join(c for c in variable.name if c.isascii())
            variable.python = f"{name}_{self._names}"
        return variable.storage

    def _choose(self, variable: Variable) -> str:
        if not variable.isCaptured:
            return "plain"
        if not variable.isInLoop and not variable.function.hasGoto:
            return "closure"
        return "cell" if variable.isAssigned or variable.kind == "function" or variable.function.hasGoto else "bound"

    def _load(self, variable: Variable) -> ast.expr:
        isCell = self.storage(variable) == "cell"
        name = self.name(variable.python)
        return self.at(ast.Subscript(name, self.constant(0), ast.Load())) if isCell else name

    def target(self, variable: Variable) -> ast.expr:
        if self.storage(variable) == "cell":
            return self.at(ast.Subscript(self.name(variable.python), self.constant(0), ast.Store()))
        return self.store(variable.python)

    def declare(self, variable: Variable, value: ast.expr) -> ast.stmt:
        """Returns the statement that makes a new local."""
        if self.storage(variable) == "cell":
            value = self.at(ast.List([value], ast.Load()))
        return self.assign(self.store(variable.python), value)

    def is_plain(self, node: Node) -> bool:
        """True if the value may be computed twice: a name or a constant."""
        return isinstance(node, tree.Constant) or (isinstance(node, tree.Local) and self.storage(node.variable) != "cell")

    def is_shared(self, node: Node) -> bool:
        """True if a call may assign to the variable that the node is."""
        return isinstance(node, tree.Local) and node.variable.isCaptured and node.variable.isAssigned

    def is_outer(self, node: Node) -> bool:
        """True for a variable of an outer function. Lua reads it as it comes, and a local when the operator is computed."""
        return isinstance(node, tree.Local) and node.variable.function is not self.scope

    # ------------------------------------------------------------------------------------------ expressions

    def expression(self, node: Node) -> ast.expr:
        """Returns an expression that has one value."""
        before = self.mark(node)
        self.depth += 1
        try:
            return _EXPRESSIONS[type(node)](self, node)  # type: ignore[no-any-return]
        finally:
            self.depth -= 1
            self.column, self.line = before

    def _constant(self, node: tree.Constant) -> ast.expr:
        return self.constant(node.value)

    def _local(self, node: tree.Local) -> ast.expr:
        return self._load(node.variable)

    def _global(self, node: tree.Global) -> ast.expr:
        if is_attribute(node.name):
            return self.attribute(self.name("G"), node.name)
        return self.call("index", self.name("G"), self.constant(node.name))

    def _parenthesis(self, node: tree.Parenthesis) -> ast.expr:
        return self.expression(node.inner)

    def _vararg(self, node: tree.Vararg) -> ast.expr:
        value = self.at(ast.Subscript(self.name("rest"), self.constant(0), ast.Load()))
        return self.at(ast.IfExp(self.name("rest"), value, self.constant(None)))

    def subscript(self, node: Node) -> ast.expr:
        """Returns the key of a dict, for which an int is faster. Functions of Lua get no int."""
        if isinstance(node, tree.Constant) and isinstance(node.value, float) and node.value.is_integer():
            return self.constant(int(node.value))
        return self.expression(node)

    def _twice(self, node: Node, isFixed: bool = False) -> tuple[ast.expr, ast.expr]:
        """Returns an expression where it is computed, and where its value is known. With `isFixed`, it is not computed again."""
        if self.is_plain(node) and not isFixed:
            return self.expression(node), self.expression(node)
        name = f"t{self.depth}_"
        value = self.at(ast.NamedExpr(self.store(name), self.expression(node)))
        return value, self.name(name)

    def _index(self, node: tree.Index) -> ast.expr:
        key = node.key
        if isinstance(key, tree.Constant) and isinstance(key.value, str) and is_attribute(key.value):
            value, again = self._twice(node.table)
            read = self.attribute(again, key.value)
            return self.at(ast.IfExp(self.has_fields(value), read, self.call("index", again, self.constant(key.value))))
        if is_index(key) and self.is_plain(node.table):
            value, again = self._twice(node.table)
            read = self.at(ast.Subscript(again, self.subscript(key), ast.Load()))
            return self.at(ast.IfExp(self.is_table(value), read, self.call("index", again, self.expression(key))))
        return self.call("index", self.expression(node.table), self.expression(key))

    def _one(self, node: Node) -> ast.expr:
        """Returns the first result of a call."""
        name = f"t{self.depth}_"
        called = self.at(ast.NamedExpr(self.store(name), self.results(node)))
        isPlain = self.compare(ast.IsNot(), self.attribute(called, "__class__"), self.name("tuple"))
        return self.at(ast.IfExp(isPlain, self.name(name), self.call("first", self.name(name))))

    def results(self, node: Node) -> ast.expr:
        """Returns a call, or ``...``, as it is: a value or a tuple."""
        before = self.mark(node)
        self.depth += 1
        try:
            if isinstance(node, tree.Call):
                return self.at(ast.Call(self.expression(node.function), self.arguments(node.arguments), []))
            if isinstance(node, tree.MethodCall):
                value, again = self._twice(node.table)
                function = self.call("method", value, self.constant(node.name))
                return self.at(ast.Call(function, [again, *self.arguments(node.arguments)], []))
            return self.name("rest")
        finally:
            self.depth -= 1
            self.column, self.line = before

    def arguments(self, nodes: Sequence[Node]) -> list[ast.expr]:
        """Returns the values of a list of expressions: the last one may have several."""
        if not nodes or not has_results(nodes[-1]):
            return [self.expression(node) for node in nodes]
        last = self.results(nodes[-1])
        if not isinstance(nodes[-1], tree.Vararg):
            last = self.call("many", last)
        return [*(self.expression(node) for node in nodes[:-1]), self.at(ast.Starred(last, ast.Load()))]

    def _unary(self, node: tree.Unary) -> ast.expr:
        if node.operator == "not":
            return self.at(ast.UnaryOp(ast.Not(), self.condition(node.operand)))
        if node.operator == "#":
            return self.call("length", self.expression(node.operand))
        if is_number(node.operand) and self.is_plain(node.operand):
            return self.at(ast.UnaryOp(ast.USub(), self.expression(node.operand)))
        value, again = self._twice(node.operand)
        isFloat = self.compare(ast.Is(), self.attribute(value, "__class__"), self.name("float"))
        return self.at(ast.IfExp(isFloat, self.at(ast.UnaryOp(ast.USub(), again)), self.call("neg", again)))

    def condition(self, node: Node) -> ast.expr:
        """Returns an expression that is true in Python if a value is true in Lua."""
        match node:
            case tree.Parenthesis(inner=inner):
                return self.condition(inner)
            case tree.Constant(value=constant):
                return self.constant(constant is not None and constant is not False)
            case tree.Binary(operator="and" | "or" as operator, left=left, right=right):
                values = [self.condition(left), self.condition(right)]
                return self.at(ast.BoolOp(ast.And() if operator == "and" else ast.Or(), values))
        if is_boolean(node):
            return self.expression(node)
        self.depth += 1
        value, again = self._twice(node)
        self.depth -= 1
        return self._truth(value, again)

    def _truth(self, value: ast.expr, again: ast.expr) -> ast.expr:
        isNotNil = self.compare(ast.IsNot(), value, self.constant(None))
        return self.at(ast.BoolOp(ast.And(), [isNotNil, self.compare(ast.IsNot(), again, self.constant(False))]))

    def _binary(self, node: tree.Binary) -> ast.expr:
        operator = node.operator
        if operator in ("and", "or"):
            return self._logical(node)
        if operator == "..":
            return self._concatenation(node)
        if operator in ("==", "~="):
            return self._equality(node)
        if operator in COMPARED:
            symbol, helper = COMPARED[operator]
            return self._computed(node, lambda a, b: self.compare(symbol(), a, b), helper)
        if operator in COMPUTED:
            kind, helper = COMPUTED[operator]
            return self._computed(node, lambda a, b: self.at(ast.BinOp(a, kind(), b)), helper)
        isDivisor = isinstance(node.right, tree.Constant) and isinstance(node.right.value, float) and node.right.value != 0
        if operator == "/" and isDivisor:
            return self._computed(node, lambda a, b: self.at(ast.BinOp(a, ast.Div(), b)), "div")
        if operator == "%" and isDivisor:
            return self._computed(node, self._remainder, "mod")
        return self.call(_FUNCTIONS[operator], self.expression(node.left), self.expression(node.right))

    def _remainder(self, a: ast.expr, b: ast.expr) -> ast.expr:
        """Returns ``a - a / b // 1.0 * b``."""
        floor = self.at(ast.BinOp(self.at(ast.BinOp(a, ast.Div(), b)), ast.FloorDiv(), self.constant(1.0)))
        return self.at(ast.BinOp(a, ast.Sub(), self.at(ast.BinOp(floor, ast.Mult(), b))))

    def _pair(self, node: tree.Binary) -> tuple[ast.expr, ast.expr, ast.expr, ast.expr]:
        """Returns both operands where they are computed, and where their values are known."""
        isFixed = self.is_shared(node.left) and has_calls(node.right) and (node.operator == ".." or self.is_outer(node.left))
        self.depth += 1
        a, a2 = self._twice(node.left, isFixed)
        self.depth += 1
        b, b2 = self._twice(node.right)
        self.depth -= 2
        return a, a2, b, b2

    def _computed(self, node: tree.Binary, write: Callable[[ast.expr, ast.expr], ast.expr], helper: str) -> ast.expr:
        """Returns an operator that is computed in place for floats, and by a function for other values."""
        if is_number(node.left) and is_number(node.right) and all(map(self.is_plain, (node.left, node.right))):
            return write(self.expression(node.left), self.expression(node.right))
        a, a2, b, b2 = self._pair(node)
        kinds = [
            self.attribute(value, "__class__")
            for operand, value in ((node.left, a), (node.right, b))
            if not (is_number(operand) and self.is_plain(operand))
        ]
        # Comparisons of a chain end with the first that fails: at that time both operands are computed.
        test = self.at(ast.Compare(kinds[0], [ast.Is() for _ in kinds], [*kinds[1:], self.name("float")]))
        return self.at(ast.IfExp(test, write(a2, b2), self.call(helper, a2, b2)))

    def _logical(self, node: tree.Binary) -> ast.expr:
        isAnd = node.operator == "and"
        if is_boolean(node.left):
            values = [self.expression(node.left), self.expression(node.right)]
            return self.at(ast.BoolOp(ast.And() if isAnd else ast.Or(), values))
        value, again = self._twice(node.left)
        test, right = self._truth(value, again), self.expression(node.right)
        return self.at(ast.IfExp(test, right, again) if isAnd else ast.IfExp(test, again, right))

    def _concatenation(self, node: tree.Binary) -> ast.expr:
        if not (isinstance(node.right, tree.Binary) and node.right.operator == ".."):
            return self._joined(node)
        parts: list[Node] = [node.left]
        rest: Node = node.right
        while isinstance(rest, tree.Binary) and rest.operator == "..":
            parts.append(rest.left)
            rest = rest.right
        return self.call("concat", *map(self.expression, [*parts, rest]))

    def _joined(self, node: tree.Binary) -> ast.expr:
        """Returns two strings joined in place, or other values by a function."""
        a, a2, b, b2 = self._pair(node)
        kinds = [self.attribute(a, "__class__"), self.attribute(b, "__class__")]
        test = self.at(ast.Compare(kinds[0], [ast.Is(), ast.Is()], [kinds[1], self.name("str")]))
        return self.at(ast.IfExp(test, self.at(ast.BinOp(a2, ast.Add(), b2)), self.call("concat", a2, b2)))

    def _equality(self, node: tree.Binary) -> ast.expr:
        isEqual = node.operator == "=="
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(other, tree.Constant) and not isinstance(other.value, (float, str)):
                return self.compare(ast.Is() if isEqual else ast.IsNot(), self.expression(one), self.expression(other))
        constants = [part.value for part in (node.left, node.right) if isinstance(part, tree.Constant)]
        if any(isinstance(value, str) or value not in (0, 1) for value in constants):  # no boolean equals these in Python
            return self.compare(ast.Eq() if isEqual else ast.NotEq(), self.expression(node.left), self.expression(node.right))
        a, a2, b, b2 = self._pair(node)
        isSame = self.compare(ast.Is(), self.attribute(a, "__class__"), self.attribute(b, "__class__"))
        found = self.at(ast.IfExp(isSame, self.compare(ast.Eq(), a2, b2), self.call("eq", a2, b2)))
        return found if isEqual else self.at(ast.UnaryOp(ast.Not(), found))

    def _constructor(self, node: tree.Constructor) -> ast.expr:
        if not node.items:
            return self.call("Table")
        values = [value for key, value in node.items if key is None]
        if len(values) == len(node.items):
            return self.at(ast.Call(self.name("sequence"), self.arguments(values), []))
        names = [key.value for key, _ in node.items if isinstance(key, tree.Constant) and isinstance(key.value, str)]
        if len({name for name in names if is_attribute(name)}) == len(node.items):
            call = ast.Call(self.name("fields"), [], [])
            call.keywords = [
                self.at(ast.keyword(name, self.expression(value))) for name, (_, value) in zip(names, node.items, strict=True)
            ]
            return self.at(call)
        return self._mixed(node)

    def _mixed(self, node: tree.Constructor) -> ast.expr:
        arguments = []
        for i, (key, value) in enumerate(node.items):
            if key is None and i == len(node.items) - 1 and has_results(value):
                arguments += [self.name("first"), self.call("many", self.results(value))]
            else:
                arguments += [self.name("sequence") if key is None else self.expression(key), self.expression(value)]
        return self.call("mixed", *arguments)


_EXPRESSIONS: dict[type, Any] = {
    tree.Constant: Expressions._constant,
    tree.Local: Expressions._local,
    tree.Global: Expressions._global,
    tree.Vararg: Expressions._vararg,
    tree.Parenthesis: Expressions._parenthesis,
    tree.Index: Expressions._index,
    tree.Call: Expressions._one,
    tree.MethodCall: Expressions._one,
    tree.Function: lambda self, node: self.function(node),
    tree.Unary: Expressions._unary,
    tree.Binary: Expressions._binary,
    tree.Constructor: Expressions._constructor,
}
