"""Which kind of file is it? The first bytes tell."""

from __future__ import annotations

import re
import struct
from typing import Literal

from .binary import Buffer, ByteOrder
from .nodes import Malformed

_ASCII_TAG = re.compile(rb"\s*[0-8](?=\s)")

_PICKLE = "a Python pickle, perhaps from an old torch.save of PyTorch (torch.load reads it)"

# Files that people take for .t7 files, by how they begin.
_OTHERS = (
    (b"PK\x03\x04", "a zip archive, perhaps from torch.save of PyTorch (torch.load reads it)"),
    (b"\x80\x02", _PICKLE),
    (b"\x80\x03", _PICKLE),
    (b"\x80\x04", _PICKLE),
    (b"\x80\x05", _PICKLE),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"version https://git-lfs", "a Git LFS pointer; 'git lfs pull' fetches the file itself"),
    (b"\x1f\x8b", "gzip data: decompress it first"),
    (b"BZh", "bzip2 data: decompress it first"),
    (b"\xfd7zXZ\x00", "xz data: decompress it first"),
    (b"\x28\xb5\x2f\xfd", "zstd data: decompress it first"),
    (b"\x93NUMPY", "a NumPy .npy file (numpy.load reads it)"),
    (b"\x1bLJ", "LuaJIT bytecode"),
    (b"\x1bLua", "Lua bytecode"),
    (b"<!DOCTYPE", "an HTML page: the download did not give the file"),
    (b"<html", "an HTML page: the download did not give the file"),
)


def detect(buffer: Buffer, format: str) -> ByteOrder | None:
    """Return the byte order of a binary file, ``"<"`` or ``">"``, or None for an ASCII file.

    Parameters
    ----------
    buffer
        The whole file.
    format : {"auto", "binary", "ascii"}
        What the caller says it is.

    Raises
    ------
    Malformed
        If it is neither, or not what the caller says.
    """
    start = bytes(buffer[:24])
    if not start:
        raise Malformed(0, "expected a .t7 file, but the file is empty")
    found: ByteOrder | Literal["ascii"] | None = None
    if _ASCII_TAG.match(start):
        found = "ascii"
    elif len(start) >= 4 and struct.unpack("<i", start[:4])[0] in range(9):
        found = "<"
    elif len(start) >= 4 and struct.unpack(">i", start[:4])[0] in range(9):
        found = ">"
    if found is None:
        for magic, what in _OTHERS:
            if start.startswith(magic):
                raise Malformed(0, f"expected a .t7 file, got {what}")
        raise Malformed(0, f"expected a .t7 file, which begins with a type tag from 0 to 8, got {start[:8]!r}")
    if format != "auto" and (format == "ascii") != (found == "ascii"):
        kind = "an ASCII" if found == "ascii" else "a binary"
        raise Malformed(0, f"expected the format {format!r}, as the caller says, but this is {kind} file")
    return None if found == "ascii" else found
