"""Training steps as programs beside the eager network's and PyTorch's, in turn.

python -m benchmarks.steps                     as many threads as there are processors
python -m benchmarks.steps --threads 1
python -m benchmarks.steps digits --batch 1    networks whose name holds one of these words, and these batches

A step computes the loss, the gradients, and the update of plain SGD, so that all weights change. No engine computes the
gradient of the input. The columns are the least milliseconds of the rounds, and medians of the ratios of all rounds: the time
of the program as a share of that of the eager network, and of PyTorch. The error is the root mean square of the difference of
the first step's gradients from double precision, as a share of theirs. The gradients of the eager network have the same bits.
With other seeds the error may be 1e-3, because rounding changes the sign of a sum before a ReLU.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn

from .bridge import chain
from .measure import ratios, rms_error, seconds
from .nets import CHARACTERS, char_rnn, pictures, resnet18, sample, text, trained

PAUSE = 0.01  # seconds, in which the threads of another library fall asleep
RATE = 1e-3


def perceptron() -> nn.Module:
    return chain(nn.Linear(784, 256), nn.ReLU(True), nn.Linear(256, 256), nn.ReLU(True), nn.Linear(256, 10))


def small_resnet() -> nn.Module:
    """ResNet-18 for pictures of 64x64, of which the last block makes 2x2."""
    net: Any = resnet18()
    net.modules[-3] = nn.SpatialAveragePooling(2, 2, 1, 1)
    return net  # type: ignore[no-any-return]


# name: the network, what makes so many samples, the number of classes, and the batches
NETS: dict[str, tuple[Callable[[], nn.Module], Callable[[int], np.ndarray], int, tuple[int, ...]]] = {
    "digits, 8x8": (sample("digits/digits.t7"), pictures(1, 8, 8), 10, (1, 8, 32)),
    "digits, 28x28": (sample("digits/digits.t7"), pictures(1, 28, 28), 10, (1, 8, 32)),
    "perceptron": (perceptron, pictures(784), 10, (1, 8, 32)),
    "torch-rnn, 50 characters": (char_rnn, text, CHARACTERS, (1, 8)),
    "ResNet-18, 64x64": (small_resnet, pictures(3, 64, 64), 1000, (1, 8)),
}


def with_labels(net: nn.Module, x: Any, classes: int) -> tuple[Any, Any]:
    """Returns a network with a row of scores for each label, and labels for a batch. A text has one for each character."""
    rows = chain(net, nn.View(-1, classes))
    return rows, np.arange(len(rows.clone().training().forward(x))) % classes


def compiled(net: nn.Module, x: Any, classes: int) -> tuple[Any, Any]:
    """Returns a training step for a batch, and its labels."""
    rows, labels = with_labels(net, x, classes)
    config = {"learningRate": RATE}
    return pl.compile(rows, (x, labels), criterion=nn.CrossEntropyCriterion(), optimizer="sgd", config=config), labels


def gradients(net: nn.Module, x: Any, labels: Any, classes: int) -> Any:
    """Returns the gradients of the parameters in double precision."""
    exact, criterion = net.clone().double().training(), nn.CrossEntropyCriterion().double()
    _, found = exact.getParameters()
    exact.zeroGradParameters()
    given = x.astype(np.float64) if x.dtype.kind == "f" else x
    output = exact.forward(given)
    scores = output.reshape(-1, classes)
    criterion.forward(scores, labels)
    exact.backward(given, criterion.backward(scores, labels).reshape(output.shape))
    return found


def row(name: str, batch: int, rounds: int) -> str:
    """The line of one network and batch."""
    make, given, classes, _ = NETS[name]
    pl.manualSeed(2)
    net, x = make(), given(batch)
    step, labels = compiled(net, x, classes)
    pl.manualSeed(3)
    exact = gradients(net, x, labels, classes)
    pl.manualSeed(3)
    step(x, labels)
    error = rms_error(step.gradParameters, exact)
    engines = ["ours", "PyTorch"] if find_spec("torch") else ["ours"]
    with tempfile.TemporaryDirectory() as folder:
        pl.save(f"{folder}/net.t7", net.clearState())
        jobs = [lambda: step(x, labels), *(trained(engine, Path(folder), x, pl.getNumThreads(), classes) for engine in engines)]
    calls = max(1, int(0.05 / max(seconds(job, 1) for job in jobs)))
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(rounds):
        for job, each in zip(jobs, times, strict=True):
            time.sleep(PAUSE)
            each.append(seconds(job, calls))
    columns = [f"{1e3 * min(each):10.3f}" for each in times] + [f"{'':10}"] * (3 - len(jobs))
    shares = [f"{ratios(times[0], each):10.2f}" for each in times[1:]] + [f"{'':10}"] * (3 - len(jobs))
    return f"{name:25} {batch:5} {' '.join([*columns, *shares])} {error:9.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="networks whose name holds one of these")
    parser.add_argument("--batch", type=int, nargs="+", help="these batches in place of those of the table")
    parser.add_argument("--threads", type=int, default=pl.getNumThreads())
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    pl.setNumThreads(options.threads)
    titles = "step", "eager", "PyTorch", "of eager's", "of PyTorch's"
    print(f"{f'{options.threads} threads; ms a step':25} batch {' '.join(f'{title:>10}' for title in titles)} {'error':>9}")
    for name, (_, _, _, batches) in NETS.items():
        if not options.words or any(word in name for word in options.words):
            for batch in options.batch or batches:
                print(row(name, batch, options.rounds), flush=True)


if __name__ == "__main__":
    main()
