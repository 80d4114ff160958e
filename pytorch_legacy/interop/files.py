"""Arrays by name in the files of others: .npz, .safetensors, .h5."""

from __future__ import annotations

import os
import secrets
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy.errors import DtypeError, UnsupportedError
from pytorch_legacy.storage import Tensor

Arrays = Mapping[str, Tensor]


def save(path: str | os.PathLike[str], arrays: Arrays) -> None:
    """Writes arrays to a file of the kind that its name ends in: .npz, .safetensors, .h5 (.hdf5).

    An existing file is replaced when the new one is complete. Arrays that share memory are written under each name; in
    an .h5 file names of one and the same memory are links to one data set.

    Raises
    ------
    UnsupportedError
        The name ends otherwise, or the package for the format is not installed; the text says which.
    """
    _function(path, WRITES, "save")(path, arrays)


def load(path: str | os.PathLike[str]) -> dict[str, Tensor]:
    """The arrays in an .npz, .safetensors or .h5 (.hdf5) file, by name. Raises as `save` does."""
    return _function(path, READS, "load")(path)


def _function(path: Any, functions: Mapping[str, Callable[..., Any]], verb: str) -> Callable[..., Any]:
    suffix = Path(path).suffix.lower()
    if suffix not in functions:
        raise UnsupportedError(f"interop.{verb}: {os.fspath(path)}: expected a name that ends in {', '.join(functions)}")
    return functions[suffix]


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        text = f'this format needs {package}, which is not installed; run: pip install "pytorch-legacy[convert]"'
        raise UnsupportedError(text) from None


@contextmanager
def replacing(path: Any) -> Iterator[str]:
    """The name of a new file, which takes the place of `path` if all goes well."""
    unfinished = f"{os.fspath(path)}.{secrets.token_hex(4)}.tmp"
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.unlink(unfinished)


def _write_npz(path: Any, arrays: Arrays) -> None:
    # numpy.savez has no place for an array called "file".
    with replacing(path) as unfinished, zipfile.ZipFile(unfinished, "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def _read_npz(path: Any) -> dict[str, Tensor]:
    with _reading(path), np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _write_safetensors(path: Any, arrays: Arrays) -> None:
    package = _package("safetensors.numpy")
    with replacing(path) as unfinished:
        package.save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, unfinished)


def _read_safetensors(path: Any) -> dict[str, Tensor]:
    package = _package("safetensors.numpy")
    with _reading(path):
        return dict(package.load_file(path))


def _write_h5(path: Any, arrays: Arrays) -> None:
    h5py = _package("h5py")
    written: dict[Any, str] = {}
    with replacing(path) as unfinished, h5py.File(unfinished, "w") as file:
        for name, array in arrays.items():
            key = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)
            if key in written:
                file[name] = file[written[key]]
            else:
                file.create_dataset(name, data=np.asarray(array))
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


WRITES: dict[str, Callable[[Any, Arrays], None]] = {
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
