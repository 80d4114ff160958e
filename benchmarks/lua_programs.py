"""Measures whole programs of Lua: the step of char-rnn beside the same step in Python, and how fast Lua is compiled.

python -m benchmarks.lua_programs                      100 and 128 units, 1 and 50 samples
python -m benchmarks.lua_programs --samples 50 --rounds 21
python -m benchmarks.lua_programs --lines FOLDER ...   also the files of Lua in these folders

A step is one of char-rnn: 50 characters, an LSTM of nngraph for each with shared parameters, gradients that are clipped, and
optim.rmsprop (`char_rnn.lua`). Both have the same losses, bit for bit, or the line ends in "differs". The columns are the least
milliseconds of the rounds, in which both take turns, and the median of the ratios of all rounds, Lua's time over Python's. Times
are those of the processor, with one thread, so that other processes change them little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn, nngraph, optim
from pytorch_legacy.lua.language import compiler
from pytorch_legacy.lua.language.lexer import LuaSyntaxError

from .measure import ratios

HERE = Path(__file__).parent
SCRIPTS = HERE.parent / "tests" / "lua" / "scripts"
CHARACTERS = 65
LENGTH = 50


def lstm(characters: int, units: int) -> Any:
    """Returns the network of a character: of its index and a state, the next state and log-probabilities."""
    x, before_c, before_h = nn.Identity()(), nn.Identity()(), nn.Identity()()
    embedded = nn.LookupTable(characters, units)
    ofInput, ofState = nn.Linear(units, 4 * units), nn.Linear(units, 4 * units)
    sums = nn.CAddTable()([ofInput(embedded(x)), ofState(before_h)])
    i, f, o, g = nn.SplitTable(1)(nn.Reshape(4, units)(sums)).split(4)
    kept = nn.CMulTable()([nn.Sigmoid()(f), before_c])
    c = nn.CAddTable()([kept, nn.CMulTable()([nn.Sigmoid()(i), nn.Tanh()(g)])])
    h = nn.CMulTable()([nn.Sigmoid()(o), nn.Tanh()(c)])
    return nngraph.gModule([x, before_c, before_h], [c, h, nn.LogSoftMax()(nn.Linear(units, characters)(h))])


class Python:
    """The step in Python: a call makes one, and returns the loss."""

    def __init__(self, units: int, samples: int, x: Any, y: Any) -> None:
        net = lstm(CHARACTERS, units).double()
        self.x, self.y = x, y
        self.params, self.grads = net.getParameters()
        self.params[...] = pl.random.uniform(-0.08, 0.08, self.params.shape, np.float64)
        self.clones = [net.clone("weight", "bias", "gradWeight", "gradBias") for _ in x]
        self.criterions = [nn.ClassNLLCriterion().double() for _ in x]
        self.state = [np.zeros((samples, units)) for _ in range(2)]
        self.config = {"learningRate": 2e-3, "alpha": 0.95}

    def feval(self, params: Any) -> tuple[float, Any]:
        """Returns the loss and its gradient."""
        self.grads.fill(0)
        states, predictions, loss = [self.state], [], 0.0
        for clone, criterion, x, y in zip(self.clones, self.criterions, self.x, self.y, strict=True):
            clone.training()
            *state, prediction = clone.forward([x, *states[-1]])
            states.append(state)
            predictions.append(prediction)
            loss += criterion.forward(prediction, y)
        gradients = [np.zeros_like(each) for each in self.state]
        for t in range(len(self.x) - 1, -1, -1):
            gradient = self.criterions[t].backward(predictions[t], self.y[t])
            _, *gradients = self.clones[t].backward([self.x[t], *states[t]], [*gradients, gradient])
        self.state = states[-1]
        np.clip(self.grads, -5, 5, out=self.grads)
        return loss / len(self.x), self.grads

    def __call__(self) -> float:
        _, losses = optim.rmsprop(self.feval, self.params, self.config)
        return losses[0]


def steps(units: int, samples: int) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Returns the step in Lua and that in Python, with the same parameters."""
    x, y = np.random.default_rng(1).integers(0, CHARACTERS, (2, LENGTH, samples))
    make = pl.lua.Session().execute((HERE / "char_rnn.lua").read_text())
    pl.manualSeed(1)
    ours = make(CHARACTERS, units, samples, x + 1, y + 1)
    pl.manualSeed(1)
    return ours, Python(units, samples, x, y)


def seconds(job: Callable[[], Any], calls: int) -> float:
    """Returns the seconds of the processor for one of some calls."""
    start = time.process_time()
    for _ in range(calls):
        job()
    return (time.process_time() - start) / calls


def row(units: int, samples: int, rounds: int) -> str:
    """Returns the line of one size."""
    jobs = steps(units, samples)
    losses = [[job() for _ in range(3)] for job in jobs]
    calls = max(1, int(0.1 / seconds(jobs[0], 1)))
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(rounds):
        for job, each in zip(jobs, times, strict=True):
            each.append(seconds(job, calls))
    columns = " ".join(f"{1e3 * min(each):9.2f}" for each in times)
    return f"{units:5} {samples:7} {columns} {ratios(*times):7.3f}{'' if losses[0] == losses[1] else '  differs'}"


def lines_per_second(folders: list[Path]) -> float:
    """Returns how many lines are compiled in a second of the processor, of all files in these folders that are Lua 5.1."""
    lines, passed = 0, 0.0
    for path in (path for folder in folders for path in sorted(folder.rglob("*.lua"))):
        text = path.read_text(encoding="latin-1")
        start = time.process_time()
        try:
            compiler.compiled(text, f"@{path.name}")
        except LuaSyntaxError:  # as with the numbers of LuaJIT, 42LL
            continue
        passed += time.process_time() - start
        lines += text.count("\n")
    return lines / passed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, nargs="+", default=[100, 128])
    parser.add_argument("--samples", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--lines", type=Path, nargs="+", default=[], metavar="FOLDER", help="folders with files of Lua")
    options = parser.parse_args()
    pl.setNumThreads(1)
    print(f"{'units':5} {'samples':>7} {'Lua, ms':>9} {'Python':>9} {'ratio':>7}")
    for units in options.units:
        for samples in options.samples:
            print(row(units, samples, options.rounds), flush=True)
    print(f"{lines_per_second([SCRIPTS, *options.lines]):,.0f} lines a second")


if __name__ == "__main__":
    main()
