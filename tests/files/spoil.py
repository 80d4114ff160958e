"""Spoils the fields of objects in files, one at a time, and calls all methods of what is loaded.

``python -m tests.files.spoil --classes nn.Linear nn.Dropout`` prints what was raised that is none of the package's errors. A
process of its own does the work: `run` starts it, and starts it again behind an object that ended it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import t7
from pytorch_legacy.files.fields import of as kinds_of
from tests.files.examples import Example, class_in_file, content, examples, inside, name_of

LIMIT_S = 20
MEMORY = 6 << 30
REPORTED = (pl.THNNError, t7.T7Error)


class Slow(BaseException):
    """A call takes too long."""


VALUES: dict[str, Callable[[t7.TorchObject, Any], Any]] = {
    "nil": lambda thing, old: None,
    "true": lambda thing, old: True,
    "false": lambda thing, old: False,
    "zero": lambda thing, old: 0,
    "two": lambda thing, old: 2,
    "minus one": lambda thing, old: -1,
    "fraction": lambda thing, old: 0.5,
    "nan": lambda thing, old: float("nan"),
    "inf": lambda thing, old: float("inf"),
    "1e30": lambda thing, old: 1e30,
    "text": lambda thing, old: "abc",
    "empty table": lambda thing, old: {},
    "list": lambda thing, old: [1, 2],
    "table": lambda thing, old: {"a": 1, 1: "x"},
    "table of a tensor": lambda thing, old: [np.ones(2), "x"],
    "empty tensor": lambda thing, old: np.empty(0),
    "vector": lambda thing, old: np.array([1.0, np.nan, 1e30]),
    "matrix": lambda thing, old: np.ones((2, 2)),
    "other dtype": lambda thing, old: old.astype(np.uint8 if old.dtype.kind == "f" else np.float32),
    "longer": lambda thing, old: np.tile(old, old.ndim * (2,)),
    "one more dimension": lambda thing, old: old.reshape(1, *old.shape),
    "bytes": lambda thing, old: np.ones(3, np.uint8),
    "storage": lambda thing, old: t7.longs([1, -1]),
    "module": lambda thing, old: t7.read(content(pl.nn.Linear(2, 3))),
    "criterion": lambda thing, old: t7.read(content(pl.nn.MSECriterion())),
    "itself": lambda thing, old: thing,
    "list of itself": lambda thing, old: [thing],
    "list of a criterion": lambda thing, old: [t7.read(content(pl.nn.MSECriterion()))],
    "stranger": lambda thing, old: t7.TorchObject("my.Stranger", 1, {}),
    "function": lambda thing, old: t7.Function(b"\x1bLJ"),
}


def fields_of(record: t7.TorchObject) -> list[str]:
    """The fields that the object has, those that its class declares, and those that its constructor makes."""
    cls = class_in_file(record)
    form = cls._form
    declared = {form.renamed.get(name, name) for name in (*form.names(), *cls._constructed)}
    own = {name for name in record.fields if isinstance(name, str)}
    named = {name for name in kinds_of(cls) if name in form.kinds or name in form.defaults}
    return sorted((own | declared | named) - set(form.private) - {"_dtype"})


def spoilt(name: str, example: Example) -> Iterator[tuple[str, str]]:
    """Yields the ways to spoil the object of a class: fields, and values in their place."""
    record = target(name, example.record)
    for field in fields_of(record):
        for value in VALUES:
            yield field, value


def target(name: str, record: t7.TorchObject) -> t7.TorchObject:
    """The object of the class in a file."""
    return next(thing for thing in inside(record) if (cls := class_in_file(thing)) is not None and name_of(cls) == name)


def made(name: str, example: Example, field: str, value: str) -> t7.TorchObject | None:
    """The file with the field spoilt; None if the value makes no sense for it."""
    record = example.record
    thing = target(name, record)
    old = thing.fields.get(field)
    try:
        new = VALUES[value](thing, old)
    except (AttributeError, LookupError, TypeError, ValueError):
        return None
    if new is None and field not in thing.fields:
        return None
    thing.fields = {**thing.fields, field: new}
    return record


def calls(module: Any, arguments: list[Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """All methods of an object, one after the other, as a user may call them."""
    yield "repr", lambda: repr(module)
    yield "str", lambda: str(module)
    yield "clone", lambda: module.clone()
    yield "save", lambda: content(module)
    isCriterion = isinstance(module, pl.nn.Criterion)
    isModule = isinstance(module, pl.nn.Module)
    results: list[Any] = [None]

    def forward() -> None:
        results[0] = module.forward(*arguments)

    def backward() -> Any:
        gradient = arguments[-1] if isCriterion else results[0]
        if isCriterion:
            return module.backward(*arguments)
        return module.backward(*arguments[:1], gradient)

    for mode in ("training", "evaluate") if isModule else ("",):
        if mode and hasattr(module, mode):
            yield mode, getattr(module, mode)
        if arguments and hasattr(module, "forward"):
            yield f"forward after {mode}", forward
            yield f"backward after {mode}", backward
    if isModule:
        yield "backwardUpdate", lambda: module.accUpdateGradParameters(arguments[0], results[0], 0.1)
        for method in ("zeroGradParameters", "parameters", "training"):
            yield method, getattr(module, method)
        yield "updateParameters", lambda: module.updateParameters(0.01)
        yield "clone('weight')", lambda: module.clone("weight", "bias")
        yield "summary", lambda: module.summary()
        yield "findModules", lambda: module.findModules("nn.Linear")
        yield "listModules", lambda: module.listModules()
        yield "apply", lambda: module.apply(lambda inner: None)
        yield "optimize", lambda: pl.optimize(module)
        yield "reset", lambda: module.reset()
        yield "getParameters", lambda: module.clone().getParameters()
    for method in ("type", "float", "double", "half", "clearState"):
        if hasattr(module, method):
            yield method, getattr(module, method)
    if isModule:
        yield "type of a name", lambda: module.type("torch.FloatTensor")
    yield "save at the end", lambda: content(module)
    if arguments and hasattr(module, "forward"):
        yield "forward at the end", forward
    if isModule:
        yield "getParameters at the end", lambda: module.getParameters()


def torch_calls(module: Any, arguments: list[Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "to_torch", lambda: pl.to_torch(module, [arguments[0], arguments[0]])


def attempt(record: t7.TorchObject, arguments: list[Any], withTorch: bool) -> tuple[str, BaseException] | None:
    """Loads an object and calls everything; returns the first error that is none of the package's, and where it came from."""
    where = "load"
    saved = io.BytesIO()
    t7.write(saved, record)
    old = np.seterr(all="ignore")
    signal.signal(signal.SIGALRM, _alarm)
    signal.alarm(LIMIT_S)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                module = pl.load(saved.getvalue())
            except t7.T7Error:
                return None
            given = [_copied(argument) for argument in arguments]
            every = [calls(module, given)]
            if withTorch and isinstance(module, pl.nn.Module) and arguments:
                every.insert(0, torch_calls(pl.load(saved.getvalue()), given))
            for several in every:
                for where, call in several:  # noqa: B007  # the handler below says where it was
                    with contextlib.suppress(*REPORTED):
                        call()
    except (Exception, Slow) as error:
        return where, error
    finally:
        signal.alarm(0)
        np.seterr(**old)
    return None


def _alarm(*_: Any) -> None:
    raise Slow(f"{LIMIT_S} s")


def _copied(value: Any) -> Any:
    return (
        [_copied(entry) for entry in value]
        if isinstance(value, list)
        else np.copy(value)
        if isinstance(value, np.ndarray)
        else value
    )


def place_of(error: BaseException) -> str:
    """The last line of the package that the error went through."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "/pytorch_legacy/" in frame.filename]
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"


def plan(names: list[str], found: dict[str, Example], seed: int | None) -> list[tuple[str, str, str]]:
    """Returns the trials in order: all of them, class by class, or in a random order of that seed."""
    every = [(name, field, value) for name in names or found for field, value in spoilt(name, found[name])]
    if seed is not None:
        random.Random(seed).shuffle(every)
    return every


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--classes", nargs="*", default=[])
    options.add_argument("--seed", type=int)
    options.add_argument("--seconds", type=float, default=1e9)
    options.add_argument("--start", type=int, default=0)
    options.add_argument("--step", type=int, default=1)
    options.add_argument("--torch", action="store_true")
    given = options.parse_args()
    found = examples()
    every = plan(given.classes, found, given.seed)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    end = time.monotonic() + given.seconds
    with os.fdopen(os.dup(1), "w", buffering=1) as lines:
        for i in range(given.start, len(every), given.step):
            if time.monotonic() > end:
                break
            name, field, value = every[i]
            record = made(name, found[name], field, value)
            if record is None:
                continue
            lines.write(f"{i}\n")
            if failure := attempt(record, found[name].arguments, given.torch):
                where, error = failure
                text = f"{type(error).__name__}: {error}"
                lines.write(json.dumps([name, field, value, where, text[:200], place_of(error)]) + "\n")
        lines.write("end\n")


def run(*arguments: str, module: str = "tests.files.spoil") -> tuple[int, list[list[str]]]:
    """Runs `main` of a module in processes; returns how many files were tried, and what was found."""
    found: list[list[str]] = []
    count, start = 0, 0
    while True:
        command = [sys.executable, "-m", module, *arguments, "--start", str(start)]
        environment = os.environ | {"MALLOC_CHECK_": "3", "OMP_NUM_THREADS": "1"}
        process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        lines = process.stdout.splitlines()
        numbers = [int(line) for line in lines if line.isdigit()]
        count += len(numbers)
        found += [json.loads(line) for line in lines if line.startswith("[")]
        if lines[-1:] == ["end"]:
            return count, found
        if not numbers:
            raise RuntimeError(process.stderr[-4000:])
        ended = f"the process ended: {process.returncode} at number {numbers[-1]} of {' '.join(arguments)}"
        found.append(["", "", "", "", f"{ended}: {process.stderr[-300:]}", ""])
        start = numbers[-1] + 1


if __name__ == "__main__":
    main()
