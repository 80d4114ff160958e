"""Inputs that layers take as Torch7 did: gradients and targets of other shapes, arrays of other types, sizes of other arrays."""

import io
import pickle

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cudnn, dpnn, inn, nn, nnx, rnn
from pytorch_legacy.errors import ArgumentError, DtypeError, ShapeError, ValueRangeError
from tests.trees import assert_same, copied

RNG = np.random.default_rng(0)


def draw(*shape):
    return RNG.standard_normal(shape)


# --------------------------------------------------------------------------------------------- gradients of other shapes

X = draw(4, 3, 5)
LAYERS = {
    "dpnn.Clip": lambda: dpnn.Clip(-1, 1),
    "dpnn.TotalDropout": lambda: dpnn.TotalDropout(0.2),
    "nnx.SaturatedLU": lambda: nnx.SaturatedLU(-0.5, 0.5),
    "nnx.Minus": nnx.Minus,
    "rnn.SAdd": lambda: rnn.SAdd(2, True),
    "cudnn.ReLU": cudnn.ReLU,
    "cudnn.Tanh": cudnn.Tanh,
    "cudnn.Sigmoid": cudnn.Sigmoid,
    "cudnn.ClippedReLU": lambda: cudnn.ClippedReLU(1),
    "authors.Rectifier": authors.Rectifier,
    "PReLU of channels": lambda: nn.PReLU(3),
    "Add of a number": lambda: nn.Add(15, True),
    "CMul of broadcast": lambda: nn.CMul(1, 3, 1),
    "CAdd of broadcast": lambda: nn.CAdd(1, 3, 5),
    "Dropout in evaluation": lambda: nn.Dropout(0.5).evaluate(),
    "AddConstant of a vector": lambda: nn.AddConstant(np.arange(5.0)),
}
INPLACE = {
    "ReLU": lambda: nn.ReLU(True),
    "ReLU6": lambda: nn.ReLU6(True),
    "Threshold": lambda: nn.Threshold(0.1, 0, True),
    "HardTanh": lambda: nn.HardTanh(-1, 1, True),
    "ELU": lambda: nn.ELU(1, True),
    "LeakyReLU": lambda: nn.LeakyReLU(0.1, True),
    "RReLU": lambda: nn.RReLU(0.1, 0.3, True),
    "AddConstant": lambda: nn.AddConstant(2, True),
    "MulConstant": lambda: nn.MulConstant(2, True),
    "Dropout": lambda: nn.Dropout(0.5, False, True),
    "cudnn.Tanh": lambda: cudnn.Tanh(True),
    "inn.ConstAffine": lambda: inn.ConstAffine(3, True),
}


def shapes(gradOutput):
    return [gradOutput.reshape(-1), gradOutput[None], gradOutput[..., None], gradOutput.reshape(gradOutput.shape[::-1])]


def passed(make, x, gradOutput):
    pl.manualSeed(1)
    layer = make().double()
    layer.forward(x.copy())
    layer.zeroGradParameters()
    return layer, copied([layer.backward(x.copy(), gradOutput), *(layer.parameters() or ([], []))[1]])


@pytest.mark.parametrize("make", LAYERS.values(), ids=LAYERS)
def test_layers_beside_those_of_the_table(make):
    g = draw(*X.shape)
    usual = passed(make, X, g.copy())[1]
    for other in shapes(g):
        for found, wanted in zip(passed(make, X, other.copy())[1], usual, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12)
    for wrong in (np.ones(59), np.ones((4, 3, 6)), np.ones(0)):
        with pytest.raises(ShapeError, match="gradOutput: expected 4 x 3 x 5, or 60 elements in another shape, got"):
            passed(make, X, wrong)


@pytest.mark.parametrize("make", INPLACE.values(), ids=INPLACE)
def test_layers_in_place(make):
    """gradInput is written over gradOutput, in the shape of the input."""
    x = draw(2, 3, 4, 5)
    g = draw(*x.shape)
    usual = passed(make, x, g.copy())[1][0]
    for other in shapes(g):
        work = other.copy()
        layer, (found,) = passed(make, x, work)
        assert found.shape == x.shape
        np.testing.assert_array_equal(found, usual)
        assert np.shares_memory(layer.gradInput, work)
        np.testing.assert_array_equal(work.reshape(x.shape), usual)
    apart = np.zeros((*g.reshape(-1).shape, 2))
    apart[:, 0] = g.reshape(-1)
    np.testing.assert_array_equal(passed(make, x, apart[:, 0])[1][0], usual)


def test_its_own_gradInput_in_another_shape():
    layer = nn.Tanh().double()
    layer.forward(X)
    layer.backward(X, draw(*X.shape))
    expected = layer.gradInput * (1 - layer.output**2)
    np.testing.assert_allclose(layer.backward(X, layer.gradInput.reshape(-1)), expected, rtol=1e-14)


def test_repeated_passes_with_changing_shapes():
    """The quick way of a pass that repeats is for gradients of one shape alone."""
    layer, g = nn.Sequential(nn.Tanh(), nn.Sigmoid()).double(), draw(*X.shape)
    layer.forward(X)
    expected = layer.backward(X, g).copy()
    for other in (g, g.reshape(-1), g, g.reshape(12, 5), g[None], g):
        layer.forward(X)
        np.testing.assert_array_equal(layer.backward(X, other), expected)


def test_tables_of_two():
    a, b, g = draw(3, 4), draw(3, 4), draw(3, 4)
    for make in (nn.CSubTable, nn.CDivTable, nn.CMulTable, nn.CMaxTable, nn.CMinTable, nn.CAddTable):
        layer = make().double()
        layer.forward([a, b])
        expected = copied(layer.backward([a, b], g))
        for other in shapes(g):
            assert_same(layer.backward([a, b], other), expected)
    inplace = nn.CAddTable(True).double()
    inplace.forward([a.copy(), b])
    assert [part.shape for part in inplace.backward([a, b], g.reshape(-1))] == [(3, 4), (3, 4)]


# ----------------------------------------------------------------------------------------------- targets of no class


class TestBinaryLogisticRegression:
    @pytest.mark.parametrize("x", [1.0, 0.0, -1.0])
    @pytest.mark.parametrize("t", [1, 0, -1])
    def test_numbers(self, x, t):
        """The numbers of the test of dpnn."""
        loss = np.log(1 + np.exp(-x * t))
        slope = np.exp(-x * t) / (1 + np.exp(-x * t)) * -t
        plain, spatial = dpnn.BinaryLogisticRegression().double(), dpnn.SpatialBinaryLogisticRegression().double()
        input, target = np.full((4, 1, 2, 3), x), np.full((4, 1, 2, 3), t)
        assert spatial.forward(input, target) == pytest.approx(loss / 2)
        np.testing.assert_allclose(spatial.backward(input, target), slope / (2 * 4 * 6))
        assert spatial.forward(input[0], target[0]) == pytest.approx(loss / 2)
        assert plain.forward(input[:, 0, 0, 0], target[:, 0, 0, 0]) == pytest.approx(loss)
        np.testing.assert_allclose(plain.backward(input[:, 0, 0, :1], target[:, 0, 0, :1]), np.full((4, 1), slope / 4))

    def test_targets_of_other_shapes(self):
        plain, spatial = dpnn.BinaryLogisticRegression().double(), dpnn.SpatialBinaryLogisticRegression().double()
        x, t = draw(4, 1, 2, 3), RNG.integers(-1, 2, (4, 1, 2, 3))
        expected, gradient = spatial.forward(x, t), spatial.backward(x, t).copy()
        for other in (t.reshape(4, 2, 3), t.reshape(-1), t[None]):
            assert spatial.forward(x, other) == expected
            np.testing.assert_array_equal(spatial.backward(x, other), gradient)
        for other in (t[:, 0, 0, :1], t[:, 0, 0, 0][None]):
            assert plain.forward(x[:, 0, 0, 0], other) == plain.forward(x[:, 0, 0, 0], t[:, 0, 0, 0])
            assert plain.forward(x[:, 0, 0, 0][None], other) == plain.forward(x[:, 0, 0, 0], t[:, 0, 0, 0])
            assert plain.backward(x[:, 0, 0, 0][None], other).shape == (1, 4)
        with pytest.raises(ShapeError, match="target: expected 4 x 1 x 2 x 3, or 24 elements in another shape, got 4"):
            spatial.forward(x, t[:, 0, 0, 0])

    @pytest.mark.parametrize("make", [dpnn.BinaryLogisticRegression, dpnn.SpatialBinaryLogisticRegression])
    def test_other_targets(self, make):
        with pytest.raises(ValueRangeError, match="target: expected 1, 0 or -1, got 2"):
            make().double().forward(np.zeros((1, 1, 1)) if "Spatial" in make.__name__ else np.zeros(1), np.full((1, 1, 1), 2))

    def test_other_criterions_take_no_0(self):
        with pytest.raises(ValueRangeError, match="target: expected 1 or -1, got 0"):
            nn.HingeEmbeddingCriterion().double().forward(np.zeros(2), np.zeros(2))


# ----------------------------------------------------------------------------------------------- arrays of other types

F4, F8, I8, U1, B = (np.arange(6).reshape(2, 3).astype(dtype) for dtype in ("f4", "f8", "i8", "u1", "?"))
MIXED = [F4, F8, I8, U1, B, F8.astype("f2")]


def dtypes(tree):
    return [part.dtype.str for part in tree]


class TestTablesOfMixedTypes:
    @pytest.mark.parametrize("way", ["float", "double"])
    def test_SelectTable(self, way):
        for i, entry in enumerate(MIXED):
            layer = getattr(nn.SelectTable(i), way)()
            assert layer.forward(MIXED) is entry
            gradient = entry + 1 if entry.dtype.kind == "f" else np.ones(entry.shape, layer.dtype)
            gradInput = layer.backward(MIXED, gradient)
            np.testing.assert_array_equal(gradInput[i], gradient)
            own = layer.dtype.str
            assert dtypes(gradInput) == ["<f4", "<f8", own, own, own, "<f2"]
            assert not any(part.any() for place, part in enumerate(gradInput) if place != i)

    def test_SelectTable_of_names_and_tables(self):
        input = {"a": F4, "b": [F8, I8]}
        layer = nn.SelectTable("b")
        assert layer.forward(input) is input["b"]
        gradInput = layer.backward(input, [F8 + 1, I8])
        assert gradInput["b"][0].dtype == np.float64 and gradInput["a"].dtype == np.float32

    @pytest.mark.parametrize("way", ["float", "double"])
    def test_NarrowTable(self, way):
        layer = getattr(nn.NarrowTable(1, 3), way)()
        output = layer.forward(MIXED)
        assert all(one is other for one, other in zip(output, MIXED[1:4], strict=True))
        gradInput = layer.backward(MIXED, [F8 + 1, I8 + 1, U1 + 1])
        np.testing.assert_array_equal(gradInput[1], F8 + 1)
        assert gradInput[0].dtype == np.float32 and not gradInput[0].any() and gradInput[5].dtype == np.float16

    @pytest.mark.parametrize("way", ["float", "double"])
    @pytest.mark.parametrize("entry", MIXED, ids=dtypes(MIXED))
    def test_SplitTable_and_Transpose(self, way, entry):
        split, turned = getattr(nn.SplitTable(1), way)(), getattr(nn.Transpose((0, 1)), way)()
        parts = split.forward(entry)
        assert {part.dtype for part in parts} == {entry.dtype} and len(parts) == 3
        output = turned.forward(entry)
        np.testing.assert_array_equal(output, entry.T)
        assert output.dtype == entry.dtype
        dtype = entry.dtype if entry.dtype.kind == "f" else split.dtype
        gradient = np.arange(6).reshape(2, 3).astype(dtype)
        back = split.backward(entry, list(gradient.T))
        np.testing.assert_array_equal(back, gradient)
        assert back.dtype == dtype
        np.testing.assert_array_equal(turned.backward(entry, gradient.T), gradient)

    @pytest.mark.parametrize("way", ["float", "double"])
    def test_FlattenTable_and_ZipTable(self, way):
        flat = getattr(nn.FlattenTable(), way)()
        nested = [F4, [F8, [I8, U1]], B]
        output = flat.forward(nested)
        assert all(one is other for one, other in zip(output, [F4, F8, I8, U1, B], strict=True))
        back = flat.backward(nested, [F4 + 1, F8 + 1, I8, U1, B])
        assert back[1][0].dtype == np.float64 and flat.dtype == np.dtype({"float": "f4", "double": "f8"}[way])
        zipped = getattr(nn.ZipTable(), way)()
        assert dtypes(zipped.forward([[F4, I8], [F8, U1]])[0]) == ["<f4", "<f8"]
        assert dtypes(zipped.backward([[F4, I8], [F8, U1]], [[F4, F8], [I8, U1]])[1]) == ["<f8", "|u1"]
        one = getattr(nn.ZipTableOneToMany(), way)()
        assert dtypes(one.forward([F8, [F4, I8]])[1]) == ["<f8", "<i8"]
        first, others = one.backward([F8, [F4, I8]], [[F8, F4], [F8, I8]])
        np.testing.assert_array_equal(first, 2 * F8)
        assert first.dtype == np.float64 and dtypes(others) == ["<f4", "<i8"]

    def test_a_gradient_of_another_type_is_an_error(self):
        with pytest.raises(DtypeError, match="gradOutput: expected float64, got float32"):
            nn.SelectTable(1).backward(MIXED, F4)
        with pytest.raises(DtypeError, match=r"gradOutput\[1\]: expected float32, got float64"):
            nn.FlattenTable().backward([F8, F4], [F8, F8])
        with pytest.raises(DtypeError, match="gradOutput: expected float32, got float64"):
            nn.Transpose((0, 1)).double().backward(F4, F8.T)

    @pytest.mark.parametrize("wrong", [np.array(["a"]), np.array([1j]), np.array([None])])
    @pytest.mark.parametrize("make", [lambda: nn.SelectTable(0), lambda: nn.NarrowTable(0), nn.FlattenTable])
    def test_what_is_no_array_of_numbers(self, make, wrong):
        with pytest.raises(DtypeError, match=r"input(\[0\])?: expected"):
            make().forward([wrong, F4])

    def test_two_networks_of_two_types(self):
        """A table of single and double precision, each for a network of its own, between layers that move the arrays."""
        single, double = nn.Linear(3, 2), nn.Linear(3, 2).double()
        net = nn.Sequential(nn.FlattenTable(), nn.ParallelTable(single, double), nn.SelectTable(1))
        output = net.forward([F4, [F8]])
        assert output.dtype == np.float64
        gradInput = net.backward([F4, [F8]], np.ones((2, 2)))
        assert gradInput[0].dtype == np.float32 and not gradInput[0].any() and gradInput[1][0].dtype == np.float64
        np.testing.assert_allclose(gradInput[1][0], np.ones((2, 2)) @ double.weight)
        for other in (net.clone(), pickle.loads(pickle.dumps(net))):
            np.testing.assert_array_equal(other.forward([F4, [F8]]), output)
        file = io.BytesIO()
        pl.save(file, net)
        np.testing.assert_array_equal(pl.load(file.getvalue()).forward([F4, [F8]]), output)


# ------------------------------------------------------------------------------------- sizes that another array gives

FULL = {
    "spatial": (lambda: nn.SpatialFullConvolution(2, 3, 3, 3, 2, 2), (4, 5)),
    "volumetric": (lambda: nn.VolumetricFullConvolution(2, 3, 3, 3, 3, 2, 2, 2), (3, 4, 5)),
    "cudnn": (lambda: cudnn.SpatialFullConvolution(2, 3, 3, 3, 2, 2), (4, 5)),
}  # fmt: skip


@pytest.mark.parametrize("make, size", FULL.values(), ids=FULL)
def test_the_size_of_a_full_convolution(make, size):
    """Only the last sizes of the second array count, whatever its dimensions and its type."""
    layer, x = make().double(), draw(2, 2, *size)
    wanted = tuple(2 * n + 2 for n in size)
    usual = np.zeros((2, 3, *wanted))
    output = layer.forward([x, usual]).copy()
    assert output.shape == (2, 3, *wanted)
    g = draw(*output.shape)
    layer.zeroGradParameters()
    gradInput, none = copied(layer.backward([x, usual], g))
    gradWeight = layer.gradWeight.copy()
    assert none.shape == usual.shape and not none.any()
    for shape in (wanted, (1, *wanted), (7, 1, *wanted), (1, 1, 1, *wanted)):
        for like in (np.zeros(shape), np.zeros(shape, "f"), np.zeros(shape, np.uint8)):
            np.testing.assert_array_equal(layer.forward([x, like]), output)
            layer.zeroGradParameters()
            found, zeros = layer.backward([x, like], g)
            np.testing.assert_array_equal(found, gradInput)
            np.testing.assert_array_equal(layer.gradWeight, gradWeight)
            assert zeros.shape == shape and not zeros.any()
    rank = len(size)
    with pytest.raises(ShapeError, match=rf"input\[1\]: expected an array of {rank} or more dimensions, got {rank - 1}-D"):
        layer.forward([x, np.zeros(wanted[1:])])
    with pytest.raises(ShapeError, match=r"input\[1\]: expected a (height|time) of"):
        layer.forward([x, np.zeros((99, *wanted[1:]))])


# ----------------------------------------------------------------------------------------------------- indices as samples


class TestBatchesOfIndices:
    WORDS = [np.array([1, 3, 0]), np.array([2, 2, 5])]

    def language_model(self, table):
        """A network of words, as in the examples of rnn."""
        step = nn.Sequential(nn.ParallelTable(table, nn.Linear(4, 4)), nn.CAddTable(), nn.Sigmoid())
        return nn.Sequential(rnn.Recurrence(step, 4, 0), nn.Linear(4, 6), nn.LogSoftMax())

    def test_a_language_model(self):
        net = rnn.Sequencer(self.language_model(nn.LookupTable(6, 4))).double()
        table, feedback = net.findModules("nn.LookupTable")[0][0], net.findModules("nn.Linear")[0][0]
        outputs = net.forward(self.WORDS)
        state = np.zeros((3, 4))
        for words, output in zip(self.WORDS, outputs, strict=True):
            state = 1 / (1 + np.exp(-(table.weight[words] + state @ feedback.weight.T + feedback.bias)))
            last = net.findModules("nn.Linear")[0][1]
            scores = state @ last.weight.T + last.bias
            np.testing.assert_allclose(output, scores - np.log(np.exp(scores).sum(1, keepdims=True)), rtol=1e-10)
        gradients = [draw(3, 6) for _ in outputs]
        parameters, slopes = net.parameters()
        net.zeroGradParameters()
        gradInput = net.backward(self.WORDS, gradients)
        assert [part.shape for part in gradInput] == [(3,), (3,)]

        def loss():
            return sum(float((g * y).sum()) for g, y in zip(gradients, net.forward(self.WORDS), strict=True))

        for parameter, slope in zip(parameters, copied(slopes), strict=True):
            place = tuple(size // 2 for size in parameter.shape)
            kept = parameter[place]
            parameter[place] = kept + 1e-6
            above = loss()
            parameter[place] = kept - 1e-6
            assert slope[place] == pytest.approx((above - loss()) / 2e-6, abs=1e-7)
            parameter[place] = kept
        np.testing.assert_array_equal(net.forward(np.stack(self.WORDS)), np.stack(net.forward(self.WORDS)))

    def test_one_sample(self):
        layer = rnn.Recurrence(nn.Sequential(nn.ParallelTable(nn.Identity(), nn.Identity()), nn.SelectTable(1)), 4, 0).double()
        assert layer.forward(np.array(3)).shape == (4,)

    @pytest.mark.parametrize("kind", [rnn.MaskZero, rnn.TrimZero])
    def test_masks(self, kind):
        """Index 0 is padding, as in an nn.LookupTableMaskZero."""
        inner = rnn.LookupTableMaskZero(5, 3)
        layer = kind(inner, 0).double()
        words = np.array([2, 0, 5, 0])
        expected = np.where((words != 0)[:, None], inner.weight[words], 0)
        np.testing.assert_array_equal(layer.forward(words), expected)
        np.testing.assert_array_equal(layer.forward(words.astype(float)), expected)
        layer.zeroGradParameters()
        assert layer.backward(words, np.ones((4, 3))).shape == (4,)
        assert inner.gradWeight[[2, 5]].tolist() == [[1] * 3] * 2 and not inner.gradWeight[[1, 3, 4]].any()
        assert not layer.forward(np.zeros(3, int)).any()
        plain = kind(nn.AddConstant(1.0), 0).double()
        np.testing.assert_array_equal(plain.forward(np.array([5.0, 0, -1])), [6, 0, 0])
        np.testing.assert_array_equal(plain.backward(np.array([5.0, 0, -1]), np.ones(3)), [1, 0, 1])
        np.testing.assert_array_equal(plain.forward(np.array([np.nan, 0])), [np.nan, 0])
        with pytest.raises(ShapeError, match="input: expected 0 dimensions, or one more for a batch, got 2 x 3"):
            plain.forward(np.zeros((2, 3)))

    def test_masks_of_recurrent_networks(self):
        step = nn.Sequential(nn.ParallelTable(rnn.LookupTableMaskZero(6, 4), nn.Linear(4, 4)), nn.CAddTable(), nn.Sigmoid())
        for method in ("maskZero", "trimZero"):
            layer = getattr(rnn.Recurrence(step.clone(), 4, 0).double(), method)(0)
            first, second = rnn.Sequencer(layer).forward([np.array([0, 3]), np.array([1, 0])])
            assert not first[0].any() and first[1].all() and second[0].all() and not second[1].any()

    def test_criterions(self):
        loss = rnn.MaskZeroCriterion(nn.MSECriterion(), 0).double()
        x, t = np.array([1.0, 0, 3]), np.array([2.0, 5, 5])
        assert loss.forward(x, t) == 2.5  # (1 + 4) / 2
        np.testing.assert_array_equal(loss.backward(x, t), [-1, 0, -2])
        assert loss.forward(np.zeros(3), t) == 0 and not loss.backward(np.zeros(3), t).any()

    @pytest.mark.parametrize("make", [
        lambda n: rnn.MaskZero(nn.Identity(), n), lambda n: rnn.TrimZero(nn.Identity(), n),
        lambda n: rnn.Recurrence(nn.CAddTable(), 1, n), lambda n: rnn.MaskZeroCriterion(nn.MSECriterion(), n),
        lambda n: rnn.Recurrence(nn.CAddTable(), 1, 1).maskZero(n), nn.Collapse,
    ])  # fmt: skip
    def test_fewer_dimensions_than_none(self, make):
        make(0)
        with pytest.raises(ValueRangeError, match="nInputDim: expected 0 or more, got -1"):
            make(-1)

    def test_files(self):
        for thing in (
            rnn.MaskZero(rnn.LookupTableMaskZero(5, 3), 0),
            rnn.TrimZero(rnn.LookupTableMaskZero(5, 3), 0),
            rnn.Recurrence(nn.Sequential(nn.ParallelTable(nn.LookupTable(6, 4), nn.Identity()), nn.CAddTable()), 4, 0),
        ):
            assert pl.testing.survives(thing, np.array([1, 2, 0]))

    def test_torch(self):
        torch = pytest.importorskip("torch")
        layer = rnn.MaskZero(rnn.LookupTableMaskZero(5, 3), 0).double()
        words = [np.array([1, 2, 0]), np.array([0, 5, 5, 3])]
        twin = pl.to_torch(layer, words)
        np.testing.assert_array_equal(twin(torch.from_numpy(words[1])).detach().numpy(), layer.forward(words[1]))

    def test_Collapse(self):
        assert nn.Collapse(0).double().forward(draw(4)).shape == (4, 1)
        assert nn.Collapse(0).double().forward(draw(4, 2, 3)).shape == (4, 6)


# ------------------------------------------------------------------------------------------------------- small additions


class TestExtend:
    def test_modules_are_appended_in_order(self):
        a, b, c = nn.Linear(3, 3), nn.Tanh(), nn.Exp()
        net = nn.Sequential(a)
        assert net.extend([b, c]) is net and net.modules == [a, b, c]
        assert nn.Sequential().extend(iter([a, b])).modules == [a, b]
        assert nn.Sequential(c).extend(nn.Sequential(a, b)).modules == [c, a, b]
        assert nn.Sequential(a).extend(()).modules == [a]
        assert net.extend(net).modules == [a, b, c] * 2
        assert net.output is net.modules[-1].output

    @pytest.mark.parametrize("make", [
        nn.ConcatTable, nn.ParallelTable, lambda: nn.Concat(0), lambda: nn.DepthConcat(0), lambda: nn.Parallel(0, 0),
        nn.Container,
    ])  # fmt: skip
    def test_other_containers(self, make):
        a, b = nn.Tanh(), nn.Exp()
        assert make().extend([a, b]).modules == [a, b] == make().add(a).add(b).modules

    def test_a_MapTable_takes_one(self):
        one, net = nn.Tanh(), nn.MapTable()
        assert net.extend([one]).module is one
        for net in (nn.MapTable(), nn.MapTable(one)):
            before = list(net.modules)
            with pytest.raises(ValueRangeError, match="add: expected no module besides"):
                net.extend([nn.Exp(), nn.Abs()])
            assert net.modules == before and net.module is (before[0] if before else None)

    @pytest.mark.parametrize("wrong", [3, None, nn.Linear(2, 2), [nn.Tanh(), 3], [nn.Tanh(), nn.Exp], "ab", [None]])
    def test_what_is_no_module(self, wrong):
        net = nn.Sequential(nn.Abs())
        with pytest.raises(ArgumentError, match=r"nn\.Sequential: modules(\[\d\])?: expected"):
            net.extend(wrong)
        assert len(net) == 1


@pytest.mark.parametrize("make", [
    lambda: rnn.SeqLSTM(3, 2), lambda: rnn.SeqGRU(3, 2), lambda: rnn.SeqLSTMP(3, 4, 2), lambda: rnn.SeqLSTM(3, 2).maskZero(),
])  # fmt: skip
def test_resetStates(make):
    """The next sequence begins with a state of zero, although the layer remembers."""
    layer, x = make().remember("both").double(), draw(4, 2, 3)
    first = layer.forward(x).copy()
    assert (layer.forward(x) != first).any()
    assert layer.resetStates() is layer
    np.testing.assert_array_equal(layer.forward(x), first)
    assert (layer.forward(x) != first).any()
    layer.forget()
    np.testing.assert_array_equal(layer.forward(x), first)
