"""pl.optimize gives a network that computes the same: on small ones of each step, on all of Torch7's, on the samples."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cudnn, nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import DtypeError, ShapeError
from pytorch_legacy.nn.Module import Module
from tests.test_golden import GOLDEN, MANIFEST
from tests.trees import assert_close, copied, leaves

EXAMPLES = GOLDEN.parent.parent / "examples"


def learned(net: Module) -> Module:
    """With statistics as after training."""
    random = np.random.default_rng(1)
    for module in net.listModules():
        if isinstance(module, nn.BatchNormalization):
            module.running_mean[...] = random.standard_normal(module.running_mean.shape)
            module.running_var[...] = random.uniform(0.1, 3, module.running_var.shape)
    return net


def parameters(net: Module) -> list[Tensor]:
    return (net.parameters() or [[]])[0]


def steps(net: Module, input: Any, tolerance: float | None = None) -> list[str]:
    """Returns the changes of an optimized network, after checks that its results are the same and that it overwrites no more
    inputs.
    """
    passed(net.evaluate(), input)  # clears rows of zeros in some tables
    before = [array.copy() for array in parameters(net)]
    log: list[str] = []
    optimized = pl.optimize(net, log.append)
    for value in (input, input, other := rolled(input), input, other, other):
        given, expected = passed(net, value)
        mine, output = passed(optimized, value)
        isDouble = net.type() == "torch.DoubleTensor"
        assert_close(output, expected, tolerance or (1e-10 if isDouble else 1e-5))
        for one, changed, old in zip(leaves(mine), leaves(given), leaves(value), strict=True):
            assert np.array_equal(one, old, equal_nan=True) or np.array_equal(one, changed, equal_nan=True)
    for array, old in zip(parameters(net), before, strict=True):
        np.testing.assert_array_equal(array, old)
    return log


def passed(net: Module, input: Any) -> tuple[Any, Any]:
    """Returns the input after a pass, and the output."""
    given = copied(input)
    net.forget()
    pl.manualSeed(1)
    return given, copied(net.forward(given))


def rolled(value: Any) -> Any:
    """Arrays of the same numbers in other places."""
    if isinstance(value, list):
        return [rolled(entry) for entry in value]
    return np.roll(value, value.size // 3 + 1) if isinstance(value, np.ndarray) else value


def image(planes: int = 3, *more: int) -> Tensor:
    return np.random.default_rng(0).standard_normal((2, planes, *(more or (7, 7)))).astype(np.float32)


CHAINS: dict[str, tuple[Callable[[], Module], Tensor, list[str]]] = {
    "convolution": (
        lambda: nn.Sequential(nn.SpatialConvolution(3, 4, 3, 3), nn.SpatialBatchNormalization(4), nn.ReLU()),
        image(), ["folded"],
    ),
    "without bias and affine": (
        lambda: nn.Sequential(nn.SpatialConvolution(3, 4, 3, 3).noBias(), nn.SpatialBatchNormalization(4, 1e-3, 0.1, False)),
        image(), ["folded"],
    ),
    "groups": (
        lambda: nn.Sequential(cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 0, 0, 2), cudnn.SpatialBatchNormalization(6), nn.ReLU()),
        image(4), ["folded"],
    ),
    "depth-wise": (
        lambda: nn.Sequential(cudnn.SpatialConvolution(4, 8, 3, 3, 1, 1, 0, 0, 4), cudnn.SpatialBatchNormalization(8), nn.ReLU()),
        image(4), ["folded"],
    ),
    "full": (
        lambda: nn.Sequential(nn.SpatialFullConvolution(3, 4, 3, 3, 2, 2), nn.SpatialBatchNormalization(4), nn.LeakyReLU(0.2)),
        image(), ["folded"],
    ),
    "volumes": (
        lambda: nn.Sequential(nn.VolumetricConvolution(3, 4, 2, 3, 3), nn.VolumetricBatchNormalization(4)),
        image(3, 4, 6, 6), ["folded"],
    ),
    "full volumes": (
        lambda: nn.Sequential(nn.VolumetricFullConvolution(3, 4, 2, 2, 2), nn.VolumetricBatchNormalization(4)),
        image(3, 3, 3, 3), ["folded"],
    ),
    "matrix": (
        lambda: nn.Sequential(nn.SpatialConvolutionMM(3, 4, 3, 3), nn.SpatialBatchNormalization(4)), image(), ["folded"],
    ),
    "linear": (
        lambda: nn.Sequential(nn.Linear(7, 4), nn.BatchNormalization(4), nn.MulConstant(3.0), nn.AddConstant(1.0), nn.HardTanh()),
        image()[0, 0], ["folded"] * 3,
    ),
    "depth-wise is left": (
        lambda: nn.Sequential(nn.SpatialDepthWiseConvolution(3, 2, 3, 3), nn.SpatialBatchNormalization(6), nn.ReLU()),
        image(), [],
    ),
    "pooling between": (
        lambda: nn.Sequential(nn.SpatialConvolution(3, 4, 3, 3), nn.SpatialMaxPooling(2, 2), nn.SpatialBatchNormalization(4)),
        image(), [],
    ),
    "dropout": (
        lambda: nn.Sequential(nn.Dropout(), nn.Sequential(nn.Identity(), nn.Sequential(nn.Tanh(), nn.SpatialDropout(0.3)))),
        image(), ["taken out", "taken out", "is nn.MulConstant"],
    ),
    "what comes in is not written over": (lambda: nn.Sequential(nn.Identity(), nn.ReLU()), image(), ["taken out"]),
    "on several GPUs": (
        lambda: authors.DataParallelTable(0).add(nn.Sequential(nn.Linear(7, 4), nn.BatchNormalization(4))),
        image()[0, 0], ["folded"],
    ),
    "columns": (
        lambda: nn.Sequential(
            nn.Concat(1).add(nn.Sequential(nn.SpatialConvolution(3, 2, 1, 1), nn.SpatialBatchNormalization(2), nn.ReLU()))
            .add(nn.Dropout(0.1)).add(nn.SpatialMaxPooling(1, 1)),
            nn.SpatialBatchNormalization(8), nn.ReLU(),
        ),
        image(), ["folded", "taken out"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
def test_steps(name: str) -> None:
    make, input, expected = CHAINS[name]
    done = steps(learned(make()), input)
    assert len(done) == len(expected), done
    for line, words in zip(done, expected, strict=True):
        assert words in line, done
    steps(learned(make()).double(), input.astype(np.float64))


def test_shared() -> None:
    """A layer in two places stays as it is; weights that two layers share are folded in each."""
    layer, norm = nn.Linear(4, 4), nn.BatchNormalization(4)
    assert steps(learned(nn.Sequential(layer, norm, layer, norm)), image(4)[:, :, 0, 0]) == []
    other = layer.clone("weight", "bias")
    net = nn.Sequential(layer, nn.BatchNormalization(4), other, nn.BatchNormalization(4), nn.Linear(4, 4))
    assert len(steps(learned(net), image(4)[:, :, 0, 0])) == 2


def test_graph() -> None:
    """A residual block as a graph, whose nodes are folded as modules of a chain are."""
    x = nn.Identity()()
    block = x - nn.SpatialConvolution(3, 3, 3, 3, 1, 1, 1, 1) - nn.SpatialBatchNormalization(3) - nn.ReLU() - nn.Dropout()
    block = block - nn.SpatialConvolution(3, 3, 1, 1) - nn.SpatialBatchNormalization(3)
    total = nn.CAddTable()([block, x]) - nn.ReLU()
    twice = nn.JoinTable(1)([total - nn.ReLU(), total - nn.SpatialConvolution(3, 2, 1, 1)])
    done = steps(learned(nn.gModule([x], [twice])), image())
    assert sum("folded" in line for line in done) == 2
    assert sum("taken out" in line for line in done) == 1


def convolution(planes: int, outputs: int, size: int, step: int = 1) -> list[Module]:
    pad = size // 2
    return [nn.SpatialConvolution(planes, outputs, size, size, step, step, pad, pad), nn.SpatialBatchNormalization(outputs)]


def residual(planes: int, outputs: int, step: int = 1, isFirst: bool = True) -> Module:
    """A block as fb.resnet.torch has it."""
    branch = [*convolution(planes, outputs, 3, step), nn.ReLU(True), *convolution(outputs, outputs, 3)]
    shortcut = nn.Identity() if planes == outputs and step == 1 else nn.Sequential(*convolution(planes, outputs, 1, step))
    branches = [nn.Sequential(*branch), shortcut]
    return nn.Sequential(nn.ConcatTable(*(branches if isFirst else branches[::-1])), nn.CAddTable(isFirst), nn.ReLU(True))


def inception(planes: int) -> Module:
    """A module of GoogLeNet."""
    return nn.DepthConcat(1).add(nn.Sequential(*convolution(planes, 4, 1), nn.ReLU(True))).add(
        nn.Sequential(*convolution(planes, 3, 1), nn.ReLU(True), *convolution(3, 5, 3), nn.ReLU(True))
    ).add(nn.Sequential(nn.SpatialMaxPooling(3, 3, 1, 1, 1, 1), *convolution(planes, 3, 1), nn.ReLU(True)))  # fmt: skip


def test_residual_network() -> None:
    """All of batch normalization is folded, whichever branch is first."""
    net = learned(nn.Sequential(
        *convolution(3, 6, 3), nn.ReLU(True), nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1), residual(6, 6), residual(6, 8, 2),
        residual(8, 8, 1, False), nn.SpatialAveragePooling(4, 4), nn.View(-1).setNumInputDims(3), nn.Linear(8, 5),
    ))  # fmt: skip
    assert sum("folded" in line for line in steps(net, image(3, 16, 16))) == 8
    assert not pl.optimize(net).findModules("nn.SpatialBatchNormalization")[0]


def test_inception_network() -> None:
    net = learned(nn.Sequential(*convolution(3, 6, 3), nn.ReLU(True), inception(6), inception(12), nn.SpatialMaxPooling(2, 2)))
    assert sum("folded" in line for line in steps(net, image(3, 16, 16))) == 9


def test_the_result_is_an_ordinary_network(tmp_path: Any) -> None:
    """It has copies, pickles, files, other types, and weights that can be written and trained."""
    net = learned(nn.Sequential(*convolution(3, 6, 3), nn.ReLU(True), residual(6, 6), residual(6, 8, 2)))
    optimized, x = pl.optimize(net), image()
    expected = optimized.forward(x).copy()
    pl.save(tmp_path / "net.t7", optimized)
    for other in (optimized.clone(), pickle.loads(pickle.dumps(optimized)), pl.load(tmp_path / "net.t7"), optimized.clearState()):
        np.testing.assert_array_equal(other.forward(x), expected)
    again = pl.optimize(pl.load(tmp_path / "net.t7"))
    np.testing.assert_array_equal(again.forward(x), expected)
    assert str(again) == str(optimized)
    double = optimized.clone().double()
    assert_close(double.forward(x.astype(np.float64)), expected, 1e-5)
    assert_close(double.float().forward(x), expected, 1e-5)
    for shape in ((3, 7, 7), (1, 3, 9, 8), (2, 3, 7, 7)):
        y = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
        assert_close(optimized.forward(y), net.evaluate().forward(y), 1e-5)
    with pytest.raises(ShapeError, match=r"in module 1 of .*, nn.SpatialConvolution: input"):
        optimized.forward(image(4))
    first = optimized.findModules("nn.SpatialConvolution")[0][0]
    gradOutput = np.ones_like(optimized.forward(x))
    optimized.backward(x, gradOutput)
    before = first.weight.copy()
    optimized.updateParameters(0.1)
    assert (first.weight != before).any()
    first.weight[...] = 0
    first.bias[...] = 1
    np.testing.assert_array_equal(nn.Sequential(*optimized.modules[:2]).forward(x), np.ones((2, 6, 7, 7), np.float32))


def test_all_of_torch7(tmp_path: Any) -> None:
    """Every network among the golden files, in evaluation; a file of the result is read as any other."""
    changed = 0
    for entry in MANIFEST:
        if entry["kind"] not in ("module", "graph") or not {"nn.Sequential", "nn.Concat", "nn.ConcatTable", "nn.gModule"} & set(
            entry["classes"]
        ):
            continue
        value = pl.load(GOLDEN / entry["file"])
        if not isinstance(value, dict) or not isinstance(value.get("module"), Module) or "input" not in value:
            continue
        try:
            value["module"].clone().evaluate().forward(copied(value["input"]))
        except Exception:  # it does not run in evaluation
            continue
        changed += bool(steps(value["module"], value["input"]))
    assert changed > 10


@pytest.mark.parametrize("file, shape", [("digits/digits.t7", (2, 1, 8, 8)), ("superres/superres.t7", (1, 1, 16, 16))])
def test_samples(file: str, shape: tuple[int, ...], tmp_path: Any) -> None:
    value = pl.load(EXAMPLES / file)
    net = value["model"] if isinstance(value, dict) else value
    input = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    steps(net, input)
    optimized = pl.optimize(net)
    pl.save(tmp_path / "net.t7", optimized)
    np.testing.assert_array_equal(pl.load(tmp_path / "net.t7").evaluate().forward(input), optimized.forward(input))


def test_errors() -> None:
    with pytest.raises(DtypeError, match=r"optimize: net: expected a module, got a table"):
        pl.optimize([nn.Linear(2, 2)])
    assert isinstance(pl.optimize(nn.Dropout()), nn.Identity)


class Strange(nn.Module):
    """Works in place, and keeps what it got: a class that nobody knows."""

    def updateOutput(self, input: Tensor) -> Tensor:
        self.kept = input
        input *= 2
        self.output = input
        return self.output


def planes() -> Module:
    return nn.SpatialConvolution(3, 3, 3, 3, 1, 1, 1, 1)


HAZARDS: dict[str, Callable[[], Module]] = {
    "a copy protects the input": lambda: nn.Sequential(nn.Dropout(), nn.ReLU(True), planes()),
    "a copy protects a shortcut": lambda: nn.Sequential(
        nn.Tanh(), nn.ConcatTable(nn.Sequential(nn.Dropout(), nn.ReLU(True)), nn.Identity()), nn.CAddTable()
    ),
    "a copy is read after the original was written over": lambda: nn.Sequential(
        nn.Tanh(), nn.ConcatTable(nn.Dropout(), nn.ReLU(True), nn.Identity()), nn.CAddTable()
    ),
    "others read what is written over": lambda: nn.Sequential(
        nn.Tanh(), nn.ConcatTable(nn.ReLU(True), nn.Identity()), nn.ParallelTable(nn.Dropout(), planes()), nn.CAddTable()
    ),
    "constants in place": lambda: nn.Sequential(
        planes(), nn.ConcatTable(nn.MulConstant(2.0, True), nn.Identity(), nn.Sequential(nn.AddConstant(1.0, True), nn.Tanh()))
    ),
    "old dropout in place": lambda: nn.Sequential(nn.Tanh(), nn.ConcatTable(nn.Dropout(0.5, True, True), nn.Identity())),
    "the input in place": lambda: nn.Sequential(nn.ConcatTable(nn.ReLU(True), nn.Identity(), nn.Dropout()), nn.CAddTable(True)),
    "an array twice in a sum": lambda: nn.Sequential(nn.Tanh(), nn.ConcatTable(nn.Identity(), nn.Identity()), nn.CAddTable()),
    "a sum of views": lambda: nn.Sequential(nn.Tanh(), nn.SplitTable(1, 3), nn.CAddTable(), nn.ReLU()),
    "both are outputs": lambda: nn.Sequential(planes(), nn.ConcatTable(nn.Identity(), nn.ReLU(), nn.View(-1))),
    "an unknown class behind a copy": lambda: nn.Sequential(
        nn.Tanh(), nn.ConcatTable(nn.Sequential(nn.Dropout(), Strange()), nn.Identity())
    ),
    "an unknown class at the start": lambda: nn.Sequential(nn.Dropout(), Strange(), nn.ReLU()),
    "an unknown class keeps what it got": lambda: nn.Sequential(planes(), Strange(), planes(), nn.ReLU(), planes(), nn.ReLU()),
    "entries of a table may be one array": lambda: nn.Sequential(
        nn.Tanh(), nn.ConcatTable(nn.Identity(), nn.Identity()), nn.MapTable(nn.Sequential(nn.ReLU(), planes(), nn.ReLU())),
        nn.CAddTable(),
    ),
    "slices": lambda: nn.Sequential(nn.Tanh(), nn.Parallel(0, 0, nn.Sequential(nn.ReLU(), nn.Tanh()), nn.Tanh()), nn.ReLU()),
    "branches one after the other": lambda: nn.Sequential(
        planes(), nn.Concat(1, *(nn.Sequential(planes(), nn.ReLU(), planes(), nn.ReLU()) for _ in range(4))),
        nn.Narrow(1, 2, 3), nn.ReLU(), planes(),
    ),
    "activations of cudnn": lambda: nn.Sequential(planes(), cudnn.Tanh(), nn.Tanh(), cudnn.Sigmoid(True), planes(), cudnn.ReLU()),
    "a module twice": lambda: nn.Sequential(planes(), nn.Sequential(shared := planes(), nn.ReLU()), shared, nn.Tanh()),
    "selected entries": lambda: nn.Sequential(
        planes(), nn.ConcatTable(planes(), nn.Tanh(), nn.Identity()),
        nn.ConcatTable(nn.SelectTable(0), nn.SelectTable(-1), nn.Sequential(nn.NarrowTable(1, 2), nn.CAddTable(), planes())),
        nn.ConcatTable(nn.Sequential(nn.SelectTable(1), nn.ReLU()), nn.CAddTable()), nn.CAddTable(), planes(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HAZARDS)
def test_hazards(name: str) -> None:
    """Nobody can tell who works in place."""
    pl.manualSeed(2)
    steps(HAZARDS[name](), image())


def block(isInPlace: bool) -> Any:
    """Convolutions with slopes of PReLU, a sum and activations behind a layer that may write over its input."""
    pl.manualSeed(3)
    branch = nn.Sequential(planes(), nn.PReLU(), planes())
    tail = nn.Sequential(nn.ConcatTable(branch, nn.Identity()), nn.CAddTable(), nn.ReLU(), planes(), nn.PReLU(), nn.Tanh())
    return nn.Sequential(nn.ReLU(isInPlace), planes(), *tail.modules).float().evaluate()


def read_only(array: Tensor) -> Tensor:
    array.flags.writeable = False
    return array


Pass = Callable[[Any], Any]


def read_only_inputs(net: Any, forward: Pass) -> None:
    for x in (image(), read_only(image() + 1), read_only(image() - 1), image()):
        forward(x)


def own_weight(net: Any, forward: Pass) -> None:
    layer = net.findModules("nn.SpatialConvolution")[0][0]
    layer.weight = layer.weight.copy()
    for x in (layer.weight, layer.weight, image(), image() + 1):
        forward(x)


def own_output(net: Any, forward: Pass) -> None:
    forward(image())
    for _ in range(3):
        forward(net.output)
    forward(net.output[:1])
    forward(net.output[:, ::-1])


def outputs_of_layers(net: Any, forward: Pass) -> None:
    for module in net.listModules():
        forward(image())
        if isinstance(module.output, np.ndarray) and module.output.size:
            forward(module.output)
            forward(module.output[:, :, ::-1])


def output_with_another_shape(net: Any, forward: Pass) -> None:
    for shape in ((-1,), (2, 3, 49, 1)):
        forward(image())
        try:
            net.output.shape = shape
        except AttributeError:
            pytest.skip("this NumPy cannot set the shape of an array")
        forward(image() + 1)
        forward(image() + 2)


def other_view_of_a_weight(net: Any, forward: Pass) -> None:
    """The memory of a weight is the same, and what the layer reads is not."""
    for layer in net.findModules("nn.SpatialConvolution")[0]:
        weight = layer.weight
        for view in (weight, weight.swapaxes(0, 1), weight[::-1], weight[..., ::-1], weight):
            layer.weight = view
            forward(image())


def changed_slopes(net: Any, forward: Pass) -> None:
    for slope in (0.5, 0.1, 0.9, 0.9, 0.1):
        for layer in net.findModules("nn.PReLU")[0]:
            layer.weight[...] = slope
        forward(image())


def changed_input(net: Any, forward: Pass) -> None:
    x = image()
    for factor in (1, 2, 0, -1):
        x *= factor
        forward(x)


@pytest.mark.filterwarnings("ignore:Setting the shape")
@pytest.mark.parametrize("isOptimized", [True, False])
@pytest.mark.parametrize(
    "attack",
    [
        *(read_only_inputs, own_weight, own_output, outputs_of_layers, output_with_another_shape, changed_slopes),
        *(changed_input, other_view_of_a_weight),
    ],
)
def test_no_pass_stands_for_another(attack: Callable[[Any, Pass], None], isOptimized: bool) -> None:
    """Each pass equals the first pass of a copy, whatever arrays callers hand in, hold or change."""
    net = block(isInPlace=attack is read_only_inputs)
    net = pl.optimize(net) if isOptimized else net

    def forward(x: Tensor) -> None:
        expected = net.clone().forward(x.copy()).copy()
        np.testing.assert_array_equal(net.forward(x), expected)

    for _ in range(3):
        forward(image())
    for _ in range(3):
        attack(net, forward)


@pytest.mark.parametrize(
    "layer",
    [
        lambda: nn.SpatialConvolution(3, 3, 3, 3, 1, 1, 1, 1),
        lambda: nn.SpatialFullConvolution(3, 3, 3, 3, 1, 1, 1, 1),
        lambda: cudnn.SpatialConvolution(6, 6, 3, 3, 1, 1, 1, 1, 2),
        lambda: cudnn.SpatialConvolution(6, 6, 3, 3, 1, 1, 1, 1, 6),
        lambda: nn.SpatialMaxPooling(3, 3, 1, 1, 1, 1),
    ],
)
@pytest.mark.parametrize("isOptimized", [True, False])
def test_an_output_may_be_the_next_input(layer: Callable[[], Module], isOptimized: bool) -> None:
    """A single layer, too, may get its own output, and its gradInput as gradOutput."""
    net: Any = nn.Sequential(layer()).float()
    net = pl.optimize(net) if isOptimized else net
    x = image(getattr(net[0], "nInputPlane", 3))
    expected, steps = x, []
    for _ in range(3):
        expected = net.clone().forward(expected).copy()
        steps.append(expected)
    y = net.forward(x)
    for step in steps[1:]:
        y = net.forward(y)
        np.testing.assert_array_equal(y, step)
    if not isOptimized:
        net.forward(x)
        wanted = net.clone().updateGradInput(x, net.clone().updateGradInput(x, x))
        np.testing.assert_array_equal(net.updateGradInput(x, net.updateGradInput(x, x)), wanted)


def recurring() -> dict[str, Callable[[], Module]]:
    """Networks in whose memory of the output a layer writes before all have read the input."""

    def branches(*branch: Module) -> list[Module]:
        return [nn.ConcatTable(nn.Sequential(*branch), nn.Identity()), nn.CAddTable()]

    def graph() -> Module:
        x = nn.Identity()()
        return nn.gModule([x], [nn.ReLU()(nn.CAddTable()([nn.Tanh()(nn.ReLU6()(x)), x]))])

    return {
        "a chain": lambda: nn.Sequential(*branches(nn.ReLU6(), nn.Tanh())),
        "convolutions": lambda: nn.Sequential(*branches(planes(), planes(), nn.HardTanh())),
        "a table": lambda: nn.Sequential(*branches(*branches(nn.Tanh(), nn.Sigmoid()), nn.ReLU()), nn.ELU()),
        "a graph": graph,
    }


@pytest.mark.parametrize("name", recurring())
@pytest.mark.parametrize("way", [lambda net: net, lambda net: net.clone(), lambda net: pickle.loads(pickle.dumps(net))])
def test_a_network_that_runs_on_its_output(name: str, way: Callable[[Any], Any]) -> None:
    pl.manualSeed(4)
    net: Any = recurring()[name]().float().evaluate()
    fast = way(pl.optimize(net))
    x = image()
    y = fast.forward(x)
    for _ in range(3):
        x = net.forward(x).copy()
        np.testing.assert_allclose(y, x, rtol=1e-5, atol=1e-5)
        y = fast.forward(y)
    before = fast.forward(image()).copy()
    expected = net.forward(before[:, :, ::-1])
    np.testing.assert_allclose(fast.forward(fast.output[:, :, ::-1]), expected, rtol=1e-5, atol=1e-5)


def test_sparse_gradients() -> None:
    """The gradients of nn.IndexLinear are a table."""
    layer = nn.IndexLinear(10, 3)
    layer.weight[...], layer.bias[...] = np.random.default_rng(0).standard_normal((10, 3)), [1, -1, 0]
    steps(nn.Sequential(layer, nn.Dropout(), nn.ReLU()).float(), [np.int64([0, 2, 9]), np.float32([1, 2, 3])])


@pytest.mark.parametrize("join", [nn.CAddTable, lambda: nn.JoinTable(1)], ids=["sum", "join"])
@pytest.mark.parametrize("isFirst", [True, False])
def test_copies_in_graphs(join: Callable[[], Module], isFirst: bool) -> None:
    """The reader of a copy runs after a sibling has written over the original."""
    x = nn.Identity()()
    shared = nn.Tanh()(x)
    copy, spoilt = nn.Dropout()(shared), nn.ReLU(True)(shared)
    steps(nn.gModule([x], [join()([copy, spoilt] if isFirst else [spoilt, copy])]), image())


def test_random_networks() -> None:
    """Networks of layers in place and others, copies, views, branches, joins and an unknown class, as chains and as graphs."""
    random = np.random.default_rng(5)

    def layer(depth: int) -> Module:
        kind = random.integers(0, 16 if depth < 3 else 11)
        if kind < 3:
            return nn.ReLU(bool(kind == 0))
        if kind < 6:
            return [nn.Dropout(0.5, False, bool(random.integers(2))), nn.Dropout(0.5, True), nn.Identity()][kind - 3]
        if kind < 9:
            return [nn.Tanh(), nn.AddConstant(0.5, bool(random.integers(2))), nn.HardTanh(-1, 1)][kind - 6]
        if kind == 9:
            return planes()
        if kind == 10:
            return nn.View(-1, 3, 7, 7) if random.integers(4) else Strange()
        if kind < 13:
            return chain(depth + 1)
        branches = [chain(depth + 1) for _ in range(random.integers(1, 4))]
        if kind == 13:
            return nn.Sequential(nn.Concat(0, *branches), nn.Narrow(0, 0, 2))
        return nn.Sequential(nn.ConcatTable(*branches), nn.CAddTable(bool(random.integers(2))))

    def chain(depth: int) -> Module:
        return nn.Sequential(*(layer(depth) for _ in range(random.integers(0, 5))))

    def graph() -> Module:
        nodes = [nn.Identity()()]
        for _ in range(random.integers(2, 9)):
            one, other = (nodes[random.integers(len(nodes))] for _ in range(2))
            nodes.append(nn.CAddTable(bool(random.integers(2)))([one, other]) if one is not other else layer(2)(one))
        return nn.gModule(nodes[:1], [node for node in nodes[1:] if not node.data["reverseMap"]])

    pl.manualSeed(2)
    for i in range(120):
        net = graph() if i % 3 == 0 else chain(0)
        if net.modules:
            steps(net, image())
