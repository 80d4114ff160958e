"""Expressions of Lua as Python's text. What is not proved to mean the same goes through `pytorch_legacy.lua.helpers`."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from typing import Any

from ..language import tree
from ..language.facts import COMPARED, has_calls, has_results
from ..language.lexer import LuaSyntaxError
from ..language.operators import tonumber
from ..language.tree import Node, Variable
from . import declarations
from .layout import CHAIN, END, LINK, flat, group
from .names import METHODS, RESERVED, is_argument, is_name, is_private, quoted, quoted_part
from .program import NUMBERS, OBJECTS, TRUTHS, Program, is_count, required, walk

LAMBDA, CHOICE, OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(11)
"""The strengths of Python's operators."""
_CALLS = (tree.Call, tree.MethodCall)
_STRENGTHS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT}
_PRIVATE = frozenset(("__init", "__tostring", "__tostring__"))
_CHECKED = {"+": "add", "-": "sub", "*": "mul"}


class UnsupportedLua(LuaSyntaxError):
    """The program has what cannot be written in Python. The message has file and line."""


class Expressions:
    """The part of the writer that writes expressions.

    Parameters
    ----------
    program : Program
        What is known of the program.
    chunk : tree.Function
        The file that is written.
    name : str
        The name of the file in messages.

    Attributes
    ----------
    imports : set of str
        The names that the text takes from `torch7`.
    helpers : set of str
        Those that it takes from `helpers`.
    """

    def __init__(self, program: Program, chunk: tree.Function, name: str) -> None:
        self.program, self.name = program, name
        self.chunk = chunk
        self.imports: set[str] = set()
        self.helpers: set[str] = set()
        self.method: tuple[Any, tree.Function] | None = None  # the class and the function that is written as its method
        self.scope: Any = None

    def refuse(self, node: Node, what: str) -> LuaSyntaxError:
        return UnsupportedLua(f"{self.name}:{node.line}: {what} cannot be written in Python")

    @property
    def current(self) -> Any:
        """The function that is written, or the file."""
        raise NotImplementedError

    def function(self, node: tree.Function, name: str = "function") -> str:
        """Returns the name of a function that is defined before the statement."""
        raise NotImplementedError

    def variable(self, variable: Variable) -> str:
        """Returns the name of a variable in Python."""
        raise NotImplementedError

    def helper(self, name: str, *arguments: str) -> str:
        self.helpers.add(name)
        return group(f"{name}(", [*arguments], ")")

    # ------------------------------------------------------------------------------------------ texts

    def text(self, node: Node, strength: int = LAMBDA) -> str:
        """Returns an expression that has one value, in parentheses if it binds less than `strength`."""
        found, own = self.expression(node)
        return f"({found})" if own < strength else found

    def expression(self, node: Node) -> tuple[str, int]:
        """Returns an expression and its strength."""
        match node:
            case tree.Constant(value=value):
                return self.constant(value)
            case tree.Parenthesis(inner=inner):
                return self.expression(inner)
            case tree.Local(variable=variable):
                return self._local(variable), ATOM
            case tree.Global():
                return self._global(node), ATOM
            case tree.Vararg():
                return self.helper("first", "rest"), ATOM
            case tree.Index():
                return self._index(node), ATOM
            case tree.Call() | tree.MethodCall():
                return self._one(node), ATOM
            case tree.Function():
                return self._function(node)
            case tree.Constructor():
                return self._constructor(node), ATOM
            case tree.Unary():
                return self._unary(node)
            case tree.Binary():
                return self._binary(node)
        raise self.refuse(node, "this expression")

    def constant(self, value: Any) -> tuple[str, int]:
        if isinstance(value, str):
            if tonumber(value) is None:
                return quoted(value), ATOM
            self.imports.add("Text")  # arithmetic may get it
            return f"Text({quoted(value)})", ATOM
        if not isinstance(value, float):
            return repr(value), ATOM
        if value != value or abs(value) == float("inf"):
            return f'float("{value}")', ATOM
        isWhole = value.is_integer() and abs(value) < 2**53 and not (value == 0 and str(value)[0] == "-")
        return repr(int(value) if isWhole else value), SIGN if value < 0 else ATOM

    def _local(self, variable: Variable) -> str:
        if (package := self.program.package(tree.Local(0, variable))) == variable.name:
            return self._global(tree.Global(0, package))
        cls = self.program.parents.get(variable)
        if cls is not None:
            return self.class_text(cls.parent)
        name = self.variable(variable)
        return f"{name}[0]" if variable.storage == "cell" else name

    def class_text(self, name: str) -> str:
        """Returns the class that has a name, such as ``nn.Module``."""
        cls = self.program.named.get(name)
        if cls is not None and cls.variable is not None and self.program.homes[name] is self.chunk:
            return self._local(cls.variable)
        first, *rest = name.split(".")
        return ".".join([self._global(tree.Global(0, first)), *rest])

    def _global(self, node: tree.Global) -> str:
        name = node.name
        if name in self.program.shared or self.program.homes.get(name, self.chunk) is not self.chunk:
            return self._field_of_globals(name)
        if name in self.program.named and (variable := self.program.named[name].variable) is not None:
            return self._local(variable)
        if name in self.program.globals or name in self.program.named:
            return self.global_name(name)
        if name in declarations.REFUSED and name not in self.imports:
            raise self.refuse(node, name)
        if name in self.program.known or name == "arg":
            name = f"{name}_" if keyword.iskeyword(name) else name
            self.imports.add(name)
            return name
        return self._field_of_globals(name)

    def _field_of_globals(self, name: str) -> str:
        self.imports.add("G")
        return f"G.{name}" if is_name(name) else f"G[{quoted(name)}]"

    @staticmethod
    def global_name(name: str) -> str:
        """Returns the name of a global of the program in Python."""
        return f"{name}_" if keyword.iskeyword(name) or name in RESERVED else f"v{name}" if is_private(name) else name

    def _index(self, node: tree.Index) -> str:
        table, key = node.table, node.key
        if self.program.package(table) == "debug" and not (isinstance(key, tree.Constant) and key.value == "traceback"):
            raise self.refuse(node, "the library debug")
        if isinstance(key, tree.Constant) and key.value == "__index" and self._is_class(table):
            return self.text(table, ATOM)
        if isinstance(key, tree.Constant) and isinstance(key.value, str) and is_name(key.value):
            return self.unbound(node) if self._may_be_method(node) else f"{self.text(table, ATOM)}.{key.value}"
        if isinstance(key, tree.Constant) and self._is_class(table) and key.value in METHODS:
            return f"{self.text(table, ATOM)}.{METHODS[str(key.value)]}"
        return group(f"{self.text(table, ATOM)}[", [self.text(key)], "]")

    def _may_be_method(self, node: Any) -> bool:
        """True if a field may be a method, which Python would bind to its object."""
        name = field_name(node)
        isMethod = (name in self.program.methods or name in declarations.methods()) and name not in declarations.FIELDS
        isOwn = isinstance(node.table, tree.Local) and node.table.variable.name == "self" and name in self.program.fields
        return isMethod and not isOwn and not self.is_plain(node)

    def is_plain(self, node: Any) -> bool:
        """True for a field that Python binds to nothing: of a package, a class or a table, and for ``new``."""
        table = node.table
        isOfTable = self.program.origin(table) or self._is_class(table) or self.program.kind(table) == "table"
        return bool(isOfTable) or field_name(node) == "new"

    def unbound(self, node: Any) -> str:
        """Returns a function in a field, which is not bound to the object that has it."""
        name, kind = str(field_name(node)), self.program.kind(node.table)
        if kind == "string" or (name in declarations.STRINGS and kind != "object"):
            return self.helper("field", self.text(node.table), quoted(name))
        return f"{self.text(node.table, ATOM)}[{quoted(name)}]"

    def _is_class(self, node: Node) -> bool:
        """True for a class of a package or of the program."""
        if isinstance(node, tree.Local):
            return node.variable in self.program.classes or node.variable in self.program.parents
        isOfPackage = isinstance(node, tree.Index) and self.program.package(node.table) in ("nn", "cudnn", "inn")
        return isOfPackage or self.program.class_named(node) is not None

    def _function(self, node: tree.Function) -> tuple[str, int]:
        scope, body = node.scope, node.body
        isShort = len(body) == 1 and isinstance(body[0], tree.Return) and not scope.parameters and not scope.isVararg
        isFree = not any(variable.isInLoop for variable in scope.captured)
        if isShort and isFree and len(body[0].values) == 1 and not _defines(body[0].values):  # type: ignore[attr-defined]
            return f"lambda: {self.values(body[0].values)}", LAMBDA  # type: ignore[attr-defined]
        return self.function(node), ATOM

    # ------------------------------------------------------------------------------------------ calls and results

    def _one(self, node: tree.Call | tree.MethodCall) -> str:
        count = self.program.count(node)
        called = self.call(node)
        if count is None:
            return self.helper("first", called)
        return f"{called}[0]" if count > 1 else called

    def values(self, nodes: Sequence[Node]) -> str:
        """Returns what ``return`` gives: a value, or a tuple if there are none or several."""
        if len(nodes) == 1:
            if isinstance(nodes[0], tree.Vararg):
                return "rest[0] if len(rest) == 1 else rest"
            return self.call(nodes[0]) if has_results(nodes[0]) else self.text(nodes[0])
        items = self.arguments(nodes)
        return group("(", items, ",)" if len(items) == 1 else ")") if items else "()"

    def arguments(self, nodes: Sequence[Node]) -> list[str]:
        """Returns a list of expressions of which the last one may have several values."""
        if not nodes or not has_results(nodes[-1]):
            return [self.text(node) for node in nodes]
        before = [self.text(node) for node in nodes[:-1]]
        last = nodes[-1]
        if isinstance(last, tree.Vararg):
            return [*before, "*rest"]
        count = self.program.count(last)
        if count == 0:
            return [*before, f"*({self.call(last)} or ())"]
        if count == 1:
            return [*before, self.call(last)]
        isTuple = count or (isinstance(last, tree.Call) and self.program.package(last.function) == "unpack")
        return [*before, f"*{self.call(last) if isTuple else self.helper('many', self.call(last))}"]

    def call(self, node: Node, isStatement: bool = False) -> str:
        """Returns a call as it is: its value, or a tuple of none or several."""
        if isinstance(node, tree.MethodCall):
            return self._method_call(node)
        if isinstance(node, tree.Vararg):
            return "rest"
        assert isinstance(node, tree.Call)
        special = self._special_call(node, isStatement)
        if special is not None:
            return special
        called = node.function
        if isinstance(called, tree.Index) and isinstance(called.key, tree.Constant) and isinstance(called.key.value, str):
            return self._field_call(node, called, called.key.value)
        return group(f"{self.text(called, ATOM)}(", self.arguments(node.arguments), ")")

    def _special_call(self, node: tree.Call, isStatement: bool) -> str | None:
        called, arguments = node.function, node.arguments
        if not isinstance(called, tree.Global) or called.name in self.program.globals:
            return None
        isOfStrings = bool(arguments) and isinstance(arguments[0], tree.Constant) and isinstance(arguments[0].value, str)
        if called.name == "getmetatable" and isOfStrings:
            raise self.refuse(node, "the metatable of strings")
        if called.name == "select" and len(arguments) == 2 and is_count(arguments) and isinstance(arguments[1], tree.Vararg):
            return "len(rest)"
        if called.name in ("require", "dofile", "include"):
            self._check_file(node, called.name)
        if called.name in ("pcall", "xpcall") and arguments and field_name(arguments[0]) and not self.is_plain(arguments[0]):
            given = [self.unbound(arguments[0]), *self.arguments(arguments[1:])]
            return group(f"{self._global(called)}(", given, ")")
        if called.name == "include":
            return f"dofile({self.text(arguments[0])})"
        if isStatement and called.name == "assert" and arguments and (len(arguments) == 1 or not has_results(arguments[-1])):
            given = [self.condition(arguments[0]), *map(self.text, arguments[1:])]
            return group(f"{self._global(called)}(", given, ")")
        if called.name in ("pairs", "ipairs") and len(arguments) == 1:
            self.imports.add(called.name)
            return f"{called.name}({self.text(arguments[0])})"
        return None

    def _check_file(self, node: tree.Call, name: str) -> None:
        if not required(node):
            raise self.refuse(node, f"{name} of a name that is computed")
        if name != "require":
            if self.program.file(node) is None:
                raise self.refuse(node, f"{name} of {required(node)}, which is not there,")
            self.imports.add("dofile")

    def _field_call(self, node: tree.Call, called: tree.Index, name: str) -> str:
        base, arguments = called.table, node.arguments
        isSelf = bool(arguments) and isinstance(arguments[0], tree.Local) and arguments[0].variable.name == "self"
        cls = self.program.parents.get(base.variable) if isinstance(base, tree.Local) else None
        if (
            cls is not None
            and isSelf
            and self.method is not None
            and self.method[0] is cls
            and self.method[1].scope is self.scope
        ):
            return group(f"super().{METHODS.get(name, name)}(", self.arguments(arguments[1:]), ")")
        found = self._index(called) if self.is_plain(called) else self.unbound(called)
        return group(f"{found}(", self.arguments(arguments), ")")

    def _method_call(self, node: tree.MethodCall) -> str:
        name, table, program = node.name, node.table, self.program
        arguments = self.arguments(node.arguments)
        isOfString = name in declarations.STRINGS and name not in program.methods
        if isOfString and (name not in declarations.AMBIGUOUS or program.kind(table) == "string"):
            self.imports.add("string")
            return group(f"string.{name}(", [self.text(table), *arguments], ")")
        if (
            isinstance(table, tree.Global | tree.Local)
            and program.kind(table) == "table"
            and name in program.plain
            and is_name(name)
        ):
            return group(f"{self.text(table)}.{name}(", [self.text(table), *arguments], ")")
        isSure = name not in program.plain and name not in ("new", *declarations.AMBIGUOUS)
        if name in declarations.AMBIGUOUS and program.kind(table) in ("object", *NUMBERS):
            isSure = True
        if not isSure or program.kind(table) == "string" or name in _PRIVATE:
            return self.helper("call", self.text(table), quoted(name), *arguments)
        if not is_name(name):
            return group(f"getattr({self.text(table)}, {quoted(name)})(", arguments, ")")
        before = self.text(table, ATOM)
        link = LINK + group(f".{name}(", arguments, ")") + END
        return before[:-1] + link if before.endswith(END) and _is_chain(before) else CHAIN + before + link

    # ------------------------------------------------------------------------------------------ conditions

    def condition(self, node: Node, strength: int = LAMBDA) -> str:
        """Returns an expression that is true in Python if a value is true in Lua."""
        found, own = self._condition(node)
        return f"({found})" if own < strength else found

    def _condition(self, node: Node) -> tuple[str, int]:
        match node:
            case tree.Parenthesis(inner=inner):
                return self._condition(inner)
            case tree.Constant(value=value):
                return repr(value is not None and value is not False), ATOM
            case tree.Unary(operator="not", operand=operand):
                return f"not {self.condition(operand, NOT)}", NOT
            case tree.Binary(operator="and" | "or" as operator, left=left, right=right):
                own = AND if operator == "and" else OR
                return _linked(self.condition(left, own), operator, self.condition(right, own + 1)), own
        if self._is_search(node):
            return f"{self.call(node)} is not None", COMPARISON
        kind = self.program.kind(node)
        if kind in TRUTHS:
            return self.expression(node)
        if kind in NUMBERS or kind == "string":
            return f"{self.text(node, COMPARISON + 1)} is not None", COMPARISON
        if isinstance(node, tree.Local) and node.variable.storage != "cell":
            name = self.text(node)
            return f"{name} is not None and {name} is not False", AND
        return self.helper("true", self.text(node)), ATOM

    def _is_search(self, node: Node) -> bool:
        """True for ``s:find(...)`` and ``s:match(...)``, whose first result is nil where they find nothing, and never false."""
        if isinstance(node, tree.MethodCall):
            return node.name in ("find", "match") and node.name not in self.program.methods
        isField = isinstance(node, tree.Call) and isinstance(node.function, tree.Index)
        return isField and self.program.package(node.function.table) == "string" and node.function.key.value == "find"  # type: ignore[attr-defined]

    # ------------------------------------------------------------------------------------------ operators

    def _unary(self, node: tree.Unary) -> tuple[str, int]:
        if node.operator == "not":
            return f"not {self.condition(node.operand, NOT)}", NOT
        if node.operator == "#":
            isKnown = self.program.kind(node.operand) in ("table", "string")
            operand = self.text(node.operand)
            return (group("len(", [operand], ")") if isKnown else self.helper("length", operand)), ATOM
        if self.program.kind(node.operand) in ("boolean", "string"):
            return self.helper("mul", self.text(node.operand), "-1"), ATOM
        return f"-{self.text(node.operand, SIGN)}", SIGN

    def _binary(self, node: tree.Binary) -> tuple[str, int]:
        operator = node.operator
        if operator in ("and", "or"):
            return self._logical(node)
        if operator == "..":
            return self._joined(node)
        if operator in ("==", "~="):
            return self._equality(node)
        if operator in COMPARED:
            return f"{self.number(node.left, SUM)} {operator} {self.number(node.right, SUM)}", COMPARISON
        if operator == "^":
            return self._power(node)
        kinds = self.program.kind(node.left), self.program.kind(node.right)
        if operator in ("/", "%") and not self.is_nonzero(node.right) and "object" not in kinds:
            return self.helper("div" if operator == "/" else "mod", self.text(node.left), self.text(node.right)), ATOM
        if {"string", "boolean"} & {*kinds} and operator in _CHECKED:
            return self.helper(_CHECKED[operator], self.text(node.left), self.text(node.right)), ATOM
        isLoose = isinstance(node.left, tree.Local) and node.left.variable in self.program.changed
        if isLoose and node.left.variable.function is self.current and isinstance(node.right, _CALLS):  # type: ignore[attr-defined]
            raise self.refuse(node, "a sum of a variable and a call that may set it")
        own = _STRENGTHS[operator]
        return f"{self.number(node.left, own)} {operator} {self.number(node.right, own + 1)}", own

    def number(self, node: Node, strength: int = LAMBDA) -> str:
        """Returns an expression whose value has to be a number, as that of ``#`` is then."""
        inner = node.inner if isinstance(node, tree.Parenthesis) else node
        if isinstance(inner, tree.Unary) and inner.operator == "#":
            return group("len(", [self.text(inner.operand)], ")")
        return self.text(node, strength)

    def _power(self, node: tree.Binary) -> tuple[str, int]:
        exponent = node.right.value if isinstance(node.right, tree.Constant) else None
        if isinstance(exponent, float) and exponent in (2, 3, 4):
            return f"{self.text(node.left, ATOM)} ** {int(exponent)}", POWER
        return self.helper("power", self.text(node.left), self.text(node.right)), ATOM

    def is_nonzero(self, node: Node) -> bool:
        """True if a value is known not to be 0."""
        match node:
            case tree.Parenthesis(inner=inner):
                return self.is_nonzero(inner)
            case tree.Constant(value=value):
                return isinstance(value, float) and value != 0
            case tree.Index(key=tree.Constant(value=name)):
                return name in declarations.POSITIVE or (name in ("pi", "huge") and self.program.package(node.table) == "math")
            case tree.Binary(operator="*" | "^", left=left, right=right):
                return self.is_nonzero(left) and self.is_nonzero(right)
            case tree.Call(function=tree.Index(table=table, key=tree.Constant(value="sqrt" | "exp")), arguments=[argument]):
                return self.program.package(table) == "math" and self.is_nonzero(argument)
            case tree.MethodCall(name="size", arguments=[_]):
                return node.name not in self.program.methods
            case tree.Local():
                only = self.program.only_value(node)
                return only is not None and self.is_nonzero(only)
        return False

    def _equality(self, node: tree.Binary) -> tuple[str, int]:
        isEqual, sides = node.operator == "==", (node.left, node.right)
        for one, other in (sides, sides[::-1]):
            if isinstance(other, tree.Constant) and not isinstance(other.value, (float, str)):
                return f"{self.text(one, SUM)} {'is' if isEqual else 'is not'} {other.value!r}", COMPARISON
        left, right = (self.text(side, SUM) for side in sides)
        if self._is_comparable(*sides):
            return f"{left} {'==' if isEqual else '!='} {right}", COMPARISON
        found = self.helper("eq", self.text(node.left), self.text(node.right))
        return (found, ATOM) if isEqual else (f"not {found}", NOT)

    def _is_comparable(self, left: Node, right: Node) -> bool:
        """True if Python's ``==`` is Lua's: one value cannot be a boolean where the other is 0 or 1."""
        kinds = {self.program.kind(left), self.program.kind(right)}
        if kinds & {*OBJECTS, "string"} or len(kinds - {""}) == len(kinds) == 1:
            return True
        if "boolean" in kinds:
            return False
        constants = [side.value for side in (left, right) if isinstance(side, tree.Constant)]
        isSum = any(isinstance(side, (tree.Binary, tree.Unary)) and self.is_true(side) for side in (left, right))
        return isSum or "" not in kinds or not constants or any(value not in (0, 1) for value in constants)

    def _logical(self, node: tree.Binary) -> tuple[str, int]:
        isAnd, left, right = node.operator == "and", node.left, node.right
        left = left.inner if isinstance(left, tree.Parenthesis) else left
        if not isAnd and isinstance(left, tree.Binary) and left.operator == "and" and self.is_true(left.right):
            found = f"{self.text(left.right, OR)} if {self.condition(left.left, OR)} else {self.text(right)}"
            return found, CHOICE
        kind, other = self.program.kind(left), self.program.kind(right)
        own = AND if isAnd else OR
        if kind in TRUTHS or (not isAnd and kind == "" and other in OBJECTS and not _is_error(right)):
            return _linked(self.text(left, own), node.operator, self.text(right, own + 1)), own
        if isinstance(left, tree.Local) and left.variable.storage != "cell":
            name, test = self.text(left), self.condition(left, OR)
            return (
                f"{self.text(right, OR)} if {test} else {name}" if isAnd else f"{name} if {test} else {self.text(right)}",
                CHOICE,
            )
        return self.helper("and_" if isAnd else "or_", self.text(left), self._delayed(right)), ATOM

    def _delayed(self, node: Node) -> str:
        """Returns a lambda of an expression, which is evaluated at once or never: variables of a loop are bound to it."""
        variables = {one.variable for one in walk(node) if isinstance(one, tree.Local)}
        ofLoop = [one for one in variables if one.isInLoop and one.python and not (one.isAssigned and one.isCaptured)]
        bound = ", ".join(sorted({f"{name}={name}" for name in map(self.variable, ofLoop)}))
        return f"lambda{bound and ' '}{bound}: {self.text(node)}"

    def is_true(self, node: Node) -> bool:
        """True if a value is neither nil nor false."""
        if isinstance(node, tree.Parenthesis):
            return self.is_true(node.inner)
        if isinstance(node, (tree.Constructor, tree.Function)):
            return True
        if isinstance(node, tree.Binary):
            isSum = node.operator in (*_STRENGTHS, "^", "..")
            return isSum or (node.operator == "or" and self.is_true(node.right))
        if isinstance(node, tree.Unary):
            return node.operator != "not"
        isCall = isinstance(node, tree.Call) and self.program.kind(node) in (*NUMBERS, "string", "object")
        return isCall or (not isinstance(node, tree.Index) and self.program.kind(node) in (*NUMBERS, "string"))

    def _joined(self, node: tree.Binary) -> tuple[str, int]:
        parts: list[Node] = [node.left]
        rest: Node = node.right
        while isinstance(rest, tree.Binary) and rest.operator == "..":
            parts.append(rest.left)
            rest = rest.right
        parts.append(rest)
        kinds = [self.program.kind(part) for part in parts]
        if not all(kind in NUMBERS or kind == "string" for kind in kinds):
            return self.helper("text", *map(self.text, parts)), ATOM
        pieces = [self._piece(part, kind) for part, kind in zip(parts, kinds, strict=True)]
        if None not in pieces:
            return 'f"' + "".join(map(str, pieces)) + '"', ATOM
        if all(kind == "string" for kind in kinds):
            return " + ".join(self.text(part, PRODUCT) for part in parts), SUM
        return self.helper("text", *map(self.text, parts)), ATOM

    def _piece(self, part: Node, kind: str) -> str | None:
        """Returns a part of an f-string, None if it cannot stand in one."""
        if isinstance(part, tree.Constant) and isinstance(part.value, str):
            return quoted_part(part.value)
        found = flat(self.text(part))
        if "\\" in found or "'" in found or "{" in found:
            return None
        form = ":.14g" if kind == "number" else ""
        return f"{{{found.replace(chr(34), chr(39))}{form}}}"

    # ------------------------------------------------------------------------------------------ tables

    def _constructor(self, node: tree.Constructor) -> str:
        self.imports.add("Table")
        items = node.items
        places = [value for key, value in items if key is None]
        isOpen = bool(items) and items[-1][0] is None
        names = [key.value for key, _ in items if isinstance(key, tree.Constant) and isinstance(key.value, str)]
        isNamed = len(names) == len(items) - len(places) == len(set(names)) and all(map(is_argument, names))
        isOrdered = [key is None for key, _ in items] == sorted((key is None for key, _ in items), reverse=True)
        if isNamed and (isOrdered or sum(has_calls(value) for _, value in items) < 2):
            fields = [f"{key.value}={self.text(value)}" for key, value in items if isinstance(key, tree.Constant)]
            return group("Table(", [*(self.arguments(places) if isOpen else map(self.text, places)), *fields], ")")
        if isOpen and has_results(places[-1]) and self.program.count(places[-1]) != 1:
            if isNamed:
                fields = [f"{key.value}={self.text(value)}" for key, value in items if isinstance(key, tree.Constant)]
                return group("Table(", [*self.arguments(places), *fields], ")")
            raise self.refuse(node, "a table with computed keys and a list of several results")
        keys = [key.value for key, _ in items if isinstance(key, tree.Constant) and isinstance(key.value, (str, float))]
        isPlain = len(keys) == len(items) - len(places)
        entries, i = [], 0
        for key, value in items:
            i += key is None
            name = str(i) if key is None else self.text(key)
            entries.append(f"{name}: {self.text(value)}" if isPlain else group("(", [name, self.text(value)], ")"))
        return f"Table({group('{', entries, '}') if isPlain else group('[', entries, ']')})"


def _linked(left: str, operator: str, right: str) -> str:
    """Returns ``left and right``, which may be broken before the operator."""
    before = left[:-1] if _is_chain(left) and f"{LINK} {operator} " in left else CHAIN + left
    return f"{before}{LINK} {operator} {right}{END}"


def field_name(node: Any) -> str | None:
    """Returns the name in ``table.name``; None for other nodes."""
    isNamed = isinstance(node, tree.Index) and isinstance(node.key, tree.Constant) and isinstance(node.key.value, str)
    return node.key.value if isNamed else None


def _is_error(node: Node) -> bool:
    return isinstance(node, tree.Call) and isinstance(node.function, tree.Global) and node.function.name == "error"


def _is_chain(text: str) -> bool:
    """True if a text is one chain from its beginning to its end."""
    depth = 0
    for i, mark in enumerate(text):
        depth += (mark == CHAIN) - (mark == END)
        if depth == 0:
            return i == len(text) - 1
    return False


def _defines(nodes: Sequence[Node]) -> bool:
    """True if an expression has a function in it."""
    return any(isinstance(one, tree.Function) for one in walk([*nodes]))
