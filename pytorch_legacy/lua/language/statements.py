"""Functions and statements of Lua as statements of Python.

A function is defined before the statement that it stands in. It returns a plain value, or a tuple if there are none or several.
"""

from __future__ import annotations

import ast
from typing import Any

from . import tree
from .expressions import Expressions, is_attribute
from .facts import has_calls, has_results, is_index
from .jumps import Jumps
from .nodes import Chunk
from .parser import Parser
from .tree import Node, Variable


class Statements(Expressions, Jumps):
    """The part of the compiler that writes functions and statements."""

    def __init__(self, chunk: Chunk) -> None:
        super().__init__(chunk)
        self._before: list[ast.stmt] = []  # functions that the statement needs

    def module(self, text: str) -> ast.Module:
        """Returns ``def chunk_(*rest)``, the function of the file."""
        function = Parser(text, self.chunk.name).chunk()
        return ast.Module([self._definition("chunk_", function)], [])

    # ------------------------------------------------------------------------------------------ functions

    def function(self, node: tree.Function) -> ast.expr:
        name = self.fresh("f")
        self._before.append(self._definition(name, node))
        return self.name(name)

    def _definition(self, name: str, node: tree.Function) -> ast.stmt:
        scope = node.scope
        self.chunk.functions[name], self.chunk.lines[name] = scope.name, (scope.line, scope.lastLine)
        outer = [variable for variable in scope.captured if self.storage(variable) in ("bound", "cell")]
        bound = sorted({variable.python for variable in outer})
        saved = self.scope, self._before, self.loops, self.depth
        self.scope, self._before, self.loops, self.depth = scope, [], [], 0
        head: list[ast.stmt] = []
        for variable in scope.parameters:
            variable.isInLoop = False
            if self.storage(variable) == "cell":
                cell = self.at(ast.List([self.name(variable.python)], ast.Load()))
                head.append(self.assign(self.store(variable.python), cell))
        body = self.block(node.body)
        if not isinstance(body[-1], ast.Return):
            body.append(self.at(ast.Return(self.packed([]))))
        free = sorted({variable.python for variable in scope.assigned if variable.storage == "closure"})
        if free:
            head.insert(0, self.at(ast.Nonlocal(free)))
        self.scope, self._before, self.loops, self.depth = saved
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
        place = self.mark(node)
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
            value = self.packed(self.arguments(values))
        return [self.at(ast.Return(value))]

    def _values(self, n: int, nodes: list[Node]) -> list[ast.expr] | ast.expr:
        """Returns n values, or one expression that unpacks to them. Surplus values follow."""
        if len(nodes) < n and nodes and has_results(nodes[-1]):
            whole = self.results(nodes[0]) if len(nodes) == 1 else self.packed(self.arguments(nodes))
            return self.call("cut", self.constant(n), whole)
        return [*map(self.expression, nodes), *(self.constant(None) for _ in range(n - len(nodes)))]

    def _declaration(self, node: tree.Declaration) -> list[ast.stmt]:
        variables = node.variables
        values = self._values(len(variables), node.values)
        if isinstance(values, list) and len(variables) == 1:
            return [self.declare(variables[0], values[0]), *(self.at(ast.Expr(value)) for value in values[1:])]
        if (
            isinstance(values, list)
            and len(values) == len(variables)
            and all(isinstance(value, ast.Constant) for value in values)
        ):
            return [self.declare(variable, value) for variable, value in zip(variables, values, strict=True)]
        name = self.fresh("m")
        whole = self.packed(values) if isinstance(values, list) else values
        storages = [self.storage(variable) for variable in variables]
        isSurplus = isinstance(values, list) and len(values) > len(variables)
        if "cell" not in storages and not isSurplus:
            targets = self.at(ast.Tuple([self.store(variable.python) for variable in variables], ast.Store()))
            return [self.assign(targets, whole)]
        return [
            self.assign(self.store(name), whole),
            *(self.declare(variable, self.item(name, i)) for i, variable in enumerate(variables)),
        ]

    def _item(self, name: str, i: int) -> ast.expr:
        return self.at(ast.Subscript(self.name(name), self.constant(i), ast.Load()))

    def _local_function(self, node: tree.LocalFunction) -> list[ast.stmt]:
        variable = node.variable
        if self.storage(variable) != "cell":
            return [self._definition(variable.python, node.function)]
        declared = self.declare(variable, self.constant(None))
        name = self.fresh("f")
        definition = self._definition(name, node.function)
        return [declared, definition, self.assign(self.target(variable), self.name(name))]

    def _assignment(self, node: tree.Assignment) -> list[ast.stmt]:
        targets = node.targets
        if len(targets) == 1:
            if len(node.values) == 1 and (ordered := self._ordered(targets[0], node.values[0])):
                return ordered
            values = self._values(1, node.values)
            if isinstance(values, list):
                surplus = [self.at(ast.Expr(value)) for value in values[1:]]
                return self._put(targets[0], values[0]) + surplus
        return self._several(targets, node.values)

    def _ordered(self, target: Node, value: Node) -> list[ast.stmt]:
        """Returns an assignment to a field whose table or key the value may assign to, [] for another one.

        Lua reads outer variables before the value, and locals after it.
        """
        if not isinstance(target, tree.Index) or not (has_calls(value) and any(map(self.is_shared, (target.table, target.key)))):
            return []
        written: list[ast.stmt] = []
        table, key = (
            part if isinstance(part, tree.Local) and not self.is_outer(part) else self._fixed_part(part, written)
            for part in (target.table, target.key)
        )
        name = self.fresh("m")
        written.append(self.assign(self.store(name), self.expression(value)))
        return written + self._put(tree.Index(target.line, table, key), self.name(name))

    def _several(self, targets: list[Node], nodes: list[Node]) -> list[ast.stmt]:
        """Returns an assignment to several targets: tables and keys are computed first, then values, then all are stored."""
        written: list[ast.stmt] = []
        fixed = [self._fixed(target, written) for target in targets]
        values = self._values(len(targets), nodes)
        whole = self.packed(values) if isinstance(values, list) else values
        isSurplus = isinstance(values, list) and len(values) > len(targets)
        variables = [target.variable for target in fixed if isinstance(target, tree.Local)]
        if len(set(variables)) == len(fixed) and not isSurplus:
            stores = [self.target(variable) for variable in variables]
            return [self.assign(self.at(ast.Tuple(stores, ast.Store())), whole)]
        name = self.fresh("m")
        written.append(self.assign(self.store(name), whole))
        for i in reversed(range(len(fixed))):
            written += self._put(fixed[i], self.item(name, i))
        return written

    def _fixed(self, target: Node, written: list[ast.stmt]) -> Node:
        """Returns a target whose table and key are locals of their own."""
        if not isinstance(target, tree.Index):
            return target
        return tree.Index(target.line, self._fixed_part(target.table, written), self._fixed_part(target.key, written))

    def _fixed_part(self, part: Node, written: list[ast.stmt]) -> Node:
        """Returns a local of its own that has the value, or the node if it is a constant."""
        if isinstance(part, tree.Constant):
            return part
        variable = Variable("o", self.scope, False, "number" if is_index(part) else "local")
        written.append(self.declare(variable, self.expression(part)))
        return tree.Local(part.line, variable)

    def _put(self, target: Node, value: ast.expr) -> list[ast.stmt]:
        """Returns the statements that store a value."""
        place = self.mark(target)
        try:
            if isinstance(target, tree.Local):
                return [self.assign(self.target(target.variable), value)]
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
        if isNil or not self.is_plain(table) or not (isName or is_index(key)):
            return [self.at(ast.Expr(self.call("setindex", self.expression(table), self.expression(key), value)))]
        before: list[ast.stmt] = []
        if not isinstance(value, (ast.Name, ast.Constant)):
            before = [self.assign(self.store("v_"), value)]
            value = self.name("v_")
        place: ast.expr
        if isName:
            assert isinstance(key, tree.Constant)
            place = self.at(ast.Attribute(self.expression(table), str(key.value), ast.Store()))
            test = self.has_fields(self.expression(table))
            if isinstance(value, ast.Name) and isinstance(test, ast.BoolOp):  # nil would hide a field of __index
                isValue = self.compare(ast.IsNot(), value, self.constant(None))
                test.values[1] = self.at(ast.BoolOp(ast.And(), [test.values[1], isValue]))
        else:
            place = self.at(ast.Subscript(self.expression(table), self.subscript(key), ast.Store()))
            test = self.is_table(self.expression(table))
        other = self.at(ast.Expr(self.call("setindex", self.expression(table), self.expression(key), value)))
        return [*before, self.at(ast.If(test, [self.assign(place, value)], [other]))]

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
        return self._for(node.variables, self.call("each", count, *self.arguments(node.values)), node.body)

    def _for(self, variables: list[Variable], values: ast.expr, body: list[Node]) -> list[ast.stmt]:
        storages = [self.storage(variable) for variable in variables]
        head: list[ast.stmt] = [
            self.assign(self.store(one.python), self.at(ast.List([self.name(one.python)], ast.Load())))
            for one, storage in zip(variables, storages, strict=True)
            if storage == "cell"
        ]
        names = [self.store(variable.python) for variable in variables]
        target = names[0] if len(names) == 1 else self.at(ast.Tuple(names, ast.Store()))
        loop = self.enter(body)
        return self.leave(loop, self.at(ast.For(target, values, head + self.block(body), [])))


_STATEMENTS: dict[type, Any] = {
    tree.Declaration: Statements._declaration,
    tree.LocalFunction: Statements._local_function,
    tree.Assignment: Statements._assignment,
    tree.CallStatement: Statements._call_statement,
    tree.Block: Statements._block_statement,
    tree.If: Statements._if,
    tree.While: Statements._while,
    tree.Repeat: Statements._repeat,
    tree.NumericFor: Statements._numeric_for,
    tree.GenericFor: Statements._generic_for,
    tree.Return: Statements._return,
    tree.Break: Statements.break_,
    tree.Goto: Statements.goto,
}
