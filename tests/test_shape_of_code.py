"""Functions of the package are short and nest little, so that each can be read from top to bottom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "pytorch_legacy"
GENERATED = ("_thnn.py", "_signatures.py")
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.name not in GENERATED]

MAX_DEPTH = 4
MAX_LINES = 64  # statements of a body without its docstring
MAX_SHARED_NAMES = 8  # local variables of a function that one nested function uses
MAX_FILE_LINES = 600
LONGER = {
    "optim/cg.py cg": "Torch7's algorithm, in its order, with its names",
    "optim/cmaes.py cmaes": "Torch7's algorithm, in its order, with its names",
    "torch/operators.py register": "the kernels of an operator, which torch wants as functions of one another",
}
"""Functions that may have more lines, and why."""

_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST, name: str = "") -> Iterator[tuple[str, Function]]:
    """Yields the functions of a file that are in no other function, with their names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield f"{name}{node.name}", node
        else:
            yield from functions(node, f"{name}{node.name}." if isinstance(node, ast.ClassDef) else name)


def depth(node: ast.AST, around: int = 0) -> int:
    """Returns how many blocks are in one another. An `elif` is as deep as its `if`."""
    deepest = around
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                isElif = isinstance(node, ast.If) and field == "orelse" and len(value) == 1 and isinstance(child, ast.If)
                deepest = max(deepest, depth(child, around + (isinstance(child, _BLOCKS) and not isElif)))
    return deepest


def lines(function: Function) -> int:
    """Returns the number of lines of a body without its docstring."""
    first = function.body[1:] if ast.get_docstring(function) else function.body
    return (function.end_lineno or 0) - first[0].lineno + 1 if first else 0


def own_names(function: Function) -> set[str]:
    """Returns the parameters and local variables of a function, but for names of nested functions."""
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    found = {argument.arg for argument in parameters if argument}
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return found


def shared_names(function: Function) -> int:
    """Returns how many local variables of a function a nested function uses: the largest number among these."""
    outer, most = own_names(function), 0
    for node in ast.walk(function):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node is not function:
            used = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            most = max(most, len((used & outer) - own_names(node)))
    return most


@cache
def of_package() -> list[tuple[str, Function]]:
    found = []
    for path in FILES:
        place = path.relative_to(PACKAGE).as_posix()
        found += [(f"{place} {name}", function) for name, function in functions(ast.parse(path.read_text(encoding="utf-8")))]
    return found


def test_functions_nest_little() -> None:
    assert {name: n for name, function in of_package() if (n := depth(function)) > MAX_DEPTH} == {}


def test_functions_are_short() -> None:
    long = {name: n for name, function in of_package() if (n := lines(function)) > MAX_LINES}
    assert long.keys() == LONGER.keys(), long


def test_nested_functions_share_few_names() -> None:
    assert {name: n for name, function in of_package() if (n := shared_names(function)) > MAX_SHARED_NAMES} == {}


def test_files_are_short() -> None:
    counts = {path.relative_to(PACKAGE).as_posix(): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: n for name, n in counts.items() if n > MAX_FILE_LINES} == {}


@pytest.mark.parametrize("code, expected", [
    ("def f():\n    return 1", (0, 1, 0)),
    ("def f(x):\n    'Text.'\n    if x:\n        pass\n    elif x > 1:\n        for _ in x: pass", (2, 4, 0)),
    ("def f(a, b):\n    c = 1\n    def g(d):\n        return a + c + d\n    return g", (1, 4, 2)),
])  # fmt: skip
def test_what_is_measured(code: str, expected: tuple[int, int, int]) -> None:
    [(_, function)] = functions(ast.parse(code))
    assert (depth(function), lines(function), shared_names(function)) == expected
