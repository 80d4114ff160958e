"""From modules to .t7 files, which the original Torch7 reads."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any, BinaryIO, Literal

from pytorch_legacy.arrays import Tensor, map_storage, on_device, to_device, tree
from pytorch_legacy.errors import T7Warning, UnsupportedError
from pytorch_legacy.files import t7
from pytorch_legacy.files.misspelt import Spelling
from pytorch_legacy.files.stored import Stored

# Remedies for the endings of other formats: how a network is stored in them.
_BY_NAME = "pytorch-legacy convert {net}.t7 {path}, or pytorch_legacy.interop.save(..., interop.tensors(net))"
_WEIGHTS = "pytorch-legacy convert {net}.t7 {net}.safetensors gives weights by name, which PyTorch reads"
_PLAIN = "pytorch_legacy.interop.plain.write writes tensors and tables so; or pytorch-legacy convert {net}.t7 {path}"
_OTHERS = {
    **dict.fromkeys((".npz", ".safetensors", ".h5", ".hdf5"), _BY_NAME),
    **dict.fromkeys((".pt", ".pth", ".pkl"), _WEIGHTS),
    **dict.fromkeys((".py", ".pt2", ".onnx"), "pytorch-legacy convert {net}.t7 {path}"),
    **dict.fromkeys((".npy", ".csv"), _PLAIN),
    ".caffemodel": _WEIGHTS,
    **dict.fromkeys((".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".tar", ".tgz"), "save {net}.t7, and pack that"),
    **dict.fromkeys((".json", ".mat", ".parquet", ".png", ".jpg", ".yaml", ".yml"), "save writes .t7 files alone"),
}


def save(
    path: str | os.PathLike[str] | BinaryIO,
    obj: Any,
    format: Literal["binary", "ascii"] = "binary",
    *,
    compact: bool = False,
) -> None:
    """Save an object as ``torch.save`` of Torch7 does.

    Modules and criterions are written with the fields, the class names and the class versions that Torch7 expects;
    what counts from 0 inside them counts from 1 in the file. Objects that are shared stay shared, and so do storages:
    a network after ``getParameters`` is written with one. What `load` read and nobody changed has the same contents
    again, classes that are not known here and functions included; only tensors of a GPU become those of the CPU, and old
    files get the fields of today. Modules on a CUDA device are written as cutorch did: with torch.CudaTensor.

    Attributes that a class does not have are notes of the module's author, and are written as any others. Where one is called
    almost as an attribute that the class has (``net.weigth``), a `T7Warning` says so.

    Results of the last pass are written too: ``net.clearState()`` first makes the file smaller.

    Parameters
    ----------
    path : path or binary file
        An existing file is replaced when the new one is complete and on the disk: its mode stays, and what symbolic
        links lead to is replaced, while other hard links keep the old contents. FIFOs and devices are written to.
    obj : object
        A module, a criterion, or whatever `load` returns: tables (lists, dicts), arrays, strings, numbers.
    format : {"binary", "ascii"}
        Binary files are little endian with longs of eight bytes, ASCII files fit any machine.
    compact : bool
        Write only the parts of storages that tensors use. A view of a large array is else saved with the whole array,
        as Torch7 does.

    Raises
    ------
    T7Error
        The object holds something that the format has no place for; the message says where. Nothing is written.
    UnsupportedError
        The name of the file is that of another format: ``.npz``, ``.pth``, ...; the message says what writes that.
    OSError
        The file cannot be written, the disk is full: an existing file is as it was.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> net = pl.nn.Sequential().add(pl.nn.Linear(10, 2)).add(pl.nn.LogSoftMax())
    >>> pl.save("/tmp/net.t7", net)
    >>> print(pl.load("/tmp/net.t7"))
    nn.Sequential {
      [input -> (1) -> (2) -> output]
      (1): nn.Linear(10 -> 2)
      (2): nn.LogSoftMax
    }
    (The picture is Torch7's: it counts from 1, Python from 0.)
    """
    if isinstance(path, (str, os.PathLike)):
        name = Path(os.fsdecode(path))
        if (suffix := name.suffix.lower()) in _OTHERS:
            way = _OTHERS[suffix].format(net=str(name.with_suffix("")).removesuffix(".t7"), path=name)
            raise UnsupportedError(f"save: {name}: expected the name of a .t7 file, got one of another format; {way}")
    records = _Records()
    t7.write(path, records.brought(obj), format, describe=records.record, compact=compact)
    if text := records.spelling.warning():
        warnings.warn(text, T7Warning, stacklevel=2)


def records() -> Any:
    """Returns what `t7.write` takes as ``describe`` for the modules of one file."""
    return _Records().record


class _Records:
    """Makes the records of modules for a file. Arrays on a device are copied to the host, with their sharing preserved."""

    def __init__(self) -> None:
        self.seen: dict[Any, Any] = {}
        self.storages: dict[Any, Any] = {}
        self.counted: dict[Any, Any] = {}
        self.tensors: dict[int, tuple[Tensor, Tensor]] = {}
        self.spelling = Spelling()

    def record(self, value: Any) -> t7.TorchObject | None:
        """None for values that are no modules."""
        if not isinstance(value, Stored):
            return None
        if "cupy" in sys.modules:
            value = value._with({name: self.brought(field) for name, field in value.__dict__.items()})
        record = value._toRecord()
        if isinstance(record.fields, dict):
            self.spelling.look(value, record.fields)
        if value._form.oneBasedTensors and isinstance(record.fields, dict):
            record.fields |= {k: v for k, v in value._countFromOne(self.counted).items() if k in record.fields}
        return record

    def brought(self, value: Any) -> Any:
        """`value`, an array on a device or a table of such, as it goes into a file. Objects are left as they are."""
        return tree.map_arrays(self._tensor, value, self.seen) if "cupy" in sys.modules else value

    def _tensor(self, array: Tensor) -> Tensor:
        if not on_device(array):
            return array
        if id(array) not in self.tensors:
            host = map_storage(array, lambda vector: to_device(vector, False), self.storages)
            self.tensors[id(array)] = array, host.view(t7.DeviceTensor)
        return self.tensors[id(array)][1]
