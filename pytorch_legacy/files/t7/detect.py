"""Detects the kind of a file by its first bytes."""

from __future__ import annotations

import re
import struct
from typing import Literal

from .binary import Buffer, ByteOrder
from .nodes import Malformed

_ASCII_TAG = re.compile(rb"\s*[0-8](?=\s)")
# The file that Torch7 writes for a lone nil, number or boolean.
_SCALAR = re.compile(rb"(?:0|1\n\S+|5\n[01])\n\0?")
_NUMBERS = re.compile(rb"(?:[\s,;]*+[+-]?(?:[\d.]++(?:[eE][+-]?\d++)?|nan|inf)(?=[\s,;]))*+[\s,;]*")

_HTML = "an HTML page: the download did not give the file; open the address in a browser and save the file itself"
_PICKLE = "a Python pickle, perhaps from an old torch.save of PyTorch (torch.load of PyTorch reads it)"
_LUA = "compiled Lua code, not data; if it is a model script, run it in Torch7 and save the result with torch.save"

_BY_NAME = "pytorch_legacy.interop.load gives its arrays by name, and interop.assign puts them into a network"

# Files that people take for .t7 files, by how they begin.
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (rb"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9", "a pickle of torch.save of PyTorch before 1.6: torch.load of PyTorch reads it"),
    (rb"\x80[\x02-\x05]", _PICKLE),
    (rb"\(dp0|\(lp0|ccollections\n", _PICKLE),
    (rb"PK\x03\x04", "a zip archive"),  # told apart below
    (rb"PK\x05\x06", "an empty zip archive"),
    (rb"\x89HDF\r\n\x1a\n", f"an HDF5 file (Keras, torch-hdf5): {_BY_NAME}"),
    (rb"version https://git-lfs", "a Git LFS pointer, not the file itself: run 'git lfs pull' in its repository"),
    (rb"\x1f\x8b", "gzip data: decompress it first (gunzip)"),
    (rb"BZh\d", "bzip2 data: decompress it first (bunzip2)"),
    (rb"\xfd7zXZ\x00", "xz data: decompress it first (unxz)"),
    (rb"\x28\xb5\x2f\xfd", "zstd data: decompress it first (unzstd)"),
    (rb"\x04\x22\x4d\x18", "lz4 data: decompress it first (unlz4)"),
    (rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07", "a 7z or rar archive: unpack it first"),
    (rb"THNNprog", "a program: pl.Program.load reads it"),
    (rb"\x93NUMPY", "a NumPy .npy file: numpy.load reads it"),
    (rb".{8}\{\s*\"(?=.*\"(?:dtype|__metadata__)\")", f"a safetensors file: {_BY_NAME}"),
    (rb"GGUF|lmgg|tjgg", "a GGML model file: llama.cpp and its relatives read it"),
    (rb".{4}TFL3", "a TensorFlow Lite model"),
    (rb"\x08[\x01-\x1f](?:[\x12\x1a\x22\x32\x3a\x42])", "an ONNX model: onnx.load reads it"),
    (rb"\x0a[\x01-\x7f][ -~]{1,127}(?:[\x12\x1a\x22\x28]|\xa2\x06)", "a Caffe model: cv2.dnn.readNetFromCaffe reads it"),
    (rb"MATLAB 5\.0", "a MATLAB .mat file: scipy.io.loadmat reads it"),
    (rb"\x89PNG|\xff\xd8\xff|GIF8", "a picture"),
    (rb"%PDF", "a PDF document"),
    (rb"\x1bLJ|\x1bLua", _LUA),
    (rb"(?:\xef\xbb\xbf)?\s*<(?i:!doctype|html|head|body|\?xml|!--)", _HTML),
    (rb"\xef\xbb\xbf|\xff\xfe|\xfe\xff", "text with a byte order mark, as Windows editors add: save it as plain ASCII"),
)  # fmt: skip
_PATTERNS = [(re.compile(magic, re.DOTALL), what) for magic, what in _OTHERS]


def detect(buffer: Buffer, format: str) -> ByteOrder | None:
    """Return the byte order of a binary file, ``"<"`` or ``">"``, or None for an ASCII file.

    Parameters
    ----------
    buffer
        The whole file.
    format : {"auto", "binary", "ascii"}
        Format of the file, as the caller says.

    Raises
    ------
    Malformed
        If it is neither, or not what the caller says.
    """
    start = bytes(buffer[:512])
    if not start:
        raise Malformed(0, "expected a .t7 file, but the file is empty: copy or download it again")
    if len(start) >= 64 and not any(start):
        raise Malformed(0, "expected a .t7 file, got nothing but zeros: the copy or download broke off; get it again")
    found: ByteOrder | Literal["ascii"] | None = None
    if _ASCII_TAG.match(start):
        found = "ascii"
    elif len(start) >= 4 and struct.unpack("<i", start[:4])[0] in range(9):
        found = "<"
    elif len(start) >= 4 and struct.unpack(">i", start[:4])[0] in range(9):
        found = ">"
    if found is None:
        raise Malformed(0, f"expected a .t7 file, {_other(start)}")
    if format != "auto" and (format == "ascii") != (found == "ascii"):
        kind = "an ASCII" if found == "ascii" else "a binary"
        raise Malformed(0, f"expected the format {format!r}, as the caller says, but this is {kind} file")
    return None if found == "ascii" else found


def unix_lines(buffer: Buffer) -> tuple[Buffer, bool]:
    """The text with the line ends that Torch7 wrote, and whether it had others.

    What transfers files as text turns all newlines into CRLF, those inside strings and bytes too, whose sizes count one byte
    for each: so all are turned back. Where only some are CRLF, the file is left as it is.
    """
    first = buffer.find(b"\n")
    if first < 1 or buffer[first - 1] not in b"\r":
        return buffer, False
    text = buffer[:]
    if text.count(b"\n") != text.count(b"\r\n"):
        return buffer, False
    return text.replace(b"\r\n", b"\n"), True


def doubt(buffer: Buffer) -> str:
    """Returns the doubt about a text of numbers, one of which passes for a type tag; "" if Torch7 may have written it."""
    text = buffer[:512]
    if len(buffer) > 512:
        text = text[: text.rfind(b"\n") + 1]
    if not _NUMBERS.fullmatch(text) or (_SCALAR.fullmatch(text) and len(buffer) < 512):
        return ""
    return f"got text with nothing but numbers: '{' '.join(text.decode('ascii').split()[:5])} ...'"


def _other(start: bytes) -> str:
    """Returns the kind of a file that is no .t7 file, and its remedy."""
    if start[257:262] == b"ustar":
        return "got a tar archive: unpack it first, or use torch.load if it is of the first PyTorch"
    for pattern, what in _PATTERNS:
        if pattern.match(start):
            return f"got {_zip(start) if start.startswith(b'PK') else what}"
    if all(32 <= byte < 127 or byte in b"\t\r\n\f" for byte in start[:64]):
        line = start[:64].decode("ascii").strip().split("\n")[0][:40]
        return f"which begins with a type tag from 0 to 8, got text: {line!r}"
    return f"which begins with a type tag from 0 to 8, got {start[:8]!r}"


def _zip(start: bytes) -> str:
    """Returns the kind of a zip archive, judged by the name of its first member."""
    name = start[30 : 30 + int.from_bytes(start[26:28], "little")]
    if name.endswith((b"/data.pkl", b"/.format_version", b"/byteorder", b"/version", b"/constants.pkl")):
        return "a file of torch.save of PyTorch (a zip archive with pickles): torch.load of PyTorch reads it"
    if name.endswith(b".npy"):
        return f"a NumPy .npz file (a zip archive of arrays): {_BY_NAME}"
    return "a zip archive, perhaps of torch.save of PyTorch (torch.load reads that): else unpack it first"
