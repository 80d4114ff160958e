"""Our pooling layers as operators and classes of PyTorch: values, gradients, and what PyTorch's tools make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pytorch_legacy as pl  # noqa: E402
from pytorch_legacy import nn  # noqa: E402
from pytorch_legacy.errors import ArgumentError, DtypeError, ShapeError  # noqa: E402
from pytorch_legacy.torch import layers, operators  # noqa: E402
from pytorch_legacy.torch import pooling as P  # noqa: E402
from tests.rows import rows  # noqa: E402

SHAPES = {1: (2, 3, 11), 2: (2, 3, 7, 9), 3: (2, 3, 5, 7, 6)}
# Classes that PyTorch has too, and arguments for both.
BOTH: list[tuple[str, tuple[Any, ...]]] = [
    *((f"AvgPool{r}d", arguments) for r in (1, 2, 3) for arguments in ((2,), (3, 2, 1, True), (3, 1, 1, False, False))),
    *((f"MaxPool{r}d", arguments) for r in (1, 2, 3) for arguments in ((2,), (3, 2, 1, 1, True, True), (2, 1, 1, 2))),
    *((f"Adaptive{kind}Pool{r}d", (4,)) for r in (1, 2, 3) for kind in ("Avg", "Max")),
    ("AvgPool2d", ((3, 2), (1, 2), (1, 0))),
    ("MaxPool3d", ((1, 3, 2), (1, 2, 1), (0, 1, 0))),
    ("AdaptiveAvgPool2d", ((None, 4),)),
    ("AdaptiveMaxPool3d", ((2, None, 3), True)),
    ("AdaptiveMaxPool1d", (3, True)),
]
OURS: list[tuple[str, tuple[Any, ...]]] = [
    *((f"SoftPool{r}d", arguments) for r in (1, 2, 3) for arguments in ((2,), (3, 2, 1, True, 0.5))),
    ("GlobalAvgPool2d", ()),
    ("GlobalMaxPool2d", ()),
    ("PowerAvgPool2d", (2.5, 2)),
    ("PowerAvgPool2d", (2, 3, 2, 1, True)),
    ("GaussianPool2d", (3, 3, 2, 1, True, 2)),
    ("GaussianPool2d", (3, 2, None, 1, False, 1, True)),
    ("MixedPool2d", (2,)),
    ("MixedPool2d", (3, 2, 1, False, 3)),
    ("GatedPool2d", (3, 2, 1, True, 3)),
    ("StochasticPool2d", (2,)),
]


def table(listed: list[tuple[str, tuple[Any, ...]]]) -> Any:
    return rows("name, arguments", [(name, str(arguments), (name, arguments)) for name, arguments in listed])


def drawn(rank: int, dtype: Any = torch.float64) -> Any:
    return torch.from_numpy(np.random.default_rng(3).normal(size=SHAPES[rank])).to(dtype).requires_grad_()


def parts(output: Any) -> tuple[Any, ...]:
    return output if isinstance(output, tuple) else (output,)


@table(BOTH)
def test_as_in_torch(name: str, arguments: tuple[Any, ...]) -> None:
    """The same numbers, places and gradients; samples without a batch too."""
    ours, theirs = getattr(P, name)(*arguments), getattr(torch.nn, name)(*arguments)
    x = drawn(ours.rank)
    for input in (x, x[0]):
        for a, b in zip(parts(ours(input)), parts(theirs(input)), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)
            if a.is_floating_point():
                w = torch.randn_like(a)
                gradients = [torch.autograd.grad((y * w).sum(), x, retain_graph=True)[0] for y in (a, b)]
                torch.testing.assert_close(*gradients, rtol=1e-12, atol=1e-12)


@table([*BOTH, *OURS])
def test_gradcheck(name: str, arguments: tuple[Any, ...]) -> None:
    module = getattr(P, name)(*arguments).double().eval()
    names = [name for name, _ in module.named_parameters()]

    def f(x: Any, *parameters: Any) -> Any:
        return parts(torch.func.functional_call(module, dict(zip(names, parameters, strict=True)), (x,)))[0]

    assert torch.autograd.gradcheck(f, (drawn(module.rank), *module.parameters()), fast_mode=True)


def test_as_our_layers() -> None:
    x = drawn(2)
    for module, layer in (
        (P.SoftPool2d((2, 3), beta=2), nn.SpatialSoftPool(3, 2, beta=2.0)),
        (P.PowerAvgPool2d(3, (2, 3)), nn.SpatialPowerAveragePooling(3, 3, 2)),
        (P.StochasticPool2d((2, 3)).eval(), nn.SpatialStochasticPooling(3, 2).evaluate()),
    ):
        np.testing.assert_array_equal(module(x).detach().numpy(), layer.double().forward(x.detach().numpy()))


def test_local_importance() -> None:
    x = drawn(2)
    logit = torch.randn(SHAPES[2], dtype=torch.float64, requires_grad=True)
    module = P.LocalImportancePool2d(3, 2, 1)
    assert torch.autograd.gradcheck(module, (x, logit), fast_mode=True)
    torch.testing.assert_close(module(x, torch.zeros_like(x)), P.AvgPool2d(3, 2, 1)(x) * 9 / P.AvgPool2d(3, 2, 1)(x * 0 + 1) / 9)


def test_stochastic_draws() -> None:
    """A positive cell of each window, by PyTorch's generator; its gradient goes to that cell."""
    x = drawn(2).detach().abs().requires_grad_()
    module = P.StochasticPool2d(2)
    torch.manual_seed(1)
    one = module(x)
    torch.manual_seed(1)
    assert torch.equal(module(x), one) and not torch.equal(module(x), one)
    one.sum().backward()
    assert x.grad.sum() == one.numel() and set(x.grad.unique().tolist()) == {0.0, 1.0}


@table(
    [("SoftPool2d", (2,)), ("GaussianPool2d", (3, 2)), ("MixedPool2d", (2,)), ("AdaptiveMaxPool2d", (3,)), ("SoftPool1d", (2,))]
)
def test_opcheck(name: str, arguments: tuple[Any, ...]) -> None:
    """PyTorch's own check of schema, fakes, autograd and dynamic shapes."""
    module = getattr(P, name)(*arguments).double()
    called: list[Any] = []

    def record(of: Any) -> Any:
        def recorded(*given: Any) -> Any:
            called.append((of, given))
            return of(*given)

        return recorded

    with pytest.MonkeyPatch.context() as patch:
        for attribute in ("soft", "adaptive_maximum"):
            patch.setattr(layers, attribute, {rank: record(of) for rank, of in getattr(layers, attribute).items()})
        patch.setattr(layers, "gaussian", record(layers.gaussian))
        patch.setattr(P.MixedPool2d, "_op", staticmethod(record(layers.mixed)))
        module(drawn(module.rank))
    ((operator, given),) = called
    torch.library.opcheck(
        operator, tuple(g.detach().clone().requires_grad_() if isinstance(g, torch.Tensor) else g for g in given)
    )


def test_compile_and_export() -> None:
    """The operator stays one in the graph; sizes stay free."""
    module = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), P.SoftPool2d(2), P.AdaptiveAvgPool2d(2)).eval()
    x, larger = torch.randn(2, 3, 8, 10), torch.randn(3, 3, 12, 11)
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager", dynamic=True)
    for input in (x, larger):
        torch.testing.assert_close(compiled(input), module(input))
    compiled(x).sum().backward()
    free = torch.export.Dim.DYNAMIC
    program = torch.export.export(module, (x,), dynamic_shapes=({0: free, 2: free, 3: free},))
    assert {"pytorch_legacy.SpatialSoftPool.default", "pytorch_legacy.SpatialAdaptiveAveragePooling.default"} <= {
        str(node.target) for node in program.graph.nodes
    }
    torch.testing.assert_close(program.module()(larger), module(larger))


def test_to_onnx(tmp_path: Any) -> None:
    """In an export to ONNX the layers are written in PyTorch's own operations."""
    pytest.importorskip("onnxscript")
    runtime = pytest.importorskip("onnxruntime")
    module = torch.nn.ModuleList(
        [P.SoftPool2d(2), P.AvgPool2d(2), P.MaxPool2d(2), P.AdaptiveAvgPool2d(2), P.PowerAvgPool2d(2, 2),
         P.GaussianPool2d(3, 2), P.MixedPool2d(2), P.GatedPool2d(2), P.StochasticPool2d(2)]
    ).eval()  # fmt: skip

    class All(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = module

        def forward(self, x: Any) -> Any:
            return *(layer(x) for layer in self.layers), P.LocalImportancePool2d(2)(x, 2 * x), P.SoftPool1d(2)(x[:, :, 0])

    whole, path = All().eval(), str(tmp_path / "all.onnx")
    x, larger = torch.randn(2, 3, 8, 8), torch.randn(3, 3, 8, 8)
    torch.onnx.export(whole, (x,), path, dynamo=True, dynamic_shapes=({0: torch.export.Dim.DYNAMIC},), verbose=False)
    session = runtime.InferenceSession(path)
    for found, expected in zip(session.run(None, {session.get_inputs()[0].name: larger.numpy()}), whole(larger), strict=True):
        np.testing.assert_allclose(found, expected.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_number_of_windows() -> None:
    """The shapes of fakes are those of the library."""
    for size in range(1, 12):
        for k in range(1, 5):
            for d in (1, 2, 3):
                for pad in range(k // 2 + 1):
                    for ceil in (False, True):
                        if size + 2 * pad < k:
                            continue
                        values = {"kW": k, "dW": d, "padW": pad, "ceil_mode": ceil}
                        layer = nn.SpatialAveragePooling(k, 1, d, 1, pad, 0)
                        output = (layer.ceil() if ceil else layer).forward(np.zeros((1, 1, size), np.float32))
                        assert operators.windows(size, "W", values) == output.shape[2], (size, values)


def test_errors() -> None:
    x = drawn(2)
    with pytest.raises(ShapeError, match=r"SoftPool2d: input: expected 3 or 4 dimensions, got 2"):
        P.SoftPool2d(2)(x[0, 0])
    with pytest.raises(ArgumentError, match=r"SoftPool2d: kernel_size: expected an integer or 2 of them, got \(2, 3, 4\)"):
        P.SoftPool2d((2, 3, 4))
    with pytest.raises(DtypeError, match="bfloat16"):
        P.SoftPool2d(2)(x.bfloat16())
    with pytest.raises(pl.THNNError, match="kW"):
        P.SoftPool2d(20)(x)
