"""Writes the results of a run: a row for each input, in parts at first, and at the end in one file of Parquet."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.writing import whole
from pytorch_legacy.inference import files
from pytorch_legacy.inference.problem import Problem

from .batches import Failed

_GROUP = 1 << 16  # rows that are written to the file together, at most
_BYTES = 1 << 22
_NAME = re.compile(r"(\d{12,18})-(\d{12,18})\.parquet", re.ASCII)  # the name of a part: its first row, and the one after its last
_DICTIONARY = ["label", "error"]  # columns whose values repeat; of numbers, a dictionary takes several times their memory


@dataclass(frozen=True)
class Form:
    """The form of a network's outputs, and how they are written.

    Attributes
    ----------
    kind : {"scores", "array", "picture"}
        A number for each class: columns `label`, `index` and `score`. Numbers: a column `vector`, or `array` and `shape` where
        an output has several dimensions. A picture: a column `picture` with the path of a file.
    shape : tuple of int, optional
        Of one output; None if it varies.
    dtype : str
        Of the numbers.
    names : list of str, optional
        Of the classes.
    logarithmic : bool
        True if scores are logarithms of probabilities; False by default. They are written as probabilities.
    vector : bool
        True if all numbers are written, too, where they are scores; False by default.
    """

    kind: Literal["scores", "array", "picture"]
    shape: tuple[int, ...] | None
    dtype: str
    names: list[str] | None = None
    logarithmic: bool = False
    vector: bool = False

    def schema(self) -> Any:
        number = pa.from_numpy_dtype(np.dtype(self.dtype))
        fields = [("row", pa.int64()), ("input", pa.string()), ("error", pa.string())]
        if self.kind == "scores":
            fields += [("label", pa.string()), ("index", pa.int32()), ("score", number)]
        if self.kind == "picture":
            fields += [("picture", pa.string())]
        if self.kind == "array" and (self.shape is None or len(self.shape) > 1):
            fields += [("array", pa.list_(number)), ("shape", pa.list_(pa.int32()))]
        elif self.kind == "array" or self.vector:
            assert self.shape is not None
            fields += [("vector", pa.list_(number, self.shape[0]))]
        return pa.schema(fields)

    def table(self, first: int, names: Sequence[str], found: Sequence[Tensor | Failed], pictures: Sequence[str | None]) -> Any:
        """The rows from `first` on."""
        outputs = [self._fitting(output) for output in found]
        good = [None if isinstance(output, Failed) else output for output in outputs]
        columns: dict[str, Any] = {
            "row": np.arange(first, first + len(found)),
            "input": [name.encode(errors="backslashreplace").decode() for name in names],
            "error": [output.text if isinstance(output, Failed) else None for output in outputs],
            "picture": pictures,
            "vector": good,
            "array": [None if output is None else output.reshape(-1) for output in good],
            "shape": [None if output is None else list(output.shape) for output in good],
        }
        if self.kind == "scores":
            best = [None if output is None else int(np.argmax(output)) for output in good]
            columns["index"] = best
            columns["label"] = [None if index is None else self._label(index) for index in best]
            scores = [None if index is None else good[i][index] for i, index in enumerate(best)]  # type: ignore[index]
            columns["score"] = [None if s is None else float(np.exp(s) if self.logarithmic else s) for s in scores]
        schema = self.schema()
        return pa.table([pa.array(columns[field.name], field.type) for field in schema], schema)

    def _fitting(self, output: Tensor | Failed) -> Tensor | Failed:
        if isinstance(output, Failed):
            return output
        output = output.reshape(-1) if self.kind == "scores" else output
        if self.shape is not None and output.shape != self.shape:
            shapes = f"{files.text_shape(self.shape)}, as the first, got {files.text_shape(output.shape)}"
            return Failed(f"expected an output of {shapes}; --size makes pictures alike")
        return output.astype(self.dtype, copy=False)

    def _label(self, index: int) -> str:
        return self.names[index] if self.names and index < len(self.names) else str(index)


class Parts:
    """The rows that are done, in a folder of parts that each appear whole; what is in it survives whatever ends the run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def done(self) -> list[tuple[int, int]]:
        """Returns the first row, and the one after the last, of each part. Files of other names are no parts."""
        found = (_NAME.fullmatch(path.name) for path in self.folder.iterdir())
        return sorted((int(match[1]), int(match[2])) for match in found if match)

    def check(self, form: Form, pictures: Path) -> list[str]:
        """Removes the parts that are damaged, so that their rows are computed again; returns what was wrong, a text for each.

        Each part is read as a whole, with its checksums. Pictures are looked for in the folder `pictures`.
        """
        removed = []
        end = 0
        for start, stop in self.done():
            problem = f"it begins before row {end}, where another one ends" if start < end else ""
            problem = problem or self._problem(start, stop, form, pictures)
            if problem:
                removed.append(f"{self._path(start, stop)}: {problem}")
                self._path(start, stop).unlink()
            else:
                end = stop
        return removed

    def _problem(self, start: int, stop: int, form: Form, pictures: Path) -> str:
        """Returns what is wrong with a part; "" if nothing is."""
        try:
            table = _read(self._path(start, stop))
        except Exception as error:  # whatever a broken file makes of its reader
            if isinstance(error, MemoryError) or getattr(error, "errno", None):
                raise  # the part may be whole
            return f"cannot be read: {' '.join(str(error).split())[:200]}"
        if not table.schema.equals(form.schema()):
            return f"expected the columns {', '.join(form.schema().names)}, got {', '.join(table.schema.names)[:200]}"
        if table["row"].to_pylist() != list(range(start, stop)):
            return f"expected the rows {start} to {stop - 1}, got {len(table)} others"
        for name in table["picture"].to_pylist() if form.kind == "picture" else []:
            if name is not None and not _is_whole_png(pictures.parent / name):
                return f"its picture {name} is missing or broken"
        return ""

    def missing(self, rows: int) -> list[tuple[int, int]]:
        """The spans between them."""
        found, position = [], 0
        for start, stop in [*self.done(), (rows, rows)]:
            if start > position:
                found.append((position, start))
            position = max(position, stop)
        return found

    def write(self, start: int, stop: int, table: Any) -> None:
        with whole(self._path(start, stop)) as file:
            pq.write_table(table, file, use_dictionary=_DICTIONARY, write_page_checksum=True)

    def errors(self) -> tuple[int, str]:
        """Returns how many rows have an error, and the first error, which names its input."""
        count, first = 0, ""
        for span in self.done():
            table = self._table(*span)
            failed = table.filter(table["error"].is_valid())
            count += len(failed)
            if len(failed) and not first:
                name, first = failed["input"][0].as_py(), failed["error"][0].as_py()
                first = first if name in first else f"{name}: {first}"
        return count, first

    def join(self, target: str, form: Form, described: dict[str, Any]) -> None:
        """Writes what there is, in order, as one file, with a description in its metadata."""
        schema = form.schema().with_metadata({"pytorch_legacy": json.dumps(described)})
        with whole(target) as file, pq.ParquetWriter(file, schema, use_dictionary=_DICTIONARY) as writer:
            for tables in _grouped(self._table(*span) for span in self.done()):
                writer.write_table(pa.concat_tables(tables).cast(schema).combine_chunks(), _GROUP)

    def _table(self, start: int, stop: int) -> Any:
        try:
            return _read(self._path(start, stop))
        except Exception as error:  # it was whole when the run began, or when it was written
            reason = f"cannot be read: {' '.join(str(error).split())[:200]}"
            raise Problem(f"{self._path(start, stop)}: {reason}; the same command computes its rows again") from None

    def _path(self, start: int, stop: int) -> Path:
        return self.folder / f"{start:012}-{stop:012}.parquet"


def _read(path: Path) -> Any:
    """Returns the table in a file. A byte that has changed is an error."""
    return pq.ParquetFile(path, page_checksum_verification=True).read()


def _is_whole_png(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            start = file.read(8)
            file.seek(-12, os.SEEK_END)
            return start == b"\x89PNG\r\n\x1a\n" and file.read() == b"\0\0\0\0IEND\xaeB`\x82"
    except OSError:
        return False


def _grouped(tables: Iterable[Any]) -> Iterable[list[Any]]:
    """Tables that together fill a group of rows, or memory enough."""
    group: list[Any] = []
    for table in tables:
        group.append(table)
        if sum(len(one) for one in group) >= _GROUP or sum(one.nbytes for one in group) >= _BYTES:
            yield group
            group = []
    if group:
        yield group
