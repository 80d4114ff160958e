"""Runs a class on a small input, forward and backward: what its page shows.

Inputs are those of the case table (tests/cases), the smallest that shows something, where chosen.py has no better one; classes
of other packages have those of the golden files, or of their own docstrings.
"""

from __future__ import annotations

import doctest
import inspect
import json
import os
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from io import StringIO
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import pytorch_legacy as pl
from docs.site import ROOT
from docs.site.catalog import Entry
from docs.site.chosen import CHOSEN, DISTINCT
from pytorch_legacy.backend.prepared import Bindings
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.files.classes import PACKAGES
from pytorch_legacy.nn.Criterion import Criterion

GOLDEN = ROOT / "tests" / "golden"
MOST = 150  # elements that a picture may have in each of its arrays
ENOUGH = 12  # elements of an input that shows something


@dataclass
class Example:
    """The input and the results of an example. `call` is the constructor's call in Python, if it is known, `lua` the call in
    Torch7.
    """

    module: Any
    input: Any
    target: Any = None
    call: str | None = None
    lua: str | None = None
    output: Any = None
    gradOutput: Any = None
    gradInput: Any = None
    gradients: dict[str, Any] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)  # the functions of THNN that the module itself called

    @property
    def size(self) -> int:
        return max(elements(value) for value in (self.input, self.output, self.target))


def example(entry: Entry) -> Example | None:
    """The best example of a class, or None if there is none."""
    if entry.isNn and entry.name in CHOSEN:
        return _chosen(entry, *CHOSEN[entry.name])
    made = [*_from_cases(entry)] if entry.isNn else [*_from_golden(entry)]
    made = made or [*_from_docstring(entry)]
    return min(made, key=_worth) if made else None


def _chosen(entry: Entry, arguments: str, shapes: Any) -> Example:
    rng = np.random.default_rng(0)
    areDistinct = any(word in entry.name for word in DISTINCT)

    def filled(shape: Any) -> Any:
        if isinstance(shape, list):
            return [filled(one) for one in shape]
        size = int(np.prod(shape))
        return (rng.permutation(size) + 1.0 if areDistinct else np.round(rng.normal(0, 1.5, size), 1)).reshape(shape)

    call = f"nn.{entry.name}({arguments})"
    pl.manualSeed(1)
    found = passed(Example(eval(call, {"nn": pl.nn}), filled(shapes), call=call))
    assert found, f"docs/site/chosen.py: {call} does not run on {shapes}"
    return found


def _worth(one: Example) -> tuple[Any, ...]:
    """The smaller, the better: those that are shown whole, with a call, and with neither too little nor too much to see."""
    size, out = one.size, elements(one.output)
    shows = min(elements(one.input), ENOUGH) + min(out, 4)
    return size > MOST, one.call is None and one.lua is None, -shows, size


def _from_cases(entry: Entry) -> Iterator[Example]:
    if not (ROOT / "tests" / "cases" / f"{entry.name}.py").exists():
        return
    for case in import_module(f"tests.cases.{entry.name}").CASES:
        rng = np.random.default_rng(0)
        input = case.input(rng)
        target = case.target(rng) if case.target else None
        if max(elements(input), elements(target)) > 4 * MOST:
            continue
        for change in (readable, lambda value: value):
            module, call = called(entry, case.make)
            found = passed(Example(module, mapped(change, input), target if target is None else mapped(change, target), call))
            if found:
                yield found
                break


def called(entry: Entry, make: Callable[[], Any]) -> tuple[Any, str | None]:
    """Returns the result of `make`, and the call of the constructor in `make` if that call alone makes the same."""
    cls, calls = entry.cls, []
    isOwn, original = "__init__" in vars(cls), cls.__init__

    def noting(self: Any, *arguments: Any, **options: Any) -> None:
        if type(self) is cls:
            calls.append((arguments, options))
        original(self, *arguments, **options)

    cls.__init__ = noting
    try:
        module = make()
    finally:
        if isOwn:
            cls.__init__ = original
        else:
            del cls.__init__
    if len(calls) != 1:
        return module, None
    arguments, options = calls[0]
    text = ", ".join([*map(written, arguments), *(f"{name}={written(value)}" for name, value in options.items())])
    if "?" in text:
        return module, None
    again = cls(*arguments, **options)
    return module, f"{entry.package}.{entry.name}({text})" if simple(again) == simple(module) else None


def written(value: Any) -> str:
    """An argument as Python writes it; "?" for what has no short text."""
    if isinstance(value, (bool, int, float, str, type(None))):
        return repr(value)
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(written, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, np.ndarray) and value.size <= 12:
        return f"np.{value.dtype.name}({value.tolist()})"
    return "?"


def simple(module: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if isinstance(value, (bool, int, float, str, type(None)))}


@cache
def golden() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads((GOLDEN / "manifest.json").read_text(encoding="utf-8"))
    return listed


def _from_golden(entry: Entry) -> Iterator[Example]:
    typename = entry.cls._typename
    for case in golden():
        if (
            case["kind"] not in ("module", "criterion")
            or case["dtype"] == "float"
            or case["bytes"] > 40000
            or "special" in case["name"]
        ):
            continue
        if not re.match(rf"{re.escape(typename)}\b(?!\.)", case["lua"]):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loaded = pl.load(GOLDEN / case["file"])
        if type(loaded["module"]) is entry.cls and (found := passed(_of(loaded, case["lua"]))):
            yield found


def _from_docstring(entry: Entry) -> Iterator[Example]:
    """Yields the objects of the class in the class's own examples, each with its first input.

    A class that has no pass of its own, as a base or a part of a network, is shown by what its examples call: a layer that
    derives from it, or the network.
    """
    calls = _calls_of_docstring(entry.cls)
    own = [call for call in calls if type(call[0]) is entry.cls]
    for module, given in own or calls:
        if found := passed(Example(module, *(mapped(readable, one) for one in given))):
            yield found


def _calls_of_docstring(cls: Any) -> list[tuple[Any, list[Any]]]:
    """Modules and criterions whose forward the examples of a class called, with what each was given first."""
    seen: list[tuple[Any, list[Any]]] = []
    originals = {base: base.forward for base in (pl.nn.Module, Criterion)}
    depth = 0

    def noting(original: Callable[..., Any]) -> Callable[..., Any]:
        def forward(self: Any, *given: Any) -> Any:
            nonlocal depth
            if (depth == 0 or type(self) is cls) and not any(self is module for module, _ in seen):
                seen.append((self, mapped(np.copy, list(given))))
            depth += 1
            try:
                return original(self, *given)
            finally:
                depth -= 1

        return forward

    for base, original in originals.items():
        base.forward = noting(original)  # type: ignore[method-assign]
    try:
        run_docstring(cls)
    except Exception:
        return []  # an example that shows an error
    finally:
        for base, original in originals.items():
            base.forward = original  # type: ignore[method-assign]
    return seen


def run_docstring(cls: Any) -> dict[str, Any]:
    """Runs the examples of a class; gives what they have made."""
    source = "\n".join(one.source for one in doctest.DocTestParser().get_examples(inspect.getdoc(cls) or ""))
    names = {name: getattr(pl, name) for name in PACKAGES if hasattr(pl, name)} | {"np": np, "pl": pl}
    with warnings.catch_warnings(), redirect_stdout(StringIO()), working_in_a_new_folder():
        warnings.simplefilter("ignore")
        exec(source, names)
    return names


@contextmanager
def working_in_a_new_folder() -> Iterator[None]:
    """Examples may write files."""
    before = os.getcwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _of(loaded: dict[str, Any], lua: str) -> Example:
    """Torch7's indices and labels count from 1."""

    def counted(value: Any) -> Any:
        return value - 1 if isinstance(value, np.ndarray) and value.dtype.kind == "i" else value

    return Example(loaded["module"], mapped(counted, loaded["input"]), mapped(counted, loaded.get("target")), None, lua)


def passed(one: Example) -> Example | None:
    """The example with what a forward and a backward pass give; None if they fail, or give what is not finite."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")
            return _passed(one)
    except Exception:
        return None


def _passed(one: Example) -> Example | None:
    pl.manualSeed(1)
    module = one.module.double()
    for held in vars(module).values():  # the network of a criterion that rewards it
        if isinstance(module, Criterion) and isinstance(held, pl.nn.Module):
            held.double()
    input, one.target = (
        mapped(lambda a: a.astype(np.float64) if a.dtype.kind == "f" else a, value) for value in (one.input, one.target)
    )
    one.input = mapped(np.copy, input)
    if isinstance(module, Criterion):
        one.output = module.forward(input, one.target)
        with suppress(UnsupportedError):  # some only measure
            one.gradInput = mapped(np.copy, module.backward(input, one.target))
    else:
        module.training()
        module.zeroGradParameters()
        one.output = mapped(np.copy, module.forward(input))
        if elements(one.output) == 0:
            return None
        counting = iter(range(1, elements(one.output) + 1))
        one.gradOutput = mapped(
            lambda a: np.array([next(counting) for _ in range(a.size)], np.float64).reshape(a.shape), one.output
        )
        gradInput = module.backward(input, mapped(np.copy, one.gradOutput))
        one.gradInput = None if gradInput is None else mapped(np.copy, gradInput)
        one.gradients = {name: np.copy(value) for name, value in vars(module).items() if name.startswith("grad") and
                         name not in ("gradInput",) and isinstance(value, np.ndarray) and value.size}  # fmt: skip
    one.functions = sorted(Bindings.of(module).calls)
    values = [one.output, one.gradInput]
    return one if all(np.isfinite(np.asarray(a, np.float64)).all() for value in values for a in leaves(value)) else None


def readable(array: Any) -> Any:
    """Numbers that are short to write and tell the same: ranks where all differ by the same, else one digit behind the point."""
    if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or array.size == 0:
        return array
    steps = np.diff(np.sort(array, axis=None))
    if array.size > 3 and np.allclose(steps, steps[0]) and steps[0] > 1e-9:
        return array.ravel().argsort().argsort().reshape(array.shape) + 1.0
    return np.round(array, 1)


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """A table with each array replaced; what is no array stays."""
    if isinstance(value, (list, tuple)):
        return [mapped(function, one) for one in value]
    if isinstance(value, dict):
        return {key: mapped(function, one) for key, one in value.items()}
    return function(value) if isinstance(value, np.ndarray) else value


def leaves(value: Any) -> list[Any]:
    """The arrays and numbers of a table."""
    if isinstance(value, (list, tuple)):
        return [leaf for one in value for leaf in leaves(one)]
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in leaves(one)]
    return [] if value is None else [value]


def elements(value: Any) -> int:
    return sum(np.size(leaf) for leaf in leaves(value))
