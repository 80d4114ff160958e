"""An object of every class as it stands in a file, with the arguments that it runs on.

They are files of Torch7, cases of the tables, and what the docstrings of the classes run.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import t7
from pytorch_legacy.files.classes import classes, find_class
from tests.test_golden import GOLDEN, LISTED, counted_from_zero

# Bases, which nobody puts into a network, and what a class that is not known becomes: tests/t7/test_hostile_modules.py spoils it.
LEFT_OUT = {
    "nn.Module", "nn.Criterion", "nn.Container", "nn.Unknown", "rnn.AbstractRecurrent", "rnn.AbstractSequencer", "dpnn.Reinforce",
}  # fmt: skip


@dataclass
class Example:
    """A module in a file and what it is called with.

    Attributes
    ----------
    origin : str
        The file, or the case.
    record : t7.TorchObject
        What the file holds. It is read anew each time.
    arguments : list
        Of ``forward``: an input, for criterions a target too; empty if the object has no such method.
    """

    origin: str
    content: bytes
    arguments: list[Any]

    @property
    def record(self) -> t7.TorchObject:
        return t7.read(self.content)


def name_of(cls: Any) -> str:
    """``nn.Linear``: the package of the class and its name there."""
    return f"{cls.__module__.split('.')[1]}.{cls.__name__}"


def class_in_file(record: t7.TorchObject) -> Any:
    """The class that an object of a file becomes."""
    return find_class(record.typename, record.fields)


def inside(value: Any) -> list[t7.TorchObject]:
    """All objects of a file, each once, in an order of their own."""
    found, seen, waiting = [], set(), [value]
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, t7.TorchObject):
            found.append(value)
            value = value.fields
        if isinstance(value, (dict, list)):
            waiting += [*value.values()][::-1] if isinstance(value, dict) else value[::-1]
    return found


def content(value: Any) -> bytes:
    file = io.BytesIO()
    pl.save(file, value)
    return file.getvalue()


def examples() -> dict[str, Example]:
    """An example for each class: one that contains an object of it. Files of Torch7 come first, and small ones."""
    wanted = {name_of(cls) for cls in classes()} - LEFT_OUT
    found: dict[str, Example] = {}
    for example in (*_golden(), *_cases()):
        for record in inside(example.record):
            cls = class_in_file(record)
            if cls is not None and name_of(cls) in wanted:
                found.setdefault(name_of(cls), example)
    for cls in classes():
        if name_of(cls) in wanted - found.keys() and (example := _documented(cls)):
            found[name_of(cls)] = example
    return dict(sorted(found.items()))


def _golden() -> Iterator[Example]:
    best: dict[str, Any] = {}
    for entry in sorted(LISTED, key=lambda entry: (entry["bytes"], entry["file"]), reverse=True):
        if entry["kind"] in ("module", "graph", "criterion") and ".ascii." not in entry["file"]:
            best |= dict.fromkeys(entry["classes"], entry)
    for entry in sorted({entry["file"]: entry for entry in best.values()}.values(), key=lambda entry: entry["bytes"]):
        file = t7.read(GOLDEN / entry["file"])
        module = file.get("module") or file.get("criterion")
        if module is None or "input" not in file:
            continue
        case = counted_from_zero(pl.load(GOLDEN / entry["file"])) if "module" in file else pl.load(GOLDEN / entry["file"])
        arguments = [case["input"], case["target"]] if "target" in case else [case["input"]]
        yield Example(entry["file"], content(module), arguments)


def _cases() -> Iterator[Example]:
    from tests.authors.cases import CASES as AUTHORS
    from tests.table import CASES

    rng = np.random.default_rng(1)
    seen = set()
    for name, case in (*CASES, *AUTHORS):
        if name not in seen:
            seen.add(name)
            module = case.make().double()
            arguments = [case.input(rng), *([case.target(rng)] if case.target else [])]
            yield Example(f"{name}, {case.name}", content(module), arguments)


def _documented(cls: Any) -> Example | None:
    """The first pass, or else the first object, that the examples in the docstring of a class make."""
    found: list[Example] = []

    def watch(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and not found and code.co_name in ("forward", "updateOutput") and code.co_argcount > 1:
            names = code.co_varnames[: code.co_argcount]
            thing = frame.f_locals.get(names[0])
            if type(thing) is cls:
                sys.setprofile(None)
                arguments = [frame.f_locals[name] for name in names[1:]]
                found.append(Example(f"docstring of {name_of(cls)}", content(thing), arguments))

    test = doctest.DocTestFinder(recurse=False).find(cls, name_of(cls), globs=_names(cls))
    for example in test[0].examples if test else ():
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            code = compile(example.source, name_of(cls), "single")
            sys.setprofile(watch)
            try:
                exec(code, test[0].globs)
            finally:
                sys.setprofile(None)
    things = [value for value in test[0].globs.values() if type(value) is cls] if test else []
    if not found and things:
        found.append(Example(f"docstring of {name_of(cls)}", content(things[0]), []))
    return found[0] if found else None


def _names(cls: Any) -> dict[str, Any]:
    packages = ("nn", "rnn", "dpnn", "nnx", "cudnn", "inn", "authors", "optim", "nngraph", "t7")
    return {"np": np, "pl": pl} | {name: getattr(pl, name) for name in packages} | vars(sys.modules[cls.__module__])
