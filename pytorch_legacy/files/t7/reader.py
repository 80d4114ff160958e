"""Reading a file: open it, find out which kind it is, parse."""

from __future__ import annotations

import mmap as maps
import os
import stat
import sys
import traceback
from contextlib import suppress
from typing import Any, BinaryIO, Literal

from pytorch_legacy.errors import T7Error

from .ascii import AsciiSource
from .binary import BinarySource, Buffer, ByteOrder, Memory
from .collecting import resting
from .detect import detect, doubt, unix_lines
from .nodes import Malformed
from .objects import ObjectFactory
from .parse import Parser, Source

Readable = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
Format = Literal["auto", "binary", "ascii"]
LongSize = Literal["auto", 4, 8]
Objects = Literal["one", "first", "all"]
Mapping = Literal["auto"] | bool

# A map costs a page and, before Python 3.13, a file descriptor for as long as any array of it lives.
_MAP_FROM = 1 << 16


def read(
    source: Readable,
    *,
    format: Format = "auto",
    longSize: LongSize = "auto",
    objects: Objects = "one",
    mmap: Mapping = "auto",
    objectFactory: ObjectFactory | None = None,
) -> Any:
    """Read the object in a .t7 file.

    Parameters
    ----------
    source : path, bytes or binary file
        Bytes are copied, if there are tensors. An open file is read from where it stands to its end.
    format : {"auto", "binary", "ascii"}
        How Torch7 wrote it. "auto" looks at the first bytes: a type tag is either four bytes, in
        the byte order of the machine that wrote the file, or a digit in a line of its own.
    longSize : {"auto", 4, 8}
        Size of a C long on the machine that wrote a binary file: 4 on Windows and on 32-bit systems.
        "auto" takes 8 if the whole file can be read so, with every tensor inside its storage and
        no bytes left over, and else 4 on the same condition.
    objects : {"one", "first", "all"}
        Treatment of anything that follows the first object. "one", the default, takes it for an error; "first" passes it over, as
        Torch7's ``torch.load`` did. "all" reads all objects and returns a list of them (see :func:`read_all`).
    mmap : {"auto", True, False}
        Whether a file on disk is mapped: nothing is copied then, and its arrays are views of the map. But whoever shortens
        the file in place ends this process when it looks at what is gone, and whoever writes into it may change values that
        were not yet looked at. "auto" maps files from 64 KiB on that nobody but their owner, this user or root, may
        write; False reads the whole file.
    objectFactory : ObjectFactory, optional
        Makes the Torch objects of classes it knows (protocol: see ``pytorch_legacy.files.t7``).

    Returns
    -------
    object
        See ``pytorch_legacy.files.t7`` for what becomes of what.

    Raises
    ------
    T7Error
        If the file is broken, is no .t7 file or holds more than one object. The text says where: the offset
        in bytes, in an ASCII file the line too, and the place of the object.
    OSError
        If it cannot be opened.

    Source: Torch7 ``torch.load``.
    """
    values = _load(source, format, longSize, mmap, objectFactory, objects)
    return values if objects == "all" else values[0]


def read_all(
    source: Readable,
    *,
    format: Format = "auto",
    longSize: LongSize = "auto",
    mmap: Mapping = "auto",
    objectFactory: ObjectFactory | None = None,
) -> list[Any]:
    """Read all objects of a .t7 file that several were written to, one after the other.

    Objects written through one open Torch7 file may refer back to earlier ones, files that were merely
    joined start to count anew: the reading that fits the whole file is taken. Parameters as for `read`.

    Source: Torch7 ``File:readObject``.
    """
    return _load(source, format, longSize, mmap, objectFactory, "all")


class Reader:
    """Reads the objects of one stream, one after the other, as Torch7's ``File:readObject`` did.

    An object that was read before is that object again.

    Parameters
    ----------
    content : bytes
        The stream, with longs of eight bytes.
    format : {"binary", "ascii"}
        How it was written.
    before : Reader, optional
        That of the same stream when it was shorter, whose objects are known.
    objectFactory : ObjectFactory, optional
        That of `read`.

    Attributes
    ----------
    position : int
        Where the next object begins.
    """

    def __init__(
        self,
        content: bytes,
        format: Format = "binary",
        before: Reader | None = None,
        objectFactory: ObjectFactory | None = None,
    ) -> None:
        self._parser = Parser(_source(Memory(content), None if format == "ascii" else "<", 8), objectFactory)
        if before is not None:
            self._parser.memo = before._parser.memo
        self.position = 0

    def read(self) -> Any:
        """Reads the object at the position, and goes on behind it. Raises T7Error."""
        source = self._parser.source
        source.position = self.position
        try:
            value = self._parser.read()
            self._parser.finish()
        except Malformed as error:
            raise T7Error(f"<stream>: offset {error.offset}: {error.message}") from None
        self.position = source.position
        return value


def _load(
    source: Readable, format: str, longSize: int | str, mmap: Mapping, factory: ObjectFactory | None, objects: str
) -> list[Any]:
    if format not in ("auto", "binary", "ascii"):
        raise ValueError(f"t7.read: format: expected 'auto', 'binary' or 'ascii', got {format!r}")
    if longSize not in ("auto", 4, 8):
        raise ValueError(f"t7.read: longSize: expected 'auto', 4 or 8, got {longSize!r}")
    if objects not in ("one", "first", "all"):
        raise ValueError(f"t7.read: objects: expected 'one', 'first' or 'all', got {objects!r}")
    if mmap not in ("auto", True, False):
        raise ValueError(f"t7.read: mmap: expected 'auto', True or False, got {mmap!r}")
    name, buffer = _contents(source, mmap)
    order: ByteOrder | None = "<"
    returns = False
    # Every object is in use: there is nothing to collect, and looking for it takes longer than all the rest.
    try:
        with resting:
            order = detect(buffer, format)
            if order is None:
                buffer, returns = unix_lines(buffer)
            return _roots(buffer, order, format, longSize, objects, factory)
    except Malformed as error:
        line, offset, message = "", error.offset, error.message
        if order is None:
            number = _line(buffer, offset)
            line, offset = f" (line {number})", offset + (number - 1) * returns
            if format == "auto" and (reason := doubt(buffer)) and reason not in message:
                message = f"expected a .t7 file, {reason} ({message})"
        place = f", at {error.path}" if error.path else ""
        failure = T7Error(f"{name}: offset {offset}{line}{place}: {message}")
        failure.__cause__ = error.__cause__
        # The frames of what went wrong know the file, and would keep it open for as long as somebody keeps the error.
        cause: BaseException | None = error
        while cause is not None:
            traceback.clear_frames(cause.__traceback__)
            cause = cause.__cause__ or cause.__context__
    except MemoryError as error:
        failure = T7Error(f"{name}: there is not enough memory for the objects of this file")
        traceback.clear_frames(error.__traceback__)
    del buffer
    raise failure


def _line(buffer: Buffer, offset: int) -> int:
    """The line of a text, counted from 1, that `offset` lies in."""
    step = 1 << 20
    return 1 + sum(buffer[start : min(start + step, offset)].count(b"\n") for start in range(0, offset, step))


def _contents(source: Readable, mmap: Mapping) -> tuple[str, Buffer]:
    """Name and bytes of a source. Nobody else sees what is written to a map."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return "<bytes>", bytes(source)
    if not isinstance(source, (str, os.PathLike)):
        content = source.read()
        if not isinstance(content, bytes):
            found = type(content).__name__
            raise T7Error(f"t7.read: expected a file opened in binary mode, got one that gives {found}")
        return str(getattr(source, "name", "<file>")), content
    name = os.fsdecode(source)
    if os.path.isdir(name):
        inside = sorted(entry for entry in os.listdir(name) if entry.endswith((".t7", ".net")))[:3]
        raise T7Error(f"{name}: offset 0: expected a .t7 file, got a folder; {_choice(name, inside)}")
    with open(source, "rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
            raise T7Error(f"{name}: offset 0: expected a .t7 file, got a device")
        isLarge = stat.S_ISREG(status.st_mode) and status.st_size >= _MAP_FROM
        if not isLarge or mmap is False or (mmap == "auto" and _others_write(status)):
            return name, file.read()
        options = {"trackfd": False} if sys.version_info >= (3, 13) else {}
        return name, maps.mmap(file.fileno(), 0, access=maps.ACCESS_COPY, **options)


def _others_write(status: os.stat_result) -> bool:
    """Returns True if the owner and mode of a file let others change it while it is read."""
    if not hasattr(os, "geteuid"):
        return False
    # A group of one's own, as most systems have it, is that of the own files.
    mask = stat.S_IWOTH | (stat.S_IWGRP if status.st_gid != os.getegid() else 0)
    return status.st_uid not in (0, os.geteuid()) or bool(status.st_mode & mask)


def _choice(folder: str, names: list[str]) -> str:
    if not names:
        return "there is no .t7 file in it"
    return "name a file in it, such as " + " or ".join(os.path.join(folder, name) for name in names)


def _roots(
    buffer: Buffer, order: ByteOrder | None, format: str, longSize: int | str, objects: str, factory: ObjectFactory | None
) -> list[Any]:
    parser, roots = _parsed(Memory(buffer), order, longSize, objects, factory)
    if order is None and format == "auto" and type(roots[0]) in (type(None), bool, int, float) and doubt(buffer):
        raise Malformed(0, f"expected a .t7 file, {doubt(buffer)}")
    parser.finish()
    return roots


def _parsed(
    memory: Memory, order: ByteOrder | None, longSize: int | str, objects: str, factory: ObjectFactory | None
) -> tuple[Parser, list[Any]]:
    """Parse the file in the first way that fits; the error of the way that came furthest if none does."""
    failure: Malformed | None = None
    for longs in _long_sizes(order, longSize):
        for continued in (True, False) if objects == "all" else (True,):
            parser = Parser(_source(memory, order, longs), factory)
            try:
                return parser, _objects(parser, objects != "one", continued)
            except Malformed as error:
                if failure is None or error.offset > failure.offset:
                    failure = error.with_traceback(None)
    if objects == "first":
        for longs in _long_sizes(order, longSize):
            parser = Parser(_source(memory, order, longs), factory)
            with suppress(Malformed):
                return parser, [parser.read()]
    assert failure is not None
    raise failure


def _long_sizes(order: ByteOrder | None, longSize: int | str) -> tuple[int, ...]:
    if order is None:
        return (8,)
    return (8, 4) if longSize == "auto" else (int(longSize),)


def _source(memory: Memory, order: ByteOrder | None, longs: int) -> Source:
    return AsciiSource(memory) if order is None else BinarySource(memory, order, longs)


def _objects(parser: Parser, many: bool, continued: bool) -> list[Any]:
    """Parse to the end of the source. `continued`: the indices count through all objects."""
    roots: list[Any] = []
    while not roots or not parser.source.finished():
        if roots and not many:
            raise _more(parser)
        roots.append(parser.read(f"object {len(roots) + 1}" if many else "root"))
        if not continued:
            parser.memo = {}
    return roots


def _more(parser: Parser) -> Malformed:
    """The error for bytes behind the object: another object, or something else."""
    source = parser.source
    offset, left = source.position, source.end - source.position
    text = f"expected the end of the file after the object, but {left} bytes follow"
    for known in (parser.memo, {}):
        source.position = offset
        another = Parser(source)
        another.memo = known
        with suppress(Malformed):
            another.read()
            return Malformed(offset, f'{text}: at least one more object; objects="all" reads all as a list (or read_all)')
    return Malformed(offset, f'{text}, which are no object; objects="first" reads what stands before them')
