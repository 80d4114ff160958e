"""Every case of the classes of authors: values, gradients, batches, memory, copies, files, and what is not as it should be."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from tests import test_layer_errors, test_layer_memory, test_layers
from tests.authors.cases import CASES
from tests.case import Case
from tests.rows import all_of, rows
from tests.trees import assert_same, copied
from tests.trial import Trial

NAMES = {
    test_layers: "test_forward test_gradInput test_directions test_gradParameters test_accumulate test_halves test_batch"
    " test_gradOutput_of_another_shape test_empty_batch test_large_loss",
    test_layer_memory: "overwrite untouched inplace readonly strided expanded own_results history copies",
    test_layer_errors: "wrong_rank wrong_batch wrong_width wrong_dtype missing masked test_nonfinite test_nan_arrives"
    " test_nonfinite_loss",
}
CHECKS = {name.removeprefix("test_"): getattr(module, name) for module, names in NAMES.items() for name in names.split()}

TABLE = [
    (cls, f"{name} of {case.name}", (check, case))
    for cls, case in CASES
    for name, check in CHECKS.items()
    if getattr(check, "applies", lambda case: True)(case) and name not in case.skip
]
NEEDS_DOUBLE = ("gradInput", "directions", "gradParameters")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@rows("check, checked", TABLE)
@all_of("precision", ["float64", "float32"])
def test_check(check: Any, checked: Case, precision: str) -> None:
    if check.__name__.removeprefix("test_") not in NEEDS_DOUBLE:
        check(checked, precision)
    elif precision == "float64":
        check(checked)


@rows("case", [(name, case.name, case) for name, case in CASES])
def test_file(case: Case) -> None:
    """A saved module computes the same, after a pass and after clearState; so does the module in the other precision."""
    trial = Trial(case, np.float64)
    module = trial.module()
    expected = trial.run(input=copied(trial.input), module=module)
    for prepared in (module, module.clone().clearState() if not trial.isCriterion else module.clone()):
        file = io.BytesIO()
        pl.save(file, prepared)
        loaded = pl.load(file.getvalue())
        assert type(loaded) is type(module) and repr(loaded) == repr(module)
        assert_same(trial.run(input=copied(trial.input), module=loaded).all(), expected.all())
    twin = Trial(case, np.float32).module().double()
    assert_same(trial.run(input=copied(trial.input), module=twin).all(), expected.all())


def test_skipped_checks_exist() -> None:
    assert {name for _, case in CASES for name in case.skip} - CHECKS.keys() == set()
