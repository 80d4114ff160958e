"""``torch.DiskFile``, ``torch.PipeFile`` and ``torch.MemoryFile``: numbers, strings and objects in streams, binary or as text."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

import numpy as np

from pytorch_legacy.errors import T7Error
from pytorch_legacy.files.t7.reader import Reader
from pytorch_legacy.files.t7.writer import writer

from ..language.arguments import MISSING, string
from ..language.errors import raise_error
from ..language.libraries.files import system_name
from ..language.table import Table, Userdata
from .files import Coming, Leaving
from .registry import constructor_of, native
from .signatures import described
from .tensor import DTYPES, Array, Storage, Types
from .values import count, integer, scalar

if TYPE_CHECKING:
    from ..language.state import State

_MODES = {"r": "rb", "w": "wb", "rw": "r+b"}
_NATIVE = "<" if sys.byteorder == "little" else ">"


class File(Userdata):
    """A stream.

    Attributes
    ----------
    stream : BinaryIO or None
        The bytes; None when it is closed.
    isBinary, isSpaced, isQuiet, hasError : bool
        How numbers are written, if lines end behind them, and what is done about errors.
    byteOrder : str
        The order of the bytes of binary numbers: "<", ">", or "=" for that of this machine.
    longBytes : int
        The size of binary numbers of the type Long: 4 or 8.
    """

    __slots__ = (
        *("_coming", "_leaving", "_reader", "_writers", "byteOrder", "hasError", "isBinary", "isQuiet", "isSpaced", "longBytes"),
        *("mode", "stream"),
    )
    name: ClassVar[str]
    state: ClassVar[State]

    def __init__(self, stream: BinaryIO, mode: str) -> None:
        self.stream: BinaryIO | None = stream
        self.mode = mode
        self.isBinary, self.isSpaced, self.isQuiet, self.hasError = False, True, False, False
        self.byteOrder, self.longBytes = "=", 8
        self._reader: Reader | None = None
        self._coming, self._leaving = Coming(self.state), Leaving(self.state)
        self._writers: dict[bool, Any] = {}

    def opened(self, isWritten: bool = False) -> BinaryIO:
        """Returns the stream, or raises an error if it is closed, or not open for this."""
        if self.stream is None:
            raise_error("attempt to use a closed file")
        if ("w" if isWritten else "r") not in self.mode:
            raise_error(f"attempt to {'write in a read' if isWritten else 'read in a write'}-only file")
        return self.stream

    def stored(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """Returns the type of binary numbers in the stream."""
        return np.dtype(
            f"{self.byteOrder}i4" if dtype == np.int64 and self.longBytes == 4 else f"{self.byteOrder}{dtype.str[1:]}"
        )

    def check_objects(self) -> None:
        """Raises an error if numbers of objects would have another form than `files.t7` writes and reads."""
        if self.isBinary and (self.longBytes != 8 or self.byteOrder not in ("=", _NATIVE)):
            raise_error(f"{self.name}: objects have longs of 8 bytes and the byte order of this machine")

    def fail(self, message: str) -> None:
        """Notes an error, and raises it unless the file is quiet."""
        self.hasError = True
        if not self.isQuiet:
            raise_error(message)

    def read_object(self) -> Any:
        """Returns the object that begins here."""
        stream = self.opened()
        self.check_objects()
        start = stream.tell()
        stream.seek(0)
        reader = Reader(stream.read(), "binary" if self.isBinary else "ascii", self._reader, self.state.types.factory())
        reader.position = start
        try:
            found = reader.read()
        except T7Error as error:
            raise_error(f"read error: {error}")
        self._reader = reader
        stream.seek(reader.position)
        return self._coming.value(found)

    def write_object(self, value: Any) -> None:
        """Writes an object."""
        stream = self.opened(True)
        self.check_objects()
        if self.isBinary not in self._writers:
            self._writers[self.isBinary] = writer(stream, "binary" if self.isBinary else "ascii", self.state.types.records())
        known = len(self._leaving.made)
        try:
            self._writers[self.isBinary](self._leaving.value(value))
        except T7Error as error:
            self._leaving.forget(known)
            raise_error(f"write error: {error}")
        except BaseException:
            self._leaving.forget(known)
            raise

    def word(self) -> str:
        """Returns what stands up to the next blank."""
        stream, found = self.opened(), b""
        while (byte := stream.read(1)) and (not byte.isspace() or not found):
            found += byte.strip()
        return found.decode("latin-1")


class _Pipe(io.BytesIO):
    """The output of a command, or its input, which it gets when the stream is closed."""

    def __init__(self, command: str, mode: str) -> None:
        self.command = system_name(command)
        content = b""
        if mode == "r":
            content = subprocess.run(self.command, shell=True, stdout=subprocess.PIPE, check=False).stdout
        self.isWritten = mode == "w"
        super().__init__(content)

    def close(self) -> None:
        if self.isWritten and not self.closed:
            subprocess.run(self.command, shell=True, input=self.getvalue(), check=False)
        super().close()


def _file(value: Any, name: str) -> File:
    if not isinstance(value, File):
        got = "no value" if value is MISSING else described(value)
        raise_error(f"bad argument #1 to '{name}' (torch.File expected, got {got})")
    return value


# ------------------------------------------------------------------------------------------------------ numbers


def _numbers(file: File, dtype: np.dtype[Any], n: int) -> Array:
    """Returns n numbers of the stream, or fewer at its end."""
    stream = file.opened()
    count((n,), dtype.itemsize)
    if file.isBinary:
        stored = file.stored(dtype)
        content = stream.read(n * stored.itemsize)
        found = np.frombuffer(content[: len(content) // stored.itemsize * stored.itemsize], stored).astype(dtype)
    elif dtype.itemsize == 1:
        found = np.frombuffer(stream.read(n), dtype).copy()
    else:
        found = _words(file, dtype, n)
    if found.size < n:
        file.fail(f"read error: read {found.size} blocks instead of {n}")
    return found


def _words(file: File, dtype: np.dtype[Any], n: int) -> Array:
    values: list[Any] = []
    while len(values) < n and (word := file.word()):
        try:
            value = float(word) if dtype.kind == "f" else int(word)
        except ValueError:
            break
        if "_" in word or not (dtype.kind == "f" or np.iinfo(dtype).min <= value <= np.iinfo(dtype).max):
            break
        values.append(value)
    return np.array(values, dtype)


def _reading(word: str, types: Types) -> Any:
    dtype = DTYPES[word]
    kind = types.storages[dtype]

    def read(file: Any = MISSING, wanted: Any = None, *_: Any) -> Any:
        file = _file(file, f"read{word}")
        if isinstance(wanted, Storage):
            found = _numbers(file, dtype, wanted.vector.size)
            wanted.vector[: found.size] = found
            return float(found.size)
        if wanted is not None:
            n = integer(wanted, f"read{word}")
            if n < 0:
                raise_error(f"bad argument #2 to 'read{word}' (the number has to be 0 or more)")
            return kind(_numbers(file, dtype, n))
        found = _numbers(file, dtype, 1)
        return float(found[0]) if found.size else 0.0

    return read


def _text(x: Any, dtype: np.dtype[Any]) -> str:
    return f"{x:.17g}" if dtype.itemsize == 8 and dtype.kind == "f" else f"{x:.9g}" if dtype.kind == "f" else str(int(x))


def _writing(word: str) -> Any:
    dtype = DTYPES[word]

    def write(file: Any = MISSING, value: Any = MISSING, *_: Any) -> float:
        file = _file(file, f"write{word}")
        stream = file.opened(True)
        if isinstance(value, Storage) and value.dtype == dtype:
            values = value.vector
        elif value.__class__ is float:
            values = np.array([scalar(dtype, value)], dtype)
        else:
            raise_error(f"bad argument #2 to 'write{word}' (number or {word}Storage expected, got {described(value)})")
        if file.isBinary or dtype.itemsize == 1:
            stream.write(values.astype(file.stored(dtype)).tobytes())
        else:
            stream.write(" ".join(_text(x, dtype) for x in values.tolist()).encode())
        if not file.isBinary and file.isSpaced:
            stream.write(b"\n")
        return float(values.size)

    return write


# ------------------------------------------------------------------------------------------------------ the rest


def readString(file: Any = MISSING, form: Any = None, *_: Any) -> str:
    file = _file(file, "readString")
    form = "*l" if form is None else string(form, 2, "readString")
    if form[:2] not in ("*a", "*l"):
        raise_error("format must be '*a' or '*l'")
    content = file.opened().read() if form[1] == "a" else file.opened().readline().removesuffix(b"\n")
    found: str = content.decode("latin-1")
    return found


def writeString(file: Any = MISSING, text: Any = MISSING, *_: Any) -> float:
    content = string(text, 2, "writeString").encode("latin-1")
    _file(file, "writeString").opened(True).write(content)
    return float(len(content))


def readBool(file: Any = MISSING, *_: Any) -> bool:
    found = _numbers(_file(file, "readBool"), DTYPES["Int"], 1)
    return bool(found.size and found[0])


def writeBool(file: Any = MISSING, value: Any = None, *_: Any) -> tuple[()]:
    _WRITE_INT(file, 1.0 if value is not None and value is not False else 0.0)
    return ()


def readObject(file: Any = MISSING, *_: Any) -> Any:
    return _file(file, "readObject").read_object()


def writeObject(file: Any = MISSING, value: Any = None, *_: Any) -> tuple[()]:
    _file(file, "writeObject").write_object(value)
    return ()


def seek(file: Any = MISSING, position: Any = None, *_: Any) -> Any:
    file, place = _file(file, "seek"), integer(position, "seek")
    if place < 1:
        raise_error("bad argument #2 to 'seek' (position must be positive)")
    stream = _any(file)
    if isinstance(stream, io.BytesIO) and place - 1 > len(stream.getbuffer()):
        file.fail(f"unable to seek at position {place}")
        return file
    try:
        stream.seek(place - 1)
    except OSError:
        file.fail(f"unable to seek at position {place}")
    return file


def _any(file: File) -> BinaryIO:
    if file.stream is None:
        raise_error("attempt to use a closed file")
    return file.stream


def seekEnd(file: Any = MISSING, *_: Any) -> Any:
    _any(_file(file, "seekEnd")).seek(0, os.SEEK_END)
    return file


def position(file: Any = MISSING, *_: Any) -> float:
    return _any(_file(file, "position")).tell() + 1.0


def close(file: Any = MISSING, *_: Any) -> tuple[()]:
    file = _file(file, "close")
    _any(file).close()
    file.stream = None
    return ()


def synchronize(file: Any = MISSING, *_: Any) -> Any:
    _any(_file(file, "synchronize")).flush()
    return file


def storage(file: Any = MISSING, *_: Any) -> Storage:
    file = _file(file, "storage")
    if not isinstance(file.stream, io.BytesIO) or isinstance(file.stream, _Pipe):
        raise_error("only a MemoryFile has a storage")
    kind: type[Storage] = file.state.types.storages[DTYPES["Char"]]
    return kind(np.frombuffer(file.stream.getvalue() + b"\0", np.int8).copy())


def longSize(file: Any = MISSING, size: Any = MISSING, *_: Any) -> Any:
    file, size = _file(file, "longSize"), integer(size, "longSize")
    if size not in (0, 4, 8):
        raise_error(f"bad argument #2 to 'longSize' (0, 4 or 8 expected, got {size})")
    file.longBytes = size or 8
    return file


def _setting(**values: bool | str) -> Any:
    def set_(file: Any = MISSING, *_: Any) -> Any:
        for name, value in values.items():
            setattr(_file(file, "?"), name, value)
        return file

    return set_


def _asking(answer: Any) -> Any:
    return lambda file=MISSING, *_: answer(_file(file, "?"))


def _same(file: Any = MISSING, *_: Any) -> Any:
    return _file(file, "?")


_WRITE_INT = _writing("Int")
METHODS: dict[str, Any] = {
    **{"readString": readString, "writeString": writeString, "readBool": readBool, "writeBool": writeBool},
    **{"readObject": readObject, "writeObject": writeObject, "seek": seek, "seekEnd": seekEnd, "position": position},
    **{"close": close, "synchronize": synchronize, "storage": storage},
    **{"binary": _setting(isBinary=True), "ascii": _setting(isBinary=False)},
    **{"autoSpacing": _setting(isSpaced=True), "noAutoSpacing": _setting(isSpaced=False)},
    **{"quiet": _setting(isQuiet=True), "pedantic": _setting(isQuiet=False), "clearError": _setting(hasError=False)},
    **{"isQuiet": _asking(lambda f: f.isQuiet), "isBinary": _asking(lambda f: f.isBinary)},
    **{"hasError": _asking(lambda f: f.hasError), "isAutoSpacing": _asking(lambda f: f.isSpaced)},
    **{"isOpened": _asking(lambda f: f.stream is not None), "isReferenced": _asking(lambda f: True)},
    **{"isReadable": _asking(lambda f: "r" in f.mode), "isWritable": _asking(lambda f: "w" in f.mode)},
    **{"nativeEndianEncoding": _setting(byteOrder="="), "littleEndianEncoding": _setting(byteOrder="<")},
    **{"bigEndianEncoding": _setting(byteOrder=">"), "longSize": longSize},
    **{"isLittleEndianCPU": lambda *_: _NATIVE == "<", "isBigEndianCPU": lambda *_: _NATIVE == ">"},
    **dict.fromkeys(("referenced", "noBuffer"), _same),
}
"""``referenced`` changes nothing: what a file holds twice is written once."""


def functions(state: State, types: Types) -> dict[str, Any]:
    """Returns ``torch.File``, ``torch.DiskFile``, ``torch.PipeFile`` and ``torch.MemoryFile``."""
    methods = dict(METHODS)
    for word in DTYPES:
        methods[f"read{word}"], methods[f"write{word}"] = _reading(word, types), _writing(word)
    found = {}
    classes = {}
    for name in ("File", "DiskFile", "PipeFile", "MemoryFile"):
        own = classes[name] = native(types, File, f"torch.{name}", {**methods, "__tostring": _shown})
        own.state = state
        found[name] = constructor_of(own._metatable, _abstract)

    def open_disk(_: Any = None, name: Any = MISSING, mode: Any = None, isQuiet: Any = None, *rest: Any) -> Any:
        name, mode = string(name, 1, "DiskFile"), "r" if mode is None else string(mode, 2, "DiskFile")
        if mode not in _MODES:
            raise_error("file mode should be 'r','w' or 'rw'")
        path = system_name(name)
        try:
            if mode == "rw" and not os.path.exists(path):
                open(path, "wb").close()
            stream: Any = open(path, _MODES[mode], buffering=0 if mode != "r" else -1)  # noqa: SIM115
        except OSError:
            if isQuiet is True:
                return None
            raise_error(f"cannot open <{name}> in mode {mode} ")
        return classes["DiskFile"](stream, mode)

    def open_pipe(_: Any = None, command: Any = MISSING, mode: Any = None, *rest: Any) -> Any:
        command, mode = string(command, 1, "PipeFile"), "r" if mode is None else string(mode, 2, "PipeFile")
        if mode not in ("r", "w"):
            raise_error("file mode should be 'r' or 'w'")
        state.flush()
        return classes["PipeFile"](_Pipe(command, mode), mode)

    def open_memory(_: Any = None, first: Any = None, mode: Any = None, *rest: Any) -> Any:
        content = b""
        if isinstance(first, Storage):
            content = first.vector.tobytes().removesuffix(b"\0")
        elif first.__class__ is str:
            mode = first
        return classes["MemoryFile"](io.BytesIO(content), "rw" if mode is None else string(mode, 2, "MemoryFile"))

    for name, opener in state.outside("torch", {"DiskFile": open_disk, "PipeFile": open_pipe}).items():
        _call(found[name], opener)
    _call(found["MemoryFile"], open_memory)
    return found


def _abstract(*_: Any) -> Any:
    raise_error("torch.File has no constructor: use torch.DiskFile or torch.MemoryFile")


def _call(constructor: Table, function: Any) -> None:
    assert constructor._metatable is not None
    constructor._metatable.__dict__["__call"] = function


def _shown(file: Any = MISSING, *_: Any) -> str:
    file = _file(file, "tostring")
    return f"{file.name} [status: {'closed' if file.stream is None else 'open'}]"
