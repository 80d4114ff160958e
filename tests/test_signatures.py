"""Signatures of constructors are the written ones, for `inspect`, `help`, and editors that never run the package (jedi)."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy.files.classes import classes

PACKAGE = Path(pl.__file__).parent
OURS = {cls for cls in classes() if cls.__module__.startswith("pytorch_legacy.")}
CLASSES = sorted(OURS, key=lambda cls: (cls.__module__, cls.__qualname__))


def written(cls: type) -> ast.arguments | None:
    """Returns the parameters of the constructor in the source; None if neither the class nor a base of this package has one."""
    for base in cls.__mro__:
        if "__init__" in vars(base) and base.__module__.startswith("pytorch_legacy."):
            tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(base)))
            function = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__")
            return function.args
    return None


def names(arguments: ast.arguments | None) -> list[str]:
    if arguments is None:
        return []
    several = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *several]
    return [argument.arg for argument in found][1:]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: f"{cls.__module__.split('.')[1]}.{cls.__name__}")
def test_inspect_shows_the_written_signature(cls: type) -> None:
    assert sorted(inspect.signature(cls).parameters) == sorted(names(written(cls)))


def test_no_code_assigns_methods_of_classes() -> None:
    """Editors take ``cls.__init__ = ...`` for the definition of that method in all classes below; they ignore `setattr`."""
    bases = {base for cls in CLASSES for base in cls.__mro__[:-1]}
    methods = {name for base in bases for name, value in vars(base).items() if inspect.isfunction(value)}
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for target in node.targets if isinstance(node, ast.Assign) else ():
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "cls":
                    found += [f"{path.relative_to(PACKAGE)}:{node.lineno}: {target.attr}"] * (target.attr in methods)
    assert "__init__" in methods and not found


@pytest.mark.parametrize("call, expected", [
    ("nn.SpatialConvolution(", "nInputPlane nOutputPlane kW kH dW dH padW padH"),
    ("nn.Linear(", "inputSize outputSize bias"),
    ("nn.SpatialMaxPooling(", "kW kH dW dH padW padH"),
    ("nn.ClassNLLCriterion(", "weights sizeAverage ignoreIndex"),
    ("pl.rnn.FastLSTM(", "inputSize outputSize rho eps momentum affine p mono"),
    ("pl.cudnn.SpatialConvolution(", "nInputPlane nOutputPlane kW kH dW dH padW padH groups"),
    ("nn.Linear(3, 2).forward(", "input"),
])  # fmt: skip
def test_jedi_shows_the_written_signature(call: str, expected: str) -> None:
    jedi: Any = pytest.importorskip("jedi")
    [signature] = jedi.Script(f"import pytorch_legacy as pl\nfrom pytorch_legacy import nn\n{call}").get_signatures()
    assert [parameter.name for parameter in signature.params] == expected.split()
