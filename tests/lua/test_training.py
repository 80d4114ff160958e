"""Whole programs of the time: they read data, train, write logs and files, and go on from these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl

SCRIPTS = Path(__file__).parent / "scripts"
CHARACTERS = SCRIPTS / "characters"
TEXT = "the cat sat on the mat, the rat ran at the cat.\n" * 14
GRADIENT = """
local recurrent = require 'recurrent'
torch.manualSeed(2)
local options = {letters = 5, size = 3, layers = 2, dropout = 0}
local step = recurrent.step(options)
local parameters, gradients = step:getParameters()
parameters:uniform(-1, 1)
local unrolled = recurrent.unroll(step, 4)
local data = torch.LongTensor(5, 2):random(5)
local block = {inputs = data:narrow(1, 1, 4), targets = data:narrow(1, 2, 4)}
local function loss() return (unrolled:forward(block, recurrent.start(options, 2))) end
gradients:zero()
loss()
unrolled:backward(block)
local worst = 0
for i = 1, parameters:size(1) do
   local before, d = parameters[i], 1e-5
   parameters[i] = before + d
   local above = loss()
   parameters[i] = before - d
   local slope = (above - loss()) / (2 * d)
   parameters[i] = before
   worst = math.max(worst, math.abs(slope - gradients[i]))
end
return worst, gradients:norm()
"""


def plain(table: Any) -> list[Any]:
    """Returns a table that counts from 1 as a list."""
    return [table[i] for i in range(1, len(table) + 1)]


def train(folder: Path, *arguments: str) -> Any:
    """Runs the training of letters. Returns losses, held-out losses and parameters."""
    (folder / "text.txt").write_text(TEXT)
    options = ("-text", str(folder / "text.txt"), "-folder", str(folder / "models"), *arguments)
    found = pl.lua.run(CHARACTERS / "train.lua", *options, path=[CHARACTERS])
    return plain(found["losses"]), plain(found["validation"]), found["parameters"]


def test_letters(tmp_path, capsys):
    losses, validation, parameters = train(tmp_path)
    assert len(losses) == 60 and validation == sorted(validation, reverse=True) and validation[-1] < 0.3 < 2 < losses[0]
    assert "14 letters, 12 blocks \n3662 parameters \n" in (tmp_path / "models" / "log.txt").read_text()
    assert np.array_equal(train(tmp_path)[2], parameters)  # the same seed, the same numbers

    model = str(tmp_path / "models" / "epoch5.t7")
    options = ("-begin", "the ", "-temperature", "0", "-length", "30")
    text = pl.lua.run(CHARACTERS / "sample.lua", model, *options, path=[CHARACTERS])
    assert text.startswith("the cat ") and len(text) == 34 and set(text) <= set(TEXT)
    assert capsys.readouterr().out.endswith(text + "\n")
    drawn = [pl.lua.run(CHARACTERS / "sample.lua", model, "-seed", seed, path=[CHARACTERS]) for seed in ("3", "3", "4")]
    assert drawn[0] == drawn[1] != drawn[2]
    with pytest.raises(pl.lua.LuaError, match="the model does not know Q"):
        pl.lua.run(CHARACTERS / "sample.lua", model, "-begin", "Q", path=[CHARACTERS])

    _, more, _ = train(tmp_path, "-from", model, "-epochs", "1")
    assert more[0] < validation[-1] and (tmp_path / "models" / "epoch6.t7").exists()
    kept = pl.load(model)
    assert kept["letters"] == sorted(set(TEXT)) and kept["step"]._typename == "nn.gModule"


def test_letters_have_the_gradient_of_their_loss():
    worst, norm = pl.lua.Session(requires=["nngraph"], path=[CHARACTERS]).execute(GRADIENT)
    assert worst < 1e-9 < 0.1 < norm


def pictures(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Returns pictures of the form of CIFAR-10. A class is brighter in one colour."""
    labels = rng.integers(0, 3, count)
    data = rng.integers(0, 60, (count, 3, 32, 32))
    data[np.arange(count), labels] += 120
    return {"data": data.astype(np.uint8), "labels": labels.astype(np.uint8)}


def test_pictures(tmp_path, capsys):
    rng = np.random.default_rng(0)
    for name, count in (("train", 60), ("test", 21)):
        pl.save(tmp_path / f"{name}.t7", pictures(rng, count))
    files = ("--train", f"{tmp_path}/train.t7", "--test", f"{tmp_path}/test.t7", "-s", f"{tmp_path}/logs")
    found = pl.lua.run(SCRIPTS / "cifar.lua", *files, "-m", "0.5", "--max_epoch", "4")
    loss, accuracy = plain(found["loss"]), plain(found["test"])
    assert loss == sorted(loss, reverse=True) and loss[-1] < 0.8 * loss[0] and accuracy[-1] > 90
    lines = (tmp_path / "logs" / "test.log").read_text().split("\n")
    assert lines[0].split("\t")[:2] == ["% mean class accuracy (train set)", "% mean class accuracy (test set)"]
    assert [float(line.split("\t")[1]) for line in lines[1:5]] == pytest.approx(accuracy, rel=1e-4)
    assert capsys.readouterr().out.count("global correct: ") == 4
    features = pl.load(tmp_path / "logs" / "model.net")
    assert features._typename == "nn.Sequential" and features[0].weight.dtype == np.float32
    features.evaluate()
    x = rng.standard_normal((2, 3, 32, 32)).astype(np.float32)
    assert np.array_equal(features.forward(x), found["model"][2].forward(x))


def test_an_adversarial_network(capsys):
    found = pl.lua.run(SCRIPTS / "gan.lua")
    assert found["mean"] == pytest.approx(3, abs=0.3) and found["std"] == pytest.approx(0.5, abs=0.3)
    assert found["seen"][1] == found["seen"][2] == 150  # both threads gave half of the batches
    assert len(capsys.readouterr().out.split("\n")) == 8


def test_attention():
    found = pl.lua.run(SCRIPTS / "attention.lua")
    history = plain(found["history"])
    assert np.mean(history[-20:]) < -0.2 < 0.1 < np.mean(history[:5]) and found["accuracy"] > 0.8
    places = plain(found["places"])
    assert len(places) == 3 and all(one.shape == (40, 2) and np.abs(one).max() <= 1 for one in places)
    assert len({one[0].tobytes() for one in places}) > 1  # it looks around


def test_stochastic_gradient_takes_tables_of_lua(capfd):
    found = pl.lua.Session(requires=["nn"], seed=1).execute("""
    local data = {x = torch.randn(6, 2), y = torch.ByteTensor{1, 2, 1, 2, 1, 2}}
    setmetatable(data, {__index = function(t, i) return {t.x[i], t.y[i]} end})
    function data:size() return self.x:size(1) end
    local net = nn.Sequential():add(nn.Linear(2, 2)):add(nn.LogSoftMax())
    local trainer = nn.StochasticGradient(net, nn.ClassNLLCriterion())
    local labels, losses = {}, {}
    trainer.maxIteration, trainer.learningRate, trainer.shuffleIndices = 4, 0.1, false
    trainer.hookExample = function(self, example) labels[#labels + 1] = self == trainer and example[2] end
    function trainer.hookIteration(self, iteration, loss) losses[iteration] = self.module == net and loss end
    trainer:train(data)
    return table.concat(labels, ' ', 1, 6), #labels, #losses, losses[4] < losses[1]
    """)
    assert found == ("1 2 1 2 1 2", 24, 4, True)
    assert "# current error = " in capfd.readouterr().out


@pytest.mark.parametrize("dataset, message", [
    ("{}", "expected a dataset with a method size"),
    ("{size = function() return 2 end}", "dataset[1]: expected a table of input and target"),
    ("{size = function() return 0 end}", "dataset:size(): expected a whole number from 1 on, got 0"),
    ("{size = function() return 1 end, {torch.zeros(2), torch.Tensor{7}}}", "target: expected 1 to 3, got 7"),
])  # fmt: skip
def test_data_that_do_not_train(dataset, message):
    code = f"""
    local trainer = nn.StochasticGradient(nn.Linear(2, 3), nn.ClassNLLCriterion())
    trainer.verbose, trainer.shuffleIndices = false, false
    trainer:train({dataset})
    """
    with pytest.raises(pl.lua.LuaError) as caught:
        pl.lua.Session(requires=["nn"]).execute(code)
    assert message in str(caught.value.value)
