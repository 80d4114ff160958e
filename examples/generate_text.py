"""Writes text with a character model that was trained with Torch7: a checkpoint of torch-rnn or of char-rnn.

python examples/generate_text.py MODEL.t7 --start "The " --length 500
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.authors.LanguageModel import drawn


def tokens(checkpoint: Any, length: int, start: str, temperature: float) -> Iterator[str]:
    """The characters after `start`, one by one."""
    if not isinstance(checkpoint, dict) or not {"model", "protos"} & checkpoint.keys():
        raise SystemExit("this is no checkpoint of torch-rnn or char-rnn")
    if "model" in checkpoint:
        checkpoint["model"].evaluate()
        return checkpoint["model"].tokens(length, start, temperature=temperature)
    return char_rnn(checkpoint, length, start, temperature)


def char_rnn(checkpoint: Any, length: int, start: str, temperature: float) -> Iterator[str]:
    """char-rnn's network takes a character and its states, and gives the next states and log probabilities."""
    net, indices = checkpoint["protos"]["rnn"], checkpoint["vocab"]
    characters = {index: character for character, index in indices.items()}
    net.evaluate()
    states = [np.zeros((1, checkpoint["opt"]["rnn_size"]), net._dtype) for _ in range(net.nInputs - 1)]
    scores = np.zeros((1, len(indices)))
    for character in start:
        *states, scores = map(np.copy, net.forward([np.array([indices[character] - 1]), *states]))
    for _ in range(length):
        index = drawn(scores[0], temperature)
        yield characters[index + 1]
        *states, scores = map(np.copy, net.forward([np.array([index]), *states]))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="the .t7 file")
    parser.add_argument("--start", default="", help="how the text begins")
    parser.add_argument("--length", type=int, default=500, help="characters to write after it (default: 500)")
    parser.add_argument("--temperature", type=float, default=1.0, help="below 1: safer, above 1: wilder")
    parser.add_argument("--seed", type=int, default=1, help="the same seed writes the same text")
    options = parser.parse_args(arguments)
    pl.manualSeed(options.seed)
    print(options.start, end="")
    for token in tokens(pl.load(options.model), options.length, options.start, options.temperature):
        print(token, end="", flush=True)
    print()


if __name__ == "__main__":
    main()
