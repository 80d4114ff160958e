"""Files in which one field of one object is something else: they are refused, or every method works or says what is wrong.

A seeded sample runs here; ``python -m tests.files.test_spoilt`` runs all of it, and the tools for whole networks on every class.
"""

from __future__ import annotations

import sys
from collections import Counter
from importlib.util import find_spec

from pytorch_legacy.files.classes import classes
from tests.files import spoil, tools
from tests.files.examples import LEFT_OUT, examples, name_of

# Classes for several cards run on one here and have no example: each is a part of nn.DataParallelTable.
PARTS = {"authors.DataParallelTableThreads"}


def test_every_class_has_an_example() -> None:
    names = {name_of(cls) for cls in classes()}
    assert names - examples().keys() == LEFT_OUT | PARTS


def test_a_sample_of_spoilt_fields() -> None:
    count, found = spoil.run("--seed", "1", "--step", "80")
    assert count > 1000
    assert found == [], "\n".join(map(str, found[:20]))


def test_a_sample_of_tools() -> None:
    count, found = tools.run("--seed", "1", "--step", "12")
    assert count > 25
    assert found == [], "\n".join(map(str, found[:20]))


def main() -> int:
    total: Counter[str] = Counter()
    withTorch = [("torch", spoil.run, ("--torch", "--seed", "1", "--step", "40"))] if find_spec("torch") else []
    for name, runner, arguments in [("fields", spoil.run, ()), *withTorch, ("tools", tools.run, ())]:
        count, found = runner(*arguments)
        total[name] = count
        for failure in found:
            print(name, *failure, sep=" | ")
        total["found"] += len(found)
    print(dict(total))
    return int(total["found"] > 0)


if __name__ == "__main__":
    sys.exit(main())
