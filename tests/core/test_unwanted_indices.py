"""Max pooling without positions, which only backward needs, gives the same outputs; a program leaves them out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.backend.library import USES
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.program.encoding import arena
from pytorch_legacy.program.listing import listing
from pytorch_legacy.recording import record
from tests import capi
from tests.program.encoding import (
    ARENA,
    INPUT,
    NULL,
    OUTPUT,
    F,
    L,
    Program,
    ProgramError,
    call,
    calls,
    integer,
    port,
    program,
    tensor,
)

LAYERS: dict[str, tuple[Callable[[], Module], tuple[int, ...]]] = {
    "SpatialMaxPooling": (lambda: nn.SpatialMaxPooling(2, 2, 2, 2), (3, 5, 37, 41)),
    "SpatialMaxPooling, padded": (lambda: nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1).ceil(), (2, 4, 90, 70)),
    "SpatialMaxPooling, large windows": (lambda: nn.SpatialMaxPooling(7, 5, 3, 2), (2, 3, 40, 44)),
    "SpatialMaxPooling, small planes": (lambda: nn.SpatialMaxPooling(2, 2, 2, 2), (4, 9, 6, 8)),
    "SpatialDilatedMaxPooling": (lambda: nn.SpatialDilatedMaxPooling(3, 3, 2, 2, 1, 1, 2, 2), (3, 5, 20, 21)),
    "SpatialDilatedMaxPooling, beside the input": (lambda: nn.SpatialDilatedMaxPooling(2, 2, 1, 1, 1, 1, 3, 3), (2, 2, 2, 2)),
    "SpatialAdaptiveMaxPooling": (lambda: nn.SpatialAdaptiveMaxPooling(5, 7), (3, 5, 30, 31)),
    "SpatialAdaptiveMaxPooling, whole planes": (lambda: nn.SpatialAdaptiveMaxPooling(1, 1), (3, 5, 30, 31)),
    "TemporalMaxPooling": (lambda: nn.TemporalMaxPooling(3, 2), (4, 19, 23)),
    "VolumetricMaxPooling": (lambda: nn.VolumetricMaxPooling(2, 2, 2, 2, 2, 2), (2, 3, 8, 9, 10)),
    "VolumetricDilatedMaxPooling": (lambda: nn.VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 2, 2), (2, 3, 8, 9, 10)),
    "TemporalAdaptiveMaxPooling": (lambda: nn.TemporalAdaptiveMaxPooling(5), (3, 4, 19)),
    "VolumetricAdaptiveMaxPooling": (lambda: nn.VolumetricAdaptiveMaxPooling(3, 4, 5), (2, 3, 8, 9, 10)),
    "TemporalGlobalMaxPooling": (lambda: nn.TemporalGlobalMaxPooling(), (3, 4, 19)),
    "SpatialGlobalMaxPooling": (lambda: nn.SpatialGlobalMaxPooling(), (3, 40, 30, 31)),
    "SpatialGlobalMaxPooling, large planes": (lambda: nn.SpatialGlobalMaxPooling(), (2, 2, 300, 310)),
    "VolumetricGlobalMaxPooling": (lambda: nn.VolumetricGlobalMaxPooling(), (3, 4, 5, 6, 7)),
}  # fmt: skip


def inputs(shape: tuple[int, ...], dtype: str) -> list[np.ndarray]:
    """Ordinary numbers; and ties, NaN and infinities."""
    random = np.random.default_rng(5)
    plain = random.standard_normal(shape).astype(dtype)
    odd = random.choice([np.nan, np.inf, -np.inf, 0.0], shape)
    return [plain, np.where(random.random(shape) < 0.1, odd, plain.round()).astype(dtype)]


def test_all_layers_are_here() -> None:
    drawing = {"SpatialStochasticPooling_updateOutput", "SpatialS3Pooling_updateOutput"}
    functions = {name for name, uses in USES.items() if "o" in uses} - drawing
    assert functions == {f"{name.partition(',')[0]}_updateOutput" for name in LAYERS}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", LAYERS)
def test_outputs_are_the_same(name: str, dtype: str) -> None:
    make, shape = LAYERS[name]
    module = make().type(dtype)
    for x in inputs(shape, dtype):
        for kernels in (1, 0):
            assert capi.lib.THNN_setKernels(None, kernels) == 0
            expected = module.forward(x).copy()
            for threads in (1, 3):
                pl.setNumThreads(threads)
                for batch in (x, x[:1], x[:0]):
                    y = np.full((len(batch), *expected.shape[1:]), 7, dtype)
                    module._call("updateOutput", batch, y, None)  # type: ignore[attr-defined]
                    np.testing.assert_array_equal(y.view(f"i{y.itemsize}"), expected[: len(batch)].view(f"i{y.itemsize}"))


@pytest.mark.parametrize("name", LAYERS)
def test_a_program_leaves_them_out(name: str) -> None:
    """Its arena has no room for them."""
    make, shape = LAYERS[name]
    net = nn.Sequential(nn.Tanh(), make(), nn.Tanh()).float()
    program = pl.compile(net, (None, *shape[1:]))
    for x in inputs(shape, "float32"):
        np.testing.assert_array_equal(program(x), net.evaluate().forward(x))


def test_the_arena_shrinks() -> None:
    net = nn.Sequential(nn.SpatialMaxPooling(2, 2, 2, 2), nn.Tanh(), nn.Tanh()).float().evaluate()
    made = listing(record(net, np.ones((1, 4, 32, 32), np.float32))[0])
    assert made.calls[0].arguments[2] is None
    assert arena(made)[1] == 2 * 4 * 16 * 16 * 4


def test_programs_have_null_for_indices_alone() -> None:
    arguments = [tensor(F, INPUT, 6, 3), tensor(F, OUTPUT, 3, 3), tensor(L, ARENA, 3, 3), integer(2), integer(2)]

    def of(place: int) -> Program:
        step = call("FloatTemporalMaxPooling_updateOutput", *arguments[:place], NULL, *arguments[place + 1 :])
        return Program(program(calls(arena=128, inputs=[port(F, 6, 3)], outputs=[port(F, 3, 3)], calls=[step])))

    x = np.random.default_rng(2).standard_normal((6, 3)).astype(np.float32)
    np.testing.assert_array_equal(of(2)(x)[0], x.reshape(3, 2, 3).max(1))
    for place, name in enumerate(("input", "output")):
        with pytest.raises(ProgramError, match=rf"TemporalMaxPooling_updateOutput.*{name}: expected .*, got NULL"):
            of(place)(x)
