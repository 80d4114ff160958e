"""An algorithm looks first and writes then: whatever does not fit is named, and x and state are as they were."""

from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import errors, optim
from tests.optim.test_optim import SEARCHING, STEPPING, algorithms
from tests.trees import Array, assert_same

WEIGHTS = np.arange(1, 7, dtype=np.float64)


def valley(x: Array) -> tuple[float, Array]:
    """A quadratic function of as many elements as x has, of any shape."""
    weights = WEIGHTS[: x.size].reshape(x.shape).astype(x.dtype)
    return float((weights * (x - 1) ** 2).sum() / 2), weights * (x - 1)


def begun(name: str) -> tuple[Array, dict[str, Any], dict[str, Any]]:
    """A point, options and a state after two steps."""
    x, config, state = np.zeros((2, 3)), dict(STEPPING[name]), {}
    if name == "lbfgs":
        config["maxIter"] = 2
    for _ in range(2):
        getattr(optim, name)(valley, x, config, state)
    return x, config, state


def refused(name: str, x: Any, config: Any, state: Any, words: str, opfunc: Any = valley) -> None:
    """The call is an error that says so, and has changed nothing."""
    before = copy.deepcopy((x, config, state))
    with pytest.raises(errors.THNNError, match=f"optim.{name}: {words}"):
        getattr(optim, name)(opfunc, x, config, state)
    assert repr((x, config, state)) == repr(before)


@algorithms
def test_states_of_another_size(name: str) -> None:
    x, config, state = begun(name)
    arrays = [key for key, value in state.items() if isinstance(value, np.ndarray)]
    assert arrays or name == "cg"
    for key in arrays:
        for wrong in (np.zeros(5), np.zeros(1), np.zeros((2, 6)), np.zeros(0), [0.0] * 6, "text", np.zeros(6, complex)):
            refused(name, x, config, state | {key: wrong}, f"state: {key}: expected ")
        frozen = np.zeros(6)
        frozen.flags.writeable = False
        if name != "lbfgs":
            refused(name, x, config, state | {key: frozen}, f"state: {key}: expected an array that can be written to")
    for key in [key for key, value in state.items() if isinstance(value, (int, float))]:
        refused(name, x, config, state | {key: "many"}, f"state: {key}: expected a number, got str 'many'")
    if name == "lbfgs":
        for key in ("old_dirs", "old_stps"):
            refused(name, x, config, state | {key: [*state[key][:-1], np.zeros(7)]}, rf"state: {key}\[\d\]: expected 6 elements")
            refused(name, x, config, state | {key: state[key][:-1]}, "state: expected as many old_stps as old_dirs")
            refused(name, x, config, state | {key: 3}, f"state: {key}: expected a list")
        refused(name, x, config, {key: value for key, value in state.items() if key != "d"}, "state: expected a value of 'd'")


@algorithms
def test_gradients_of_another_size(name: str) -> None:
    """One element is not spread over all of x, at the first step or later."""
    for x, config, state in ((np.zeros((2, 3)), dict(STEPPING[name]), {}), begun(name)):
        arrays = [np.ones(shape) for shape in (1, (), 7, (3, 3), 0)]
        for wrong in (*arrays, 1.0, [1.0] * 6, None, np.ones(6, complex)):
            refused(name, x, config, state, "opfunc: gradient: expected ", lambda x, wrong=wrong: (1.0, wrong))
        for result in (1.0, (1.0,), None):
            refused(name, x, config, state, "opfunc: expected that it returns a value", lambda x, result=result: result)

        def fails(x: Array) -> Any:
            raise KeyError("loss")

        before = copy.deepcopy((x, state))
        with pytest.raises(KeyError):
            getattr(optim, name)(fails, x, config, state)
        assert repr((x, state)) == repr(before)


@pytest.mark.parametrize("name", [*STEPPING, *SEARCHING])
def test_what_cannot_be_moved(name: str) -> None:
    """A list would be copied, and stay where it is."""
    config = {**STEPPING, **SEARCHING}[name]
    for x in ([0.0] * 6, 3.0, np.float64(3), None, np.zeros(6, int), (0.0,), np.ma.zeros(6)):
        refused(name, x, config, None, "x: expected an array of floats, which is moved in place; got")
    frozen = np.zeros(6)
    frozen.flags.writeable = False
    refused(name, frozen, config, None, "x: expected an array that can be written to")
    refused(name, np.zeros(6), [("learningRate", 1)], None, "config: expected a dict or another MutableMapping, got list")
    refused(name, np.zeros(6), config, [1], "state: expected a dict or another MutableMapping, got list")


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("sgd", "learningRate"), ("sgd", "momentum"), ("sgd", "weightDecay"), ("adam", "epsilon"), ("adam", "beta2"),
        ("adamax", "learningRate"), ("adagrad", "learningRateDecay"), ("rmsprop", "alpha"), ("asgd", "t0"), ("rprop", "etaplus"),
        ("cg", "ratio"), ("lbfgs", "tolX"), ("nag", "learningRate"), ("adadelta", "rho"), ("de", "popsize"), ("cmaes", "sigma"),
    ],
)  # fmt: skip
def test_options_that_are_no_numbers(name: str, option: str) -> None:
    config = {**STEPPING, **SEARCHING}[name]
    refused(name, np.zeros((2, 3)), config | {option: "x"}, None, f"config: {option}: expected a number, got str 'x'")
    x = np.zeros(2)
    getattr(optim, name)(valley, x, config | {option: None} if name not in SEARCHING else config)  # nil: the default


@algorithms
def test_a_function_that_is_none(name: str) -> None:
    for wrong in (None, "valley", 3):
        refused(name, np.zeros((2, 3)), {"sigma": 1, "popsize": 8}, {}, "opfunc: expected a function, got ", wrong)


def test_functions_that_are_none_beside_the_algorithms() -> None:
    def f(x: Array, *more: str) -> Any:
        return valley(x) if more else valley(x)[0]

    for name in ("f", "g", "pl"):
        functions: dict[str, Any] = {"f": f, "g": lambda x: 0.0, "pl": lambda x, L: None, name: None}
        with pytest.raises(errors.DtypeError, match=f"optim.FistaLS: {name}: expected a function, got NoneType None"):
            optim.FistaLS(functions["f"], functions["g"], functions["pl"], np.zeros(3), {})
    with pytest.raises(errors.DtypeError, match=r"optim\.checkgrad: opfunc: expected a function"):
        optim.checkgrad(None, np.zeros(3))


@pytest.mark.parametrize(
    ("name", "option", "wrong", "words"),
    [
        ("adam", "beta1", 1, "a number below 1, got 1"),
        ("adamax", "beta1", 1.0, "a number below 1, got 1.0"),
        ("lbfgs", "maxIter", float("nan"), "a finite number, got nan"),
        ("sgd", "learningRate", 10**400, "a number that a float can hold"),
        ("adadelta", "rho", -(10**400), "a number that a float can hold"),
    ],
)
def test_options_that_no_step_can_be_made_with(name: str, option: str, wrong: Any, words: str) -> None:
    refused(name, np.zeros((2, 3)), {option: wrong}, {}, f"config: {option}: expected {words}")


@pytest.mark.parametrize(("name", "option"), [("sgd", "learningRates"), ("nag", "learningRates"), ("sgd", "weightDecays")])
def test_options_for_each_element(name: str, option: str) -> None:
    for wrong in (np.ones(5), np.ones(1), [1.0] * 6, "x"):
        refused(name, np.zeros((2, 3)), {option: wrong, "momentum": 0.5}, {}, f"config: {option}: expected ")
    x, y = np.zeros((2, 3)), np.zeros((2, 3))
    each = np.arange(6.0)
    for _ in range(3):
        getattr(optim, name)(valley, x, {option: each, "momentum": 0.5})
        getattr(optim, name)(valley, y, {option: each.reshape(2, 3), "momentum": 0.5})
    assert_same(x, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@algorithms
def test_any_shape(name: str, dtype: Any) -> None:
    """The numbers of x make the steps, wherever they lie; gradients may have another shape with as many elements."""
    places: list[tuple[Any, Any]] = [
        (np.zeros((2, 3), dtype), lambda g: g),
        (np.zeros((3, 2), dtype).T, lambda g: g.reshape(3, 2)),
        (np.zeros((4, 9), dtype)[1::2, ::3], lambda g: g.reshape(-1)),
        (np.zeros((6, 1, 1), dtype)[::-1], lambda g: g.reshape(1, 6)),
        (np.zeros(6, dtype), lambda g: g.reshape(2, 3)),
    ]
    config = STEPPING[name] | ({"maxIter": 3} if name == "lbfgs" else {})
    expected = np.zeros(6, dtype)
    states = []
    for x, shaped in [(expected, lambda g: g), *places]:
        state: dict[str, Any] = {}
        for _ in range(3):
            result = getattr(optim, name)(lambda x, shaped=shaped: (valley(x)[0], shaped(valley(x)[1])), x, dict(config), state)
            assert result[0] is x and x.dtype == dtype
        # Sums of products are added up in the order of memory.
        np.testing.assert_allclose(x.reshape(-1), expected, rtol=1e-5 if dtype == np.float32 else 1e-12)
        states.append(state)
    assert all(state.keys() == states[0].keys() for state in states)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@algorithms
def test_a_single_number(name: str, dtype: Any) -> None:
    """An array without dimensions is one element, whatever NumPy makes of its arithmetic."""
    config = STEPPING[name] | ({"maxIter": 3} if name == "lbfgs" else {})
    vector, number, scalar = np.zeros(1, dtype), np.array(0, dtype), np.array(0, dtype)
    states: list[dict[str, Any]] = [{}, {}, {}]
    for _ in range(4):
        getattr(optim, name)(lambda x: (float((x[0] - 2) ** 2), 2 * (x - 2)), vector, dict(config), states[0])
        getattr(optim, name)(lambda x: (float((x - 2) ** 2), 2 * (x - 2)), number, dict(config), states[1])
        getattr(optim, name)(lambda x: (float((x - 2) ** 2), float(2 * (x - 2))), scalar, dict(config), states[2])
    assert number.shape == () and number.dtype == dtype
    assert number == vector[0] != 0
    np.testing.assert_allclose(scalar, number, rtol=1e-6)
    getattr(optim, name)(lambda x: (float((x - 2) ** 2), 2 * (x - 2)), number, dict(config), states[0])  # the vector's state


@algorithms
def test_gradients_of_fewer_digits(name: str) -> None:
    """Steps have the digits of x, and not those of a gradient in half or single precision."""
    results = []
    for narrow in (lambda g: g, lambda g: g.astype(np.float16), lambda g: g.astype(np.float32)):
        x, config = np.zeros(6), {**STEPPING[name], "learningRate": 1e-3}
        getattr(optim, name)(lambda x, narrow=narrow: (valley(x)[0], narrow(np.round(valley(x)[1]))), x, config, {})
        results.append(x)
    assert_same(results[1], results[0])
    assert_same(results[2], results[0])


def test_the_gradient_may_be_x_itself() -> None:
    """An algorithm may get x itself as the gradient, as of |x|^2 / 2."""
    for name, config in STEPPING.items():
        x, y = np.arange(1.0, 7), np.arange(1.0, 7)
        for _ in range(3):
            getattr(optim, name)(lambda x: (float(x @ x) / 2, x), x, dict(config))
            getattr(optim, name)(lambda x: (float(x @ x) / 2, x.copy()), y, dict(config))
        if name not in ("cg", "lbfgs"):  # these two use the last gradient after x has moved
            assert_same(x, y)


def test_functions_beside_the_algorithms() -> None:
    f, g = valley(np.zeros(6))
    for words, arguments in (
        ("x: expected an array of floats", ([0.0] * 6, 1.0, -g, f, g, -1.0)),
        ("d: expected 6 elements", (np.zeros(6), 1.0, -g[:5], f, g, -1.0)),
        ("g: expected 6 elements", (np.zeros(6), 1.0, -g, f, g[:1], -1.0)),
    ):
        with pytest.raises(errors.THNNError, match=re.escape(f"optim.lswolfe: {words}")):
            optim.lswolfe(valley, *arguments)
    with pytest.raises(errors.DtypeError, match=r"optim\.checkgrad: x: expected an array of floats"):
        optim.checkgrad(valley, [1.0, 2.0])  # type: ignore[arg-type]
    assert optim.checkgrad(valley, np.array(0.5))[0] < 1e-6
    with pytest.raises(errors.ShapeError, match=r"optim\.checkgrad: opfunc: gradient: expected 2 elements"):
        optim.checkgrad(lambda x: (0.0, np.ones(1)), np.zeros(2))
    with pytest.raises(errors.DtypeError, match=r"optim\.FistaLS: x: expected an array of floats"):
        optim.FistaLS(valley, lambda x: 0.0, lambda x, L: None, [0.0])  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["text", None, np.ones(3), 1j, [1.0]])
def test_values_that_are_no_numbers(wrong: Any) -> None:
    """Values that are compared must be numbers; an array of one element counts as a number."""

    def function(x: Array, mode: Any = None) -> Any:
        return wrong, x

    words = "opfunc: expected a number as its value, got "
    for name, options in {"cg": {}, "lbfgs": {}, **SEARCHING}.items():
        refused(name, np.ones(3), dict(options), None, words, function)
    for call in (
        lambda: optim.lswolfe(function, np.ones(3), 1.0, -np.ones(3), 1.0, np.ones(3), -3.0),
        lambda: optim.FistaLS(function, valley, lambda x, L: None, np.ones(3)),
        lambda: optim.FistaLS(lambda x, mode=None: valley(x), function, lambda x, L: None, np.ones(3)),
        lambda: optim.checkgrad(function, np.ones(3)),
    ):
        with pytest.raises(errors.DtypeError, match=words):
            call()


@pytest.mark.parametrize("name", ["cg", "lbfgs"])
def test_values_in_arrays(name: str) -> None:
    kept = np.zeros(1)

    def function(x: Array) -> Any:
        kept[0], gradient = valley(x)
        return kept, gradient

    found, expected = (getattr(optim, name)(opfunc, np.zeros(3), {}) for opfunc in (function, valley))
    assert found[1] == expected[1] and len(set(found[1])) > 2


@pytest.mark.parametrize(("name", "size"), [("cmaes", 1), ("de", 2), ("de", 0), ("de", -1)])
def test_too_few_points(name: str, size: int) -> None:
    refused(name, np.ones(3), SEARCHING[name] | {"popsize": size}, None, "config: popsize: expected ")


@pytest.mark.parametrize("kind", [np.float64, np.array])
def test_numbers_of_numpy_give_the_bits_of_numbers_of_python(kind: Any) -> None:
    options = {"learningRate": 0.1, "momentum": 0.9, "dampening": 0.3, "weightDecay": 0.7, "learningRateDecay": 0.01}
    for name in ("sgd", "adam", "rmsprop", "adagrad", "adamax", "nag"):
        found = []
        for config in (options, {key: kind(value) for key, value in options.items()}):
            x, state = (WEIGHTS / 7).astype(np.float32), {}
            for _ in range(3):
                getattr(optim, name)(lambda x: ((x**2).sum(), x / np.float32(3)), x, config, state)
            found.append((x, state))
        (x, state), (y, other) = found
        assert x.tobytes() == y.tobytes() and state.keys() == other.keys(), name
        for key in state:
            assert np.asarray(state[key]).tobytes() == np.asarray(other[key]).tobytes(), (name, key)
