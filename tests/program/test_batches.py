"""A sample has the same bits in whatever batch it stands, and for whatever batch a program was compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import cudnn, nn
from pytorch_legacy.nn.Module import Module

BATCHES = (*range(1, 10), 16, 17, 33)
WITH_THREADS = (1, 3, 8, 17, 33)


def resnet(planes: tuple[int, ...]) -> Module:
    """Residual blocks, as ResNet-18 has them, and the mean of each plane."""

    def block(inputs: int, outputs: int, stride: int) -> Module:
        main = nn.Sequential(
            nn.SpatialConvolution(inputs, outputs, 3, 3, stride, stride, 1, 1),
            nn.SpatialBatchNormalization(outputs),
            nn.ReLU(),
            nn.SpatialConvolution(outputs, outputs, 3, 3, 1, 1, 1, 1),
            nn.SpatialBatchNormalization(outputs),
        )
        same = nn.Identity() if stride == 1 else nn.SpatialConvolution(inputs, outputs, 1, 1, stride, stride)
        return nn.Sequential(nn.ConcatTable(main, same), nn.CAddTable(), nn.ReLU())

    net = nn.Sequential(nn.SpatialConvolution(3, planes[0], 7, 7, 2, 2, 3, 3), nn.ReLU(), nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1))
    for inputs, outputs in zip((planes[0], *planes), planes, strict=False):
        net.add(block(inputs, outputs, 1 if inputs == outputs else 2)).add(block(outputs, outputs, 1))
    return net


def twice(module: Module) -> Module:
    return nn.Sequential(module, nn.ReLU(), module)


class Weighted(nn.Module):
    """A convolution whose weight is made of the input's type in the pass, and is no constant of the program."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.SpatialConvolution(128, 136, 3, 3, 1, 1, 1, 1)
        self.kernels = self.inner.weight

    def updateOutput(self, input: Any) -> Any:
        zero = input[:1, :1, :1, :1] * 0
        self.inner.weight = self.kernels + zero
        self.output = self.inner.updateOutput(input)
        return self.output


NETWORKS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "3x3 of 14x14": (lambda: nn.SpatialConvolution(256, 256, 3, 3, 1, 1, 1, 1), (256, 14, 14)),
    "3x3 of 7x7": (lambda: nn.Sequential(nn.SpatialConvolution(512, 512, 3, 3, 1, 1, 1, 1), nn.ReLU()), (512, 7, 7)),
    "3x3 of 8x8": (lambda: nn.Sequential(nn.SpatialConvolution(128, 136, 3, 3, 1, 1, 1, 1), nn.HardTanh()), (128, 8, 8)),
    "3x3 side by side": (
        lambda: nn.Concat(1, nn.SpatialConvolution(128, 136, 3, 3), nn.SpatialConvolution(128, 64, 3, 3)),
        (128, 9, 9),
    ),
    "in two places": (lambda: twice(nn.SpatialConvolution(128, 128, 3, 3, 1, 1, 1, 1)), (128, 7, 7)),
    "a weight that the pass makes": (lambda: Weighted(), (128, 7, 7)),
    "5x5": (lambda: nn.SpatialConvolution(40, 24, 5, 5, 1, 1, 2, 2), (40, 30, 21)),
    "1x1": (lambda: nn.SpatialConvolution(70, 33, 1, 1), (70, 19, 23)),
    "strided": (lambda: nn.SpatialConvolution(16, 33, 3, 3, 2, 2), (16, 28, 28)),
    "groups": (lambda: cudnn.SpatialConvolution(12, 9, 3, 3, 2, 2, 1, 1, 3), (12, 9, 8)),
    "dilated": (lambda: nn.SpatialDilatedConvolution(16, 9, 3, 3, 1, 1, 2, 2, 2, 2), (16, 20, 21)),
    "transposed": (lambda: nn.SpatialFullConvolution(64, 48, 3, 3, 1, 1, 1, 1), (64, 14, 14)),
    "transposed with phases": (lambda: nn.SpatialFullConvolution(40, 32, 3, 5, 1, 2, 1, 2), (40, 15, 14)),
    "volumes": (lambda: nn.VolumetricConvolution(3, 8, 3, 3, 3, 1, 1, 1, 1, 1, 1), (3, 6, 9, 9)),
    "sequences": (lambda: nn.TemporalConvolution(12, 30, 3), (40, 12)),
    "blocks": (lambda: resnet((64, 128, 256)), (3, 96, 96)),
    "digits": (lambda: nn.Sequential(*pl.load("examples/digits/digits.t7")["model"].modules[:14]), (1, 28, 28)),
    "superres": (lambda: pl.load("examples/superres/superres.t7"), (1, 24, 20)),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NETWORKS)
def test_batches(name: str, dtype: str) -> None:
    pl.manualSeed(1)
    make, shape = NETWORKS[name]
    net = make().type(dtype).evaluate()
    x = np.random.default_rng(3).standard_normal((max(BATCHES), *shape)).astype(dtype)
    program = pl.compile(net, (None, *shape))
    whole = program(x)
    for threads in (1, 2):
        pl.setNumThreads(threads)
        for n in BATCHES if threads == 1 else WITH_THREADS:
            np.testing.assert_array_equal(program(x[:n]), whole[:n])
        np.testing.assert_array_equal(program(x[20:23]), whole[20:23])
    for n in (1, 5):  # a program for these batches alone
        np.testing.assert_array_equal(pl.compile(net, x[:n])(x[:n]), whole[:n])


def test_a_sample_that_is_not_finite_changes_no_other_one() -> None:
    net = nn.Sequential(nn.SpatialConvolution(32, 24, 3, 3, 1, 1, 1, 1), nn.ReLU()).float()
    program = pl.compile(net, (None, 32, 15, 15))
    x = np.random.default_rng(3).standard_normal((7, 32, 15, 15)).astype("f")
    expected = program(x)
    x[3, 4, 5, 6] = np.inf
    found = program(x)
    assert not np.array_equal(found[3], expected[3])
    np.testing.assert_array_equal(np.delete(found, 3, 0), np.delete(expected, 3, 0))
