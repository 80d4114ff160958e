"""A recurrent network learns to add two numbers that it has to find in a sequence and to keep in mind.

Each step shows a number between 0 and 1 and a mark; two steps of a sequence are marked, and after the last one the network
is to give the sum of the two numbers (Hochreiter & Schmidhuber 1997). Whoever says 1 all the time has a mean square error
of 1/6; the memory of the LSTM makes it almost 0. Run me: ``python examples/sequences/adding.py``
"""

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn, optim, rnn

STEPS, BATCH, HIDDEN = 10, 64, 32


def sequences(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs, steps x count x 2, and sums, count x 1."""
    inputs = np.zeros((STEPS, count, 2), np.float32)
    inputs[:, :, 0] = rng.random((STEPS, count))
    for sample in range(count):
        inputs[rng.choice(STEPS, 2, replace=False), sample, 1] = 1
    return inputs, inputs.prod(2).sum(0)[:, None]


def train(iterations: int = 600, seed: int = 1) -> float:
    """Trains a network and returns its mean square error on fresh sequences."""
    pl.manualSeed(seed)
    rng = np.random.default_rng(seed)
    network = nn.Sequential().add(rnn.SeqLSTM(2, HIDDEN)).add(nn.Select(0, -1)).add(nn.Linear(HIDDEN, 1))
    criterion = nn.MSECriterion()
    parameters, gradients = network.getParameters()
    state = {"learningRate": 0.01}

    def loss(_: np.ndarray) -> tuple[float, np.ndarray]:
        inputs, sums = sequences(rng, BATCH)
        gradients.fill(0)
        error = criterion.forward(network.forward(inputs), sums)
        network.backward(inputs, criterion.backward(network.output, sums))
        return error, gradients

    for iteration in range(1, iterations + 1):
        _, (error, *_) = optim.adam(loss, parameters, state)
        if iteration % 100 == 0:
            print(f"iteration {iteration}: mean square error {error:.4f}")
    network.evaluate()
    inputs, sums = sequences(rng, 500)
    return float(criterion.forward(network.forward(inputs), sums))


if __name__ == "__main__":
    print(f"on fresh sequences: {train():.4f} (always 1: {1 / 6:.4f})")
