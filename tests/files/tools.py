"""Every class with every tool for whole networks: inspect, convert, optimize, to_torch, to_onnx, clone, save."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytorch_legacy as pl
from pytorch_legacy import cli
from tests.files import spoil
from tests.files.examples import Example, content, examples


def commands(path: str, folder: str) -> Iterator[list[str]]:
    """Command lines that read the file."""
    yield ["inspect", path]
    yield ["inspect", path, "--json"]
    yield ["inspect", path, "--fields", "--all"]
    for suffix, package in ((".t7", "numpy"), (".npz", "numpy"), (".h5", "h5py"), (".safetensors", "safetensors")):
        if not find_spec(package):
            continue
        yield ["convert", path, f"{folder}/out{suffix}"]
    if find_spec("torch"):
        yield ["convert", path, f"{folder}/out.py"]


def calls(path: str, folder: str, example: Example) -> Iterator[tuple[str, Callable[[], Any]]]:
    for command in commands(path, folder):
        name = " ".join(command[:1] + [Path(word).suffix or word for word in command[2:]])
        yield name, lambda command=command: _command(command)
    module = pl.load(path)
    yield "clone", lambda: module.clone()
    yield "save", lambda: content(module)
    if isinstance(module, pl.nn.Module):
        yield "optimize", lambda: pl.optimize(module)
        if find_spec("torch"):
            examples = example.arguments[:1] * 2
            yield "to_torch", lambda: pl.to_torch(module, examples)
            if find_spec("onnxruntime") and find_spec("onnxscript"):
                yield "to_onnx", lambda: pl.to_onnx(module, f"{folder}/out.onnx", examples)


def _command(words: list[str]) -> None:
    """A command that cannot do it ends with 1 after one line."""
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        try:
            status = cli.main(words)
        except SystemExit as error:
            status = error.code
    text = errors.getvalue()
    if status not in (0, 1) or "Traceback" in text:
        raise RuntimeError(f"{status}: {text[-300:]}")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int)
    options.add_argument("--start", type=int, default=0)
    options.add_argument("--step", type=int, default=1)
    given = options.parse_args()
    found = examples()
    names = [*found]
    if given.seed is not None:
        random.Random(given.seed).shuffle(names)
    signal.signal(signal.SIGALRM, spoil._alarm)
    with os.fdopen(os.dup(1), "w", buffering=1) as lines, tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(given.start, len(names), given.step):
            lines.write(f"{i}\n")
            example, path = found[names[i]], f"{folder}/net.t7"
            Path(path).write_bytes(example.content)
            for name, call in calls(path, folder, example):
                signal.alarm(60)
                try:
                    with contextlib.redirect_stdout(io.StringIO()):
                        call()
                except spoil.REPORTED:
                    pass
                except (Exception, spoil.Slow) as error:
                    text = f"{type(error).__name__}: {error}"[:300]
                    lines.write(json.dumps([names[i], name, text, spoil.place_of(error)]) + "\n")
                finally:
                    signal.alarm(0)
        lines.write("end\n")


def run(*arguments: str) -> tuple[int, list[list[str]]]:
    """Runs `main` in processes; returns how many classes were tried, and what was found."""
    return spoil.run(*arguments, module="tests.files.tools")


if __name__ == "__main__":
    main()
