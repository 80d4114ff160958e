"""Types that users meet: mypy knows what passes return and which fields layers have; `dir` lists what is public."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import textwrap
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pytorch_legacy as pl
import tests.cases
from pytorch_legacy import nn
from pytorch_legacy.files.classes import list_names

PROGRAM = """
from typing import Any, assert_type

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn

Array = np.ndarray[Any, Any]

x = np.ones((2, 3, 8, 8), np.float32)
conv = nn.SpatialConvolution(3, 8, 3, 3)
assert_type(conv.forward(x), Array)
assert_type(conv.weight, Array)
assert_type(conv.kW, int)
assert_type(conv.nInputPlane, int)
conv.weight[:] = 0
pool = nn.VolumetricMaxPooling(2, 2, 2)
assert_type((pool.kT, pool.dH, pool.padW, pool.ceil_mode), tuple[int, int, int, bool])
assert_type(pool.ceil(), nn.VolumetricMaxPooling)
assert_type(nn.SpatialZeroPadding(1).pad_l, int)
linear = nn.Linear(3, 2)
assert_type(linear.weight, Array)
assert_type(linear.bias, Array | None)
assert_type(linear.forward(x), Array)
assert_type(nn.Reshape(6).forward(x), Array)
assert_type(nn.SplitTable(0).forward(x), list[Array])
assert_type(nn.Sequential(linear).add(conv), nn.Sequential)
assert_type(nn.Sequential().forward(x), Any)
loss = nn.MSECriterion()
assert_type(loss.forward(x, x), float)
assert_type(loss.sizeAverage, bool)
assert_type(nn.ParallelCriterion().add(loss).forward([x], [x]), float)
assert_type(pl.rnn.FastLSTM(3, 2).train, bool)


class Twice(nn.Module):
    def updateOutput(self, input: Array) -> Array:
        self.output = 2 * input
        return self.output


assert_type(Twice().forward(x), Array)

conv.kT  # error: attr-defined
linear.forward()  # error: call-arg
nn.Linear("three", 2)  # error: arg-type
nn.NoSuchLayer()  # error: attr-defined
"""


def test_mypy_knows_what_a_program_uses(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    out, errors, _ = api.run(["--config-file=", "--follow-imports=silent", f"--cache-dir={tmp_path}", str(program)])
    found = {(int(line), code) for line, code in re.findall(r"program\.py:(\d+): error: .*\[([\w-]+)\]$", out, re.MULTILINE)}
    lines = PROGRAM.splitlines()
    wanted = {(n, line.partition("# error: ")[2]) for n, line in enumerate(lines, 1) if "# error: " in line}
    assert found == wanted and not errors, out + errors


@cache
def declared(cls: type) -> frozenset[str]:
    """Returns the attributes that a type checker finds in the source of a class."""
    [tree] = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(tree, ast.ClassDef)
    found = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    found |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        isField = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        if isField and node.value.id == "self":  # type: ignore[attr-defined]
            found.add(node.attr)  # type: ignore[attr-defined]
    return frozenset(found)


def cases() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(tests.cases.__path__) if module.name[0].isupper()]


@pytest.mark.parametrize("name", cases())
def test_fields_of_constructors_are_declared(name: str) -> None:
    """Each argument of a constructor that is a field of the object is declared in the class, or assigned by name."""
    module = importlib.import_module(f"tests.cases.{name}")
    for case in module.CASES:
        thing: Any = case.make()
        if not type(thing).__module__.startswith("pytorch_legacy."):
            continue
        ours = [base for base in type(thing).__mro__ if base.__module__.startswith("pytorch_legacy.")]
        known = frozenset[str]().union(*map(declared, ours))
        arguments = inspect.signature(type(thing)).parameters.keys()
        assert {field for field in arguments if field in vars(thing)} <= known, type(thing)


@pytest.mark.parametrize("module", [pl, nn], ids=["pl", "nn"])
def test_dir_lists_what_is_public(module: ModuleType) -> None:
    names = dir(module)
    assert set(module.__all__) <= set(names) and all(hasattr(module, name) for name in names)
    assert [name for name in names if name.startswith("_") and name != "__version__"] == []
    assert not {"Any", "TYPE_CHECKING", "import_module", "messages", "reentrancy", "check", "blocks", "FAMILIES"} & {*names}


def test_dir_of_nn_has_the_classes_of_other_packages() -> None:
    assert {name for name in list_names("nn") if name.isidentifier()} <= set(dir(nn))
    assert {"LSTM", "gModule", "utils", "hessian", "Jacobian"} <= set(dir(nn))
