"""Options and state in other tables than a dict, which see every access."""

from collections.abc import MutableMapping
from copy import deepcopy
from types import MappingProxyType

import numpy as np
import pytest

from pytorch_legacy import optim, random
from pytorch_legacy.errors import DtypeError


class Noting(dict):
    """A dict that notes what goes through its own methods, and nothing else."""

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.written, self.read = {}, set()
        self.seen = dict(self)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.written[key] = self.seen[key] = value

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        raise AssertionError("get goes round __getitem__")

    def __ior__(self, other):
        raise AssertionError("|= goes round __setitem__")

    update = setdefault = pop = __ior__


class Store(MutableMapping):
    """A table on a disk, so to speak: what is read is a copy, and only what is set is kept."""

    def __init__(self, *arguments, **keywords):
        self._kept = dict(*arguments, **keywords)

    def __getitem__(self, key):
        return deepcopy(self._kept[key])

    def __setitem__(self, key, value):
        self._kept[key] = deepcopy(value)

    def __delitem__(self, key):
        del self._kept[key]

    def __iter__(self):
        return iter(self._kept)

    def __len__(self):
        return len(self._kept)


def valley(x):
    return float(x[0] ** 2 + 10 * x[1] ** 2), np.array([2, 20]) * x


ALGORITHMS = {
    "sgd": (optim.sgd, {"learningRate": 0.01, "momentum": 0.9, "weightDecay": 0.1, "learningRateDecay": 0.01}),
    "sgd nesterov": (optim.sgd, {"learningRate": 0.01, "momentum": 0.9, "dampening": 0, "nesterov": True}),
    "nag": (optim.nag, {"learningRate": 0.01}),
    "adam": (optim.adam, {"learningRate": 0.1}),
    "adamax": (optim.adamax, {"learningRate": 0.1}),
    "adagrad": (optim.adagrad, {"learningRate": 0.5}),
    "adadelta": (optim.adadelta, {"rho": 0.9}),
    "rmsprop": (optim.rmsprop, {"learningRate": 0.1}),
    "rprop": (optim.rprop, {"stepsize": 0.2, "niter": 2}),
    "asgd": (optim.asgd, {"eta0": 0.01, "t0": 2}),
    "cg": (optim.cg, {"maxIter": 3}),
    "lbfgs": (optim.lbfgs, {"maxIter": 3, "nCorrection": 2, "learningRate": 0.05}),
    "lbfgs with a search": (optim.lbfgs, {"maxIter": 3, "lineSearch": optim.lswolfe, "lineSearchOptions": {"c2": 0.5}}),
    "cmaes": (optim.cmaes, {"sigma": 0.5, "maxEval": 40}),
    "de": (optim.de, {"popsize": 5, "maxFEs": 20, "scaleFactor": 0.7, "crossoverRate": 0.5}),
}  # fmt: skip


def ran(algorithm, config, state, calls=4):
    random.manualSeed(3)
    x, results = np.array([3.0, -4.0]), []
    for _ in range(calls):
        found = algorithm(valley, x, config, state)
        results.append([np.array(part) for part in found])
    return x, results


def same(one, other):
    np.testing.assert_array_equal(one[0], other[0])
    for ours, theirs in zip(one[1], other[1], strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("kind", [Noting, Store])
def test_results_are_those_of_a_dict(name, apart, kind):
    algorithm, options = ALGORITHMS[name]
    begin = options if name == "cmaes" else {}  # cmaes has its options in the state
    plainState, state = (dict(begin), kind(begin)) if apart else (None, None)
    plain, config = dict(options), kind(options)
    expected = ran(algorithm, plain, plainState)
    same(ran(algorithm, config, state), expected)
    for found, wanted in ((config, plain), (state, plainState)):
        if found is not None:
            assert set(found) == set(wanted)
            for key in wanted:
                np.testing.assert_equal(found[key], wanted[key])


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in ("cg", "cmaes", "de")])
def test_every_field_that_is_remembered_was_set(name):
    algorithm, options = ALGORITHMS[name]
    state = Noting()
    ran(algorithm, Noting(options), state)
    assert state.written.keys() == set(state)
    for key in state:
        np.testing.assert_equal(state.seen[key], dict.__getitem__(state, key))


def test_fista_and_lswolfe():
    def f(x, mode=None):
        return (float((x**2).sum()), 2 * x) if mode == "dx" else float((x**2).sum())

    arguments = (f, lambda x: 0.0, lambda x, L: x, np.array([3.0, -4.0]))
    plain, noting, store = {"maxiter": 5}, Noting(maxiter=5), Store(maxiter=5)
    expected = optim.FistaLS(*arguments, plain)[0].copy()
    for params in (noting, store):
        arguments[-1][...] = 3, -4
        np.testing.assert_array_equal(optim.FistaLS(*arguments, params)[0], expected)
        assert params["L"] == plain["L"]
    assert noting.written.keys() == {"L"}
    x, d = np.array([3.0, -4.0]), np.array([-6.0, 80.0])
    value, gradient = valley(x)
    results = [
        optim.lswolfe(valley, x.copy(), 1.0, d, value, gradient, float(gradient @ d), options)
        for options in ({"c2": 0.5}, Noting(c2=0.5), Store(c2=0.5))
    ]
    for result in results[1:]:
        for one, other in zip(result, results[0], strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("wrong", [[1], "ab", 3, (("a", 1),), MappingProxyType({"learningRate": 1})])
def test_what_cannot_be_written_is_refused(wrong):
    for config, state, name in ((wrong, None, "config"), ({}, wrong, "state")):
        with pytest.raises(DtypeError, match=f"optim.sgd: {name}: expected a dict or another MutableMapping, got"):
            optim.sgd(valley, np.array([3.0, -4.0]), config, state)
    with pytest.raises(DtypeError, match=r"optim\.lswolfe: options: expected a dict or another MutableMapping"):
        optim.lswolfe(valley, np.ones(2), 1.0, np.ones(2), 1.0, np.ones(2), 1.0, wrong)


def test_a_table_that_makes_what_is_missing():
    """A missing option is its default, and no entry comes into being."""
    from collections import defaultdict

    config = defaultdict(lambda: 1e9)
    x = np.array([3.0, -4.0])
    optim.sgd(valley, x, config, {})
    assert not config
    np.testing.assert_allclose(x, [3 - 0.006, -4 + 0.08])
