"""Recurrent networks with cuDNN's vector of parameters: against PyTorch, whose networks are cuDNN's, and by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import cudnn
from pytorch_legacy.errors import ShapeError, ValueRangeError

KINDS = [("RNNReLU", False), ("RNNTanh", False), ("LSTM", False), ("GRU", False), ("BLSTM", True), ("BGRU", True)]


def made(name: str, layers: int = 2, **options: Any) -> Any:
    pl.manualSeed(3)
    return getattr(cudnn, name)(3, 4, layers, **options).double()


def draw(*shape: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("batchFirst", [False, True])
@pytest.mark.parametrize("name, both", KINDS)
def test_as_pytorch(name: str, both: bool, batchFirst: bool) -> None:
    torch = pytest.importorskip("torch")
    net = made(name, batchFirst=batchFirst)
    options: dict[str, Any] = {"bidirectional": both, "batch_first": batchFirst, "dtype": torch.float64}
    kind = "RNN" if name.startswith("RNN") else name[-4:] if name.endswith("LSTM") else "GRU"
    if kind == "RNN":
        options["nonlinearity"] = "relu" if name == "RNNReLU" else "tanh"
    other = getattr(torch.nn, kind)(3, 4, 2, **options)
    # PyTorch's parameters come layer by layer: W, R, b_W, b_R. cuDNN's biases come after all matrices.
    groups = [other._flat_weights[i : i + 4] for i in range(0, len(other._flat_weights), 4)]
    parts = [p for group in groups for p in group[:2]] + [p for group in groups for p in group[2:]]
    net.weight[...] = np.concatenate([part.detach().numpy().ravel() for part in parts])

    x, h, c = draw(5, 2, 3), draw(4 if both else 2, 2, 4, seed=2), draw(4 if both else 2, 2, 4, seed=3)
    if batchFirst:
        x = np.ascontiguousarray(x.swapaxes(0, 1))
    net.hiddenInput, net.cellInput = h, c
    tx, th, tc = (torch.tensor(value, requires_grad=True) for value in (x, h, c))
    output, last = other(tx, (th, tc) if kind == "LSTM" else th)
    np.testing.assert_allclose(net.forward(x), output.detach(), rtol=1e-12, atol=1e-12)
    hidden, cell = last if kind == "LSTM" else (last, torch.zeros_like(last))
    np.testing.assert_allclose(net.hiddenOutput, hidden.detach(), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(net.cellOutput, cell.detach(), rtol=1e-12, atol=1e-12)

    g, gh, gc = draw(*output.shape, seed=4), draw(*h.shape, seed=5), draw(*h.shape, seed=6)
    loss = (output * torch.tensor(g)).sum() + (hidden * torch.tensor(gh)).sum()
    if kind == "LSTM":
        loss = loss + (cell * torch.tensor(gc)).sum()
        net.gradCellOutput = gc
    loss.backward()
    net.gradHiddenOutput = gh
    np.testing.assert_allclose(net.backward(x, g), tx.grad, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(net.gradHiddenInput, th.grad, rtol=1e-10, atol=1e-12)
    if kind == "LSTM":
        np.testing.assert_allclose(net.gradCellInput, tc.grad, rtol=1e-10, atol=1e-12)
    expected = np.concatenate([part.grad.numpy().ravel() for part in parts])
    np.testing.assert_allclose(net.gradWeight, expected, rtol=1e-10, atol=1e-12)
    net.backward(x, g, 0.5)
    np.testing.assert_allclose(net.gradWeight, 1.5 * expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name, both", [kind for kind in KINDS if kind[0] != "RNNReLU"])
def test_gradients(name: str, both: bool) -> None:
    net, x = made(name), draw(3, 2, 3)
    assert pl.nn.Jacobian.testJacobian(net, x) < 1e-6
    assert pl.nn.Jacobian.testJacobianParameters(net, x, net.weight, net.gradWeight) < 1e-6


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("name, both", KINDS)
def test_input_without_weights(name: str, both: bool, layers: int) -> None:
    """It is what identity matrices in the place of the missing ones give, and their gradients are left out."""
    whole = getattr(cudnn, name)(4, 4, layers).double()
    for matrices in whole.weights()[: whole.numDirections]:
        for matrix in matrices[: len(matrices) // 2]:
            matrix[...] = np.eye(4)
    net = whole.clone()
    net.inputMode = "CUDNN_SKIP_INPUT"
    net.reset()
    gates, directions = len(whole.weights()[0]) // 2, whole.numDirections
    assert net.weight.size == whole.weight.size - gates * directions * 16 == net.gradWeight.size
    kept = np.ones(whole.weight.size, bool)
    for i in range(directions):
        start = i * gates * 32
        kept[start : start + gates * 16] = False
    net.weight[...] = whole.weight[kept]
    x, g = draw(5, 2, 4), draw(5, 2, 4 * directions, seed=2)
    np.testing.assert_allclose(net.forward(x), whole.forward(x), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(net.backward(x, g, 0.5), whole.backward(x, g, 0.5), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(net.gradWeight, whole.gradWeight[kept], rtol=1e-12, atol=1e-12)
    assert [matrix.shape for matrix in net.weights()[0]] == [(4, 0)] * gates + [(4, 4)] * gates
    assert net.forward(np.empty((0, 2, 4))).shape == (0, 2, 4 * directions)


def test_gradients_apart() -> None:
    """The two gradients one after the other are those of backward."""
    net, x, g = made("BLSTM"), draw(3, 2, 3), draw(3, 2, 8, seed=2)
    net.forward(x)
    gradInput = net.backward(x, g).copy()
    gradWeight = net.gradWeight.copy()
    net.zeroGradParameters()
    np.testing.assert_array_equal(net.updateGradInput(x, g), gradInput)
    net.accGradParameters(x, g)
    np.testing.assert_array_equal(net.gradWeight, gradWeight)


def test_states_are_remembered() -> None:
    """Two halves of a sequence are the whole sequence."""
    x = draw(6, 2, 3)
    whole = made("LSTM").forward(x)
    net = made("LSTM", rememberStates=True)
    halves = [net.forward(x[:3]).copy(), net.forward(x[3:]).copy()]
    np.testing.assert_allclose(np.concatenate(halves), whole, rtol=1e-12)
    net.resetStates()
    np.testing.assert_allclose(net.forward(x), whole, rtol=1e-12)


def test_dropout() -> None:
    """Features between the layers are dropped in training only."""
    net, x = made("GRU", dropout=0.5), draw(5, 2, 3)
    net.evaluate()
    still = net.forward(x).copy()
    np.testing.assert_array_equal(still, made("GRU").forward(x))
    net.training()
    assert not np.array_equal(net.forward(x), still)
    mask = net._kept[1][1]
    assert set(np.unique(mask)) == {0.0, 2.0}


def test_parameters_by_name() -> None:
    net = made("BLSTM")
    weights, biases = net.weights(), net.biases()
    assert [len(gates) for gates in weights] == [8] * 4 and [len(gates) for gates in biases] == [8] * 4
    assert weights[0][0].shape == (4, 3) and weights[2][0].shape == (4, 8) and weights[0][4].shape == (4, 4)
    assert sum(array.size for group in weights + biases for array in group) == net.weight.size
    weights[0][0].fill(7)
    assert (net.weight[:12] == 7).all()


def test_from_a_file() -> None:
    net = made("LSTM")
    x = draw(5, 2, 3)
    expected = net.forward(x).copy()
    again = cudnn.LSTM.__new__(cudnn.LSTM)
    again._fromTorch7(net._toTorch7() | {"seqLength": 5, "miniBatch": 2}, 1)
    assert "_kept" not in net._toTorch7()
    np.testing.assert_array_equal(again.forward(x), expected)


def test_empty_sequence() -> None:
    net = made("LSTM")
    assert net.forward(np.empty((0, 2, 3))).shape == (0, 2, 4)
    assert net.backward(np.empty((0, 2, 3)), np.empty((0, 2, 4))).shape == (0, 2, 3)


def test_errors() -> None:
    net = made("LSTM")
    with pytest.raises(ShapeError, match=r"cudnn\.LSTM: input: expected 5 x 2 x 3, got 5 x 2 x 4"):
        net.forward(draw(5, 2, 4))
    net.hiddenInput = draw(2, 1, 4)
    with pytest.raises(ShapeError, match="hiddenInput: expected 2 x 2 x 4"):
        net.forward(draw(5, 2, 3))
    net.hiddenInput = None
    net.weight = net.weight[:-1]
    with pytest.raises(ShapeError, match=r"weight: expected 304 numbers, got 303"):
        net.forward(draw(5, 2, 3))
    net.inputMode = "CUDNN_SKIP_INPUT"
    with pytest.raises(ValueRangeError, match=r"inputSize: expected 4, the hiddenSize, because .*SKIP_INPUT, got 3"):
        net.forward(draw(5, 2, 3))
    net.inputMode = "CUDNN_OTHER"
    with pytest.raises(ValueRangeError, match="inputMode: expected CUDNN_LINEAR_INPUT or CUDNN_SKIP_INPUT, got 'CUDNN_OTHER'"):
        net.forward(draw(5, 2, 3))
    with pytest.raises(ValueRangeError, match="dropout"):
        cudnn.GRU(2, 2, 1, dropout=1)


@pytest.mark.parametrize(
    "make", [lambda: cudnn.LSTM(5, 5, 1), lambda: cudnn.BGRU(6, 3, 1), lambda: cudnn.BGRU(6, 3, 2), lambda: cudnn.RNN(4, 4, 1)]
)
def test_memory_of_the_pass_before(make: Callable[[], Any]) -> None:
    """Passes write where the last one did; what a module has given may be its next input, or gradient, all the same."""
    net = make().double()
    other = net.clone()
    random = np.random.default_rng(0)
    x, dy = (random.standard_normal((7, 3, net.inputSize)) for _ in range(2))
    first = net.forward(x)
    assert np.shares_memory(first, net.forward(x))
    second = net.forward(first)
    z = other.clone().forward(x).copy()
    np.testing.assert_array_equal(second, other.forward(z))
    for _ in range(2):
        net.zeroGradParameters()
        other.zeroGradParameters()
        expected = other.backward(z, dy.copy()).copy()
        given = net.backward(first, dy)
        np.testing.assert_array_equal(given, expected)
        np.testing.assert_array_equal(net.gradWeight, other.gradWeight)
        dy = given  # the module's own
    kept = given.copy()
    net.accGradParameters(first, 2 * dy)
    assert net.gradInput is given
    np.testing.assert_array_equal(given, kept)
    given = net.backward(first, dy)
    kept = given.copy()
    net.forward(given)
    other.forward(kept)
    for one in (net, other):
        one.zeroGradParameters()
        one.backward(kept, draw(*z.shape))
    np.testing.assert_array_equal(net.gradInput, other.gradInput)
    np.testing.assert_array_equal(net.gradWeight, other.gradWeight)
