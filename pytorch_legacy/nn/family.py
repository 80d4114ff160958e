"""Turns a family's folder into a package that has the class of each of its files. No list names the classes."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def classes(package: dict[str, Any], bases: Sequence[str] = ()) -> list[str]:
    """Put the class ``X`` of each file ``X.py`` into the package, and give their names.

    Parameters
    ----------
    package : dict
        ``globals()`` of the package.
    bases : sequence of str
        Files of classes that others extend, and that have no name in ``nn``. Files in lower case are left out, too.
    """
    found = sorted(module.name for module in iter_modules(package["__path__"]))
    names = [name for name in found if name[0].isupper() and name not in bases]
    for name in names:
        package[name] = getattr(import_module(f"{package['__name__']}.{name}"), name)
    return names
