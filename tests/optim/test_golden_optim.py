"""The results of Torch7's optim, step by step: tests/golden/optim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import optim
from tests.test_golden import GOLDEN, LISTED, Entry
from tests.trees import Array, assert_close, assert_same, largest

# Buffers of the original that only save memory, and hold nothing that the next call needs.
SCRATCH = {"decayParameters", "deltaParameters", "denom", "dminmax", "max", "nsign", "paramStd", "psign", "sign", "zsign"}
SCRATCH_OF = {"adadelta": {"delta"}, "cg": {"df0"}}


def files(kind: str, name: str = "") -> pytest.MarkDecorator:
    chosen = [
        entry for entry in LISTED if entry["family"] == "optim" and entry["kind"] == kind and entry["name"].startswith(name)
    ]
    return pytest.mark.parametrize("entry", chosen, ids=lambda entry: entry["file"])


def function(problem: dict[str, Any]) -> Callable[[Array], tuple[float, Array]]:
    """The function that a file names: its value and its gradient."""

    def rosenbrock(x: Array) -> tuple[float, Array]:
        rise, rest = x[1:] - x[:-1] ** 2, 1 - x[:-1]
        gradient = np.zeros_like(x)
        gradient[:-1] -= 400 * x[:-1] * rise + 2 * rest
        gradient[1:] += 200 * rise
        return float((100 * rise**2 + rest**2).sum()), gradient

    def quadratic(x: Array) -> tuple[float, Array]:
        A, b = problem["A"], problem["b"]
        return float(0.5 * x @ A @ x - b @ x), A @ x - b

    return {"rosenbrock": rosenbrock, "quadratic": quadratic}[problem["kind"]]


def options(config: Any) -> dict[str, Any]:
    """A table as it is here: names of functions stand for them, and an empty table is a dict."""
    named = dict(config or {})
    return {key: getattr(optim, value[6:]) if str(value).startswith("optim.") else value for key, value in named.items()}


def near(actual: Any, expected: Any, what: str, tolerance: float = 1e-10, least: float = 0.0) -> None:
    assert_close(np.asarray(actual, np.float64), np.asarray(expected, np.float64), tolerance, what, least)


@files("optim")
def test_algorithm(entry: Entry) -> None:
    case = pl.load(GOLDEN / entry["file"])
    if case["problem"]["kind"] == "lasso":
        return lasso(case)
    algorithm = entry["lua"].removeprefix("optim.")
    opfunc, x = function(case["problem"]), case["x0"].copy()
    config = options(case["config"])
    state: dict[str, Any] | None = {} if case["separateState"] else None
    # Near the minimum everything is a difference of terms as large as they were at the start. The interpolation of
    # lswolfe with other options is so ill-conditioned that the original's own rounding grows to 1e-7 in ten steps: it
    # is as far from a search with exact fractions as from ours.
    f, gradient = opfunc(x)
    scale = max(abs(f), largest(gradient))
    tolerance = 1e-6 if "lineSearchOptions" in config else 1e-10
    pl.manualSeed(case["seed"])
    for i, step in enumerate(case["steps"]):
        result, fs, *average = getattr(optim, algorithm)(opfunc, x, config, state)
        near(result, step["x"], f"x after step {i}", tolerance)
        near(fs, step["f"], f"values of step {i}", tolerance, abs(f))
        if algorithm not in ("cmaes", "de"):
            assert result is x
        if algorithm == "asgd":
            near(average, [step["average"]], f"average after step {i}")
    final = config if state is None else state
    expected = options(case["state"])
    assert set(expected) - SCRATCH - SCRATCH_OF.get(algorithm, set()) == set(final)
    for key, value in final.items():
        if isinstance(value, (list, np.ndarray)):
            near(value, np.reshape(expected[key], np.shape(value)), key, tolerance, scale)
        elif isinstance(value, (int, float)):
            assert value == pytest.approx(expected[key], rel=tolerance, abs=1e-12 * scale), key
        else:
            assert value == expected[key], key
    return None


def lasso(case: dict[str, Any]) -> None:
    A, b, weight = (case["problem"][key] for key in ("A", "b", "lambda"))

    def smooth(x: Array, mode: str = "") -> Any:
        error = A @ x - b
        return (0.5 * float(error @ error), A.T @ error) if mode == "dx" else 0.5 * float(error @ error)

    def shrink(x: Array, L: float) -> None:
        x[...] = np.sign(x) * np.maximum(np.abs(x) - weight / L, 0)

    x, config = case["x0"].copy(), options(case["config"])
    found, history = optim.FistaLS(smooth, lambda x: weight * float(np.abs(x).sum()), shrink, x, config)
    near(found, case["steps"][0]["x"], "x")
    assert_same(x, found)
    assert [set(ours) for ours in history] == [set(theirs) for theirs in case["history"]]
    for ours, theirs in zip(history, case["history"], strict=True):
        for key, value in theirs.items():
            near(ours[key], value, key)
    assert config["L"] == history[-1]["L"]


@files("data", "checkgrad")
def test_checkgrad(entry: Entry) -> None:
    case = pl.load(GOLDEN / entry["file"])
    x = case["problem"]["x0"].copy()
    difference, gradient, estimate = optim.checkgrad(function(case["problem"]), x)
    assert_same(x, case["problem"]["x0"])
    near(gradient, case["gradient"], "gradient")
    assert_close(estimate, case["estimate"], 1e-8)  # differences of nearly equal numbers
    assert difference == pytest.approx(case["difference"], abs=1e-9)


@files("data", "polyinterp")
def test_polyinterp(entry: Entry) -> None:
    case = pl.load(GOLDEN / entry["file"])
    near(optim.polyinterp(case["input"]), case["output"], "position")


@files("data", "lswolfe")
def test_lswolfe(entry: Entry) -> None:
    case = pl.load(GOLDEN / entry["file"])
    opfunc, x, direction = function(case["problem"]), case["problem"]["x0"].copy(), case["direction"]
    f, g = opfunc(x)
    slope = float(g @ direction)
    f, g, found, t, evaluations = optim.lswolfe(opfunc, x, case["step"], direction, f, g, slope, case["options"])
    assert found is x
    for ours, name in ((f, "f"), (g, "gradient"), (x, "x"), (t, "t")):
        near(ours, case[name], name)
    assert evaluations == case["evaluations"]


@files("data", "ConfusionMatrix")
def test_ConfusionMatrix(entry: Entry) -> None:
    case = pl.load(GOLDEN / entry["file"])
    confusion = optim.ConfusionMatrix(["cat", "dog", "bird"])
    predictions, targets = case["predictions"], case["targets"] - 1
    confusion.batchAdd(predictions[:6], targets[:6])
    confusion.batchAdd(predictions[6:], targets[6:])
    confusion.add(case["extra"][0] - 1, case["extra"][1] - 1)
    for matrix in (confusion, case["module"]):
        assert isinstance(matrix, optim.ConfusionMatrix)
        assert_same(matrix.mat, case["matrix"])
        assert str(matrix) == case["tostring"]
        assert_same(matrix.valids, case["valids"])
        assert_same(matrix.unionvalids, case["unionvalids"])
        for name in ("averageValid", "averageUnionValid", "totalValid"):
            assert getattr(matrix, name) == case[name]
