"""Facts about a program before it is written: its globals, functions and classes, and the kinds of its values.

A kind is "int" (a whole number), "number", "string", "boolean", "table", "object" (a tensor, module or another object of a
package), "function", "nil", or "" if it is not known.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ..language import tree
from ..language.facts import ARITHMETIC, COMPARED, has_results
from ..language.tree import Node, Variable
from . import declarations

OBJECTS = frozenset(("table", "object", "function"))
NUMBERS = frozenset(("int", "number"))
TRUTHS = OBJECTS | {"boolean"}
"""Kinds whose values are true in Python if they are in Lua; so is nil, which is false in both."""
Key = Variable | str


def walk(node: Any) -> Iterator[Node]:
    """Yields the nodes of a tree."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (list, tuple)):
            waiting += reversed(one)
        elif isinstance(one, Node):
            yield one
            waiting += [getattr(one, field.name) for field in reversed(dataclasses.fields(one)) if field.name != "line"]


@dataclasses.dataclass
class Class:
    """A class that ``torch.class`` makes: its name, the name of its parent or "", and the variables for both."""

    name: str
    parent: str
    variable: Variable | None
    parentVariable: Variable | None


class Program:
    """A program as trees, and what is known of it.

    Parameters
    ----------
    chunks : dict
        Its files by the names by which they are required.
    known : frozenset of str
        The names of packages and functions that are there.
    """

    def __init__(self, chunks: dict[str, tree.Function], known: frozenset[str]) -> None:
        self.known, self.chunks = known, chunks
        files = [*{id(chunk): chunk for chunk in chunks.values()}.values()]
        self.all_functions = [one for chunk in files for one in walk(chunk) if isinstance(one, tree.Function)]
        self.values: dict[Key, list[Node | None]] = defaultdict(list)
        self.functions: dict[Key, tree.Function] = {}
        self.calls: dict[Key, list[list[Node]]] = defaultdict(list)
        self.escaping: set[Key] = set()
        self.globals: set[str] = set()
        self.used: set[str] = set()
        self.read: set[Variable] = set()
        self.methods: dict[str, list[tree.Function]] = defaultdict(list)
        self.classes: dict[Variable, Class] = {}
        self.parents: dict[Variable, Class] = {}
        self.named: dict[str, Class] = {}
        self.homes: dict[str, tree.Function] = {}  # the files of classes
        self.plain: set[str] = set()
        self.aliases: list[tuple[str, str]] = []  # fields of tables that get another field's value
        self.made: dict[int, Class] = {}
        self.fields: set[str] = set()
        self.growing: set[Key] = set()
        self._kinds: dict[Any, str] = {}
        self._open: set[Any] = set()
        named = [self._read(chunk) for chunk in files]
        every = set().union(*named)
        self.changed = {variable for function in self.all_functions for variable in function.scope.assigned}
        self.shared = {name for name in every if name in self.globals and sum(name in names for names in named) > 1}
        for chunk in files:
            self._read_methods(chunk)
        for name, other in self.aliases:
            if other in self.plain:
                self.plain.add(name)
                self.methods[name] += self.methods[other]
        self._name_functions()
        self.loose = {id(function) for chunk in files for node in walk(chunk) for function in self._handed(node)}

    # ------------------------------------------------------------------------------------------ what is there

    def _read(self, chunk: tree.Function) -> set[str]:
        """Notes what a file has. Returns the names of globals in it."""
        names = set()
        callees: set[int] = set()
        stored: set[int] = set()
        before = {*self.named}
        for node in walk(chunk):
            if isinstance(node, (tree.Call, tree.MethodCall)):
                self._read_call(node, callees)
            elif isinstance(node, (tree.Declaration, tree.Assignment)):
                self._read_assignment(node, stored)
            elif isinstance(node, tree.CallStatement) and (cls := class_of(node)) is not None:
                self.made[id(node)] = self.named[cls.name] = cls
            elif isinstance(node, tree.LocalFunction):
                self.values[node.variable].append(node.function)
            elif isinstance(node, (tree.NumericFor, tree.GenericFor)):
                for variable in [node.variable] if isinstance(node, tree.NumericFor) else node.variables:
                    self.values[variable].append(node if isinstance(node, tree.NumericFor) else None)
            elif isinstance(node, tree.Function):
                for parameter in node.scope.parameters:
                    self.values[parameter]  # so that it is known
            if isinstance(node, tree.Global):
                names.add(node.name)
            if isinstance(node, (tree.Local, tree.Global)) and id(node) not in stored:
                key = self.key(node)
                if isinstance(key, Variable):
                    self.read.add(key)
                else:
                    self.used.add(key)
                if id(node) not in callees:
                    self.escaping.add(key)
            elif isinstance(node, tree.Constructor):
                for key_, value in node.items:
                    self._read_field(key_, value, True)
        self.homes |= dict.fromkeys(self.named.keys() - before, chunk)
        return names

    def _read_methods(self, chunk: tree.Function) -> None:
        for node in walk(chunk):
            if isinstance(node, tree.Assignment):
                for target, value in zip(node.targets, node.values, strict=False):
                    if isinstance(target, tree.Index):
                        self._read_field(target.key, value, self._is_plain_holder(target.table))

    def _is_plain_holder(self, table: Node) -> bool:
        isClass = isinstance(table, tree.Local) and (table.variable in self.classes or table.variable.name == "self")
        return not isClass and self.kind(table) != "object" and self.class_named(table) is None

    def class_named(self, node: Node) -> Class | None:
        """Returns the class that ``nn.Name`` or ``Name`` stands for."""
        if isinstance(node, tree.Global):
            return self.named.get(node.name)
        if isinstance(node, tree.Index) and isinstance(node.table, tree.Global) and isinstance(node.key, tree.Constant):
            return self.named.get(f"{node.table.name}.{node.key.value}")
        return None

    def _read_call(self, node: tree.Call | tree.MethodCall, callees: set[int]) -> None:
        if isinstance(node, tree.Call) and isinstance(node.function, (tree.Local, tree.Global)):
            callees.add(id(node.function))
            self.calls[self.key(node.function)].append(node.arguments)

    def _read_assignment(self, node: tree.Declaration | tree.Assignment, stored: set[int]) -> None:
        targets = node.variables if isinstance(node, tree.Declaration) else node.targets
        cls = class_of(node)
        for i, target in enumerate(targets):
            isSpread = i >= len(node.values) - 1 and bool(node.values) and has_results(node.values[-1])
            value = node.values[i] if i < len(node.values) and not (isSpread and i < len(targets) - 1) else None
            if value is None and not isSpread:
                value = tree.Constant(node.line, None)
            if isSpread and i >= len(node.values):
                value = None
            if isinstance(target, (tree.Local, tree.Global)):
                stored.add(id(target))
            if isinstance(target, tree.Global):
                self.globals.add(target.name)
            if isinstance(target, (Variable, tree.Local, tree.Global)):
                self.values[self.key(target)].append(value)
                if value is not None and _multiplies(value, self.key(target)):
                    self.growing.add(self.key(target))
            if cls is not None and i < 2 and isinstance(target, (Variable, tree.Local)):
                variable = target if isinstance(target, Variable) else target.variable
                if i == 0:
                    cls.variable = variable
                    self.classes[variable] = cls
                else:
                    cls.parentVariable = variable
                    self.parents[variable] = cls
        if cls is not None:
            self.made[id(node)] = self.named[cls.name] = cls

    def _read_field(self, key: Node | None, value: Node, isPlain: bool) -> None:
        if not isinstance(key, tree.Constant) or not isinstance(key.value, str):
            return
        if isinstance(value, tree.Function):
            self.methods[key.value].append(value)
            if isPlain:
                self.plain.add(key.value)
            return
        self.fields.add(key.value)
        if isPlain and isinstance(value, tree.Index) and isinstance(value.key, tree.Constant):
            self.aliases.append((key.value, str(value.key.value)))

    def _name_functions(self) -> None:
        for key in [*self.values]:
            value = self.only_value(tree.Local(0, key) if isinstance(key, Variable) else tree.Global(0, key))
            if isinstance(value, tree.Function):
                self.functions[key] = value

    def _handed(self, node: Node) -> list[tree.Function]:
        """Returns the functions that a node hands to others of the program, which may call them with any number of arguments."""
        values: list[Node] = []
        if isinstance(node, tree.Call):
            isOwn = isinstance(node.function, (tree.Local, tree.Global)) and not self.package(node.function)
            values = node.arguments if isOwn else []
        elif isinstance(node, tree.MethodCall):
            values = node.arguments if node.name in self.methods else []
        elif isinstance(node, (tree.Assignment, tree.Declaration)):
            targets = node.targets if isinstance(node, tree.Assignment) else [tree.Local(0, one) for one in node.variables]
            pairs = zip(targets, node.values, strict=False)
            values = [value for target, value in pairs if not isinstance(target, tree.Index) and self.function(target) is None]
        found = [one if isinstance(one, tree.Function) else self.function(one) for one in values]
        return [one for one in found if one is not None]

    @staticmethod
    def key(node: Variable | tree.Local | tree.Global | Node) -> Key:
        """Returns the variable, or the name of the global."""
        if isinstance(node, tree.Local):
            return node.variable
        return node.name if isinstance(node, tree.Global) else node  # type: ignore[return-value]

    def only_value(self, node: Node) -> Node | None:
        """Returns the value of a variable that has one for good, and is nil before it has it."""
        values = self.values.get(self.key(node), []) if isinstance(node, (tree.Local, tree.Global)) else []
        values = [one for one in values if not (isinstance(one, tree.Constant) and one.value is None)] or values
        return values[0] if len(values) == 1 else None

    def is_new(self, name: str) -> bool:
        """True for a global that nothing but one statement sets."""
        isShared = name in self.shared or name in self.known
        return not isShared and len(self.values[name]) == 1

    def package(self, node: Node, depth: int = 5) -> str:
        """Returns the name of the package that an expression is, "" for another value."""
        if isinstance(node, tree.Global) and node.name in self.known and node.name not in self.globals:
            return node.name
        if isinstance(node, tree.Call) and isinstance(node.function, tree.Global) and node.function.name == "require":
            name = node.arguments[0].value if len(node.arguments) == 1 and isinstance(node.arguments[0], tree.Constant) else None
            return name if isinstance(name, str) and name in self.known else ""
        value = self.only_value(node) if depth else None
        return "" if value is None else self.package(value, depth - 1)

    def file(self, node: Node) -> tree.Function | None:
        """Returns the file of the program that ``require`` of a name, or ``dofile``, runs."""
        if not isinstance(node, tree.Call) or len(node.arguments) != 1:
            return None
        name = required(node)
        return self.chunks.get(name) if name else None

    def function(self, node: Node) -> tree.Function | None:
        """Returns the function of the program that an expression is."""
        return self.functions.get(self.key(node)) if isinstance(node, (tree.Local, tree.Global)) else None

    def resolved(self, node: Node, depth: int = 5) -> Node:
        """Returns what a variable stands for that is another name of a field of a package: ``local Conv = nn.Convolution``."""
        value = self.only_value(node)
        if depth and isinstance(value, (tree.Index, tree.Local, tree.Global)):
            return self.resolved(value, depth - 1)
        return node

    # ------------------------------------------------------------------------------------------ numbers of results

    def count(self, node: Node) -> int | None:
        """Returns how many values an expression has, None if it is not known."""
        if isinstance(node, tree.MethodCall):
            return self._count_method(node)
        if isinstance(node, tree.Call):
            return self._count_call(node)
        return None if isinstance(node, tree.Vararg) else 1

    def _count_method(self, node: tree.MethodCall) -> int | None:
        counts = {self.returned(function) for function in self.methods.get(node.name, ())}
        if node.name in self.plain or counts:
            isNative = node.name in declarations.methods()
            return self._same(counts | ({declarations.count(node.name, len(node.arguments))} if isNative else set()))
        return declarations.count(node.name, len(node.arguments))

    @staticmethod
    def _same(counts: set[int | None]) -> int | None:
        return next(iter(counts)) if len(counts) == 1 else 1 if counts <= {0, 1} else None

    def _count_call(self, node: tree.Call) -> int | None:
        called = self.resolved(node.function)
        if (function := self.function(node.function)) is not None:
            return self.returned(function)
        if isinstance(called, tree.Global):
            if called.name == "select" and is_count(node.arguments):
                return 1
            if called.name == "assert" and node.arguments:
                return len(node.arguments) if self.count(node.arguments[-1]) == 1 else None
            return 1 if called.name in declarations.ONE or called.name in self.named else None
        if isinstance(called, tree.Local):
            return 1 if called.variable in self.classes else None
        if isinstance(called, tree.Index) and isinstance(called.key, tree.Constant):
            name = str(called.key.value)
            if self.class_named(called) is not None:
                return 1
            package = self.origin(called)
            if package:
                given = len(node.arguments) - (package == "torch")
                name = "" if package == "math" and name in declarations.WITH_DIMENSION else name
                return declarations.count(name, given) if package in declarations.KNOWN else None
            if name in self.methods:
                return self._same({self.returned(function) for function in self.methods[name]})
            return 1 if name == "new" else None
        return 1 if self.kind(called) == "object" else None

    def origin(self, node: Node) -> str:
        """Returns the name of the package that a field is in, such as ``nn`` for ``nn.Jacobian.forward``; "" if it is in none."""
        while isinstance(found := self.resolved(node), tree.Index):
            node = found.table
        return self.package(found)

    def returned(self, function: tree.Function) -> int | None:
        """Returns how many values a function returns: 1 also for one or none."""
        mark = ("count", id(function))
        if mark in self._open:
            return 1
        self._open.add(mark)
        counts = {self._count_values(values) for values in returns(function.body)}
        if can_end(function.body):
            counts.add(0)
        self._open.discard(mark)
        return self._same(counts)

    def _count_values(self, values: list[Node]) -> int | None:
        if not values:
            return 0
        last = self.count(values[-1])
        return None if last is None else len(values) - 1 + last

    # ------------------------------------------------------------------------------------------ kinds

    def kind(self, node: Node | None) -> str:
        """Returns the kind of the first value of an expression."""
        if node is None:
            return ""
        mark = id(node)
        if mark in self._kinds:
            return self._kinds[mark]
        if mark in self._open:
            return "?"
        self._open.add(mark)
        found = self._find_kind(node)
        self._open.discard(mark)
        if not self._open:
            self._kinds[mark] = "" if found == "?" else found
        return found

    def _find_kind(self, node: Node) -> str:
        match node:
            case tree.Constant(value=value):
                return _constant_kind(value)
            case tree.Local() | tree.Global():
                return self._kind_of_variable(node)
            case tree.Parenthesis(inner=inner):
                return self.kind(inner)
            case tree.Constructor():
                return "table"
            case tree.Function():
                return "function"
            case tree.Unary(operator="not"):
                return "boolean"
            case tree.Unary(operator="#", operand=operand):
                return "int" if self.kind(operand) in ("table", "string", "?") else ""
            case tree.Unary(operand=operand):
                return self.kind(operand) if self.kind(operand) in (*NUMBERS, "?") else ""
            case tree.Binary():
                return self._kind_of_binary(node)
            case tree.Index(key=tree.Constant(value=str(name)), table=table):
                if self.package(table) == "math":
                    return "number"
                return declarations.FIELDS.get(name, "") if name not in self.fields else ""
            case tree.MethodCall(name=name, arguments=arguments):
                if name in self.methods:
                    return ""
                if name == "sub" and self.kind(node.table) == "string":
                    return "string"
                return declarations.kind(name, arguments)
            case tree.Call():
                return self._kind_of_call(node)
            case tree.NumericFor(bounds=bounds):
                kinds = {self.kind(bounds[0]), self.kind(bounds[2]) if len(bounds) > 2 else "int"} - {"?"}
                return "int" if kinds <= {"int"} else "number"
        return ""

    def _kind_of_variable(self, node: tree.Local | tree.Global) -> str:
        key = self.key(node)
        if isinstance(key, str) and key not in self.globals:
            return "object" if key in self.known else ""
        if isinstance(key, Variable) and key in self.classes:
            return "object"
        values = [*self.values.get(key, [])]
        if isinstance(key, Variable) and key.kind == "parameter":
            given = self._given(key)
            if given is None:
                return ""
            values += given
        found = self._joined([self.kind(value) for value in values])
        return "number" if found == "int" and key in self.growing else found

    def _given(self, parameter: Variable) -> list[Node | None] | None:
        """Returns what a parameter gets in all calls of its function, None if they are not known."""
        key = next((key for key, one in self.functions.items() if one.scope is parameter.function), None)
        if key is None or key in self.escaping:
            return None
        place = parameter.function.parameters.index(parameter)
        found: list[Node | None] = []
        for arguments in self.calls[key]:
            if arguments and self.count(arguments[-1]) != 1 and len(arguments) - 1 <= place:
                return None
            found.append(arguments[place] if place < len(arguments) else tree.Constant(0, None))
        return found or None

    @staticmethod
    def _joined(kinds: list[str]) -> str:
        found = {*kinds} - {"?"}
        if not found:
            return "?" if kinds else ""
        return next(iter(found)) if len(found) == 1 else "number" if found <= NUMBERS else ""

    def _kind_of_binary(self, node: tree.Binary) -> str:
        operator = node.operator
        if operator in COMPARED or operator in ("==", "~="):
            return "boolean"
        left, right = self.kind(node.left), self.kind(node.right)
        if operator in ARITHMETIC:
            both = {left, right} - {"?"}
            if not both <= NUMBERS:
                return "object" if "object" in both else ""
            if not both:
                return "?"
            return "int" if both == {"int"} and operator in "+-*%" else "number"
        if operator == "..":
            return "string" if {left, right} <= {*NUMBERS, "string"} else ""
        if operator == "and":
            return left if left == right == "boolean" else ""
        if isinstance(node.left, tree.Binary) and node.left.operator == "and":
            return self._joined([self.kind(node.left.right), right])
        if left == right or left == "?":
            return right
        isLeftOpen = left == "" and not isinstance(node.left, tree.Binary)
        return {"int": "number", "boolean": ""}.get(right, right) if isLeftOpen else ""

    def _kind_of_call(self, node: tree.Call) -> str:
        called = self.resolved(node.function)
        if (file := self.file(node)) is not None:
            last = file.body[-1] if file.body else None
            return self.kind(last.values[0]) if isinstance(last, tree.Return) and len(last.values) == 1 else ""
        if (function := self.function(node.function)) is not None:
            values = [values[0] for values in returns(function.body) if values]
            isSure = not can_end(function.body) and all(returns(function.body))
            return self._joined([self.kind(value) for value in values]) if isSure else ""
        if isinstance(called, tree.Global) and called.name not in self.globals:
            return {"tostring": "string", "type": "string", "pcall": "boolean"}.get(called.name, "")
        if isinstance(called, tree.Local) and called.variable in self.classes:
            return "object"
        if isinstance(called, tree.Index) and isinstance(called.key, tree.Constant):
            name, package = str(called.key.value), self.package(called.table)
            if package == "math":
                return declarations.MATH.get(name, "number")
            if package in ("nn", "cudnn", "inn") or name == "new" or (package == "torch" and name[:1].isupper()):
                return "object"
            if package == "torch":
                found = declarations.kind(name, node.arguments[1:])
                return found or ("object" if name in ("zeros", "ones", "randn", "rand", "range", "randperm", "cat") else "")
            return declarations.kind(name, node.arguments) if package in ("string", "os") else ""
        return self.kind(called) if self.kind(called) == "object" else ""


def _multiplies(value: Node, key: Key) -> bool:
    """True for ``x = x * ...``: the number may become larger than those that floats tell apart."""
    products = [one for one in walk(value) if isinstance(one, tree.Binary) and one.operator in ("*", "^")]
    inner = [one for one in walk(products) if isinstance(one, (tree.Local, tree.Global))]
    return any(Program.key(one) == key for one in inner)


def _constant_kind(value: Any) -> str:
    if isinstance(value, float):
        return "int" if value.is_integer() and abs(value) < 2**53 else "number"
    return "nil" if value is None else "boolean" if isinstance(value, bool) else "string"


def class_of(node: Node) -> Class | None:
    """Returns the class that a statement makes by ``torch.class``."""
    values = [node.call] if isinstance(node, tree.CallStatement) else getattr(node, "values", [])
    call = values[0] if len(values) == 1 else None
    if not isinstance(call, tree.Call) or not is_torch_class(call.function):
        return None
    names = [one.value for one in call.arguments if isinstance(one, tree.Constant) and isinstance(one.value, str)]
    if not names or len(names) != len(call.arguments) or len(names) > 2:
        return None
    return Class(names[0], names[1] if len(names) > 1 else "", None, None)


def required(node: Node) -> str:
    """Returns what ``require 'name'``, ``dofile 'file'``, ``include`` or ``paths.dofile`` names, "" for other calls."""
    if not isinstance(node, tree.Call) or len(node.arguments) != 1 or not isinstance(node.arguments[0], tree.Constant):
        return ""
    function, name = node.function, node.arguments[0].value
    if isinstance(function, tree.Index) and isinstance(function.table, tree.Global) and function.table.name == "paths":
        isFile = isinstance(function.key, tree.Constant) and function.key.value == "dofile"
    else:
        isFile = isinstance(function, tree.Global) and function.name in ("require", "dofile", "include")
    return name if isFile and isinstance(name, str) else ""


def is_torch_class(node: Node) -> bool:
    """True for ``torch.class``."""
    isField = isinstance(node, tree.Index) and isinstance(node.table, tree.Global) and node.table.name == "torch"
    return isField and isinstance(node.key, tree.Constant) and node.key.value == "class"  # type: ignore[attr-defined]


def is_count(arguments: list[Node]) -> bool:
    """True for the arguments of ``select('#', ...)``."""
    return bool(arguments) and isinstance(arguments[0], tree.Constant) and arguments[0].value == "#"


def returns(body: list[Node]) -> list[list[Node]]:
    """Returns the values of each ``return`` of a function's body, without those of functions in it."""
    found = []
    waiting: list[Any] = [body]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (list, tuple)):
            waiting += one
        elif isinstance(one, tree.Return):
            found.append(one.values)
        elif isinstance(one, (tree.Block, tree.If, tree.While, tree.Repeat, tree.NumericFor, tree.GenericFor)):
            waiting += [getattr(one, field.name) for field in dataclasses.fields(one) if field.name != "line"]
    return found


def can_end(body: list[Node]) -> bool:
    """True if a function may end without ``return``."""
    last = body[-1] if body else None
    if isinstance(last, tree.Return):
        return False
    if isinstance(last, tree.Block):
        return can_end(last.body)
    if isinstance(last, tree.If):
        return not last.otherwise or can_end(last.otherwise) or any(can_end(inner) for _, inner in last.arms)
    isError = isinstance(last, tree.CallStatement) and isinstance(last.call, tree.Call)
    return not (isError and isinstance(last.call.function, tree.Global) and last.call.function.name == "error")  # type: ignore[union-attr]
