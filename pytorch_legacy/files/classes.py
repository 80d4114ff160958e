"""Which class stands for which typename: classes of this package, and those that users register."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, TypeVar

from pytorch_legacy.files.stored import Stored

Class = TypeVar("Class", bound=type[Stored])

# The packages that have the classes of .t7 files. Several packages of Torch7 put theirs into ``nn``.
PACKAGES = ("nn", "nngraph", "nngraph.graph", "rnn", "dpnn", "nnx", "cudnn", "inn", "authors")

_registered: dict[str, type[Stored]] = {}
_known: dict[str, list[type[Stored]]] = {}


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
    if not _known:
        for cls in classes():
            _known.setdefault(cls._typename, []).append(cls)
    return _known.get(typename, [])


def names_of(space: str) -> list[str]:
    """The names of the classes whose typenames begin with "nn.", or with that of another package of Torch7."""
    _ours("")
    return [typename.partition(".")[2] for typename in _known if typename.startswith(f"{space}.")]


def is_registered(typename: str) -> bool:
    """Has a user registered a class for it?"""
    return typename in _registered


def unknown(typename: str) -> Any:
    """What stands in for an object whose class is not known."""
    return own("nn.Unknown")(typename)


def classes() -> Iterator[type[Stored]]:
    for package in PACKAGES:
        module = import_module(f"pytorch_legacy.{package}")
        for name in module.__all__:
            member = getattr(module, name)
            if isinstance(member, type) and issubclass(member, Stored):
                yield member
