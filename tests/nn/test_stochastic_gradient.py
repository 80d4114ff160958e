"""The training loop."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pytorch_legacy import random, t7
from pytorch_legacy.errors import ArgumentError, ShapeError
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.training.StochasticGradient import StochasticGradient
from tests.nn.toys import Factory, Linear, MSECriterion, batch
from tests.trees import assert_close

GOLDEN = Path(__file__).parent.parent / "golden"


def dataset(count=6):
    rng = np.random.default_rng(5)
    inputs = rng.standard_normal((count, 3)).astype(np.float32)
    return [(x, x[:1] - 2 * x[1:2]) for x in inputs]


def trainer():
    made = StochasticGradient(Sequential().add(Linear(3, 1)), MSECriterion())
    made.verbose = False
    return made


def test_results_are_those_of_torch7():
    case = t7.read(GOLDEN / "decorator" / "StochasticGradient.t7", objectFactory=Factory(Sequential, StochasticGradient))
    made = case["module"]
    errors = []
    made.hookIteration = lambda _, iteration, error: errors.append((iteration, error))
    made.train(list(zip(case["input"], case["target"], strict=True)))
    assert [iteration for iteration, _ in errors] == [1, 2, 3, 4]
    np.testing.assert_allclose([error for _, error in errors], case["errors"], rtol=1e-12)
    assert_close(made.module.parameters()[0], case["parameters"], 1e-12)


def test_learns():
    made = trainer()
    made.learningRate, made.maxIteration = 0.05, 60
    made.train(dataset(20))
    np.testing.assert_allclose(made.module[0].weight, [[1, -2, 0]], atol=1e-3)


def test_hooks_see_every_example_once_each_pass_in_the_order_of_torch_randperm():
    data, made, seen, iterations = dataset(31), trainer(), [], []
    made.maxIteration = 2
    made.hookExample = lambda it, example: seen.append(next(i for i, e in enumerate(data) if e is example))
    made.hookIteration = lambda it, iteration, error: iterations.append((it, iteration))
    random.manualSeed(1)
    made.train(data)
    assert seen[:5] == [10, 30, 14, 27, 29]  # torch.manualSeed(1); torch.randperm(31)
    assert sorted(seen[:31]) == list(range(31)) and seen[31:] == seen[:31]
    assert iterations == [(made, 1), (made, 2)]


def test_the_order_is_drawn_in_any_case():
    drawn = []
    for shuffled in (True, False):
        made = trainer()
        made.shuffleIndices, made.maxIteration = shuffled, 1
        random.manualSeed(1)
        made.train(dataset(4))
        drawn.append(random.random())
    assert drawn[0] == drawn[1]


def test_decay_and_order(monkeypatch):
    made, rates, seen = trainer(), [], []
    made.shuffleIndices, made.learningRateDecay, made.maxIteration = False, 0.5, 3
    step = made._step

    def spy(example, rate):
        rates.append(rate)
        seen.append(example[0])
        return step(example, rate)

    monkeypatch.setattr(made, "_step", spy)
    data = dataset(2)
    made.train(data)
    assert rates == pytest.approx([0.01, 0.01, 0.01 / 2, 0.01 / 2, 0.01 / 2.5, 0.01 / 2.5])
    assert all(x is y for x, y in zip(seen, [data[0][0], data[1][0]] * 3, strict=True))


def test_zero_iterations_means_until_something_stops_it():
    made, passes = trainer(), []
    made.maxIteration = 0

    def stop(_, iteration, error):
        passes.append(iteration)
        if iteration == 40:
            raise StopIteration

    made.hookIteration = stop
    with pytest.raises(StopIteration):
        made.train(dataset(1))
    assert passes == list(range(1, 41))


def test_speaks_only_when_verbose(capsys):
    made = trainer()
    made.maxIteration = 1
    made.train(dataset(1))
    assert capsys.readouterr().out == ""
    made.verbose = True
    made.train(dataset(1))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "# StochasticGradient: training"
    assert lines[1].startswith("# current error = ")
    assert lines[2] == "# StochasticGradient: you have reached the maximum number of iterations"
    assert lines[3] == lines[1].replace("current", "training")


class Endless:
    def __getitem__(self, i):
        return batch(3), batch(1)


@pytest.mark.parametrize(
    "dataset, error, text",
    [
        ([], ShapeError, "dataset: expected a sequence of .input, target. pairs, got none"),
        ((example for example in dataset()), ArgumentError, r"with len\(\) and \[i\], got generator .*; pass list\(dataset\)"),
        (zip([1], [2], strict=True), ArgumentError, r"got zip .*; pass list\(dataset\)"),
        (None, ArgumentError, r"with len\(\) and \[i\], got None$"),
        (3, ArgumentError, r"with len\(\) and \[i\], got int 3$"),
        (Endless(), ArgumentError, r"with len\(\) and \[i\], got Endless "),
        ([3], ArgumentError, r"dataset\[0\]: expected a pair of input and target, got TypeError"),
        ([batch(1)], ArgumentError, r"dataset\[0\]: expected a pair of input and target, got IndexError"),
        ({"input": batch(3)}, ArgumentError, r"dataset\[0\]: expected a pair of input and target, got KeyError: 0"),
    ],
)
def test_what_is_no_dataset(dataset, error, text):
    with pytest.raises(error, match=f"^nn.StochasticGradient: .*{text}"):
        trainer().train(dataset)


def test_progress_is_shown_where_there_is_tqdm(monkeypatch):
    shown = []

    def tqdm(order, desc, **options):
        shown.append((list(order), desc, options["disable"]))
        return order

    made = trainer()
    made.shuffleIndices, made.maxIteration = False, 2
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(tqdm=tqdm))
    made.train(dataset(2))
    assert shown == [], "not when silent"
    made.verbose = True
    made.train(dataset(2))
    assert shown == [([0, 1], "iteration 1", None), ([0, 1], "iteration 2", None)]
    monkeypatch.setitem(sys.modules, "tqdm", None)  # as if it were not installed
    made.train(dataset(2))
