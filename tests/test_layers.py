"""Every case of every file in tests/cases, through every check that applies to it.

A test `test_X` is the check `X`; a case names in `skip` those that do not apply to it. Each check runs in single and in
double precision, except where numbers need the double one.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend, errors, nn
from pytorch_legacy.backend import header
from tests.case import Case, ErrorRow
from tests.layouts import LAYOUTS, laid_out
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
    share_memory,
    vector,
)
from tests.trial import Result, Trial

FILES = sorted(Path(__file__).with_name("cases").glob("[A-Z]*.py"))
CLASSES = {path.stem: import_module(f"tests.cases.{path.stem}") for path in FILES}
CASES: list[tuple[str, Case]] = [(name, case) for name, module in CLASSES.items() for case in module.CASES]
ERRORS: list[tuple[str, ErrorRow]] = [(name, row) for name, module in CLASSES.items() for row in module.ERRORS]

HEADER = Path(__file__).resolve().parent.parent / "THNN" / "THNN.h"
EPS = 1e-6
TOLERANCE = {"float64": 1e-10, "float32": 1e-5}


def only(applies: Callable[[Case], Any]) -> Callable[[Any], Any]:
    """Decorator: the check is for those cases."""

    def mark(function: Any) -> Any:
        function.applies = applies
        return function

    return mark


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    check = metafunc.function.__name__.removeprefix("test_")
    applies = getattr(metafunc.function, "applies", lambda case: True)
    if "case" in metafunc.fixturenames:
        chosen = [(name, case) for name, case in CASES if applies(case) and check not in case.skip]
        metafunc.parametrize("case", [pytest.param(case, id=f"{name}-{case.name}") for name, case in chosen])
    if "dtype" in metafunc.fixturenames:
        metafunc.parametrize("dtype", ["float64", "float32"])


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    """Sets the number of threads; afterwards it is as it was."""
    before = backend.get_num_threads()
    yield backend.set_num_threads
    backend.set_num_threads(before)


isLayer = only(lambda case: case.target is None)
isBatched = only(lambda case: case.batched and case.target is None)
isDifferentiable = only(lambda case: case.jacobian)


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
    single, double = Trial(case, np.float32).run().all(), Trial(case, np.float64).run().all()
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


def some(size: int, count: int) -> Array:
    """All indices below `size`, or `count` random ones if there are more."""
    return np.arange(size) if size <= count else np.random.default_rng(size).choice(size, count, replace=False)


@isDifferentiable
def test_gradInput(case: Case) -> None:
    """The Jacobian, row by row from the layer and column by column from differences."""
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
    trial = Trial(case, np.float64).repeated(2000) if case.batched else Trial(case, np.float64)
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


@only(lambda case: case.jacobian and case.target is None and case.make().parameters())
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


@only(lambda case: case.target is None and case.make().parameters())
def test_accumulate(case: Case, dtype: str) -> None:
    """The gradients of the parameters are added, times `scale`, to what is there; the parameters stay."""
    trial = Trial(case, dtype)
    gradient = trial.run().gradParameters
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


# ---------------------------------------------------------------------------------------------- memory


def results_to_be(module: Any) -> list[Array]:
    """The arrays that the module and those inside it keep their results in."""
    modules = module.listModules() if hasattr(module, "listModules") else [module]
    held = [tree for m in modules for tree in (m.output, m.gradInput) if isinstance(tree, (np.ndarray, list))]
    return [leaf for tree in held for leaf in leaves(tree) if isinstance(leaf, np.ndarray) and leaf.flags.writeable]


def test_overwrite(case: Case, dtype: str) -> None:
    """What the results' memory holds before a pass is of no account."""
    trial = Trial(case, dtype)
    module = trial.module()
    first = trial.run(input=copied(trial.input), module=module)
    for leaf in results_to_be(module):
        leaf.fill(np.nan)
    assert_same(trial.run(input=copied(trial.input), module=module).all(), first.all())


def test_reuse(case: Case, dtype: str) -> None:
    """A second pass over the same input needs no new memory for its results."""
    trial = Trial(case, dtype)
    module = trial.module()
    input, gradOutput = trial.fed(trial.input), None
    kept = []
    for _ in range(2):
        output = trial.forward(module, input)
        gradOutput = trial.gradOutput(output) if gradOutput is None else gradOutput
        gradInput = trial.backward(module, input, gradOutput)
        kept.append(leaves(gradInput if trial.isCriterion else [output, gradInput]))
    assert [leaf.ctypes.data for leaf in kept[0]] == [leaf.ctypes.data for leaf in kept[1]]


@only(lambda case: not case.inplace)
def test_untouched(case: Case, dtype: str) -> None:
    """A pass writes neither to the input nor to gradOutput."""
    trial = Trial(case, dtype)
    input, gradOutput = copied(trial.input), trial.gradOutput(trial.value(trial.module(), trial.input))
    before = copied([input, gradOutput])
    trial.run(input, gradOutput)
    assert_same([input, gradOutput], before)


@only(lambda case: case.inplace)
def test_inplace(case: Case, dtype: str) -> None:
    """The output takes the memory of the input, the gradient that of gradOutput."""
    trial = Trial(case, dtype)
    module = trial.module()
    input = copied(trial.input)
    output = trial.forward(module, input)
    assert share_memory(output, input)
    gradOutput = trial.gradOutput(output)
    assert share_memory(trial.backward(module, input, gradOutput), gradOutput)


@only(lambda case: not case.inplace)
def test_readonly(case: Case, dtype: str) -> None:
    trial = Trial(case, dtype)
    expected = trial.run()
    frozen = copied([trial.input, trial.gradOutput(expected.output), trial.target if trial.isCriterion else []])
    for leaf in leaves(frozen):
        leaf.flags.writeable = False
    trial.target = frozen[2]
    assert_same(trial.run(*frozen[:2]).all(), expected.all())


@only(lambda case: case.inplace)
def test_inplace_readonly(case: Case, dtype: str) -> None:
    """An input that cannot be overwritten is refused, and stays as it is."""
    trial = Trial(case, dtype)
    frozen = copied(trial.input)
    for leaf in leaves(frozen):
        leaf.flags.writeable = False
    with pytest.raises(errors.ValueRangeError):
        trial.forward(trial.module(), frozen)
    assert_same(frozen, trial.input)


def test_strided(case: Case, dtype: str) -> None:
    """Strides and addresses of input, target and gradOutput change nothing, bit for bit."""
    trial = Trial(case, dtype)
    expected = trial.run()
    gradOutput, target = trial.gradOutput(expected.output), trial.target
    for layout in LAYOUTS:
        trial.target = None if target is None else laid_out(target, layout)
        assert_same(trial.run(input=laid_out(trial.input, layout)).all(), expected.all(), f"{layout} input")
        if not trial.isCriterion:
            assert_same(trial.run(gradOutput=laid_out(gradOutput, layout)).all(), expected.all(), f"{layout} gradOutput")
            both = trial.run(laid_out(trial.input, layout), laid_out(gradOutput, layout))
            assert_same(both.all(), expected.all(), f"{layout} input and gradOutput")


@only(lambda case: not case.inplace)
def test_expanded(case: Case, dtype: str) -> None:
    """Input and gradOutput may repeat their elements with stride 0."""
    trial = Trial(case, dtype)

    def expand(leaf: Array) -> Array:
        return np.broadcast_to(leaf[..., :1], leaf.shape) if leaf.ndim else leaf

    input = mapped(expand, trial.input)
    gradOutput = mapped(expand, trial.gradOutput(trial.value(trial.module(), trial.input)))
    assert_same(trial.run(input, gradOutput).all(), trial.run(copied(input), copied(gradOutput)).all())


# ---------------------------------------------------------------------------------------------- batches


def near(actual: Tree, expected: Tree, dtype: str, what: str, terms: Tree = ()) -> None:
    """Equal but for the order of a summation, over `terms` if they are larger than the sum."""
    assert_close(actual, expected, {"float64": 1e-12, "float32": 1e-6}[dtype], what, largest(list(terms)))


@isBatched
def test_batch(case: Case, dtype: str) -> None:
    """A batch gives what its samples give one by one, with or without a batch dimension of their own."""
    trial = Trial(case, dtype)
    whole = trial.run()
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
    usual = trial.run()
    none = mapped(lambda leaf: leaf[:0].copy(), trial.input)
    empty = trial.run(input=none)
    assert shapes(empty.output) == mapped(lambda leaf: (0, *leaf.shape[1:]), usual.output)
    assert shapes(empty.gradInput) == shapes(none)
    assert_same(empty.gradParameters, [np.zeros_like(g) for g in usual.gradParameters])


def test_threads(case: Case, dtype: str, threads: Callable[[int], None]) -> None:
    """Results do not depend on the number of threads."""
    trial = Trial(case, dtype).large()
    results = []
    for count in (1, 2, 3):
        threads(count)
        results.append(trial.run().all())
    assert_same(results[1], results[0], "2 threads")
    assert_same(results[2], results[0], "3 threads")


@only(lambda case: case.target is not None)
def test_large_loss(case: Case, dtype: str) -> None:
    """Losses that are summed in chunks: as the reference says, with equal gradients for equal samples."""
    trial = Trial(case, dtype).large()
    module = trial.module()
    result = trial.run(module=module)
    expected = case.reference(module, cast(trial.input, np.float64), cast(trial.target, np.float64))
    assert_close(result.output, np.asarray(expected), TOLERANCE[dtype])
    samples = Trial(case, dtype).samples()
    if trial.samples() > samples:
        assert_same(result.gradInput, np.concatenate([result.gradInput[:samples]] * (trial.samples() // samples)))


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
    one = small.run()
    times = trial.samples() // small.samples()

    def repeat(leaf: Array) -> Array:
        return np.concatenate([leaf] * times)

    many = trial.run(gradOutput=mapped(repeat, small.gradOutput(one.output)))
    near(many.output, mapped(repeat, one.output), dtype, "output")
    near(many.gradInput, mapped(repeat, one.gradInput), dtype, "gradInput")
    for total, part in zip(many.gradParameters, one.gradParameters, strict=True):
        assert_close(total / times, part, {"float64": 1e-10, "float32": 1e-4}[dtype], "gradients of the parameters")


def test_history(case: Case, dtype: str) -> None:
    """Results do not depend on earlier calls with other values and other sizes."""
    trial = Trial(case, dtype)
    module = trial.module()
    first = trial.run(module=module)
    trial.run(input=mapped(lambda leaf: -leaf[::-1], trial.input), module=module)
    if case.batched:
        trial.repeated(4 * vector(trial.input).size).run(module=module)
        if not trial.isCriterion:
            trial.run(input=mapped(lambda leaf: leaf[:1].copy(), trial.input), module=module)
    assert_same(trial.run(module=module).all(), first.all())


def test_copies(case: Case, dtype: str) -> None:
    """A clone, a pickle, and the module itself after clearState compute the same, in memory of their own."""
    trial = Trial(case, dtype)
    module = trial.module()
    expected = trial.run(input=copied(trial.input), module=module)
    held = results_to_be(module) + list(trial.parameters(module)[0])
    for twin in (module.clone(), copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert_same(trial.run(input=copied(trial.input), module=twin).all(), expected.all())
        assert not share_memory(held, results_to_be(twin) + list(trial.parameters(twin)[0]))
    if not trial.isCriterion:
        assert_same(trial.run(module=module.clearState()).all(), expected.all())


# ---------------------------------------------------------------------------------------------- NaN and infinity

BAD = (np.nan, np.inf, -np.inf)


def reach(f: Callable[[Tree], Tree], tree: Tree, i: int) -> list[Array]:
    """Which elements of f(tree) depend on its element i: those that differ when it is large, or large and negative."""
    usual = leaves(f(tree))
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
    for i in some(vector(tree).size, 5):
        within = reach(f, tree, int(i))
        for bad in BAD:
            for seen, was, now in zip(within, usual, leaves(f(poked(tree, i, bad))), strict=True):
                assert_same(now[~seen], was[~seen], f"{bad} in {what}[{i}]")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # layers written in NumPy say when they meet infinity - infinity
@isLayer
def test_nonfinite(case: Case, dtype: str) -> None:
    """NaN and infinities neither crash nor leak beyond what they feed: in values, gradients, and other samples."""
    trial = Trial(case, dtype)
    usual = trial.run()
    assert_confined(lambda input: trial.value(trial.module(), input), trial.input, "input")
    gradOutput = trial.gradOutput(usual.output)
    assert_confined(lambda gradOutput: trial.run(gradOutput=gradOutput).gradInput, gradOutput, "gradOutput")
    if case.batched:
        for bad in BAD:
            spoilt = mapped(lambda leaf, bad=bad: np.concatenate([np.full_like(leaf[:1], bad), leaf[1:]]), trial.input)
            result = trial.run(input=spoilt)
            for now, was in ((result.output, usual.output), (result.gradInput, usual.gradInput)):
                assert_same(*(mapped(lambda leaf: leaf[1:], tree) for tree in (now, was)), f"{bad} in sample 0")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@isLayer
def test_nan_arrives(case: Case, dtype: str) -> None:
    """A NaN is not lost: all that its element reaches becomes NaN."""
    trial = Trial(case, dtype)

    def output(input: Tree) -> Tree:
        return trial.value(trial.module(), input)

    for i in some(vector(trial.input).size, 12):
        for seen, now in zip(reach(output, trial.input, i), leaves(output(poked(trial.input, i, np.nan))), strict=True):
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
    held = [*results_to_be(module), *trial.parameters(module)[1], *leaves(input)]
    before = copied(held)
    with pytest.raises(errors.THNNError) as caught:
        module.backward(input, wrong)
    assert module._typename in str(caught.value)
    assert_same(held, before)


@isLayer
def test_wrong_rank(case: Case, dtype: str) -> None:
    assert_refused(case, dtype, lambda shape: (1, *shape))


@isLayer
def test_wrong_batch(case: Case, dtype: str) -> None:
    assert_refused(case, dtype, lambda shape: (shape[0] + 1, *shape[1:]))


@isLayer
def test_wrong_width(case: Case, dtype: str) -> None:
    assert_refused(case, dtype, lambda shape: (*shape[:-1], shape[-1] + 1))


@only(lambda case: case.target is None)
def test_wrong_dtype(case: Case, dtype: str) -> None:
    """An input in the other precision is refused; the message names both."""
    trial = Trial(case, dtype)
    other = {"float64": np.float32, "float32": np.float64}[dtype]
    with pytest.raises(errors.DtypeError, match=r"float32.*float64|float64.*float32"):
        trial.module().forward(cast(trial.input, other))


@pytest.mark.parametrize("name, row", [pytest.param(name, row, id=f"{name}-{row.name}") for name, row in ERRORS])
def test_error(name: str, row: ErrorRow) -> None:
    module = row.make()
    with pytest.raises(row.error, match=row.match) as caught:
        row.run(module)
    assert f"nn.{name}" in str(caught.value)


# ---------------------------------------------------------------------------------------------- nothing is left out


def test_every_class_has_cases() -> None:
    bases = {"Module", "Container", "Criterion", "Unknown", "StochasticGradient"}
    assert [name for name in nn.__all__ if not isinstance(getattr(nn, name), type)] == []
    assert set(nn.__all__) - bases - set(CLASSES) == set()


def test_every_function_has_cases() -> None:
    layers = {function.layer for function in header.read(HEADER) if function.layer}
    assert layers - set(CLASSES) == set()
