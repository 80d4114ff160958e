"""Pickles of earlier versions: they name the modules in which classes and functions stood then.

``tests/golden/pickles/aa312be.pkl`` was written by ``pickle.dump`` at that commit.
"""

import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.files.lua import LuaMethod

FILE = Path(__file__).parents[1] / "golden" / "pickles" / "aa312be.pkl"


@pytest.fixture(scope="module")
def stored() -> dict:
    return pickle.loads(FILE.read_bytes())


def test_networks_compute_what_they_did(stored):
    for net, given, expected in (("flat", "x", "y"), ("convolutional", "picture", "maps"), ("graph", "x", "values")):
        np.testing.assert_allclose(stored[net].forward(stored[given]), stored[expected], rtol=1e-12)


def test_what_was_shared_is_shared(stored):
    flat, gradients = stored["flat"].getParameters()
    assert np.shares_memory(flat, stored["flat"][0].weight)
    assert next(iter(stored["keys"])).value is stored["flat"] and gradients.size == flat.size


def test_every_class_is_found(stored):
    assert len(stored["classes"]) > 370
    assert [cls._typename for cls in stored["classes"]] == stored["typenames"]
    assert all(getattr(pl.cudnn, name) in stored["classes"] for name in pl.cudnn.__all__ if name != "convert")


def test_what_stands_in_files_beside_networks(stored):
    assert type(stored["function"]) is pl.t7.Function and type(stored["storage"]) is pl.t7.Storage
    assert type(stored["record"]) is pl.t7.TorchObject and stored["record"].fields == {"gain": 2}
    assert type(stored["bare"]) is LuaMethod and isinstance(stored["matrix"], pl.optim.ConfusionMatrix)


@pytest.mark.parametrize("old, new", [
    ("storage", "arrays.storage"), ("t7", "files.t7"), ("t7.objects", "files.t7.objects"), ("loading", "files.loading"),
])  # fmt: skip
def test_an_old_name_is_another_name_of_the_module(old, new):
    module, spec = import_module(f"pytorch_legacy.{new}"), import_module(f"pytorch_legacy.{new}").__spec__
    assert import_module(f"pytorch_legacy.{old}") is module and module.__spec__ is spec
    assert module.__name__ == spec.name == f"pytorch_legacy.{new}"


def test_no_module_is_loaded_twice_whichever_name_comes_first():
    code = "import pytorch_legacy.t7.objects as old, pytorch_legacy.files.t7.objects as new; assert old is new"
    code += "; import pytorch_legacy.t7.missing"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stderr.splitlines()[-1].startswith("ModuleNotFoundError"), ran.stderr
