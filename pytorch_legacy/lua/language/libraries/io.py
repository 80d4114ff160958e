"""The library ``io``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from errno import EISDIR
from io import BufferedReader, RawIOBase, UnsupportedOperation
from os import strerror
from typing import TYPE_CHECKING, Any

from ..arguments import MISSING, fail, integer, string, wrong_type
from ..errors import LuaError, raise_error
from ..table import fields
from .files import Console, File, system_name
from .os import failure

if TYPE_CHECKING:
    from ..state import State

_MODES = ("r", "w", "a", "r+", "w+", "a+")
_UNSUPPORTED = (None, "Bad file descriptor", 9.0)  # a file is read that is open for writing, or the reverse
_WHENCE = {"set": 0, "cur": 1, "end": 2}


def _file(value: Any, function: str) -> File:
    """Returns an open file."""
    if not isinstance(value, File):
        wrong_type(value, 1, function, "FILE*")
    if value.stream is None:
        raise_error("attempt to use a closed file")
    return value


class _Folder(RawIOBase):
    """A folder that is open as a file, which C allows. It cannot be read."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        raise IsADirectoryError(EISDIR, strerror(EISDIR))


def _opened(name: str, mode: str) -> File:
    try:
        return File(open(system_name(name), mode.replace("b", "") + "b"))  # type: ignore[arg-type]
    except IsADirectoryError:
        if not mode.startswith("r") or "+" in mode:
            raise
        return File(BufferedReader(_Folder()))


def _piece(file: File, form: Any, position: int) -> Any:
    if form.__class__ is float:
        return file.read_bytes(integer(form, position, "read"))
    kind = string(form, position, "read").removeprefix("*")[:1]
    if kind == "l":
        return file.read_line()
    if kind == "L":
        return file.read_line(hasEnd=True)
    if kind == "a":
        return file.read_all()
    if kind == "n":
        return file.read_number()
    fail(position, "read", "invalid format")


def _pieces(file: File, forms: tuple[Any, ...]) -> Any:
    found = []
    for i, form in enumerate(forms or ("*l",), 1):
        try:
            found.append(_piece(file, form, i))
        except UnsupportedOperation:
            return _UNSUPPORTED
        except OSError as problem:
            return failure(problem)
        if found[-1] is None:
            break
    return tuple(found)


def _written(file: File, values: tuple[Any, ...]) -> Any:
    for i, value in enumerate(values, 1):
        text = string(value, i, "write")
        try:
            file.write(text)
        except UnsupportedOperation:
            return _UNSUPPORTED
        except OSError as problem:
            return failure(problem)
    return file


def _lines(file: File, forms: tuple[Any, ...], isClosedAtEnd: bool) -> Any:
    def following(*_: Any) -> Any:
        if file.stream is None:
            raise_error("file is already closed")
        found = _pieces(file, forms)
        if found[0] is None and isClosedAtEnd:
            file.close()
        return found

    return following


# ------------------------------------------------------------------------------------------------------ methods of files


def read(file: Any = MISSING, *forms: Any) -> Any:
    return _pieces(_file(file, "read"), forms)


def write(file: Any = MISSING, *values: Any) -> Any:
    return _written(_file(file, "write"), values)


def lines(file: Any = MISSING, *forms: Any) -> Any:
    return _lines(_file(file, "lines"), forms, False)


def close(file: Any = MISSING, *_: Any) -> Any:
    one = _file(file, "close")
    if one.isStandard:
        return None, "cannot close standard file"
    one.close()
    return True


def flush(file: Any = MISSING, *_: Any) -> bool:
    _file(file, "flush").flush()
    return True


def seek(file: Any = MISSING, whence: Any = "cur", offset: Any = 0.0, *_: Any) -> Any:
    one = _file(file, "seek")
    kind = string("cur" if whence is None else whence, 1, "seek")
    if kind not in _WHENCE:
        fail(1, "seek", f"invalid option '{kind}'")
    try:
        return float(one.stream.seek(integer(offset, 2, "seek", 0), _WHENCE[kind]))  # type: ignore[union-attr]
    except (OSError, AttributeError):
        return None, "Illegal seek", 29.0


def setvbuf(file: Any = MISSING, *_: Any) -> bool:
    _file(file, "setvbuf")
    return True


def file_text(file: Any = MISSING, *_: Any) -> str:
    return f"file ({'closed' if file.stream is None else f'0x{id(file):08x}'})" if isinstance(file, File) else "file"


def nothing(*_: Any) -> tuple[()]:
    return ()


METHODS = {"read": read, "write": write, "lines": lines, "close": close, "flush": flush, "seek": seek, "setvbuf": setvbuf}


def open_(name: Any = MISSING, mode: Any = "r", *_: Any) -> Any:
    path, form = string(name, 1, "open"), string("r" if mode is None else mode, 2, "open")
    if form.replace("b", "") not in _MODES:
        return None, f"{path}: Invalid argument", 22.0
    try:
        return _opened(path, form)
    except OSError as problem:
        return failure(problem, path)


def _process(command: str, mode: str) -> File:
    isRead = mode.startswith("r")
    streams = {"stdout": subprocess.PIPE} if isRead else {"stdin": subprocess.PIPE}
    process = subprocess.Popen(system_name(command), shell=True, **streams)  # type: ignore[call-overload]
    return File(process.stdout if isRead else process.stdin, process=process)


def tmpfile(*_: Any) -> File:
    return File(tempfile.TemporaryFile())  # type: ignore[arg-type]


def type_(value: Any = MISSING, *_: Any) -> str | None:
    if value is MISSING:
        fail(1, "type", "value expected")
    return ("closed file" if value.stream is None else "file") if isinstance(value, File) else None


def library(state: State) -> dict[str, Any]:
    """Returns the functions of the library."""
    stdin = File(getattr(sys.stdin, "buffer", None), isStandard=True)
    stdout, stderr = Console("stdout"), Console("stderr")
    present = {"input": stdin, "output": stdout}
    metatable = fields(**METHODS, __tostring=file_text, __gc=nothing)
    metatable.__dict__["__index"] = metatable
    for kind in (File, Console):
        state.metatables[kind] = metatable

    def popen(command: Any = MISSING, mode: Any = "r", *_: Any) -> Any:
        state.flush()
        return _process(string(command, 1, "popen"), string("r" if mode is None else mode, 2, "popen"))

    def redirected(which: str, mode: str, file: Any) -> File:
        if file.__class__ is str:
            try:
                present[which] = _opened(file, mode)
            except OSError as problem:
                raise LuaError(f"{file}: {problem.strerror}") from None
        elif file is not None:
            present[which] = _file(file, which)
        return present[which]

    def input_(file: Any = None, *_: Any) -> File:
        return redirected("input", "r", file)

    def output(file: Any = None, *_: Any) -> File:
        return redirected("output", "w", file)

    def lines_(name: Any = None, *forms: Any) -> Any:
        if name is None:
            return _lines(_file(present["input"], "lines"), forms, False)
        path = string(name, 1, "lines")
        try:
            return _lines(_opened(path, "r"), forms, True)
        except OSError as problem:
            raise_error(f"{path}: {problem.strerror}")

    def read_(*forms: Any) -> Any:
        return _pieces(_file(present["input"], "read"), forms)

    def write_(*values: Any) -> Any:
        return _written(_file(present["output"], "write"), values)

    def close_(file: Any = None, *_: Any) -> Any:
        return close(present["output"] if file is None else file)

    def flush_(*_: Any) -> bool:
        return flush(present["output"])

    functions = {"type": type_, "read": read_, "write": write_, "close": close_, "flush": flush_}
    files = {"open": open_, "popen": popen, "tmpfile": tmpfile, "input": input_, "output": output, "lines": lines_}
    return {**functions, **state.outside("io", files), "stdin": stdin, "stdout": stdout, "stderr": stderr}
