"""The table of cases: every file of tests/cases, and how a check is run over the cases that it applies to."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.case import Case, ErrorRow
from tests.rows import all_of, rows

FILES = sorted(Path(__file__).with_name("cases").glob("[A-Z]*.py"))
CLASSES = {path.stem: import_module(f"tests.cases.{path.stem}") for path in FILES}
CASES: list[tuple[str, Case]] = [(name, case) for name, module in CLASSES.items() for case in module.CASES]
ERRORS: list[tuple[str, ErrorRow]] = [(name, row) for name, module in CLASSES.items() for row in module.ERRORS]

CHECKS: set[str] = set()
"""Names of the checks that have been collected."""


def only(applies: Callable[[Case], Any]) -> Callable[[Any], Any]:
    """Decorator: the check is for those cases."""

    def mark(function: Any) -> Any:
        function.applies = applies
        return function

    return mark


isLayer = only(lambda case: case.target is None)
isBatched = only(lambda case: case.batched and case.target is None)
isDifferentiable = only(lambda case: case.jacobian)
hasParameters = only(lambda case: case.target is None and any(case.make().parameters() or ()))


# Layers whose gradOutput may have another shape with as many elements, as in Torch7.
_ANY_SHAPE = """
    Abs Add AddConstant CAdd CAddTable CDivTable CMaxTable CMinTable CMul CMulTable CSubTable Clamp Collapse Contiguous Copy
    Dropout ELU Exp GradientReversal HardShrink HardTanh L1Penalty LayerNormalization LeakyReLU Log LogSigmoid Mul MulConstant
    PReLU Power RReLU ReLU ReLU6 Reshape Sigmoid SoftPlus SoftShrink SoftSign SpatialDropout Sqrt Square Squeeze Tanh TanhShrink
    Threshold Unsqueeze View VolumetricDropout WhiteNoise ZeroGrad
    """
# The same for networks of authors, each of which ends in one of these layers.
_ANY_SHAPE += "BatchRNNReLU OnmtGlobalAttention OnmtNoAttention SequenceWise"


takesAnyShape = only(lambda case: case.target is None and type(case.make()).__name__ in _ANY_SHAPE.split())
takesOneShape = only(lambda case: case.target is None and type(case.make()).__name__ not in _ANY_SHAPE.split())
takesAnyType = only(lambda case: case.target is None and case.make()._takesAnyType)
takesOneType = only(lambda case: case.target is None and not case.make()._takesAnyType)


def joined(*checks: Callable[[Case, str], None]) -> Any:
    """A test of several checks, each for the cases that it applies to: one item for a class. A row names its check and case."""
    table = []
    for check in checks:
        name = check.__name__
        CHECKS.add(name)
        applies = getattr(check, "applies", lambda case: True)
        chosen = [(cls, case) for cls, case in CASES if applies(case) and name not in case.skip]
        table += [(cls, f"{name} of {case.name}", (check, case)) for cls, case in chosen]

    @rows("check, checked", table)
    def test(check: Callable[[Case, str], None], checked: Case, dtype: str) -> None:
        check(checked, dtype)

    return test


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """pytest's hook, for test files that import it: fills in the arguments `case` and `dtype`."""
    check = metafunc.function.__name__.removeprefix("test_")
    applies = getattr(metafunc.function, "applies", lambda case: True)
    if "case" in metafunc.fixturenames:
        CHECKS.add(check)
        chosen = [(name, case.name, case) for name, case in CASES if applies(case) and check not in case.skip]
        metafunc.parametrize(*rows("case", chosen).args)
    if "dtype" in metafunc.fixturenames:
        metafunc.parametrize(*all_of("dtype", metafunc.config.getoption("dtype") or ["float64", "float32"]).args)
