"""The parser: text to a tree whose names are bound to variables.

It knows of each variable if an inner function uses it, if anything assigns to it, and if each turn of a loop has a new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from . import tree
from .lexer import LuaSyntaxError, tokens
from .tree import FunctionScope, Node, Variable

# The binding strength of an operator, to its left and to its right.
_STRENGTH = {
    **{"or": (1, 1), "and": (2, 2)},
    **dict.fromkeys(("<", ">", "<=", ">=", "~=", "=="), (3, 3)),
    **{"..": (5, 4), "+": (6, 6), "-": (6, 6), "*": (7, 7), "/": (7, 7), "%": (7, 7), "^": (10, 9)},
}
_UNARY, _UNARY_STRENGTH = ("not", "-", "#"), 8
_MAX_LEVELS = 180  # levels of syntax within each other; Lua has 200
_MAX_LOCALS = 200  # locals of a function, as in Lua
_SUFFIXES = frozenset((".", "[", ":", "(", "{"))
_BLOCK_ENDS = ("end", "else", "elseif", "until")


class Parser:
    """Reads one source.

    Parameters
    ----------
    source : str
        The text, one character a byte.
    name : str
        The name that errors begin with.
    """

    def __init__(self, source: str, name: str) -> None:
        self.name = name
        self._tokens = tokens(source, name)
        self._position = 0
        self._function = FunctionScope(None, 0)
        self._scopes: list[list[Variable]] = [[]]
        self._levels = 0

    def chunk(self) -> tree.Function:
        """Returns the file as a function."""
        self._function.isVararg = True
        body = self._statements()
        if self._tokens[self._position].kind != "end":
            self._fail("'<eof>' expected")
        return tree.Function(1, self._function, body)

    # ------------------------------------------------------------------------------------------ tokens

    @property
    def _symbol(self) -> str:
        """The keyword or operator that comes next, or ""."""
        return self._tokens[self._position].symbol

    @property
    def _line(self) -> int:
        return self._tokens[self._position].line

    def _fail(self, message: str) -> NoReturn:
        token = self._tokens[self._position]
        raise LuaSyntaxError(f"{self.name}:{token.line}: {message} near '{token.text}'")

    def _advance(self) -> str:
        self._position += 1
        return self._tokens[self._position - 1].text

    def _accept(self, symbol: str) -> bool:
        if self._tokens[self._position].symbol != symbol:
            return False
        self._position += 1
        return True

    def _expect(self, symbol: str, opening: str = "", line: int = 0) -> None:
        if not self._accept(symbol):
            isElsewhere = opening and line != self._line
            self._fail(f"'{symbol}' expected" + (f" (to close '{opening}' at line {line})" if isElsewhere else ""))

    def _identifier(self) -> str:
        if self._tokens[self._position].kind != "name":
            self._fail("'<name>' expected")
        return self._advance()

    # ------------------------------------------------------------------------------------------ scopes

    def _declare(self, name: str, kind: str = "local") -> Variable:
        variable = Variable(name, self._function, self._function.loops > 0, kind)
        self._scopes[-1].append(variable)
        self._function.locals += 1
        if self._function.locals > _MAX_LOCALS:
            self._fail("function or expression has too many local variables (limit is 200)")
        return variable

    def _resolve(self, name: str, line: int) -> Node:
        for scope in reversed(self._scopes):
            for variable in reversed(scope):
                if variable.name == name:
                    self._capture(variable)
                    return tree.Local(line, variable)
        return tree.Global(line, name)

    def _capture(self, variable: Variable) -> None:
        function = self._function
        while function is not variable.function:
            variable.isCaptured = True
            function.captured.add(variable)
            assert function.parent is not None
            function = function.parent

    def _assign(self, target: Node) -> None:
        if isinstance(target, tree.Local):
            target.variable.isAssigned = True
            if target.variable.function is not self._function:
                self._function.assigned.add(target.variable)

    @contextmanager
    def _scope(self, isLoop: bool = False) -> Iterator[None]:
        self._function.loops += isLoop
        self._scopes.append([])
        yield
        self._function.locals -= len(self._scopes.pop())
        self._function.loops -= isLoop

    def _deepen(self) -> None:
        self._levels += 1
        if self._levels > _MAX_LEVELS:
            self._fail("chunk has too many syntax levels")

    # ------------------------------------------------------------------------------------------ statements

    def _statements(self) -> list[Node]:
        body: list[Node] = []
        while self._symbol not in _BLOCK_ENDS and self._tokens[self._position].kind != "end":
            isLast = self._symbol == "return"
            if not self._accept(";"):
                self._deepen()
                body.append(self._statement())
                self._levels -= 1
            if isLast:
                self._accept(";")
                break
        return body

    def _block(self, isLoop: bool = False) -> list[Node]:
        with self._scope(isLoop):
            return self._statements()

    def _statement(self) -> Node:
        read = _STATEMENTS.get(self._symbol)
        if read is not None:
            line = self._line
            self._position += 1
            return read(self, line)
        token, after = self._tokens[self._position], self._tokens[self._position + 1]
        if token.text == "goto" and token.kind == after.kind == "name":
            self._position += 1
            self._function.hasGoto = True
            return tree.Goto(token.line, self._advance())
        return self._expression_statement()

    def _if(self, line: int) -> Node:
        arms, otherwise = [(self._condition(), self._block())], []
        while self._accept("elseif"):
            arms.append((self._condition(), self._block()))
        if self._accept("else"):
            otherwise = self._block()
        self._expect("end", "if", line)
        return tree.If(line, arms, otherwise)

    def _condition(self) -> Node:
        condition = self._expression()
        self._expect("then")
        return condition

    def _while(self, line: int) -> Node:
        with self._scope(isLoop=True):
            condition = self._expression()
            self._expect("do")
            body = self._block()
        self._expect("end", "while", line)
        return tree.While(line, condition, body)

    def _do(self, line: int) -> Node:
        body = self._block()
        self._expect("end", "do", line)
        return tree.Block(line, body)

    def _repeat(self, line: int) -> Node:
        with self._scope(isLoop=True):
            body = self._statements()
            self._expect("until", "repeat", line)
            return tree.Repeat(line, body, self._expression())

    def _for(self, line: int) -> Node:
        names = [self._identifier()]
        if isNumeric := self._accept("="):
            values = self._expressions()
            if not 2 <= len(values) <= 3:
                self._fail("',' expected" if len(values) < 2 else "'do' expected")
        else:
            while self._accept(","):
                names.append(self._identifier())
            if not self._accept("in"):
                self._fail("'=' or 'in' expected")
            values = self._expressions()
        self._expect("do")
        with self._scope(isLoop=True):
            variables = [self._declare(name, "number" if isNumeric else "local") for name in names]
            body = self._block()
        self._expect("end", "for", line)
        if isNumeric:
            return tree.NumericFor(line, variables[0], values, body)
        return tree.GenericFor(line, variables, values, body)

    def _function_statement(self, line: int) -> Node:
        path = self._identifier()
        target, isMethod = self._resolve(path, line), False
        while self._symbol in (".", ":") and not isMethod:
            isMethod = self._advance() == ":"
            name = self._identifier()
            path += (":" if isMethod else ".") + name
            target = tree.Index(line, target, tree.Constant(line, name))
        self._assign(target)
        return tree.Assignment(line, [target], [self._function_body(line, path, isMethod)])

    def _local(self, line: int) -> Node:
        if self._accept("function"):
            name = self._identifier()
            variable = self._declare(name, "function")
            return tree.LocalFunction(line, variable, self._function_body(line, name))
        names = [self._identifier()]
        while self._accept(","):
            names.append(self._identifier())
        values = self._expressions() if self._accept("=") else []
        return tree.Declaration(line, [self._declare(name) for name in names], values)

    def _return(self, line: int) -> Node:
        isEmpty = self._symbol in (*_BLOCK_ENDS, ";") or self._tokens[self._position].kind == "end"
        return tree.Return(line, [] if isEmpty else self._expressions())

    def _break(self, line: int) -> Node:
        if not self._function.loops:
            self._position -= 1
            self._fail("no loop to break")
        return tree.Break(line)

    def _label(self, line: int) -> Node:
        name = self._identifier()
        self._expect("::")
        return tree.Label(line, name)

    def _expression_statement(self) -> Node:
        line, first = self._line, self._suffixed()
        if self._symbol not in ("=", ","):
            if not isinstance(first, (tree.Call, tree.MethodCall)):
                self._fail("'=' expected" if isinstance(first, (tree.Local, tree.Global, tree.Index)) else "syntax error")
            return tree.CallStatement(line, first)
        targets = [first]
        while self._accept(","):
            targets.append(self._suffixed())
        if not all(isinstance(target, (tree.Local, tree.Global, tree.Index)) for target in targets):
            self._fail("syntax error")
        self._expect("=")
        values = self._expressions()
        for target in targets:
            self._assign(target)
        return tree.Assignment(line, targets, values)

    # ------------------------------------------------------------------------------------------ expressions

    def _function_body(self, line: int, name: str = "", isMethod: bool = False) -> tree.Function:
        function = self._function = FunctionScope(self._function, line, name)
        with self._scope():
            self._expect("(")
            if isMethod:
                function.parameters.append(self._declare("self", "parameter"))
            while self._symbol != ")":
                if self._accept("..."):
                    function.isVararg = True
                    break
                function.parameters.append(self._declare(self._identifier(), "parameter"))
                if not self._accept(","):
                    break
            self._expect(")")
            body = self._block()
            function.lastLine = self._line
            self._expect("end", "function", line)
        assert function.parent is not None
        self._function = function.parent
        return tree.Function(line, function, body)

    def _expressions(self) -> list[Node]:
        found = [self._expression()]
        while self._accept(","):
            found.append(self._expression())
        return found

    def _expression(self, strength: int = 0) -> Node:
        self._deepen()
        token = self._tokens[self._position]
        left = self._unary(token.line) if token.symbol in _UNARY else self._simple()
        while _STRENGTH.get((token := self._tokens[self._position]).symbol, (0, 0))[0] > strength:
            self._position += 1
            left = tree.Binary(token.line, token.symbol, left, self._expression(_STRENGTH[token.symbol][1]))
        self._levels -= 1
        return left

    def _unary(self, line: int) -> Node:
        operator, operand = self._advance(), self._expression(_UNARY_STRENGTH)
        if operator == "-" and isinstance(operand, tree.Constant) and isinstance(operand.value, float):
            return tree.Constant(line, -operand.value)
        return tree.Unary(line, operator, operand)

    def _simple(self) -> Node:
        token = self._tokens[self._position]
        if token.kind in ("number", "string"):
            self._position += 1
            return tree.Constant(token.line, token.value)
        if self._symbol in ("nil", "true", "false"):
            return tree.Constant(token.line, {"nil": None, "true": True, "false": False}[self._advance()])
        if self._symbol == "...":
            if not self._function.isVararg:
                self._fail("cannot use '...' outside a vararg function")
            self._position += 1
            return tree.Vararg(token.line)
        if self._symbol == "{":
            return self._constructor()
        if self._accept("function"):
            return self._function_body(token.line)
        return self._suffixed()

    def _constructor(self) -> Node:
        line = self._line
        self._expect("{")
        items: list[tuple[Node | None, Node]] = []
        while self._symbol != "}":
            items.append(self._item())
            if not (self._accept(",") or self._accept(";")):
                break
        self._expect("}", "{", line)
        return tree.Constructor(line, items)

    def _item(self) -> tuple[Node | None, Node]:
        token, after = self._tokens[self._position], self._tokens[self._position + 1]
        if self._accept("["):
            key: Node | None = self._expression()
            self._expect("]")
            self._expect("=")
        elif token.kind == "name" and after.kind == "operator" and after.text == "=":
            key = tree.Constant(token.line, token.value)
            self._position += 2
        else:
            key = None
        return key, self._expression()

    def _suffixed(self) -> Node:
        line = self._line
        if self._accept("("):
            expression: Node = tree.Parenthesis(line, self._expression())
            self._expect(")", "(", line)
        elif self._tokens[self._position].kind == "name":
            expression = self._resolve(self._advance(), line)
        else:
            self._fail("unexpected symbol")
        while (suffix := self._suffix(expression)) is not None:
            expression = suffix
        return expression

    def _suffix(self, expression: Node) -> Node | None:
        """Returns the expression with the field, call or method call that follows it, or None."""
        token = self._tokens[self._position]
        line = token.line
        if token.kind != "string" and token.symbol not in _SUFFIXES:
            return None
        if self._accept("."):
            return tree.Index(line, expression, tree.Constant(line, self._identifier()))
        if self._accept("["):
            key = self._expression()
            self._expect("]")
            return tree.Index(line, expression, key)
        if self._accept(":"):
            name = self._identifier()
            return tree.MethodCall(line, expression, name, self._arguments())
        return tree.Call(line, expression, self._arguments())

    def _arguments(self) -> list[Node]:
        token = self._tokens[self._position]
        if token.kind == "string" or self._symbol == "{":
            return [self._simple()]
        if not self._accept("("):
            self._fail("function arguments expected")
        found = [] if self._symbol == ")" else self._expressions()
        self._expect(")", "(", token.line)
        return found


_STATEMENTS = {
    "if": Parser._if,
    "while": Parser._while,
    "do": Parser._do,
    "repeat": Parser._repeat,
    "for": Parser._for,
    "function": Parser._function_statement,
    "local": Parser._local,
    "return": Parser._return,
    "break": Parser._break,
    "::": Parser._label,
}
