"""Layers that take or return tables."""

import numpy as np
import pytest

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, NullError, ShapeError
from pytorch_legacy.nn.shape.Identity import Identity
from pytorch_legacy.nn.table.CAddTable import CAddTable
from pytorch_legacy.nn.table.ConcatTable import ConcatTable
from pytorch_legacy.nn.table.JoinTable import JoinTable
from pytorch_legacy.nn.table.ParallelTable import ParallelTable
from pytorch_legacy.nn.utils import (
    addSingletonDimension,
    contiguousView,
    recursiveAdd,
    recursiveCopy,
    recursiveFill,
    recursiveResizeAs,
    recursiveSum,
    recursiveType,
)
from tests.nn.toys import Linear, Tanh, batch, fails
from tests.trees import copied


class TestConcatTable:
    def test_branches(self):
        a, b, x = Linear(4, 2), Tanh(), batch(3, 4)
        net = ConcatTable().add(a).add(b)
        output = net.forward(x)
        assert output is net.output and output[0] is a.output and output[1] is b.output
        g = [batch(3, 2), batch(3, 4)]
        gradInput = net.backward(x, g, 0.5)
        np.testing.assert_allclose(gradInput, g[0] @ a.weight + g[1] * (1 - np.tanh(x) ** 2), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(a.gradBias, 0.5 * g[0].sum(0), rtol=1e-5)
        np.testing.assert_array_equal(net.updateGradInput(x, g), gradInput)
        net.accGradParameters(x, g, 0.5)
        np.testing.assert_allclose(a.gradBias, g[0].sum(0), rtol=1e-5)
        before = a.bias.copy()
        net.accUpdateGradParameters(x, g, 2.0)
        np.testing.assert_allclose(a.bias, before - 2 * g[0].sum(0), rtol=1e-5)

    def test_tables_nested_and_with_names(self):
        x = {"a": batch(2), "b": [batch(3)]}
        g = [{"a": batch(2, seed=1), "b": [batch(3)]}, {"a": batch(2, seed=2), "b": [batch(3)]}]
        net = ConcatTable().add(Identity()).add(Identity())
        assert net.forward(x) == [x, x]
        gradInput = net.backward(x, g)
        np.testing.assert_array_equal(gradInput["a"], g[0]["a"] + g[1]["a"])
        np.testing.assert_array_equal(gradInput["b"][0], 2 * batch(3))

    def test_from_tables_to_arrays_and_back(self):
        net = ConcatTable().add(Identity()).add(Identity())
        for x in ([batch(2), batch(3)], batch(2), [batch(4)]):
            net.forward(x)
            gradInput = net.backward(x, [x, x])
            np.testing.assert_array_equal(np.concatenate(gradInput, None), 2 * np.concatenate(x, None))

    def test_errors(self):
        net, x = ConcatTable().add(Identity()).add(Identity()), batch(2)
        net.forward(x)
        for run in (net.backward, net.updateGradInput, net.accGradParameters):
            with fails(ShapeError, "nn.ConcatTable: gradOutput: expected a table of 2, got a table of 3"):
                run(x, [x, x, x])
        with fails(DtypeError, "nn.ConcatTable: gradOutput: expected a table of 2, got a float32 array of 2"):
            net.backward(x, x)
        problem = "nn.ConcatTable: gradOutput: expected a table of 2, got a dict; a table with places is a list here"
        with fails(DtypeError, problem):
            net.backward(x, {1: x, 2: x})
        problem = "nn.ConcatTable: gradInput, nn.utils.recursiveAdd: cannot add"
        with fails(ShapeError, f"{problem} a float32 array of 3 to a float32 array of 2"):
            net.backward(x, [x, batch(3)])
        with fails(ShapeError, f"{problem} a float32 array of 2 to a table of 1"):
            net.backward(x, [[x], x])


class TestParallelTable:
    def test_each_to_its_own(self):
        a, b, x = Linear(4, 2), Tanh(), [batch(3, 4), batch(5)]
        net = ParallelTable().add(a).add(b)
        assert net.output == [] and net.gradInput == []
        output = net.forward(x)
        assert output[0] is a.output and output[1] is b.output
        g = copied(output)
        gradInput = net.backward(x, g, 0.5)
        assert gradInput is net.gradInput and gradInput[0] is a.gradInput and gradInput[1] is b.gradInput
        np.testing.assert_allclose(a.gradBias, 0.5 * g[0].sum(0), rtol=1e-5)
        assert net.updateGradInput(x, g)[0] is a.gradInput
        net.accGradParameters(x, g, 0.5)
        np.testing.assert_allclose(a.gradBias, g[0].sum(0), rtol=1e-5)
        before = a.bias.copy()
        net.accUpdateGradParameters(x, g, 2.0)
        np.testing.assert_allclose(a.bias, before - 2 * g[0].sum(0), rtol=1e-5)

    def test_errors(self):
        net, x = ParallelTable().add(Identity()).add(Identity()), batch(2)
        with fails(ShapeError, "nn.ParallelTable: input: expected a table of 2, got a table of 1"):
            net.forward([x])
        with fails(DtypeError, "nn.ParallelTable: input: expected a table of 2, got a float32 array of 2"):
            net.forward(x)
        with fails(ShapeError, "nn.ParallelTable: gradOutput: expected a table of 2, got a table of 3"):
            net.backward([x, x], [x, x, x])
        with fails(DtypeError, "nn.ParallelTable: gradOutput: expected a table of 2, got None"):
            net.backward([x, x])


class TestWithoutGradOutput:
    """A CriterionTable at the end of a network looks at no gradOutput, and has a gradient of its first input alone."""

    def net(self):
        branches = nn.ParallelTable().add(nn.Linear(4, 3)).add(nn.Identity())
        return nn.Sequential().add(branches).add(nn.CriterionTable(nn.MSECriterion()))

    def test_training_as_in_the_manual_of_Torch7(self):
        net, x, y = self.net(), batch(5, 4), batch(5, 3, seed=5)
        losses = []
        for _ in range(200):
            losses.append(net.forward([x, y]))
            net.zeroGradParameters()
            net.backward([x, y])
            net.updateParameters(0.1)
        assert losses[-1] < 0.3 * losses[0]

    def test_all_ways_back_agree(self):
        net, x, y = self.net(), batch(5, 4), batch(5, 3, seed=5)
        linear, criterion = net.get(0).get(0), nn.MSECriterion()
        criterion.forward(net.get(0).forward([x, y])[0], y)
        g = criterion.backward(net.get(0).get(0).output, y)
        net.forward([x, y])
        for back in (
            lambda: net.backward([x, y]),
            lambda: net.backward([x, y], None),
            lambda: net([x, y], 1.0)[1],
            lambda: (net.updateGradInput([x, y]), net.accGradParameters([x, y]))[0],
        ):
            net.zeroGradParameters()
            gradInput = back()
            np.testing.assert_allclose(gradInput[0], g @ linear.weight, rtol=1e-5, atol=1e-7)
            assert len(gradInput) == 2 and gradInput[1] is None
            np.testing.assert_allclose(linear.gradWeight, g.T @ x, rtol=1e-5, atol=1e-7)
        before = linear.weight.copy()
        net.backwardUpdate([x, y], None, 0.5)
        np.testing.assert_allclose(linear.weight, before - 0.5 * g.T @ x, rtol=1e-5, atol=1e-6)

    def test_other_branches(self):
        x, y = batch(5, 4), batch(5, 4, seed=5)
        for first, input in (
            (nn.ConcatTable().add(nn.Tanh()).add(nn.Identity()), x),
            (nn.MapTable(nn.Identity()), [x, y]),
            (nn.Identity(), [x, y]),
            (nn.ParallelTable().add(nn.Sequential()).add(nn.Constant(np.ones((5, 4)))), [x, y]),
            (nn.ParallelTable().add(nn.PrintSize()).add(nn.Sequential().add(nn.ZeroGrad())), [x, y]),
        ):
            net = nn.Sequential().add(first).add(nn.CriterionTable(nn.MSECriterion()))
            net.forward(input)
            gradient = net.backward(input)
            assert (gradient if isinstance(input, np.ndarray) else gradient[0]).any()

    def test_in_a_graph(self):
        x, y = nn.Identity()(), nn.Identity()()
        linear = nn.Linear(4, 3)
        net = nn.gModule([x, y], [nn.CriterionTable(nn.MSECriterion())([linear(x), y])])
        input = [batch(5, 4), batch(5, 3, seed=5)]
        net.forward(input)
        gradInput = net.backward(input)
        assert gradInput[0].shape == (5, 4) and gradInput[1] is None and linear.gradWeight.any()
        x = nn.Identity()()
        net = nn.gModule([x], [nn.Linear(4, 3)(x)])
        net.forward(input[0])
        with pytest.raises(NullError, match=r"nn\.Linear.*gradOutput: expected an array, got None"):
            net.backward(input[0])

    def test_modules_that_need_one_say_so(self):
        net, x = nn.Sequential().add(nn.Tanh()).add(nn.Linear(4, 3)), batch(5, 4)
        net.forward(x)
        problem = "in module 2 of nn.Sequential, nn.Linear: gradOutput: expected an array, got None"
        with fails(NullError, problem):
            net.backward(x)
        with fails(DtypeError, "nn.Add: gradOutput: expected a float32 array, got None"):
            nn.Add(4).backward(x)
        with fails(DtypeError, "nn.BatchNormalization: gradOutput: expected a float32 array, got None"):
            nn.BatchNormalization(4).backward(x)
        two = nn.Sequential().add(nn.MapTable(nn.Linear(4, 3))).add(nn.CriterionTable(nn.MSECriterion()))
        two.forward([x, x])
        with pytest.raises(NullError, match=r"^in module 1 of nn\.Sequential, in module 2 of nn\.MapTable, nn\.Linear.*got None"):
            two.backward([x, x])


class TestJoinTable:
    @pytest.mark.parametrize(
        "dimension, nInputDims, axis",
        [(0, None, 0), (1, None, 1), (-1, None, 1), (-2, None, 0), (0, 1, 1), (0, 2, 0), (-1, 1, 1)],
    )
    def test_joins_and_splits(self, dimension, nInputDims, axis):
        x = [batch(2, 3), batch(2, 3, seed=4), batch(2, 3, seed=5)]
        x[1] = x[1][:, :2] if axis else x[1][:1]
        layer = JoinTable(dimension, nInputDims)
        output = layer.forward(x)
        np.testing.assert_array_equal(output, np.concatenate(x, axis))
        assert layer.forward(x) is output
        gradInput = layer.backward(x, output)
        for ours, theirs in zip(gradInput, x, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert layer.backward(x, output)[0] is gradInput[0]
        assert len(layer.backward(x[:1], np.array(x[0]))) == 1

    def test_strided_inputs_and_double(self):
        x = [batch(3, 2).astype(np.float64).T, batch(4, 6).astype(np.float64)[::2, ::2]]
        layer = JoinTable(1).double()
        np.testing.assert_array_equal(layer.forward(x), np.concatenate(x, 1))
        np.testing.assert_array_equal(layer.backward(x, layer.output[:, ::-1])[0], layer.output[:, :-4:-1])

    def test_an_empty_batch(self):
        x = [batch(0, 3), batch(0, 2)]
        assert JoinTable(1).forward(x).shape == (0, 5)

    def test_errors(self):
        layer = JoinTable(1)
        x = [batch(2, 3), batch(2, 3)]
        problem = "nn.JoinTable: input[1]: expected a float32 array, got"
        others = "nn.JoinTable: input[1]: expected the sizes of input[0], 2 x 3, but for dimension 1, got"
        for input, error, message in [
            ([batch(2, 3), np.zeros((2, 3))], DtypeError,
             "nn.JoinTable: input[1]: expected float32, got float64; "
             "pass x.astype(np.float32), or convert the module: .double()"),
            ([np.zeros((2, 3), np.int64)], DtypeError,
             "nn.JoinTable: input[0]: expected float32, got int64; pass x.astype(np.float32)"),
            (batch(2, 3), DtypeError, "nn.JoinTable: input: expected a table, got a float32 array of 2 x 3"),
            ([batch(2, 3), [1.0]], DtypeError, f"{problem} a list of 1 number; pass np.array(x, np.float32)"),
            ([batch(2, 3), 1.5], DtypeError, f"{problem} float 1.5; pass np.array(x, np.float32)"),
            ([batch(2, 3), None], DtypeError, f"{problem} None"),
            ([], ShapeError, "nn.JoinTable: input: expected a table with at least one entry, got a table of 0"),
            ([batch(2, 3), batch(3, 3)], ShapeError, f"{others} 3 x 3"),
            ([batch(2, 3), batch(2)], ShapeError, f"{others} 2"),
            ([batch(2, 3), batch(2, 3, 1)], ShapeError, f"{others} 2 x 3 x 1"),
            ([batch(2)], IndexRangeError, "nn.JoinTable: dimension: 1 is out of range for a 1-D array"),
        ]:  # fmt: skip
            with fails(error, message):
                layer.forward(input)
        with fails(ShapeError, "nn.JoinTable: gradOutput: expected 2 x 6, got 2 x 5"):
            layer.backward(x, batch(2, 5))
        with fails(DtypeError, "nn.JoinTable: gradOutput: expected a float32 array, got a table of 0"):
            layer.backward(x, [])


class TestCAddTable:
    def test_sum(self):
        x = [batch(2, 3, seed=i) for i in range(3)]
        kept = copied(x)
        layer = CAddTable()
        output = layer.forward(x)
        np.testing.assert_allclose(output, sum(kept), rtol=1e-6)
        np.testing.assert_array_equal(x, kept)
        g = batch(2, 3)
        gradInput = layer.backward(x, g)
        assert all((gradient == g).all() and not np.shares_memory(gradient, g) for gradient in gradInput)
        assert layer.forward(x) is output and layer.backward(x, g)[2] is gradInput[2]

    def test_in_place(self):
        x = [batch(2, 3, seed=i) for i in range(3)]
        expected = x[0] + x[1] + x[2]
        layer = CAddTable(True)
        assert layer.forward(x) is x[0]
        np.testing.assert_array_equal(x[0], expected)
        g = batch(2, 3)
        assert all(gradient is g for gradient in layer.backward(x, g))

    def test_one_input(self):
        x = batch(3)
        np.testing.assert_array_equal(CAddTable().forward([x]), x)

    def test_errors(self):
        with fails(ShapeError, "nn.CAddTable: input[1]: expected 2 x 3, got 3 x 3"):
            CAddTable().forward([batch(2, 3), batch(3, 3)])
        with fails(ShapeError, "nn.CAddTable: input[2]: expected 2, got 1"):
            CAddTable().forward([batch(2), batch(2), batch(1)])
        frozen = batch(2)
        frozen.flags.writeable = False
        np.testing.assert_array_equal(CAddTable(True).forward([frozen, frozen]), 2 * frozen)
        with fails(ShapeError, "nn.CAddTable: gradOutput: expected 2, or 2 elements in another shape, got 3"):
            CAddTable().backward([batch(2), batch(2)], batch(3))


MASK = np.uint8([[1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize("make, pair", [
    *((make, [batch(2, 3), batch(2, 3, seed=1)]) for make in (nn.CSubTable, nn.CDivTable, nn.DotProduct, nn.CosineDistance,
                                                              nn.PairwiseDistance, lambda: nn.CriterionTable(nn.MSECriterion()))),
    (lambda: nn.Index(1), [batch(2, 3), np.int64([2, 0])]),
    (nn.MaskedSelect, [batch(2, 3), MASK]),
    (nn.MixtureTable, [batch(2, 2), [batch(2, 3), batch(2, 3, seed=1)]]),
    (nn.CAddTensorTable, [batch(2, 3), [batch(2, 3), batch(2, 3, seed=1)]]),
])  # fmt: skip
def test_further_entries_are_left_alone(make, pair):
    """Torch7 read the first two, here of what nn.ConcatTable made of an input, and gave gradients for these."""
    layer, surplus = make(), [*pair, batch(4), [batch(5)]]
    output = copied(layer.forward(pair))
    gradients = copied(layer.backward(pair, output))
    np.testing.assert_equal(copied(layer.forward(surplus)), output)
    np.testing.assert_equal(layer.backward(surplus, output), gradients)
    net = nn.Sequential().add(nn.ConcatTable().add(nn.Linear(3, 3)).add(nn.Tanh()).add(nn.Identity())).add(nn.CSubTable())
    assert net.backward(batch(2, 3), net.forward(batch(2, 3))).shape == (2, 3)


@pytest.mark.parametrize("criterion, target", [
    (nn.CosineEmbeddingCriterion(), np.int64([1, -1])), (nn.MarginRankingCriterion(), 1), (nn.L1HingeEmbeddingCriterion(), -1),
    (nn.DistanceRatioCriterion(), None),
])  # fmt: skip
def test_further_entries_of_pairs_are_left_alone(criterion, target):
    pair = [batch(2, 3), batch(2, 3, seed=1)]
    loss, gradients = criterion.forward(pair, target), copied(criterion.backward(pair, target))
    assert criterion.forward([*pair, batch(4)], target) == loss
    np.testing.assert_equal(criterion.backward([*pair, batch(4)], target), gradients)


class TestOtherShapes:
    """Only the number of elements and their order count, as with the tensors of Torch7."""

    LAYERS = [nn.CAddTable, lambda: nn.CAddTable(True), nn.CMulTable, nn.CMaxTable, nn.CMinTable]
    PAIRS = [nn.CSubTable, nn.CDivTable]

    @pytest.mark.parametrize("order", ["C", "F"])
    @pytest.mark.parametrize("first", [0, 1, 2])
    @pytest.mark.parametrize("make, shapes", [(make, [(3, 4), (2, 1, 6), (12,)]) for make in LAYERS]
                             + [(make, [(3, 4), (2, 6)]) for make in (*PAIRS, nn.CAddTable, nn.CMulTable)])  # fmt: skip
    def test_pointwise(self, make, shapes, first, order):
        shapes = [*shapes[first:], *shapes[:first]]
        x = [np.asarray(batch(*shape, seed=i), order=order) for i, shape in enumerate(shapes)]
        g = np.asarray(batch(*shapes[0], seed=9), order=order)
        alike, layer = make(), make()
        same = [array.reshape(shapes[0]).copy() for array in x]
        expected = alike.forward(same).copy(), copied(alike.backward(same, g))
        output = layer.forward(x)
        assert output.shape == shapes[0]
        np.testing.assert_array_equal(output, expected[0])
        for gradient, other, array in zip(layer.backward(x, g), expected[1], x, strict=True):
            np.testing.assert_array_equal(gradient, other.reshape(array.shape))

    def test_CAddTensorTable(self):
        x, layer = [batch(3, 4), [batch(2, 6), batch(12)]], nn.CAddTensorTable()
        first, second = layer.forward(x)
        np.testing.assert_array_equal(first, x[0] + x[1][0].reshape(3, 4))
        np.testing.assert_array_equal(second, x[0] + x[1][1].reshape(3, 4))
        gradFirst, gradients = layer.backward(x, [first, second])
        np.testing.assert_array_equal(gradFirst, first + second)
        assert [gradient.shape for gradient in gradients] == [(2, 6), (12,)]

    @pytest.mark.parametrize("make", [*LAYERS, *PAIRS])
    def test_other_numbers_of_elements_are_refused(self, make):
        with pytest.raises(ShapeError, match=r"input\[1\]: expected 3 x 4, got 3 x 3"):
            make().forward([batch(3, 4), batch(3, 3)])


class TestUtils:
    def test_recursiveType_converts_integers_too_and_keeps_sharing(self):
        base = np.arange(6)
        converted = recursiveType({"a": [base[2:], base], "n": 3, "m": Linear(2, 2)}, "torch.FloatTensor")
        assert converted["a"][0].dtype == np.float32 and np.shares_memory(*converted["a"]) and converted["n"] == 3
        assert recursiveType(base, np.float64).dtype == np.float64
        layer = Linear(2, 2)
        assert recursiveType(layer, "torch.DoubleTensor") is layer and layer.weight.dtype == np.float64

    def test_recursiveCopy_uses_old_memory(self):
        old = {"a": np.zeros(2), "b": [np.zeros(3)]}
        new = recursiveCopy(old, {"a": np.ones(2), "b": [np.ones(4), np.ones(1)]})
        assert new["a"] is old["a"] and (old["a"] == 1).all()
        assert [array.shape for array in new["b"]] == [(4,), (1,)]
        with fails(DtypeError, "nn.utils: expected arrays or tables of arrays, got float 1.0"):
            recursiveCopy(None, [1.0])

    def test_recursiveResizeAs_keeps_the_dtype_of_the_buffer(self):
        resized = recursiveResizeAs([np.zeros(2, np.float64)], [np.zeros((2, 3), np.float32), np.zeros(1, np.float32)])
        assert [(array.shape, array.dtype.name) for array in resized] == [((2, 3), "float64"), ((1,), "float32")]

    def test_recursiveAdd_and_recursiveFill(self):
        total = [np.ones(2), [np.ones(3)]]
        recursiveAdd(total, 2, [np.ones(2), [np.ones(3)]])
        assert (total[0] == 3).all() and (total[1][0] == 3).all()
        recursiveAdd(total, [np.ones(2), [np.ones(3)]])
        assert (total[1][0] == 4).all()
        assert recursiveFill(total, 7) is total
        assert (total[0] == 7).all() and (total[1][0] == 7).all()

    def test_recursiveSum(self):
        old, terms = np.zeros(2), [np.array([1.0, 2.0]), np.array([10.0, 20.0]), np.array([100.0, 200.0])]
        for count, expected in ((1, [1, 2]), (2, [11, 22]), (3, [111, 222])):
            total = recursiveSum(old, terms[:count])
            assert total is old and total.tolist() == expected
        assert [term.tolist() for term in terms] == [[1, 2], [10, 20], [100, 200]]
        tables = recursiveSum(None, [[np.ones(2), {"a": np.ones(1)}]] * 2)
        assert tables[0].tolist() == [2, 2] and tables[1]["a"].tolist() == [2]
        problem = "nn.utils.recursiveAdd: cannot add a float64 array of 3 to a float64 array of 2"
        with fails(ShapeError, problem):
            recursiveSum(None, [np.ones(2), np.ones(3)])

    def test_views(self):
        x = batch(2, 3)
        assert addSingletonDimension(x).shape == (1, 2, 3) and addSingletonDimension(x, 2).shape == (2, 3, 1)
        view = addSingletonDimension(np.empty(0, np.float32), x, 1)
        assert view.shape == (2, 1, 3) and np.shares_memory(view, x)
        for dim in (3, -4):
            with fails(IndexRangeError, f"nn.utils.addSingletonDimension: dim: {dim} is out of range for a 2-D array"):
                addSingletonDimension(x, dim)
        with fails(DtypeError, "nn.utils.addSingletonDimension: t: expected an array, got a table of 1"):
            addSingletonDimension([x])
        assert np.shares_memory(contiguousView(None, x, 3, -1), x)
        buffer = np.empty((3, 2), np.float32)
        assert np.shares_memory(contiguousView(buffer, x.T, -1), buffer)
        np.testing.assert_array_equal(buffer, x.T)


def test_entries_that_are_too_many_or_too_few():
    """As Torch7's loops: past the end of a table there is nothing, and modules without an entry do nothing."""
    x = [np.full((2, 3), i, np.float32) for i in range(3)]
    for offset, length, count in ((1, 5, 2), (3, 2, 0), (7, 1, 0)):
        narrow = nn.NarrowTable(offset, length)
        output = narrow.forward(x)
        assert len(output) == count and all(a is b for a, b in zip(output, x[offset:], strict=True))
        gradient = narrow.backward(x, output)
        expected = [array if i >= offset else 0 * array for i, array in enumerate(x)]
        assert [array.tolist() for array in gradient] == [array.tolist() for array in expected]
    both = nn.ParallelTable(nn.Identity(), nn.MulConstant(2.0))
    assert len(both.forward(x)) == len(both.backward(x, x[:2])) == 2
    sides = nn.Parallel(0, 0, nn.MulConstant(2.0), nn.MulConstant(3.0), nn.MulConstant(4.0))
    assert sides.forward(x[1]).tolist() == [2, 2, 2, 3, 3, 3]
    assert sides.backward(x[1], np.ones(6, np.float32)).tolist() == [[2, 2, 2], [3, 3, 3]]
    with fails(ShapeError, "nn.Parallel: input: expected 1 to 3 slices, one for each module, got 4 along dimension 0"):
        sides.forward(np.ones((4, 3), np.float32))
