"""The package ``totem``: a ``Tester`` that counts assertions, and ``TestSuite``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..language.arguments import MISSING, string
from ..language.arguments import table as checked
from ..language.errors import raise_error, value_of
from ..language.libraries.string import find
from ..language.operators import eq, le, lt
from ..language.table import Table, Userdata, fields, first, rawget, rawset
from ..tensors import Storage, Tensor
from .values import called, is_table, items, listed, truth, with_metatable

if TYPE_CHECKING:
    from ..language.state import State


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
    """

    __slots__ = ("count", "current", "errors", "isEarly", "isRethrown", "state", "tests")

    def __init__(self, state: State) -> None:
        self.state = state
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


def _tester(value: Any, name: str) -> Tester:
    if not isinstance(value, Tester):
        raise_error(f"bad argument #1 to '{name}' (totem.Tester expected)")
    return value


def _words(rest: tuple[Any, ...], tolerance: float = 0.0) -> tuple[float, str]:
    """Returns the tolerance and the message, with a line end, of an assertion's last arguments."""
    found, message = tolerance, ""
    for one in rest[:2]:
        if one.__class__ is float:
            found = one
        elif one.__class__ is str:
            message = one + "\n"
    return found, message


def are_equal(a: Any, b: Any, tolerance: float) -> bool:
    """Returns whether two values, all that two tables hold, or two tensors within a tolerance, are equal."""
    if a.__class__ is float and b.__class__ is float:
        return a == b or abs(a - b) <= tolerance
    if isinstance(a, (Tensor, Storage)) and isinstance(b, (Tensor, Storage)):
        one, other = (x.array if isinstance(x, Tensor) else x.vector for x in (a, b))
        if one.shape != other.shape:
            return False
        with np.errstate(invalid="ignore"):
            isNear = (one == other) | (np.abs(one.astype(np.float64) - other.astype(np.float64)) <= tolerance)
        return bool(isNear.all())
    if is_table(a) and is_table(b):
        return len(items(a)) == len(items(b)) and all(are_equal(one, rawget(b, key), tolerance) for key, one in items(a))
    return eq(a, b)


def _comparing() -> dict[str, Any]:
    """Returns the assertions of two values."""

    def numbers(name: str, sign: str, opposite: str, test: Any) -> Any:
        def assertion(tester: Any = MISSING, a: Any = None, b: Any = None, *rest: Any) -> bool:
            tester, (_, message) = _tester(tester, f"assert{name}"), _words(rest)
            return tester.note(test(a, b), f"{message}{sign} failed: {tester.text(a)} {opposite} {tester.text(b)}")

        return assertion

    def general(name: str, isEqual: bool) -> Any:
        def assertion(tester: Any = MISSING, a: Any = None, b: Any = None, *rest: Any) -> bool:
            tester, (tolerance, message) = _tester(tester, name), _words(rest)
            kind, opposite = ("EQ", "~=") if isEqual else ("NE", "==")
            words = f"{message}{kind} failed: {tester.text(a)} {opposite} {tester.text(b)}, tolerance={tolerance:g}"
            return tester.note(are_equal(a, b, tolerance) is isEqual, words)

        return assertion

    def assertalmosteq(tester: Any = MISSING, a: Any = None, b: Any = None, *rest: Any) -> bool:
        tester, (tolerance, message) = _tester(tester, "assertalmosteq"), _words(rest, 1e-16)
        words = f"{message}ALMOST_EQ failed: {tester.text(a)} ~= {tester.text(b)} with tolerance={tester.text(tolerance)}"
        return tester.note(abs(a - b) <= tolerance, words)

    made = {"assertlt": numbers("lt", "LT", ">=", lt), "assertle": numbers("le", "LE", ">", le)}
    made |= {
        "assertgt": numbers("gt", "GT", "<=", lambda a, b: lt(b, a)),
        "assertge": numbers("ge", "GE", "<", lambda a, b: le(b, a)),
    }
    made |= {"asserteq": numbers("eq", "EQ", "~=", eq), "assertne": numbers("ne", "NE", "==", lambda a, b: not eq(a, b))}
    made |= {name: general(name, True) for name in ("eq", "assertGeneralEq", "assertTensorEq", "assertTableEq")}
    made |= {name: general(name, False) for name in ("ne", "assertGeneralNe", "assertTensorNe", "assertTableNe")}
    return {**made, "assertalmosteq": assertalmosteq}


def _fits(value: Any, pattern: Any) -> bool:
    """Returns whether an error value has a part that fits a pattern."""
    return value.__class__ is str and find(value, pattern) is not None


def _failing() -> dict[str, Any]:
    """Returns the assertions of a condition, and of errors."""

    def assert_(tester: Any = MISSING, condition: Any = None, *rest: Any) -> bool:
        tester, (_, message) = _tester(tester, "assert"), _words(rest)
        return tester.note(truth(condition), f"{message}BOOL violation condition={tester.text(condition)}")

    def erring(name: str, test: Any) -> Any:
        def assertion(tester: Any = MISSING, function: Any = MISSING, *rest: Any) -> bool:
            tester = _tester(tester, name)
            wanted, rest = (rest[0] if rest else None, rest[1:]) if test is not None else (None, rest)
            message = _words(rest)[1]
            try:
                called(function)
            except Exception as error:
                value = value_of(error)
                isFit = test is None or test(value, wanted)
                return tester.note(isFit, f"{message}ERROR violation: err={tester.text(value)}")
            return tester.note(False, f"{message}ERROR violation: err=nil")

        return assertion

    def assertNoError(tester: Any = MISSING, function: Any = MISSING, *rest: Any) -> bool:
        tester, message = _tester(tester, "assertNoError"), _words(rest)[1]
        try:
            called(function)
        except Exception as error:
            return tester.note(False, f"{message}ERROR violation: err={tester.text(value_of(error))}")
        return tester.note(True, "")

    made = {"assert": assert_, "assertNoError": assertNoError, "assertError": erring("assertError", None)}
    made["assertErrorMsg"] = erring("assertErrorMsg", eq)
    made["assertErrorPattern"] = erring("assertErrorPattern", _fits)
    return {**made, "assertErrorObj": erring("assertErrorObj", lambda value, test: truth(called(test, value)))}


def _running() -> dict[str, Any]:
    """Returns the methods that hold and run tests."""

    def add(tester: Any = MISSING, tests: Any = MISSING, name: Any = None, *_: Any) -> Any:
        tester = _tester(tester, "add")
        if not is_table(tests):
            tester.tests[str(len(tester.tests) + 1) if name is None else string(name, 3, "add")] = tests
            return tester
        held = rawget(tests, "__tests") or tests
        for key, test in items(held):
            if callable(test) and not is_table(test):
                tester.tests[f"{name}_{key}" if name is not None else str(key)] = test
        return tester

    def wanted(tester: Tester, names: Any) -> dict[str, Any]:
        if names is None:
            return tester.tests
        given = [names] if names.__class__ is str else listed(checked(names, 2, "run"))
        forms = [re.compile(re.escape(one).replace(r"\*", ".*")) for one in given]
        return {name: test for name, test in tester.tests.items() if any(form.fullmatch(name) for form in forms)}

    def run(tester: Any = MISSING, names: Any = None, *_: Any) -> Any:
        tester = _tester(tester, "run")
        tester.errors, tester.count = [], 0
        tests, failed = wanted(tester, names), 0
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

    def early(tester: Any = MISSING, isEarly: Any = None, *_: Any) -> tuple[()]:
        _tester(tester, "setEarlyAbort").isEarly = truth(isEarly)
        return ()

    def rethrow(tester: Any = MISSING, isRethrown: Any = None, *_: Any) -> tuple[()]:
        _tester(tester, "setRethrowErrors").isRethrown = truth(isRethrown)
        return ()

    def disable(tester: Any = MISSING, names: Any = MISSING, *_: Any) -> Any:
        for name in [names] if names.__class__ is str else listed(checked(names, 2, "disable")):
            _tester(tester, "disable").tests.pop(name, None)
        return tester

    return {"add": add, "run": run, "setEarlyAbort": early, "setRethrowErrors": rethrow, "disable": disable}


def suite(*_: Any) -> Table:
    """Returns a table of tests, which takes each name once."""
    tests = Table()

    def assigned(_: Any, name: Any = None, test: Any = None, *_rest: Any) -> tuple[()]:
        if rawget(tests, name) is not None:
            raise_error(f"Test {name} is already defined.")
        if not callable(test) or is_table(test):
            raise_error("Only functions are supported as members of a TestSuite")
        rawset(tests, name, test)
        return ()

    made = fields(__tests=tests, __isTestSuite=True)
    return with_metatable(made, __index=tests, __newindex=assigned)


def library(state: State) -> Table:
    """Returns the package's table."""
    state.require("torch")
    metatable = fields(**_comparing(), **_failing(), **_running())
    metatable.__dict__["__index"] = metatable
    made: Any = type("Tester", (Tester,), {"__slots__": (), "_metatable": metatable})
    return fields(
        Tester=with_metatable(Table(), __call=lambda *_: made(state), __index=metatable),
        TestSuite=suite,
    )
