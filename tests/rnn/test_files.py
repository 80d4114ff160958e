"""Recurrent layers of files: clones of steps, fields, the layers of 2015, a state in the middle of a sequence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, nn, rnn, t7
from pytorch_legacy.errors import ShapeError
from tests.rnn.test_sequences import copied, noise
from tests.trees import assert_close

GOLDEN = Path(__file__).parents[1] / "golden" / "recurrent"


def golden(name: str) -> Any:
    return pl.load(GOLDEN / f"{name}.t7")["module"]


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "FastLSTM"])
def test_clones_in_files_follow_the_parameters(kind: str) -> None:
    module = golden(f"Sequencer_{kind}_trained_t2x2")
    assert len(module.module.sharedClones) == 3
    flat, gradient = module.getParameters()
    x = [noise(2, 2) for _ in range(3)]
    flat += 0.125
    output = copied(module.forward(x))
    gradient.fill(0)
    module.backward(x, output)
    assert np.count_nonzero(gradient) > flat.size / 2
    module.evaluate()
    assert_close(module.forward(x), output, 1e-14)


def fields_of(value: Any, seen: dict[int, Any]) -> dict[str, set[str]]:
    """Typename and fields of all objects in a file."""
    found: dict[str, set[str]] = {}

    def visit(value: Any) -> None:
        if isinstance(value, (list, dict)):
            for entry in value.values() if isinstance(value, dict) else value:
                visit(entry)
        elif isinstance(value, t7.TorchObject) and id(value) not in seen:
            seen[id(value)] = value
            found.setdefault(value.typename, set()).update(map(str, value.fields))
            visit(value.fields)

    visit(value)
    return found


def test_fields_of_layers_made_here() -> None:
    """New layers have the fields that Torch7's methods read."""
    made = {
        "LSTM_step_2x3": rnn.LSTM(3, 2),
        "GRU_step_2x3": rnn.GRU(3, 2),
        "FastLSTM_step_2x3": rnn.FastLSTM(3, 2),
        "Sequencer_plain_t2x3": rnn.Sequencer(nn.Linear(3, 2)),
        "Repeater_2x2": rnn.Repeater(rnn.LSTM(2, 2), 3),
        "BiSequencer_t2x3": rnn.BiSequencer(rnn.LSTM(3, 2)),
        "BiSequencerLM_t2x3": rnn.BiSequencerLM(rnn.LSTM(3, 2)),
        "SeqLSTM_4x2x3": rnn.SeqLSTM(3, 2),
        "SeqLSTMP_3x2x3": rnn.SeqLSTMP(3, 4, 2),
        "SeqGRU_4x2x3": rnn.SeqGRU(3, 2),
        "SeqBRNN_3x2x3": rnn.SeqBRNN(3, 2),
        "MaskZero_3x3": rnn.MaskZero(nn.Linear(3, 2), 1),
    }
    for name, module in made.items():
        stored = t7.read(GOLDEN / f"{name}.t7")["module"]
        scratch = {"dpnn_mediumEmpty", *module._form.scratch}
        assert set(stored.fields) - scratch <= set(module._toTorch7()), name


def restored(cls: Any, fields: dict[str, Any]) -> Any:
    module = cls.__new__(cls)
    module._fromTorch7(fields, 1)
    return module


def test_files_of_2015() -> None:
    """Sequencers held layers as they were, repeaters called things otherwise, and maps without bias had one."""
    x = noise(3, 2, 3).astype("f")
    linear = nn.Linear(3, 2)
    sequencer = restored(rnn.Sequencer, {"modules": [linear], "module": linear, "sharedClones": [linear], "isRecurrent": False})
    np.testing.assert_array_equal(sequencer.forward(x), [linear.forward(step).copy() for step in x])
    lstm = rnn.LSTM(3, 2)
    repeater = restored(rnn.Repeater, {"modules": [lstm], "rnn": lstm, "nStep": 3})
    assert len(repeater.forward(x[0])) == 3
    layer = restored(rnn.LinearNoBias, {"weight": linear.weight, "bias": np.zeros(2, "f"), "gradBias": np.zeros(2, "f")})
    assert len(layer.parameters()[0]) == 1
    seq = rnn.SeqLSTM(3, 2)
    fields = {key: value for key, value in seq._toTorch7().items() if key not in ("hiddensize", "_remember")}
    np.testing.assert_array_equal(restored(rnn.SeqLSTM, fields).forward(x), seq.forward(x))


def test_saved_in_the_middle_of_a_sequence() -> None:
    """State and kept steps are in the file."""
    x, g = noise(5, 2, 3), noise(5, 2, 2)
    lstm = rnn.LSTM(3, 2).double()
    for step in x[:3]:
        lstm.forward(step)
    again = restored(rnn.LSTM, lstm._toTorch7())
    assert again.step == 3
    for step in x[3:]:
        np.testing.assert_array_equal(again.forward(step), lstm.forward(step))
    for t in reversed(range(5)):
        np.testing.assert_array_equal(again.backward(x[t], g[t]).copy(), lstm.backward(x[t], g[t]))


@pytest.mark.parametrize("make, size, name, wanted", [
    (lambda: rnn.SeqGRU(3, 2), "outputSize", "weight", "7 x 12"), (lambda: rnn.SeqLSTM(3, 2), "hiddensize", "weight", "5 x 16"),
    (lambda: rnn.SeqLSTMP(3, 2, 2), "outputsize", "weight", "7 x 8"),
    (lambda: authors.TorchRnnLSTM(3, 2), "hidden_dim", "weight", "7 x 16"),
    (lambda: authors.VanillaRNN(3, 2), "hidden_dim", "weight", "7 x 4"),
])  # fmt: skip
def test_sizes_that_do_not_go_with_the_weight(make, size, name, wanted):
    """As a file may have them, or who sets them by hand."""
    layer, x = make(), np.ones((4, 2, 3), np.float32)
    layer.forward(x)
    setattr(layer, size, 4)
    with pytest.raises(ShapeError, match=f"^nn.{type(layer).__name__.replace('TorchRnn', '')}: {name}: expected {wanted}, got"):
        layer.forward(x)
    layer = make()
    layer.bias = layer.bias[1:]
    with pytest.raises(ShapeError, match=": bias: expected "):
        layer.forward(x)


@pytest.mark.parametrize("share", [lambda net: net.sharedClone(), lambda net: net.clone("weight", "bias")])
def test_clones_of_a_file_share_all_places_of_a_parameter(share: Any) -> None:
    """In a file of Torch7 the first step of an rnn.Recurrent has tensors of its own over the memory of the other steps."""
    case = pl.load(GOLDEN / "Recurrent_t2x3.t7")
    net = case["module"]
    clone = share(net)
    for parameter in net.parameters()[0]:
        parameter += 1
    outputs = [one.evaluate().forget().forward(copied(case["input"])) for one in (net, clone)]
    for found, expected in zip(*outputs, strict=True):
        np.testing.assert_array_equal(found, expected)
