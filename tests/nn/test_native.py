"""Layers whose passes are functions of libTHNN: what a pass reads anew, and when its buffers are made anew."""

import numpy as np
import pytest

from pytorch_legacy import nn
from pytorch_legacy.backend import SIGNATURES
from pytorch_legacy.errors import DtypeError, ShapeError, UnsupportedError
from pytorch_legacy.nn.Native import Native, _plan


def image(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype("f")


def test_arguments_come_in_the_order_that_the_base_takes_them_in() -> None:
    first = {"updateOutput": ("input",), "updateGradInput": ("input", "gradOutput")}
    looked = 0
    for cls in [thing for thing in map(nn.__getattr__, nn.__all__) if isinstance(thing, type) and issubclass(thing, Native)]:
        for name, handed in first.items():
            if getattr(cls, name) is not getattr(Native, name) or f"{cls._layer}_{name}" not in SIGNATURES:
                continue
            wanted = [argument for argument in SIGNATURES[f"{cls._layer}_{name}"] if argument[1] != "state"]
            assert tuple(argument for _, argument in wanted[: len(handed)]) == handed
            plan = _plan(cls, name, len(handed))
            assert plan.isPlain, "what is written stands first, numbers stand last"
            assert wanted[len(handed)][1] == {"updateOutput": "output", "updateGradInput": "gradInput"}[name]
            assert all(field in ("output", "gradInput", "indices", "gate", "noise") for field, _ in plan.written)
            looked += 1
    assert looked > 40


class TestCalls:
    def test_what_is_handed_over_what_is_given_and_fields_in_the_headers_order(self) -> None:
        layer, x = nn.SpatialFullConvolution(1, 1, 2, 2, 2, 2), image(1, 3, 3)
        expected = layer.forward(x).copy()
        output, other = np.zeros((1, 7, 7), "f"), np.zeros((1, 6, 6), "f")
        layer._call("updateOutput", x, adjH=1, output=output, adjW=1)
        np.testing.assert_array_equal(output[:, :6, :6], expected)
        assert layer._size("outputSize", x, adjW=1, adjH=1) == (1, 7, 7)
        layer._call("updateOutput", x, other)
        np.testing.assert_array_equal(other, expected)

    def test_of_another_layers_function(self) -> None:
        layer, x = nn.Sigmoid(), image(3, 4)
        output = np.zeros_like(x)
        for _ in range(2):
            layer._call("Tanh_updateOutput", x, output)
            np.testing.assert_array_equal(output, nn.Tanh().forward(x))

    def test_errors_of_the_second_are_those_of_the_first(self) -> None:
        layer, x = nn.PReLU(), image(3, 4)
        layer.forward(x)
        messages = set()
        for _ in range(2):
            with pytest.raises(ShapeError) as error:
                layer._call("updateOutput", x, x[:2])
            messages.add(str(error.value))
        assert len(messages) == 1 and error.value.__context__ is None

    def test_fields_are_read_in_each(self) -> None:
        layer, x = nn.PReLU(), image(3, 4)
        layer.forward(x)
        layer.weight = np.float32([1])
        np.testing.assert_array_equal(layer.forward(x), x)

    def test_of_no_function_and_with_an_argument_that_it_lacks(self) -> None:
        with pytest.raises(UnsupportedError, match="there is no C function Sigmoid_accGradParameters"):
            nn.Sigmoid()._call("accGradParameters", image(1))
        with pytest.raises(TypeError, match="Sigmoid_updateOutput: has no further argument alpha"):
            nn.Sigmoid()._call("updateOutput", image(1), alpha=1)


@pytest.mark.parametrize("make", [lambda: nn.SpatialMaxPooling(2, 2), lambda: nn.SpatialReplicationPadding(1, 1, 1, 1)])
class TestBuffers:
    def test_of_another_kind_are_made_anew(self, make) -> None:
        layer, x = make(), image(1, 4, 4)
        expected = layer.forward(x).copy()
        gradInput = layer.backward(x, expected).copy()
        for other in (None, [], np.zeros(3), np.zeros(expected.shape), expected.astype(np.float64), np.zeros((), "f")):
            for names in (("output", "gradInput"), ("indices",)):
                for name in set(names) & set(vars(layer)):
                    setattr(layer, name, other)
            np.testing.assert_array_equal(layer.forward(x), expected)
            np.testing.assert_array_equal(layer.backward(x, expected), gradInput)

    def test_changed_in_place_are_made_anew(self, make) -> None:
        layer, x = make(), image(1, 4, 4)
        expected = layer.forward(x).copy()
        layer.output.flags.writeable = False
        np.testing.assert_array_equal(layer.forward(x), expected)
        layer.output.shape = (expected.size,)
        np.testing.assert_array_equal(layer.forward(x), expected)
        assert layer.output.shape == expected.shape

    def test_follow_the_input(self, make) -> None:
        layer = make()
        for shape in ((1, 4, 4), (2, 1, 6, 4), (1, 4, 4)):
            x = image(*shape)
            np.testing.assert_array_equal(layer.forward(x), make().forward(x))
        with pytest.raises(DtypeError, match="input"):
            layer.forward(image(1, 4, 4).astype(np.float64))
        with pytest.raises(DtypeError, match="input"):
            layer.forward([1.0])
        assert layer.double().forward(image(1, 4, 4).astype(np.float64)).dtype == np.float64


def test_numbers_are_read_in_each_pass() -> None:
    layer, x = nn.SpatialMaxPooling(2, 2, 1, 1), image(1, 5, 5)
    assert layer.forward(x).shape == layer.forward(x).shape == (1, 4, 4)
    layer.kW = 3
    assert layer.forward(x).shape == (1, 4, 3)
    layer.kW = 2.0
    for _ in range(2):
        with pytest.raises(DtypeError, match=r"kW: expected an integer \(int64\), got 2.0"):
            layer.forward(x)
    layer.kW, layer.padW = 2, 1
    assert layer.forward(x).shape == (1, 4, 6)
    del layer.kH
    with pytest.raises(AttributeError, match="kH"):
        layer.forward(x)


def test_parameters_of_another_shape() -> None:
    layer, x = nn.SpatialSubSampling(2, 2, 2), image(2, 4, 4)
    layer.forward(x)
    layer.weight = layer.weight[:1]
    for _ in range(2):
        with pytest.raises(ShapeError, match="weight"):
            layer.forward(x)


def test_errors_of_a_second_pass_are_those_of_the_first() -> None:
    layer, x = nn.SpatialAveragePooling(2, 2), image(1, 4, 4)
    gradOutput = layer.forward(x)
    layer.backward(x, gradOutput)
    for _ in range(2):
        with pytest.raises(ShapeError) as error:
            layer.backward(x, gradOutput[:, :1])
        assert str(error.value).count("gradOutput") == 1 and error.value.__context__ is None


def test_no_gradient_of_the_input_where_none_is_wanted() -> None:
    layer, x = nn.SpatialAveragePooling(2, 2), image(1, 4, 4)
    layer.backward(x, layer.forward(x))
    layer.gradInput = None
    assert layer.backward(x, layer.output) is None


LABELS = np.array([1, 0])
CRITERIONS = [
    (nn.MSECriterion, image(2, 3)),
    (nn.MarginCriterion, np.sign(image(2, 3))),
    (nn.ClassNLLCriterion, LABELS),
    (lambda: nn.BCECriterion(np.float32([1, 2, 3])), np.float32(image(2, 3) > 0)),
    (nn.MultiLabelMarginCriterion, np.array([[1, -1, -1], [0, 2, -1]])),
    (nn.L1Cost, None),
]


@pytest.mark.parametrize(("make", "target"), CRITERIONS)
class TestCriterions:
    def test_buffers_of_another_kind_are_made_anew(self, make, target) -> None:
        criterion, x = make(), np.abs(image(2, 3)) % 1
        loss, gradInput = criterion(x, target)
        gradInput = gradInput.copy()
        for other in (None, [], np.zeros(3), np.zeros((1,)), np.zeros((), "f"), np.zeros((2, 2), "f")):
            for name in {"output_tensor", "gradInput", "total_weight_tensor", "isTarget"} & set(vars(criterion)):
                setattr(criterion, name, other)
                assert criterion.forward(x, target) == loss
                np.testing.assert_array_equal(criterion.backward(x, target), gradInput)
        criterion.output_tensor.flags.writeable = criterion.gradInput.flags.writeable = False
        assert criterion.forward(x, target) == loss
        np.testing.assert_array_equal(criterion.backward(x, target), gradInput)

    def test_passes_follow_the_input(self, make, target) -> None:
        criterion, x = make(), np.abs(image(2, 3)) % 1
        loss, gradInput = criterion(x, target)
        gradInput = gradInput.copy()
        criterion(x[:1], None if target is None else target[:1])
        assert criterion.gradInput.shape == (1, 3)
        for _ in range(2):
            with pytest.raises(DtypeError, match="input"):
                criterion.forward(x.astype(np.float64), target)
            with pytest.raises(DtypeError, match="input"):
                criterion.backward(x.astype(np.float64), target)
        again = criterion(x, target)
        assert again[0] == loss
        np.testing.assert_array_equal(again[1], gradInput)


def test_fields_of_criterions_are_read_in_each_pass() -> None:
    criterion, x = nn.MultiMarginCriterion(), image(2, 3)
    first = criterion.forward(x, LABELS)
    criterion.sizeAverage = False
    assert criterion.forward(x, LABELS) == pytest.approx(2 * first)
    criterion.weights = np.float32([2, 2, 2])
    assert criterion.forward(x, LABELS) == pytest.approx(4 * first)
    binary, target = nn.BCECriterion(), np.ones((2, 3), "f")
    first = binary.forward(np.abs(x) % 1, target)
    binary.weights = np.float32([3, 3, 3])
    assert binary.forward(np.abs(x) % 1, target) == pytest.approx(3 * first)
