"""Steps, memory, masks: what recurrent layers promise beside their gradients."""

from __future__ import annotations

import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn
from pytorch_legacy.errors import (
    ArgumentError,
    DtypeError,
    FieldError,
    IndexRangeError,
    ShapeError,
    UnsupportedError,
    ValueRangeError,
)
from tests.trees import assert_close, leaves, mapped

GOLDEN = Path(__file__).parents[1] / "golden" / "recurrent"
RNG = np.random.default_rng(0)


def noise(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def copied(tree: Any) -> Any:
    return mapped(np.copy, tree)


STEPWISE = [lambda: rnn.LSTM(3, 2), lambda: rnn.FastLSTM(3, 2), lambda: rnn.GRU(3, 2), lambda: rnn.MuFuRu(3, 2)]
SEQUENCES = [
    *[lambda make=make: rnn.Sequencer(make()) for make in STEPWISE],
    lambda: rnn.SeqLSTM(3, 2),
    lambda: rnn.SeqLSTMP(3, 4, 2),
    lambda: rnn.SeqGRU(3, 2),
]


# ---------------------------------------------------------------------------------------------- whole sequences


@pytest.mark.parametrize("module", [rnn.SeqLSTM(3, 2).double(), rnn.SeqGRU(3, 2).double()])
def test_whole_sequences_are_what_steps_are(module: Any) -> None:
    stepwise = rnn.Sequencer(module.toFastLSTM() if isinstance(module, rnn.SeqLSTM) else module.toGRU())
    x, g = noise(5, 4, 3), noise(5, 4, 2)
    np.testing.assert_allclose(stepwise.forward(x), module.forward(x), atol=1e-14)
    module.zeroGradParameters()
    stepwise.zeroGradParameters()
    np.testing.assert_allclose(stepwise.backward(x, g, 0.5), module.backward(x, g, 0.5), atol=1e-14)
    converted = module.toFastLSTM() if isinstance(module, rnn.SeqLSTM) else module.toGRU()
    assert_close(stepwise.parameters()[1], converted.parameters()[1], 1e-13)


OF_ROWS = {
    "linear": lambda: nn.Linear(3, 2),
    "scores": lambda: nn.Sequential(nn.Linear(3, 2), nn.ReLU(True), nn.LogSoftMax()),
    "in place": lambda: nn.Sequential(nn.MulConstant(2, True), nn.Tanh()),
    "words": lambda: nn.Sequential(nn.LookupTable(3, 4), nn.Linear(4, 2)),
}


def steps_of(name: str, shape: tuple[int, ...] = (5, 4, 3)) -> np.ndarray:
    return RNG.integers(0, 3, shape[:2]) if name == "words" else noise(*shape)


def passes(net: Any, x: Any) -> Any:
    """All that a pass there and back gives, or its error."""
    try:
        output = copied(net.forward(x))
        net.zeroGradParameters()
        gradInput = net.backward(x, mapped(lambda y: np.cos(3 * y), output), 0.5)
    except Exception as error:
        return type(error), str(error)
    return [np.stack(output), np.stack(gradInput), net.parameters()[1], x]


@pytest.mark.parametrize("name", OF_ROWS)
def test_all_steps_at_once_are_what_single_ones_are(name: str) -> None:
    """Arrays go through at once where each row stands for itself, lists step by step."""
    atOnce = rnn.Sequencer(OF_ROWS[name]()).double()
    x = steps_of(name)
    stepwise = atOnce.clone()
    for kept in (False, True, False):  # the two ways take turns
        result = passes(atOnce, [*copied(x)] if kept else copied(x))
        assert bool(atOnce.module.outputs) == kept
        assert_close(result[:3], passes(stepwise, [*copied(x)])[:3], 1e-14)
    for some in (x[:1], x[:, 1:3], x.transpose(1, 0, *range(2, x.ndim)), np.asfortranarray(x)):
        assert_close(passes(atOnce, copied(some))[:2], passes(stepwise, [*copied(some)])[:2], 1e-14)
    for mode in ("training", "evaluate"):
        getattr(atOnce, mode)()
        getattr(stepwise, mode)()
        assert_close(atOnce.forward(copied(x)), np.stack(stepwise.forward([*copied(x)])), 1e-14)
    assert passes(atOnce, x)[0] is ValueRangeError  # evaluation keeps no steps


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.parametrize("shape", [(2, 3, 7), (0, 4, 3), (4, 0, 3), (4, 3), (2, 3, 4, 3)])
def test_steps_at_once_have_the_errors_of_single_ones(name: str, shape: tuple[int, ...]) -> None:
    net = rnn.Sequencer(OF_ROWS[name]()).double()
    x = steps_of(name, shape)
    result = passes(net, copied(x))
    net.module.updateOutput = net.module.updateOutput  # a method of somebody's own is called for each step
    again = passes(net, copied(x))
    if isinstance(result, tuple):
        assert again == result
    else:
        assert_close(again, result, 1e-14)


def test_a_copy_goes_back_where_its_original_went() -> None:
    net, x = rnn.Sequencer(nn.Linear(3, 2)).double(), noise(5, 4, 3)
    g = net.forward(x).copy()
    other = net.clone()
    np.testing.assert_array_equal(other.backward(x, g), net.backward([*x], g))


def test_sequencers_may_apply_the_same_layer() -> None:
    layer = nn.Linear(3, 2)
    one, two = rnn.Sequencer(layer).double(), rnn.Sequencer(layer)
    x, y, g, h = noise(5, 4, 3), noise(5, 4, 3), noise(5, 4, 2), noise(5, 4, 2)
    outputs = one.forward(x), two.forward(y)
    assert_close([*outputs], [x @ layer.weight.T + layer.bias, y @ layer.weight.T + layer.bias], 1e-14)
    gradients = one.updateGradInput(x, g), two.updateGradInput(y, h)
    assert_close([*gradients], [g @ layer.weight, h @ layer.weight], 1e-14)


@pytest.mark.parametrize("make", [nn.Dropout, lambda: nn.BatchNormalization(3), lambda: nn.Sum(0)])
def test_what_looks_at_other_rows_goes_step_by_step(make: Any) -> None:
    net = rnn.Sequencer(make())
    net.forward(noise(5, 4, 3).astype("f"))
    assert len(net.module.outputs) == 5


@pytest.mark.parametrize("module", [rnn.SeqLSTM(3, 2), rnn.SeqGRU(3, 2), rnn.SeqLSTMP(3, 2, 2)])
@pytest.mark.parametrize("shape", [(0, 2, 3), (4, 0, 3)])
def test_no_steps_and_no_samples(module: Any, shape: Any) -> None:
    x = np.empty(shape, np.float32)
    output = module.forward(x)
    assert output.shape == (*shape[:2], 2)
    assert module.backward(x, output).shape == shape


@pytest.mark.parametrize("make", SEQUENCES)
def test_remembering_continues_a_sequence(make: Any) -> None:
    module = make().double()
    x, g = noise(6, 4, 3), noise(6, 4, 2)
    whole = module.forward(x).copy()
    module.backward(x, g)
    for mode in ("train", "both"):
        module.remember(mode)
        module.forget()
        parts = [module.forward(part).copy() for part in (x[:2], x[2:5], x[5:])]
        np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-14)
        module.forget()
        np.testing.assert_allclose(module.forward(x[:2]), whole[:2], atol=1e-14)
    module.evaluate()
    parts = [module.forward(part).copy() for part in (x[:2], x[2:])]
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-14)
    for mode in ("train", "neither"):
        module.remember(mode)
        module.forget()
        for _ in range(2):
            np.testing.assert_allclose(module.forward(x[:2]), whole[:2], atol=1e-14)


@pytest.mark.parametrize("make", SEQUENCES)
def test_the_way_back_ends_where_the_sequence_began(make: Any) -> None:
    """Truncated: the state that was remembered is a constant."""
    module = make().double().remember("both")
    x, g = noise(5, 4, 3), noise(5, 4, 2)
    module.forward(x[:2])
    module.backward(x[:2], g[:2])
    module.forward(x[2:])
    first = module.backward(x[2:], g[2:]).copy()
    np.testing.assert_allclose(module.backward(x[2:], g[2:]), first, atol=0)
    shifted = x[2:].copy()
    direction = noise(3, 4, 3)

    def value(step: float) -> float:
        module.forget()
        module.forward(x[:2])
        return float((module.forward(shifted + step * direction) * g[2:]).sum())

    np.testing.assert_allclose((value(1e-6) - value(-1e-6)) / 2e-6, (first * direction).sum(), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("make", SEQUENCES)
def test_lengths_and_batches_may_change(make: Any) -> None:
    module = make()
    for steps, batch in ((4, 3), (2, 5), (6, 1), (1, 0)):
        x = noise(steps, batch, 3).astype("f")
        output = module.forward(x)
        assert output.shape == (steps, batch, 2)
        assert module.backward(x, output.copy()).shape == x.shape


@pytest.mark.parametrize("make", SEQUENCES)
def test_evaluation_gives_the_same_and_keeps_nothing(make: Any) -> None:
    module = make().double()
    x = noise(4, 2, 3)
    expected = module.forward(x).copy()
    module.clearState()
    module.evaluate()
    np.testing.assert_allclose(module.forward(x), expected, atol=1e-14)
    if isinstance(module, rnn.Sequencer):
        assert len(module.module.outputs) == 1
        with pytest.raises(ValueRangeError, match=r"at step 4 of nn\.Sequencer, .*: backward: call training\(\)"):
            module.backward(x, expected)
        module.training()
        module.forward(x)
        module.backward(x, expected)


@pytest.mark.parametrize("make", SEQUENCES)
def test_copies_and_conversions_after_training(make: Any) -> None:
    module = make().double()
    x, g = noise(4, 2, 3), noise(4, 2, 2)
    module.forward(x)
    module.zeroGradParameters()
    expected = module.backward(x, g).copy()
    flat, gradient = module.getParameters()
    for other in (module.clone(), pickle.loads(pickle.dumps(module)), module.clone().float().double()):
        other.forward(x)
        other.zeroGradParameters()
        np.testing.assert_allclose(other.backward(x, g), expected, atol=1e-6)
        assert_close(other.parameters()[1], module.parameters()[1], 1e-6)
    before = module.forward(x).copy()
    module.zeroGradParameters()
    module.backward(x, g)
    assert np.count_nonzero(gradient) > flat.size / 2  # all steps write there
    flat += 0.125
    twin = make().double()
    for target, source in zip(twin.parameters()[0], module.parameters()[0], strict=True):
        target[...] = source
    assert np.abs(module.forward(x) - before).max() > 1e-3
    np.testing.assert_allclose(module.forward(x), twin.forward(x), atol=1e-14)


@pytest.mark.parametrize("make", SEQUENCES)
def test_clear_state_forgets_everything(make: Any) -> None:
    module = make()
    size = len(pickle.dumps(module))
    x = noise(9, 20, 3).astype("f")
    module.backward(x, module.forward(x))
    assert len(pickle.dumps(module)) > 2 * size or isinstance(module, rnn.Sequencer)
    module.clearState()
    cleared = len(pickle.dumps(module))
    more = noise(9, 200, 3).astype("f")
    module.backward(more, module.forward(more))
    module.clearState()
    assert len(pickle.dumps(module)) < 1.1 * cleared  # whatever the batch was
    if isinstance(module, rnn.Sequencer):
        assert module.module.nSharedClone == 9  # clones stay, without what they computed
        assert all(one.output is None or not any(part.size for part in leaves(one.output))
                   for clone in module.module.sharedClones.values() for one in clone.listModules())  # fmt: skip
    else:
        assert cleared < 1.2 * size


@pytest.mark.parametrize("make", SEQUENCES)
def test_a_step_of_learning(make: Any) -> None:
    one, other = make().double(), None
    x, g = noise(3, 2, 3), noise(3, 2, 2)
    other = one.clone()
    one.forward(x)
    one.zeroGradParameters()
    one.backward(x, g)
    one.updateParameters(0.25)
    other.forward(x)
    other.backwardUpdate(x, g, 0.25)
    assert_close(other.parameters()[0], one.parameters()[0], 1e-13)


# ---------------------------------------------------------------------------------------------- single steps


def test_steps_by_hand_are_those_of_a_sequencer() -> None:
    x, g = noise(4, 2, 3), noise(4, 2, 2)
    lstm = rnn.LSTM(3, 2).double()
    sequencer = rnn.Sequencer(lstm.clone())
    lstm.zeroGradParameters()
    sequencer.zeroGradParameters()
    np.testing.assert_array_equal([lstm.forward(step) for step in x], sequencer.forward(x))
    assert lstm.step == 4
    gradients = [lstm.backward(x[t], g[t]).copy() for t in reversed(range(4))]
    np.testing.assert_array_equal(gradients[::-1], sequencer.backward(x, g))
    assert_close(lstm.parameters()[1], sequencer.parameters()[1], 1e-14)
    with pytest.raises(ValueRangeError, match="no step is left; forward went 4"):
        lstm.backward(x[0], g[0])


def test_the_first_step_of_Recurrent_has_no_clone() -> None:
    layer = rnn.Recurrent(2, nn.Linear(3, 2), nn.Linear(2, 2), nn.Tanh(), 4)
    for step in noise(5, 2, 3).astype("f"):
        layer.forward(step)
    assert sorted(layer.sharedClones) == [1, 2, 3, 4] and layer.nSharedClone == 4
    assert sorted(layer.forget().sharedClones) == [1, 2, 3, 4]


def test_the_last_rho_steps_are_kept() -> None:
    x, g = noise(10, 2, 3), noise(10, 2, 2)
    lstm = rnn.LSTM(3, 2, 3).double()
    outputs = [lstm.forward(step) for step in x]
    states = [[lstm.outputs[6].copy(), lstm.cells[6].copy()]]
    assert len(lstm.sharedClones) == 4
    gradients = [lstm.backward(x[t], g[t]).copy() for t in (9, 8, 7)]
    lstm.backward(x[6], g[6])
    with pytest.raises(ValueRangeError, match=r"nn\.LSTM: backward: step 6 is no longer kept; raise rho \(3\)"):
        lstm.backward(x[5], g[5])
    again = lstm.clone().forget()
    again.setHiddenState(-1, states[0])
    for t in (7, 8, 9):
        np.testing.assert_allclose(again.forward(x[t]), outputs[t])
    np.testing.assert_allclose([again.backward(x[t], g[t]).copy() for t in (9, 8, 7)], gradients)


def test_states_of_what_is_inside() -> None:
    """A container has the states of its modules, which go to another one as they are."""
    x, g = noise(6, 2, 3), noise(6, 2, 2)

    def made() -> nn.Sequential:
        cell = nn.Sequential().add(nn.JoinTable(0, 1)).add(nn.Linear(4, 2))
        net = nn.Sequential().add(nn.Identity()).add(rnn.LSTM(3, 2)).add(rnn.Recursor(rnn.GRU(2, 2)))
        return net.add(rnn.Recurrence(cell, 2, 1)).double()

    whole = made()
    part = whole.clone()
    outputs = [whole.forward(step).copy() for step in x]
    states = whole.getHiddenState(3)
    assert states[0] is False and len(states[1]) == 2 and len(states[2]) == 1 and len(states[3]) == 1
    assert whole.getHiddenState()[2][0] is whole.get(2).get(0).outputs[5] and nn.Sequential(nn.Tanh()).getHiddenState() is False
    part.setHiddenState(-1, deepcopy(states))
    np.testing.assert_allclose([part.forward(step).copy() for step in x[4:]], outputs[4:])
    whole.zeroGradParameters()
    gradients = [whole.backward(x[t], g[t]).copy() for t in (5, 4)]
    np.testing.assert_allclose([part.backward(x[t], g[t]).copy() for t in (5, 4)], gradients)
    assert_close(part.getGradHiddenState(-1)[1], whole.getGradHiddenState(3)[1], 1e-12)
    with pytest.raises(ShapeError, match=r"nn\.Sequential: setHiddenState: expected a table of 4, got a list of 1 number"):
        part.setHiddenState(0, [1])


def test_states_of_encoder_and_decoder_are_coupled() -> None:
    """As one network that reads and then writes, through the user's states."""
    x, y, g = noise(3, 2, 3), noise(2, 2, 3), noise(2, 2, 2)
    lstm = rnn.LSTM(3, 2).double()
    whole = rnn.Sequencer(lstm.clone())
    expected = whole.forward(np.concatenate([x, y]))[3:].copy()
    gradients = whole.backward(np.concatenate([x, y]), np.concatenate([np.zeros((3, 2, 2)), g])).copy()
    encoder, decoder = rnn.Sequencer(lstm), rnn.Sequencer(lstm.clone())
    encoder.forward(x)
    decoder.module.userPrevOutput, decoder.module.userPrevCell = copied(lstm.getHiddenState())
    np.testing.assert_allclose(decoder.forward(y), expected)
    np.testing.assert_allclose(decoder.backward(y, g), gradients[3:])
    lstm.setGradHiddenState(None, [decoder.module.userGradPrevOutput, decoder.module.userGradPrevCell])
    np.testing.assert_allclose(encoder.backward(x, np.zeros((3, 2, 2))), gradients[:3], atol=1e-15)


def test_whole_sequences_are_coupled_too() -> None:
    x, y, g = noise(3, 2, 3), noise(2, 2, 3), noise(2, 2, 2)
    for whole in (rnn.SeqLSTM(3, 2).double(), rnn.SeqGRU(3, 2).double()):
        encoder, decoder = whole.clone(), whole.clone()
        expected = whole.forward(np.concatenate([x, y]))[3:].copy()
        gradients = whole.backward(np.concatenate([x, y]), np.concatenate([np.zeros((3, 2, 2)), g])).copy()
        encoder.forward(x)
        decoder.userPrevOutput = encoder.output[-1].copy()
        if isinstance(whole, rnn.SeqLSTM):
            decoder.userPrevCell = encoder.cell[-1].copy()
        np.testing.assert_allclose(decoder.forward(y), expected)
        np.testing.assert_allclose(decoder.backward(y, g), gradients[3:])
        encoder.gradPrevOutput = decoder.userGradPrevOutput
        if isinstance(whole, rnn.SeqLSTM):
            encoder.userNextGradCell = decoder.userGradPrevCell
        np.testing.assert_allclose(encoder.backward(x, np.zeros((3, 2, 2))), gradients[:3], atol=1e-15)


class Rewarded(nn.Identity):
    """Keeps the reward that it gets."""

    reward: Any = None

    def reinforce(self, reward: Any) -> None:
        self.reward = reward


def test_rewards_reach_all_steps() -> None:
    recursor = rnn.Recursor(Rewarded())
    for step in noise(3, 2, 3):
        recursor.forward(step)
    for reward, expected in (("all", ["all"] * 3), (["a", "b", "c"], ["a", "b", "c"])):
        recursor.reinforce(reward)
        assert [getattr(recursor.getStepModule(t), "reward", None) for t in range(3)] == expected


def test_lazy_dropout_is_the_same_in_all_steps() -> None:
    for make in (rnn.LSTM, rnn.FastLSTM, rnn.GRU):
        sequencer = rnn.Sequencer(make(3, 4, p=0.5))
        x = np.ones((3, 5, 3), "f")
        seen = []
        for _ in range(2):
            output = sequencer.forward(x)
            noises = [
                [layer.noise.copy() for layer in clone.listModules() if isinstance(layer, nn.Dropout)]
                for clone in sequencer.module.sharedClones.values()
            ]
            for step in noises[1:]:
                assert_close(step, noises[0], 0)
            sequencer.backward(x, output.copy())
            seen.append(noises[0][0])
        assert (seen[0] != seen[1]).any()


def test_noise_for_all_samples() -> None:
    layer = nn.Dropout(0.5, lazy=True, mono=True)
    x = np.ones((6, 40), "f")
    output = layer.forward(x).copy()
    assert (output == output[0]).all()
    assert 0 < np.count_nonzero(output[0]) < 40
    np.testing.assert_array_equal(layer.forward(x[:3]), output[:3])
    layer.backward(x[:3], x[:3])
    assert (layer.forward(x) != output).any()
    assert str(layer) == "nn.Dropout(0.5, lazy)"
    assert "flag" not in nn.Dropout()._toTorch7()


# ---------------------------------------------------------------------------------------------- masks


def test_masked_steps_part_sequences() -> None:
    x = noise(7, 2, 3)
    x[3, 0] = x[2, 1] = x[6, 1] = 0
    for make in (rnn.SeqLSTM, rnn.SeqGRU):
        whole = make(3, 2).double()
        alone = whole.clone()
        output = whole.maskZero().forward(x)
        for column, parts in ((0, [(0, 3), (4, 7)]), (1, [(0, 2), (3, 6)])):
            for start, end in parts:
                np.testing.assert_allclose(output[start:end, column], alone.forward(x[start:end, column : column + 1])[:, 0])
        assert not output[[3, 2, 6], [0, 1, 1]].any()
        stepwise = rnn.Sequencer((alone.toFastLSTM() if make is rnn.SeqLSTM else alone.toGRU()).maskZero(1))
        trimmed = rnn.Sequencer((alone.toFastLSTM() if make is rnn.SeqLSTM else alone.toGRU()).trimZero(1))
        for module in (stepwise, trimmed):
            np.testing.assert_allclose(module.forward(x), output, atol=1e-14)
            np.testing.assert_allclose(module.backward(x, output), whole.backward(x, output), atol=1e-14)


def test_mask_of_tables_and_single_samples() -> None:
    layer = rnn.MaskZero(nn.ParallelTable().add(nn.AddConstant(1.0)).add(nn.AddConstant(2.0)), 1).double()
    x = np.array([[0.0, 0], [1, 0]])
    first, second = layer.forward([x, x])
    np.testing.assert_array_equal(first, [[0, 0], [2, 1]])
    np.testing.assert_array_equal(second, [[0, 0], [3, 2]])
    assert not layer.forward([x[0], x[0]])[0].any()
    with pytest.raises(ShapeError, match=r"nn\.MaskZero: input: expected 1 dimensions, or one more for a batch, got 1 x 1 x 2"):
        layer.forward([x[None, :1], x])
    with pytest.raises(ShapeError, match=r"nn\.MaskZero: output: expected 2 rows"):
        rnn.MaskZero(nn.Narrow(0, 0, 1), 1).double().forward(x)


@pytest.mark.parametrize("rows", [[0, 0, 0], [1, 0, 1], [1, 1, 1]])
def test_trimmed_layers_learn_from_the_other_rows(rows: list[int]) -> None:
    plain = nn.Linear(3, 2).double()
    layer = rnn.TrimZero(plain.clone(), 1).double()
    x, g = noise(3, 3) * np.array(rows)[:, None], noise(3, 2)
    output = layer.forward(x)
    kept = np.array(rows, bool)
    np.testing.assert_allclose(output[kept], plain.forward(x)[kept])
    assert not output[~kept].any()
    layer.zeroGradParameters()
    plain.zeroGradParameters()
    gradInput = layer.backward(x, g)
    plain.backward(x, g * np.array(rows)[:, None])
    np.testing.assert_allclose(gradInput, plain.gradInput)
    assert_close(layer.parameters()[1], plain.parameters()[1], 1e-14)


def test_words_count_from_one_and_padding_is_zero() -> None:
    table = rnn.LookupTableMaskZero(5, 3)
    assert table.weight.shape == (6, 3)
    output = table.forward(np.array([[0, 1], [5, 0]]))
    assert not output[[0, 1], [0, 1]].any()
    np.testing.assert_array_equal(output[1, 0], table.weight[5])
    with pytest.raises(IndexRangeError):
        table.forward(np.array([6]))


# ---------------------------------------------------------------------------------------------- criterions


def test_losses_of_steps() -> None:
    x, y = noise(3, 4, 5), np.array([[0, 1, 2, 3], [4, 0, 1, 2], [3, 4, 0, 1]])
    single = nn.CrossEntropyCriterion().double()
    for criterion, targets in ((rnn.SequencerCriterion, y), (rnn.RepeaterCriterion, [y[0]] * 3)):
        for average in (False, True):
            loss = criterion(single, average).double()
            target = y if criterion is rnn.SequencerCriterion else y[0]
            scale = 3 if average else 1
            expected = sum(single.forward(a, b) for a, b in zip(x, targets, strict=True)) / scale
            np.testing.assert_allclose(loss.forward(x, target), expected)
            gradients = [single(a, b)[1].copy() / scale for a, b in zip(x, targets, strict=True)]
            np.testing.assert_allclose(loss.backward(x, target), gradients)
            np.testing.assert_allclose(loss.forward(list(x), target if criterion is rnn.RepeaterCriterion else list(y)), expected)
            assert_close(loss.backward(list(x), target), gradients, 1e-15)
    with pytest.raises(ShapeError, match=r"nn\.SequencerCriterion: target: expected 3 steps as in the input, got a table of 2"):
        rnn.SequencerCriterion(single).forward(x, list(y[:2]))


def test_loss_without_padding() -> None:
    x, y = noise(4, 3), noise(4, 3)
    x[[0, 2]] = 0
    loss = rnn.MaskZeroCriterion(nn.MSECriterion(), 1).double()
    np.testing.assert_allclose(loss.forward(x, y), ((x - y)[[1, 3]] ** 2).mean())
    gradient = loss.backward(x, y)
    np.testing.assert_allclose(gradient[[1, 3]], (x - y)[[1, 3]] * 2 / 6)
    assert not gradient[[0, 2]].any()
    assert loss.forward(np.zeros((4, 3)), y) == 0
    assert not loss.backward(np.zeros((4, 3)), y).any()
    with pytest.raises(ShapeError, match="expected a batch of 2 dimensions"):
        loss.forward(x[1], y[1])


# ---------------------------------------------------------------------------------------------- building


def test_defaults() -> None:
    lstm = rnn.LSTM(3)
    assert (lstm.outputSize, lstm.rho, lstm.cell2gate, lstm.p, lstm.mono, lstm.step) == (3, 9999, True, 0, False, 0)
    assert len(lstm.parameters()[0]) == 15
    assert len(rnn.LSTM(3, 2, cell2gate=False).parameters()[0]) == 12
    assert [p.shape for p in rnn.FastLSTM(3, 2).parameters()[0]] == [(8, 3), (8,), (8, 2)]
    assert [p.shape for p in rnn.GRU(3, 2).parameters()[0]] == [(4, 3), (4,), (4, 2), (2, 3), (2,), (2, 2)]
    assert rnn.Recurrent(2, nn.Linear(3, 2), nn.Linear(2, 2)).rho == 99999
    assert isinstance(rnn.Sequencer(nn.Linear(3, 2)).module, rnn.Recursor)
    assert rnn.MuFuRu(3, 2).ops == ["keep", "replace", "mul", "diff", "forget", "sqrt_diff", "max", "min"]
    layer = rnn.SeqLSTM(3, 2)
    np.testing.assert_array_equal(layer.bias, [0, 0, 1, 1, 0, 0, 0, 0])
    projecting = rnn.SeqLSTMP(3, 4, 2)
    np.testing.assert_array_equal(projecting.bias, [0] * 4 + [1] * 4 + [0] * 8)
    assert projecting.weight.shape == (5, 16)
    assert pl.nn.LSTM is rnn.LSTM


def test_migration_to_dropout() -> None:
    plain, noisy = rnn.GRU(3, 2).double(), rnn.GRU(3, 2, p=0.25).double()
    noisy.migrate(plain.parameters()[0])
    plain.evaluate()
    noisy.evaluate()
    x = noise(4, 3)
    np.testing.assert_allclose(noisy.forward(x), plain.forward(x))
    with pytest.raises(ShapeError, match="migrate: expected the 6 parameters"):
        plain.migrate(plain.parameters()[0])


ERRORS = [
    (lambda: rnn.Sequencer(3), ArgumentError, r"nn\.Sequencer: module: expected a module, got 3"),
    (
        lambda: rnn.Sequencer(rnn.LSTM(3, 2)).remember("always"),
        ValueRangeError,
        r"remember: .*got 'always'",
    ),
    (lambda: rnn.Sequencer(rnn.LSTM(3, 2)).forward([]), ShapeError, r"nn\.Sequencer: input: expected a table with at least one"),
    (
        lambda: rnn.Sequencer(rnn.LSTM(3, 2)).forward(np.ones(3, "f")),
        ShapeError,
        r"nn\.Sequencer: input: expected an array",
    ),
    (
        lambda: rnn.Sequencer(rnn.LSTM(3, 2)).forward("x"),
        DtypeError,
        "input: expected an array or a table of steps",
    ),
    (
        lambda: rnn.Sequencer(rnn.LSTM(3, 2)).forward([np.ones((1, 3), "f"), np.ones((1, 4), "f")]),
        ShapeError,
        r"at step 2 of nn\.Sequencer, in the step of nn\.LSTM, in module 1 of nn\.Sequential, .*Linear.*expected",
    ),
    (lambda: rnn.Recurrent(2, nn.Linear(3, 2), nn.Linear(2, 2)).maskZero(1), UnsupportedError, "use nn.Recurrence"),
    (lambda: rnn.Recurrence(nn.Identity(), 2, 1).forward(np.ones((1, 1, 1), "f")), ShapeError, "expected 1 dimensions"),
    (lambda: rnn.GRU(3, 2, p=0.5).trimZero(1), UnsupportedError, "mono=True"),
    (lambda: rnn.MuFuRu(3, 2, ["plus"]), ValueRangeError, r"nn\.MuFuRu: ops: expected some of keep"),
    (
        lambda: rnn.SeqLSTM(3, 2).forward(np.ones((4, 2, 5), "f")),
        ShapeError,
        "nn.SeqLSTM: input: expected 4 x 2 x 3, got 4 x 2",
    ),
    (lambda: rnn.SeqGRU(3, 2).forward(np.ones((4, 3), "f")), ShapeError, r"nn\.SeqGRU: input: expected a 3-D array"),
    (lambda: rnn.SeqGRU(3, 2).backward(np.ones((4, 1, 3), "f"), np.ones((4, 1, 2), "f")), ValueRangeError, "call forward first"),
    (
        lambda: rnn.SeqGRU(3, 2).forward([np.ones((2, 2), "f"), np.ones((4, 1, 3), "f")]),
        ShapeError,
        r"nn\.SeqGRU: h0: expected 1 x 2, got 2 x 2",
    ),
    (lambda: rnn.SeqLSTMP(3, 4, 2).toFastLSTM(), UnsupportedError, "no projection"),
    (lambda: rnn.BiSequencerLM(rnn.LSTM(3, 2)).forward([np.ones((1, 3), "f")]), ShapeError, "expected two or more steps"),
    (lambda: rnn.BiSequencer(rnn.LSTM(3, 2), "x"), ArgumentError, r"nn\.BiSequencer: backward: expected a module"),
    (lambda: rnn.ExpandAs().forward([np.ones((2, 3), "f"), np.ones((2, 2), "f")]), ShapeError, "expected 2 x 3, or 1 instead"),
    (lambda: rnn.SequencerCriterion(nn.Linear(1, 1)), ArgumentError, r"nn\.SequencerCriterion: criterion: expected a criterion"),
    (lambda: rnn.LSTM(3, 2).accGradParameters(np.ones(3, "f"), np.ones(2, "f")), ValueRangeError, "no step is left"),
]


@pytest.mark.parametrize("call, error, text", ERRORS)
def test_errors(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_a_criterion_may_be_set_later() -> None:
    loss = rnn.SequencerCriterion()
    with pytest.raises(FieldError, match="criterion: expected a criterion, got None"):
        loss.forward([np.zeros(2)], [np.zeros(2)])
    loss.criterion = nn.MSECriterion()
    assert loss.forward([np.float32([1]), np.float32([2])], [np.float32([1]), np.float32([5])]) == 9
