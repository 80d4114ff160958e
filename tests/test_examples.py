"""The Examples sections of docstrings: every public class has one, and each runs as it is printed.

What a reader imports once stands for all: ``np``, ``pl``, ``nn`` and the other packages by their names. Numbers agree as far as
they are printed, whatever processor computed them. The random seed differs from run to run: an example that draws sets its own.
"""

import doctest
import inspect
import re
import time
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl

PACKAGES = ("nn", "rnn", "dpnn", "nnx", "cudnn", "inn", "authors", "nngraph", "optim")
NAMES = {name: getattr(pl, name) for name in PACKAGES} | {"np": np, "pl": pl}

NUMBER = re.compile(r"(?<![\w.])[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:e[+-]?\d+)?", re.IGNORECASE)
SECTION = re.compile(r"^Examples\n--------\n((?:.*\n?)*?)(?=^\S.*\n---|\Z)", re.MULTILINE)


class Digits(doctest.OutputChecker):
    """Takes numbers for equal that differ by one in the last printed digit; the text around them is compared as usual."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        wanted, found = NUMBER.findall(want), NUMBER.findall(got)
        if len(wanted) != len(found):
            return False
        near = all(abs(float(a) - float(b)) <= 1.01 * unit(a) for a, b in zip(wanted, found, strict=True))
        return near and super().check_output(NUMBER.sub("0", want), NUMBER.sub("0", got), optionflags)


def unit(number: str) -> float:
    """Returns the value of the last digit of a printed number with a point; whole numbers are exact."""
    mantissa, _, exponent = number.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - digits) if digits else 0.0


def public() -> dict[str, Any]:
    """All classes and functions of the packages, by the first name that they have."""
    found: dict[str, Any] = {}
    for package in (*PACKAGES, "nngraph.graph"):
        names = attrgetter(package)(pl)
        for name in names.__all__:
            thing = getattr(names, name)
            if (inspect.isclass(thing) or inspect.isfunction(thing)) and thing not in found.values():
                found[f"{package}.{name}"] = thing
    return found


def examples(thing: Any) -> list[doctest.Example]:
    section = SECTION.search(inspect.cleandoc(vars(thing).get("__doc__") or thing.__doc__ or "") + "\n")
    return doctest.DocTestParser().get_examples(section[1]) if section else []


PUBLIC = public()


def test_every_public_class_has_an_example_that_shows_a_result():
    assert not [name for name, thing in PUBLIC.items() if not any(example.want for example in examples(thing))]


@pytest.mark.parametrize("package", PACKAGES)
def test_examples_run_as_printed(package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    monkeypatch.chdir(tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    runner = doctest.DocTestRunner(Digits(), verbose=False, optionflags=flags)
    said: list[str] = []
    for name, thing in PUBLIC.items():
        if name.split(".")[0] == package and (found := examples(thing)):
            pl.manualSeed(time.time_ns() % 2**31)
            runner.run(doctest.DocTest(found, dict(NAMES), name, inspect.getsourcefile(thing), 0, None), out=said.append)
    assert not runner.failures, "".join(said)


def test_examples_are_short():
    for name, thing in PUBLIC.items():
        lines = [line for example in examples(thing) for line in (example.source + example.want).splitlines()]
        assert len(lines) <= 24 and all(len(line) <= 110 for line in lines), f"{name}: an example fits a window"


def test_numbers_agree_as_far_as_they_are_printed():
    same = Digits().check_output
    assert same("array([0.2689, 1. ])\n", "array([0.26885, 1. ])\n", 0)
    assert same("array([0.26894143, 1.])\n", "array([0.26894142, 1.])\n", 0)
    assert not same("array([0.2689, 1. ])\n", "array([0.2687, 1. ])\n", 0)
    assert not same("array([2, 3])\n", "array([2, 4])\n", 0)
    assert not same("array([2., 3.])\n", "array([2., 3.], dtype=float32)\n", 0)
