"""Blocks, loops, breaks and gotos.

A label at the end of a loop's body is Python's ``continue``. Other labels divide a block into parts: ``while True`` runs them
from the part on whose number ``pc`` has. A jump out of several loops sets a flag, breaks, and goes on behind each of them.
"""

from __future__ import annotations

import ast

from . import tree
from .lexer import LuaSyntaxError
from .nodes import Chunk, Nodes
from .tree import Node

_BREAK, _CONTINUE = 1, 2  # values of a flag: how the loop goes on that it belongs to


class Loop:
    """A loop that is open.

    Attributes
    ----------
    body : list or None
        The statements of a loop of Lua; None for one that a block with labels needs.
    labels : dict
        The labels that lead to it: the number of a part, or None for the end of the body.
    part, flag : str
        Names of the variables in Python.
    passing : list of Loop
        Outer loops that a jump leads to through this one.
    isTarget : bool
        True if a jump from an inner loop leads to it.
    statement : int
        The number of the statement of a block with labels that is being compiled.
    hidden : dict
        The locals in whose scope a label is: numbers of their statements, and names.
    """

    def __init__(self, body: list[Node] | None, isBlock: bool, labels: dict[str, int | None], number: int) -> None:
        self.body, self.isBlock, self.labels = body, isBlock, labels
        self.part, self.flag = f"pc{number}_", f"jump{number}_"
        self.passing: list[Loop] = []
        self.isTarget = False
        self.statement = 0
        self.hidden: dict[str, list[tuple[int, str]]] = {}


class Jumps(Nodes):
    """The part of the compiler that writes blocks and their jumps."""

    def __init__(self, chunk: Chunk) -> None:
        super().__init__(chunk)
        self.loops: list[Loop] = []
        self._loopCount = 0

    # ------------------------------------------------------------------------------------------ blocks

    def statement(self, node: Node) -> list[ast.stmt]:
        raise NotImplementedError

    def block(self, body: list[Node], hasCondition: bool = False) -> list[ast.stmt]:
        """Returns the statements of a block, at least one. With `hasCondition`, the condition of ``until`` follows."""
        hasLabels = any(isinstance(node, tree.Label) for node in body)
        written = self._parts(body, hasCondition) if hasLabels else self._plain(body)
        return written or [self.at(ast.Pass())]

    def _plain(self, body: list[Node]) -> list[ast.stmt]:
        return [one for node in body for one in self.statement(node)]

    def _parts(self, body: list[Node], hasCondition: bool) -> list[ast.stmt]:
        """Returns the statements of a block with labels."""
        parts: list[list[tuple[int, Node]]] = [[]]
        labels: dict[str, int | None] = {}
        for i, node in enumerate(body):
            if not isinstance(node, tree.Label):
                parts[-1].append((i, node))
                continue
            if node.name in labels:
                raise LuaSyntaxError(f"{self.chunk.name}:{node.line}: duplicate label '{node.name}'")
            parts.append([])
            labels[node.name] = len(parts) - 1
        around = self.loops[-1] if self.loops else None
        if around is not None and around.body is body and not any(parts[1:]):
            around.labels.update(dict.fromkeys(labels))
            return self._plain([node for _, node in parts[0]])
        loop = self.enter(None, True, labels)
        loop.hidden = _hidden(body, hasCondition)
        written: list[ast.stmt] = []
        for number, part in enumerate(parts):
            inner: list[ast.stmt] = []
            for loop.statement, node in part:
                inner += self.statement(node)
            if inner:
                written.append(self.at(ast.If(self.compare(ast.LtE(), self.name(loop.part), self.constant(number)), inner, [])))
        whole = self.at(ast.While(self.constant(True), [*written, self.at(ast.Break())], []))
        return [self.assign(self.store(loop.part), self.constant(0)), *self.leave(loop, whole)]

    # ------------------------------------------------------------------------------------------ loops

    def enter(self, body: list[Node] | None = None, isBlock: bool = False, labels: dict[str, int | None] | None = None) -> Loop:
        """Opens a loop."""
        self._loopCount += 1
        self.loops.append(Loop(body, isBlock, labels or {}, self._loopCount))
        return self.loops[-1]

    def leave(self, loop: Loop, node: ast.stmt) -> list[ast.stmt]:
        """Closes a loop. Returns it with the jumps that pass it."""
        self.loops.pop()
        written = [node]
        for target in loop.passing:
            if not (self.loops and self.loops[-1] is target):
                written.append(self.at(ast.If(self.name(target.flag), [self.at(ast.Break())], [])))
                continue
            for code, jump in ((_BREAK, ast.Break()), (_CONTINUE, ast.Continue())):
                reset = self.assign(self.store(target.flag), self.constant(0))
                test = self.compare(ast.Eq(), self.name(target.flag), self.constant(code))
                written.append(self.at(ast.If(test, [reset, self.at(jump)], [])))
        if loop.isTarget:
            written.insert(0, self.assign(self.store(loop.flag), self.constant(0)))
        return written

    def _jump(self, loop: Loop, code: int) -> list[ast.stmt]:
        if self.loops[-1] is loop:
            return [self.at(ast.Break() if code == _BREAK else ast.Continue())]
        loop.isTarget = True
        for inner in self.loops[self.loops.index(loop) + 1 :]:
            if loop not in inner.passing:
                inner.passing.append(loop)
        return [self.assign(self.store(loop.flag), self.constant(code)), self.at(ast.Break())]

    def goto(self, node: tree.Goto) -> list[ast.stmt]:
        """Returns the jump to a label."""
        for loop in reversed(self.loops):
            if node.name in loop.labels:
                part = loop.labels[node.name]
                for declared, name in loop.hidden.get(node.name, ()):
                    if declared > loop.statement:
                        message = f"<goto {node.name}> jumps into the scope of local '{name}'"
                        raise LuaSyntaxError(f"{self.chunk.name}:{node.line}: {message}")
                before = [] if part is None else [self.assign(self.store(loop.part), self.constant(part))]
                return before + self._jump(loop, _CONTINUE)
        raise LuaSyntaxError(f"{self.chunk.name}:{node.line}: undefined label '{node.name}'")

    def break_(self, node: tree.Break) -> list[ast.stmt]:
        """Returns the end of the innermost loop of Lua."""
        return self._jump(next(loop for loop in reversed(self.loops) if not loop.isBlock), _BREAK)


def _hidden(body: list[Node], hasCondition: bool) -> dict[str, list[tuple[int, str]]]:
    """Returns the locals before each label, none for labels that end a block: numbers of their statements, and names."""
    declared: list[tuple[int, str]] = []
    found: dict[str, list[tuple[int, str]]] = {}
    for i, node in enumerate(body):
        if isinstance(node, tree.Declaration):
            declared += [(i, variable.name) for variable in node.variables]
        elif isinstance(node, tree.LocalFunction):
            declared.append((i, node.variable.name))
        elif isinstance(node, tree.Label):
            isEnd = not hasCondition and all(isinstance(one, tree.Label) for one in body[i:])
            found[node.name] = [] if isEnd else list(declared)
    return found
