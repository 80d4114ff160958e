"""Arrays by name in the files of others: .npz, .safetensors, .h5."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pytorch_legacy.arrays import Tensor, base_storage, to_host
from pytorch_legacy.errors import DtypeError, ShapeError, UnsupportedError, ValueRangeError
from pytorch_legacy.files.writing import whole

Arrays = Mapping[str, Tensor]
Notes = Mapping[str, Mapping[str, str]]

# A few bytes of a file may stand for terabytes: a tensor that repeats its elements, many that share them. Files of
# others write all of that out, which is refused from here on.
_MOST_TIMES, _MOST_BYTES = 64, 1 << 20

_LONGEST = 65_535  # bytes of a name in a zip archive

_SAFETENSORS = {
    "b1": "BOOL", "u1": "U8", "i1": "I8", "u2": "U16", "i2": "I16", "u4": "U32", "i4": "I32", "u8": "U64", "i8": "I64",
    "f2": "F16", "f4": "F32", "f8": "F64", "c8": "C64",
}  # fmt: skip


def save(path: str | os.PathLike[str], arrays: Arrays, notes: Notes | None = None) -> None:
    """Writes arrays to a file of the kind that its name ends in: .npz, .safetensors, .h5 (.hdf5).

    An existing file is replaced when the new one is complete, as by `pytorch_legacy.save`. Arrays that share memory are
    written under each name; in an .h5 file names of one and the same memory are links to one data set. There, a slash in
    a name makes a group.

    Parameters
    ----------
    path : str or path
    arrays : mapping of str to array
    notes : mapping of str to mapping of str to str, optional
        Text about arrays, by their names, as `pytorch_legacy.interop.notes` returns it. An .h5 file has it as attributes of
        the data sets (``place``, ``name``), a .safetensors file as metadata (``0.weight.place``); .npz files have no room for it.

    Raises
    ------
    UnsupportedError
        The name ends otherwise, or the package for the format is not installed; the text says which.
    DtypeError, ValueRangeError
        Something is no array of numbers, or has a name that the format has no place for.
    ShapeError
        Arrays that share or repeat their elements would take more than 64 times their memory, and a megabyte, in the
        file: copies, ``numpy.array(array)``, can be written.

    Nothing is written then.
    """
    write = _function(path, WRITES, "save")
    given = {name: np.asarray(to_host(array)) for name, array in arrays.items()}
    kind = Path(path).suffix.lower()
    for name, array in given.items():
        _check(f"interop.save: {os.fspath(path)}", kind, name, array, given)
    measure(path, given)
    with whole(path) as file:
        write(file, given, notes or {})


def load(path: str | os.PathLike[str]) -> dict[str, Tensor]:
    """The arrays in an .npz, .safetensors or .h5 (.hdf5) file, by name. Raises as `save` does."""
    return _function(path, READS, "load")(path)


def _function(path: Any, functions: Mapping[str, Callable[..., Any]], verb: str) -> Callable[..., Any]:
    suffix = Path(path).suffix.lower()
    if suffix not in functions:
        raise UnsupportedError(f"interop.{verb}: {os.fspath(path)}: expected a name that ends in {', '.join(functions)}")
    if suffix in (".h5", ".hdf5"):
        _package("h5py")
    return functions[suffix]


def _check(where: str, kind: str, name: Any, array: Tensor, arrays: Arrays) -> None:
    """An error if the format has no place for the name or the numbers."""
    if not isinstance(name, str):
        raise DtypeError(f"{where}: expected names that are text, got {name!r}")
    shown = ascii(name if len(name) <= 60 else f"{name[:57]}...")
    known = array.dtype.str[1:] in _SAFETENSORS if kind == ".safetensors" else array.dtype.kind in "biufc"
    if not known:
        raise DtypeError(f"{where}: {shown}: expected an array of numbers that {kind} files hold, got {array.dtype}")
    try:
        length = len(f"{name}.npy".encode())
    except UnicodeEncodeError:
        raise ValueRangeError(f"{where}: expected a name that UTF-8 can write, got {shown}") from None
    problem = None
    if "\0" in name:
        problem = "without the character 0"
    elif length > _LONGEST and kind == ".npz":
        problem = f"of at most {_LONGEST - 4} bytes"
    elif kind == ".npz" and name.endswith(".npy") and name[:-4] in arrays:
        problem = f"that NumPy can tell from {name[:-4]!a}"
    elif kind == ".safetensors" and name == "__metadata__":
        problem = "that the format does not use itself"
    elif kind in (".h5", ".hdf5"):
        steps = name.split("/")
        around = ("/".join(steps[:i]) for i in range(1, len(steps)))
        if any(step in ("", ".") for step in steps):
            problem = "whose parts between slashes are neither empty nor a dot"
        elif other := next((group for group in around if group in arrays), None):
            problem = f"that does not lie within {other!a}, which is an array and no group"
    if problem:
        raise ValueRangeError(f"{where}: expected a name {problem}, got {shown}")


def measure(path: Any, arrays: Arrays) -> None:
    """An error if arrays that repeat or share their elements would make a file that is out of proportion."""
    memory = sum({id(root): root.nbytes for root in map(base_storage, arrays.values())}.values())
    total = sum(array.nbytes for array in arrays.values())
    if total > _MOST_TIMES * memory + _MOST_BYTES:
        name = max(arrays, key=lambda name: arrays[name].nbytes)
        sizes = "x".join(map(str, arrays[name].shape))
        raise ShapeError(
            f"interop.save: {os.fspath(path)}: the arrays repeat or share {memory:,} bytes, and would take {total:,} in the"
            f" file; the largest is {name if len(name) <= 60 else f'{name[:57]}...'} of {sizes}"
        )


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        text = f'this format needs {package}, which is not installed; run: pip install "pytorch-legacy[convert]"'
        raise UnsupportedError(text) from None


def _write_npz(file: BinaryIO, arrays: Arrays, notes: Notes) -> None:
    # numpy.savez has no place for an array called "file".
    with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)


def _read_npz(path: Any) -> dict[str, Tensor]:
    with _reading(path), np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _write_safetensors(file: BinaryIO, arrays: Arrays, notes: Notes) -> None:
    """The length of a header, the header as JSON, then the elements, those of the largest types first."""
    ordered = sorted(arrays.items(), key=lambda pair: -pair[1].itemsize)
    header: dict[str, Any] = {}
    end = 0
    for name, array in ordered:
        start, end = end, end + array.nbytes
        kind = _SAFETENSORS[array.dtype.str[1:]]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [start, end]}
    said = {f"{name}.{key}": text for name, about in notes.items() if name in arrays for key, text in about.items()}
    header = {"__metadata__": said} | header if said else header
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    for _, array in ordered:
        file.write(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1).view(np.uint8).data)


def _read_safetensors(path: Any) -> dict[str, Tensor]:
    package = _package("safetensors.numpy")
    with _reading(path):
        return dict(package.load_file(path))


def _write_h5(file: BinaryIO, arrays: Arrays, notes: Notes) -> None:
    written: dict[Any, str] = {}
    with _package("h5py").File(file, "w") as archive:
        for name, array in arrays.items():
            key = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)
            if key in written:
                archive[name] = archive[written[key]]
            else:
                archive.create_dataset(name, data=array).attrs.update(notes.get(name, {}))
                written[key] = name


def _read_h5(path: Any) -> dict[str, Tensor]:
    h5py = _package("h5py")
    found: dict[str, Tensor] = {}

    def walk(group: Any, prefix: str, around: tuple[Any, ...]) -> None:
        for name in group:
            member = group.get(name)  # None for a link that leads nowhere
            if isinstance(member, h5py.Dataset) and member.dtype.kind in "fiub":
                found[prefix + name] = member[()]
            elif isinstance(member, h5py.Group) and member not in around and len(around) < 64:
                walk(member, f"{prefix}{name}/", (*around, member))

    with _reading(path), h5py.File(path, "r") as file:
        walk(file, "", (file,))
    return found


@contextmanager
def _reading(path: Any) -> Iterator[None]:
    """A broken file of others is a DtypeError, whatever their package makes of it."""
    try:
        yield
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except Exception as error:
        raise DtypeError(f"{os.fspath(path)}: cannot be read as {Path(path).suffix}: {error}") from error


WRITES: dict[str, Callable[[BinaryIO, Arrays, Notes], None]] = {
    ".npz": _write_npz,
    ".safetensors": _write_safetensors,
    ".h5": _write_h5,
    ".hdf5": _write_h5,
}
READS: dict[str, Callable[[Any], dict[str, Tensor]]] = {
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    ".h5": _read_h5,
    ".hdf5": _read_h5,
}
