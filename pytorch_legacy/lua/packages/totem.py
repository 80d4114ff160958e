"""The package ``totem``: a ``Tester`` that counts assertions, and ``TestSuite``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..language.arguments import string, table
from ..language.errors import raise_error, value_of
from ..language.libraries.string import find
from ..language.operators import eq, le, lt
from ..language.table import Table, Userdata, fields, first, rawget, rawset
from ..tensors import Storage, Tensor
from .functions import functions
from .values import called, equal, is_callable, is_table, items, listed, truth, with_metatable

if TYPE_CHECKING:
    from ..language.state import State

_NO_ERROR: Any = object()


class Tester(Userdata):
    """A ``totem.Tester``.

    Attributes
    ----------
    tests : dict
        The functions by their names.
    errors : list of str
        The messages of assertions that failed, with the name of their test.
    count : int
        The number of assertions.
    current : str
        The name of the test that runs.
    own : dict
        Fields that a script has set: assertions of its own.
    """

    __slots__ = ("count", "current", "errors", "isEarly", "isRethrown", "own", "state", "tests")

    def __init__(self, state: State) -> None:
        self.state = state
        self.own: dict[Any, Any] = {}
        self.tests: dict[str, Any] = {}
        self.errors: list[str] = []
        self.count, self.current, self.isEarly, self.isRethrown = 0, "", False, False

    def note(self, isTrue: bool, message: str) -> bool:
        """Counts an assertion."""
        self.count += 1
        if not isTrue:
            if self.isRethrown:
                raise_error(message)
            self.errors.append(f"{self.current}\n{message}" if self.current else message)
        return isTrue

    def text(self, value: Any) -> str:
        """Returns a value as text."""
        return str(first(self.state.tostring(value)))


def _tester(value: Any, _: int, name: str) -> Tester:
    if not isinstance(value, Tester):
        raise_error(f"bad argument #1 to '{name}' (totem.Tester expected)")
    return value


def _words(rest: tuple[Any, ...], tolerance: float = 0.0) -> tuple[float, str]:
    """Returns the tolerance and the message, with a line end, of an assertion's last arguments."""
    tolerance = next((one for one in rest[1::-1] if one.__class__ is float), tolerance)
    return tolerance, next((one + "\n" for one in rest[1::-1] if one.__class__ is str), "")


def are_equal(a: Any, b: Any, tolerance: float = 0.0) -> bool:
    """Returns whether two values, all that two tables hold, or two tensors within a tolerance, are equal."""

    def is_near(a: Any, b: Any) -> bool:
        if a.__class__ is float and b.__class__ is float:
            return bool(a == b or abs(a - b) <= tolerance)
        if not isinstance(a, (Tensor, Storage)) or not isinstance(b, (Tensor, Storage)):
            return eq(a, b)
        one, other = (x.array if isinstance(x, Tensor) else x.vector for x in (a, b))
        if one.shape != other.shape:
            return False
        with np.errstate(invalid="ignore"):
            return bool(((one == other) | (np.abs(one.astype(np.float64) - other.astype(np.float64)) <= tolerance)).all())

    return equal(a, b, is_near)


def is_no_error(value: Any) -> bool:
    """Returns whether `raised` has found no error."""
    return value is _NO_ERROR


def raised(function: Any, *arguments: Any) -> Any:
    """Returns the error value of a call, or `_NO_ERROR`."""
    try:
        called(function, *arguments)
    except Exception as error:
        return value_of(error)
    return _NO_ERROR


# ------------------------------------------------------------------------------------------------------ assertions


def _comparison(sign: str, opposite: str, test: Any) -> Any:
    def assertion(tester: Tester, a: Any, b: Any, *rest: Any) -> bool:
        return tester.note(test(a, b), f"{_words(rest)[1]}{sign} failed: {tester.text(a)} {opposite} {tester.text(b)}")

    return "tester any any *any", assertion


def _general(isEqual: bool) -> Any:
    sign, opposite = ("EQ", "~=") if isEqual else ("NE", "==")

    def assertion(tester: Tester, a: Any, b: Any, *rest: Any) -> bool:
        tolerance, message = _words(rest)
        words = f"{message}{sign} failed: {tester.text(a)} {opposite} {tester.text(b)}, tolerance={tolerance:g}"
        return tester.note(are_equal(a, b, tolerance) is isEqual, words)

    return "tester any any *any", assertion


def _almost_equal(tester: Tester, a: float, b: float, *rest: Any) -> bool:
    tolerance, message = _words(rest, 1e-16)
    words = f"{message}ALMOST_EQ failed: {tester.text(a)} ~= {tester.text(b)} with tolerance={tester.text(tolerance)}"
    return tester.note(abs(a - b) <= tolerance, words)


def _assert(tester: Tester, condition: Any, *rest: Any) -> bool:
    return tester.note(truth(condition), f"{_words(rest)[1]}BOOL violation condition={tester.text(condition)}")


def _erring(test: Any, text: str = "tester any any *any") -> Any:
    """Returns the assertion of an error value, which passes a test."""

    def assertion(tester: Tester, function: Any, *rest: Any) -> bool:
        wanted, rest = (rest[0], rest[1:]) if text.count("any") > 2 else (None, rest)
        error = raised(function)
        shown = None if error is _NO_ERROR else error
        return tester.note(test(error, wanted), f"{_words(rest)[1]}ERROR violation: err={tester.text(shown)}")

    return text, assertion


def _fits(value: Any, pattern: Any) -> bool:
    return value.__class__ is str and find(value, pattern) is not None


_ASSERTIONS: dict[str, Any] = {
    **{"assertlt": _comparison("LT", ">=", lt), "assertgt": _comparison("GT", "<=", lambda a, b: lt(b, a))},
    **{"assertle": _comparison("LE", ">", le), "assertge": _comparison("GE", "<", lambda a, b: le(b, a))},
    **{"asserteq": _comparison("EQ", "~=", eq), "assertne": _comparison("NE", "==", lambda a, b: not eq(a, b))},
    **dict.fromkeys(("eq", "assertGeneralEq", "assertTensorEq", "assertTableEq"), _general(True)),
    **dict.fromkeys(("ne", "assertGeneralNe", "assertTensorNe", "assertTableNe"), _general(False)),
    "assertalmosteq": ("tester number number *any", _almost_equal),
    "assert": ("tester any *any", _assert),
    "assertNoError": _erring(lambda error, _: error is _NO_ERROR, "tester any *any"),
    "assertError": _erring(lambda error, _: error is not _NO_ERROR, "tester any *any"),
    "assertErrorMsg": _erring(eq),
    "assertErrorPattern": _erring(_fits),
    "assertErrorObj": _erring(lambda error, test: error is not _NO_ERROR and truth(called(test, error))),
}

# ------------------------------------------------------------------------------------------------------ tests


def _is_test(value: Any) -> bool:
    return is_callable(value) and not is_table(value)


def _add(tester: Tester, tests: Any, name: Any) -> Tester:
    if not is_table(tests):
        tester.tests[str(len(tester.tests) + 1) if name is None else string(name, 3, "add")] = tests
        return tester
    for key, test in items(rawget(tests, "__tests") or tests):
        if _is_test(test):
            tester.tests[tester.text(key) if name is None else f"{tester.text(name)}_{tester.text(key)}"] = test
    return tester


def _names(names: Any, function: str) -> list[str]:
    given = [names] if names.__class__ is str else listed(table(names, 2, function))
    return [string(one, 2, function) for one in given]


def _run(tester: Tester, names: Any) -> tuple[()]:
    tester.errors, tester.count = [], 0
    tests, failed = tester.tests, 0
    if names is not None:
        forms = [re.compile(re.escape(one).replace(r"\*", ".*")) for one in _names(names, "run")]
        tests = {name: test for name, test in tests.items() if any(form.fullmatch(name) for form in forms)}
    for name, test in tests.items():
        tester.current, before = name, len(tester.errors)
        try:
            called(test)
        except Exception as error:
            if tester.isRethrown:
                raise
            tester.errors.append(f"{name}\n Function call failed\n{tester.text(value_of(error))}")
        failed += len(tester.errors) > before
        if tester.isEarly and failed:
            break
    tester.current = ""
    rule = "\n" + "-" * 80 + "\n"
    summary = f"Completed {tester.count} asserts in {len(tests)} tests with {len(tester.errors)} failures"
    tester.state.write(rule.join([summary, *tester.errors]) + "\n")
    if failed:
        raise_error(f"An error was found while running tests!\n{summary}")
    return ()


def _setter(field: str) -> Any:
    return "tester truth", lambda tester, value: (setattr(tester, field, value), ())[1]  # type: ignore[func-returns-value]


def _disable(tester: Tester, names: Any) -> Tester:
    for name in _names(names, "disable"):
        tester.tests.pop(name, None)
    return tester


_METHODS: dict[str, Any] = {
    **{"add": ("tester any any", _add), "run": ("tester any", _run), "disable": ("tester any", _disable)},
    **{"setEarlyAbort": _setter("isEarly"), "setRethrowErrors": _setter("isRethrown")},
}


def _suite(*_: Any) -> Table:
    """Returns a table of tests, which takes each name once."""
    tests = Table()

    def assigned(_: Any, name: Any = None, test: Any = None, *_rest: Any) -> tuple[()]:
        if rawget(tests, name) is not None:
            raise_error(f"Test {name} is already defined.")
        if not _is_test(test):
            raise_error("Only functions are supported as members of a TestSuite")
        rawset(tests, name, test)
        return ()

    return with_metatable(fields(__tests=tests, __isTestSuite=True), __index=tests, __newindex=assigned)


def library(state: State) -> Table:
    """Returns the package's table."""
    torch = state.require("torch").__dict__
    return fields(Tester=torch["Tester"], TestSuite=torch["TestSuite"])


def extend_torch(state: State, table: Table) -> None:
    """Adds to torch what totem took over from it: ``Tester`` and ``TestSuite``."""
    methods = fields(**functions({**_ASSERTIONS, **_METHODS}, tester=_tester))

    def index(tester: Tester, key: Any) -> Any:
        return tester.own[key] if key in tester.own else rawget(methods, key)

    def newindex(tester: Tester, key: Any, value: Any) -> None:
        tester.own[key] = value

    metatable = fields(__index=index, __newindex=newindex)
    made: Any = type("Tester", (Tester,), {"__slots__": (), "_metatable": metatable})
    tester = with_metatable(Table(), __call=lambda *_: made(state), __index=methods)
    table.__dict__.update(Tester=tester, **functions({"TestSuite": ("*any", _suite)}))
