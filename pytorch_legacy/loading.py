"""From .t7 files to modules: which class stands for which typename, and how its objects are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, TypeVar

from pytorch_legacy import t7
from pytorch_legacy.errors import T7Error
from pytorch_legacy.nn.TorchObject import TorchObject
from pytorch_legacy.nn.Unknown import Unknown

Class = TypeVar("Class", bound=type[TorchObject])

# Where the classes of the .t7 files are at home. Several packages of Torch7 put theirs into ``nn``.
PACKAGES = ("nn", "nngraph", "rnn", "dpnn", "nnx", "cudnn", "inn", "authors")

_registered: dict[str, type[TorchObject]] = {}
_known: dict[str, type[TorchObject]] = {}


def register(typename: str) -> Callable[[Class], Class]:
    """Decorator: objects of this typename in .t7 files become instances of the decorated class.

    The class derives from ``nn.Module`` (or another class of ``nn``). An instance is made without ``__init__`` and gets
    its fields by ``_fromTorch7(fields, version)``, which sets them as attributes; override it to rename or mend them.
    Fields named in the class attribute ``_oneBased`` count from 1 in the file and are made to count from 0.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> @pl.register("nn.Double")
    ... class Double(pl.nn.Module):
    ...     def updateOutput(self, input):
    ...         self.output = 2 * input
    ...         return self.output
    """

    def remember(cls: Class) -> Class:
        if not (isinstance(cls, type) and issubclass(cls, TorchObject)):
            raise TypeError(f'register("{typename}"): expected a subclass of nn.Module or nn.Criterion, got {cls!r}')
        _registered[typename] = cls
        return cls

    return remember


def class_of(typename: str) -> type[TorchObject] | None:
    """The class for a typename: a registered one first, then that of this package; None if there is none."""
    if not _known:
        _known.update({name: cls for cls in _classes() for name in (cls._typename, *vars(cls).get("_aliases", ()))})
    return _registered.get(typename) or _known.get(typename)


def _classes() -> Iterator[type[TorchObject]]:
    for package in PACKAGES:
        module = import_module(f"pytorch_legacy.{package}")
        for name in module.__all__:
            member = getattr(module, name)
            if isinstance(member, type) and issubclass(member, TorchObject):
                yield member


class Factory:
    """Makes modules while a file is read; the protocol is that of ``pytorch_legacy.t7``."""

    # These are data, not modules: they keep the plain form that the format gives them.
    PLAIN = ("torch.", "tds.")

    def create(self, typename: str, version: int) -> Any | None:
        if typename.startswith(self.PLAIN):
            return None
        cls = class_of(typename)
        return Unknown(typename) if cls is None else cls.__new__(cls)

    def fill(self, instance: TorchObject, record: t7.TorchObject, path: t7.Path) -> None:
        if not isinstance(record.fields, dict) and not isinstance(instance, Unknown):
            raise T7Error(f"{path}: expected the table of fields of a {record.typename}, got {type(record.fields).__name__}")
        try:
            instance._fromTorch7(record.fields, record.version)
        except (KeyError, AttributeError, TypeError, ValueError, IndexError) as error:
            raise T7Error(f"{path}: these are not the fields of a {record.typename}: {error!r}") from error
        instance._remember(record)


def load(path: t7.reader.Readable, *, format: t7.reader.Format = "auto", longSize: t7.reader.LongSize = "auto") -> Any:
    """Load what ``torch.save`` of Torch7 wrote.

    Modules and criterions become objects of ``pytorch_legacy.nn``, ready to run. Lua arrays become lists, other tables
    dicts, tensors NumPy arrays (those of a GPU too), strings str, numbers int or float. What counts from 1 inside
    modules counts from 0 afterwards; numbers in tables and tensors are left as they are.

    The file is mapped, not copied: arrays are views of it until you write to them, and the file never changes.

    Parameters
    ----------
    path : path, bytes or binary file
        The .t7 file, binary or ASCII.
    format : {"auto", "binary", "ascii"}
        "auto" looks at the first bytes.
    longSize : {"auto", 4, 8}
        Bytes of a long integer in the file: 8, or 4 from 32-bit machines and Windows. "auto" tries both.

    Returns
    -------
    object
        An object of an unknown class is an ``nn.Unknown`` that keeps its fields and says what is missing when it runs.

    Raises
    ------
    T7Error
        The file is broken or is no .t7 file: one message with offset and path of the object.
    """
    return t7.read(path, format=format, longSize=longSize, objectFactory=Factory())
