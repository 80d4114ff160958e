"""Files of the library ``io``. They are bytes outside, and strings of one character a byte inside."""

from __future__ import annotations

import re
import sys
from typing import Any, BinaryIO

from ..errors import raise_error
from ..lexer import number

_NUMERAL = re.compile(rb"\s*[+-]?(?:0[xX][0-9a-fA-F]*|[0-9.]*(?:[eE][+-]?[0-9]*)?)")
_LONGEST = 200  # characters of a numeral


def encoded(text: str) -> bytes:
    """Returns the bytes of a string of Lua."""
    return text.encode("latin-1")


def system_name(text: str) -> bytes:
    """Returns the bytes of the name of a file, or of a command. A zero byte is an error, because C would cut the name there."""
    if "\0" in text:
        raise_error(f"expected a name without a zero byte, got '{text.partition(chr(0))[0]}\\0...'")
    return encoded(text)


def decoded(data: bytes) -> str:
    """Returns the string of Lua that has these bytes."""
    return data.decode("latin-1")


class File:
    """An open file.

    Attributes
    ----------
    stream : binary stream or None
        None after it was closed.
    isStandard : bool
        True for standard input, output and errors, which stay open.
    """

    def __init__(self, stream: BinaryIO | None, isStandard: bool = False, process: Any = None) -> None:
        self.stream, self.isStandard, self.process = stream, isStandard, process

    def write(self, text: str) -> None:
        assert self.stream is not None
        self.stream.write(encoded(text))

    def flush(self) -> None:
        assert self.stream is not None
        self.stream.flush()

    def close(self) -> None:
        assert self.stream is not None
        self.stream.close()
        self.stream = None
        if self.process is not None:
            self.process.wait()

    def read_line(self, hasEnd: bool = False) -> str | None:
        assert self.stream is not None
        line = self.stream.readline()
        return (decoded(line) if hasEnd else decoded(line).removesuffix("\n")) if line else None

    def read_all(self) -> str:
        assert self.stream is not None
        return decoded(self.stream.read())

    def read_bytes(self, count: int) -> str | None:
        """Returns at most `count` bytes, None at the end of the file."""
        assert self.stream is not None
        if count == 0:
            data = self._peek()[:1]
            return "" if data else None
        data = self.stream.read(count)
        return decoded(data) if data else None

    def read_number(self) -> float | None:
        assert self.stream is not None
        match = _NUMERAL.match(self._peek())
        return number(decoded(self.stream.read(match.end()))) if match else None

    def _peek(self) -> bytes:
        peek = getattr(self.stream, "peek", None)
        if peek is not None:
            return bytes(peek(_LONGEST))
        assert self.stream is not None
        place = self.stream.tell()
        data = self.stream.read(_LONGEST)
        self.stream.seek(place)
        return data


class Console(File):
    """Standard output or standard error of Python at the time of a write."""

    def __init__(self, name: str) -> None:
        super().__init__(None, isStandard=True)
        self._name = name
        self.stream = self  # type: ignore[assignment]  # it is open

    def write(self, text: str) -> None:
        stream = getattr(sys, self._name)
        binary = getattr(stream, "buffer", None)
        if binary is None:
            stream.write(encoded(text).decode(errors="replace"))
        else:
            stream.flush()
            binary.write(encoded(text))

    def flush(self) -> None:
        stream = getattr(sys, self._name)
        if stream is not None:
            stream.flush()
