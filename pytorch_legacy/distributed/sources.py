"""The inputs of a run: files with a sample each, or the rows of one array in a file."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy.files import t7
from pytorch_legacy.files.t7.detect import detect
from pytorch_legacy.files.t7.nodes import Malformed
from pytorch_legacy.files.writing import whole
from pytorch_legacy.inference import files
from pytorch_legacy.inference.preprocessing import Preprocessing
from pytorch_legacy.inference.problem import Problem

from .batches import Failed, error_text

ENDINGS = (*files.PICTURES, ".npy")
"""Files of these names are what is meant by a folder."""


@dataclass(frozen=True)
class Sample:
    """An array for the network, prepared, what is needed to make a picture of its output, and the name of the input."""

    array: np.ndarray[Any, Any]
    source: files.Source
    name: str


@dataclass(frozen=True)
class Files:
    """Files that hold a sample each: pictures, or arrays.

    Attributes
    ----------
    paths : tuple of str
        Paths at which the workers find the files.
    names : tuple of str
        Names of the files in the results.
    """

    paths: tuple[str, ...]
    names: tuple[str, ...]
    unit = 1  # the number of rows that are read together

    def __len__(self) -> int:
        return len(self.paths)

    def __str__(self) -> str:
        return f"{len(self):,} files"

    def cut(self, start: int, stop: int) -> Files:
        return Files(self.paths[start:stop], self.names[start:stop])

    def fingerprint(self) -> str:
        return hashlib.sha256(json.dumps([self.paths, self.names]).encode(errors="surrogatepass")).hexdigest()

    def samples(self, preprocessing: Preprocessing, dtype: np.dtype[Any]) -> Iterator[Sample | Failed]:
        """Yields each sample, prepared, or the text of the error that reading it raised."""
        for path, name in zip(self.paths, self.names, strict=True):
            try:
                if os.path.exists(path) and not os.path.isfile(path):
                    raise Problem(f"{path}: expected a file")
                source = files.read(path, preprocessing)
                if not isinstance(source.array, np.ndarray) or len(source.array) != 1:
                    raise Problem(f"{path}: expected one sample, got {_size(source.array)}; give an array of many by itself")
                yield Sample(np.ascontiguousarray(preprocessing.normalized(source.array)[0].astype(dtype)), source, name)
            except Problem as error:
                yield Failed(str(error))
            except Exception as error:  # files are hostile
                yield Failed(f"{path}: {error_text(error)}")


@dataclass(frozen=True)
class Rows:
    """The rows of an array in a .npy file, or in a folder of zarr: those from `start` to `stop`. It came from `origin`."""

    path: str
    origin: str
    key: str | None
    shape: tuple[int, ...]
    dtype: str
    unit: int  # the number of rows that are read together
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def __str__(self) -> str:
        return f"{len(self):,} rows of {files.text_shape(self.shape)} {self.dtype}"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{os.path.basename(self.origin)}[{row}]" for row in range(self.start, self.stop))

    def cut(self, start: int, stop: int) -> Rows:
        return replace(self, start=self.start + start, stop=min(self.start + stop, self.stop))

    def fingerprint(self) -> str:
        status = os.stat(self.origin)
        return f"{self} of {self.origin}, {self.key}: {status.st_size} bytes, {status.st_mtime_ns}"

    def samples(self, preprocessing: Preprocessing, dtype: np.dtype[Any]) -> Iterator[Sample | Failed]:
        """The rows, each prepared. They are read anew, one by one where that can be, and no map of the file stays in memory."""
        made = 0
        try:
            for name, row in zip(self.names, self._raw(), strict=False):
                made += 1
                array = np.ascontiguousarray(preprocessing.normalized(row).astype(dtype, copy=False))
                yield Sample(array.copy() if array.base is not None else array, files.Source(None), name)
        except Exception as error:  # whatever a broken chunk makes of it
            yield from [Failed(f"{self.origin}: {error_text(error)}")] * (len(self) - made)

    def _raw(self) -> Iterator[np.ndarray[Any, Any]]:
        """The rows as they are stored."""
        if os.path.isdir(self.path):
            yield from np.array(_zarr(self.path, self.key)[self.start : self.stop])
            return
        array = np.load(self.path, mmap_mode="r")
        if not array.flags.c_contiguous:
            yield from np.array(array[self.start : self.stop])
            return
        # Pages of a map that are read count as memory of the process: it reads the file instead.
        count = int(np.prod(self.shape))
        with open(self.path, "rb") as file:
            file.seek(array.offset + self.start * count * array.itemsize)
            for _ in range(len(self)):
                yield np.fromfile(file, array.dtype, count).reshape(self.shape)


Source = Files | Rows


def opened(inputs: list[str], key: str | None, folder: Path, without: tuple[Path, ...]) -> Source:
    """Opens the inputs of a command: folders, patterns and files; or one array, or a text file with a path in each line.

    An array that lies in an archive or a .t7 file is copied into `folder`. Nothing in the paths `without` is an input.

    Raises
    ------
    Problem
        If there is nothing, or what there is cannot be read.
    """
    if len(inputs) == 1 and (found := _one(inputs[0], key, folder)) is not None:
        if isinstance(found, Files):
            files.refuse_key(inputs[0], key, "a list of paths holds no array")
        return found
    names: list[str] = []
    for given in inputs:
        if os.path.isdir(given):
            names += _listed(given, without)
        elif os.path.lexists(given) or not glob.has_magic(given):
            names.append(given)
        else:
            found_here = sorted(glob.glob(given, recursive=True))
            names += [name for name in found_here if not os.path.isdir(name)]
    if not names:
        raise Problem(f"{', '.join(inputs)}: there is no picture and no .npy file")
    files.refuse_key(inputs[0], key, "only one .npz, .t7 or zarr input has several arrays")
    return Files(tuple(map(os.path.abspath, names)), tuple(names))


def _listed(folder: str, without: tuple[Path, ...]) -> list[str]:
    """The files in a folder and those within, in order."""
    skipped = {path.resolve() for path in without}
    found = []
    for here, inner, names in os.walk(folder, followlinks=False):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and Path(here, name).resolve() not in skipped)
        found += [os.path.join(here, name) for name in sorted(names) if name.lower().endswith(ENDINGS) and name[0] != "."]
    return found


def _one(path: str, key: str | None, folder: Path) -> Source | None:
    """The array, or the list of paths, that an input by itself may be."""
    if os.path.isdir(path):
        isZarr = any(os.path.exists(os.path.join(path, name)) for name in (".zarray", ".zgroup", "zarr.json"))
        return _rows(path, key, _zarr(path, key)) if isZarr else None
    if not os.path.exists(path):
        if not glob.has_magic(path):
            raise Problem(f"{path}: there is no such file")
        return None
    if not os.path.isfile(path):
        return _paths(path, Path(path).read_bytes())
    with open(path, "rb") as file:
        begin = file.read(512)
    ending = Path(path).suffix.lower()
    if begin.startswith(b"\x93NUMPY"):
        files.refuse_key(path, key, "an .npy file holds one array")
        try:
            return _rows(path, None, np.load(path, mmap_mode="r", allow_pickle=False))
        except (ValueError, OSError, EOFError) as error:
            raise Problem(f"{path}: cannot be read as .npy: {error}") from None
    if ending == ".txt":
        return _paths(path, Path(path).read_bytes())
    if begin.startswith(b"PK\x03\x04"):
        return _rows_of_archive(path, key, folder)
    try:
        detect(begin, "auto")
    except Malformed:
        return None if ending in files.PICTURES or not _is_text(begin) else _paths(path, Path(path).read_bytes())
    value = files.tensors(path, t7.read(path), key)
    if not isinstance(value, np.ndarray):
        raise Problem(f"{path}: expected one tensor, got a list of {len(value)}")
    with whole(folder / "input.npy") as copy:
        np.save(copy, value)
    return _rows(str(folder / "input.npy"), key, np.load(folder / "input.npy", mmap_mode="r"), path)


def _is_text(begin: bytes) -> bool:
    return bool(begin) and b"\0" not in begin and all(byte >= 32 or byte in b"\t\r\n" for byte in begin)


def _paths(path: str, content: bytes) -> Files:
    names = tuple(name for line in content.split(b"\n") if (name := os.fsdecode(line.rstrip(b"\r"))))
    if not names:
        raise Problem(f"{path}: expected a path in each line, got nothing")
    return Files(tuple(map(os.path.abspath, names)), names)


def _rows(path: str, key: str | None, array: Any, origin: str | None = None) -> Rows:
    if array.dtype.kind not in "fiub" or array.ndim == 0 or not array.shape[0]:
        got = f"{array.dtype} of shape {array.shape}"
        raise Problem(f"{origin or path}: expected an array of numbers with samples in its rows, got {got}")
    unit = int(array.chunks[0]) if hasattr(array, "chunks") else 1
    rows, *shape = map(int, array.shape)
    return Rows(os.path.abspath(path), os.path.abspath(origin or path), key, tuple(shape), str(array.dtype), unit, 0, rows)


def _zarr(path: str, key: str | None) -> Any:
    try:
        import zarr
    except ImportError:
        raise Problem(f"{path}: needs zarr; run: pip install zarr") from None
    try:
        found = zarr.open(path, mode="r")
    except Exception as error:  # whatever zarr makes of a broken one
        raise Problem(f"{path}: cannot be read as zarr: {error}") from None
    if hasattr(found, "shape"):
        files.refuse_key(path, key, "the folder holds one array")
        return found
    names = sorted(name for name, _ in found.arrays())
    if key is None and len(names) == 1:
        key = names[0]
    if key not in names:
        raise Problem(f"{path}: choose an array with --key: {', '.join(names) or 'there is none'}")
    return found[key]


def _rows_of_archive(path: str, key: str | None, folder: Path) -> Rows:
    """An array of a .npz file, which is a .npy file in an archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.removesuffix(".npy"): name for name in archive.namelist() if name.endswith(".npy")}
            if key is None and len(names) == 1:
                key = next(iter(names))
            if key not in names:
                raise Problem(f"{path}: choose an array with --key: {', '.join(names) or 'there is none'}")
            with archive.open(names[key]) as packed, whole(folder / "input.npy") as copy:
                shutil.copyfileobj(packed, copy, 1 << 20)
        array = np.load(folder / "input.npy", mmap_mode="r", allow_pickle=False)
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError) as error:
        raise Problem(f"{path}: cannot be read as .npz: {error}") from None
    return _rows(str(folder / "input.npy"), key, array, path)


def _size(value: Any) -> str:
    return f"a list of {len(value)}" if isinstance(value, list) else f"shape {files.text_shape(value.shape)}"
