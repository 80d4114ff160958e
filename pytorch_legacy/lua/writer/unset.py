"""Globals that a file reads before it sets them: nil in Lua, an error in Python unless the file begins with their names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..language import tree
from .program import Program, walk


class Unset:
    """The globals of a file that may be nil where they are read.

    A call of nil, and a field of it, are errors in both languages. They do not count.

    Parameters
    ----------
    program : Program
        The facts about the program.
    names : set of str
        The globals that the file sets.

    Attributes
    ----------
    found : set of str
        Those that may be nil.
    """

    def __init__(self, program: Program, names: set[str]) -> None:
        self.program, self.names = program, names
        self.found: set[str] = set()
        self._later: set[str] = set()

    def read(self, body: list[tree.Node]) -> set[str]:
        """Reads a file. Returns the globals."""
        isSet = self._body(body, set())
        return self.found | (self._later - isSet)

    def _body(self, body: list[tree.Node], isSet: set[str]) -> set[str]:
        """Returns the globals that are set after some statements, by those that are before."""
        for node in body:
            isSet = self._statement(node, isSet)
        return isSet

    def _statement(self, node: tree.Node, isSet: set[str]) -> set[str]:
        match node:
            case tree.If(arms=arms, otherwise=otherwise):
                ends = []
                for condition, body in arms:
                    self._expressions([condition], isSet)
                    ends.append(self._body(body, isSet))
                return set.intersection(*ends, self._body(otherwise, isSet))
            case tree.Block(body=body):
                return self._body(body, isSet)
            case tree.While(condition=condition, body=body) | tree.Repeat(condition=condition, body=body):
                self._expressions([condition], self._body(body, isSet) if isinstance(node, tree.Repeat) else isSet)
            case tree.NumericFor(bounds=given) | tree.GenericFor(values=given):
                self._expressions(given, isSet)
            case tree.Assignment(targets=targets, values=values):
                return self._assignment(targets, values, isSet)
            case _:
                self._expressions([node], isSet)
        if isinstance(node, (tree.While, tree.NumericFor, tree.GenericFor)):
            self._body(node.body, isSet)
        return isSet

    def _assignment(self, targets: list[tree.Node], values: list[tree.Node], isSet: set[str]) -> set[str]:
        names = {target.name for target in targets if isinstance(target, tree.Global)}
        first = values[0]
        isDefault = isinstance(first, tree.Binary) and first.operator == "or" and isinstance(first.left, tree.Global)
        if isDefault and {first.left.name} == names and self.program.is_new(first.left.name):  # type: ignore[attr-defined]
            values = [first.right]  # type: ignore[attr-defined]
        self._expressions([*values, *(target for target in targets if not isinstance(target, tree.Global))], isSet)
        return isSet | names

    def _expressions(self, nodes: Iterable[Any], isSet: set[str]) -> None:
        """Notes the globals that expressions read, and those that functions in them will read."""
        every = [one for node in nodes for one in walk(node)]
        within = {id(one) for node in every if isinstance(node, tree.Function) for one in walk(node.body)}
        passed: set[int] = set()
        for node in every:
            if isinstance(node, tree.Call):
                passed.add(id(node.function))
            elif isinstance(node, (tree.Index, tree.MethodCall)):
                passed.add(id(node.table))
            elif isinstance(node, tree.Assignment):
                passed.update(map(id, node.targets))
        for node in every:
            if isinstance(node, tree.Global) and node.name in self.names - isSet and id(node) not in passed:
                (self._later if id(node) in within else self.found).add(node.name)
