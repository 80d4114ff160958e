"""Layers that only rearrange elements, and the one that drops some."""

import numpy as np
import pytest

from pytorch_legacy import random, t7
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from pytorch_legacy.nn.regularization.Dropout import Dropout
from pytorch_legacy.nn.shape.Identity import Identity
from pytorch_legacy.nn.shape.PixelShuffle import PixelShuffle
from pytorch_legacy.nn.shape.Reshape import Reshape
from pytorch_legacy.nn.shape.View import View
from tests.nn.toys import batch, fails


def restored(cls, fields):
    layer = cls.__new__(cls)
    layer._fromTorch7(fields, 1)
    return layer


def test_identity_passes_anything_on():
    layer = Identity()
    for thing in (batch(2), [batch(2), [batch(3)]], {"a": batch(1)}, np.arange(3)):
        assert layer.forward(thing) is thing is layer.output
        assert layer.backward(None, thing) is thing is layer.gradInput
    layer.clearState()
    np.testing.assert_array_equal(thing, [0, 1, 2])


@pytest.mark.parametrize("layer", [View(3, 2), Reshape(3, 2)])
def test_indices_pass_through_layers_that_only_move_elements(layer):
    x = np.arange(6)
    output = layer.forward(x)
    assert output.dtype == np.int64 and output.shape == (3, 2)
    assert layer.forward(np.arange(12)[::2]).tolist() == [[0, 2], [4, 6], [8, 10]]
    assert layer.backward(x, np.zeros((3, 2), np.int64)).shape == (6,)


class TestView:
    @pytest.mark.parametrize(
        "sizes, numInputDims, shape, expected",
        [
            ((6,), None, (2, 3), (6,)),
            ((6,), None, (4, 6), (4, 6)),
            ((6,), None, (4, 2, 3), (4, 6)),
            ((6,), None, (1, 6), (6,)),  # a batch of one counts as a sample
            ((6,), 1, (1, 6), (1, 6)),
            ((6,), None, (0, 6), (0, 6)),
            ((6,), None, (2, 2, 6), (4, 6)),
            ((-1,), None, (2, 3), (6,)),
            ((-1,), None, (5,), (5,)),
            ((-1,), 2, (2, 3), (6,)),
            ((-1,), 2, (4, 2, 3), (4, 6)),
            ((-1,), 2, (1, 2, 3), (1, 6)),
            ((-1,), 2, (0, 2, 3), (0, 6)),
            ((-1,), 3, (2, 3), (6,)),
            ((-1, 6), None, (4, 2, 3), (4, 6)),
            ((-1, 6), None, (0, 2, 3), (0, 6)),
            ((2, -1), 3, (5, 4, 3, 1), (5, 2, 6)),
            ((3, 2), 1, (4, 2, 6), (8, 3, 2)),
            ((1,), None, (5, 1), (5, 1)),
        ],
    )
    def test_sizes(self, sizes, numInputDims, shape, expected):
        layer, x = View(*sizes).setNumInputDims(numInputDims), batch(*shape)
        output = layer.forward(x)
        assert output.shape == expected
        np.testing.assert_array_equal(output, x.reshape(expected))
        assert x.size == 0 or np.shares_memory(output, x)
        gradInput = layer.backward(x, batch(*expected))
        assert gradInput.shape == shape

    def test_strided_arrays_go_through_a_buffer_of_its_own(self):
        layer, x = View(6), batch(3, 2).T
        kept = x.copy()
        first = layer.forward(x)
        np.testing.assert_array_equal(first, kept.ravel())
        contiguous = batch(2, 3)
        layer.forward(contiguous)
        again = layer.forward(x)
        assert np.shares_memory(first, again)
        np.testing.assert_array_equal(contiguous, batch(2, 3))
        np.testing.assert_array_equal(layer.backward(x, batch(12)[::2]), batch(12)[::2].reshape(2, 3))
        assert layer.clearState()._input.size == 0

    def test_construction(self):
        assert View((2, 3)).size == View([2, 3]).size == View(2, 3).size == (2, 3)
        layer = View(6)
        assert layer.resetSize(-1, 2) is layer and layer.size == (-1, 2) and layer.numElements == 2
        for sizes in ((0,), (-2,), (-1, -1)):
            with fails(ValueRangeError, f"nn.View: sizes: expected positive ones and at most one -1, got {sizes}"):
                View(*sizes)

    def test_errors(self):
        with fails(ShapeError, "nn.View: input: 2 x 4 does not fill 3 x -1"):
            View(3, -1).forward(batch(2, 4))
        with fails(DtypeError, "nn.View: input: expected a float32 array, got a table of 1"):
            View(3).forward([batch(3)])
        with fails(ShapeError, "nn.View: gradOutput: expected 6, or 6 elements in another shape, got 2 x 2"):
            View(6).backward(batch(2, 3), batch(2, 2))
        np.testing.assert_array_equal(View(6).backward(batch(2, 3), batch(3, 2)), batch(3, 2).reshape(2, 3))

    def test_from_a_file_and_back(self):
        layer = restored(View, {"size": np.array([-1, 6]).view(t7.Storage), "numElements": 6, "numInputDims": 2})
        assert layer.size == (-1, 6) and layer.numInputDims == 2
        fields = layer._toTorch7()
        assert isinstance(fields["size"], t7.Storage) and fields["size"].dtype == np.int64
        np.testing.assert_array_equal(fields["size"], [-1, 6])


class TestReshape:
    @pytest.mark.parametrize(
        "arguments, shape, expected",
        [
            ((6,), (2, 3), (6,)),
            ((6,), (1, 6), (1, 6)),
            ((6,), (4, 2, 3), (4, 6)),
            ((3, 2), (6,), (3, 2)),
            ((3, 2), (0, 6), (0, 3, 2)),
            ((3, 2, True), (1, 6), (1, 3, 2)),
            ((3, 2, True), (2, 2, 3), (2, 3, 2)),
            ((3, 2, False), (1, 6), (3, 2)),
        ],
    )
    def test_sizes(self, arguments, shape, expected):
        layer, x = Reshape(*arguments), batch(*shape)
        output = layer.forward(x)
        np.testing.assert_array_equal(output, x.reshape(expected))
        assert layer.backward(x, batch(*expected)).shape == shape

    def test_strided_arrays(self):
        layer, x = Reshape(6), batch(3, 2).T
        np.testing.assert_array_equal(layer.forward(x), x.reshape(6))
        np.testing.assert_array_equal(layer.backward(x, batch(12)[::2]), batch(12)[::2].reshape(2, 3))
        assert layer.clearState()._input.size == 0

    def test_construction_and_errors(self):
        assert Reshape((2, 3)).size == (2, 3) and Reshape(6, batchMode=True).batchMode
        with fails(ValueRangeError, "nn.Reshape: sizes: expected positive ones, got (0,)"):
            Reshape(0)
        with fails(ShapeError, "nn.Reshape: input: 2 x 4 does not fill 6"):
            Reshape(6).forward(batch(2, 4))
        with fails(ShapeError, "nn.Reshape: input: 12 does not fill 6"):
            Reshape(6, batchMode=False).forward(batch(12))
        with fails(ShapeError, "nn.Reshape: gradOutput: expected 6, or 6 elements in another shape, got 5"):
            Reshape(6).backward(batch(2, 3), batch(5))

    def test_from_a_file_and_back(self):
        fields = {"size": np.array([3, 2]), "batchsize": np.array([1 << 46, 3, 2]), "nelement": 6, "batchMode": True}
        layer = restored(Reshape, fields)
        assert layer.size == (3, 2) and layer.batchMode is True
        assert isinstance(layer._toTorch7()["size"], t7.Storage)


class TestPixelShuffle:
    @pytest.mark.parametrize("lead", [(), (2,), (0,)])
    def test_every_pixel_goes_where_the_formula_says(self, lead):
        r, planes, height, width = 3, 2, 2, 4
        x = batch(*lead, planes * r * r, height, width)
        layer = PixelShuffle(r)
        output = layer.forward(x)
        assert output.shape == (*lead, planes, height * r, width * r)
        for c, h, w, i, j in np.ndindex(planes, height, width, r, r):
            np.testing.assert_array_equal(output[..., c, h * r + i, w * r + j], x[..., c * r * r + i * r + j, h, w])
        gradInput = layer.backward(x, output)
        np.testing.assert_array_equal(gradInput, x)
        assert layer.forward(x) is output and layer.backward(x, output) is gradInput

    def test_strided_gradient(self):
        layer, x = PixelShuffle(2), batch(4, 2, 3)
        g = batch(1, 6, 4).transpose(0, 2, 1)
        np.testing.assert_array_equal(layer.backward(x, g), layer.backward(x, g.copy()))

    def test_errors(self):
        with fails(ShapeError, "nn.PixelShuffle: input: expected a multiple of 4 planes, got 6"):
            PixelShuffle(2).forward(batch(6, 2, 2))
        with fails(ShapeError, "nn.PixelShuffle: input: expected a 3-D or 4-D array, got 2-D (4 x 2)"):
            PixelShuffle(2).forward(batch(4, 2))
        with fails(ShapeError, "nn.PixelShuffle: gradOutput: expected 1 x 4 x 4, got 4 x 2 x 2"):
            PixelShuffle(2).backward(batch(4, 2, 2), batch(4, 2, 2))
        with fails(ValueRangeError, "nn.PixelShuffle: upscaleFactor: expected at least 1, got 0"):
            PixelShuffle(0)


class TestDropout:
    def test_noise_has_the_mean_it_should(self):
        random.manualSeed(1)
        layer, x = Dropout(0.25), np.ones((100, 100), np.float32)
        output = layer.forward(x)
        assert set(np.unique(output)) == {np.float32(0), np.float32(1) / np.float32(0.75)}
        assert abs(output.mean() - 1) < 0.03
        np.testing.assert_array_equal(layer.backward(x, x), output)
        assert not np.array_equal(layer.forward(x), layer.gradInput)

    def test_evaluation_changes_nothing(self):
        layer, x = Dropout(0.25), batch(3, 4)
        layer.evaluate()
        np.testing.assert_array_equal(layer.forward(x), x)
        np.testing.assert_array_equal(layer.backward(x, x), x)
        assert not np.shares_memory(layer.output, x)

    def test_version_1_scales_in_evaluation(self):
        layer, x = Dropout(0.25, v1=True), np.ones((20, 20), np.float32)
        assert set(np.unique(layer.forward(x))) == {0, 1}
        layer.evaluate()
        np.testing.assert_allclose(layer.forward(x), 0.75)
        np.testing.assert_allclose(layer.backward(x, x), 0.75)

    def test_in_place(self):
        layer, x, g = Dropout(0.5, inplace=True), np.ones(50, np.float32), np.ones(50, np.float32)
        assert layer.forward(x) is x and set(np.unique(x)) == {0, 2}
        assert layer.backward(x, g) is g
        np.testing.assert_array_equal(g, x)

    def test_stochastic_inference_goes_both_ways(self):
        layer, x = Dropout(0.5, stochasticInference=True), np.ones(50, np.float32)
        layer.evaluate()
        output = layer.forward(x)
        assert set(np.unique(output)) == {0, 2}
        np.testing.assert_array_equal(layer.backward(x, x), output)

    def test_zero_probability_draws_nothing(self):
        layer, x = Dropout(0), batch(3)
        layer._sampleNoise = None
        np.testing.assert_array_equal(layer.forward(x), x)
        np.testing.assert_array_equal(layer.backward(x, x), x)

    def test_double_and_clearState(self):
        layer = Dropout().double()
        assert layer.forward(np.ones(4)).dtype == layer.noise.dtype == np.float64
        assert layer.clearState().noise.size == 0

    def test_errors(self):
        for p in (-0.1, 1, 2):
            with fails(ValueRangeError, f"nn.Dropout: p: expected 0 <= p < 1, got {p}"):
                Dropout(p)
        cure = "pass x.astype(np.float32), or convert the module: .double()"
        with fails(DtypeError, f"nn.Dropout: input: expected float32, got float64; {cure}"):
            Dropout().forward(np.ones(2))
        frozen = batch(2)
        frozen.flags.writeable = False
        assert Dropout(inplace=True).evaluate().forward(frozen) is not frozen
        with fails(ShapeError, "nn.Dropout: gradOutput: expected 2, or 2 elements in another shape, got 3"):
            Dropout().backward(batch(2), batch(3))

    def test_old_files_have_the_older_scaling(self):
        layer = restored(Dropout, {"p": 0.4, "train": True, "noise": np.empty(0, np.float32)})
        assert layer.v2 is False and layer.inplace is False and layer.type() == "torch.FloatTensor"
