"""From modules to .t7 files, which the original Torch7 reads."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Literal

from pytorch_legacy import t7
from pytorch_legacy.nn.TorchObject import TorchObject


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
    files get the fields of today.

    Results of the last pass are written too: ``net.clearState()`` first makes the file smaller.

    Parameters
    ----------
    path : path or binary file
        An existing file is replaced only when the new one is complete.
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
    """
    t7.write(path, obj, format, describe=record, compact=compact)


def record(value: Any) -> t7.TorchObject | None:
    """What stands for a module in a file; None for values that are no modules."""
    return value._toRecord() if isinstance(value, TorchObject) else None
