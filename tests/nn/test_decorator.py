"""Modules around one other module, and containers that make modules: what the cases of the layers leave open."""

import pickle

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError
from tests.trees import assert_close, assert_same

X = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)


def step(module, input, lr=0.1):
    """One step of training towards zero."""
    module.zeroGradParameters()
    output = module.forward(input)
    module.backward(input, [entry.copy() for entry in output] if isinstance(output, list) else output.copy())
    module.updateParameters(lr)


class TestDecorator:
    def test_is_a_container(self):
        linear = nn.Linear(4, 3)
        module = nn.Decorator(nn.Decorator(linear))
        assert module.listModules()[-1] is linear
        assert [p is q for p, q in zip(module.parameters()[0], linear.parameters()[0], strict=True)] == [True, True]
        module.evaluate()
        assert not linear.train
        assert module.clearState().output.size == 0

    def test_decorate(self):
        """A class of another parent gets the methods of Decorator."""

        class Named(nn.Container):
            def __init__(self, module):
                super().__init__()
                self.add(module)

        nn.Decorator.decorate(Named)
        linear = nn.Linear(4, 3)
        module = Named(linear)
        assert module.forward(X) is linear.output
        assert module.backward(X, np.ones((2, 3), "f")) is linear.gradInput
        before = linear.weight.copy()
        module.accUpdateGradParameters(X, np.ones((2, 3), "f"), 0.5)
        assert not np.array_equal(linear.weight, before)


class TestNaN:
    def test_names(self):
        one, other = nn.NaN(nn.Tanh()), nn.NaN(nn.Tanh())
        assert isinstance(one.id, int) and other.id == one.id + 1
        assert str(nn.NaN(nn.Tanh(), 7)) == "nn.NaN(7) @ nn.Tanh"


class TestProfile:
    def test_prints(self, capsys):
        module = nn.Profile(nn.Linear(4, 3), 2, "mine")
        for _ in range(3):
            module.backward(X, module.forward(X))
        lines = capsys.readouterr().out.splitlines()
        assert [line.split(" took ")[0] for line in lines] == ["mine", "mine"]
        assert lines[0].endswith("seconds for 2 forward passes") and lines[1].endswith("seconds for 2 backward passes")
        assert (module.numFwds, module.numBwds) == (1, 1)
        assert module.summedFwdTime > 0 and module.summedBwdTime > 0
        assert nn.Profile(nn.Tanh()).name == "nn.Tanh"


class TestDontCast:
    def test_keeps_its_type(self):
        inside = nn.Linear(4, 3)
        module = nn.Sequential().add(nn.DontCast(inside, True)).double()
        assert inside.weight.dtype == np.float32 and module.modules[0].type() == "torch.DoubleTensor"
        output = module.forward(X.astype(np.float64))
        assert output.dtype == np.float64
        assert_close(output, (X @ inside.weight.T + inside.bias).astype(np.float64), 1e-6)
        assert module.backward(X.astype(np.float64), output).dtype == np.float64
        module.float()
        assert module.modules[0].output.dtype == np.float32

    def test_begins_with_the_default_type(self):
        module = nn.DontCast(nn.Linear(4, 3).double(), True)
        assert module.type() == "torch.FloatTensor" and module.moduleType == "torch.DoubleTensor"
        assert module.forward(X).dtype == np.float32 and module.double().forward(X).dtype == np.float64

    def test_one_way(self):
        """castout alone: the input is the module's own, the output the network's."""
        module = nn.DontCast(nn.Linear(4, 3), False, True).double()
        output = module.forward(X)
        assert output.dtype == np.float64
        assert module.backward(X, output).dtype == np.float32

    def test_tables_and_integers(self):
        module = nn.DontCast(nn.Identity(), True).double()
        labels = np.array([1, 2])
        output = module.forward([X.astype(np.float64), [labels]])
        assert output[0].dtype == np.float64 and output[1][0] is labels
        assert module.clearState()._input == []


class TestWeightNorm:
    def test_starts_with_its_length(self):
        linear = nn.Linear(4, 3)
        pl.manualSeed(1)
        module = nn.WeightNorm(linear)
        assert_close(module.g, np.sqrt((module.v**2).sum(1, keepdims=True)), 1e-6)
        assert not module.bias.any() and module.weight is module.modules[0].weight
        assert_close(module.weight, module.v, 1e-4)
        before = module.v.copy()
        pl.manualSeed(1)
        module.reset()
        assert_same(module.v, before)
        module.reset(10)
        assert np.abs(module.v).max() > 5

    def test_trains(self):
        module = nn.WeightNorm(nn.Linear(4, 3))
        before = [p.copy() for p in module.parameters()[0]]
        first = np.abs(module.forward(X)).max()
        for _ in range(300):
            step(module, X)
        assert np.abs(module.forward(X)).max() < first / 100
        assert not any(np.array_equal(p, q) for p, q in zip(module.parameters()[0], before, strict=True))

    def test_copies_and_vectors(self):
        """The bias stays one array, here and in the module; the weight of a copy follows from the copy's v and g."""
        module = nn.WeightNorm(nn.SpatialConvolution(2, 3, 2, 2)).double()
        input = np.arange(18.0).reshape(2, 3, 3)
        expected = module.forward(input).copy()
        for copied in (module.clone(), pickle.loads(pickle.dumps(module))):
            flat, gradients = copied.getParameters()
            assert flat.size == gradients.size == 3 * 8 + 3 + 3
            assert_same(copied.forward(input), expected)
            flat += 0.5
            assert copied.modules[0].bias is copied.bias and (copied.bias == 0.5).all()
            assert not np.allclose(copied.forward(input), expected)
        assert_same(module.forward(input), expected)

    def test_without_bias(self):
        module = nn.WeightNorm(nn.Linear(4, 3)).noBias()
        assert len(module.parameters()[0]) == 2
        assert_close(module.forward(X), X @ module.weight.T, 1e-6)

    def test_fields_for_torch7(self):
        module = nn.WeightNorm(nn.SpatialConvolution(2, 3, 4, 5), 1)
        fields = module._toTorch7()
        assert fields["outputDim"] == 2 and "weight" not in fields and "gradWeight" not in fields
        assert {name: fields[name].tolist() for name in ("viewIn", "viewOut", "weightSize")} == {
            "viewIn": [2, 60],
            "viewOut": [2, 3, 5, 4],
            "weightSize": [3, 2, 5, 4],
        }


class TestGPU:
    def test_devices(self):
        module = nn.GPU(nn.Tanh(), 2)
        assert (module.device, module.outdevice) == (2, 2)
        assert str(module.setDevice(3)) == "nn.GPU(3) @ nn.Tanh"
        assert nn.GPU(nn.Tanh(), 1, 4).outdevice == 4


class TestMapTable:
    def test_clones_share(self):
        linear = nn.Linear(4, 3)
        module = nn.MapTable(linear)
        output = module.forward([X, X + 1, X - 1])
        assert_close(output[1], (X + 1) @ linear.weight.T + linear.bias, 1e-6)
        assert len(module) == 3 and all(clone.weight is linear.weight for clone in module.modules)
        flat, _ = module.getParameters()
        assert flat.size == 15
        flat += 1
        assert_close(module.forward([X, X])[1], X @ linear.weight.T + linear.bias, 1e-6)

    def test_gradients_add_up_once(self):
        module, alone = nn.MapTable(nn.Linear(4, 3)), nn.Linear(4, 3)
        alone.weight[...], alone.bias[...] = module.module.weight, module.module.bias
        for _ in range(3):
            step(module, [X, X[:1]])
            step(alone, np.concatenate([X, X[:1]]))
        assert_close(module.module.weight, alone.weight, 1e-5)

    def test_own_parameters(self):
        module = nn.MapTable(nn.Linear(4, 3), shared=False).resize(2)
        step(module, [X, X * 2])
        one, other = (linear.weight for linear in module.modules)
        assert not np.array_equal(one, other)
        module.clearState()
        assert module.modules[1].weight is other

    def test_shorter_tables_and_resize(self):
        module = nn.MapTable(nn.Tanh())
        module.forward([X, X, X])
        assert len(module.forward([X])) == 1 and len(module) == 3
        assert len(module.backward([X], [X])) == 1
        assert len(module.resize(2)) == 2 and len(module.resize(0)) == 1
        module.forward([X, X])
        assert len(module.clearState()) == 1 and module.output == []

    def test_converts(self):
        module = nn.MapTable(nn.Linear(4, 3)).resize(2).double()
        assert module.modules[1].weight is module.modules[0].weight and module.module is module.modules[0]
        assert module.forward([X.astype(np.float64)] * 2)[1].dtype == np.float64

    def test_printed(self):
        assert repr(nn.MapTable(nn.Sequential().add(nn.Tanh()))) == (
            "nn.MapTable {\n  nn.Sequential {\n          [input -> (1) -> output]\n          (1): nn.Tanh\n        }\n}"
        )


class TestBottle:
    def test_first_dimension_may_change(self):
        """A module that halves its first dimension: the last of those that were made one is halved."""

        class Halves(nn.Module):
            def updateOutput(self, input):
                self.output = input[::2]
                return self.output

        assert nn.Bottle(Halves(), 2).forward(np.zeros((3, 4, 5), "f")).shape == (3, 2, 5)

    def test_no_gradInput(self):
        linear = nn.Linear(4, 3)
        linear.gradInput = None
        module = nn.Bottle(linear)
        assert module.backward(X[None], module.forward(X[None])) is None


class TestParallel:
    def test_no_gradInput(self):
        linear = nn.Linear(4, 3)
        linear.gradInput = None
        module = nn.Parallel(0, 0).add(nn.Tanh()).add(linear)
        assert module.backward(X, module.forward(X)) is None
        with pytest.raises(IndexRangeError):
            nn.Parallel(0, 1).add(nn.Tanh()).add(nn.Tanh()).forward(X)


class TestConvert:
    def test_to_its_dtype(self):
        module = nn.Convert().double()
        output = module.forward(np.array([[1, 2], [3, 4]]))
        assert output.dtype == np.float64 and output.tolist() == [[1, 2], [3, 4]]
        assert module.backward(np.array([[1, 2], [3, 4]]), output).dtype == np.float64
