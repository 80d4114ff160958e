"""The type of a network is that of its parameters, whatever its containers were converted to."""

import json
import pickle

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cli, dpnn, inn, nn, nnx, rnn
from tests.trees import assert_same, copied, leaves, mapped

RNG = np.random.default_rng(0)


def draw(*shape):
    return RNG.standard_normal(shape)


def linear(outputs=3):
    return nn.Linear(3, outputs)


def graph():
    x = nn.Identity()()
    return nn.gModule([x], [nn.CAddTable()([linear()(x), nn.Tanh()(x)])])


ROWS, PLANES = draw(4, 3), draw(2, 3, 6, 6)
TWO, STEPS = [ROWS, draw(4, 3)], [ROWS, draw(4, 3), draw(4, 3)]
INCEPTION = {"inputSize": 3, "outputSize": [2, 2], "reduceSize": [2, 2, 2, 2]}
# Containers, and an input: each with layers that have parameters, and where that is possible with layers that have none.
CONTAINERS = {
    "Sequential": (lambda: nn.Sequential(linear(), nn.Tanh()), ROWS),
    "Sequential without": (lambda: nn.Sequential(nn.Tanh(), nn.LogSoftMax()), ROWS),
    "nested": (lambda: nn.Sequential(nn.Sequential(linear()), nn.Sequential(nn.LogSoftMax())), ROWS),
    "Identity first": (lambda: nn.Sequential(nn.Identity(), nn.Exp()), ROWS),
    "Concat": (lambda: nn.Concat(1).add(linear()).add(nn.Tanh()), ROWS),
    "Concat without": (lambda: nn.Concat(1).add(nn.Exp()).add(nn.Tanh()), ROWS),
    "DepthConcat": (lambda: nn.DepthConcat(1).add(nn.SpatialConvolution(3, 2, 1, 1)).add(nn.SpatialMaxPooling(3, 3)), PLANES),
    "Parallel": (lambda: nn.Parallel(0, 0).add(linear()).add(nn.Tanh()), draw(2, 3)),
    "ConcatTable": (lambda: nn.ConcatTable(linear(), nn.Tanh()), ROWS),
    "ParallelTable": (lambda: nn.ParallelTable(linear(), nn.Tanh()), TWO),
    "MapTable": (lambda: nn.MapTable(linear()), TWO),
    "Bottle": (lambda: nn.Bottle(linear()), draw(2, 4, 3)),
    "Decorator": (lambda: nn.Decorator(linear()), ROWS),
    "NaN": (lambda: nn.NaN(linear()), ROWS),
    "Profile": (lambda: nn.Profile(linear(), 1000), ROWS),
    "WeightNorm": (lambda: nn.WeightNorm(linear()), ROWS),
    "GPU": (lambda: nn.GPU(linear(), 1), ROWS),
    "Maxout": (lambda: nn.Maxout(3, 2, 2), ROWS),
    "LayerNormalization": (lambda: nn.LayerNormalization(3), ROWS),
    "CReLU": (lambda: nn.CReLU(1), ROWS),
    "SpatialLPPooling": (lambda: nn.SpatialLPPooling(3, 2, 2, 2), PLANES),
    "SpatialContrastiveNormalization": (lambda: nn.SpatialContrastiveNormalization(3, np.ones((3, 3))), PLANES),
    "CriterionTable": (lambda: nn.CriterionTable(nn.MSECriterion()), TWO),
    "ModuleFromCriterion": (lambda: nn.ModuleFromCriterion(nn.MSECriterion()), TWO),
    "gModule": (graph, ROWS),
    "Sequencer": (lambda: rnn.Sequencer(linear()), TWO),
    "Sequencer of LSTM": (lambda: rnn.Sequencer(rnn.LSTM(3, 3)), draw(2, 4, 3)),
    "FastLSTM": (lambda: rnn.FastLSTM(3, 3), ROWS),
    "GRU": (lambda: rnn.GRU(3, 3), ROWS),
    "MuFuRu": (lambda: rnn.MuFuRu(3, 3), ROWS),
    "Recurrent": (lambda: rnn.Recurrent(3, linear(), linear()), ROWS),
    "Recurrence": (lambda: rnn.Recurrence(nn.Sequential(nn.ParallelTable(linear(), linear()), nn.CAddTable()), 3, 1), ROWS),
    "Recursor": (lambda: rnn.Recursor(linear()), ROWS),
    "Repeater": (lambda: rnn.Repeater(linear(), 3), ROWS),
    "BiSequencer": (lambda: rnn.BiSequencer(rnn.LSTM(3, 3)), TWO),
    "BiSequencerLM": (lambda: rnn.BiSequencerLM(rnn.LSTM(3, 3)), STEPS),
    "SeqBRNN": (lambda: rnn.SeqBRNN(3, 3), draw(5, 4, 3)),
    "MaskZero": (lambda: rnn.MaskZero(linear(), 1), ROWS),
    "TrimZero": (lambda: rnn.TrimZero(linear(), 1), ROWS),
    "NormStabilizer": (lambda: rnn.NormStabilizer(), ROWS),
    "Serial": (lambda: dpnn.Serial(linear()), ROWS),
    "Inception": (lambda: dpnn.Inception(INCEPTION), PLANES),
    "SpatialClassifier": (lambda: nnx.SpatialClassifier(linear(2)), draw(3, 4, 4)),
    "NoBackprop": (lambda: authors.NoBackprop(linear()), ROWS),
    "TemporalAdapter": (lambda: authors.TemporalAdapter(linear()), draw(2, 4, 3)),
    "SequentialSplitBatch": (lambda: authors.SequentialSplitBatch(4).add(linear()), ROWS),
    "SpatialPyramidPooling": (lambda: inn.SpatialPyramidPooling([2, 2], [1, 1]), PLANES),
}  # fmt: skip


def passed(net, input):
    """Output, gradInput and gradients, as copies."""
    pl.manualSeed(2)
    output = net.forward(input)
    kept = output if isinstance(output, float) else copied(output)
    net.zeroGradParameters()
    gradInput = net.backward(input, None if isinstance(output, float) else copied(kept))
    return kept, copied(gradInput), copied((net.parameters() or ([], []))[1])


@pytest.mark.parametrize("inner, outer", [("double", "Float"), ("float", "Double")])
@pytest.mark.parametrize("make, input", CONTAINERS.values(), ids=CONTAINERS)
def test_a_container_of_one_type_over_layers_of_the_other(make, input, inner, outer):
    dtype, name = np.dtype({"double": "f8", "float": "f4"}[inner]), f"torch.{inner.capitalize()}Tensor"
    pl.manualSeed(1)
    net = getattr(make(), inner)()
    input = mapped(lambda array: array.astype(dtype), input)
    expected = passed(net.clone(), input)
    for module in net.listModules():
        if isinstance(module, (nn.Container, nn.CriterionTable, nn.ModuleFromCriterion)):
            module._take(f"torch.{outer}Tensor")
    assert net.type() == name and net.dtype == dtype
    for one in (net.clone(), pickle.loads(pickle.dumps(net))):
        assert one.type() == name
        output, gradInput, gradients = passed(one, input)
        for found, wanted in ((output, expected[0]), (gradInput, expected[1]), (gradients, expected[2])):
            assert all(leaf.dtype == dtype for leaf in leaves(found) if hasattr(leaf, "dtype"))
            assert found == wanted if isinstance(found, float) else assert_same(found, wanted) is None
    for way in ("double", "float"):
        assert getattr(net, way)().type() == f"torch.{way.capitalize()}Tensor"


X = draw(2, 3)


def network():
    return nn.Sequential(nn.Sequential(nn.Linear(3, 4)).double(), nn.LogSoftMax().double())


class TestNetwork:
    def test_it_runs_as_what_it_is(self):
        net = network()
        assert net.forward(X).dtype == np.float64
        assert net.dtype == np.float64 and net.type() == net._type == "torch.DoubleTensor"
        assert "float64" in str(net.summary()) and "float64" in str(net.summary((3,)))

    def test_a_layer_that_is_converted_later(self):
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh())
        assert net.type() == "torch.FloatTensor"
        for module in net:
            module.double()
        assert net.type() == "torch.DoubleTensor" and net.forward(X).dtype == np.float64
        net.modules.clear()
        assert net.type() == "torch.FloatTensor"

    def test_parameters_decide_before_other_modules(self):
        net = nn.Sequential(nn.Tanh(), nn.Linear(3, 4).double())
        assert net.type() == "torch.DoubleTensor"
        assert nn.Sequential(nn.Tanh(), nn.Exp().double()).type() == "torch.FloatTensor"
        assert nn.Sequential(nn.Identity(), nn.Exp().double()).type() == "torch.DoubleTensor"
        assert nn.Sequential().double().type() == "torch.DoubleTensor"
        assert nn.Sequential(nn.Sequential().double(), nn.Exp()).type() == "torch.FloatTensor"

    def test_a_module_in_several_places(self):
        net, layer = nn.Sequential(), nn.Sequential(nn.Linear(3, 3).double())
        assert net.add(layer).add(layer).type() == "torch.DoubleTensor"
        net.add(net)
        assert net.type() == "torch.DoubleTensor"

    @pytest.mark.parametrize("castin", [True, False])
    def test_DontCast_has_the_type_around_it(self, castin):
        inner = nn.DontCast(nn.Linear(3, 3), True).double()
        assert inner.type() == "torch.DoubleTensor" and inner[0].type() == "torch.FloatTensor"
        net = nn.Sequential(inner, nn.Tanh().double())
        assert net.type() == "torch.DoubleTensor" and net.forward(X).dtype == np.float64
        assert net.summary((3,)) is not None
        keeps = nn.Sequential(nn.DontCast(nn.Linear(3, 3), castin)).double()
        x = X if castin else X.astype("f")
        assert keeps.forward(x).dtype == x.dtype and str(keeps.summary((3,)))

    def test_a_Copy_takes_its_own_type(self):
        net = nn.Sequential(nn.Copy("torch.FloatTensor", "torch.DoubleTensor"), nn.Linear(3, 4).double())
        assert net.type() == "torch.DoubleTensor" and net.forward(X.astype("f")).dtype == np.float64
        assert "total: 16 parameters" in str(net.summary((3,)))

    def test_files(self, tmp_path):
        net = network()
        pl.save(tmp_path / "net.t7", net)
        loaded = pl.load(tmp_path / "net.t7")
        assert loaded.type() == "torch.DoubleTensor"
        np.testing.assert_array_equal(loaded.forward(X), net.forward(X))
        record = pl.t7.read(tmp_path / "net.t7")
        assert record.fields["_type"] == "torch.FloatTensor"  # as Torch7 has it
        pl.save(tmp_path / "again.t7", loaded)
        assert pl.t7.read(tmp_path / "again.t7").fields["_type"] == "torch.FloatTensor"

    def test_the_command_line(self, tmp_path, capsys):
        net = network()
        path = str(tmp_path / "net.t7")
        pl.save(path, net)
        assert cli.main(["inspect", path]) == 0 and "float64" in capsys.readouterr().out
        assert cli.main(["inspect", path, "--input", "3"]) == 0 and "float64" in capsys.readouterr().out
        assert cli.main(["inspect", path, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["networks"][0]["dtype"] == "float64"
        np.save(tmp_path / "x.npy", X)
        assert cli.main(["run", path, str(tmp_path / "x.npy"), "-o", str(tmp_path / "y.npy"), "--double"]) == 0
        np.testing.assert_allclose(np.load(tmp_path / "y.npy"), net.forward(X), rtol=1e-12)

    def test_torch(self, tmp_path, capsys):
        torch = pytest.importorskip("torch")
        net = network()
        twin = pl.to_torch(net, (None, 3))
        assert next(twin.parameters()).dtype == torch.float64
        np.testing.assert_allclose(twin(torch.from_numpy(X)).detach().numpy(), net.forward(X), rtol=1e-12)
        path = str(tmp_path / "net.t7")
        pl.save(path, net)
        assert cli.main(["convert", path, str(tmp_path / "net.py"), "--input", "3"]) == 0
        wrapped = __import__("pytorch_legacy.torch", fromlist=["Module"]).Module(net)
        np.testing.assert_allclose(wrapped(torch.from_numpy(X)).detach().numpy(), net.forward(X), rtol=1e-12)

    def test_onnx(self, tmp_path):
        pytest.importorskip("onnxscript")
        runtime = pytest.importorskip("onnxruntime")
        net = network()
        pl.to_onnx(net, str(tmp_path / "net.onnx"), (None, 3))
        session = runtime.InferenceSession(str(tmp_path / "net.onnx"))
        (result,) = session.run(None, {session.get_inputs()[0].name: X})
        assert result.dtype == np.float64
        np.testing.assert_allclose(result, net.forward(X), rtol=1e-12)

    def test_training(self):
        net = network()
        flat, gradient = net.getParameters()
        assert flat.dtype == gradient.dtype == np.float64
        trainer = nn.StochasticGradient(net, nn.ClassNLLCriterion().double())
        trainer.maxIteration, trainer.verbose = 2, False
        before = flat.copy()
        trainer.train([(X, np.array([0, 1]))])
        assert (flat != before).any()

    def test_optimize(self):
        net = network()
        np.testing.assert_allclose(pl.optimize(net).forward(X), net.forward(X), rtol=1e-12)
        assert pl.optimize(net).type() == "torch.DoubleTensor"


def mse(way):
    return getattr(nn.MSECriterion(), way)()


CRITERIONS = {
    "MultiCriterion": (lambda way: nn.MultiCriterion().add(mse(way)).add(mse(way), 2), ROWS, ROWS + 1),
    "ParallelCriterion": (lambda way: nn.ParallelCriterion().add(mse(way)).add(mse(way)), TWO, [ROWS + 1, ROWS - 1]),
    "ModuleCriterion": (lambda way: nn.ModuleCriterion(mse(way), getattr(nn.Tanh(), way)()), ROWS, ROWS + 1),
    "SequencerCriterion": (lambda way: rnn.SequencerCriterion(mse(way)), TWO, TWO[::-1]),
    "RepeaterCriterion": (lambda way: rnn.RepeaterCriterion(mse(way)), draw(2, 4, 3), ROWS),
    "MaskZeroCriterion": (lambda way: rnn.MaskZeroCriterion(mse(way), 1), ROWS, ROWS + 1),
}


@pytest.mark.parametrize("way", ["double", "float"])
@pytest.mark.parametrize("name", CRITERIONS)
def test_criterions_of_one_type_over_those_of_the_other(name, way):
    """gradInput has all digits: a gradient in single precision would lose those of a criterion in double precision."""
    make, input, target = CRITERIONS[name]
    dtype = np.dtype({"double": "f8", "float": "f4"}[way])
    input, target = (mapped(lambda array: array.astype(dtype), tree) for tree in (input, target))
    criterion, expected = make(way), getattr(make(way), way)()
    criterion._take(f"torch.{'Float' if way == 'double' else 'Double'}Tensor")
    assert criterion.dtype == dtype and criterion.type() == f"torch.{way.capitalize()}Tensor"
    for _ in range(2):
        assert criterion.forward(input, target) == expected.forward(input, target)
        gradient = criterion.backward(input, target)
        assert all(leaf.dtype == dtype for leaf in leaves(gradient))
        assert_same(gradient, expected.backward(input, target))


def test_empty_criterions_have_their_own_type():
    assert nn.MultiCriterion().double().type() == "torch.DoubleTensor" and nn.MultiCriterion().type() == "torch.FloatTensor"
