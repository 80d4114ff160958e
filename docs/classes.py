"""A table of all classes, from the package: a page of the site, which `python docs/classes.py` prints."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path

from pytorch_legacy.files.classes import PACKAGES
from pytorch_legacy.lua import counting
from pytorch_legacy.nn import Container, Module
from pytorch_legacy.objects import Object

ROOT = Path(__file__).resolve().parent.parent

INTRODUCTION = """\
# Classes

Made by `python docs/classes.py`. Each class stands in a file of its name, whose docstring has formula, parameters, shapes and
source; `help(pl.nn.SpatialSoftPool)` shows it. The typename is what `.t7` files call the class, where not `nn.` and its name.

What Lua programs count from 1, and Python from 0, is in the third column: arguments of the constructor, what passes get and
return, and methods with such arguments. `from pytorch_legacy.lua import nn` has all classes with Lua's numbers
([lua.md](lua.md#python-that-counts-from-one)).
"""


def row(name: str, cls: type[Object]) -> str:
    path = Path(inspect.getfile(cls)).relative_to(ROOT)
    summary = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|").removesuffix("::")
    typename = "" if cls._typename == f"nn.{name}" else f"`{cls._typename}`"
    return f"| [{name}](../{path.as_posix()}) | {typename} | {', '.join(counts(cls))} | {summary} |"


def counts(cls: type[Object]) -> list[str]:
    """Returns the names of what Lua programs count from 1."""
    lua, arguments = cls._counts, inspect.signature(cls).parameters
    found = [f"`{name}`" for name, kind in counting.argumentKinds(cls).items() if name in arguments and kind != "stored"]
    found += [name for name in ("inputs", "targets", "outputs") if getattr(lua, name)]
    inherited = Container._counts if issubclass(cls, Container) else Module._counts
    return found + [f"`{name}()`" for name, kinds in lua.methods.items() if kinds and name not in inherited.methods]


def page() -> str:
    """The whole text."""
    parts = [INTRODUCTION]
    for package in PACKAGES:
        module = import_module(f"pytorch_legacy.{package}")
        classes = {name: getattr(module, name) for name in module.__all__}
        rows = [row(name, cls) for name, cls in classes.items() if isinstance(cls, type) and issubclass(cls, Object)]
        about = (module.__doc__ or "").strip().split("\n\n")[0]
        head = ["| class | typename | from 1 in Lua | |", "|---|---|---|---|"]
        parts.append("\n".join([f"## pl.{package}", "", about, "", *head, *rows, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
