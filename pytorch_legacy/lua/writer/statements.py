"""Functions, classes and statements of Lua as lines of Python."""

from __future__ import annotations

import keyword
from typing import Any

from ..language import tree
from ..language.facts import has_results
from ..language.lexer import Comment
from ..language.tree import Node, Variable
from .expressions import ATOM, SUM, Expressions, field_name
from .layout import WIDTH, group, is_definition, lines, was_block
from .names import METHODS, RESERVED, is_argument, is_private, quoted
from .program import NUMBERS, Class, Program, can_end, is_torch_class, returns, walk

_CONFUSING = frozenset(("l", "O", "I"))  # names that look like digits


class Statements(Expressions):
    """The part of the writer that writes statements.

    Parameters
    ----------
    program : Program
        What is known of the program.
    chunk : tree.Function
        The file.
    name : str
        Its name in messages.
    comments : list of Comment
        Its comments, which stand before the statements that follow them.
    helpers : frozenset of str
        Names that no variable gets.
    """

    def __init__(
        self, program: Program, chunk: tree.Function, name: str, comments: list[Comment], helpers: frozenset[str]
    ) -> None:
        super().__init__(program, chunk, name)
        self.comments = comments
        self.indent = 0
        self.before: list[str] = []  # lines of functions that the statement needs
        self.names: list[dict[str, list[Variable]]] = [{}]  # the variables of each open function by their names in Python
        self.visible: list[set[Variable]] = [set()]
        self.isMain = False  # True if the file is a function, because it returns from within
        self.isAny = False  # True if the text needs typing.Any
        self.all_helpers = helpers

    # ------------------------------------------------------------------------------------------ lines

    def line(self, text: str) -> list[str]:
        """Returns the lines of a statement, broken where it is too long."""
        return lines(text, self.indent)

    def block(self, body: list[Node]) -> list[str]:
        """Returns the lines of a block, at least one."""
        self.indent += 4
        self.visible.append(set(self.visible[-1]))
        found = self.body(body)
        self.visible.pop()
        if not any(not one.lstrip().startswith("#") for one in found):
            found += self.line("pass")
        self.indent -= 4
        return found

    def body(self, nodes: list[Node]) -> list[str]:
        found: list[str] = []
        i = 0
        while i < len(nodes):
            node = nodes[i]
            notes = self.notes(node.line)
            cls = self.program.made.get(id(node))
            count, written = self.gathered(cls, nodes, i) if cls is not None else (1, self.statement(node))
            if found and (is_definition(written) or is_definition(found[-1:]) or was_block(found)):
                found += self.gap()
            elif found and notes and self.indent == 0:
                found.append("")
            found += notes + self.with_remark(written, node.line)
            i += count
        return found

    def notes(self, line: int) -> list[str]:
        """Returns the comments that stand before a line."""
        found: list[str] = []
        while self.comments and (self.comments[0].line < line or (self.comments[0].line == line and self.comments[0].isAlone)):
            found += [f"{' ' * self.indent}# {text}".rstrip() for text in self.comments.pop(0).lines]
        return found

    def with_remark(self, written: list[str], line: int) -> list[str]:
        """Returns lines with the comment that stands behind the statement on its line."""
        if not (self.comments and self.comments[0].line == line and len(self.comments[0].lines) == 1 and written):
            return written
        remark = f"  # {self.comments[0].lines[0]}"
        if len(written) > 1 or len(written[0] + remark) > WIDTH:
            return [*self.notes(line + 1), *written]
        self.comments.pop(0)
        return [written[0] + remark]

    # ------------------------------------------------------------------------------------------ names

    def variable(self, variable: Variable) -> str:
        return variable.python or self.named(variable)

    def named(self, variable: Variable) -> str:
        """Chooses the name of a new variable."""
        name = "".join(c for c in variable.name if c.isascii()) or "v"
        name = f"v{name}" if is_private(name) else name
        name += "_" * (keyword.iskeyword(name) or name in RESERVED or name in _CONFUSING or name in self.taken)
        isUnused = variable not in self.program.read and not variable.isCaptured and variable.kind != "parameter"
        if isUnused and len(self.names) > 1 and not name.startswith("_"):
            name = f"_{name}"
        number, chosen = 0, name
        while not self.is_free(chosen, variable):
            number += 1
            chosen = f"{name}_{number}"
        variable.python, variable.storage = chosen, self.chosen_storage(variable)
        self.names[-1].setdefault(chosen, []).append(variable)
        self.visible[-1].add(variable)
        return chosen

    @property
    def taken(self) -> set[str]:
        """The names of globals, packages and helpers."""
        return self.program.used | self.program.globals | self.helpers | self.all_helpers

    def is_free(self, name: str, variable: Variable) -> bool:
        """True if no variable has the name that is needed beside this one."""
        outer = variable.function.captured
        if any(one.python == name for one in outer):
            return False
        if variable.isCaptured and any(name in names for names in self.names[:-1]):
            return False
        for one in self.names[-1].get(name, ()):
            isShadowed = one in self.visible[-1] and one not in (self.visible[-2] if len(self.visible) > 1 else ())
            isOver = one not in self.visible[-1] or (isShadowed and one.name == variable.name)
            if one.kind == variable.kind == "parameter":
                return False
            isSame = self.program.kind(tree.Local(0, one)) == self.program.kind(tree.Local(0, variable))
            if not isOver or one.isCaptured or variable.isCaptured or not (isSame or len(self.names) > 1):
                return False
        return True

    def chosen_storage(self, variable: Variable) -> str:
        if not (variable.isCaptured and variable.isInLoop):
            return "plain"
        return "cell" if variable.isAssigned or variable.kind == "function" else "bound"

    def fresh(self, name: str) -> str:
        """Returns a name for a function that has none in Lua."""
        variable = Variable(name, self.scope or self.chunk.scope, False, "function")
        variable.isCaptured = True
        self.program.read.add(variable)
        return self.named(variable)

    def declared(self, variable: Variable, value: str) -> str:
        """Returns the text of the assignment that makes a variable."""
        name = self.named(variable)
        hint = ""
        if (
            variable.isAssigned
            and len(self.names) == 1
            and self.program.kind(tree.Local(0, variable)) not in (*NUMBERS, "string")
        ):
            self.isAny = True
            hint = ": Any"
        if variable.storage == "cell":
            return f"{name} = [{value}]"
        return f"{name}{hint} = {value}"

    # ------------------------------------------------------------------------------------------ functions

    def function(self, node: tree.Function, name: str = "function") -> str:
        chosen = self.fresh(name)
        self.before += self.definition(chosen, node)
        return chosen

    def definition(self, name: str, node: tree.Function, cls: Class | None = None) -> list[str]:
        """Returns the lines of a function."""
        scope = node.scope
        saved = self.scope, self.before, self.method
        self.scope, self.before = scope, []
        self.method = (cls, node) if cls is not None else self.method
        self.names.append({})
        self.visible.append(set(self.visible[-1]))
        arguments = [self.variable(parameter) for parameter in scope.parameters]
        arguments = self.with_defaults(node, arguments)
        bound = sorted(
            self.variable(one) for one in scope.captured if self.chosen_storage(one) in ("bound", "cell") and one.python
        )
        if bound:
            arguments += [*([] if any(one[0] == "*" for one in arguments) else ["*"]), *(f"{one}={one}" for one in bound)]
        found = self.line(group(f"def {name}(", arguments, "):"))
        self.indent += 4
        found += self.outer_names(scope)
        self.indent -= 4
        head = [parameter for parameter in scope.parameters if parameter.storage == "cell"]
        inner = self.block(node.body)
        found += [f"{' ' * (self.indent + 4)}{one.python} = [{one.python}]" for one in head] + inner
        counts = {len(values) for values in returns(node.body)}
        if can_end(node.body) and self.program.returned(node) is None and counts:
            found.append(f"{' ' * (self.indent + 4)}return ()")
        self.names.pop()
        self.visible.pop()
        self.scope, self.before, self.method = saved
        return found

    def with_defaults(self, node: tree.Function, arguments: list[str]) -> list[str]:
        """Returns parameters, of which those that some call of the program leaves out are None by default."""
        if id(node) in self.program.loose:
            return [*(f"{one}=None" for one in arguments), "*rest" if node.scope.isVararg else "*_"]
        rest = ["*rest"] if node.scope.isVararg else []
        key = next((key for key, one in self.program.functions.items() if one is node), None)
        if key is None:
            return arguments + rest
        counts: list[int] = []
        for given in self.program.calls[key]:
            isSure = not given or self.program.count(given[-1]) == 1
            counts.append(len(given) if isSure else len(given) - 1)
            if not rest and (not isSure or len(given) > len(arguments)):
                rest = ["*_"]
        least = min(counts, default=len(arguments))
        return [one if i < least else f"{one}=None" for i, one in enumerate(arguments)] + rest

    def outer_names(self, scope: Any) -> list[str]:
        """Returns ``global`` and ``nonlocal`` of a function."""
        outer = [variable for variable in scope.assigned if variable.storage == "plain" and variable.function is not scope]
        isModule = [variable.function is self.chunk.scope and not self.isMain for variable in outer]
        globals_ = {variable.python for variable, isGlobal in zip(outer, isModule, strict=True) if isGlobal}
        globals_ |= self.assigned_globals(scope)
        local = {variable.python for variable, isGlobal in zip(outer, isModule, strict=True) if not isGlobal}
        found = self.line(f"global {', '.join(sorted(globals_))}") if globals_ else []
        return found + (self.line(f"nonlocal {', '.join(sorted(local))}") if local else [])

    def assigned_globals(self, scope: Any) -> set[str]:
        function = next(one for one in self.program.all_functions if one.scope is scope)
        found = set()
        waiting: list[Any] = [function.body]
        while waiting:
            one = waiting.pop()
            if isinstance(one, (list, tuple)):
                waiting += one
            elif isinstance(one, tree.Assignment):
                names = {target.name for target in one.targets if isinstance(target, tree.Global)}
                found |= {self.global_name(name) for name in names - self.program.shared}
            elif isinstance(one, Node) and not isinstance(one, tree.Function):
                waiting += [getattr(one, name) for name in one.__slots__]
        return found

    # ------------------------------------------------------------------------------------------ classes

    def gathered(self, cls: Class, nodes: list[Node], start: int) -> tuple[int, list[str]]:
        """Returns how many statements a class takes, and its lines: ``torch.class`` and the methods that follow it."""
        targets = getattr(nodes[start], "targets", [])
        names = [target.name for target in targets if isinstance(target, tree.Global)]
        if self.scope is not None and "." not in cls.name and cls.name in self.program.used:
            raise self.refuse(nodes[start], "torch.class of a global within a function")
        name = self.named(cls.variable) if cls.variable is not None else cls.name.rpartition(".")[2]
        parent = self.class_text(cls.parent) if cls.parent else "Value"
        if not cls.parent:
            self.imports.add("Value")
        found = self.line(f"class {name}({parent}):")
        self.indent += 4
        found += self.line(f"_typename = {quoted(cls.name)}")
        package = cls.name.rpartition(".")[0]
        if package and not self.program.package(tree.Global(0, package)):
            found += self.line(f"_package = {self._global(tree.Global(nodes[start].line, package))}")
        count, seen = 1, set[str]()
        for node in nodes[start + 1 :]:
            method = self.method_of(node, cls, names[:1])
            if method is None or method in seen:
                break
            seen.add(method)
            notes = self.notes(node.line)
            found += ["", *notes]
            found += self.definition(method, node.values[0], cls)  # type: ignore[attr-defined]
            count += 1
        self.indent -= 4
        named = [(self.target(target), value) for target, value in zip(targets, (name, parent), strict=False)]
        named = [(target, value) for target, value in named if names and target != value]
        written = [line for target, value in named for line in self.line(f"{target} = {value}")]
        return count, [*found, *(self.gap() if written else []), *written]

    def method_of(self, node: Node, cls: Class, names: list[str]) -> str | None:
        """Returns the name of the method that a statement defines. A global of these names is the class, too."""
        target = node.targets[0] if isinstance(node, tree.Assignment) and len(node.targets) == 1 else None
        if not isinstance(target, tree.Index) or not isinstance(node.values[0], tree.Function):  # type: ignore[attr-defined]
            return None
        isOwn = isinstance(target.table, tree.Local) and target.table.variable is cls.variable
        isOwn = isOwn or (cls.variable is None and self.program.class_named(target.table) is cls)
        isOwn = isOwn or (isinstance(target.table, tree.Global) and target.table.name in names)
        name = target.key.value if isinstance(target.key, tree.Constant) else None
        if not isOwn or not isinstance(name, str):
            return None
        name = METHODS.get(name, name)
        isUsual = not name.startswith("__") or name in METHODS.values()
        return name if is_argument(name) and isUsual else None

    # ------------------------------------------------------------------------------------------ statements

    def statement(self, node: Node) -> list[str]:
        saved, self.before = self.before, []
        found = _STATEMENTS.get(type(node), Statements._refused)(self, node)
        found = [*self.before, *(self.gap() if self.before else []), *found]
        self.before = saved
        return found

    def _refused(self, node: Node) -> list[str]:
        raise self.refuse(node, "goto" if isinstance(node, (tree.Goto, tree.Label)) else "this statement")

    def _call_statement(self, node: tree.CallStatement) -> list[str]:
        call = node.call
        isName = isinstance(call, tree.Call) and isinstance(call.function, tree.Global)
        if isName and call.function.name == "require":  # type: ignore[attr-defined, union-attr]
            package = self.program.package(call)
            if package and package in self.program.used:
                self.imports.add(package)
                return []
        if isinstance(call, tree.Call) and is_torch_class(call.function):
            raise self.refuse(node, "torch.class with computed arguments")
        return self.line(self.call(call, True))

    def _local_function(self, node: tree.LocalFunction) -> list[str]:
        name = self.named(node.variable)
        if node.variable.storage != "cell":
            return self.definition(name, node.function)
        own = self.fresh(name)
        return [*self.line(f"{name} = [None]"), *self.definition(own, node.function), *self.line(f"{name}[0] = {own}")]

    def _declaration(self, node: tree.Declaration) -> list[str]:
        variables, values = node.variables, node.values
        if len(variables) == len(values) == 1:
            if self.program.package(values[0]) == variables[0].name and not variables[0].isAssigned:
                return []
            isInLoop = variables[0].isCaptured and variables[0].isInLoop
            if isinstance(values[0], tree.Function) and not isInLoop and variables[0] not in values[0].scope.captured:
                return self.definition(self.named(variables[0]), values[0])
            return self._declared_one(variables[0], values[0])
        if not values:
            return [one for variable in variables for one in self.line(self.declared(variable, "None"))]
        text = self.unpacked(len(variables), values)
        if len(variables) == 1:
            return [*self.line(self.declared(variables[0], text)), *self.surplus(1, values)]
        cells = [variable for variable in variables if self.chosen_storage(variable) == "cell"]
        names = [self.named(variable) for variable in variables]
        found = self.line(f"{', '.join(names)} = {text}") + self.surplus(len(variables), values)
        return found + [f"{' ' * self.indent}{one.python} = [{one.python}]" for one in cells]

    def _declared_one(self, variable: Variable, value: Node) -> list[str]:
        if field_name(value) and variable in self.program.calls and not self.is_plain(value):
            return self.line(self.declared(variable, self.unbound(value)))
        return self.line(self.declared(variable, self.initial(variable, value)))

    def initial(self, variable: Variable, value: Node) -> str:
        """Returns the first value of a variable: a float if it grows by products, which floats of Lua round."""
        isWhole = isinstance(value, tree.Constant) and isinstance(value.value, float) and value.value.is_integer()
        return repr(value.value) if isWhole and variable in self.program.growing else self.text(value)  # type: ignore[attr-defined]

    def surplus(self, count: int, values: list[Node]) -> list[str]:
        """Returns the statements of values that no variable takes."""
        return [one for value in values[count:] if has_results(value) for one in self.line(self.call(value))]

    def unpacked(self, count: int, values: list[Node]) -> str:
        """Returns as many values, with commas between them, or a call that has them."""
        if len(values) < count and has_results(values[-1]):
            last, missing = values[-1], count - len(values) + 1
            isSplit = isinstance(last, tree.MethodCall) and last.name == "split" and _is_constant(last.arguments, missing)
            if len(values) == 1:
                call = self.call(last)
                return call if isSplit or self.program.count(last) == count else self.helper("cut", str(count), call)
            return self.helper("cut", str(count), group("(", self.arguments(values), ")"))
        texts = [self.text(value) for value in values[:count]]
        return ", ".join([*texts, *["None"] * (count - len(texts))])

    def _assignment(self, node: tree.Assignment) -> list[str]:
        targets, values = node.targets, node.values
        if len(targets) == 1 and len(values) == 1:
            return self._stored(targets[0], values[0])
        text = self.unpacked(len(targets), values)
        if len(targets) == 1:
            return [*self.line(f"{self.target(targets[0])} = {text}"), *self.surplus(1, values)]
        names = [Program.key(target) for target in targets if isinstance(target, (tree.Local, tree.Global))]
        if len({*names}) < len(names):
            raise self.refuse(node, "an assignment to one variable twice")
        if any(isinstance(target, tree.Index) and not _is_fixed(target, targets) for target in targets):
            raise self.refuse(node, "an assignment to several places that depend on each other")
        places = ", ".join(map(self.target, targets))
        return self.line(f"{places} = {text}") + self.surplus(len(targets), values)

    def target(self, node: Node) -> str:
        if isinstance(node, tree.Global) and node.name not in self.program.shared:
            return self.global_name(node.name)
        return self.text(node)

    def _stored(self, target: Node, value: Node) -> list[str]:
        if isinstance(value, tree.Function):
            return self._stored_function(target, value)
        isSame = isinstance(value, tree.Binary) and value.operator == "or" and _is_same(target, value.left)
        if isSame and isinstance(value, tree.Binary):
            return self._defaulted(target, value)
        before: list[str] = []
        place = self.target(target)
        if isinstance(target, tree.Index) and any(isinstance(one, (tree.Call, tree.MethodCall)) for one in walk(value)):
            before, place = self.held(target)
        return [*before, *self.line(f"{place} = {self.text(value)}")]

    def held(self, target: tree.Index) -> tuple[list[str], str]:
        """Returns the place of an assignment whose value may change the table or the key: Lua has read them before."""
        if not any(map(self.is_loose, (target.table, target.key))):
            return [], self.target(target)
        names = [self.fresh("held") if self.is_loose(part) else "" for part in (target.table, target.key)]
        before = [
            line
            for name, part in zip(names, (target.table, target.key), strict=True)
            if name
            for line in self.line(f"{name} = {self.text(part)}")
        ]
        return before, group(f"{names[0] or self.text(target.table, ATOM)}[", [names[1] or self.text(target.key)], "]")

    def is_loose(self, node: Node) -> bool:
        """True for a variable of an outer function that a function of the program sets."""
        return (
            isinstance(node, tree.Local) and node.variable.function is not self.current and node.variable in self.program.changed
        )

    def _defaulted(self, target: Node, value: tree.Binary) -> list[str]:
        """Returns the statement for ``x = x or value``."""
        if isinstance(target, tree.Global) and self.scope is None and self.program.is_new(target.name):
            return self.line(f"{self.target(target)} = {self.text(value.right)}")
        if isinstance(target, tree.Global):
            return self.line(f"{self.target(target)} = {self.text(value)}")
        if any(isinstance(one, tree.Function) for one in walk(value.right)):
            return self.line(f"{self.text(target)} = {self.text(value)}")
        place = self.text(target)
        test = f"{place} is None or {place} is False"
        self.indent += 4
        inner = self.line(f"{place} = {self.text(value.right)}")
        self.indent -= 4
        return [*self.line(f"if {test}:"), *inner]

    def _stored_function(self, target: Node, value: tree.Function) -> list[str]:
        if isinstance(target, tree.Global) and target.name not in self.program.shared:
            return self.definition(self.global_name(target.name), value)
        if isinstance(target, tree.Local) and target.variable.storage != "cell" and target.variable.function is self.current:
            return self.definition(self.text(target), value)
        name = target.key.value if isinstance(target, tree.Index) and isinstance(target.key, tree.Constant) else "function"
        name = target.name if isinstance(target, tree.Global) else name
        own = self.fresh(METHODS.get(str(name), str(name)) if is_argument(str(name)) else "function")
        found = self.definition(own, value)
        return [*found, *self.gap(), *self.line(f"{self.text(target)} = {own}")]

    def gap(self) -> list[str]:
        """Returns the blank lines between functions."""
        return [""] * (1 if self.indent else 2)

    @property
    def current(self) -> Any:
        return self.scope or self.chunk.scope

    # ------------------------------------------------------------------------------------------ blocks

    def _block(self, node: tree.Block) -> list[str]:
        self.visible.append(set(self.visible[-1]))
        found = self.body(node.body)
        self.visible.pop()
        return found

    def _if(self, node: tree.If) -> list[str]:
        found: list[str] = []
        for i, (condition, body) in enumerate(node.arms):
            found += self.line(f"{'elif' if i else 'if'} {self.condition(condition)}:") + self.block(body)
        if node.otherwise:
            found += [*self.line("else:"), *self.block(node.otherwise)]
        return found

    def _while(self, node: tree.While) -> list[str]:
        return [*self.line(f"while {self.condition(node.condition)}:"), *self.block(node.body)]

    def _repeat(self, node: tree.Repeat) -> list[str]:
        found = self.line("while True:")
        self.indent += 4
        self.visible.append(set(self.visible[-1]))
        found += self.body(node.body)
        saved, self.before = self.before, []
        test = self.line(f"if {self.condition(node.condition)}:")
        found += [*self.before, *test, " " * (self.indent + 4) + "break"]
        self.before = saved
        self.visible.pop()
        self.indent -= 4
        return found

    def _numeric_for(self, node: tree.NumericFor) -> list[str]:
        return self._loop([node.variable], self._range(node.bounds), node.body)

    def _range(self, bounds: list[Node]) -> str:
        """Returns the numbers of a loop."""
        kinds = ["int" if _is_length(bound) else self.program.kind(bound) for bound in bounds]
        start, stop = bounds[0], bounds[1]
        step = bounds[2].value if len(bounds) > 2 and isinstance(bounds[2], tree.Constant) else 1.0 if len(bounds) < 3 else None
        isWhole = isinstance(step, float) and step.is_integer() and step != 0 and kinds[0] == "int"
        isFromOne = isinstance(start, tree.Constant) and isinstance(start.value, float) and start.value >= 0
        if not isWhole or not (kinds[1] == "int" or (isFromOne and step == 1)) or kinds[1] == "string":
            return self.helper("upto", *map(self.number, bounds))
        first = [] if isinstance(start, tree.Constant) and start.value == 0 else [self.number(start)]
        sign = 1 if step > 0 else -1  # type: ignore[operator]
        if kinds[1] != "int":
            end = f"int({self.text(stop)}) + 1"
        elif isinstance(stop, tree.Constant):
            end = str(int(stop.value) + sign)  # type: ignore[arg-type]
        elif isinstance(stop, tree.Binary) and stop.operator == "-" and sign == 1 and _is_constant([stop.right], 1):
            end = self.text(stop.left)
        else:
            end = f"{self.number(stop, SUM)} {'+' if sign > 0 else '-'} 1"
        if step != 1:
            return group("range(", [self.number(start), end, str(int(step))], ")")  # type: ignore[arg-type]
        return group("range(", [*first, end], ")")

    def _generic_for(self, node: tree.GenericFor) -> list[str]:
        values, variables = node.values, node.variables
        call = values[0] if len(values) == 1 else None
        name = call.function.name if isinstance(call, tree.Call) and isinstance(call.function, tree.Global) else ""
        isUsual = name in ("pairs", "ipairs") and name not in self.program.globals and len(variables) <= 2
        if isUsual and len(call.arguments) == 1:  # type: ignore[union-attr]
            text = self.call(call)  # type: ignore[arg-type]
            if len(variables) == 1:
                return self._loop([*variables, Variable("_", self.current, True, "local")], text, node.body)
            return self._loop(variables, text, node.body)
        return self._loop(variables, self.helper("each", str(len(variables)), *self.arguments(values)), node.body)

    def _loop(self, variables: list[Variable], values: str, body: list[Node]) -> list[str]:
        self.visible.append(set(self.visible[-1]))
        names = [self.named(variable) for variable in variables]
        head = [f"{' ' * (self.indent + 4)}{one.python} = [{one.python}]" for one in variables if one.storage == "cell"]
        found = [*self.line(f"for {', '.join(names)} in {values}:"), *head, *self.block(body)]
        self.visible.pop()
        return found

    def _return(self, node: tree.Return) -> list[str]:
        if self.scope is None and not self.isMain:
            return self.line(f"result = {self.values(node.values)}") if node.values else []
        return self.line(f"return {self.values(node.values)}" if node.values else self.empty_return())

    def empty_return(self) -> str:
        """Returns ``return``, with an empty tuple in functions that return several values elsewhere."""
        function = next((one for one in self.program.all_functions if one.scope is self.scope), None)
        return "return" if function is None or self.program.returned(function) is not None else "return ()"

    def _break(self, node: tree.Break) -> list[str]:
        return self.line("break")


_STATEMENTS: dict[type, Any] = {
    tree.Declaration: Statements._declaration,
    tree.LocalFunction: Statements._local_function,
    tree.Assignment: Statements._assignment,
    tree.CallStatement: Statements._call_statement,
    tree.Block: Statements._block,
    tree.If: Statements._if,
    tree.While: Statements._while,
    tree.Repeat: Statements._repeat,
    tree.NumericFor: Statements._numeric_for,
    tree.GenericFor: Statements._generic_for,
    tree.Return: Statements._return,
    tree.Break: Statements._break,
}


def _is_length(node: Node) -> bool:
    return isinstance(node, tree.Unary) and node.operator == "#"


def _is_constant(nodes: list[Node], value: float) -> bool:
    return len(nodes) == 1 and isinstance(nodes[0], tree.Constant) and nodes[0].value == value


def _is_same(one: Node, other: Node) -> bool:
    """True if both are one variable, or one field of it."""
    if isinstance(one, tree.Index) and isinstance(other, tree.Index):
        return _is_same(one.table, other.table) and _is_same(one.key, other.key)
    if isinstance(one, tree.Constant) and isinstance(other, tree.Constant):
        return one.value == other.value
    return type(one) is type(other) and isinstance(one, (tree.Local, tree.Global)) and Program.key(one) == Program.key(other)


def _is_fixed(target: tree.Index, targets: list[Node]) -> bool:
    """True if no other target of the assignment changes the table or the key of this one."""
    changed = {Program.key(one) for one in targets if isinstance(one, (tree.Local, tree.Global))}
    parts = [*walk(target)]
    if any(isinstance(one, (tree.Call, tree.MethodCall)) for one in parts):
        return False
    return not any(isinstance(one, (tree.Local, tree.Global)) and Program.key(one) in changed for one in parts)
