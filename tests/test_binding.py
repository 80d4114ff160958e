"""Arrays that are changed in place between two calls: a descriptor follows its array."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn
from pytorch_legacy.backend import binding
from pytorch_legacy.errors import DtypeError, ValueRangeError
from tests.trees import Array


def fresh() -> Array:
    return np.arange(1, 25, dtype="f").reshape(2, 3, 4).copy()


class Subclass(np.ndarray[Any, Any]):
    """A kind of array of a user's own, which tells nothing of its shape."""

    shape = property(lambda self: ())  # type: ignore[assignment]


def changed_shape(x: Array) -> None:
    x.shape = (4, 3, 2)


def changed_strides(x: Array) -> None:
    np.ndarray.strides.__set__(x, (4, 8, 24))  # type: ignore[attr-defined]


def shorter(x: Array) -> None:
    x.resize((1, 2, 2), refcheck=False)


def longer(x: Array) -> None:
    x.resize((64, 64, 64), refcheck=False)


CHANGES: dict[str, Callable[[Array], None]] = {
    "shape": changed_shape,
    "strides": changed_strides,
    "shorter": shorter,
    "longer": longer,
}


@pytest.fixture(params=["struct", "attributes"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to look at an array: the second one is that of Pythons whose arrays lie otherwise."""
    assert binding.TensorDescriptor._take.__defaults__ == (True,)  # the struct is known here
    if request.param == "attributes":
        monkeypatch.setattr(binding.TensorDescriptor._take, "__defaults__", (False,))
    return str(request.param)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_input_that_changes_in_place(way: str, change: str) -> None:
    layer, x = nn.Tanh(), fresh()
    for _ in range(2):
        layer.forward(x)
    CHANGES[change](x)
    for _ in range(2):
        np.testing.assert_allclose(layer.forward(x), np.tanh(np.ascontiguousarray(x)), rtol=1e-6)


def test_an_input_of_another_dtype_in_place(way: str) -> None:
    layer, x = nn.Tanh(), fresh()
    layer.forward(x)
    x = x.view()
    layer.forward(x)
    x.dtype = np.dtype(np.int32)
    with pytest.raises(DtypeError, match="expected float32, got int32"):
        layer.forward(x)


def test_an_output_that_becomes_read_only(way: str) -> None:
    """Memory that must not be written is not written; when it may be again, it is."""
    layer, x = nn.Linear(4, 4), fresh()[0]
    gradOutput = np.ones((3, 4), "f")
    layer.forward(x)
    layer.backward(x, gradOutput)
    kept = layer.gradWeight.copy()
    layer.gradWeight.flags.writeable = False
    with pytest.raises(ValueRangeError, match="gradWeight"):
        layer.backward(x, gradOutput)
    np.testing.assert_array_equal(layer.gradWeight, kept)
    layer.gradWeight.flags.writeable = True
    layer.backward(x, gradOutput)
    np.testing.assert_allclose(layer.gradWeight, 2 * kept, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_weights_that_change_in_place() -> None:
    layer, x = nn.Linear(4, 4), fresh()[0]
    layer.forward(x)
    layer.weight.strides = layer.weight.strides[::-1]
    np.testing.assert_allclose(layer.forward(x), x @ layer.weight.T + layer.bias, rtol=1e-5)


def test_passes_that_repeat() -> None:
    """A pass takes the short way from the second one on; what has changed meanwhile counts from the next one on."""
    x = np.random.default_rng(0).standard_normal((2, 3, 6, 6)).astype("f")
    layer = nn.SpatialConvolution(3, 4, 3, 3).float()

    def passes() -> Array:
        for _ in range(3):
            y = layer.forward(x)
        apart = nn.SpatialConvolution(3, 4, 3, 3, 1, 1, layer.padW, 0).float()
        apart.weight, apart.bias = layer.weight, layer.bias
        np.testing.assert_array_equal(y, apart.forward(x))
        assert layer.output is y
        return y.copy()

    first = passes()
    bias = layer.bias
    layer.bias = None
    without = passes()
    np.testing.assert_allclose(without + bias[:, None, None], first, atol=1e-6)
    layer.bias = bias + 1
    assert np.all(passes() > first)
    layer.bias = bias
    layer.weight = layer.weight * 2
    assert not np.array_equal(passes(), first)
    layer.padW = 1
    assert passes().shape == (2, 4, 4, 6)
    layer.output = np.empty(3, "f")
    assert passes().shape == (2, 4, 4, 6)


def test_the_short_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second pass on, with any array of that shape, by layers with one array of their own, several, and properties."""
    random = np.random.default_rng(1)
    layers = [nn.ReLU(), nn.SpatialMaxPooling(2, 2), nn.SpatialConvolution(3, 4, 3, 3), nn.SpatialSoftPool(2, 2), nn.LogSoftMax()]
    inputs = [random.standard_normal((3, 6, 6)).astype("f") for _ in range(2)]
    gradients = []
    for layer in layers:
        output = layer.float().forward(inputs[0])
        gradients.append(random.standard_normal(output.shape).astype("f"))
        layer.updateGradInput(inputs[0], gradients[-1])

    def refuse(*arguments: Any) -> None:
        raise AssertionError("the long way")

    monkeypatch.setattr("pytorch_legacy.nn.Native.call", refuse)
    for input in inputs:
        for layer, gradient in zip(layers, gradients, strict=True):
            assert layer.forward(input) is layer.output
            assert layer.updateGradInput(input, gradient) is layer.gradInput


@pytest.mark.parametrize("size", [0, 1, 5])
def test_what_a_repeated_call_writes(size: int) -> None:
    """The array in the field: also if it is another one with the same element, or was handed over."""
    layer, x = nn.Threshold(0.5, 7).float(), np.ones(size, "f")

    def check(input: Array) -> None:
        y = np.where(input > layer.threshold, input, layer.val)
        output = layer.forward(input)
        assert output is layer.output
        np.testing.assert_array_equal(output, y)
        gradInput = layer.backward(input, np.full(size, 3, "f"))
        assert gradInput is layer.gradInput
        np.testing.assert_array_equal(gradInput, 3 * (input > layer.threshold))

    for _ in range(3):
        check(x)
    before = layer.output
    layer.output, layer.gradInput = layer.output.copy(), layer.gradInput.copy()
    for _ in range(3):
        check(x + 1)
    np.testing.assert_array_equal(before, 1)
    for _ in range(3):
        shown = layer.output
        check(shown)
        assert layer.output is not shown or not size
    layer.threshold = 99
    check(x)
    layer.threshold, layer.val, layer.inplace = 0.5, 0.25, True
    for _ in range(3):
        for input in (x.copy(), x + 2, -x):
            layer.forward(input)
            assert layer.output is input
            layer.forward(input)
            assert np.all((input == 0.25) | (input > 0.5))
    layer.inplace = False
    check(x)
    np.testing.assert_array_equal(input, 0.25)


def test_inputs_before_are_let_go() -> None:
    layer, seen = nn.Linear(4, 4), []
    for size in (2, 2, 2, 3, 3):
        input = np.ones((size, 4), layer._dtype)
        layer.backward(input, layer.forward(input))
        seen.append(weakref.ref(input))
    assert [one() is not None for one in seen] == [False] * 4 + [True]


def test_subclasses() -> None:
    """An array's methods are not called; its memory is read."""
    x = fresh()
    slot = binding.TensorDescriptor("f", "input", "THFloatTensor *")
    slot.fill(x.view(Subclass))
    assert (slot.descriptor.nDimension, *slot.descriptor.size[0:3], *slot.descriptor.stride[0:3]) == (3, 2, 3, 4, 12, 4, 1)
    assert slot.address[0] == x.ctypes.data


def test_views_that_lost_dimensions():
    """NumPy's squeeze() leaves the strides where they were, apart from the sizes."""
    layer, x = nn.Tanh(), np.arange(12, dtype=np.float32).reshape(3, 1, 4, 1)
    for view in (x.squeeze(), x[:, :, ::2].squeeze(), x.squeeze(1), np.squeeze(x[:1]), x[:, 0]):
        np.testing.assert_allclose(layer.forward(view), np.tanh(view), 1e-6)
        np.testing.assert_allclose(layer.forward(view), np.tanh(view), 1e-6)


def test_nothing_waits_for_the_garbage_collector() -> None:
    """Arrays are let go when the last line has read them: a missing attribute, and a call of C that repeats, leave no cycles."""
    gc.collect()
    gc.disable()
    try:
        layer = nn.Linear(4, 4)
        input = np.ones((2, 4), layer._dtype)
        seen = weakref.ref(input)
        assert not hasattr(layer, "missing")
        for _ in range(3):
            layer.backward(input, layer.forward(input))
        layer.__dict__.pop("_bindings")
        del input
        assert seen() is None
    finally:
        gc.enable()
