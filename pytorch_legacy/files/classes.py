"""Maps typenames to classes: those of this package, and those that users register."""

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
    "authors": ("nn", "cudnn", "OneHot", "fbnn", "w2nn", "onmt"),
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


def find_class(typename: str, fields: Any = None) -> type[Stored] | None:
    """Returns the class for a typename: a registered one first, then that of this package; None if there is none.

    Different authors gave different classes the same name. The `fields` of an object show which class it is: each class is
    asked by ``_claims(fields)``, in the reverse order of `PACKAGES`, and the result is None if no class claims them. A
    registered class is not asked. Without fields, and for `namesakes`, the result is the class that comes first.
    """
    if typename in _registered:
        return _registered[typename]
    found = _ours(typename)
    if isinstance(fields, dict) and not namesakes(typename, fields):
        return next((cls for cls in reversed(found) if cls._claims(fields)), None)
    return found[0] if found else None


def namesakes(typename: str, fields: Any) -> list[type[Stored]]:
    """Returns the classes that fields do not tell apart, but other objects in the file may; none if they do tell them apart."""
    if typename in _registered or not isinstance(fields, dict):
        return []
    found = [cls for cls in _ours(typename) if cls._companions and cls._claims(fields)]
    return found if len(found) > 1 else []


def own(typename: str) -> Any:
    """The class of this package for a typename, whatever is registered: packages reach those above them by it."""
    return _ours(typename)[0]


def _ours(typename: str) -> list[type[Stored]]:
    """Returns the classes of this package that have a typename.

    A package that is named as the typename begins is asked first, and alone if it has the class: no other package has a
    class of that name, and is imported without need.
    """
    space = typename.partition(".")[0]
    if space in PACKAGES and (found := _classes_in(space).get(typename)):
        return found
    tables = [_classes_in(package) for package in _list_packages(space)]
    return [cls for table in tables for cls in table.get(typename, [])]


def _list_packages(space: str) -> list[str]:
    return [package for package, spaces in PACKAGES.items() if space in spaces]


@cache
def _classes_in(package: str) -> dict[str, list[type[Stored]]]:
    """Returns the classes of a package by their typenames, and imports the package if that has not been done yet."""
    module = import_module(f"pytorch_legacy.{package}")
    found: dict[str, list[type[Stored]]] = {}
    for name in module.__all__:
        cls = getattr(module, name)
        if isinstance(cls, type) and issubclass(cls, Stored) and cls not in (known := found.setdefault(cls._typename, [])):
            known.append(cls)
    return found


def script_factory(files: Any) -> Any:
    """Returns the factory of objects whose classes Lua files define."""
    return import_module("pytorch_legacy.lua").factory(files)


def list_names(space: str) -> list[str]:
    """Returns the names of the classes whose typenames begin with "nn.", or with another package of Torch7."""
    typenames = [typename for package in _list_packages(space) for typename in _classes_in(package)]
    return [typename.partition(".")[2] for typename in typenames if typename.startswith(f"{space}.")]


def is_registered(typename: str) -> bool:
    """Returns True if a user registered a class for the typename."""
    return typename in _registered


def unknown(typename: str) -> Any:
    """Returns the object for a typename that has no class."""
    return own("nn.Unknown")(typename)


def classes() -> Iterator[type[Stored]]:
    """Yields the classes of all packages."""
    for package in PACKAGES:
        for found in _classes_in(package).values():
            yield from found
