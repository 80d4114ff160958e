"""The classes of authors as PyTorch: numbers and gradients of each case, in one and in more samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cudnn, nn
from pytorch_legacy.bridge import NoRule
from tests.authors.cases import CASES
from tests.bridge.trial import converted, two
from tests.case import Case
from tests.rows import rows
from tests.trees import assert_close, cast, leaves, mapped

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')

TABLE = [(name, case.name, case) for name, case in CASES]
NOISE = ("GenNoise", "NoiseFill", "GaussianSampler")


def drawn(case: Case) -> tuple[Any, Any]:
    """A module in double precision, and its input; for a criterion, a list of input and target."""
    net, rng = case.make().double(), np.random.default_rng(0)
    input = cast(case.input(rng), np.float64)
    return net, input if case.target is None else [input, cast(case.target(rng), np.float64)]


@rows("case", TABLE)
def test_numbers(case: Case) -> None:
    net, input = drawn(case)
    assert not converted(net, two(net, input) if case.target is None else [input, input], 1e-9)


@rows("case", [row for row in TABLE if row[0] not in NOISE])
def test_gradients(case: Case) -> None:
    """Gradients of the input and the parameters equal PyTorch's, in the order of the layers."""
    net, input = drawn(case)
    isCriterion = case.target is not None
    module = pl.to_torch(net, [input, input])
    asked = mapped(lambda array: torch.from_numpy(array.copy()).requires_grad_(array.dtype.kind == "f"), input)
    output = module(*asked) if isinstance(asked, list) else module(asked)
    results = [*output] if isinstance(output, (list, tuple)) else [output]
    rng = np.random.default_rng(1)
    gradients = [np.ones(()) if isCriterion else rng.standard_normal(tuple(result.shape)) for result in results]
    torch.autograd.backward(results, [torch.from_numpy(gradient) for gradient in gradients])
    net.evaluate() if not isCriterion else None
    ours = net.forward(*input) if isCriterion else net.forward(input)
    given = gradients if isinstance(ours, list) else gradients[0]
    expected = net.backward(*input) if isCriterion else net.backward(input, given)
    asked = leaves(asked)[: len(leaves(expected))]  # most criterions have no gradient of the target
    found = [np.zeros(leaf.shape) if leaf.grad is None else leaf.grad.numpy() for leaf in asked]
    assert_close(found, leaves(expected), 1e-9)


def test_gradients_of_parameters() -> None:
    """Gradients are right for a factor, for weights that are not learned, and for weights that are used at each step."""
    for net, x in (
        (authors.MyAdd(3, 0.5, 0.1).double(), np.ones((2, 3, 4))),
        (authors.PELU().double(), np.linspace(-2, 3, 6).reshape(2, 3)),
        (authors.ConstrainedDiv().double(), np.linspace(-2, 3, 6).reshape(2, 3)),
        (authors.SharedParallelTable(nn.Linear(3, 2), 4).double(), [np.ones((1, 3)), np.full((2, 3), 2.0)]),
        (authors.LstmLayer(3, 2, 4, 0, True).double(), [np.ones((1, 3)), np.full((1, 3), 2.0)]),
    ):
        module = pl.to_torch(net, [x, x])
        output = module(*map(torch.from_numpy, x)) if isinstance(x, list) else module(torch.from_numpy(x))
        sum(part.sum() for part in (output if isinstance(output, (list, tuple)) else [output])).backward()
        net.zeroGradParameters()
        net.backward(x, mapped(np.ones_like, net.forward(x)))
        ours = sorted(float(np.abs(gradient).sum()) for gradient in net.parameters()[1])
        theirs = sorted(float(parameter.grad.abs().sum()) for parameter in module.parameters())
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-14)
    filters = pl.to_torch(authors.EdgeFilter(1).double(), [np.ones((1, 1, 4, 4))] * 2)
    assert not [*filters.parameters()] and len([*filters.buffers()]) == 1


def sequences(T: int, lengths: list[int]) -> list[Any]:
    return [np.random.default_rng(T).standard_normal((T * len(lengths), 3)), np.array(lengths)]


@pytest.mark.parametrize("kind", [authors.MaskRNN, authors.ReverseMaskRNN])
@pytest.mark.parametrize("inner", [lambda: cudnn.LSTM(3, 2, 1), lambda: nn.Linear(3, 2)], ids=["lstm", "rows"])
def test_sequences_of_different_lengths(kind: Any, inner: Any) -> None:
    net = kind(inner() if inner().__class__.__name__ == "LSTM" else authors.SequenceWise(inner())).double()
    examples = [sequences(4, [4, 1, 0]), sequences(5, [5, 5, 2, 1])]
    assert not converted(net, examples, 1e-9)
    module, (x, lengths) = pl.to_torch(net, examples), examples[1]
    rows = torch.from_numpy(x).requires_grad_()
    module(rows, torch.from_numpy(lengths)).sum().backward()
    net.forward([x, lengths])
    assert_close(rows.grad.numpy(), net.backward([x, lengths], np.ones_like(net.output))[0], 1e-9)


def test_deepspeech(tmp_path: Any) -> None:
    """Convolutions over spectrograms, recurrent layers in both directions, and a classifier of each step."""
    net = nn.Sequential().add(nn.SpatialConvolution(1, 4, 5, 5, 2, 2)).add(nn.SpatialBatchNormalization(4)).add(nn.Clamp(0, 20))
    net.add(nn.View(4 * 6, -1).setNumInputDims(3)).add(nn.Transpose([1, 2], [0, 1]))
    for inputs in (24, 5):
        net.add(authors.BatchBRNNReLU(inputs, 5))
    net.add(authors.SequenceWise(nn.Sequential().add(nn.BatchNormalization(5)).add(nn.Linear(5, 7, False))))
    net.double()
    x = np.random.default_rng(0).standard_normal((2, 1, 16, 13))
    net.forward(x)
    net.evaluate()
    longer = np.random.default_rng(1).standard_normal((3, 1, 16, 17))
    assert not converted(net, [x, longer], 1e-9)
    module = pl.to_python(net, tmp_path / "net.py", [x, longer])
    assert module.proof.whole < 1e-9


@pytest.mark.parametrize("residual", [False, True])
def test_opennmt(residual: bool) -> None:
    """One step of an encoder: word vectors, of which some are fixed, and a stack of LSTM layers."""
    for kind, count in ((authors.OnmtLSTM, 6), (authors.OnmtGRU, 3)):
        inputs = [nn.Identity()() for _ in range(count + 1)]
        vectors = authors.OnmtWordEmbedding(5, 4, fix=residual)(inputs[-1])
        net = pl.nngraph.gModule(inputs, [kind(3, 4, 4, 0.3, residual)([*inputs[:-1], vectors])]).double()
        examples = [[*np.random.default_rng(N).standard_normal((count, N, 4)), np.arange(N)] for N in (2, 4)]
        assert not converted(net, examples, 1e-9)
    features = authors.OnmtFeaturesEmbedding([4, 3], 1, 2, "sum").double()
    assert not converted(features, [[np.arange(N), np.arange(N)] for N in (2, 3)], 1e-9)


@pytest.mark.parametrize(
    "net, examples",
    [
        (lambda: authors.SpatialCircularPadding(2, 1, 0, 1), [(2, 3, 4, 5), (3, 3, 6, 7)]),
        (lambda: authors.SpatialSymmetricPadding(2, 1, 0, 1), [(2, 3, 4, 5), (3, 3, 6, 7)]),
        (lambda: authors.ScaleBHWD(2), [(2, 4, 5, 3), (3, 6, 7, 3)]),
        (lambda: authors.PELU(), [(2, 3), (4, 3)]),
        (lambda: authors.FlowSamplerBHWD(), [[(2, 3, 4, 2), (2, 3, 4, 2)], [(3, 5, 6, 2), (3, 4, 7, 2)]]),
        (lambda: authors.ReverseMaskRNN(authors.SequenceWise(nn.Linear(3, 2))), [[(8, 3), [4, 2]], [(15, 3), [5, 2, 1]]]),
    ],
    ids=["circular", "symmetric", "scale", "pelu", "flow", "mask"],
)
def test_onnx(net: Any, examples: Any, tmp_path: Any) -> None:
    """Batches, and sizes that the layer leaves free, are free in the file."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    layer = net()
    rng = np.random.default_rng(0)

    def drawn(shape: Any) -> Any:
        return rng.standard_normal(shape).astype("f") if isinstance(shape, tuple) else np.array(shape)

    pair = [[*map(drawn, shape)] if isinstance(shape, list) else drawn(shape) for shape in examples]
    exported = pl.to_onnx(layer, tmp_path / "net.onnx", pair)
    assert exported.difference < 1e-5 and exported.fixed == []


def first_noise(action: str) -> Any:
    layer = authors.GenNoise(1)
    layer.num_planes, layer.action = None, action
    return layer


def other_unit() -> Any:
    layer = authors.LstmLayer(3, 2, 4)
    x, c, h = (nn.Identity()() for _ in range(3))
    layer.modules[0] = pl.nngraph.gModule([x, c, h], [c, h, nn.Linear(3, 2)(x)])
    return layer


@pytest.mark.parametrize(
    "net, example, match",
    [
        (lambda: first_noise("fix"), np.ones((2, 3), "f"), 'nn.GenNoise: its action is "fix"'),
        (lambda: authors.OnmtBridge("none", 3, 1, 3, 1), [np.ones((2, 3), "f")], "onmt.Bridge"),
        (other_unit, [np.ones((2, 3), "f")], "nn.LstmLayer: its unit is another one than that of crnn"),
        (lambda: authors.PSNRCriterion(), [np.ones((2, 3), "f")] * 2, "w2nn.PSNRCriterion.*there is no rule"),
    ],
)
def test_what_is_not_written(net: Any, example: Any, match: str) -> None:
    with pytest.raises(NoRule, match=match):
        pl.to_torch(net(), [example, example])


def test_first_noise() -> None:
    assert pl.to_torch(first_noise("zero"), [np.ones((2, 3), "f")] * 2)(torch.ones(2, 3)).abs().sum() == 0
    noise = pl.to_torch(first_noise("rand"), [np.ones((2, 3), "f")] * 2)(torch.ones(4, 3))
    assert noise.shape == (4, 3) and 0 <= noise.min() < noise.max() < 1
