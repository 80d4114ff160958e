"""Writes what type checkers and editors read of ``nn``: the ``__init__.pyi`` of it and of its families.

Python finds the classes in their folders when it imports ``nn`` (``nn/family.py``). A type checker runs nothing, so it needs a
list. The build makes it from the names of files alone: the package cannot be imported before its library is there.
"""

from __future__ import annotations

import re
from pathlib import Path

OTHERS = ("nngraph", "rnn", "dpnn", "nnx", "authors")
"""Packages whose classes Torch7 knows as ``nn.*``. Of two classes of one name, the first has it."""

PARTS = ("Jacobian", "SparseJacobian", "hessian", "tables", "utils")
ROOTS = ("Container", "Criterion", "Module", "Unknown")
TITLE = "# Written by the build (pytorch_legacy/backend/stubs.py)."


def members(family: Path) -> list[str]:
    """The classes of a family, as ``family.classes`` finds them."""
    bases = re.search(r"^BASES = \((.*?)\)$", (family / "__init__.py").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    left = set(re.findall(r'"(\w+)"', bases[1])) if bases else set()
    return sorted({path.stem for path in family.glob("[A-Z]*.py")} - left)


def adopted(package: Path) -> dict[str, str]:
    """From names in ``nn`` to the classes of another package, those with typenames that begin so."""
    found: dict[str, str] = {}
    for name in re.findall(r"^from \.\w+ import (\w+)", (package / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE):
        path = package / f"{name}.py"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        typename = re.search(r'^    _typename = "(.*)"$', text, re.MULTILINE)
        given = typename[1] if typename else f"{'nngraph' if package.name == 'nngraph' else 'nn'}.{name}"
        if re.search(rf"^class {name}\b", text, re.MULTILINE) and re.fullmatch(r"nn\.\w+", given):
            found.setdefault(given.removeprefix("nn."), name)
    return found


def texts(package: Path) -> dict[Path, str]:
    """The stubs of `package`, the folder of pytorch_legacy, by their paths."""
    nn = package / "nn"
    families = {path.parent: members(path.parent) for path in sorted(nn.glob("*/__init__.py"))}
    stubs = {}
    lines = [f"from .{name} import {name} as {name}" for name in ROOTS]
    lines += [f"from . import {name} as {name}" for name in sorted([*PARTS, *(family.name for family in families)])]
    for family, names in families.items():
        own = [f"from .{name} import {name} as {name}" for name in names]
        stubs[family / "__init__.pyi"] = "\n".join([TITLE, *own, "__all__: list[str]\n"])
        lines += [f"from .{family.name}.{name} import {name} as {name}" for name in names]
    taken = set(ROOTS).union(*families.values())
    for other in OTHERS:
        for name, cls in adopted(package / other).items():
            if name not in taken:
                lines.append(f"from pytorch_legacy.{other} import {cls} as {name}")
                taken.add(name)
    stubs[nn / "__init__.pyi"] = "\n".join([TITLE, *lines, "FAMILIES: tuple[str, ...]", "oldSeed: bool", "__all__: list[str]\n"])
    return stubs


def generate(source: Path, package: Path) -> None:
    """Write the stubs of the package in `source` into `package`, which may be the same folder."""
    for path, text in texts(source).items():
        target = package / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
