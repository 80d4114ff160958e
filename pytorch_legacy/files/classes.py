"""Which class stands for which typename: classes of this package, and those that users register."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from pytorch_legacy.files.stored import Stored

Class = TypeVar("Class", bound=type[Stored])

PACKAGES = {
    "nn": ("nn",),
    "nngraph": ("nn", "nngraph"),
    "nngraph.graph": ("graph",),
    "rnn": ("nn",),
    "dpnn": ("nn",),
    "nnx": ("nn",),
    "cudnn": ("cudnn",),
    "inn": ("inn",),
    "authors": ("nn", "OneHot", "fbnn", "w2nn"),
    "optim": ("optim",),
}
"""The packages that have the classes of .t7 files, and what the typenames of their classes begin with. Several packages of Torch7
put theirs into ``nn``."""

_registered: dict[str, type[Stored]] = {}


def register(typename: str) -> Callable[[Class], Class]:
    """Decorator: objects of this typename in .t7 files become instances of the decorated class, and are saved under it.

    The class derives from ``nn.Module`` (or another class of ``nn``). An instance is made without ``__init__``, and the
    fields of the file become its attributes. What is otherwise it declares as ``_file``, a `Form`: names, what counts from 1,
    defaults, kinds, scratch memory, the version. ``_fromTorch7(fields, version)`` is there to override for the rest.

    A class may be registered under several typenames. Objects made in Python have the first one; objects from files keep
    theirs. A class of this package keeps its own name, and so does one that sets ``_typename``. A subclass is another
    class: register it under a name of its own, or files of it are not read back as such.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> @pl.register("nn.Double")
    ... class Double(pl.nn.Module):
    ...     _file = pl.Form(version=2, dropped=("buffer",))
    ...     def updateOutput(self, input):
    ...         self.output = 2 * input
    ...         return self.output
    """

    if not isinstance(typename, str) or not typename:
        raise TypeError(f'register: expected a typename such as "nn.Linear", got {typename!r:.100}')

    def remember(cls: Class) -> Class:
        if not (isinstance(cls, type) and issubclass(cls, Stored)):
            raise TypeError(f'register("{typename}"): expected a subclass of nn.Module or nn.Criterion, got {cls!r}')
        isNamed = cls._typename != cls.__name__ or cls in _registered.values()
        if not isNamed and cls.__module__.partition(".")[0] != "pytorch_legacy":
            cls._typename = typename
        _registered[typename] = cls
        return cls

    return remember


def class_of(typename: str, fields: Any = None) -> type[Stored] | None:
    """The class for a typename: a registered one first, then that of this package; None if there is none.

    Authors called different classes by one name. The `fields` of an object tell whose it is: each class is asked by
    ``_claims(fields)``, those of `PACKAGES` that come last first. Without fields it is the class that comes first.
    """
    found = [_registered[typename]] if typename in _registered else _ours(typename)
    if fields is not None and len(found) > 1:
        return next((cls for cls in reversed(found) if cls._claims(fields)), found[0])
    return found[0] if found else None


def own(typename: str) -> Any:
    """The class of this package for a typename, whatever is registered: packages reach those above them by it."""
    return _ours(typename)[0]


def _ours(typename: str) -> list[type[Stored]]:
    """No class of another package has the typename of one of nn: for these, no other package is imported."""
    if found := _classes_in("nn").get(typename):
        return [found]
    tables = [_classes_in(package) for package in _packages_of(typename.partition(".")[0])]
    return [table[typename] for table in tables if typename in table]


def _packages_of(space: str) -> list[str]:
    return [package for package, spaces in PACKAGES.items() if space in spaces]


@cache
def _classes_in(package: str) -> dict[str, type[Stored]]:
    """The classes of a package by their typenames. It is imported when it is asked for."""
    module = import_module(f"pytorch_legacy.{package}")
    members = [getattr(module, name) for name in module.__all__]
    return {cls._typename: cls for cls in members if isinstance(cls, type) and issubclass(cls, Stored)}


def names_of(space: str) -> list[str]:
    """The names of the classes whose typenames begin with "nn.", or with that of another package of Torch7."""
    typenames = [typename for package in _packages_of(space) for typename in _classes_in(package)]
    return [typename.partition(".")[2] for typename in typenames if typename.startswith(f"{space}.")]


def is_registered(typename: str) -> bool:
    """Has a user registered a class for it?"""
    return typename in _registered


def unknown(typename: str) -> Any:
    """What stands in for an object whose class is not known."""
    return own("nn.Unknown")(typename)


def classes() -> Iterator[type[Stored]]:
    """Those of all packages."""
    for package in PACKAGES:
        yield from _classes_in(package).values()
