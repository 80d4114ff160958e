"""The compiler: a tree of Lua to a function of Python, by way of Python's ``ast``.

- A local is a Python local. One that an inner function uses is a variable of a Python closure. If each turn of a loop has a new
  one, it is bound when the function is made (``def f(x, *, i_3=i_3)``), or, if it is assigned to, a list of one value.
- A call returns a plain value, or a tuple if there are none or several.
- A value is read as an attribute only of an object whose class is exactly `Table`, and of the table of globals. The names are
  constants without a leading underscore. All else goes through ``index``, ``setindex`` and ``method``. This closes the sandbox.
- Arithmetic is computed in place if both operands are floats, and by a function otherwise.
- Each node has as its column the number of the Lua expression, which messages of errors need (see `errors`).
"""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from . import tree
from .errors import CHUNK, short_name
from .facts import COMPARED, COMPUTED, has_results, is_boolean, is_index, is_number
from .jumps import Jumps
from .lexer import LuaSyntaxError
from .operators import HELPERS
from .parser import Parser
from .table import HIDDEN, Table, fields, mixed, sequence
from .tree import Node, Variable

_FUNCTIONS = {"/": "div", "%": "mod", "^": "pow_"}


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


def load(text: str, source: str, environment: Table, accessors: dict[str, Any]) -> Any:
    """Returns the function of a source.

    Parameters
    ----------
    text : str
        The source, one character a byte.
    source : str
        Its name, such as ``@net.lua``.
    environment : Table
        Its globals.
    accessors : dict
        ``index``, ``setindex`` and ``method`` of the state.
    """
    chunk = Chunk(source)
    isCollected = gc.isenabled()
    gc.disable()  # nodes live until the end, and to visit them again and again would double the time
    try:
        module = Compiler(chunk).module(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # (42)() may be wrong, but the script says so
            code = compile(module, source.removeprefix("@"), "exec", dont_inherit=True)
    except RecursionError:
        raise LuaSyntaxError(f"{chunk.name}:1: chunk has too many syntax levels") from None
    except (SyntaxError, ValueError) as error:
        raise LuaSyntaxError(f"{chunk.name}:{getattr(error, 'lineno', None) or 1}: {error.args[0]}") from None
    finally:
        if isCollected:
            gc.enable()
    space = {**HELPERS, **accessors, "fields": fields, "mixed": mixed, "sequence": sequence}
    space |= {"G": environment, CHUNK: chunk, "__builtins__": {}}
    exec(code, space)
    return space.pop("chunk_")


def is_attribute(name: str) -> bool:
    """True if a field is read and written as an attribute."""
    return (
        name.isascii() and name.isidentifier() and name[0] != "_" and name not in HIDDEN and name not in ("None", "True", "False")
    )


class Compiler(Jumps):
    """Writes the functions of one source.

    Parameters
    ----------
    chunk : Chunk
        It gets the expressions and names.
    """

    def __init__(self, chunk: Chunk) -> None:
        super().__init__(chunk.name)
        self._chunk = chunk
        self._names = 0
        self._depth = 0
        self._before: list[ast.stmt] = []  # functions that the statement needs
        self._function = tree.FunctionScope(None, 0)

    def module(self, text: str) -> ast.Module:
        """Returns ``def chunk_(*rest)``, the function of the file."""
        function = Parser(text, self._chunk.name).chunk()
        return ast.Module([self._definition("chunk_", function)], [])

    # ------------------------------------------------------------------------------------------ small nodes

    def _is_table(self, value: ast.expr) -> ast.expr:
        return self.compare(ast.Is(), self.attribute(value, "__class__"), self.name("Table"))

    def _starred(self, value: ast.expr) -> ast.expr:
        return self.at(ast.Starred(value, ast.Load()))

    def _fresh(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}_"

    def _mark(self, node: Node) -> tuple[int, int]:
        """Nodes from now on are at this expression. Returns the place before."""
        before = self.column, self.line
        self._chunk.nodes.append(node)
        self.column, self.line = len(self._chunk.nodes) - 1, node.line
        return before

    # ------------------------------------------------------------------------------------------ variables

    def _storage(self, variable: Variable) -> str:
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
        isCell = self._storage(variable) == "cell"
        name = self.name(variable.python)
        return self.at(ast.Subscript(name, self.constant(0), ast.Load())) if isCell else name

    def _target(self, variable: Variable) -> ast.expr:
        if self._storage(variable) == "cell":
            return self.at(ast.Subscript(self.name(variable.python), self.constant(0), ast.Store()))
        return self.store(variable.python)

    def _declare(self, variable: Variable, value: ast.expr) -> ast.stmt:
        """Returns the statement that makes a new local."""
        if self._storage(variable) == "cell":
            value = self.at(ast.List([value], ast.Load()))
        return self.assign(self.store(variable.python), value)

    def _isPlain(self, node: Node) -> bool:
        """True if the value may be computed twice: a name or a constant."""
        return isinstance(node, tree.Constant) or (isinstance(node, tree.Local) and self._storage(node.variable) != "cell")

    # ------------------------------------------------------------------------------------------ expressions

    def expression(self, node: Node) -> ast.expr:
        """Returns an expression that has one value."""
        before = self._mark(node)
        self._depth += 1
        try:
            return _EXPRESSIONS[type(node)](self, node)  # type: ignore[no-any-return]
        finally:
            self._depth -= 1
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

    def _subscript(self, node: Node) -> ast.expr:
        """Returns the key of a dict, for which an int is faster. Functions of Lua get no int."""
        if isinstance(node, tree.Constant) and isinstance(node.value, float) and node.value.is_integer():
            return self.constant(int(node.value))
        return self.expression(node)

    def _twice(self, node: Node) -> tuple[ast.expr, ast.expr]:
        """Returns an expression where it is computed, and where its value is known."""
        if self._isPlain(node):
            return self.expression(node), self.expression(node)
        name = f"t{self._depth}_"
        value = self.at(ast.NamedExpr(self.store(name), self.expression(node)))
        return value, self.name(name)

    def _index(self, node: tree.Index) -> ast.expr:
        key = node.key
        if isinstance(key, tree.Constant) and isinstance(key.value, str) and is_attribute(key.value):
            value, again = self._twice(node.table)
            read = self.attribute(again, key.value)
            return self.at(ast.IfExp(self._is_table(value), read, self.call("index", again, self.constant(key.value))))
        if is_index(key) and self._isPlain(node.table):
            value, again = self._twice(node.table)
            read = self.at(ast.Subscript(again, self._subscript(key), ast.Load()))
            return self.at(ast.IfExp(self._is_table(value), read, self.call("index", again, self.expression(key))))
        return self.call("index", self.expression(node.table), self.expression(key))

    def _one(self, node: Node) -> ast.expr:
        """Returns the first result of a call."""
        name = f"t{self._depth}_"
        called = self.at(ast.NamedExpr(self.store(name), self.results(node)))
        isPlain = self.compare(ast.IsNot(), self.attribute(called, "__class__"), self.name("tuple"))
        return self.at(ast.IfExp(isPlain, self.name(name), self.call("first", self.name(name))))

    def results(self, node: Node) -> ast.expr:
        """Returns a call, or ``...``, as it is: a value or a tuple."""
        before = self._mark(node)
        self._depth += 1
        try:
            if isinstance(node, tree.Call):
                return self.at(ast.Call(self.expression(node.function), self._arguments(node.arguments), []))
            if isinstance(node, tree.MethodCall):
                value, again = self._twice(node.table)
                function = self.call("method", value, self.constant(node.name))
                return self.at(ast.Call(function, [again, *self._arguments(node.arguments)], []))
            return self.name("rest")
        finally:
            self._depth -= 1
            self.column, self.line = before

    def _arguments(self, nodes: Sequence[Node]) -> list[ast.expr]:
        """Returns the values of a list of expressions: the last one may have several."""
        if not nodes or not has_results(nodes[-1]):
            return [self.expression(node) for node in nodes]
        last = self.results(nodes[-1])
        if not isinstance(nodes[-1], tree.Vararg):
            last = self.call("many", last)
        return [*(self.expression(node) for node in nodes[:-1]), self._starred(last)]

    def _unary(self, node: tree.Unary) -> ast.expr:
        if node.operator == "not":
            return self.at(ast.UnaryOp(ast.Not(), self.condition(node.operand)))
        if node.operator == "#":
            return self.call("length", self.expression(node.operand))
        if is_number(node.operand) and self._isPlain(node.operand):
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
        self._depth += 1
        value, again = self._twice(node)
        self._depth -= 1
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
        self._depth += 1
        a, a2 = self._twice(node.left)
        self._depth += 1
        b, b2 = self._twice(node.right)
        self._depth -= 2
        return a, a2, b, b2

    def _computed(self, node: tree.Binary, write: Callable[[ast.expr, ast.expr], ast.expr], helper: str) -> ast.expr:
        """Returns an operator that is computed in place for floats, and by a function for other values."""
        if is_number(node.left) and is_number(node.right) and all(map(self._isPlain, (node.left, node.right))):
            return write(self.expression(node.left), self.expression(node.right))
        a, a2, b, b2 = self._pair(node)
        kinds = [
            self.attribute(value, "__class__")
            for operand, value in ((node.left, a), (node.right, b))
            if not (is_number(operand) and self._isPlain(operand))
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
            return self.at(ast.Call(self.name("sequence"), self._arguments(values), []))
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

    # ------------------------------------------------------------------------------------------ functions

    def _function_value(self, node: tree.Function) -> ast.expr:
        name = self._fresh("f")
        self._before.append(self._definition(name, node))
        return self.name(name)

    def _definition(self, name: str, node: tree.Function) -> ast.stmt:
        scope = node.scope
        self._chunk.functions[name], self._chunk.lines[name] = scope.name, (scope.line, scope.lastLine)
        outer = [variable for variable in scope.captured if self._storage(variable) in ("bound", "cell")]
        bound = sorted({variable.python for variable in outer})
        saved = self._function, self._before, self.loops, self._depth
        self._function, self._before, self.loops, self._depth = scope, [], [], 0
        head: list[ast.stmt] = []
        for variable in scope.parameters:
            variable.isInLoop = False
            if self._storage(variable) == "cell":
                cell = self.at(ast.List([self.name(variable.python)], ast.Load()))
                head.append(self.assign(self.store(variable.python), cell))
        body = self.block(node.body)
        if not isinstance(body[-1], ast.Return):
            body.append(self.at(ast.Return(self.at(ast.Tuple([], ast.Load())))))
        free = sorted({variable.python for variable in scope.assigned if variable.storage == "closure"})
        if free:
            head.insert(0, self.at(ast.Nonlocal(free)))
        self._function, self._before, self.loops, self._depth = saved
        arguments = ast.arguments(
            posonlyargs=[],
            args=[self.at(ast.arg(variable.python)) for variable in scope.parameters],
            vararg=self.at(ast.arg("rest" if scope.isVararg else "_")),
            kwonlyargs=[self.at(ast.arg(one)) for one in bound],
            kw_defaults=[self.name(one) for one in bound],
            defaults=[self.constant(None) for _ in scope.parameters],
        )
        return self.at(ast.FunctionDef(name, arguments, head + body, [], None))

    # ------------------------------------------------------------------------------------------ statements

    def statement(self, node: Node) -> list[ast.stmt]:
        """Returns the statements of one of Lua, after those of the functions that it makes."""
        saved, self._before = self._before, []
        place = self._mark(node)
        written = _STATEMENTS[type(node)](self, node)
        self.column, self.line = place
        written = self._before + written
        self._before = saved
        return written  # type: ignore[no-any-return]

    def _call_statement(self, node: tree.CallStatement) -> list[ast.stmt]:
        return [self.at(ast.Expr(self.results(node.call)))]

    def _block_statement(self, node: tree.Block) -> list[ast.stmt]:
        return self.block(node.body)

    def _return(self, node: tree.Return) -> list[ast.stmt]:
        values = node.values
        if len(values) == 1:
            value = self.results(values[0]) if has_results(values[0]) else self.expression(values[0])
        else:
            value = self.at(ast.Tuple(self._arguments(values), ast.Load()))
        return [self.at(ast.Return(value))]

    def _values(self, n: int, nodes: list[Node]) -> list[ast.expr] | ast.expr:
        """Returns n values, or one expression that unpacks to them. Surplus values follow."""
        if len(nodes) < n and nodes and has_results(nodes[-1]):
            whole = self.results(nodes[0]) if len(nodes) == 1 else self.at(ast.Tuple(self._arguments(nodes), ast.Load()))
            return self.call("cut", self.constant(n), whole)
        return [*map(self.expression, nodes), *(self.constant(None) for _ in range(n - len(nodes)))]

    def _declaration(self, node: tree.Declaration) -> list[ast.stmt]:
        variables = node.variables
        values = self._values(len(variables), node.values)
        if isinstance(values, list) and len(variables) == 1:
            return [self._declare(variables[0], values[0]), *(self.at(ast.Expr(value)) for value in values[1:])]
        if (
            isinstance(values, list)
            and len(values) == len(variables)
            and all(isinstance(value, ast.Constant) for value in values)
        ):
            return [self._declare(variable, value) for variable, value in zip(variables, values, strict=True)]
        name = self._fresh("m")
        whole = self.at(ast.Tuple(values, ast.Load())) if isinstance(values, list) else values
        storages = [self._storage(variable) for variable in variables]
        isSurplus = isinstance(values, list) and len(values) > len(variables)
        if "cell" not in storages and not isSurplus:
            targets = self.at(ast.Tuple([self.store(variable.python) for variable in variables], ast.Store()))
            return [self.assign(targets, whole)]
        return [
            self.assign(self.store(name), whole),
            *(self._declare(variable, self._item(name, i)) for i, variable in enumerate(variables)),
        ]

    def _item(self, name: str, i: int) -> ast.expr:
        return self.at(ast.Subscript(self.name(name), self.constant(i), ast.Load()))

    def _local_function(self, node: tree.LocalFunction) -> list[ast.stmt]:
        variable = node.variable
        if self._storage(variable) != "cell":
            return [self._definition(variable.python, node.function)]
        declared = self._declare(variable, self.constant(None))
        name = self._fresh("f")
        definition = self._definition(name, node.function)
        return [declared, definition, self.assign(self._target(variable), self.name(name))]

    def _assignment(self, node: tree.Assignment) -> list[ast.stmt]:
        targets = node.targets
        if len(targets) == 1:
            values = self._values(1, node.values)
            if isinstance(values, list):
                surplus = [self.at(ast.Expr(value)) for value in values[1:]]
                return self._put(targets[0], values[0]) + surplus
        return self._several(targets, node.values)

    def _several(self, targets: list[Node], nodes: list[Node]) -> list[ast.stmt]:
        """Returns an assignment to several targets: tables and keys are computed first, then values, then all are stored."""
        written: list[ast.stmt] = []
        fixed = [self._fixed(target, written) for target in targets]
        values = self._values(len(targets), nodes)
        whole = self.at(ast.Tuple(values, ast.Load())) if isinstance(values, list) else values
        isSurplus = isinstance(values, list) and len(values) > len(targets)
        variables = [target.variable for target in fixed if isinstance(target, tree.Local)]
        if len(set(variables)) == len(fixed) and not isSurplus:
            stores = [self._target(variable) for variable in variables]
            return [self.assign(self.at(ast.Tuple(stores, ast.Store())), whole)]
        name = self._fresh("m")
        written.append(self.assign(self.store(name), whole))
        for i in reversed(range(len(fixed))):
            written += self._put(fixed[i], self._item(name, i))
        return written

    def _fixed(self, target: Node, written: list[ast.stmt]) -> Node:
        """Returns a target whose table and key are locals of their own."""
        if not isinstance(target, tree.Index):
            return target
        parts = []
        for part in (target.table, target.key):
            if not isinstance(part, tree.Constant):
                variable = Variable("o", self._function, False, "number" if is_index(part) else "local")
                written.append(self._declare(variable, self.expression(part)))
                part = tree.Local(part.line, variable)
            parts.append(part)
        return tree.Index(target.line, parts[0], parts[1])

    def _put(self, target: Node, value: ast.expr) -> list[ast.stmt]:
        """Returns the statements that store a value."""
        place = self._mark(target)
        try:
            if isinstance(target, tree.Local):
                return [self.assign(self._target(target.variable), value)]
            if isinstance(target, tree.Global):
                return [self._put_global(target.name, value)]
            assert isinstance(target, tree.Index)
            return self._put_field(target, value)
        finally:
            self.column, self.line = place

    def _put_global(self, name: str, value: ast.expr) -> ast.stmt:
        isNil = isinstance(value, ast.Constant) and value.value is None
        if is_attribute(name) and not isNil:
            return self.assign(self.at(ast.Attribute(self.name("G"), name, ast.Store())), value)
        return self.at(ast.Expr(self.call("setindex", self.name("G"), self.constant(name), value)))

    def _put_field(self, target: tree.Index, value: ast.expr) -> list[ast.stmt]:
        table, key = target.table, target.key
        isName = isinstance(key, tree.Constant) and isinstance(key.value, str) and is_attribute(key.value)
        isNil = isinstance(value, ast.Constant) and value.value is None
        if isNil or not self._isPlain(table) or not (isName or is_index(key)):
            return [self.at(ast.Expr(self.call("setindex", self.expression(table), self.expression(key), value)))]
        before: list[ast.stmt] = []
        if not isinstance(value, (ast.Name, ast.Constant)):
            before = [self.assign(self.store("v_"), value)]
            value = self.name("v_")
        place: ast.expr
        if isName:
            assert isinstance(key, tree.Constant)
            place = self.at(ast.Attribute(self.expression(table), str(key.value), ast.Store()))
        else:
            place = self.at(ast.Subscript(self.expression(table), self._subscript(key), ast.Store()))
        other = self.at(ast.Expr(self.call("setindex", self.expression(table), self.expression(key), value)))
        return [*before, self.at(ast.If(self._is_table(self.expression(table)), [self.assign(place, value)], [other]))]

    # ------------------------------------------------------------------------------------------ blocks and loops

    def _if(self, node: tree.If) -> list[ast.stmt]:
        written = self.block(node.otherwise) if node.otherwise else []
        arms = []
        for condition, body in node.arms:
            self.line = condition.line
            arms.append((self.condition(condition), self.block(body)))
        for test, inner in reversed(arms):
            written = [self.at(ast.If(test, inner, written))]
        return written

    def _while(self, node: tree.While) -> list[ast.stmt]:
        test = self.condition(node.condition)
        loop = self.enter(node.body)
        return self.leave(loop, self.at(ast.While(test, self.block(node.body), [])))

    def _repeat(self, node: tree.Repeat) -> list[ast.stmt]:
        loop = self.enter()
        body = self.block(node.body, hasCondition=True)
        saved, self._before = self._before, []
        test = self.condition(node.condition)
        body += [*self._before, self.at(ast.If(test, [self.at(ast.Break())], []))]
        self._before = saved
        return self.leave(loop, self.at(ast.While(self.constant(True), body, [])))

    def _numeric_for(self, node: tree.NumericFor) -> list[ast.stmt]:
        return self._for([node.variable], self.call("upto", *map(self.expression, node.bounds)), node.body)

    def _generic_for(self, node: tree.GenericFor) -> list[ast.stmt]:
        count = self.constant(len(node.variables))
        return self._for(node.variables, self.call("each", count, *self._arguments(node.values)), node.body)

    def _for(self, variables: list[Variable], values: ast.expr, body: list[Node]) -> list[ast.stmt]:
        storages = [self._storage(variable) for variable in variables]
        head: list[ast.stmt] = [
            self.assign(self.store(one.python), self.at(ast.List([self.name(one.python)], ast.Load())))
            for one, storage in zip(variables, storages, strict=True)
            if storage == "cell"
        ]
        names = [self.store(variable.python) for variable in variables]
        target = names[0] if len(names) == 1 else self.at(ast.Tuple(names, ast.Store()))
        loop = self.enter(body)
        return self.leave(loop, self.at(ast.For(target, values, head + self.block(body), [])))


_EXPRESSIONS: dict[type, Any] = {
    tree.Constant: Compiler._constant,
    tree.Local: Compiler._local,
    tree.Global: Compiler._global,
    tree.Vararg: Compiler._vararg,
    tree.Parenthesis: Compiler._parenthesis,
    tree.Index: Compiler._index,
    tree.Call: Compiler._one,
    tree.MethodCall: Compiler._one,
    tree.Function: Compiler._function_value,
    tree.Unary: Compiler._unary,
    tree.Binary: Compiler._binary,
    tree.Constructor: Compiler._constructor,
}
_STATEMENTS: dict[type, Any] = {
    tree.Declaration: Compiler._declaration,
    tree.LocalFunction: Compiler._local_function,
    tree.Assignment: Compiler._assignment,
    tree.CallStatement: Compiler._call_statement,
    tree.Block: Compiler._block_statement,
    tree.If: Compiler._if,
    tree.While: Compiler._while,
    tree.Repeat: Compiler._repeat,
    tree.NumericFor: Compiler._numeric_for,
    tree.GenericFor: Compiler._generic_for,
    tree.Return: Compiler._return,
    tree.Break: Compiler.break_,
    tree.Goto: Compiler.goto,
}
