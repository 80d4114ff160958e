"""Layers that pass on, pick or rearrange: what the table of cases does not say of them."""

import numpy as np
import pytest

from pytorch_legacy import nn
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import DtypeError, FieldError, IndexRangeError, ShapeError
from tests.nn.test_arithmetic import restored
from tests.nn.toys import batch, fails
from tests.trees import assert_same, share_memory


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda: nn.Narrow(0, 1, 2), [[2, 3], [4, 5]]),
        (lambda: nn.Select(0, 1), [2, 3]),
        (lambda: nn.Transpose((0, 1)), [[0, 2, 4], [1, 3, 5]]),
        (lambda: nn.Collapse(2), [0, 1, 2, 3, 4, 5]),
        (lambda: nn.Unsqueeze(0), [[[0, 1], [2, 3], [4, 5]]]),
        (lambda: nn.Squeeze(), [[0, 1], [2, 3], [4, 5]]),
        (lambda: nn.Contiguous(), [[0, 1], [2, 3], [4, 5]]),
        (lambda: nn.Replicate(2), [[[0, 1], [2, 3], [4, 5]]] * 2),
        (lambda: nn.SplitTable(0), [[0, 1], [2, 3], [4, 5]]),
        (lambda: nn.ZeroGrad(), [[0, 1], [2, 3], [4, 5]]),
    ],
)
def test_integers_pass(make, expected):
    x = np.arange(6).reshape(3, 2)
    output = make().forward(x)
    arrays = output if isinstance(output, list) else [output]
    assert all(array.dtype == x.dtype for array in arrays)
    assert np.asarray(output).tolist() == expected


@pytest.mark.parametrize(
    "cls, fields, here",
    [
        (nn.SplitTable, {"dimension": 2, "nInputDims": 3}, {"dimension": 1, "nInputDims": 3}),
        (nn.SelectTable, {"index": 3}, {"index": 2}),
        (nn.SelectTable, {"index": -1}, {"index": -1}),
        (nn.SelectTable, {"index": "b"}, {"index": "b"}),
        (nn.NarrowTable, {"offset": 2, "length": 3}, {"offset": 1, "length": 3}),
        (nn.MixtureTable, {"dim": 2}, {"dim": 1}),
        (nn.Index, {"dimension": 1}, {"dimension": 0}),
        (nn.Narrow, {"dimension": 2, "index": 3, "length": -1}, {"dimension": 1, "index": 2, "length": -1}),
        (nn.Narrow, {"dimension": -1, "index": -2, "length": 1}, {"dimension": -1, "index": -2, "length": 1}),
        (nn.Select, {"dimension": 1, "index": -1}, {"dimension": 0, "index": -1}),
        (nn.Replicate, {"dim": 2, "nfeatures": 3}, {"dim": 1, "nfeatures": 3}),
        (nn.Transpose, {"permutations": [[1, 2], [2, 3]]}, {"permutations": [[0, 1], [1, 2]]}),
        (nn.Squeeze, {"dim": 1}, {"dim": 0}),
        (nn.Unsqueeze, {"pos": 2}, {"pos": 1}),
        (nn.Padding, {"dim": 1, "pad": 2, "index": 3, "value": 0}, {"dim": 0, "pad": 2, "index": 2, "value": 0}),
        (nn.Max, {"dimension": 2}, {"dimension": 1}),
        (nn.Sum, {"dimension": -1}, {"dimension": -1}),
    ],
)
def test_positions_from_a_file_and_back(cls, fields, here):
    layer = restored(cls, fields | {"_type": "torch.FloatTensor"})
    assert {name: getattr(layer, name) for name in here} == here
    again = layer._toTorch7()
    assert {name: again[name] for name in fields} == fields


def test_of_longer_pairs_the_first_two_entries_count():
    fields = {"permutations": [[1, 2, 3], np.array([2, 3])], "_type": "torch.FloatTensor"}
    assert restored(nn.Transpose, fields).permutations == [[0, 1], [1, 2]]
    for pair in ([1], ["x", 2], 1, [None, 2]):
        with pytest.raises(FieldError, match="permutations: expected pairs of dimensions"):
            restored(nn.Transpose, fields | {"permutations": [pair]})


@pytest.mark.parametrize("layer", [nn.Unsqueeze(0, 2), nn.Transpose((0, 1)).setNumInputDims(3), nn.Padding(0, 1, 2)])
def test_inputs_of_lower_rank_than_samples(layer):
    """An axis that would be the last dimension, counted from the end, is out of range."""
    with pytest.raises(IndexRangeError, match="0 is out of range"):
        layer.forward(batch(2))


def test_old_files_of_Replicate():
    layer = restored(nn.Replicate, {"nfeatures": 2, "_type": "torch.FloatTensor"})
    assert layer.forward(batch(3)).shape == (2, 3)


def test_printing_counts_from_1():
    assert repr(nn.SelectTable(0)) == "nn.SelectTable(1)"
    assert repr(nn.SelectTable(-1)) == "nn.SelectTable(-1)"
    assert repr(nn.SelectTable("b")) == "nn.SelectTable(b)"
    assert repr(nn.Unsqueeze(1)) == "nn.Unsqueeze(dim 2)"
    assert repr(nn.Unsqueeze(-1)) == "nn.Unsqueeze(dim -1)"


class TestViews:
    def test_what_is_passed_on_is_no_copy(self):
        x = batch(3, 4)
        for layer in (nn.ZeroGrad(), nn.GradientReversal(), nn.L1Penalty(1), nn.PrintSize(), nn.Copy()):
            assert layer.forward(x) is x
        for layer in (nn.SplitTable(0), nn.Replicate(2), nn.Unsqueeze(0), nn.Squeeze(), nn.Collapse(2)):
            assert share_memory(layer.forward(x), x)
        table = [x, [batch(2)]]
        assert nn.SelectTable(0).forward(table) is x
        assert nn.FlattenTable().forward(table)[1] is table[1][0]
        assert nn.NarrowTable(1).forward(table)[0] is table[1]

    def test_nothing_is_written_to_an_earlier_input(self):
        """A copy of a strided input must not land in the array that was passed on before."""
        x, strided = batch(3, 4), batch(4, 3).T
        kept = x.copy()
        for layer in (nn.Contiguous(), nn.Collapse(2)):
            layer.forward(x)
            layer.backward(x, x if layer.output.ndim == 2 else x.reshape(-1))
            layer.forward(strided)
            layer.backward(strided, strided if layer.output.ndim == 2 else strided.reshape(-1))
            np.testing.assert_array_equal(x, kept)

    def test_Contiguous_has_an_output_of_its_own(self):
        layer, x = nn.Contiguous(), batch(3, 4)
        assert layer.forward(x) is not x and np.shares_memory(layer.output, x)
        assert layer.backward(x, x) is not x and np.shares_memory(layer.gradInput, x)

    def test_a_replica_cannot_be_written_to(self):
        assert not nn.Replicate(3).forward(batch(2)).flags.writeable


class TestCopy:
    def test_there_and_back(self):
        layer = nn.Copy("torch.FloatTensor", np.float64)
        x, g = batch(3, 4), batch(3, 4, seed=1).astype(np.float64)
        for _ in range(2):
            output = layer.forward(x)
            gradInput = layer.backward(x, g)
            assert output.dtype == np.float64 and gradInput.dtype == np.float32
            np.testing.assert_array_equal(output, x)
            np.testing.assert_array_equal(gradInput, g)
            layer.clearState()

    def test_conversion(self):
        layer = nn.Copy("torch.FloatTensor", "torch.DoubleTensor").double()
        x = np.ones(2)
        assert layer.forward(x) is x and layer.type() == "torch.DoubleTensor"
        layer = nn.Copy("torch.FloatTensor", "torch.DoubleTensor", dontCast=True).double()
        assert layer.forward(batch(2)).dtype == np.float64 and layer.type() == "torch.FloatTensor"

    def test_a_forced_copy(self):
        x = batch(2)
        assert not np.shares_memory(nn.Copy(forceCopy=True).forward(x), x)

    def test_files(self):
        empty = {"output": np.empty(0, "f"), "gradInput": np.empty(0, "f")}
        x = batch(2)
        assert restored(nn.Copy, empty | {"updateOutput": b""}).forward(x) is x
        assert not np.shares_memory(restored(nn.Copy, empty).forward(x), x)
        assert not np.shares_memory(restored(nn.Copy, {"_type": "torch.FloatTensor"}).forward(x), x)


class TestGradientsThatAreNotThoseOfTheOutput:
    def test_reversal(self):
        layer, x, g = nn.GradientReversal(), batch(3), batch(3, seed=1)
        layer.forward(x)
        np.testing.assert_array_equal(layer.backward(x, g), -g)
        layer.setLambda(0.5)
        np.testing.assert_array_equal(layer.backward(x, g), -0.5 * g)

    def test_versions_of_reversal(self):
        assert restored(nn.GradientReversal, {"lambda": 3}, 1).lambda_ == 1
        layer = restored(nn.GradientReversal, {"lambda": 3}, 2)
        assert layer.lambda_ == 3 and layer._toTorch7()["lambda"] == 3 and "lambda_" not in layer._toTorch7()

    def test_zero(self):
        layer, x = nn.ZeroGrad(), [batch(3), [batch(2)]]
        layer.forward(x)
        gradient = layer.backward(x, x)
        assert gradient[0].shape == (3,) and gradient[1][0].shape == (2,)
        assert not gradient[0].any() and not gradient[1][0].any()

    def test_penalty(self):
        x, g = np.array([[1, -2], [0, 4]], "f"), np.ones((2, 2), "f")
        layer = nn.L1Penalty(0.5)
        layer.forward(x)
        assert layer.loss == 3.5
        assert layer.backward(x, g).tolist() == [[1.5, 0.5], [1, 1.5]]
        layer = nn.L1Penalty(0.5, sizeAverage=True, provideOutput=False)
        layer.forward(x)
        assert layer.loss == 3.5 / 4
        assert layer.backward(x, None).tolist() == [[0.125, -0.125], [0, 0.125]]


class TestOneHot:
    def test_numbers(self):
        layer = nn.OneHot(3)
        assert layer.forward(1).tolist() == [0, 1, 0]
        assert layer.backward(1, batch(3)).shape == (0,)
        assert layer.forward(np.array([2.0])).tolist() == [[0, 0, 1]]
        assert layer.forward(np.array([[0], [2]], np.uint8)).shape == (2, 1, 3)
        assert not layer.backward(np.array([0, 2]), batch(2, 3)).any()

    def test_errors(self):
        with fails(DtypeError, "nn.OneHot: input: expected an index or an array of indices, got None"):
            nn.OneHot(3).forward(None)
        with fails(IndexRangeError, "nn.OneHot: input: expected indices from 0 to 2, got 3"):
            nn.OneHot(3).forward(np.array([[0, 3]]))


def test_equal_indices_add_up():
    layer, x = nn.Index(0), [batch(3, 2), np.array([1, 1, 0], np.uint8)]
    assert layer.forward(x).shape == (3, 2)
    gradient, zeros = layer.backward(x, np.ones((3, 2), "f"))
    assert gradient.tolist() == [[1, 1], [2, 2], [0, 0]]
    assert zeros.tolist() == [0, 0, 0]


def test_nothing_selected():
    layer, x = nn.MaskedSelect(), [batch(3), np.zeros(3, bool)]
    assert layer.forward(x).shape == (0,)
    assert not layer.backward(x, np.zeros(0, "f"))[0].any()
    assert nn.Index(0).forward([batch(3, 2), np.zeros(0, int)]).shape == (0, 2)


def test_PrintSize(capsys):
    layer, x = nn.PrintSize("here"), [batch(2, 3), {"a": batch(1)}, 5]
    assert layer.forward(x) is x and layer.backward(x, batch(4)).shape == (4,)
    assert capsys.readouterr().out == "here: input: [2 x 3, {a: 1}, int 5]\nhere: gradOutput: 4\n"


class TestTables:
    def test_integers_in_tables(self):
        """Indices pass too; what stands for their gradient is zeros of the module's type."""
        layer, x = nn.SelectTable(0), [batch(2, 3), np.arange(4)]
        layer.forward(x)
        first, second = layer.backward(x, batch(2, 3))
        np.testing.assert_array_equal(first, batch(2, 3))
        assert second.dtype == np.float32 and second.tolist() == [0, 0, 0, 0]
        layer = nn.NarrowTable(1)
        assert layer.forward(x)[0] is x[1]
        assert layer.backward(x, [np.ones(4, "f")])[1].tolist() == [1, 1, 1, 1]

    def test_gradients_of_other_entries_are_zero_again(self):
        layer, x = nn.SelectTable(0), [batch(2), batch(2)]
        layer.forward(x)
        layer.backward(x, batch(2))
        layer.index = 1
        layer.forward(x)
        assert not layer.backward(x, batch(2))[0].any()

    def test_a_table_as_the_one_of_one_to_many(self):
        layer, x = nn.ZipTableOneToMany(), [[batch(2), batch(1)], [batch(3), batch(4)]]
        output = layer.forward(x)
        assert output[1][0] is x[0] and output[1][1] is x[1][1]
        first, others = layer.backward(x, output)
        np.testing.assert_array_equal(first[0], 2 * batch(2))
        assert others[0] is x[1][0]
        np.testing.assert_array_equal(x[0][0], batch(2))
        assert layer.clearState()._gradFirst is None

    def test_mixed_dtypes_in_tables(self):
        """Each entry keeps its type, and its gradient has that type. What is no number is refused."""
        for make in (lambda: nn.SelectTable(1), nn.FlattenTable, lambda: nn.NarrowTable(0, 2), nn.ZeroGrad):
            layer, x = make(), [batch(2), [np.ones(2)]]
            output = layer.forward(x)
            assert all(any(one is other for other in (x[0], x[1][0])) for one in tree.leaves(output))
            assert [one.dtype for one in tree.leaves(layer.backward(x, output))] == [np.float32, np.float64]
            with pytest.raises(DtypeError, match=rf"^{layer._typename}: input\[1\]\[0\]: expected float32, got complex128"):
                make().forward([batch(2), [np.ones(2, complex)]])

    def test_gradients_built_otherwise(self):
        x = [batch(2), [batch(3)]]
        for gradOutput, error, text in (
            ([batch(2), batch(3)], DtypeError, "gradOutput[1]: expected a table of 1, got a float32 array of 3"),
            ([batch(2), [batch(2)]], ShapeError, "gradOutput[1][0]: expected 3, got 2"),
            ([batch(2)], ShapeError, "gradOutput: expected a table of 2, got a table of 1"),
        ):
            with fails(error, f"nn.ZeroGrad: {text}"):
                nn.ZeroGrad().backward(x, gradOutput)

    def test_FlattenTable_of_dicts(self):
        a, b, c = batch(2), batch(3), batch(4)
        layer, x = nn.FlattenTable(), [a, {"y": b, "x": [c]}]
        assert all(one is other for one, other in zip(layer.forward(x), [a, b, c], strict=True))
        gradInput = layer.backward(x, [a * 2, b * 3, c * 4])
        assert_same(gradInput, [a * 2, {"y": b * 3, "x": [c * 4]}])

    @pytest.mark.parametrize("first", [1.0, None, "text", np.arange(2)])
    def test_FlattenTable_of_what_is_no_array_first(self, first):
        layer, x = nn.FlattenTable(), [first, [batch(2).astype(np.float64)]]
        output = layer.forward(x)
        assert len(output) == 2 and output[0] is first and output[1] is x[1][0]
        assert layer.type() == "torch.FloatTensor"  # passing a result on does not convert it
        gradInput = layer.backward(x, [first, x[1][0]])
        assert gradInput[0] is first and gradInput[1][0] is x[1][0]

    def test_FlattenTable_keeps_its_list_for_the_same_arrays(self):
        layer, x = nn.FlattenTable(), [batch(2), [batch(3)]]
        output, places = layer.forward(x), layer.input_map
        assert places == [1, [2]] and layer.forward([*x]) is output and layer.input_map is places
        x[1].append(batch(4))
        assert len(layer.forward(x)) == 3 and len(output) == 2 and layer.input_map == [1, [2, 3]]
        assert layer.forward([x[0], x[1][0], x[1][1]])[2] is x[1][1] and layer.input_map == [1, 2, 3]
        layer.clearState()
        assert layer.forward(x)[1] is x[1][0]

    def test_FlattenTable_returns_itself_when_converted(self):
        layer = restored(nn.FlattenTable, {"input_map": {}, "_type": "torch.FloatTensor"})
        assert layer.double() is layer and layer.input_map == ()
        assert layer.type() == "torch.DoubleTensor"


def test_tables_of_what_has_no_gradient():
    with fails(DtypeError, "nn.SelectTable: gradInput, nn.utils: expected arrays or tables of arrays, got int 5"):
        nn.SelectTable(0).backward([batch(2), 5], batch(2))


@pytest.mark.parametrize("thing", [None, 5, "x", [], {}, (batch(2),)])
@pytest.mark.parametrize("make", [nn.Contiguous, nn.Copy, nn.Squeeze, nn.SpatialDropout, lambda: nn.Narrow(0, 0)])
def test_no_arrays(make, thing):
    layer = make()
    for run in (layer.forward, lambda x: layer.backward(x, x), lambda x: layer.backward(x, batch(2))):
        with pytest.raises(DtypeError, match=f"^{layer._typename}: input: expected a float32 array, got"):
            run(thing)


def test_SplitTable_without_gradInput():
    layer, x = nn.SplitTable(0), batch(2, 3)
    layer.gradInput = None
    assert layer.backward(x, layer.forward(x)) is None
