"""The tree of a Lua program. Names are bound to their variables while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field


class Variable:
    """A local variable.

    Attributes
    ----------
    name : str
        Its name in Lua.
    function : FunctionScope
        The function that declares it.
    isInLoop : bool
        True if each turn of a loop has a new one.
    kind : str
        "local", "parameter", "number" (of a numeric loop) or "function" (of ``local function``).
    isCaptured, isAssigned : bool
        True if an inner function uses it, if anything assigns to it after its declaration.
    python : str
        Its name in Python.
    storage : str
        "" until it is chosen, then "plain", "closure", "bound" or "cell".
    """

    __slots__ = ("function", "isAssigned", "isCaptured", "isInLoop", "kind", "name", "python", "storage")

    def __init__(self, name: str, function: FunctionScope, isInLoop: bool, kind: str) -> None:
        self.name, self.function, self.isInLoop, self.kind = name, function, isInLoop, kind
        self.isCaptured = self.isAssigned = False
        self.python = self.storage = ""


class FunctionScope:
    """A function while it is read.

    Attributes
    ----------
    parent : FunctionScope or None
        The function around it; None for a file.
    name : str
        The name by which it is defined, or "".
    line, lastLine : int
        Its lines.
    parameters : list of Variable
        Its parameters.
    isVararg, hasGoto : bool
        True if it has ``...``, a goto.
    captured, assigned : set of Variable
        The variables of outer functions that it, or a function in it, uses; that it assigns to.
    loops, locals : int
        How many loops are open, how many variables are in scope.
    """

    def __init__(self, parent: FunctionScope | None, line: int, name: str = "") -> None:
        self.parent, self.line, self.lastLine, self.name = parent, line, line, name
        self.parameters: list[Variable] = []
        self.isVararg = self.hasGoto = False
        self.captured: set[Variable] = set()
        self.assigned: set[Variable] = set()
        self.loops = self.locals = 0


@dataclass(slots=True)
class Node:
    """An expression or statement of a line."""

    line: int


@dataclass(slots=True)
class Constant(Node):
    value: bool | float | str | None


@dataclass(slots=True)
class Local(Node):
    variable: Variable


@dataclass(slots=True)
class Global(Node):
    name: str


@dataclass(slots=True)
class Vararg(Node):
    pass


@dataclass(slots=True)
class Parenthesis(Node):
    inner: Node


@dataclass(slots=True)
class Index(Node):
    table: Node
    key: Node


@dataclass(slots=True)
class Call(Node):
    function: Node
    arguments: list[Node]


@dataclass(slots=True)
class MethodCall(Node):
    table: Node
    name: str
    arguments: list[Node]


@dataclass(slots=True)
class Function(Node):
    scope: FunctionScope
    body: list[Node]


@dataclass(slots=True)
class Unary(Node):
    operator: str
    operand: Node


@dataclass(slots=True)
class Binary(Node):
    operator: str
    left: Node
    right: Node


@dataclass(slots=True)
class Constructor(Node):
    items: list[tuple[Node | None, Node]]


@dataclass(slots=True)
class Declaration(Node):
    variables: list[Variable]
    values: list[Node]


@dataclass(slots=True)
class LocalFunction(Node):
    variable: Variable
    function: Function


@dataclass(slots=True)
class Assignment(Node):
    targets: list[Node]
    values: list[Node]


@dataclass(slots=True)
class CallStatement(Node):
    call: Node


@dataclass(slots=True)
class Block(Node):
    body: list[Node]


@dataclass(slots=True)
class If(Node):
    arms: list[tuple[Node, list[Node]]]
    otherwise: list[Node]


@dataclass(slots=True)
class While(Node):
    condition: Node
    body: list[Node]


@dataclass(slots=True)
class Repeat(Node):
    body: list[Node]
    condition: Node


@dataclass(slots=True)
class NumericFor(Node):
    variable: Variable
    bounds: list[Node]
    body: list[Node]


@dataclass(slots=True)
class GenericFor(Node):
    variables: list[Variable]
    values: list[Node]
    body: list[Node]


@dataclass(slots=True)
class Return(Node):
    values: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Break(Node):
    pass


@dataclass(slots=True)
class Goto(Node):
    name: str


@dataclass(slots=True)
class Label(Node):
    name: str
