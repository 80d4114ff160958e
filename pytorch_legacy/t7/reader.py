"""Reading a file: open it, find out which kind it is, parse, build."""

from __future__ import annotations

import mmap
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO, Literal

from ..errors import T7Error
from .ascii import AsciiSource
from .binary import BinarySource, Buffer, ByteOrder
from .build import build, resolved
from .detect import detect
from .nodes import Malformed, Node
from .objects import ObjectFactory
from .parse import Memo, Source, parse

Readable = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
Format = Literal["auto", "binary", "ascii"]
LongSize = Literal["auto", 4, 8]
Objects = Literal["one", "first", "all"]

# A map costs a page and, before Python 3.13, a file descriptor for as long as any array of it lives.
_MAP_FROM = 1 << 16


def read(
    source: Readable,
    *,
    format: Format = "auto",
    longSize: LongSize = "auto",
    objects: Objects = "one",
    objectFactory: ObjectFactory | None = None,
) -> Any:
    """Read the object in a .t7 file.

    Parameters
    ----------
    source : path, bytes or binary file
        A file on disk is mapped (a small one is read), and its arrays are views of the map. Bytes are
        copied once. An open file is read from where it stands to its end.
    format : {"auto", "binary", "ascii"}
        How Torch7 wrote it. "auto" looks at the first bytes: a type tag is either four bytes, in
        the byte order of the machine that wrote the file, or a digit in a line of its own.
    longSize : {"auto", 4, 8}
        Size of a C long on the machine that wrote a binary file: 4 on Windows and on 32-bit systems.
        "auto" takes 8 if the whole file can be read so, with every tensor inside its storage and
        no bytes left over, and else 4 on the same condition.
    objects : {"one", "first", "all"}
        What to do if anything follows the first object. "one" takes it for an error; "first" passes it over, as
        Torch7's ``torch.load`` did; "all" reads all objects and returns a list of them (see :func:`read_all`).
    objectFactory : ObjectFactory, optional
        Makes the Torch objects of classes it knows (protocol: see ``pytorch_legacy.t7``).

    Returns
    -------
    object
        See ``pytorch_legacy.t7`` for what becomes of what.

    Raises
    ------
    T7Error
        If the file is broken, is no .t7 file or holds more than one object. The text says where: the offset
        in bytes, in an ASCII file the line too, and the place of the object.
    OSError
        If it cannot be opened.

    Source: Torch7 ``torch.load``.
    """
    values = _load(source, format, longSize, objectFactory, objects)
    return values if objects == "all" else values[0]


def read_all(
    source: Readable,
    *,
    format: Format = "auto",
    longSize: LongSize = "auto",
    objectFactory: ObjectFactory | None = None,
) -> list[Any]:
    """Read all objects of a .t7 file that several were written to, one after the other.

    Objects written through one open Torch7 file may refer back to earlier ones, files that were merely
    joined start to count anew: the reading that fits the whole file is taken. Parameters as for `read`.

    Source: Torch7 ``File:readObject``.
    """
    return _load(source, format, longSize, objectFactory, "all")


def _load(source: Readable, format: str, longSize: int | str, factory: ObjectFactory | None, objects: str) -> list[Any]:
    if format not in ("auto", "binary", "ascii"):
        raise ValueError(f"t7.read: format: expected 'auto', 'binary' or 'ascii', got {format!r}")
    if longSize not in ("auto", 4, 8):
        raise ValueError(f"t7.read: longSize: expected 'auto', 4 or 8, got {longSize!r}")
    if objects not in ("one", "first", "all"):
        raise ValueError(f"t7.read: objects: expected 'one', 'first' or 'all', got {objects!r}")
    name, buffer = _contents(source)
    order: ByteOrder | None = "<"
    finished: list[Node] = []
    try:
        order = detect(buffer, format)
        roots, finished = _parse(buffer, order, longSize, objects)
        build(finished, factory)
        return [resolved(root) for root in roots]
    except Malformed as error:
        line = f" (line {_line(buffer, error.offset)})" if order is None else ""
        place = f", at {error.path}" if error.path else ""
        raise T7Error(f"{name}: offset {error.offset}{line}{place}: {error.message}") from error.__cause__
    except MemoryError:
        raise T7Error(f"{name}: there is not enough memory for the objects of this file") from None
    finally:
        # Nodes know their parents: without this the whole parse would stay until the garbage collector comes.
        for node in finished:
            node.release()


def _line(buffer: Buffer, offset: int) -> int:
    """The line of a text, counted from 1, that `offset` lies in."""
    step = 1 << 20
    return 1 + sum(buffer[start : min(start + step, offset)].count(b"\n") for start in range(0, offset, step))


def _contents(source: Readable) -> tuple[str, Buffer]:
    """Name and bytes of a source. The buffer is writable, and nobody else sees what is written to it."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return "<bytes>", bytearray(source)
    if not isinstance(source, (str, os.PathLike)):
        content = source.read()
        if not isinstance(content, bytes):
            found = type(content).__name__
            raise T7Error(f"t7.read: expected a file opened in binary mode, got one that gives {found}")
        return str(getattr(source, "name", "<file>")), bytearray(content)
    name = os.fsdecode(source)
    if os.path.isdir(name):
        inside = sorted(entry for entry in os.listdir(name) if entry.endswith((".t7", ".net")))[:3]
        raise T7Error(f"{name}: offset 0: expected a .t7 file, got a folder; {_choice(name, inside)}")
    with open(source, "rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
            raise T7Error(f"{name}: offset 0: expected a .t7 file, got a device")
        if not stat.S_ISREG(status.st_mode) or status.st_size < _MAP_FROM:
            return name, bytearray(file.read())
        options = {"trackfd": False} if sys.version_info >= (3, 13) else {}
        return name, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY, **options)


def _choice(folder: str, names: list[str]) -> str:
    if not names:
        return "there is no .t7 file in it"
    return "name a file in it, such as " + " or ".join(os.path.join(folder, name) for name in names)


def _parse(buffer: Buffer, order: ByteOrder | None, longSize: int | str, objects: str) -> tuple[list[Any], list[Node]]:
    """Parse the buffer in the first way that fits; the error of the way that came furthest if none does."""
    failure: Malformed | None = None
    for source in _sources(buffer, order, longSize):
        for continued in (True, False) if objects == "all" else (True,):
            source.position = 0
            try:
                return _parse_objects(source, objects != "one", continued)
            except Malformed as error:
                if failure is None or error.offset > failure.offset:
                    failure = error.with_traceback(None)
    if objects == "first":
        for source in _sources(buffer, order, longSize):
            finished: list[Node] = []
            with suppress(Malformed):
                return [parse(source, {}, finished)], finished
    assert failure is not None
    raise failure


def _sources(buffer: Buffer, order: ByteOrder | None, longSize: int | str) -> Iterator[Source]:
    if order is None:
        yield AsciiSource(buffer)
        return
    for size in (8, 4) if longSize == "auto" else (int(longSize),):
        yield BinarySource(buffer, order, size)


def _parse_objects(source: Source, many: bool, continued: bool) -> tuple[list[Any], list[Node]]:
    """Parse to the end of the source. `continued`: the indices count through all objects."""
    roots: list[Any] = []
    finished: list[Node] = []
    memo: Memo = {}
    while not roots or not source.finished():
        if roots and not many:
            raise _more(source, memo)
        roots.append(parse(source, memo, finished, f"object {len(roots) + 1}" if many else "root"))
        if not continued:
            memo = {}
    return roots, finished


def _more(source: Source, memo: Memo) -> Malformed:
    """The error for bytes behind the object: another object, or something else."""
    offset, left = source.position, source.end - source.position
    text = f"expected the end of the file after the object, but {left} bytes follow"
    for known in (memo, {}):
        source.position = offset
        with suppress(Malformed):
            parse(source, known, [])
            return Malformed(offset, f'{text}: at least one more object; objects="all" reads all as a list (or read_all)')
    return Malformed(offset, f'{text}, which are no object; objects="first" reads what stands before them')
