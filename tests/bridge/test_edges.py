"""Losses and layers at the edges of what they are defined for: outputs of 0 and 1, large scores, kinks, and equal numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import cudnn, dpnn, nn, rnn
from tests.trees import Tree, leaves, mapped

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')

CERTAIN = [0, 1, 0, 1, 0.5, 1e-13, 1 - 1e-7, 1e-30, 0, 1]
MARKS = [0, 0, 1, 1, 0.3, 0, 1, 1, 0.4, 0.7]
SCORES = [0, 1, -1, 30, -30, 100, -100, 1000, -1000, 88]
SIGNS = [1, -1, 1, -1, 1, -1, 1, 1, -1, -1]
POSITIVE = [0, 1, 2, 3, 0.5, 1, 1, 2, 0, 1]
ROWS = [[0, 0, 0], [1, 2, 3], [1, 0, 0], [1, 0, 0]]
OTHERS = [[1, 1, 1], [3, 2, 1], [0, 1, 0], [2, 0, 0]]


def pairs(x: Any) -> list[Any]:
    return [x, x[::-1]]


# The arguments of each criterion: input and target.
LOSSES: dict[str, tuple[Callable[[], nn.Criterion], Any, Any]] = {
    "BCE": (nn.BCECriterion, CERTAIN, MARKS),
    "BCE of rows": (lambda: nn.BCECriterion(np.float64([1, 2, 3, 4, 5])), [CERTAIN[:5], CERTAIN[5:]], [MARKS[:5], MARKS[5:]]),
    "BCE with weights": (lambda: nn.BCECriterion(np.arange(10.0)), CERTAIN, MARKS),
    "labels": (nn.MultiLabelSoftMarginCriterion, SCORES, [max(sign, 0) for sign in SIGNS]),
    "labels with weights": (
        lambda: nn.MultiLabelSoftMarginCriterion(np.arange(10.0)),
        SCORES,
        [max(sign, 0) for sign in SIGNS],
    ),
    "soft margin": (nn.SoftMarginCriterion, SCORES, SIGNS),
    "logistic": (dpnn.BinaryLogisticRegression, [[x] for x in SCORES], [[sign] for sign in SIGNS]),
    "logistic of planes": (
        dpnn.SpatialBinaryLogisticRegression,
        [[[SCORES[:5], SCORES[5:]]]],
        [[[SIGNS[:5], SIGNS[5:]]]],
    ),
    "ratio": (nn.DistanceRatioCriterion, pairs(SCORES), [0]),
    "margin": (nn.MarginCriterion, SCORES, SIGNS),
    "hinge": (nn.HingeEmbeddingCriterion, POSITIVE, SIGNS),
    "ranking": (nn.MarginRankingCriterion, pairs(POSITIVE), SIGNS),
    "ranking of equal ones": (lambda: nn.MarginRankingCriterion(0), [POSITIVE, POSITIVE], SIGNS),
    "absolute": (nn.AbsCriterion, POSITIVE, [0, 1, 3, 3, 0.5, 0, 2, 2, 1, 1]),
    "Huber": (nn.SmoothL1Criterion, POSITIVE, [0, 2, 1, 3, 1.5, 0, 2, 2, 1, 1]),
    "cosines": (lambda: nn.CosineEmbeddingCriterion(0.0), [ROWS, OTHERS], [1, -1, -1, 1]),
    "divergence": (nn.DistKLDivCriterion, [-abs(x) for x in SCORES], [max(sign, 0) for sign in SIGNS]),
}


@pytest.mark.parametrize("mean", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name: str, dtype: Any, mean: bool) -> None:
    """Loss and gradient in PyTorch are those of our criterion."""
    make, *given = LOSSES[name]
    criterion = make().float() if dtype == np.float32 else make().double()
    criterion.sizeAverage = mean
    isTable = name in ("ratio", "ranking", "ranking of equal ones", "cosines")
    input: Tree = [np.array(part, dtype) for part in given[0]] if isTable else np.array(given[0], dtype)
    target = np.array(given[1], dtype)
    module = pl.to_torch(criterion, [[input, target]] * 2)
    tensors = mapped(lambda array: torch.from_numpy(array.copy()).requires_grad_(), input)
    loss = module(tensors, torch.from_numpy(target))
    loss.backward()
    tolerance = 1e-5 if dtype == np.float32 else 1e-10
    np.testing.assert_allclose(loss.item(), criterion.forward(input, target), rtol=tolerance, atol=tolerance)
    for found, expected in zip(leaves(tensors), leaves(criterion.backward(input, target)), strict=True):
        np.testing.assert_allclose(found.grad.numpy(), expected, rtol=tolerance, atol=tolerance)


def test_a_certain_output() -> None:
    """A right one gets no gradient; a wrong one gets that of its logarithm, with 1e-12 added in it."""
    x = torch.tensor([0.0, 1.0, 0.0, 1.0], dtype=torch.float64, requires_grad=True)
    module = pl.to_torch(nn.BCECriterion(None, False).double())
    module(x, torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=torch.float64)).backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), [0, 0, -1e12, 1e12], rtol=1e-11)


KINKS = np.array([[0, 1, -1, 0.5, -0.5, 2, -2, 6, 0, 3], np.zeros(10), [1, 1, 2, 2, -1, -1, 0, 0, 3, -3]])
LAYERS = [
    *(nn.Abs(), nn.HardTanh(), nn.HardTanh(-0.5, 2), nn.Clamp(-1, 2), cudnn.ClippedReLU(2.0), nn.ReLU(), nn.ReLU6()),
    *(nn.Threshold(0.5, 2), nn.LeakyReLU(0.1), nn.ELU(), nn.PReLU(), nn.HardShrink(0.5), nn.SoftShrink(0.5), nn.SoftSign()),
    *(nn.TanhShrink(), nn.Max(-1), nn.Euclidean(10, 3), nn.Cosine(10, 3), nn.Normalize(1), nn.Normalize(2), nn.L1Penalty(0.1)),
]


@pytest.mark.parametrize("layer", [*LAYERS, nn.Sqrt()], ids=repr)
def test_kinks(layer: nn.Module) -> None:
    """At a point without a derivative, the gradient is Torch7's."""
    from pytorch_legacy.bridge.labels import training_differences

    x = np.abs(KINKS) if isinstance(layer, nn.Sqrt) else KINKS
    assert max(training_differences(layer, [x, x]).values()) < 1e-10


STEPS = [
    (rnn.SequencerCriterion(nn.MSECriterion()), "numbers"),
    (rnn.SequencerCriterion(nn.ClassNLLCriterion(np.float32([1, 2, 3, 4, 5])), True), "labels"),
    (rnn.RepeaterCriterion(nn.MSECriterion(), True), "numbers"),
    (rnn.RepeaterCriterion(nn.CrossEntropyCriterion()), "labels"),
]


@pytest.mark.parametrize(("criterion", "kind"), STEPS, ids=repr)
def test_losses_of_any_number_of_steps(criterion: nn.Criterion, kind: str) -> None:
    """Without an example the number of steps stays free."""
    module = pl.to_torch(criterion)
    rng = np.random.default_rng(0)
    for steps, batch in ((1, 1), (2, 3), (7, 2)):
        x = rng.standard_normal((steps, batch, 5)).astype(np.float32)
        shape = (batch,) if isinstance(criterion, rnn.RepeaterCriterion) else (steps, batch)
        target = rng.integers(0, 5, shape) if kind == "labels" else rng.standard_normal((*shape, 5)).astype(np.float32)
        tensor = torch.from_numpy(x).requires_grad_()
        loss = module(tensor, torch.from_numpy(target))
        loss.backward()
        assert loss.item() == pytest.approx(criterion.forward(x, target), rel=1e-5)
        assert tensor.grad is not None
        np.testing.assert_allclose(tensor.grad.numpy(), criterion.backward(x, target), rtol=0, atol=1e-6)


def test_steps_in_tables_need_an_example() -> None:
    """A table would fix the number of steps, so that somebody has to say it."""
    loss = rnn.RepeaterCriterion(nn.MSECriterion())
    for criterion in (rnn.RepeaterCriterion(nn.CosineEmbeddingCriterion()), nn.MultiCriterion().add(loss)):
        with pytest.raises(pl.THNNError, match="example: what it takes is not known"):
            pl.to_torch(criterion)
    table = [[np.ones((n, 3), np.float32)] * 4 for n in (2, 3)]
    module = pl.to_torch(loss, [[steps, steps[0]] for steps in table])
    assert module([torch.ones(5, 3)] * 4, torch.zeros(5, 3)).item() == 4
