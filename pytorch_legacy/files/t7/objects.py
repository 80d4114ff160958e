"""The objects of .t7 files that plain Python has no type for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, Protocol

import numpy as np

from pytorch_legacy.arrays.tree import Hash as Hash
from pytorch_legacy.arrays.tree import IdentityKey as IdentityKey
from pytorch_legacy.arrays.tree import Vec as Vec
from pytorch_legacy.errors import T7Error
from pytorch_legacy.listed import Listed


class TorchObject:
    """A Torch object as the file has it: class name, version and contents.

    Parameters
    ----------
    typename : str
        Class name, e.g. ``"nn.Linear"``.
    version : int
        Version of the class, 0 in files that are older than versions. (Lua takes any number: 1.5 stays a float.)
    fields : object
        The single object that forms the body, normally a dict. ``torch.Generator`` has the bytes
        of its C structure here, ``tds.AtomicCounter`` an int, ``torch.Timer`` nothing (None).
    header : object
        The object that precedes the fields in classes that store two, such as ``nn.GPU``.

    Two TorchObjects are equal only if they are one: Lua compares tables by identity.
    """

    __slots__ = ("__weakref__", "fields", "header", "typename", "version")

    def __init__(self, typename: str, version: int = 1, fields: Any = None, header: Any = None) -> None:
        self.typename = typename
        self.version = version
        self.fields = fields
        self.header = header

    def __repr__(self) -> str:
        # The fields stay out: they may be megabytes, or lead back here.
        return f"<TorchObject {self.typename} V {self.version}>"


class Function:
    """A Lua function, kept but never run: its bytecode belongs to one build of one interpreter.

    Parameters
    ----------
    bytecode : bytes
        Result of ``string.dump``.
    upvalues : list
        Form 8: a dict with ``name``, ``id`` and ``value`` for each upvalue (equal ids are one shared
        variable). Forms 6 and 7: the bare values.
    form : int
        Type tag in the file: 8 (current), 7 (legacy) or 6 (oldest).
    """

    __slots__ = ("__weakref__", "bytecode", "form", "upvalues")

    def __init__(self, bytecode: bytes, upvalues: Any = None, form: int = 8) -> None:
        self.bytecode = bytecode
        self.upvalues = [] if upvalues is None else upvalues
        self.form = form

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise T7Error(
            "t7.Function: a Lua function is stored as bytecode of its interpreter and cannot run in Python; "
            "write its work as a Python function"
        )

    def __repr__(self) -> str:
        # The upvalues stay out: a file may hold anything in their place.
        return f"<Lua function, {len(self.bytecode)} bytes of bytecode>"


class Storage(np.ndarray[Any, Any], metaclass=Listed):
    """A Torch storage that stands as a value of its own: a one-dimensional array.

    The type only tells it from a tensor. ``array.view(Storage)`` makes one that shares memory.
    """


class DeviceTensor(np.ndarray[Any, Any], metaclass=Listed):
    """An array that stands in a file as a tensor of a CUDA device: ``torch.CudaTensor``, ``torch.CudaDoubleTensor``.

    The type only tells it from a tensor of the CPU; tensors that share a storage are all of one kind.
    """


def longs(numbers: Iterable[int]) -> Storage:
    """A torch.LongStorage, in which Torch7 keeps sizes."""
    return np.array(list(numbers), np.int64).view(Storage)


class Path(Protocol):
    """The place of an object in its file; ``str(path)`` computes the text."""

    def __str__(self) -> str: ...


class ObjectFactory(Protocol):
    """Makes objects of classes it knows while a file is read (protocol: see the package)."""

    def create(self, typename: str, version: int) -> Any | None:
        """Return an empty instance for the class, or None if it is not known."""

    def fill(self, instance: Any, record: TorchObject, path: Path) -> None:
        """Give an instance of `create` the contents that the file has for it."""
