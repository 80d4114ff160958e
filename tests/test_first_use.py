"""Packages are imported when something in them is asked for: by name, or by the typename of an object in a file."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import pytorch_legacy as pl
from pytorch_legacy.files.classes import PACKAGES, classes, find_class

ROOT = Path(__file__).resolve().parents[1]
SIBLINGS = ("authors", "bridge", "cudnn", "distributed", "dpnn", "explain", "extension", "inn", "interop", "nngraph", "nnx",
            "optim", "optimizing", "rnn", "testing")  # fmt: skip
DIGITS = "pl.load('examples/digits/digits.t7')"


def fresh(code: str) -> str:
    """Returns the output of a new process."""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


IMPORTS: dict[str, set[str]] = {
    "": set(),
    "pl.nn.Sequential(pl.nn.Linear(2, 2), pl.nn.Tanh())": set(),
    f"{DIGITS}; from pytorch_legacy import nn": set(),
    "pl.load('examples/superres/superres.t7')": set(),
    "from pytorch_legacy import cudnn": {"cudnn"},
    "assert pl.files.classes.find_class('cudnn.ReLU')": {"cudnn"},
    "assert pl.files.classes.find_class('optim.ConfusionMatrix')": {"optim", "explain"},
    "assert pl.files.classes.find_class('my.Layer') is None": set(),
    "pl.nn.Linear(2, 2)()": {"explain", "nngraph"},
    "assert pl.nn.LSTM.__module__ == 'pytorch_legacy.rnn.LSTM'": {"authors", "dpnn", "explain", "inn", "nngraph", "nnx", "rnn"},
}
"""The siblings that a process has imported after such a line."""


def test_nothing_is_imported_before_it_is_asked_for():
    """Each in a process of its own, which has imported the package and nothing else."""
    lines = fresh(f"""
import os, sys
import pytorch_legacy as pl
for code in {list(IMPORTS)}:
    if (child := os.fork()) == 0:
        exec(code)
        print(*sys.modules, flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, code
""").split("\n")
    modules = {code: set(line.split()) for code, line in zip(IMPORTS, lines, strict=True)}
    found = {code: {name for name in SIBLINGS if f"pytorch_legacy.{name}" in names} for code, names in modules.items()}
    assert found == IMPORTS


def test_each_name_is_there_whichever_comes_first():
    """Each in a process of its own, which has imported the package and nothing else."""
    code = """
import os
import pytorch_legacy as pl
def fails(name):
    if (child := os.fork()) == 0:
        try:
            os._exit(0 if name in dir(pl) and getattr(pl, name) is not None else 1)
        except BaseException:
            os._exit(2)
    return os.waitpid(child, 0)[1]
lazy = [name for name in pl.__all__ if name not in vars(pl)]
print(len(lazy), [name for name in lazy if fails(name)])
"""
    count, failed = fresh(code).split(" ", 1)
    assert int(count) > 15 and failed == "[]"


def test_all_names_at_once_and_one_that_is_not_there():
    code = "from pytorch_legacy import *; print(rnn.LSTM._typename, optimize.__name__, to_torch.__name__, cudnn.ReLU._typename)"
    assert fresh(code) == "nn.LSTM optimize to_torch cudnn.ReLU"
    with pytest.raises(AttributeError, match=r"^module 'pytorch_legacy' has no attribute 'LSTM'$"):
        _ = pl.LSTM  # type: ignore[attr-defined]


def test_threads_that_ask_at_the_same_time_get_whole_packages():
    code = """
import sys, threading
import pytorch_legacy as pl
sys.setswitchinterval(1e-5)
lazy = [name for name in pl.__all__ if name not in vars(pl)]
start, wrong = threading.Barrier(8), []
def ask(turn):
    start.wait()
    try:
        for name in lazy[turn:] + lazy[:turn]:
            assert all(hasattr(getattr(pl, name), inner) for inner in getattr(getattr(pl, name), "__all__", ())), name
        assert pl.files.classes.find_class("cudnn.ReLU") is pl.cudnn.ReLU and pl.nn.gModule is pl.nngraph.gModule
    except BaseException as error:
        wrong.append(repr(error))
threads = [threading.Thread(target=ask, args=(2 * turn,)) for turn in range(8)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
print(len(lazy), wrong)
"""
    count, wrong = fresh(code).split(" ", 1)
    assert int(count) > 15 and wrong == "[]"


def test_pickles_of_earlier_versions_find_the_classes_of_cudnn_in_a_new_process():
    code = "import pickle, sys; print(len(pickle.load(open('tests/golden/pickles/aa312be.pkl', 'rb'))['classes']) > 370)"
    assert fresh(code) == "True"
    code = "from importlib import import_module; file = import_module('pytorch_legacy.cudnn.ReLU')"
    code += "; import pytorch_legacy as pl; print(file.ReLU is pl.cudnn.ReLU, file.__name__)"
    assert fresh(code) == "True pytorch_legacy.cudnn.activation"


def test_a_typename_says_which_packages_have_its_class():
    """Typenames tell the packages apart, so that a class of nn is found without the others."""
    for cls in classes():
        package = next(name for name in sorted(PACKAGES, reverse=True) if cls.__module__.startswith(f"pytorch_legacy.{name}."))
        assert cls._typename.partition(".")[0] in PACKAGES[package], cls
    counted = Counter(cls._typename for cls in classes())
    # The fields of files tell apart the classes of the first one, and other objects in files those of the second one.
    assert {typename for typename, count in counted.items() if count > 1} == {"nn.LSTM", "nn.BilinearSamplerBHWD"}
    assert find_class("nn.LSTM", {"hidden_dim": 5}) is pl.authors.TorchRnnLSTM and find_class("nn.LSTM") is pl.rnn.LSTM
