"""Properties of all algorithms, beyond the numbers that Torch7 recorded."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import errors, optim
from tests.test_golden import GOLDEN
from tests.trees import Array, assert_close, assert_same

STEPPING: dict[str, dict[str, Any]] = {
    "adadelta": {"eps": 1e-3},
    "adagrad": {"learningRate": 0.5},
    "adam": {"learningRate": 0.1},
    "adamax": {"learningRate": 0.1},
    "asgd": {"eta0": 0.1},
    "cg": {},
    "lbfgs": {"lineSearch": optim.lswolfe},
    "nag": {"learningRate": 0.02},
    "rmsprop": {"learningRate": 0.02},
    "rprop": {},
    "sgd": {"learningRate": 0.1, "momentum": 0.5},
}
SEARCHING: dict[str, dict[str, Any]] = {
    "cmaes": {"sigma": 0.5, "maxEval": 2000},
    "de": {"popsize": 20, "maxFEs": 2000, "scaleFactor": 0.6, "crossoverRate": 0.9},
}

algorithms = pytest.mark.parametrize("name", STEPPING)
TARGET = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])


def bowl(x: Array) -> tuple[float, Array]:
    """Lowest at TARGET, with the value 0; each element has a slope of its own."""
    weights = np.arange(1, 7, dtype=x.dtype).reshape(x.shape)
    error = x - TARGET.astype(x.dtype)
    return float((weights * error**2).sum() / 2), weights * error


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@algorithms
def test_minimum(name: str, dtype: Any) -> None:
    """All get there, in the array that they are given, in its precision, whatever its shape."""
    x, config = np.zeros((2, 3), dtype), dict(STEPPING[name])
    first = bowl(x)[0]
    for i in range(500):
        result, fs, *_ = getattr(optim, name)(bowl, x, config)
        assert result is x and x.dtype == dtype
        assert isinstance(fs, list)
        assert i or fs[0] == first
    assert_close(x, TARGET.astype(dtype), 1e-2)
    arrays = [value for value in config.values() if isinstance(value, np.ndarray)]
    assert all(array.dtype == dtype and array.shape == x.shape for array in arrays)


@pytest.mark.parametrize("name", SEARCHING)
def test_minimum_without_gradients(name: str) -> None:
    pl.manualSeed(1)
    x = np.zeros((2, 3))
    best, fs = getattr(optim, name)(lambda x: bowl(x)[0], x, SEARCHING[name])
    assert_close(best, TARGET, 1e-2)
    assert_same(x, np.zeros((2, 3)))
    assert min(fs) == pytest.approx(bowl(best)[0])


@algorithms
def test_state_of_its_own(name: str) -> None:
    """With a state, the options stay as they are (asgd fills in its defaults), and the steps are the same."""
    config, state = dict(STEPPING[name]), {}
    both = dict(STEPPING[name])
    x, y = np.zeros((2, 3)), np.zeros((2, 3))
    for _ in range(3):
        getattr(optim, name)(bowl, x, config, state)
        getattr(optim, name)(bowl, y, both)
    assert_same(x, y)
    if name != "asgd":
        assert config == STEPPING[name]
    assert set(state) | set(config) == set(both)


@algorithms
def test_gradients_stay(name: str) -> None:
    """The array that opfunc returns is read only: it is often the gradients of a network."""
    buffer = np.empty((2, 3))

    def opfunc(x: Array) -> tuple[float, Array]:
        f, gradient = bowl(x)
        buffer.flags.writeable = True
        buffer[...] = gradient
        buffer.flags.writeable = False
        return f, buffer

    x, y = np.zeros((2, 3)), np.zeros((2, 3))
    config, other = ({**STEPPING[name], "weightDecay": 0.1} for _ in range(2))
    for _ in range(4):
        getattr(optim, name)(opfunc, x, config)
        getattr(optim, name)(bowl, y, other)
    assert_same(x, y)


@pytest.mark.parametrize("name", ["adamax_args_quadratic", "sgd_all_quadratic", "lbfgs_wolfe_quadratic", "rprop_quadratic"])
def test_goes_on_from_a_saved_state(name: str) -> None:
    """A state that Torch7 saved: the next step is that of ours, which took the same steps."""
    case = pl.load(GOLDEN / "optim" / f"{name}.t7")
    A, b = case["problem"]["A"], case["problem"]["b"]

    def opfunc(x: Array) -> tuple[float, Array]:
        return float(0.5 * x @ A @ x - b @ x), A @ x - b

    algorithm = getattr(optim, name.split("_")[0])
    saved, config = copy.deepcopy(case["state"]), dict(case["config"])
    for table in (saved, config):
        if "lineSearch" in table:
            table["lineSearch"] = optim.lswolfe
    x = case["x0"].copy()
    for _ in case["steps"]:
        algorithm(opfunc, x, config)
    theirs = case["steps"][-1]["x"].copy()
    algorithm(opfunc, x, config)
    algorithm(opfunc, theirs, saved)
    assert_close(theirs, x, 1e-9)


@pytest.mark.parametrize("steps", [1, 2, 3])
@algorithms
def test_a_state_survives_being_saved(name: str, steps: int, tmp_path: Path) -> None:
    """Options and state come from a .t7 file as they went in, functions apart."""
    one_step = {"maxIter": 1} if name == "lbfgs" else {}
    config, state, x = STEPPING[name] | one_step, {}, np.zeros((2, 3))
    functions = {key: config.pop(key) for key in [*config] if callable(config[key])}

    def moved(x: Array, config: dict[str, Any], state: dict[str, Any]) -> Array:
        for _ in range(steps):
            getattr(optim, name)(bowl, x, config | functions, state)
        return x

    moved(x, config, state)
    pl.save(tmp_path / "training.t7", {"x": x, "config": config, "state": state})
    assert_same(moved(**pl.load(tmp_path / "training.t7")), moved(x, config, state))


def test_sgd_rates_of_single_elements() -> None:
    x = np.array([1.0, 2.0])
    optim.sgd(lambda x: (0.0, np.ones(2)), x, {"learningRate": 0.5, "learningRates": np.array([1.0, 0.0])})
    assert_same(x, np.array([0.5, 2.0]))


@pytest.mark.parametrize(
    "name, config", [("sgd", {"nesterov": True}), ("sgd", {"nesterov": True, "momentum": 0.9}), ("nag", {"momentum": 0})]
)
def test_impossible_momentum(name: str, config: dict[str, Any]) -> None:
    with pytest.raises(errors.ValueRangeError, match=f"optim.{name}: "):
        getattr(optim, name)(bowl, np.zeros((2, 3)), config)


@pytest.mark.parametrize("config", [{}, *({"maxIter": n} for n in (5, 6, 30, 50)), {"maxEval": 7.5}], ids=str)
@pytest.mark.parametrize("f, start", [(bowl, TARGET), (lambda x: (np.nan, np.full_like(x, np.nan)), 0 * TARGET)])
def test_cg_ends_where_nothing_is_gained(f: Any, start: Array, config: dict[str, Any]) -> None:
    """At the minimum, and where losses are NaN; maxEval may be a fraction, and is one with most values of maxIter."""
    evaluations = 0

    def opfunc(x: Array) -> Any:
        nonlocal evaluations
        evaluations += 1
        assert evaluations < 100
        return f(x)

    x, fs = optim.cg(opfunc, start.copy(), config)
    assert_same(x, start)
    assert_same(np.array(fs), np.array([f(start)[0]]))


def test_cg_ends_where_there_is_no_minimum() -> None:
    x, fs = optim.cg(lambda x: (-float(x.sum()), -np.ones_like(x)), np.zeros(2), {"maxIter": 6})
    assert_same(x, np.zeros(2))
    assert fs == [0]


def test_asgd_average() -> None:
    """The average of all points after the first t0 + 1."""
    x, config = np.zeros((2, 3)), {"eta0": 0.1, "lambda": 0.0, "t0": 2}
    points = []
    for _ in range(6):
        result, fs, average = optim.asgd(bowl, x, config)
        points.append(x.copy())
    assert result is x and fs == [bowl(points[-2])[0]] and average is config["ax"]
    assert_close(average, np.mean(points[3:], 0), 1e-12)


def test_checkgrad_finds_what_is_wrong() -> None:
    def wrong(x: Array) -> tuple[float, Array]:
        f, gradient = bowl(x)
        gradient[1, 2] *= 1.5
        return f, gradient

    x = np.full((2, 3), 0.3)
    assert optim.checkgrad(bowl, x)[0] < 1e-7
    difference, gradient, estimate = optim.checkgrad(wrong, x)
    assert difference > 0.1
    assert np.argwhere(np.abs(gradient - estimate) > 1e-5).tolist() == [[1, 2]]


def test_polyinterp_with_bounds() -> None:
    """(x - 1)^2 has its minimum at 1; between other bounds, the nearer of them; a line falls all the way."""
    points = [[0.0, 1.0, -2.0], [3.0, 4.0, 4.0]]
    assert optim.polyinterp(points, 0, 5) == pytest.approx(1)
    assert optim.polyinterp(points, 2, 5) == pytest.approx(2)
    assert optim.polyinterp([[0.0, 0.0, -1.0], [1.0, -1.0, -1.0]], 0, 5) == pytest.approx(5)
    assert optim.polyinterp([*points, [1.5, 0.25, 1.0]]) == pytest.approx(1)


def test_lswolfe_conditions() -> None:
    """From far too short and far too long a step alike, the value falls and the slope is flat."""
    direction = -bowl(np.zeros((2, 3)))[1]
    for t in (1e-3, 1.0, 50.0):
        x = np.zeros((2, 3))
        f, g = bowl(x)
        slope = float((g * direction).sum())
        value, gradient, found, step, calls = optim.lswolfe(bowl, x, t, direction, f, g, slope, {"c2": 0.1})
        assert found is x and calls > 0
        assert_close(x, step * direction, 1e-12)
        assert value == bowl(x)[0] <= f + 1e-4 * step * slope
        assert abs(float((gradient * direction).sum())) <= -0.1 * slope


@pytest.mark.parametrize(
    "name, config, missing",
    [("de", {}, "maxFEs"), ("de", {"maxFEs": 9, "scaleFactor": 1}, "crossoverRate"), ("cmaes", {"maxEval": 9}, "sigma")],
)
def test_options_that_must_be_there(name: str, config: dict[str, Any], missing: str) -> None:
    given = ", ".join(config) or "no options"
    with pytest.raises(errors.ValueRangeError, match=f"optim.{name}: config: expected a value of '{missing}', got {given}"):
        getattr(optim, name)(bowl, np.zeros((2, 3)), config)


def test_verbose(capsys: pytest.CaptureFixture[str]) -> None:
    optim.lbfgs(bowl, np.zeros((2, 3)), {"verbose": True, "lineSearch": optim.lswolfe, "tolFun": 0.1})
    assert "<optim.lbfgs>" in capsys.readouterr().out
    optim.cmaes(bowl, np.zeros((2, 3)), {"sigma": 0.5, "maxEval": 50, "verb_disp": 1})
    assert "best f-value" in capsys.readouterr().out


def test_a_network() -> None:
    """The usual training loop: the parameters of a network as one vector, its gradients as another."""
    pl.manualSeed(4)
    net = pl.nn.Sequential().add(pl.nn.Linear(2, 8)).add(pl.nn.Tanh()).add(pl.nn.Linear(8, 1))
    criterion = pl.nn.MSECriterion()
    input = pl.random.uniform(-1, 1, (64, 2))
    target = input[:, :1] * input[:, 1:]
    parameters, gradients = net.getParameters()

    def feval(x: Array) -> tuple[float, Array]:
        gradients.fill(0)
        output = net.forward(input)
        loss = criterion.forward(output, target)
        net.backward(input, criterion.backward(output, target))
        return loss, gradients

    config = {"learningRate": 0.05}
    losses = [optim.adam(feval, parameters, config)[1][0] for _ in range(400)]
    assert losses[-1] < losses[0] / 20
