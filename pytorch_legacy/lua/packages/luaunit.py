"""The package ``luaunit``: assertions, and a run of the globals whose names begin with test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..language.errors import raise_error, type_name, value_of
from ..language.libraries.string import find
from ..language.operators import eq
from ..language.table import Table, fields, first, rawget
from .functions import functions
from .totem import are_equal, is_no_error, raised
from .values import called, is_callable, is_table, items, listed, place_of, truth

if TYPE_CHECKING:
    from ..language.state import State

_KINDS = ("Number", "String", "Table", "Boolean", "Function", "Userdata", "Nil", "Thread")
_MAX_DEPTH = 100  # tables within each other that messages show


def _shower(state: State) -> Any:
    """Returns a function that returns a value as messages have it."""

    def shown(value: Any, around: tuple[Any, ...] = ()) -> str:
        if value.__class__ is str:
            return f'"{value}"'
        isOpen = any(value is one for one in around) or len(around) > _MAX_DEPTH
        if not is_table(value) or value.__class__ is not Table or isOpen:
            return str(first(state.tostring(value)))
        values, inner = listed(value), (*around, value)
        named = [(key, one) for key, one in items(value) if not (key.__class__ is float and key <= len(values))]
        rows = [f"{shown(key, inner)}={shown(one, inner)}" for key, one in named]
        return "{" + ", ".join([*(shown(one, inner) for one in values), *rows]) + "}"

    return shown


def _have_same_values(a: Any, b: Any) -> bool:
    """Returns whether two tables hold the same values, in any order."""
    left = [value for _key, value in items(b)]
    for _key, value in items(a):
        place = place_of(value, left, are_equal)
        if place is None:
            return False
        del left[place]
    return not left


def _asserting(text: str, test: Any, message: Any) -> Any:
    """Returns the declaration of an assertion: a test of arguments, and the message if they fail it."""

    def assertion(*given: Any) -> tuple[()]:
        if not test(*given):
            raise_error(message(*given))
        return ()

    return text, assertion


def _comparing(shown: Any) -> dict[str, Any]:
    """Returns the assertions of two values."""

    def not_almost(a: float, b: float, margin: float) -> str:
        return f"Values are not almost equal\nExpected: {shown(b)} with margin of {shown(margin)}, received: {shown(a)}"

    def not_same(a: Any, b: Any) -> str:
        return f"Expected object and actual object are not the same\nExpected: {shown(b)}, actual: {shown(a)}"

    def not_identical(a: Any, b: Any) -> str:
        return f"Contents of the tables are not identical:\nExpected: {shown(b)}\nActual: {shown(a)}"

    equals = _asserting("any any", are_equal, lambda a, b: f"expected: {shown(b)}, actual: {shown(a)}")
    unexpected = lambda a, _: f"Received unexpected value: {shown(a)}"  # noqa: E731
    return {
        **dict.fromkeys(("assertEquals", "assertEqual", "assert_equals"), equals),
        "assertNotEquals": _asserting("any any", lambda a, b: not are_equal(a, b), unexpected),
        "assertAlmostEquals": _asserting(
            "number number number=0.000000000000001", lambda a, b, margin: abs(a - b) <= margin, not_almost
        ),
        "assertIs": _asserting("any any", eq, not_same),
        "assertItemsEquals": _asserting("table table", _have_same_values, not_identical),
    }


def _testing(shown: Any) -> dict[str, Any]:
    """Returns the assertions of one value, and of texts."""

    def expecting(words: str, test: Any) -> Any:
        return _asserting("any", test, lambda value: f"expected: {words}, actual: {shown(value)}")

    def typed(kind: str) -> Any:
        def message(value: Any) -> str:
            return f"Expected: a {kind} value, actual: type {type_name(value)}, value {shown(value)}"

        return _asserting("any", lambda value: type_name(value) == kind, message)

    def containing(isWanted: bool) -> Any:
        def test(text: str, part: str, isPattern: bool) -> bool:
            return (find(text, part, None, not isPattern) is not None) is isWanted

        word = "not found" if isWanted else "was found"
        return _asserting(
            "string string truth", test, lambda text, part, _: f"Error, substring {shown(part)} {word} in string {shown(text)}"
        )

    notNil = expecting("non-nil value", lambda value: value is not None)
    return {
        **{"assertTrue": expecting("true", truth), "assertFalse": expecting("false", lambda value: not truth(value))},
        **{"assertNil": expecting("nil", lambda value: value is None), "assertNotNil": notNil, "assertNotIsNil": notNil},
        **{f"assertIs{kind}": typed(kind.lower()) for kind in _KINDS},
        **{"assertStrContains": containing(True), "assertNotStrContains": containing(False)},
    }


def _erring(shown: Any) -> dict[str, Any]:
    """Returns the assertions of errors."""

    def error_of(function: Any, *given: Any) -> Any:
        if is_no_error(error := raised(function, *given)):
            raise_error("Expected an error when calling function but no error generated")
        return error

    def fitting(words: str, test: Any, kind: str = "any") -> Any:
        def assertion(wanted: Any, *given: Any) -> tuple[()]:
            if not test(error := error_of(*given), wanted):
                raise_error(f"Error message expected{words}: {shown(wanted)}\nError message received: {shown(error)}")
            return ()

        return f"{kind} any *any", assertion

    return {
        "assertError": ("any *any", lambda *given: (error_of(*given), ())[1]),
        "assertErrorMsgEquals": fitting("", eq),
        "assertErrorMsgContains": fitting(" to contain", lambda error, part: error.__class__ is str and part in error, "string"),
    }


def _tests(state: State, names: tuple[str, ...]) -> list[tuple[str, Any, Any]]:
    """Returns name, function and object of each test among the globals."""

    def tests_in(table: Table) -> list[tuple[str, Any]]:
        pairs = [(key, one) for key, one in items(table) if key.__class__ is str and key.lower().startswith("test")]
        return sorted(pairs, key=lambda pair: pair[0])

    found: list[tuple[str, Any, Any]] = []
    for key, value in tests_in(state.globals):
        if names and key not in names:
            continue
        if is_table(value):
            found += [(f"{key}.{name}", test, value) for name, test in tests_in(value)]
        elif is_callable(value):
            found.append((key, value, None))
    return found


def _run(state: State, names: tuple[str, ...]) -> int:
    """Runs tests. Prints the failures, and returns how many there are."""
    failures: list[str] = []
    tests = _tests(state, names)
    for name, test, holder in tests:
        own = () if holder is None else (holder,)
        steps = [test] if holder is None else [rawget(holder, "setUp"), test, rawget(holder, "tearDown")]
        try:
            for step in steps:
                if step is not None:
                    called(step, *own)
        except Exception as error:
            failures.append(f"{len(failures) + 1}) {name}\n{first(state.tostring(value_of(error)))}\n")
    if failures:
        state.write("Failed tests:\n-------------\n" + "\n".join(failures) + "\n")
    state.write(f"Ran {len(tests)} tests, {len(tests) - len(failures)} successes, {len(failures)} failures\n")
    state.write("" if failures else "OK\n")
    return len(failures)


def library(state: State) -> Table:
    """Returns the package's table."""

    def run(*names: Any) -> int:
        return _run(state, tuple(name for name in names if name.__class__ is str and not name.startswith("-")))

    unit: Table = fields(**functions({
        "run": ("*any", run),
        "new": ("*any", lambda *_: unit),
        "runSuite": ("any *any", lambda _, *names: run(*names)),
        "setOutputType": ("*any", lambda *_: ()),
    }))  # fmt: skip
    shown = _shower(state)
    made = functions({**_comparing(shown), **_testing(shown), **_erring(shown)})
    return fields(**made, LuaUnit=unit, run=unit.run)
