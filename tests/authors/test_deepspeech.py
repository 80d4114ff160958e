"""DeepSpeech's recurrent networks of sequences with different lengths, against loops over the sequences."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cudnn, nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError
from tests.authors.test_layers import by_differences, draw

LENGTHS = np.array([3, 1, 4, 0])
STEPS, SEQUENCES = 4, len(LENGTHS)


def rnn() -> Any:
    return cudnn.LSTM(2, 3, 1).double()


def by_sequences(inner: Any, rows: Any, lengths: Any, isReversed: bool) -> Any:
    """The output of the module for each sequence by itself, cut at its end."""
    steps = rows.reshape(-1, len(lengths), rows.shape[1])
    output = np.zeros((*steps.shape[:2], 3))
    for n, length in enumerate(lengths):
        if length:
            part = steps[:length, n : n + 1]
            result = inner.clone().forward(np.ascontiguousarray(part[::-1] if isReversed else part))
            output[:length, n : n + 1] = result[::-1] if isReversed else result
    return output.reshape(len(rows), 3)


@pytest.mark.parametrize("kind", [authors.MaskRNN, authors.ReverseMaskRNN])
@pytest.mark.parametrize("dtype", ["int64", "int32", "float64", "float32"])
def test_values(kind: Any, dtype: str) -> None:
    inner, x, lengths = rnn(), draw(STEPS * SEQUENCES, 2), LENGTHS.astype(dtype)
    expected = by_sequences(inner, x, LENGTHS, kind is authors.ReverseMaskRNN)
    layer = kind(inner).double()
    np.testing.assert_allclose(layer.forward([x, lengths]), expected, atol=1e-12)
    np.testing.assert_allclose(layer.evaluate().forward([x, lengths]), expected, atol=1e-12)
    single = kind(inner.clone().float())
    np.testing.assert_allclose(single.forward([x.astype("f"), lengths]), expected, atol=1e-5)


@pytest.mark.parametrize("kind", [authors.MaskRNN, authors.ReverseMaskRNN])
def test_gradients(kind: Any) -> None:
    layer, x, g = kind(rnn()).double(), draw(STEPS * SEQUENCES, 2), draw(STEPS * SEQUENCES, 3, seed=2)

    class OfRows(nn.Module):
        def forward(self, rows: list[Any]) -> Any:
            return layer.forward([*rows, LENGTHS])

    layer.forward([x, LENGTHS])
    layer.zeroGradParameters()
    gradInput, ofLengths = layer.backward([x, LENGTHS], g)
    np.testing.assert_allclose(gradInput, by_differences(OfRows(), [x.copy()], g)[0], atol=1e-8)
    assert ofLengths.shape == (4,) and not ofLengths.any()
    weight, gradient = layer.parameters()[0][0], layer.parameters()[1][0].copy()
    for i in (0, 7, weight.size - 1):
        old, sums = weight[i], []
        for step in (1e-6, -1e-6):
            weight[i] = old + step
            sums.append((layer.forward([x, LENGTHS]) * g).sum())
        weight[i] = old
        assert gradient[i] == pytest.approx((sums[0] - sums[1]) / 2e-6, abs=1e-8)
    layer.forward([x, LENGTHS])
    layer.updateGradInput([x, LENGTHS], g)
    layer.accGradParameters([x, LENGTHS], g, 0.5)
    np.testing.assert_allclose(layer.parameters()[1][0], 1.5 * gradient, atol=1e-12)
    before = weight.copy()
    layer.accUpdateGradParameters([x, LENGTHS], g, 0.1)
    np.testing.assert_allclose(weight, before - 0.1 * gradient, atol=1e-12)


def test_what_is_after_the_end_has_no_effect() -> None:
    """NaN after the end of a sequence changes nothing before it, in the reversed one too."""
    for kind in (authors.MaskRNN, authors.ReverseMaskRNN):
        layer, x = kind(rnn()).double(), draw(STEPS * SEQUENCES, 2)
        expected = layer.forward([x, LENGTHS]).copy()
        spoilt = x.reshape(STEPS, SEQUENCES, 2).copy()
        for n, length in enumerate(LENGTHS):
            spoilt[length:, n] = np.nan
        np.testing.assert_array_equal(layer.forward([spoilt.reshape(x.shape), LENGTHS]), expected)
        g = np.where(np.isnan(spoilt[..., :1]), np.nan, np.ones(3)).reshape(len(x), 3)
        layer.forward([x, LENGTHS])
        gradient = layer.backward([x, LENGTHS], g)[0]
        assert np.isfinite(gradient).all() and not gradient.reshape(spoilt.shape)[np.isnan(spoilt)].any()


def test_copies_and_files() -> None:
    for kind in (authors.MaskRNN, authors.ReverseMaskRNN):
        layer, x = kind(rnn()).double(), draw(STEPS * SEQUENCES, 2)
        expected = layer.forward([x, LENGTHS]).copy()
        file = io.BytesIO()
        pl.save(file, layer)
        loaded = pl.load(file.getvalue())
        assert type(loaded) is kind and repr(loaded) == repr(layer) == f"{layer._typename} @ cudnn.LSTM"
        for twin in (layer.clone(), loaded, layer.clearState()):
            np.testing.assert_array_equal(twin.forward([x, LENGTHS]), expected)


@pytest.mark.parametrize(
    "lengths, error, match",
    [
        (np.array([3, 1, 4]), ShapeError, r"input\[1\]: expected a vector of as many lengths as there are .* in 16 rows, got 3"),
        (np.array(4), ShapeError, r"input\[1\]: expected a vector of .*, got no dimensions"),
        (np.array([3, 1, 5, 0]), IndexRangeError, r"input\[1\]: expected lengths from 0 to 4, got \[3 1 5 0\]"),
        (np.array([3, -1, 2, 0]), IndexRangeError, r"input\[1\]: expected lengths from 0 to 4"),
        (np.array([3, 1.5, 2, 0]), DtypeError, r"input\[1\]: expected whole numbers"),
        (np.array([3, np.nan, 2, 0]), DtypeError, r"input\[1\]: expected whole numbers"),
        (np.array(["a"] * 4), DtypeError, r"input\[1\]: expected a vector of lengths"),
        (np.empty(0), ShapeError, r"input\[1\]: expected a vector of"),
    ],
)  # fmt: skip
def test_lengths_that_are_none(lengths: Any, error: Any, match: str) -> None:
    for kind in (authors.MaskRNN, authors.ReverseMaskRNN):
        with pytest.raises(error, match=f"nn.{kind.__name__}: {match}"):
            kind(rnn()).double().forward([draw(16, 2), lengths])


def test_modules_that_do_not_fit() -> None:
    layer = authors.MaskRNN(nn.Sum(0)).double()
    with pytest.raises(ShapeError, match=r"nn.MaskRNN: output"):
        layer.forward([draw(16, 2), LENGTHS])
    layer = authors.MaskRNN(nn.Narrow(0, 0, 2)).double()
    with pytest.raises(ShapeError, match=r"output: expected 4 x 4 steps of sequences from the module, got 2 x 4 x 2"):
        layer.forward([draw(16, 2), LENGTHS])
    layer = authors.MaskRNN(rnn()).double()
    layer.forward([draw(16, 2), LENGTHS])
    with pytest.raises(ShapeError, match=r"gradOutput: expected 16 x 3, got 16 x 2"):
        layer.backward([draw(16, 2), LENGTHS], draw(16, 2))
    with pytest.raises(DtypeError, match=r"input: expected a table of 2, got a float64 array of 16 x 2"):
        layer.forward(draw(16, 2))


def test_evaluation_of_rows() -> None:
    """In evaluation, running statistics take the place of those of the batch."""
    net, x = authors.BatchBRNNReLU(3, 2).double(), draw(5, 4, 3)
    for _ in range(3):
        net.forward(x)
    net.evaluate()
    whole = net.forward(x).copy()
    np.testing.assert_allclose(net.forward(x[:, 1:2]), whole[:, 1:2], atol=1e-12)
    large = authors.BatchRNNReLU(3, 2).double().evaluate()
    large.rnn.weight[...] = 100
    assert large.forward(np.ones((5, 4, 3))).max() == 20


@pytest.mark.parametrize("kind", [authors.SequenceWise, authors.BatchRNN])
def test_sequences_without_steps(kind: Any) -> None:
    net = kind(nn.Linear(3, 2)) if kind is authors.SequenceWise else kind(3, 2)
    for shape in ((0, 4, 3), (4, 0, 3)):
        with pytest.raises(ShapeError, match=rf"{net._typename}: input: expected one step and one sample or more, got"):
            net.double().forward(np.empty(shape))
    with pytest.raises(ShapeError, match=rf"{net._typename}: input: expected a 3-D array"):
        net.double().forward(np.empty((4, 3)))
