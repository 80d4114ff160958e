"""Large numbers, and those that are not finite: where sums cancel or overflow, text and files give what our layers do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, dpnn, nn

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')

from pytorch_legacy.bridge import warmup  # noqa: E402
from pytorch_legacy.bridge.proof import Proof  # noqa: E402
from pytorch_legacy.bridge.registry import Differs  # noqa: E402

HUGE = np.array([[1e30, -1e30, 1e8, -3e38, 0.3, 5, -7, np.inf, -np.inf, np.nan]], np.float32)


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (
            np.float32([[1, 2], [3, 4]]),
            [[1, 2.5], [3, 5]],
            r"by 0\.25 of the largest, in 2 of 4 elements; the most in \(1, 1\): .* 4\.0, got 5\.0",
        ),
        (np.float32(3), 4.0, r"in 1 of 1 elements; the most in \(0,\): expected 3\.0, got 4\.0"),
        (np.float32([np.nan, np.nan]), [np.nan, 2], r"by inf .* in \(1,\): expected nan, got 2\.0"),
        (np.float32([np.inf, 1]), [-np.inf, 1], r"by inf .* in \(0,\): expected inf, got -inf"),
        (np.float32([np.inf, 1]), [np.inf, 1 + 1.1e-5], r"in 1 of 2 elements; the most in \(1,\)"),
        (np.array([True, True]), [True, False], r"in \(1,\): expected True, got False"),
        (np.float32([1]), [1, 2], r"the shape is \(2,\), expected \(1,\)"),
    ],
)
def test_a_proof_says_where_numbers_differ(ours: Any, theirs: Any, said: str) -> None:
    proof, same = Proof(), np.float32([7])
    proof.compare("1", "nn.X", [same, ours], [torch.tensor([7.0]), torch.tensor(ours)])
    pair = [[same, ours]], [[torch.tensor([7.0]), torch.tensor(theirs)]]
    with pytest.raises(Differs, match=said):
        proof.compare("2", "nn.X", [ours], [torch.tensor(theirs)])
    with pytest.raises(Differs):
        proof.compare("2", "nn.X", *pair)


def test_the_first_call_of_a_function_is_one_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """MKL may give a large first call numbers of half the digits."""
    sizes: dict[str, list[int]] = {}
    for name in ("tanh", "sigmoid"):
        function = getattr(torch, name)

        def noting(x: Any, name: str = name, function: Any = function) -> Any:
            sizes.setdefault(f"{name} {x.dtype}", []).append(x.numel())
            return function(x)

        monkeypatch.setattr(torch, name, noting)
    warmup.warm_up.cache_clear()
    for layer in (nn.Tanh(), nn.Sigmoid()):
        pl.to_torch(layer, (40, 50))
        pl.to_torch(layer.double(), (40, 50))
    assert len(sizes) == 4
    for one in sizes.values():
        assert one[0] == 1 and max(one) == 2000


@pytest.mark.parametrize(
    ("layer", "slope"),
    [(dpnn.Clip(-1, 2), 1), (authors.InplaceClip01(), 1), (nn.GradientReversal(), -1), (nn.GradientReversal(0.3), -0.3)],
)
def test_gradients_that_are_no_derivatives(layer: nn.Module, slope: float) -> None:
    """A layer whose gradient is no derivative leaves the value as it is."""
    x = torch.from_numpy(HUGE.copy()).requires_grad_()
    y = pl.to_torch(layer, (None, HUGE.size))(x)
    np.testing.assert_array_equal(y.detach().numpy(), layer.forward(HUGE.copy()))
    y.sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy()[np.isfinite(HUGE)], slope, rtol=1e-6)


def test_activations_in_onnx(tmp_path: Path) -> None:
    """Exporters to ONNX overflow in one, and lack others, each another one."""
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    layers = nn.LogSigmoid(), nn.RReLU(0.1, 0.3), nn.Threshold(0.5, -1), dpnn.Clip(-1, 2)
    kmeans = nn.Kmeans(3, 4)
    net = nn.ConcatTable(*layers, nn.Sequential(nn.HardTanh(), kmeans)).evaluate()
    assert pl.to_onnx(net, tmp_path / "net.onnx", (None, 4)).way == "dynamo"
    x = np.array([[1000, -1000, 88, -88], [-104, 104, -20, 20], [1e30, -1e30, 0.3, -0.3], [2, -2, 1, -1]], np.float32)
    found = runtime.InferenceSession(tmp_path / "net.onnx").run(None, {"input": x})
    for a, b in zip(found, net.forward(x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
