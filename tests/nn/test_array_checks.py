"""Objects that users may assign to a module's array fields: masked arrays, matrices, arrays of other shapes and types."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import authors, dpnn, inn, manualSeed, nn, nnx, optim, rnn
from pytorch_legacy.errors import DtypeError, ShapeError, THNNError, ValueRangeError
from tests.rows import rows
from tests.table import CASES
from tests.trees import Array, Tree, copied, leaves, mapped
from tests.trial import Trial

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # a warning of np.matrix

RESULTS = ("output", "gradInput", "save_mean", "save_std", "gradDense")
ANY_SHAPE = ("kernel", "value")  # another shape is another layer


def masked(array: Array) -> Any:
    """One cell is hidden."""
    return np.ma.masked_array(array.copy(), np.arange(array.size).reshape(array.shape) == array.size // 2)


def matrix(array: Array) -> Any:
    return np.matrix(array.copy()) if array.ndim == 2 else None


def first(array: Array) -> Any:
    """Its first element alone, which would broadcast."""
    return array.reshape(-1)[:1].copy() if array.shape != (1,) else None


def modules(module: Any) -> list[Any]:
    return module.listModules() if hasattr(module, "listModules") else [module]


def fields(module: Any) -> Iterator[tuple[int, str]]:
    """Places and names of the arrays of floats that users see in a module and those inside it."""
    for i, inner in enumerate(modules(module)):
        for name, value in vars(inner).items():
            isArray = isinstance(value, np.ndarray) and value.size and value.dtype.kind == "f"
            if isArray and name[0] != "_" and name not in RESULTS:
                yield i, name


def results(module: Any, run: Callable[[Any], Tree]) -> Tree:
    """All numbers that come of a pass and a step."""
    found = [*leaves(run(module))]
    if hasattr(module, "parameters") and module.parameters():
        module.updateParameters(0.1)
        found += [array for arrays in module.parameters() for array in arrays if isinstance(array, np.ndarray)]
    return [np.array(array) for array in found]


def assert_refused_or_same(make: Callable[[], Any], run: Callable[[Any], Tree]) -> None:
    manualSeed(3)
    original = make()
    for i, name in fields(original):
        for other in (masked, matrix, first):
            module = copy.deepcopy(original)
            value = other(vars(modules(module)[i])[name])
            if value is None or (other is first and name in ANY_SHAPE):
                continue
            what = f"{modules(module)[i]._typename}: {name}: {other.__name__}"
            setattr(modules(module)[i], name, value)
            try:
                manualSeed(3)
                found = results(module, run)
            except THNNError as error:
                assert other is first or type(value).__name__ in str(error), what
                continue
            manualSeed(3)
            expected = results(copy.deepcopy(original), run)
            for one, another in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one, another, err_msg=what)


def of_case(case: Any) -> tuple[Callable[[], Any], Callable[[Any], Tree]]:
    trial = Trial(case, np.float64)

    def run(module: Any) -> Tree:
        input = trial.fed(trial.input)
        output = trial.forward(module, input)
        kept = copied(output)
        return [kept, copied(trial.backward(module, input, trial.gradOutput(output)))]

    return trial.module, run


FIRST = dict(reversed(CASES))
HOLDING = [(name, name, case) for name, case in FIRST.items() if [*fields(case.make())]]


@rows("case", HOLDING)
def test_of_cases(case: Any) -> None:
    make, run = of_case(case)
    original = make()
    assert_refused_or_same(lambda: original, run)


def back_and_forth(input: Any) -> Callable[[Any], Tree]:
    def run(module: Any) -> Tree:
        output = copied(module.forward(copied(input)))
        module.backward(copied(input), mapped(np.ones_like, output))
        return output

    return run


SAMPLE = np.linspace(-1, 1, 24, dtype="f")
OTHERS: dict[str, tuple[Callable[[], Any], Any]] = {
    "SpatialLinear": (lambda: nnx.SpatialLinear(2, 3), SAMPLE.reshape(2, 3, 4)),
    "SoftMaxTree": (
        lambda: nnx.SoftMaxTree(4, {1: np.array([2, 3]), 2: np.array([4, 5])}, 1),
        [SAMPLE[:8].reshape(2, 4), np.array([3, 5])],
    ),
    "SpatialFeatNormalization": (lambda: dpnn.SpatialFeatNormalization([1, 2], [3, 4]), SAMPLE.reshape(2, 3, 4)),
    "SimpleColorTransform": (lambda: dpnn.SimpleColorTransform(2, [1, 2]), SAMPLE.reshape(1, 2, 3, 4)),
    "PCAColorTransform": (lambda: dpnn.PCAColorTransform(2, np.eye(2), [1, 2]), SAMPLE.reshape(1, 2, 3, 4)),
    "NCEModule": (
        lambda: dpnn.NCEModule(4, 5, 2, np.ones(5)),
        [SAMPLE[:8].reshape(2, 4), np.array([1, 4])],
    ),
    "ConstAffine": (lambda: inn.ConstAffine(2), SAMPLE.reshape(1, 2, 3, 4)),
    "MeanSubtraction": (lambda: inn.MeanSubtraction([1, 2]), SAMPLE.reshape(1, 2, 3, 4)),
    "InstanceNormalization": (lambda: authors.InstanceNormalization(2), SAMPLE.reshape(1, 2, 3, 4)),
    "SeqLSTM": (lambda: rnn.SeqLSTM(4, 2), SAMPLE.reshape(3, 2, 4)),
    "SeqLSTMP": (lambda: rnn.SeqLSTMP(4, 3, 2), SAMPLE.reshape(3, 2, 4)),
    "SeqGRU": (lambda: rnn.SeqGRU(4, 2), SAMPLE.reshape(3, 2, 4)),
    "LinearNoBias": (lambda: rnn.LinearNoBias(4, 2), SAMPLE.reshape(6, 4)),
    "TorchRnnLSTM": (lambda: authors.TorchRnnLSTM(4, 2), SAMPLE.reshape(2, 3, 4)),
    "SpatialConvolutionCUDA": (lambda: authors.SpatialConvolutionCUDA(2, 3, 2, 2), SAMPLE.reshape(2, 2, 3, 2)),
    "ConstrainedMul": (authors.ConstrainedMul, SAMPLE.reshape(6, 4)),
    "ConstrainedDiv": (authors.ConstrainedDiv, SAMPLE.reshape(6, 4)),
    "PELU": (authors.PELU, SAMPLE.reshape(6, 4)),
    "FReLU": (authors.FReLU, SAMPLE.reshape(6, 4)),
    "MyAdd": (lambda: authors.MyAdd(4), SAMPLE.reshape(6, 4)),
    "OnmtWordEmbedding": (lambda: authors.OnmtWordEmbedding(4, 3), np.array([1, 0, 3])),
}


@pytest.mark.parametrize("name", OTHERS)
def test_of_other_packages(name: str) -> None:
    make, input = OTHERS[name]
    assert_refused_or_same(make, back_and_forth(input))


def test_gradients_that_cannot_be_added_to() -> None:
    layer, x = nn.CMul(2, 3).double(), np.ones((4, 2, 3))
    expanded, frozen = np.broadcast_to(np.zeros(3), (2, 3)).copy(), np.zeros((2, 3))
    frozen.flags.writeable = False
    expanded = np.lib.stride_tricks.as_strided(expanded, (2, 3), (0, 8))
    for gradient, error, what in (
        (frozen, ValueRangeError, "expected an array that can be written to, got a read-only one"),
        (expanded, ValueRangeError, "expected an array that can be written to, got one with several elements at one address"),
        (np.zeros((1, 3)), ShapeError, "expected 2 x 3, as its parameter, got 1 x 3"),
        (np.zeros((2, 3), "f"), DtypeError, "expected float64, got float32"),
        (None, DtypeError, "expected a float64 array, got None"),
    ):
        layer.gradWeight = gradient
        layer.forward(x)
        with pytest.raises(error, match=f"nn.CMul: gradWeight: {what}"):
            layer.backward(x, x)


@pytest.mark.parametrize("method", ["updateParameters", "getParameters", "weightDecay", "zeroGradParameters"])
def test_steps_without_a_pass(method: str) -> None:
    """Methods that take no input check the parameters, too."""
    layer = nn.Linear(3, 2)
    layer.gradWeight = masked(layer.gradWeight)
    with pytest.raises(DtypeError, match=rf"nn.Linear: {method}: gradient 0: expected a float32 array, got MaskedArray"):
        getattr(layer, method)(*([] if "get" in method or "zero" in method else [1]))


@pytest.mark.parametrize("tied", [False, True])
def test_weights_that_lie_otherwise_than_their_gradients(tied: bool) -> None:
    """After ``layer.weight = w.T`` element i of both vectors of getParameters belongs together, as before."""
    w, x = np.random.default_rng(0).standard_normal((3, 3)), np.random.default_rng(1).standard_normal((5, 3))
    found = []
    for weight in (np.ascontiguousarray(w.T), w.T):
        layer = nn.Linear(3, 3).double()
        layer.weight, layer.bias[...] = weight.copy("K"), 0
        net = nn.Sequential(layer, layer.clone("weight", "gradWeight") if tied else nn.Tanh()).double()
        parameters, gradients = net.getParameters()

        def loss(_: Array, net: Any = net, gradients: Array = gradients) -> tuple[float, Array]:
            net.zeroGradParameters()
            net.backward(x, net.forward(x))
            return 0.0, gradients

        optim.sgd(loss, parameters, {"learningRate": 0.1})
        found.append(layer.weight.copy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


@pytest.mark.parametrize("cls", [nn.SpatialSubtractiveNormalization, nn.SpatialDivisiveNormalization])
def test_kernels_that_change_between_passes(cls: Any) -> None:
    x = np.random.default_rng(0).standard_normal((1, 6, 7))
    layer, fresh = cls(1, np.ones((3, 3))).double(), cls(1, np.ones((3, 3))).double()
    layer.forward(x)
    layer.kernel[0] *= 2
    fresh.kernel[0] *= 2
    np.testing.assert_array_equal(layer.forward(x), fresh.forward(x))


@pytest.mark.parametrize("value", [None, 1.5, [0.0, 0.0]])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: nn.BatchNormalization(2), "running_mean"), (lambda: nn.CAdd(2), "bias"),
        (lambda: nn.PartialLinear(2, 2), "weight"), (lambda: nn.Bilinear(2, 2, 2), "weight"),
        (lambda: nn.WeightNorm(nn.Linear(2, 2)), "v"),
    ],
)  # fmt: skip
def test_what_is_no_array(make: Callable[[], Any], name: str, value: Any) -> None:
    layer, x = make(), np.ones((3, 2), "f")
    setattr(layer, name, value)
    with pytest.raises(DtypeError, match=rf"^{layer._typename}: {name}: expected a float32 array, got "):
        layer.forward([x, x] if isinstance(layer, nn.Bilinear) else x)


@pytest.mark.parametrize("other", [masked, matrix])
def test_numbers_that_may_be_arrays(other: Callable[[Array], Any]) -> None:
    x = np.ones((2, 3), "f")
    layers = {"stdev": dpnn.ReinforceNormal(x), "scale": dpnn.ReinforceGamma(x), "constant_scalar": nn.AddConstant(x[0])}
    for name, layer in layers.items():
        setattr(layer, name, other(x))
        with pytest.raises(DtypeError, match=f"{name}: expected a float32 array, got "):
            layer.forward(x)
