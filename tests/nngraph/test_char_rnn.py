"""Checkpoints of char-rnn give the validation loss that their training recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from tests.realfiles import realfile

LSTM = "char-rnn__lstm_epoch2.36_1.7753.t7", "char-rnn__tinyshakespeare_data.t7"
RNN = "char-rnn__rnn_epoch0.13_2.4581.t7", "char-rnn__rnn_data.t7"


def validation_losses(checkpoint: Any, data: Any) -> tuple[float, float]:
    """The mean over the validation batches, through which the states are carried, as char-rnn's ``train.lua`` has it.

    The first one is exact, the second one with the old fast exp; only the last layer of the network uses it.
    """
    options = checkpoint["opt"]
    rows, steps = options["batch_size"], options["seq_length"]
    batches = len(data) // (rows * steps)
    text = data[: batches * rows * steps].astype(np.int64) - 1
    inputs, targets = text.reshape(rows, -1), np.roll(text, -1).reshape(rows, -1)
    first = int(batches * options["train_frac"])
    withTest = options["train_frac"] + options["val_frac"] < 1
    last = first + int(batches * options["val_frac"]) if withTest else batches

    net, criterion = checkpoint["protos"]["rnn"], checkpoint["protos"]["criterion"]
    net.evaluate()
    (layer,) = net.findModules(nn.LogSoftMax)[0]
    (node,) = (node for node in net.forwardnodes if node.module is layer)
    exact, fast = layer, layer.clone().setFastExp()
    states = [np.zeros((rows, options["rnn_size"])) for _ in range(net.nInputs - 1)]
    losses = [0.0, 0.0]
    for t in range(first * steps, last * steps):
        *states, _ = map(np.copy, net.forward([inputs[:, t], *states]))
        for i, each in enumerate((exact, fast)):
            losses[i] += criterion.forward(each.forward(node.data["input"][0]), targets[:, t])
    return losses[0] / steps / (last - first), losses[1] / steps / (last - first)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Threads that wait for each other gain nothing for matrices as small as these."""
    threads = pl.getNumThreads()
    pl.setNumThreads(1)
    yield
    pl.setNumThreads(threads)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("files, expected", [(LSTM, 1.77509), (RNN, 2.45775)])
def test_validation_loss(files: tuple[str, str], expected: float) -> None:
    """A few seconds each."""
    checkpoint, data = (pl.load(realfile(name)) for name in files)
    exact, fast = validation_losses(checkpoint, data)
    assert abs(exact - expected) < 1e-5
    # All recorded digits agree; sums of products in another order may move the last one.
    assert abs(fast - checkpoint["val_loss"]) < 1e-14


def test_fast_exp() -> None:
    x = np.linspace(0, 14, 57)
    layer = nn.LogSoftMax().setFastExp().double()
    for shape in ((57,), (1, 57), (57, 1, 1), (1, 57, 1, 1)):
        output = layer.forward(-x.reshape(shape)).reshape(-1)
        sums = np.exp(-x[0] - output[0])
        # exp(-x) by a polynomial of the fourth degree for exp(x / 8), which is 8-fold
        polynomial = sum((x / 8) ** k / factor for k, factor in enumerate((1, 1, 2, 6, 24)))
        expected = np.where(x < 13, polynomial**-8.0, 0).sum()
        assert abs(sums - expected) < 1e-6
        assert 1e-6 < abs(sums - np.exp(-x).sum()) < 1e-2
        assert layer.backward(-x.reshape(shape), np.ones(shape)).shape == shape
    assert "fastExp" not in layer._toTorch7()
    single = nn.LogSoftMax().setFastExp()
    assert single.forward(x.astype(np.float32)).dtype == np.float32
