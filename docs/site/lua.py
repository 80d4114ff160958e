"""The page that says, for every Lua name of Torch7's packages, where it is here."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import pytorch_legacy as pl
from docs.site import ROOT
from docs.site.catalog import entries, families
from docs.site.page import heading

# Functions of Torch itself, which stand for several lines in Lua: porting.md has more of them, side by side.
FUNCTIONS = {
    "torch.load": "pl.load",
    "torch.save": "pl.save",
    "torch.manualSeed": "pl.manualSeed",
    "torch.setdefaulttensortype": "pl.setdefaulttensortype",
    "torch.getdefaulttensortype": "pl.getdefaulttensortype",
    "torch.setnumthreads": "pl.setNumThreads",
    "torch.getnumthreads": "pl.getNumThreads",
}


def text() -> str:
    classes: dict[str, list[str]] = {}
    for entry in entries():  # the first that has a name is what `nn.X` means; others are named by their package
        classes.setdefault(entry.cls._typename, []).append(f":doc:`pl.{entry.package}.{entry.name} </{entry.place}>`")
    rows = [(f"``{name}``", ", ".join(found)) for name, found in classes.items() if "." in name]
    parts = [
        heading("Lua names", "="),
        "What was called so in Torch7, and where it is here. Classes have the same name in ``.t7`` files. Dimensions, indices",
        "and labels count from 0 here: :doc:`/porting` has lines of Lua beside lines of Python.\n",
        heading("Classes"),
        _table(sorted(rows, key=lambda row: (not row[0].startswith("``nn."), row[0].lower()))),
        heading("Methods"),
        "A method has the same name: ``module:forward(input)`` is ``module.forward(input)``.\n",
        _table(_methods()),
        heading("Functions"),
        _table([*((f"``{lua}``", f"``{here}``") for lua, here in FUNCTIONS.items()), *_functions("optim", pl.optim),
                *_functions("nn.utils", pl.nn.utils), *_functions("nn.hessian", pl.nn.hessian)]),
    ]  # fmt: skip
    return "\n".join(parts)


def missing() -> list[str]:
    """Classes of Torch7's nn that the page lacks."""
    page = text()
    names = (ROOT / "tests" / "torch_nn_classes.txt").read_text(encoding="utf-8").split()
    return [name for name in names if f"``nn.{name}``" not in page]


def _methods() -> list[tuple[str, str]]:
    found = []
    for entry in families()[0].entries:
        own = {
            name: member for name, member in vars(entry.cls).items() if inspect.isfunction(member) and not name.startswith("_")
        }
        for name in sorted(own):
            found.append((f"``{entry.name}:{name}``", f"``{name}`` of :doc:`{entry.name} </{entry.place}>`"))
    return found


def _functions(name: str, module: ModuleType) -> Iterable[tuple[str, str]]:
    for member in sorted(vars(module)):
        thing: Any = getattr(module, member)
        if not member.startswith("_") and inspect.isfunction(thing) and thing.__module__.startswith(module.__name__):
            yield f"``{name}.{member}``", f"``pl.{name}.{member}``"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    body = "".join(f"   * - {lua}\n     - {here}\n" for lua, here in rows)
    return f".. list-table::\n   :header-rows: 1\n\n   * - Lua\n     - here\n{body}"
