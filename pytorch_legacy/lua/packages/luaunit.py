"""The package ``luaunit``: assertions, and a run of the globals whose names begin with test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, string
from ..language.errors import raise_error, type_name, value_of
from ..language.libraries.string import find
from ..language.operators import eq
from ..language.table import Table, fields, first, rawget
from .totem import are_equal
from .values import called, is_table, items, listed, truth

if TYPE_CHECKING:
    from ..language.state import State

_KINDS = ("Number", "String", "Table", "Boolean", "Function", "Userdata", "Nil", "Thread")


class _Assertions:
    """The assertions of a state."""

    def __init__(self, state: State) -> None:
        self.state = state

    def shown(self, value: Any) -> str:
        """Returns a value as messages have it."""
        if value.__class__ is str:
            return f'"{value}"'
        if is_table(value) and value.__class__ is Table:
            values = listed(value)
            named = [
                f"{self.shown(k)}={self.shown(v)}" for k, v in items(value) if not (k.__class__ is float and k <= len(values))
            ]
            return "{" + ", ".join([*map(self.shown, values), *named]) + "}"
        return str(first(self.state.tostring(value)))

    def equality(self) -> dict[str, Any]:
        """Returns the assertions of two values."""

        def assertEquals(actual: Any = None, expected: Any = None, *_: Any) -> tuple[()]:
            if not are_equal(actual, expected, 0.0):
                raise_error(f"expected: {self.shown(expected)}, actual: {self.shown(actual)}")
            return ()

        def assertNotEquals(actual: Any = None, expected: Any = None, *_: Any) -> tuple[()]:
            if are_equal(actual, expected, 0.0):
                raise_error(f"Received unexpected value: {self.shown(actual)}")
            return ()

        def assertAlmostEquals(actual: Any = None, expected: Any = None, margin: Any = 1e-15, *_: Any) -> tuple[()]:
            if not abs(actual - expected) <= margin:
                raise_error(f"Values are not almost equal\nExpected: {self.shown(expected)} with margin of {self.shown(margin)}, "
                            f"received: {self.shown(actual)}")  # fmt: skip
            return ()

        def assertIs(actual: Any = None, expected: Any = None, *_: Any) -> tuple[()]:
            if not eq(actual, expected):
                raise_error(f"Expected object and actual object are not the same\nExpected: {self.shown(expected)}, "
                            f"actual: {self.shown(actual)}")  # fmt: skip
            return ()

        def assertItemsEquals(actual: Any = MISSING, expected: Any = MISSING, *_: Any) -> tuple[()]:
            left = [value for _key, value in items(expected)]
            for _key, value in items(actual):
                place = next((i for i, one in enumerate(left) if are_equal(one, value, 0.0)), None)
                if place is None:
                    raise_error(f"Contents of the tables are not identical:\nExpected: {self.shown(expected)}\n"
                                f"Actual: {self.shown(actual)}")  # fmt: skip
                del left[place]
            if left:
                raise_error(f"Contents of the tables are not identical:\nExpected: {self.shown(expected)}\n"
                            f"Actual: {self.shown(actual)}")  # fmt: skip
            return ()

        made = {"assertEquals": assertEquals, "assertNotEquals": assertNotEquals, "assertAlmostEquals": assertAlmostEquals}
        return {**made, "assertIs": assertIs, "assertItemsEquals": assertItemsEquals}

    def kinds(self) -> dict[str, Any]:
        """Returns the assertions of one value."""

        def expecting(words: str, test: Any) -> Any:
            def assertion(value: Any = None, *_: Any) -> tuple[()]:
                if not test(value):
                    raise_error(f"expected: {words}, actual: {self.shown(value)}")
                return ()

            return assertion

        def typed(kind: str) -> Any:
            def assertion(value: Any = None, *_: Any) -> tuple[()]:
                if type_name(value) != kind:
                    raise_error(f"Expected: a {kind} value, actual: type {type_name(value)}, value {self.shown(value)}")
                return ()

            return assertion

        made = {"assertTrue": expecting("true", truth), "assertFalse": expecting("false", lambda value: not truth(value))}
        made |= {"assertNil": expecting("nil", lambda value: value is None)}
        made |= {"assertNotNil": expecting("non-nil value", lambda value: value is not None)}
        return made | {f"assertIs{kind}": typed(kind.lower()) for kind in _KINDS}

    def errors(self) -> dict[str, Any]:
        """Returns the assertions of errors and of texts."""

        def raised(function: Any, arguments: tuple[Any, ...]) -> Any:
            try:
                called(function, *arguments)
            except Exception as error:
                return value_of(error)
            raise_error("Expected an error when calling function but no error generated")

        def assertError(function: Any = MISSING, *arguments: Any) -> tuple[()]:
            raised(function, arguments)
            return ()

        def erring(test: Any, words: str) -> Any:
            def assertion(wanted: Any = MISSING, function: Any = MISSING, *arguments: Any) -> tuple[()]:
                message = raised(function, arguments)
                if not test(message, wanted):
                    raise_error(
                        f"Error message expected{words}: {self.shown(wanted)}\nError message received: {self.shown(message)}"
                    )
                return ()

            return assertion

        def containing(isWanted: bool) -> Any:
            def assertion(text: Any = MISSING, part: Any = MISSING, isPattern: Any = None, *_: Any) -> tuple[()]:
                text, part = string(text, 1, "assertStrContains"), string(part, 2, "assertStrContains")
                if (find(text, part, None, not truth(isPattern)) is not None) is not isWanted:
                    word = "not found" if isWanted else "was found"
                    raise_error(f"Error, substring {self.shown(part)} {word} in string {self.shown(text)}")
                return ()

            return assertion

        def contains(message: Any, part: Any) -> bool:
            return message.__class__ is str and part in message

        made = {"assertError": assertError, "assertErrorMsgEquals": erring(eq, "")}
        made |= {"assertErrorMsgContains": erring(contains, " to contain")}
        return {**made, "assertStrContains": containing(True), "assertNotStrContains": containing(False)}


def _tests(state: State, names: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
    """Returns name, function and object of each test among the globals."""
    found: list[tuple[str, Any, Any]] = []
    for key, value in sorted((pair for pair in items(state.globals) if pair[0].__class__ is str), key=lambda pair: pair[0]):
        if not key.lower().startswith("test") or (names and key not in names):
            continue
        if is_table(value):
            methods = sorted(pair for pair in items(value) if pair[0].__class__ is str and pair[0].lower().startswith("test"))
            found += [(f"{key}.{name}", test, value) for name, test in methods]
        elif callable(value):
            found.append((key, value, None))
    return found


def _run(state: State, names: tuple[Any, ...]) -> float:
    """Runs tests. Prints the failures, and returns how many there are."""
    failures: list[str] = []
    tests = _tests(state, names)
    for name, test, holder in tests:
        try:
            for step in ("setUp", None, "tearDown"):
                function = test if step is None else None if holder is None else rawget(holder, step)
                if function is not None:
                    called(function, *(() if holder is None else (holder,)))
        except Exception as error:
            failures.append(f"{len(failures) + 1}) {name}\n{first(state.tostring(value_of(error)))}\n")
    if failures:
        state.write("Failed tests:\n-------------\n" + "\n".join(failures) + "\n")
    state.write(f"Ran {len(tests)} tests, {len(tests) - len(failures)} successes, {len(failures)} failures\n")
    state.write("" if failures else "OK\n")
    return float(len(failures))


def library(state: State) -> Table:
    """Returns the package's table."""
    assertions = _Assertions(state)
    made = {**assertions.equality(), **assertions.kinds(), **assertions.errors()}
    made |= {"assertNotIsNil": made["assertNotNil"], "assert_equals": made["assertEquals"], "assertEqual": made["assertEquals"]}

    def run(*names: Any) -> float:
        return _run(state, tuple(name for name in names if name.__class__ is str and not name.startswith("-")))

    unit = Table()
    unit.__dict__.update(run=run, new=lambda *_: unit, runSuite=lambda _=None, *names: run(*names), setOutputType=lambda *_: ())
    return fields(**made, LuaUnit=unit, run=run)
