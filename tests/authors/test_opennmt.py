"""OpenNMT's networks: a checkpoint as it writes them translates, and its word vectors."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, nn, nngraph, t7
from pytorch_legacy.errors import DtypeError, FieldError, IndexRangeError, ShapeError, ValueRangeError
from tests.authors.cases import attended, generated, lstm_gates
from tests.authors.test_layers import draw, reloaded

WORDS, SIZE, LAYERS = 6, 4, 2


def encoder() -> Any:
    """One step: of all states and the words of the batch to the next states."""
    inputs = [nn.Identity()() for _ in range(2 * LAYERS + 1)]
    vectors = authors.OnmtWordEmbedding(WORDS, 3)(inputs[-1])
    return nngraph.gModule(inputs, [authors.OnmtLSTM(LAYERS, 3, SIZE, 0.3)([*inputs[:-1], vectors])])


def decoder() -> Any:
    """One step with input feeding: of states, words, context and the last output, to states and output."""
    inputs = [nn.Identity()() for _ in range(2 * LAYERS + 3)]
    *states, words, context, fed = inputs
    vectors = nn.JoinTable(1)([authors.OnmtWordEmbedding(WORDS, 3)(words), fed])
    made = authors.OnmtLSTM(LAYERS, 3 + SIZE, SIZE)([*states, vectors]).split(2 * LAYERS)
    return nngraph.gModule(inputs, [*made, authors.OnmtGlobalAttention(SIZE)([made[-1], context])])


def lstm(parameters: list[Any], states: list[Any], x: Any) -> list[Any]:
    outputs: list[Any] = []
    for i in range(LAYERS):
        W, b, R, d = parameters[4 * i : 4 * i + 4]
        outputs += lstm_gates(x @ W.T + b + states[2 * i + 1] @ R.T + d, states[2 * i])
        x = outputs[-1]
    return outputs


def test_checkpoint() -> None:
    """The tables of a checkpoint hold one network for each side; both run step by step, as translate.lua runs them."""
    generator = authors.OnmtGenerator(SIZE, WORDS)
    content = {
        "models": {
            "encoder": {"name": "Encoder", "modules": [encoder()], "args": {"rnnSize": SIZE, "numEffectiveLayers": 2 * LAYERS}},
            "decoder": {"modules": [decoder(), generator], "args": {"rnnSize": SIZE, "inputFeed": True}},
        },
        "options": {"layers": LAYERS},
    }
    file = io.BytesIO()
    pl.save(file, content)
    models = pl.load(file.getvalue())["models"]
    encode = models["encoder"]["modules"][0].double().evaluate()
    decode, generate = (module.double().evaluate() for module in models["decoder"]["modules"])
    names = [type(module).__name__ for module in encode.modules]
    assert "OnmtWordEmbedding" in names and "OnmtLSTM" in names

    source, target = np.array([[3, 2], [5, 1], [1, 4]]), np.array([[2, 2], [4, 1]])
    states = expected = [np.zeros((2, SIZE))] * (2 * LAYERS)
    context, table, parameters = [], encode.parameters()[0][0], encode.parameters()[0][1:]
    for words in source:
        states = [array.copy() for array in encode.forward([*states, words])]
        expected = lstm(parameters, expected, table[words])
        context.append(states[-1])
    np.testing.assert_allclose(states, expected, atol=1e-12)

    memory, fed, fedHere = np.stack(context, 1), np.zeros((2, SIZE)), np.zeros((2, SIZE))
    table, *parameters, first, second = decode.parameters()[0]

    class Attention:
        def parameters(self) -> Any:
            return [first, second], []

    for words in target:
        *states, fed = (array.copy() for array in decode.forward([*states, words, memory, fed]))
        expected = lstm(parameters, expected, np.concatenate([table[words], fedHere], 1))
        fedHere = attended(Attention(), [expected[-1], memory])
        (scores,) = generate.forward(fed)
        np.testing.assert_allclose(scores, generated(generate, fedHere)[0], atol=1e-12)
    softmax = next(module for module in decode.listModules() if getattr(module, "name", None) == "softmaxAttn")
    assert softmax.output.shape == (2, 3)


def test_training_step_lowers_the_loss() -> None:
    """Gradients reach the word vectors through states and attention."""
    pl.manualSeed(3)
    net, generator, loss = encoder().double(), authors.OnmtGenerator(SIZE, WORDS).double(), nn.ClassNLLCriterion().double()
    states, words, target = [draw(2, SIZE, seed=i) for i in range(4)], np.array([3, 2]), np.array([4, 1])
    net.evaluate()
    losses = []
    for _ in range(20):
        hidden = net.forward([*states, words])
        scores = generator.forward(hidden[-1])
        losses.append(loss.forward(scores[0], target))
        for module in (net, generator):
            module.zeroGradParameters()
        gradient = generator.backward(hidden[-1], [loss.backward(scores[0], target)])
        net.backward([*states, words], [*(np.zeros((2, SIZE)) for _ in range(3)), gradient])
        for module in (net, generator):
            module.updateParameters(0.5)
    assert losses[-1] < losses[0] / 2


def test_first_generators() -> None:
    """The network of an early file gives one array, and that for features has a generator in it."""
    plain = reloaded("onmt.Generator", {"net": (net := net_of(3, 5)), "modules": [net], "_type": "torch.DoubleTensor"})
    x, g = draw(2, 3), [draw(2, 5, seed=2)]
    (output,) = plain.forward(x)
    inner = plain.net
    np.testing.assert_array_equal(output, inner.forward(x))
    plain.zeroGradParameters()
    np.testing.assert_array_equal(plain.backward(x, g), inner.updateGradInput(x, g[0]))
    assert inner.modules[0].gradWeight.any()
    with pytest.raises((DtypeError, ShapeError), match=r"onmt\.Generator: gradOutput: expected a table of 1"):
        plain.backward(x, g[0])
    words = t7.TorchObject("onmt.Generator", 1, {"net": net, "modules": [net], "_type": "torch.DoubleTensor"})
    both = record("nn.ConcatTable", record("nn.Sequential", words, record("nn.SelectTable", index=1)), net_of(3, 2))
    old = reloaded("onmt.FeaturesGenerator", {"net": both, "modules": [both], "_type": "torch.DoubleTensor"})
    first, second = old.forward(x)
    np.testing.assert_array_equal(first, output)
    assert second.shape == (2, 2) and old.backward(x, [*g, draw(2, 2)]).shape == (2, 3)


def record(typename: str, *modules: t7.TorchObject, **fields: Any) -> t7.TorchObject:
    return t7.TorchObject(typename, 1, {"_type": "torch.DoubleTensor", **fields, **({"modules": [*modules]} if modules else {})})


def net_of(inputs: int, outputs: int) -> t7.TorchObject:
    weight, bias = draw(outputs, inputs), draw(outputs)
    linear = record("nn.Linear", weight=weight, bias=bias, gradWeight=np.zeros_like(weight), gradBias=np.zeros_like(bias))
    return record("nn.Sequential", linear, record("nn.LogSoftMax"))


def test_network() -> None:
    """The network is the one module, in files too; without a list of modules it is taken from `net`."""
    layer = authors.OnmtNetwork(nn.Linear(3, 2)).double()
    file = io.BytesIO()
    pl.save(file, layer)
    saved = t7.read(file.getvalue())
    assert saved.fields["net"] is saved.fields["modules"][0] and repr(layer) == "onmt.Network @ nn.Linear(3 -> 2)"
    layer.set(nn.Identity())
    assert isinstance(layer.net, nn.Identity) and layer.listModules()[1:] == [layer.net]
    bare = reloaded("onmt.Network", {"net": record("nn.Square")})
    assert bare.forward(np.float64([3])).item() == 9
    with pytest.raises(FieldError, match=r"onmt\.Network: there is no module in it"):
        empty = authors.OnmtNetwork(nn.Identity())
        empty.modules.clear()
        empty.forward(np.float32([1]))


def test_bridge_without_states() -> None:
    bridge = authors.OnmtBridge("none", 3, 2, 3, 2)
    states = [np.ones((1, 3), np.float32)] * 2
    assert bridge.forward(states) is None and bridge.backward(states, None) is None and repr(bridge) == "onmt.Bridge"
    file = io.BytesIO()
    pl.save(file, bridge)
    assert pl.load(file.getvalue()).forward(states) is None
    assert reloaded("onmt.Bridge", {"train": True}).forward(states) is None


# ------------------------------------------------------------------------------------------------ word vectors


def test_word_vectors() -> None:
    layer = authors.OnmtWordEmbedding(4, 2).double()
    weight = layer.net.weight
    assert not weight[0].any() and weight[1:].all()
    words, g = np.array([[1, 0], [3, 1]]), draw(2, 2, 2)
    np.testing.assert_array_equal(layer.forward(words), weight[words])
    layer.zeroGradParameters()
    layer.backward(words, g, 0.5)
    expected = np.zeros((4, 2))
    np.add.at(expected, words, 0.5 * g)
    expected[0] = 0
    np.testing.assert_allclose(layer.net.gradWeight, expected)
    before = weight.copy()
    layer.accUpdateGradParameters(words, g, 0.5)
    np.testing.assert_allclose(layer.net.weight, before - expected)
    assert layer.forward(np.empty((0, 3), int)).shape == (0, 3, 2)


@pytest.mark.parametrize("padding", [0, 1])
def test_word_vectors_of_files(padding: int) -> None:
    """The vector of the first word stays in files whose table has no padding, too. Words count from 1 there."""
    table = record("nn.LookupTable", weight=np.arange(8.0).reshape(4, 2), gradWeight=np.zeros((4, 2)), paddingValue=padding)
    fields = {"net": table, "modules": [table], "vocabSize": 4, "preTrained": "", "_type": "torch.DoubleTensor"}
    layer = reloaded("onmt.WordEmbedding", fields)
    words = np.array([0, 2])
    assert layer.forward(words).tolist() == [[0, 1], [4, 5]]
    layer.backward(words, np.ones((2, 2)))
    assert layer.net.gradWeight.tolist() == [[0, 0], [0, 0], [1, 1], [0, 0]]
    layer.accUpdateGradParameters(words, np.ones((2, 2)), 1)
    assert layer.net.weight[0].tolist() == [0, 1] and layer.net.weight[2].tolist() == [3, 4]
    layer.postParametersInitialization()
    assert layer.net.weight[0].tolist() == [0, 0]


def test_fixed_word_vectors(tmp_path: Any) -> None:
    """They are no parameters, and no step changes them, whether they come from an array or a file."""
    vectors = draw(4, 2)
    pl.save(tmp_path / "vectors.t7", vectors)
    for source in (vectors, str(tmp_path / "vectors.t7")):
        layer = authors.OnmtWordEmbedding(4, 2, source, True).double()
        net = nn.Sequential().add(layer).add(nn.Linear(2, 3)).double()
        kept, words = layer.net.weight.copy(), np.array([1, 2])
        np.testing.assert_array_equal(kept[1:], vectors.astype("f")[1:])
        net.forward(words)
        net.backward(words, draw(2, 3))
        net.updateParameters(1)
        net.accUpdateGradParameters(words, draw(2, 3), 1)
        np.testing.assert_array_equal(layer.net.weight, kept)
        assert len(net.parameters()[0]) == 2 and layer.clone().parameters() == ([], [])
    file = io.BytesIO()
    pl.save(file, layer)
    saved = t7.read(file.getvalue())
    assert saved.fields["fix"] is True and saved.fields["net"].fields.get("gradWeight") is None
    loaded = pl.load(file.getvalue())
    assert loaded.parameters() == ([], [])
    loaded.backward(words, draw(2, 2))
    assert loaded.parameters() == ([], [])
    loaded.fixEmbeddings(False)
    loaded.backward(words, np.ones((2, 2)))
    assert loaded.parameters()[1][0].tolist() == [[0, 0], [1, 1], [1, 1], [0, 0]]
    loaded.fixEmbeddings(True)
    assert loaded.parameters() == ([], [])


def test_word_vectors_that_are_fixed_in_part() -> None:
    layer = authors.OnmtWordEmbedding(3, 3, [[9, 9], [1, 2], [3, 4]], True).double()
    words, weight = np.array([1, 2]), layer.net.weight.copy()
    assert weight[:, :2].tolist() == [[0, 0], [1, 2], [3, 4]]
    layer.zeroGradParameters()
    layer.backward(words, np.ones((2, 3)))
    assert layer.net.gradWeight.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 1]]
    layer.accUpdateGradParameters(words, np.ones((2, 3)), 1)
    np.testing.assert_array_equal(layer.net.weight, weight - [[0, 0, 0], [0, 0, 1], [0, 0, 1]])


def test_features() -> None:
    layer = authors.OnmtFeaturesEmbedding([4, 9], 0.5, 20, "concat").double()
    first, second = (module.net.weight for module in layer.net.modules if isinstance(module, authors.OnmtWordEmbedding))
    features = [np.array([3, 1]), np.array([8, 0])]
    np.testing.assert_array_equal(layer.forward(features), np.concatenate([first[features[0]], second[features[1]]], 1))
    assert layer.outputSize == 5
    added = authors.OnmtFeaturesEmbedding([4, 9], 0.5, 3, "sum").double()
    first, second = added.parameters()[0]
    np.testing.assert_array_equal(added.forward(features), first[features[0]] + second[features[1]])
    alone = authors.OnmtFeaturesEmbedding([4], 1, 3).double()
    assert alone.forward(features[0]).shape == (2, 4)
    file = io.BytesIO()
    pl.save(file, added)
    np.testing.assert_array_equal(pl.load(file.getvalue()).forward(features), added.output)


def test_dropout_is_between_layers() -> None:
    layer = authors.OnmtLSTM(3, 2, 4, 0.5)
    assert sum(isinstance(module, nn.Dropout) for module in layer.listModules()) == 2
    assert not any(isinstance(module, nn.Dropout) for module in authors.OnmtGRU(1, 2, 4, 0.5).listModules())


@pytest.mark.parametrize(
    "make, error, match",
    [
        (lambda: authors.OnmtLSTM(0, 2, 3), ValueRangeError, "onmt.LSTM: layers: expected 1 or more, got 0"),
        (lambda: authors.OnmtGRU(1, 2, 0), ValueRangeError, "onmt.GRU: hiddenSize: expected 1 or more, got 0"),
        (lambda: authors.OnmtGRU(1, 2, 3, 1.0), ValueRangeError, "onmt.GRU: dropout: expected 0 to less than 1, got 1.0"),
        (lambda: authors.OnmtWordEmbedding(4, 2, np.zeros((4, 3))), ShapeError, "4 vectors of 2 elements or less, got 4"),
        (lambda: authors.OnmtWordEmbedding(4, 2, np.zeros((3, 2))), ShapeError, "preTrained: expected 4 vectors .*, got 3 x 2"),
        (lambda: authors.OnmtWordEmbedding(4, 2).forward(np.array([4])), IndexRangeError, "nn.LookupTable: .*4"),
        (lambda: authors.OnmtFeaturesEmbedding([4], 1, 2, "max"), ValueRangeError, 'merge: expected "concat" or "sum", got'),
        (lambda: authors.OnmtFeaturesEmbedding([], 1, 2), ValueRangeError, "onmt.FeaturesEmbedding: the number of vocabSizes"),
        (lambda: authors.OnmtGenerator(3, [4, 0]), ValueRangeError, r"onmt.Generator: sizes\[1\]: expected 1 or more, got 0"),
        (lambda: authors.OnmtGenerator(3, []), ValueRangeError, "onmt.Generator: the number of sizes: expected 1 or more, got 0"),
        (lambda: authors.OnmtMaskedSoftmax([2, 5], 4), ValueRangeError, r"sourceSizes\[1\]: expected 4 or less, got 5"),
        (lambda: authors.OnmtMaskedSoftmax([0], 4), ValueRangeError, r"sourceSizes\[0\]: expected 1 or more, got 0"),
        (lambda: authors.OnmtBridge("copy", 3, 2, 3, 4), ValueRangeError,
         "bridgeType: 'copy' expects as many states of the same size, got 2 states of size 3 and 4 states of size 3"),
        (lambda: authors.OnmtBridge("last", 3, 2, 3, 2), ValueRangeError, "bridgeType: 'last' expects more states of the enc"),
        (lambda: authors.OnmtBridge("best", 3, 2, 3, 2), ValueRangeError, 'expected "copy", "dense", .* got \'best\''),
        (lambda: authors.OnmtJoinReplicateTable(0, 1).forward([np.ones((2, 1), "f"), np.ones((3, 1), "f")]), ShapeError,
         r"onmt.JoinReplicateTable: input\[1\]: expected 1 or 2 in dimension 0, got 3 x 1"),
        (lambda: authors.OnmtJoinReplicateTable(0, 2).forward([np.ones((2, 1), "f")]), IndexRangeError,
         "dimensionJoin: 2 is out of range for a 2-D array"),
        (lambda: authors.OnmtJoinReplicateTable(0, 1).forward([np.ones((2, 1), "f"), np.ones(3, "f")]), ShapeError,
         r"input\[1\]: expected a 2-D array, got 1-D \(3\)"),
    ],
)  # fmt: skip
def test_errors(make: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        make()
