"""The layers and the language model of torch-rnn, and the OneHot of char-rnn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.authors import LanguageModel, OneHot, TemporalAdapter, TorchRnnLSTM, VanillaRNN
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from pytorch_legacy.files.classes import find_class
from tests.trees import assert_close, assert_same

N, T, D, H = 2, 4, 3, 5


def normal(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def lstm(weight: Any, bias: Any, x: Any, h: Any, c: Any) -> Any:
    """The definition, vector by vector."""
    output = np.empty((*x.shape[:2], h.shape[1]))
    for n in range(x.shape[0]):
        hn, cn = h[n], c[n]
        for t in range(x.shape[1]):
            i, f, o, g = np.split(np.concatenate([x[n, t], hn]) @ weight + bias, 4)
            cn = sigmoid(f) * cn + sigmoid(i) * np.tanh(g)
            hn = output[n, t] = sigmoid(o) * np.tanh(cn)
    return output


def rnn(weight: Any, bias: Any, x: Any, h: Any) -> Any:
    output = np.empty((*x.shape[:2], h.shape[1]))
    for n in range(x.shape[0]):
        hn = h[n]
        for t in range(x.shape[1]):
            hn = output[n, t] = np.tanh(np.concatenate([x[n, t], hn]) @ weight + bias)
    return output


def test_definitions() -> None:
    x, h, c = normal(N, T, D), normal(N, H, seed=1), normal(N, H, seed=2)
    zero = np.zeros((N, H))
    layer: Any = TorchRnnLSTM(D, H).double()
    assert (layer.bias[H : 2 * H] == 1).all() and layer.bias.sum() == H
    for input, expected in ((x, (zero, zero)), ([h, x], (h, zero)), ([c, h, x], (h, c))):
        assert_close(layer.forward(input), lstm(layer.weight, layer.bias, x, *expected), 1e-12)
    layer = VanillaRNN(D, H).double()
    for input, before in ((x, zero), ([h, x], h)):
        assert_close(layer.forward(input), rnn(layer.weight, layer.bias, x, before), 1e-12)
    assert str(layer) == "nn.VanillaRNN(3 -> 5)"


class States(nn.Module):
    """A layer whose states are the first of its time steps: a single array holds all that it takes."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer.double()
        self.double()

    def _input(self, input: Any) -> Any:
        states = [input[:, t].copy() for t in range(len(self.layer._states))]
        return [*states, np.ascontiguousarray(input[:, len(states) :])]

    def updateOutput(self, input: Any) -> Any:
        self.output = self.layer.forward(self._input(input))
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        *states, x = self.layer.updateGradInput(self._input(input), gradOutput)
        self.gradInput = np.concatenate([np.stack(states, 1), x], axis=1)
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        self.layer.accGradParameters(self._input(input), gradOutput, scale)

    def parameters(self) -> Any:
        return self.layer.parameters()


@pytest.mark.parametrize("kind", [TorchRnnLSTM, VanillaRNN])
def test_back_through_time(kind: Any) -> None:
    layer = kind(H, H).double()
    for module in (layer, States(layer)):
        x = normal(N, T, H)
        assert nn.Jacobian.testJacobian(module, x) < 1e-6
        for weight, gradient in zip(*layer.parameters(), strict=True):
            assert nn.Jacobian.testJacobianParameters(module, x, weight, gradient) < 1e-6
            assert nn.Jacobian.testJacobianUpdateParameters(layer, normal(N, T, H), weight) < 1e-6


@pytest.mark.parametrize("kind", [TorchRnnLSTM, VanillaRNN])
@pytest.mark.parametrize("shape", [(0, T, D), (N, 0, D)])
def test_nothing_to_do(kind: Any, shape: Any) -> None:
    """No samples, or no steps."""
    layer, x = kind(D, H).double(), np.empty(shape)
    output = layer.forward(x)
    assert output.shape == (*shape[:2], H)
    assert layer.backward(x, output).shape == shape
    assert not layer.gradWeight.any() and not layer.gradBias.any()


@pytest.mark.parametrize("kind", [TorchRnnLSTM, VanillaRNN])
def test_states_are_remembered(kind: Any) -> None:
    layer = kind(D, H).double()
    x = normal(N, T, D)
    whole = layer.forward(x).copy()
    layer.remember_states = True
    layer.resetStates()
    parts = [layer.forward(x[:, t : t + 2].copy()).copy() for t in range(0, T, 2)]
    assert_close(np.concatenate(parts, 1), whole, 1e-12)
    with pytest.raises(ShapeError, match=rf"{layer._typename}: x: expected a batch of {N} as in the last pass, got 1"):
        layer.forward(x[:1].copy())
    for forget in (layer.resetStates, layer.clearState):
        forget()
        assert_close(layer.forward(x), whole, 1e-12)
    assert_close(layer.clone().float().forward(x.astype(np.float32))[:, 0].shape, (N, H), 0)


def test_gradients_accumulate_with_scale() -> None:
    layer: Any = TorchRnnLSTM(D, H).double()
    x, gradient = normal(N, T, D), normal(N, T, H, seed=1)
    layer.zeroGradParameters()
    layer.forward(x)
    layer.backward(x, gradient)
    once = layer.gradWeight.copy()
    layer.backward(x, gradient, 0.5)
    assert_close(layer.gradWeight, 1.5 * once, 1e-12)


def test_errors() -> None:
    layer = TorchRnnLSTM(D, H)
    with pytest.raises(ShapeError, match=r"nn.LSTM: x: expected 2 x 4 x 3, got 2 x 4 x 2"):
        layer.forward(np.zeros((2, 4, 2), np.float32))
    with pytest.raises(ShapeError, match=r"nn.LSTM: h0: expected 2 x 5, got 2 x 3"):
        layer.forward([np.zeros((2, 3), np.float32), np.zeros((2, 4, 3), np.float32)])
    with pytest.raises(DtypeError, match=r"nn.LSTM: input: expected x or the last of \[c0, h0, x\], got a table of 4"):
        layer.forward([None] * 4)
    with pytest.raises(DtypeError, match=r"nn.LSTM: x: expected float32, got float64"):
        layer.forward(np.zeros((2, 4, 3)))


def test_one_name_for_two_classes() -> None:
    """torch-rnn's LSTM is known by its fields."""
    assert find_class("nn.LSTM", {"hidden_dim": 5}) is TorchRnnLSTM
    assert TorchRnnLSTM._claims({"hidden_dim": 5}) and not TorchRnnLSTM._claims({"outputSize": 5})


def test_an_adapter() -> None:
    adapter = TemporalAdapter(nn.Linear(D, 2)).double()
    x = normal(N, T, D)
    linear = adapter.net.get(1)
    assert_close(adapter.forward(x), x @ linear.weight.T + linear.bias, 1e-12)
    assert nn.Jacobian.testJacobian(adapter, x) < 1e-6
    assert str(adapter) == "nn.TemporalAdapter: nn.Linear(3 -> 2)"
    again = TemporalAdapter.__new__(TemporalAdapter)
    again._fromTorch7(adapter._toTorch7(), 1)
    assert_same(again.forward(x), adapter.forward(x))


@pytest.mark.parametrize("options", [{}, {"model_type": "rnn", "dropout": 0.1}, {"batchnorm": 1}])
def test_a_model(options: Any) -> None:
    model = LanguageModel("abcd", wordvec_size=3, rnn_size=4, **options).double()
    text = model.encode_string("abba")
    assert_same(text, np.array([0, 1, 1, 0]))
    assert model.decode_string(text) == "abba"
    scores = model.forward(text[None])
    assert scores.shape == (1, 4, 4)
    model.zeroGradParameters()
    model.backward(text[None], np.ones_like(scores))
    assert all(np.abs(gradient).sum() > 0 for gradient in model.parameters()[1][-2:])
    assert len(model.rnns) == 2
    model.evaluate()
    pl.manualSeed(1)
    drawn = model.sample(20, "ab")
    pl.manualSeed(1)
    assert drawn == model.sample(20, "ab") == model.sample(2, drawn)
    assert len(drawn) == 20 and drawn.startswith("ab") and set(drawn) <= set("abcd")
    likely = model.sample(6, "a", sample=False)
    assert model.forward(model.encode_string(likely[:-1])[None])[0, -1].argmax() == model.token_to_idx[likely[-1]]
    again = LanguageModel.__new__(LanguageModel)
    again._fromTorch7(model._toTorch7(), 1)
    assert again.token_to_idx == model.token_to_idx and again.sample(6, "a", sample=False) == likely


def test_errors_of_a_model() -> None:
    model = LanguageModel("ab", wordvec_size=2, rnn_size=2)
    with pytest.raises(ValueRangeError, match=r"nn.LanguageModel: encode_string: 'x' is not in the vocabulary"):
        model.encode_string("axa")
    with pytest.raises(ShapeError, match=r"nn.LanguageModel: input: expected a 2-D array of indices, got a int64 array of 3"):
        model.forward(np.zeros(3, np.int64))
    with pytest.raises(IndexRangeError):
        model.forward(np.full((1, 1), 2))
    with pytest.raises(ValueRangeError, match='model_type: expected "lstm" or "rnn", got \'gru\''):
        LanguageModel("ab", "gru")


def test_one_hot() -> None:
    layer = OneHot(3)
    assert find_class("OneHot") is OneHot and layer._typename == "OneHot"
    assert_same(layer.forward(np.array([2, 0])), np.eye(3, dtype=np.float32)[[2, 0]])
    assert layer.backward(np.array([2, 0]), layer.output).size == 0
    with pytest.raises(IndexRangeError, match="OneHot: input: expected indices from 0 to 2, got 3"):
        layer.forward(np.array([3]))
