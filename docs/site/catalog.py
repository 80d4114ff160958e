"""All classes that have a page: where they stand, in which family, and where their page is."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from docs.site import ROOT
from pytorch_legacy.files.classes import PACKAGES


@dataclass(frozen=True)
class Entry:
    """A class, the package that has it (``nn``, ``cudnn``), and its family or, outside of nn, the package again."""

    name: str
    package: str
    family: str
    cls: Any

    @cached_property
    def file(self) -> str:
        """Its Python file in the repository."""
        return Path(inspect.getfile(self.cls)).resolve().relative_to(ROOT).as_posix()

    @property
    def place(self) -> str:
        """Its page on the site, without an ending."""
        return f"layers/{self.name}" if self.package == "nn" else f"layers/{self.package}/{self.name}"

    @property
    def isNn(self) -> bool:
        return self.package == "nn"

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.cls) or "").split("\n\n")[0].replace("\n", " ").rstrip(":")


@dataclass(frozen=True)
class Family:
    """Classes that stand in one folder, which lists them."""

    name: str
    about: str
    entries: list[Entry]

    @property
    def title(self) -> str:
        return self.name if self.name.startswith("pl.") else self.name.capitalize()

    @property
    def place(self) -> str:
        return f"layers/families/{self.name.removeprefix('pl.')}"


@cache
def families() -> list[Family]:
    """Returns the families of nn in the order of their names, then the other packages."""
    from pytorch_legacy import nn

    folders = sorted(path.parent.name for path in Path(inspect.getfile(nn)).parent.glob("*/__init__.py"))
    found = [_family(folder, "nn", import_module(f"pytorch_legacy.nn.{folder}")) for folder in folders]
    inFolders = {entry.name for family in found for entry in family.entries}
    bases = [Entry(name, "nn", "bases", getattr(nn, name)) for name in nn.__all__ if name not in inFolders]
    found.insert(0, Family("bases", "What all layers, containers and criterions have.", bases))
    found += [
        _family(f"pl.{package}", package, import_module(f"pytorch_legacy.{package}")) for package in PACKAGES if package != "nn"
    ]
    return [family for family in found if family.entries]


def _family(name: str, package: str, module: ModuleType) -> Family:
    from pytorch_legacy.objects import Object

    classes = {member: getattr(module, member) for member in module.__all__}
    chosen = [Entry(n, package, name, c) for n, c in classes.items() if isinstance(c, type) and issubclass(c, Object)]
    about = (module.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")
    return Family(name, about, chosen)


def entries() -> Iterator[Entry]:
    """Each class once, by the first name that it has."""
    seen: set[Any] = set()
    for family in families():
        for entry in family.entries:
            if entry.cls not in seen:
                seen.add(entry.cls)
                yield entry
