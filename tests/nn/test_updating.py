"""accUpdateGradParameters: the step is that of the gradients at the old parameters, for every class."""

import importlib
import pkgutil

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import dpnn, nn, nnx, rnn
from pytorch_legacy.arrays import any_overlap
from pytorch_legacy.errors import NullError
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.updating import _updatesDirectly
from tests.trees import assert_close, assert_same, copied, mapped

RNG = np.random.default_rng(3)


class Product(nn.Module):
    """y = w0 w1 x: the gradient of each weight reads the other one."""

    def __init__(self, w=(2.0, 3.0)):
        super().__init__()
        self.weight = np.array(w, self.dtype)
        self.gradWeight = np.zeros_like(self.weight)

    def updateOutput(self, input):
        self.output = self.weight[0] * self.weight[1] * input
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = self.weight[0] * self.weight[1] * gradOutput
        return self.gradInput

    def accGradParameters(self, input, gradOutput, scale=1.0):
        for i in (0, 1):
            self.gradWeight[i] += scale * self.weight[1 - i] * (input * gradOutput).sum()


class Permitted(Product):
    """It says that it may update directly, which is wrong."""

    _updatesDirectly = True


class NewArrays(Product):
    """Its gradient is a new array each time."""

    def accGradParameters(self, input, gradOutput, scale=1.0):
        self.gradWeight = self.gradWeight + scale * self.weight[::-1] * (input * gradOutput).sum()


def stepped(module, input, gradOutput, rate=0.1):
    """The parameters after one step, by the gradients; the module stays as it was."""
    module = module.clone()
    module.forward(input)
    module.zeroGradParameters()
    module.backward(input, gradOutput)
    pairs = {id(p): (p, g) for p, g in zip(*module.parameters(), strict=True)}
    steps = [(p, rate * g) for p, g in pairs.values()]
    for parameter, step in steps:
        parameter -= step
    return copied(module.parameters()[0])


def updates(module, input, gradOutput, rate=0.1, tolerance=1e-12):
    """Checks that accUpdateGradParameters computes the parameters that `stepped` has, and keeps the gradients."""
    expected = stepped(module, input, gradOutput, rate)
    for gradient in module.parameters()[1]:
        gradient[...] = 7
    module.forward(input)
    module.updateGradInput(input, gradOutput)
    module.accUpdateGradParameters(input, gradOutput, rate)
    assert_close(module.parameters()[0], expected, tolerance)
    assert all((gradient == 7).all() for gradient in module.parameters()[1])


class TestOwnLayers:
    X, G = np.float64([0.5, 1.5]), np.float64([3.0, 3.0])

    @pytest.mark.parametrize("kind", [Product, NewArrays])
    @pytest.mark.parametrize("shared", [False, True])
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_the_gradient_reads_the_old_weight(self, kind, shared, dtype):
        layer = kind().type(f"torch.{'Float' if dtype == 'float32' else 'Double'}Tensor")
        layer.shared = shared
        x, g = self.X.astype(dtype), self.G.astype(dtype)
        layer.gradWeight[...] = 5
        layer.forward(x)
        assert_same(layer.backwardUpdate(x, g, 0.1), 6 * g)
        assert_close(layer.weight, np.array([0.2, 1.8]), 1e-6 if dtype == "float32" else 1e-14)
        assert (layer.gradWeight == 5).all()

    def test_StochasticGradient_takes_that_step(self):
        net = nn.Sequential(Product()).double()
        trainer = nn.StochasticGradient(net, nn.MSECriterion().double())
        trainer.learningRate, trainer.maxIteration, trainer.verbose = 0.1, 1, False
        trainer.train([(np.float64([1.0]), np.float64([5.0]))])  # the gradient of the output is 2
        assert_close(net[0].weight, np.array([1.4, 2.6]), 1e-14)

    def test_a_failing_gradient_changes_nothing(self):
        layer = Product().double()
        layer.gradWeight[...] = 5

        def fails(input, gradOutput, scale=1.0):
            layer.gradWeight += 1
            raise ValueError("no gradient")

        layer.accGradParameters = fails
        with pytest.raises(ValueError, match="no gradient"):
            layer.accUpdateGradParameters(self.X, self.G, 0.1)
        assert_same(layer.weight, np.float64([2, 3]))
        assert (layer.gradWeight == 5).all()

    def test_without_gradients_it_is_an_error(self):
        layer = Product().double()
        layer.gradWeight = None
        with pytest.raises(NullError, match="accUpdateGradParameters: expected a gradient of each parameter, got 0"):
            layer.accUpdateGradParameters(self.X, self.G, 0.1)

    def test_a_container_without_the_method_moves_its_modules(self):
        class Twice(nn.Container):
            def updateOutput(self, input):
                self.output = 2 * self.modules[0].updateOutput(input)
                return self.output

            def updateGradInput(self, input, gradOutput):
                self.gradInput = self.modules[0].updateGradInput(input, 2 * gradOutput)
                return self.gradInput

            def accGradParameters(self, input, gradOutput, scale=1.0):
                self.modules[0].accGradParameters(input, 2 * gradOutput, scale)

        updates(Twice(Product()).double(), self.X, self.G)
        updates(Twice(nn.Linear(2, 2)).double(), self.X, self.G)


class TestJacobian:
    X = np.random.default_rng(0).random((2, 3))

    def test_it_finds_a_class_that_may_not_update_directly(self):
        assert pl.testing.jacobian(Product(), self.X) < 1e-7
        assert pl.testing.jacobian(Permitted(), self.X) > 0.1

    def test_it_finds_a_wrong_method(self):
        class Wrong(nn.Linear):
            def accUpdateGradParameters(self, input, gradOutput, lr):
                super().accUpdateGradParameters(input, gradOutput, 2 * lr)

        assert pl.testing.jacobian(nn.Linear(3, 2), self.X) < 1e-7
        assert pl.testing.jacobian(Wrong(3, 2), self.X) > 0.1

    @pytest.mark.parametrize("name", ["weight", "bias"])
    def test_it_finds_a_parameter_that_stays(self, name):
        class Forgets(nn.Linear):
            def accUpdateGradParameters(self, input, gradOutput, lr):
                kept = getattr(self, name).copy()
                super().accUpdateGradParameters(input, gradOutput, lr)
                getattr(self, name)[...] = kept

        assert pl.testing.jacobian(Forgets(3, 2), self.X) > 0.1

    def test_containers(self):
        net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), Product(), nn.WeightNorm(nn.Linear(3, 2)))
        assert pl.testing.jacobian(net, self.X) < 1e-6


# ----------------------------------------------------------------------------------------- classes that update directly


def _tree(bias, accUpdate=False):
    return nnx.SoftMaxTree(4, {1: np.array([2, 3, 4]), 3: np.array([5, 6])}, 1, accUpdate)


def _sparse(bias, weightDecay=0.0):
    layer = nn.SparseLinear(5, 3)
    layer.weightDecay = weightDecay
    return layer


def _partial(bias):
    return nn.PartialLinear(4, 5, bias).setPartition([3, 0, 3])


def _lookup(bias):
    return nn.LookupTable(6, 3, 2).scaleGradByFreq()


def _noise(bias, batchnoise=True):
    layer = dpnn.NCEModule(4, 6, 3, np.arange(1.0, 7))
    layer.batchnoise = batchnoise
    return layer


ROWS = RNG.standard_normal((5, 4))
WORDS = np.array([[0, 2, 5], [5, 5, 1]])
ENTRIES = [np.array([[0, 1.5], [3, -2.0], [0, 0.5]]), np.array([[4, 0.25]])]
CLASSES = np.array([0, 5, 3, 3, 1])
NODES = np.array([2, 5, 4, 6, 5])
# For each class: how a layer is made, with a bias or without, and an input.
DIRECT = {
    nn.Linear: [(lambda bias: nn.Linear(4, 3, bias), ROWS)],
    rnn.LinearNoBias: [(lambda bias: rnn.LinearNoBias(4, 3), ROWS)],
    nn.PartialLinear: [(_partial, ROWS), (lambda bias: nn.PartialLinear(4, 3, bias), ROWS)],
    nn.Bilinear: [(lambda bias: nn.Bilinear(4, 4, 3, bias), [ROWS, ROWS[::-1]])],
    nn.LookupTable: [(_lookup, WORDS), (lambda bias: nn.LookupTable(6, 3, -1, 1.0), WORDS)],
    dpnn.Dictionary: [(lambda bias: dpnn.Dictionary(6, 3), WORDS)],
    rnn.LookupTableMaskZero: [(lambda bias: rnn.LookupTableMaskZero(5, 3), WORDS)],
    nn.SparseLinear: [
        (_sparse, ENTRIES),
        (_sparse, ENTRIES[0]),
        (_sparse, np.stack([ENTRIES[0], ENTRIES[0] * [1, 0]])),
        (lambda bias: _sparse(bias, 0.5), ENTRIES),
    ],
    dpnn.NCEModule: [(_noise, [ROWS, CLASSES]), (lambda bias: _noise(bias, False), [ROWS, CLASSES])],
    nnx.SoftMaxTree: [(_tree, [ROWS, NODES])],
}  # fmt: skip
CASES = [
    pytest.param(cls, make, input, bias, id=f"{cls.__name__}-{i}-{'bias' if bias else 'none'}")
    for cls, rows in DIRECT.items()
    for i, (make, input) in enumerate(rows)
    for bias in (True, False)
]


def classes():
    """Every class of a module in the package."""
    for package in (nn, rnn, dpnn, nnx, pl.cudnn, pl.inn, pl.authors, pl.nngraph):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(found.name)
    waiting = [Module]
    for cls in waiting:
        waiting += cls.__subclasses__()
    return {cls for cls in waiting if cls.__module__.startswith("pytorch_legacy.")}


class TestDirectUpdates:
    def test_every_class_that_says_so_is_here(self):
        assert {cls for cls in classes() if _updatesDirectly(cls)} == DIRECT.keys()

    @pytest.mark.parametrize("cls, make, input, bias", CASES)
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_both_ways_lead_to_the_same_parameters(self, cls, make, input, bias, dtype):
        """Several steps one after the other, from random parameters."""

        def cast(array):
            return array.astype(dtype) if array.dtype.kind == "f" else array

        input = [cast(array) for array in input] if isinstance(input, list) else cast(input)
        pl.manualSeed(1)
        direct = make(bias).type(f"torch.{'Float' if dtype == 'float32' else 'Double'}Tensor")
        for parameter in direct.parameters()[0]:
            parameter[...] = pl.random.normal(0, 1, parameter.shape)
        apart = direct.clone()
        assert type(direct) is cls and direct._mayUpdateDirectly()
        for gradient in direct.parameters()[1]:
            gradient[...] = 7  # gradients of earlier passes
        for step in range(4):
            results = []
            for layer, update in ((direct, direct.accUpdateGradParameters), (apart, apart._updateApart)):
                pl.manualSeed(step)
                output = layer.forward(input)
                results.append(copied(output))
                gradOutput = mapped(lambda part: pl.random.normal(0, 1, part.shape).astype(dtype), output)
                layer.updateGradInput(input, gradOutput)
                before = copied(layer.parameters()[0])
                update(input, gradOutput, 0.05)
                assert any((old != new).any() for old, new in zip(before, layer.parameters()[0], strict=True))
            near = 1e-5 if dtype == "float32" else 1e-12
            assert_close(results[0], results[1], near, f"output of step {step}")
            assert_close(direct.parameters()[0], apart.parameters()[0], near, f"parameters after step {step}")
        assert all((gradient == 7).all() for gradient in direct.parameters()[1])

    def test_no_array_of_gradients_is_needed(self):
        for layer, input in ((_tree(True, True), [ROWS, NODES]), (dpnn.Dictionary(6, 3, accUpdate=True), WORDS)):
            layer.double()
            assert layer.gradWeight is None
            expected = (nn.LookupTable(6, 3) if layer.bias is None else _tree(True)).double()
            for ours, theirs in zip(layer.parameters()[0], expected.parameters()[0], strict=True):
                theirs[...] = ours
            gradOutput = np.ones_like(layer.forward(input))
            layer.accUpdateGradParameters(input, gradOutput, 0.1)
            assert_close(layer.parameters()[0], stepped(expected, input, gradOutput), 1e-12)

    @pytest.mark.parametrize("make", [nn.Linear, lambda m, n: nn.Bilinear(m, m, n), nn.PartialLinear])
    @pytest.mark.parametrize("name", ["weight", "bias"])
    def test_what_is_read_may_be_a_parameter(self, make, name):
        layer = make(3, 3).double()
        weight, bias = layer.parameters()[0]
        input = weight.reshape(-1)[:9].reshape(3, 3) if name == "weight" else ROWS[:3, :3]
        gradOutput = np.broadcast_to(bias, (3, 3)) if name == "bias" else ROWS[1:4, 1:]
        input = [input, ROWS[:3, :3]] if isinstance(layer, nn.Bilinear) else input
        expected = stepped(layer, copied(input), gradOutput.copy())
        layer.forward(input)
        layer.updateGradInput(input, gradOutput)
        layer.accUpdateGradParameters(input, gradOutput, 0.1)
        assert_close(layer.parameters()[0], expected, 1e-12)


class TestSubclasses:
    """A class inherits the permission only together with all that it depends on."""

    X, G = RNG.standard_normal((2, 3)), RNG.standard_normal((2, 2))

    def test_what_withdraws_it(self):
        class Same(nn.Linear):
            def updateOutput(self, input):
                return super().updateOutput(input)

        class Squared(nn.Linear):
            def accGradParameters(self, input, gradOutput, scale=1.0):
                super().accGradParameters(input, gradOutput, scale)

        class More(nn.Linear):
            def parameters(self):
                return super().parameters()

        class Clipped(nn.Linear):
            def updateParameters(self, learningRate):
                super().updateParameters(learningRate)
                np.clip(self.weight, -0.1, 0.1, out=self.weight)
                return self

        class OtherFunctions(nn.Linear):
            _layer = "LinearOfSomebody"

        class OtherFields(nn.Linear):
            _names = {"gradWeight": "slopes"}

        class Mixin:
            def accGradParameters(self, input, gradOutput, scale=1.0):
                super().accGradParameters(input, gradOutput, scale)

        class Mixed(Mixin, nn.Linear):
            pass

        class Again(Squared):
            _updatesDirectly = True

        class After(Again):
            pass

        class Never(nn.Linear):
            _updatesDirectly = False

        direct = {cls: _updatesDirectly(cls) for cls in (Same, Again, After)}
        apart = {cls: _updatesDirectly(cls) for cls in (Squared, More, Clipped, OtherFunctions, OtherFields, Mixed, Never)}
        assert all(direct.values()) and not any(apart.values())
        layer = Clipped(3, 2).double()
        layer.accUpdateGradParameters(self.X, self.G, 0.1)
        assert np.abs(layer.weight).max() <= 0.1

    def test_a_squared_weight(self):
        class Squared(nn.Linear):
            """y = (W * W) x."""

            def updateOutput(self, input):
                self.output = input @ (self.weight**2).T
                return self.output

            def updateGradInput(self, input, gradOutput):
                self.gradInput = gradOutput @ self.weight**2
                return self.gradInput

            def accGradParameters(self, input, gradOutput, scale=1.0):
                for row, g in zip(input, gradOutput, strict=True):
                    self.gradWeight += scale * 2 * self.weight * np.outer(g, row)

        updates(Squared(3, 2, False).double(), self.X, self.G)
        assert pl.testing.jacobian(Squared(3, 2, False), self.X) < 1e-7

    def test_a_method_of_the_object(self):
        layer = nn.Linear(3, 2, False).double()
        inherited = layer.accGradParameters
        layer.accGradParameters = lambda input, gradOutput, scale=1.0: inherited(input, gradOutput * layer.weight.sum(), scale)
        assert not layer._mayUpdateDirectly()
        expected = layer.weight - 0.1 * layer.weight.sum() * self.G.T @ self.X
        layer.accUpdateGradParameters(self.X, self.G, 0.1)
        assert_close(layer.weight, expected, 1e-12)


# ----------------------------------------------------------------------------------------- modules that share parameters


def tied(*modules):
    for module in modules[1:]:
        module.weight = modules[0].weight
    return modules


class Torch7Container(nn.Container):
    """A container that has the method, as containers have it in Lua: a sum of its modules."""

    def updateOutput(self, input):
        self.output = sum(module.updateOutput(input) for module in self.modules)
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = sum(module.updateGradInput(input, gradOutput) for module in self.modules)
        return self.gradInput

    def accGradParameters(self, input, gradOutput, scale=1.0):
        for module in self.modules:
            module.accGradParameters(input, gradOutput, scale)

    def accUpdateGradParameters(self, input, gradOutput, lr):
        for module in self.modules:
            module.accUpdateGradParameters(input, gradOutput, lr)


def graph(*modules):
    node = start = nn.Identity()()
    for module in modules:
        node = module(node)
    return nn.gModule([start], [node])


SHARING = {
    "Sequential": lambda a, b: nn.Sequential(a, nn.Tanh(), b),
    "nested": lambda a, b: nn.Sequential(nn.Sequential(a), nn.Decorator(nn.Sequential(nn.Tanh(), b))),
    "Concat": lambda a, b: nn.Concat(0).add(a).add(b),
    "ConcatTable": lambda a, b: nn.Sequential(nn.ConcatTable().add(a).add(b), nn.CAddTable()),
    "ParallelTable": lambda a, b: nn.Sequential(
        nn.ConcatTable().add(nn.Identity()).add(nn.Tanh()), nn.ParallelTable().add(a).add(b), nn.CAddTable()
    ),
    "Parallel": lambda a, b: nn.Sequential(nn.Replicate(2), nn.Parallel(0, 0).add(a).add(b)),
    "DepthConcat": lambda a, b: nn.DepthConcat(0).add(a).add(b),
    "Bottle": lambda a, b: nn.Bottle(nn.Sequential(a, b), 1),
    "gModule": graph,
    "own": lambda a, b: Torch7Container(a, b),
}  # fmt: skip


class TestSharedParameters:
    X = RNG.standard_normal(3)

    @pytest.mark.parametrize("build", SHARING.values(), ids=SHARING)
    @pytest.mark.parametrize("kind", ["two", "alias", "gradient", "one", "mixed", "view"])
    def test_all_gradients_are_those_of_the_old_weight(self, build, kind):
        a, b = Product((0.5, 0.8)), Product((0.5, 0.8))
        if kind == "two":
            a.share(b, "weight")
        elif kind == "alias":
            b.weight = a.weight
        elif kind == "gradient":
            b.share(a, "weight", "gradWeight")
        elif kind == "one":
            b = a
        elif kind == "mixed":  # a CMul's gradient does not read the weight that it moves
            a = nn.CMul(1, 1)
            a.weight, a.gradWeight = b.weight[:1].reshape(1, 1), np.zeros_like(b.weight[:1].reshape(1, 1))
        else:
            b.weight = a.weight[::-1]
        net = build(a, b).double()
        if kind == "mixed":
            assert np.shares_memory(net.parameters()[0][0], net.parameters()[0][1])
        gradOutput = np.ones_like(net.forward(self.X))
        before = net.parameters()[0][0].copy()
        gradients = copied(net.parameters()[1])
        expected = net.clone()
        expected.zeroGradParameters()
        expected.forward(self.X)
        expected.backward(self.X, gradOutput)
        pairs = {id(g): (p, g) for p, g in zip(*expected.parameters(), strict=True)}
        steps = [(p, 0.1 * g) for p, g in pairs.values()]
        for parameter, step in steps:
            parameter -= step
        net.backwardUpdate(self.X, gradOutput, 0.1)
        assert_close(net.parameters()[0], expected.parameters()[0], 1e-13)
        assert (net.parameters()[0][0] != before).any()
        assert_same(net.parameters()[1], gradients)

    @pytest.mark.parametrize("module", [Product, lambda: nn.Cosine(3, 2), lambda: nn.Linear(3, 2)])
    def test_MapTable(self, module):
        one = module().double()
        net = nn.MapTable(one).double()
        input = [RNG.standard_normal((2, 3)) for _ in range(3)]
        gradOutput = [RNG.standard_normal(part.shape) for part in net.forward(input)]
        kept = net.module.clone()
        steps = [np.zeros_like(p) for p in kept.parameters()[0]]
        for x, g in zip(input, gradOutput, strict=True):
            kept.zeroGradParameters()
            kept.forward(x)
            kept.backward(x, g)
            for step, gradient in zip(steps, kept.parameters()[1], strict=True):
                step += gradient
        expected = [p - 0.1 * step for p, step in zip(kept.parameters()[0], steps, strict=True)]
        net.backwardUpdate(input, gradOutput, 0.1)
        assert_close(net.module.parameters()[0], expected, 1e-12)

    def test_gradients_of_sparse_layers_stay(self):
        """Layers that keep account of what their gradients hold do so afterwards, too."""
        sparse, other = nn.SparseLinear(5, 2), nn.SparseLinear(5, 2)
        net = nn.Sequential(nn.ConcatTable(sparse, other), nn.CAddTable(), *tied(Product(), Product())).double()
        first, second = np.array([[1, 2.0]]), np.array([[3, 1.0]])
        g = np.ones(2)
        net.zeroGradParameters()
        net.forward(first)
        net.backward(first, g)
        gradients = copied(net.parameters()[1])
        net.forward(second)
        net.backwardUpdate(second, g, 0.1)
        assert_same(net.parameters()[1], gradients)
        before = sparse.weight.copy()
        net.updateParameters(0.5)
        assert_close(sparse.weight, before - 0.5 * gradients[0], 1e-14)
        net.zeroGradParameters()
        assert not sparse.gradWeight.any()

    def test_running_gradients_of_IndexLinear_stay(self):
        layer = nn.IndexLinear(5, 2)
        net = nn.Sequential(layer, *tied(Product(), Product())).double()
        layer.weight[...] = RNG.standard_normal(layer.weight.shape)
        first, second, g = [np.array([1]), np.array([2.0])], [np.array([3]), np.array([1.0])], np.ones(2)
        net.zeroGradParameters()
        net.forward(first)
        net.backward(first, g)
        alone = net.clone()
        alone.zeroGradParameters()
        alone.forward(second)
        alone.backward(second, g)
        alone[0].updateParameters(0.1)
        net.forward(second)
        net.backwardUpdate(second, g, 0.1)
        assert_close(layer.weight, alone[0].weight, 1e-14)
        assert [keys.tolist() for keys in layer.running["keys"]] == [[1]] and layer.gradBias.any()

    def test_modules_apart_take_their_own_step(self):
        """Without shared parameters each module's own method is called."""

        class Own(nn.Linear):
            def accUpdateGradParameters(self, input, gradOutput, lr):
                self.calls = getattr(self, "calls", 0) + 1

        net = nn.Sequential(Own(3, 3), Product()).double()
        net.forward(self.X)
        net.backwardUpdate(self.X, np.ones(3), 0.1)
        assert net[0].calls == 1

    def test_a_table_without_gradients_beside_layers_that_share(self):
        """Two Linear share a weight, which no gradient reads. So an nn.LookupTable needs no gradients there."""
        table, a, b = nn.LookupTable(4, 3).accUpdateOnly(), nn.Linear(3, 3), nn.Linear(3, 3)
        net = nn.Sequential(table, *tied(a, b), Product()).double()
        before = table.weight.copy()
        gradOutput = np.ones_like(net.forward(np.array([1, 2])))
        net.backwardUpdate(np.array([1, 2]), gradOutput, 0.1)
        assert (table.weight != before).any(1).tolist() == [False, True, True, False]

    def test_recurrent_networks(self):
        step = nn.Sequential(nn.JoinTable(0, 1), nn.Linear(5, 3), nn.Tanh(), Product())
        net = rnn.Sequencer(rnn.Recurrence(step, 3, 1)).double()
        input = [RNG.standard_normal((1, 2)) for _ in range(3)]
        gradOutput = [RNG.standard_normal((1, 3)) for _ in range(3)]
        net.forward(input)
        expected = stepped(net, input, gradOutput)
        net.forward(input)
        for gradient in net.parameters()[1]:
            gradient[...] = 7
        net.backwardUpdate(input, gradOutput, 0.1)
        assert_close(net.parameters()[0], expected, 1e-12)
        assert all((gradient == 7).all() for gradient in net.parameters()[1])


def test_any_overlap():
    whole = np.zeros(10)
    a, b, c = whole[:4], whole[3:6], whole[6:]
    assert any_overlap([a, b]) and not any_overlap([a, c]) and not any_overlap([]) and not any_overlap([a])
    assert any_overlap([a], [b]) and any_overlap([b], [a]) and not any_overlap([], [a, b]) and not any_overlap([c], [a, b])
    assert any_overlap([c], [a, whole]) and any_overlap([whole], [c]) and any_overlap([a, a])
    assert not any_overlap([whole[:0], whole]) and any_overlap([whole[::-1]], [c])
    # A long array that others begin in, in any order.
    assert any_overlap([whole[8:]], [whole, whole[1:2]]) and any_overlap([whole, whole[8:]], [whole[1:2]])
