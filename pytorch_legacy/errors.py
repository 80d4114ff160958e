"""The exceptions of the package: one family, each also the builtin a Python user would expect.

>>> raise ShapeError("nn.Linear: input: expected 10 columns, got shape (2, 9)")
Traceback (most recent call last):
pytorch_legacy.errors.ShapeError: nn.Linear: input: expected 10 columns, got shape (2, 9)
"""

import re
from typing import Any, Self

_RANGE = re.compile(r"expected (-?\d+) to (-?\d+), got (-?\d+)$")
TOO_DEEP = "{}: its modules are nested too deep, or contain themselves"  # for Python's stack


class THNNError(Exception):
    """An error that a layer raises.

    Attributes
    ----------
    code : int
        The status that the C library returned, 0 when the complaint comes from Python.
    where : list of str
        The way to the layer, outermost container first, each entry like ``"in module 3 of nn.Sequential"``.
        Numbers are those that printing the network shows. ``str(error)`` begins with them.
    """

    code = 0
    _texts = ("", "")

    def __init__(self, text: str, code: int | None = None) -> None:
        super().__init__(text)
        self.where: list[str] = []
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        where = self.where
        if len(where) > 12:  # containers inside containers without end
            where = [*where[:4], f"... ({len(where) - 8} levels)", *where[-4:]]
        return ", ".join([*where, str(self.args[0])])

    @classmethod
    def of(cls, text: str, *indices: int, isFromEnd: bool = True) -> Self:
        """Returns the error whose text has these indices in its braces. They count from 0, negative ones from the end if so."""
        error = cls(text.format(*indices))
        error._texts = (str(error.args[0]), text.format(*(index + (index >= 0 or not isFromEnd) for index in indices)))
        return error

    def count_from_one(self) -> None:
        """The text has its indices as Lua counts them from now on."""
        self.args = (str(self.args[0]).replace(*self._texts, 1),)
        self._texts = ("", "")


class NullError(THNNError, ValueError):
    """An array that must be there is missing."""

    code = 1


class ShapeError(THNNError, ValueError):
    """A rank, a size or a number of table entries is wrong, or sizes do not fit together."""

    code = 2


class ValueRangeError(THNNError, ValueError):
    """A number is out of its range, or an array cannot be written to."""

    code = 3


class IndexRangeError(THNNError, IndexError):
    """An index, a dimension or a class label is out of range."""

    code = 4


class OutOfMemoryError(THNNError, MemoryError):
    """There was no memory for scratch space."""

    code = 5


class UnsupportedError(THNNError, NotImplementedError):
    """The call is right, but this installation cannot do it."""

    code = 6


class DeviceError(THNNError, RuntimeError):
    """There is no device, or the device failed."""

    code = 7


class VersionError(THNNError, RuntimeError):
    """The library and the package do not belong together."""

    code = 8


class DtypeError(THNNError, TypeError):
    """An array has another dtype than its module, or something is of another kind than what is expected: no array at all."""


class BusyError(THNNError, RuntimeError):
    """Another thread is within a pass of the module or criterion: each thread needs a `clone()` of its own."""


class CompileError(THNNError, TypeError):
    """A network cannot be compiled: the text names the module, the line and what it does that a program cannot repeat."""


class ArgumentError(THNNError, TypeError):
    """An argument of a constructor or method is of another kind than what is expected, is missing, or is one too many."""


class FieldError(THNNError, AttributeError):
    """An object lacks a field or method, or a field of it is not of the kind that its class takes it for."""


class ExtensionError(THNNError, RuntimeError):
    """A layer of one's own cannot be compiled or loaded, or its declarations are not as they must be."""


class T7Error(ValueError):
    """A .t7 file is broken, or holds what the format does not allow."""


class T7Warning(UserWarning):
    """A module of a .t7 file does not do all that it did in Torch7, or its owner may not expect what it does."""


_BY_CODE: dict[int, type[THNNError]] = {
    error.code: error
    for error in (
        NullError,
        ShapeError,
        ValueRangeError,
        IndexRangeError,
        OutOfMemoryError,
        UnsupportedError,
        DeviceError,
        VersionError,
    )
}


def from_status(code: int, text: str) -> THNNError:
    """The exception, ready to be raised, for a status of the C library and its error text."""
    if code == IndexRangeError.code and (found := _RANGE.search(text)):
        return IndexRangeError.of(_RANGE.sub("expected {} to {}, got {}", text), *map(int, found.groups()), isFromEnd=False)
    return _BY_CODE.get(code, THNNError)(text, code)


class located:
    """An exception that passes says that it was raised in `place`: "in criterion 2 of nn.MultiCriterion".

    A generator would take three times as long, and there is one for each step of a sequence.
    """

    __slots__ = ("place",)

    def __init__(self, place: str) -> None:
        self.place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if error is None:
            return
        if isinstance(error, THNNError):
            error.where.insert(0, self.place)
        elif isinstance(error, RecursionError):
            raise UnsupportedError(TOO_DEEP.format(self.place)) from None
        elif isinstance(error, Exception):
            error.add_note(self.place)
