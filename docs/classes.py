"""A table of all classes, from the package: a page of the site, which `python docs/classes.py` prints."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path

from pytorch_legacy.files.classes import PACKAGES
from pytorch_legacy.objects import Object

ROOT = Path(__file__).resolve().parent.parent

INTRODUCTION = """\
# Classes

Made by `python docs/classes.py`. Each class stands in a file of its name, whose docstring has formula, parameters, shapes and
source; `help(pl.nn.SpatialSoftPool)` shows it. The typename is what `.t7` files call the class, where not `nn.` and its name.
"""


def row(name: str, cls: type[Object]) -> str:
    path = Path(inspect.getfile(cls)).relative_to(ROOT)
    summary = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|").removesuffix("::")
    typename = "" if cls._typename == f"nn.{name}" else f"`{cls._typename}`"
    return f"| [{name}](../{path.as_posix()}) | {typename} | {summary} |"


def page() -> str:
    """The whole text."""
    parts = [INTRODUCTION]
    for package in PACKAGES:
        module = import_module(f"pytorch_legacy.{package}")
        classes = {name: getattr(module, name) for name in module.__all__}
        rows = [row(name, cls) for name, cls in classes.items() if isinstance(cls, type) and issubclass(cls, Object)]
        about = (module.__doc__ or "").strip().split("\n\n")[0]
        parts.append("\n".join([f"## pl.{package}", "", about, "", "| class | typename | |", "|---|---|---|", *rows, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
