"""Every case of every file in tests/cases with what is not as it should be: NaN, infinities, wrong shapes and types."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pytorch_legacy import errors
from tests.case import Case, ErrorRow
from tests.rows import rows
from tests.table import CASES, CHECKS, ERRORS, isLayer, joined, only, takesOneShape, takesOneType
from tests.table import pytest_generate_tests as pytest_generate_tests
from tests.trees import (
    Array,
    Tree,
    assert_same,
    cast,
    copied,
    leaves,
    mapped,
    shaped,
    shapes,
    some,
    vector,
)
from tests.trial import Trial

# ---------------------------------------------------------------------------------------------- NaN and infinity

BAD = (np.nan, np.inf, -np.inf)


def reach(f: Callable[[Tree], Tree], tree: Tree, usual: list[Array], i: int) -> list[Array]:
    """Returns the elements of f(tree) that depend on its element i: those not as `usual` if it is large or large negative."""
    changed = [np.zeros(leaf.shape, bool) for leaf in usual]
    for probe in (1e3, -1e3):
        for seen, was, now in zip(changed, usual, leaves(f(poked(tree, i, probe))), strict=True):
            seen |= was != now
    return changed


def poked(tree: Tree, i: int, value: float) -> Tree:
    elements = vector(tree).copy()
    elements[i] = value
    return shaped(elements, tree)


def assert_confined(f: Callable[[Tree], Tree], tree: Tree, what: str) -> None:
    """A NaN or an infinity in `tree` changes no element of f(tree) that the element under it does not reach."""
    usual = leaves(f(tree))
    for i in some(vector(tree).size, 5)[:3]:
        within = reach(f, tree, usual, int(i))
        for bad in BAD:
            for seen, was, now in zip(within, usual, leaves(f(poked(tree, i, bad))), strict=True):
                assert_same(now[~seen], was[~seen], f"{bad} in {what}[{i}]")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # layers written in NumPy say when they meet infinity - infinity
@isLayer
def test_nonfinite(case: Case, dtype: str) -> None:
    """NaN and infinities neither crash nor leak beyond what they feed: in values, gradients, other samples, and later passes."""
    trial = Trial(case, dtype)
    usual, module = trial.usual(), trial.module()
    assert_confined(lambda input: trial.value(module, input), trial.input, "input")
    gradOutput = trial.gradOutput(usual.output)
    assert_confined(lambda gradOutput: trial.run(gradOutput=gradOutput, module=module).gradInput, gradOutput, "gradOutput")
    if case.batched:
        for bad in BAD:
            spoilt = mapped(lambda leaf, bad=bad: np.concatenate([np.full_like(leaf[:1], bad), leaf[1:]]), trial.input)
            result = trial.run(input=spoilt, module=module)
            for now, was in ((result.output, usual.output), (result.gradInput, usual.gradInput)):
                assert_same(*(mapped(lambda leaf: leaf[1:], tree) for tree in (now, was)), f"{bad} in sample 0")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@isLayer
def test_nan_arrives(case: Case, dtype: str) -> None:
    """A NaN is not lost: all that its element reaches becomes NaN."""
    trial = Trial(case, dtype)
    module = trial.module()

    def output(input: Tree) -> Tree:
        return trial.value(module, input)

    usual = leaves(trial.usual().output)
    for i in some(vector(trial.input).size, 6):
        for seen, now in zip(reach(output, trial.input, usual, i), leaves(output(poked(trial.input, i, np.nan))), strict=True):
            assert np.isnan(now[seen]).all(), f"NaN in input[{i}]"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@only(lambda case: case.target is not None)
def test_nonfinite_loss(case: Case, dtype: str) -> None:
    """A criterion takes NaN and infinities as numbers; the loss of other inputs afterwards is as before."""
    trial = Trial(case, dtype)
    module = trial.module()
    usual = trial.run(module=module)
    for bad in BAD:
        for i in some(vector(trial.input).size, 5):
            spoilt = trial.run(input=poked(trial.input, int(i), bad), module=module)
            assert shapes(spoilt.gradInput) == shapes(usual.gradInput)
    assert_same(trial.run(module=module).all(), usual.all())


# ---------------------------------------------------------------------------------------------- errors


def assert_refused(case: Case, dtype: str, misshape: Callable[[tuple[int, ...]], tuple[int, ...]]) -> None:
    """A gradOutput of such shapes is an error of the module's, and nothing that was there has changed."""
    trial = Trial(case, dtype)
    module = trial.module()
    input = trial.fed(trial.input)
    output = trial.forward(module, input)
    wrong = mapped(lambda leaf: np.zeros(misshape(leaf.shape), dtype), output)
    trial.backward(module, input, trial.gradOutput(output))
    held = [*trial.held(module), *trial.parameters(module)[1], *leaves(input)]
    before = copied(held)
    with pytest.raises(errors.THNNError) as caught:
        module.backward(input, wrong)
    assert module._typename in str(caught.value)
    assert_same(held, before)


@takesOneShape
def wrong_rank(case: Case, dtype: str) -> None:
    assert_refused(case, dtype, lambda shape: (1, *shape))


@isLayer
def wrong_batch(case: Case, dtype: str) -> None:
    assert_refused(case, dtype, lambda shape: (shape[0] + 1, *shape[1:]))


@isLayer
def wrong_width(case: Case, dtype: str) -> None:
    assert_refused(case, dtype, lambda shape: (*shape[:-1], shape[-1] + 1))


@takesOneType
def wrong_dtype(case: Case, dtype: str) -> None:
    """An input in the other precision is refused; the message names both."""
    trial = Trial(case, dtype)
    other = {"float64": np.float32, "float32": np.float64}[dtype]
    with pytest.raises(errors.DtypeError, match=r"float32.*float64|float64.*float32"):
        trial.module().forward(cast(trial.input, other))


@isLayer
def missing(case: Case, dtype: str) -> None:
    """Without an input, or without a gradOutput, a pass is an error of the module's, unless the module takes anything."""
    trial = Trial(case, dtype)
    module = trial.module()
    input = trial.fed(trial.input)
    gradOutput = trial.gradOutput(trial.forward(module, input))
    for run in (
        lambda: module.backward(None, gradOutput),
        lambda: module.backward(input, None),
        lambda: module.accGradParameters(None, gradOutput),
        lambda: module.accGradParameters(input, None),
        lambda: module.forward(None),
    ):
        try:
            run()
        except errors.THNNError as error:
            assert module._typename in str(error)


@isLayer
def masked(case: Case, dtype: str) -> None:
    """Arrays with a mask are refused: their arithmetic is another. Or they are handed on as they are."""
    trial = Trial(case, dtype)
    try:
        output = trial.module().forward(mapped(np.ma.masked_array, trial.input))
    except errors.THNNError as error:
        assert "MaskedArray" in str(error)
    else:
        assert all(isinstance(leaf, np.ma.MaskedArray) for leaf in leaves(output))


test_refused = joined(wrong_rank, wrong_batch, wrong_width, wrong_dtype)
test_missing_and_masked = joined(missing, masked)


@rows("name, row", [(name, row.name, (name, row)) for name, row in ERRORS])
def test_error(name: str, row: ErrorRow) -> None:
    with pytest.raises(row.error, match=row.match) as caught:
        row.run(row.make())  # constructors refuse, too
    assert f"nn.{name}" in str(caught.value)


def test_skipped_checks_exist() -> None:
    if {"forward", "overwrite", "nonfinite"} <= CHECKS:  # all three files have been collected
        assert {check for _, case in CASES for check in case.skip} - CHECKS == set()
