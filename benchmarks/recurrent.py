"""Recurrent layers beside torch.nn.LSTM and torch.nn.GRU, in turn: least times of some rounds, forward alone and with backward.

The error is the root mean square of the difference of our output from double precision, as a share of that of the output.

python -m benchmarks.recurrent               as many threads as there are processors
python -m benchmarks.recurrent --threads 1
python -m benchmarks.recurrent SeqLSTM --units 128 512 --batch 2 4 8
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import pytorch_legacy as pl
from pytorch_legacy import cudnn, rnn

from .measure import rms_error

STEPS = 65
PAUSE = 0.01  # seconds, and a pass that warms: threads of the other library look for work for a while after theirs
LAYERS: list[tuple[str, Callable[[int], Any], Callable[[int], Any]]] = [
    ("rnn.SeqLSTM", lambda n: rnn.SeqLSTM(n, n), lambda n: torch.nn.LSTM(n, n)),
    ("cudnn.LSTM", lambda n: cudnn.LSTM(n, n, 1), lambda n: torch.nn.LSTM(n, n)),
    ("rnn.SeqGRU", lambda n: rnn.SeqGRU(n, n), lambda n: torch.nn.GRU(n, n)),
    ("cudnn.GRU", lambda n: cudnn.GRU(n, n, 1), lambda n: torch.nn.GRU(n, n)),
]


def least(rounds: int, *passes: Callable[[], Any]) -> list[float]:
    """The least seconds of each of the passes, which take turns."""
    found = [float("inf")] * len(passes)
    for _ in range(rounds):
        for place, run in enumerate(passes):
            time.sleep(PAUSE)
            run()
            begin = time.perf_counter()
            run()
            found[place] = min(found[place], time.perf_counter() - begin)
    return found


def row(make: Callable[[int], Any], makePeer: Callable[[int], Any], units: int, batch: int, rounds: int) -> list[float]:
    """Returns milliseconds of ours and of PyTorch, forward, then forward and backward; and the error of our output."""
    random = np.random.default_rng(0)
    layer, peer = make(units), makePeer(units)
    x, g = (random.standard_normal((STEPS, batch, units)).astype(np.float32) for _ in range(2))
    given, gradient = torch.from_numpy(x), torch.from_numpy(g)

    def both() -> None:
        layer.forward(x)
        layer.backward(x, g)

    @torch.no_grad()
    def forwardOfPeer() -> None:
        peer(given)

    both()
    forward = least(rounds, lambda: layer.forward(x), forwardOfPeer)
    times = [1e3 * seconds for seconds in (*forward, *least(rounds, both, lambda: peer(given)[0].backward(gradient)))]
    return [*times, rms_error(layer.forward(x), layer.clone().double().forward(x.astype(np.float64)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="layers whose name holds one of these")
    parser.add_argument("--units", type=int, nargs="+", default=[128, 512])
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--threads", type=int, default=0, help="of both libraries")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    pl.setNumThreads(options.threads)
    torch.set_num_threads(pl.getNumThreads())
    print(f"{STEPS} steps, {pl.getNumThreads()} threads; ms, and how many times as fast as PyTorch {torch.__version__}")
    print(f"{'layer':12} units batch   forward   torch  ratio   and back   torch  ratio    error")
    for name, make, makePeer in LAYERS:
        if options.words and not any(word in name for word in options.words):
            continue
        for units in options.units:
            for batch in options.batch:
                a, b, c, d, error = row(make, makePeer, units, batch, options.rounds)
                times = f"{a:9.2f} {b:7.2f} {b / a:6.2f} {c:10.2f} {d:7.2f} {d / c:6.2f}"
                print(f"{name:12} {units:5} {batch:5} {times} {error:8.1e}", flush=True)


if __name__ == "__main__":
    main()
