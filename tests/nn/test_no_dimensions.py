"""Arrays without dimensions: each is one element, as a vector of length 1 is."""

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import THNNError
from tests.case import Case
from tests.rows import rows
from tests.table import CASES
from tests.trees import Tree, leaves, mapped

# Their cases bring something of their own that asks for more than an element.
OTHERS = ("IndexLinear", "PrintSize", "SparseLinear", "VolumetricMaxUnpooling")


def one(tree: Tree, shape: tuple[int, ...]) -> Tree:
    """The last element of each array, in single precision where it is no integer, in an array of that shape."""

    def taken(leaf):
        array = np.asarray(leaf)
        return np.full(shape, array.reshape(-1)[-1], array.dtype if array.dtype.kind in "iu" else np.float32)

    return mapped(taken, tree)


def passes(case: Case, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Returns the results of forward and backward for one element."""
    module, input = case.make(), one(case.input(np.random.default_rng(1)), shape)
    pl.manualSeed(1)
    if case.target is not None:
        target = one(case.target(np.random.default_rng(2)), shape)
        return [np.float32(module.forward(input, target)), *leaves(module.backward(input, target))]
    output = mapped(np.copy, module.forward(input))
    gradient = module.backward(input, mapped(lambda leaf: np.full(leaf.shape, 0.75, leaf.dtype), output))
    return [*leaves(output), *leaves(gradient)]


@rows("case", [(name, case.name, case) for name, case in CASES if name not in OTHERS])
def test_a_layer_gives_what_it_gives_for_a_vector(case: Case) -> None:
    try:
        expected = passes(case, (1,))
    except THNNError:
        with pytest.raises(THNNError):
            passes(case, ())
        return
    try:
        found = passes(case, ())
    except THNNError as error:  # there is no dimension to choose, or two gradients of other shapes to add
        assert "out of range for a" in str(error) or "no dimensions" in str(error)
        return
    for actual, wanted in zip(found, expected, strict=True):
        assert np.size(actual) == np.size(wanted)
        np.testing.assert_array_equal(np.ravel(actual), np.ravel(wanted))


def test_activations_and_criterions_take_them():
    """They keep the shape."""
    x = np.array(-3, np.float32)
    for layer, expected in ((nn.ReLU(), 0), (nn.Abs(), 3), (nn.PReLU(), -0.75), (nn.HardTanh(), -1), (nn.MulConstant(2), -6)):
        output = layer.forward(x)
        assert output.shape == () and output == expected
        assert layer.backward(x, x).shape == ()
    for criterion, loss in ((nn.MSECriterion(), 25), (nn.AbsCriterion(), 5), (nn.SmoothL1Criterion(), 4.5)):
        assert criterion.forward(x, np.array(2, np.float32)) == criterion.forward(x, np.array([[2]], np.float32)) == loss
        assert criterion.backward(x, np.array(2, np.float32)).shape == ()
    assert nn.Linear(1, 2).forward(x).shape == (2,)
    assert nn.LookupTable(5, 3).forward(np.array(2)).shape == (1, 3)
    keys, values = np.array(3), np.array(0.5, np.float32)
    np.testing.assert_array_equal(nn.IndexLinear(4, 2).forward([keys, values]), 0)


def test_layers_of_rows_and_volumes_refuse_them():
    x = np.array(-3, np.float32)
    pooling = nn.VolumetricMaxPooling(2, 2, 2)
    pooling.forward(np.zeros((1, 2, 2, 2), np.float32))
    for layer in (nn.SparseLinear(4, 2), nn.VolumetricMaxUnpooling(pooling), nn.SpatialConvolution(1, 1, 3, 3)):
        for method in (lambda layer=layer: layer.forward(x), lambda layer=layer: layer.backward(x, x)):
            with pytest.raises(THNNError, match="input: expected"):
                method()


@pytest.mark.parametrize("name", ["uniform", "normal", "cauchy", "logNormal", "bernoulli", "exponential", "geometric"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_draw(name, dtype):
    numbers = (0.5,) if name in ("bernoulli", "exponential", "geometric") else (0.5, 1)
    draw = getattr(pl.random, name)
    pl.manualSeed(5)
    single, after = draw(*numbers, (), dtype), pl.random.random()
    pl.manualSeed(5)
    assert single.shape == () and single == draw(*numbers, 1, dtype)[0]
    assert after == pl.random.random()
