"""Every case of every file in tests/cases: values, gradients, batches, threads.

A test `test_X` here, in test_layer_memory.py and in test_layer_errors.py is the check `X`, and so is a function `X` that one
test joins with others. A case names in `skip` those that do not apply to it. Each check runs in single and in double
precision, except where numbers need the double one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend, errors, nn
from tests.capi import GENERIC
from tests.case import Case
from tests.table import CLASSES, hasParameters, isBatched, isDifferentiable, only, takesAnyShape, takesAnyType
from tests.table import pytest_generate_tests as pytest_generate_tests
from tests.trees import (
    Array,
    Tree,
    assert_close,
    assert_same,
    cast,
    copied,
    largest,
    leaves,
    mapped,
    shaped,
    shapes,
    some,
    vector,
)
from tests.trial import Result, Trial

EPS = 1e-6
TOLERANCE = {"float64": 1e-10, "float32": 1e-5}


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    """Sets the number of threads; afterwards it is as it was."""
    before = backend.get_num_threads()
    yield backend.set_num_threads
    backend.set_num_threads(before)


# ---------------------------------------------------------------------------------------------- values


def test_forward(case: Case, dtype: str) -> None:
    trial = Trial(case, dtype)
    module = trial.module()
    output = trial.value(module, trial.input)
    arguments = [trial.input] if trial.target is None else [trial.input, trial.target]
    expected = case.reference(module, *(cast(tree, np.float64) for tree in arguments))
    assert all(leaf.dtype == dtype for leaf in leaves(output))
    assert_close(output, mapped(np.asarray, expected), TOLERANCE[dtype])


def test_float_near_double(case: Case) -> None:
    single, double = Trial(case, np.float32).usual().all(), Trial(case, np.float64).usual().all()
    assert all(leaf.dtype == np.float32 for leaf in leaves(single))
    assert_close(single, double, TOLERANCE["float32"])


# ---------------------------------------------------------------------------------------------- gradients


def central(f: Callable[[], Array], array: Array, i: int) -> Array:
    """The derivative of f, which reads `array`, by its element i."""
    old = array.flat[i]
    array.flat[i] = old + EPS
    above = f()
    array.flat[i] = old - EPS
    below = f()
    array.flat[i] = old
    return (above - below) / (2 * EPS)


@isDifferentiable
def test_gradInput(case: Case) -> None:
    """The Jacobian, row by row from the layer and column by column from differences; of all of it, `test_directions` tells."""
    trial = Trial(case, np.float64)
    module = trial.module()
    elements, output = vector(trial.input), trial.value(module, trial.input)
    columns, rows = some(elements.size, 150), some(sum(leaf.size for leaf in leaves(output)), 150)

    def at() -> Array:
        return vector(trial.value(module, shaped(elements, trial.input)))[rows]

    numeric = np.array([central(at, elements, i) for i in columns]).T
    analytic = np.empty_like(numeric)
    input = trial.fed(trial.input)
    trial.forward(module, input)
    for k, row in enumerate(rows):
        unit = np.zeros(sum(leaf.size for leaf in leaves(output)))
        unit[row] = 1
        analytic[k] = vector(trial.updateGradInput(module, input, shaped(unit, output)))[columns]
    np.testing.assert_allclose(analytic, numeric, rtol=0, atol=1e-7 * max(1.0, float(np.abs(numeric).max(initial=0))))


@isDifferentiable
def test_directions(case: Case) -> None:
    """<gradInput, d> is the derivative of <gradOutput, output> in the direction d, on a larger batch."""
    trial = Trial(case, np.float64)
    if case.larger:
        trial = trial.large()
    elif case.batched:
        trial = trial.repeated(2000)
    result = trial.run()
    gradOutput = vector(trial.gradOutput(result.output))
    module = trial.module()
    elements = vector(trial.input)
    rng = np.random.default_rng(3)
    for _ in range(3):
        direction = rng.standard_normal(elements.size)
        step = np.zeros(1)

        def along(step: Array = step, direction: Array = direction) -> Array:
            moved = shaped(elements + step[0] * direction, trial.input)
            return np.asarray(gradOutput @ vector(trial.value(module, moved)))

        expected = float(central(along, step, 0))
        size = float(np.linalg.norm(vector(result.gradInput)) * np.linalg.norm(direction))
        assert float(vector(result.gradInput) @ direction) == pytest.approx(expected, abs=1e-7 * max(1.0, size))


@only(lambda case: case.jacobian and case.target is None and any(case.make().parameters() or ()))
def test_gradParameters(case: Case) -> None:
    """The gradients of <gradOutput, output> by the parameters."""
    trial = Trial(case, np.float64)
    module = trial.module()
    result = trial.run(module=module)
    gradOutput = vector(trial.gradOutput(result.output))
    parameters = trial.parameters(module)[0]
    assert shapes(parameters) == shapes(result.gradParameters)
    for number, (parameter, gradient) in enumerate(zip(parameters, result.gradParameters, strict=True)):
        chosen = some(parameter.size, 80)
        numeric = [central(lambda: gradOutput @ vector(trial.value(module, trial.input)), parameter, i) for i in chosen]
        assert_close(gradient.ravel()[chosen], np.array(numeric), 1e-7, f"parameter {number}")


@hasParameters
def test_accumulate(case: Case, dtype: str) -> None:
    """The gradients of the parameters are added, times `scale`, to what is there; the parameters stay."""
    trial = Trial(case, dtype)
    gradient = trial.usual().gradParameters
    module = trial.module()
    parameters, held = trial.parameters(module)
    before = copied(parameters)
    rng = np.random.default_rng(5)
    start = [rng.standard_normal(g.shape).astype(dtype) for g in held]
    for g, s in zip(held, start, strict=True):
        g[...] = s
    for scale, total in ((1.0, 1.0), (0.5, 1.5)):
        input = trial.fed(trial.input)
        trial.backward(module, input, trial.gradOutput(trial.forward(module, input)), scale)
        expected = mapped(lambda s, g, total=total: s + total * g.astype(np.float64), start, gradient)
        assert_close(held, expected, {"float64": 1e-13, "float32": 1e-5}[dtype], f"after scale {scale}")
    assert_same(trial.parameters(module)[0], before)


@hasParameters
def test_halves(case: Case, dtype: str) -> None:
    """backward is updateGradInput and accGradParameters; accUpdateGradParameters takes the step at once."""
    trial = Trial(case, dtype)
    whole = trial.usual()
    module = trial.module()
    parameters, gradients = trial.parameters(module)
    before = copied(parameters)
    input = trial.fed(trial.input)
    gradOutput = trial.gradOutput(trial.forward(module, input))
    module.zeroGradParameters()
    assert_same(module.updateGradInput(input, gradOutput), whole.gradInput)
    assert all((gradient == 0).all() for gradient in gradients)
    module.accGradParameters(input, gradOutput, 0.5)
    near = {"float64": 1e-12, "float32": 1e-5}[dtype]
    assert_close(gradients, [0.5 * g for g in whole.gradParameters], near, "accGradParameters")
    kept = copied(gradients)
    module.accUpdateGradParameters(input, gradOutput, 0.25)
    moved = [p - 0.25 * g for p, g in zip(before, whole.gradParameters, strict=True)]
    assert_close(parameters, moved, near, "accUpdateGradParameters", largest(whole.gradParameters))
    assert_same(gradients, kept)


@takesAnyShape
def test_gradOutput_of_another_shape(case: Case, dtype: str) -> None:
    """Only the number of its elements and their order count. Results have the shapes that they always have."""
    trial = Trial(case, dtype)
    usual = trial.usual()
    gradOutput = trial.gradOutput(usual.output)
    count, wide = gradOutput.size, np.zeros((*gradOutput.shape, 2), dtype)
    wide[..., 0] = gradOutput
    others = [gradOutput.reshape(-1), gradOutput[None], gradOutput[..., None], gradOutput.reshape(gradOutput.shape[::-1])]
    for other in (*others, wide[..., 0].reshape(1, count), wide.reshape(count, 2)[:, 0]):
        found = trial.run(gradOutput=other.copy() if case.inplace else other)
        assert_same(found.gradInput, usual.gradInput, str(other.shape))
        assert_close(found.gradParameters, usual.gradParameters, {"float64": 1e-13, "float32": 1e-6}[dtype], str(other.shape))
    for wrong in (np.zeros(count + 1, dtype), np.zeros((2, count), dtype), np.zeros(0, dtype)):
        module = trial.module()
        input = trial.fed(trial.input)
        trial.forward(module, input)
        with pytest.raises(errors.ShapeError, match="gradOutput: expected"):
            module.updateGradInput(input, wrong)


@takesAnyType
def test_any_type_passes(case: Case, dtype: str) -> None:
    """A layer that only moves elements hands them on in their own type, and their gradients too."""
    trial = Trial(case, dtype)
    other = np.dtype({"float64": "f4", "float32": "f8"}[dtype])
    usual = trial.usual()
    found = trial.run(cast(trial.input, other), cast(trial.gradOutput(usual.output), other))
    assert {leaf.dtype for leaf in leaves([found.output, found.gradInput]) if leaf.dtype.kind == "f"} <= {other}
    assert_close(cast(found.output, dtype), usual.output, 1e-6)
    assert_close(cast(found.gradInput, dtype), usual.gradInput, 1e-6)


# ---------------------------------------------------------------------------------------------- batches


def near(actual: Tree, expected: Tree, dtype: str, what: str, terms: Tree = ()) -> None:
    """Equal but for the order of a summation, over `terms` if they are larger than the sum."""
    assert_close(actual, expected, {"float64": 1e-12, "float32": 1e-6}[dtype], what, largest(list(terms)))


@isBatched
def test_batch(case: Case, dtype: str) -> None:
    """A batch gives what its samples give one by one, with or without a batch dimension of their own."""
    trial = Trial(case, dtype)
    whole = trial.usual()
    gradOutput = trial.gradOutput(whole.output)
    has_samples = case.singleSample and all(leaf.ndim > 1 for leaf in leaves(trial.input))
    for alone in (False, True) if has_samples else (False,):
        parts: list[Result] = []
        for i in range(trial.samples()):
            place = i if alone else slice(i, i + 1)
            parts.append(trial.run(*mapped(lambda leaf, place=place: leaf[place].copy(), [trial.input, gradOutput])))
        join = np.stack if alone else np.concatenate

        def joined(*arrays: Array, join: Any = join) -> Array:
            return join(arrays)

        what = "samples without batch dimension" if alone else "batches of one"
        near(mapped(joined, *(part.output for part in parts)), whole.output, dtype, f"{what}: output")
        near(mapped(joined, *(part.gradInput for part in parts)), whole.gradInput, dtype, f"{what}: gradInput")
        gradients = [part.gradParameters for part in parts]
        total = mapped(lambda *g: sum(g[1:], start=g[0]), *gradients)
        near(total, whole.gradParameters, dtype, f"{what}: gradients of the parameters", gradients)


@isBatched
def test_empty_batch(case: Case, dtype: str) -> None:
    trial = Trial(case, dtype)
    usual = trial.usual()
    none = mapped(lambda leaf: leaf[:0].copy(), trial.input)
    empty = trial.run(input=none)
    assert shapes(empty.output) == mapped(lambda leaf: (0, *leaf.shape[1:]), usual.output)
    assert shapes(empty.gradInput) == shapes(none)
    assert_same(empty.gradParameters, [np.zeros_like(g) for g in usual.gradParameters])


def test_threads(case: Case, dtype: str, threads: Callable[[int], None]) -> None:
    """Results do not depend on the number of threads."""
    trial = Trial(case, dtype).large()
    results = []
    for count in (1, 3):
        threads(count)
        results.append(trial.run().all())
    assert_same(results[1], results[0], "3 threads")


@only(lambda case: case.target is not None)
def test_large_loss(case: Case, dtype: str) -> None:
    """Losses that are summed in chunks (criterion/loss.h): as the reference says, with equal gradients for equal samples."""
    trial = Trial(case, dtype).large()
    module = trial.module()
    result = trial.run(module=module)
    expected = case.reference(module, cast(trial.input, np.float64), cast(trial.target, np.float64))
    assert_close(result.output, np.asarray(expected), TOLERANCE[dtype])
    samples = Trial(case, dtype).samples()
    if case.larger is None and trial.samples() > samples:
        times = trial.samples() // samples
        first = mapped(lambda leaf: np.concatenate([leaf[:samples]] * times), result.gradInput)
        assert_same(result.gradInput, first)


@only(lambda case: case.target is None and (case.larger or case.batched))
def test_large(case: Case, dtype: str) -> None:
    """Inputs for which the work is cut into blocks: as the reference says, or as the samples that are repeated."""
    trial = Trial(case, dtype).large()
    if case.larger:
        module = trial.module()
        output = trial.value(module, trial.input)
        assert_close(output, case.reference(module, cast(trial.input, np.float64)), TOLERANCE[dtype])
        return
    small = Trial(case, dtype)
    one = small.usual()
    times = trial.samples() // small.samples()

    def repeat(leaf: Array) -> Array:
        return np.tile(leaf, (times, *[1] * (leaf.ndim - 1)))

    many = trial.run(gradOutput=mapped(repeat, small.gradOutput(one.output)))
    near(many.output, mapped(repeat, one.output), dtype, "output")
    near(many.gradInput, mapped(repeat, one.gradInput), dtype, "gradInput")
    for total, part in zip(many.gradParameters, one.gradParameters, strict=True):
        assert_close(total / times, part, {"float64": 1e-10, "float32": 1e-4}[dtype], "gradients of the parameters")


# ---------------------------------------------------------------------------------------------- nothing is left out


def test_every_class_has_cases() -> None:
    bases = {"Module", "Container", "Criterion", "Unknown", "StochasticGradient"}
    assert [name for name in nn.__all__ if not isinstance(getattr(nn, name), type)] == []
    assert set(nn.__all__) - bases - set(CLASSES) == set()


def test_every_function_has_cases() -> None:
    classes = {"GatedLinear": "GatedLinearUnit"}  # classes whose name is not that of the functions
    # No class is theirs: see tests/core.
    without = {"FusedConvolution", "GRUFused", "GRUSequence", "LSTMFused", "LSTMSequence"}
    without |= {"LookupTableBag", "pointwise", "unfolded"}
    without |= {"SpatialGroupedConvolution"}  # see tests/cudnn/test_groups.py
    layers = {function.layer for function in GENERIC if function.layer} - without
    assert {classes.get(layer, layer) for layer in layers} - set(CLASSES) == set()
