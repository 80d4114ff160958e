"""The imports of the package obey `LAYERS`, the figure in docs/design.md, from the bottom up. No arrow goes up, or sideways.

Imports anywhere in a file count, within functions too, but those for type checkers alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "pytorch_legacy"
DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")

LAYERS = (
    ("errors", "torch_names", "listed", "version", "moved_modules"),
    ("arrays", "reentrancy"),
    ("messages", "arguments"),
    ("backend", "files"),
    ("objects", "random", "typenames"),
    ("nn",),
    ("interop", "explain", "extension", "recording", "testing", "nnx", "inn", "cudnn"),
    ("nngraph", "dpnn", "optim"),
    ("rnn", "authors"),
    ("optimizing",),
    ("program",),
    ("inference",),
    ("bridge", "distributed"),
    ("lua",),
    ("pytorch_legacy", "torch"),
    ("cli",),
    ("__main__",),
)
EXCEPT = {
    ("bridge", "torch"): "a layer without a rule is run by ours inside PyTorch, in what the bridge writes and in its trial",
}
HEIGHT = {name: i for i, layer in enumerate(LAYERS) for name in layer}


def modules() -> dict[str, Path]:
    """All modules by their names."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imported(name: str, eager: bool = False) -> Iterator[str]:
    """The modules that a module imports; `eager`: that it imports when it is imported."""
    path = MODULES[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in MODULES)
            elif isinstance(node, ast.ImportFrom):
                around = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
                base = ".".join([*around, *([node.module] if node.module else [])])
                for alias in node.names:
                    if (full := f"{base}.{alias.name}") in MODULES:
                        yield full
                    elif base in MODULES:
                        yield base
            elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                waiting += node.orelse
            elif not (eager and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))):
                waiting.append(node)


def circles(arrows: dict[str, set[str]]) -> list[str]:
    """Returns the modules on circles of imports, and those that import them. Packages' own files are left out."""
    left = {
        name: {other for other in others if MODULES.get(other, ROOT).name != "__init__.py"} for name, others in arrows.items()
    }
    while leaves := [name for name, others in left.items() if not others & left.keys()]:
        for name in leaves:
            del left[name]
    return sorted(left)


def part(name: str) -> str:
    """The package or module of pytorch_legacy that a module is in."""
    return name.split(".")[1] if "." in name else name


def test_every_part_has_its_layer():
    assert {part(name) for name in MODULES} == set(HEIGHT)


@pytest.mark.parametrize("name", sorted(HEIGHT))
def test_imports_go_down(name):
    arrows = {(part(inner), part(outer)): inner for inner in MODULES if part(inner) == name for outer in imported(inner)}
    wrong = [
        f"{where} imports {above}, which stands {'beside' if HEIGHT[above] == HEIGHT[name] else 'above'} {name}"
        for (_, above), where in arrows.items()
        if above != name and HEIGHT[above] >= HEIGHT[name] and (name, above) not in EXCEPT
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("arrow", EXCEPT)
def test_each_exception_is_still_one(arrow):
    assert any(part(outer) == arrow[1] for inner in MODULES if part(inner) == arrow[0] for outer in imported(inner))


def test_files_import_each_other_in_no_circle():
    """No two files import each other. (A package's own file stands for what is in it, and is left out.)"""
    assert not circles({name: set(imported(name, eager=True)) for name in MODULES})


@pytest.mark.parametrize("package", ["bridge", "explain"])
def test_functions_import_nothing_that_imports_their_file(package):
    """In these packages imports within functions close no circle, either."""
    assert not circles({name: set(imported(name)) for name in MODULES if part(name) == package})


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == ["a", "b", "c", "d"]
    assert circles({"a": {"b"}, "b": {"c"}, "c": set()}) == []


def test_the_figure_in_the_design_shows_these_layers():
    figure = DESIGN.split("<!-- layers -->")[1]
    rows = [row.strip("| ").split("|")[0].split() for row in figure.splitlines() if row.startswith("| `")]
    assert [{name.strip("`,") for name in row} for row in rows] == [set(layer) for layer in reversed(LAYERS)]


@pytest.mark.parametrize("code, found", [
    ("from pytorch_legacy import nn", {"pytorch_legacy.nn"}),
    ("def f():\n    from pytorch_legacy.nn.Module import Module", {"pytorch_legacy.nn.Module"}),
    ("from ..nn import Module", {"pytorch_legacy.nn.Module"}),
    ("from . import device", {"pytorch_legacy.arrays.device"}),
    ("if TYPE_CHECKING:\n    from pytorch_legacy import nn", set()),
    ("import numpy", set()),
])  # fmt: skip
def test_imports_are_found_in_all_ways_to_write_them(code, found, tmp_path, monkeypatch):
    monkeypatch.setitem(MODULES, "pytorch_legacy.arrays.trial", tmp_path / "trial.py")
    (tmp_path / "trial.py").write_text(code)
    assert set(imported("pytorch_legacy.arrays.trial")) == found
