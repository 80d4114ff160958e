"""What a run writes: a row for each input, in parts as they come, and in the end in one file of Parquet."""

from __future__ import annotations

import json
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

from .batches import Failed

_GROUP = 1 << 16  # rows that are written to the file together, at most
_BYTES = 1 << 22
_DICTIONARY = ["label", "error"]  # columns whose values repeat; of numbers, a dictionary takes several times their memory


@dataclass(frozen=True)
class Form:
    """What the outputs of a network are, and how they are written.

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
        Are scores logarithms of probabilities? They are written as probabilities.
    vector : bool
        Are all numbers written, too, where they are scores?
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
        """First row, and the one after the last, of each part."""
        spans = [tuple(map(int, path.stem.split("-"))) for path in self.folder.glob("*-*.parquet")]
        return sorted((start, stop) for start, stop in spans)

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
            pq.write_table(table, file, use_dictionary=_DICTIONARY)

    def errors(self) -> tuple[int, str]:
        """How many rows have an error, and the first one."""
        count, first = 0, ""
        for span in self.done():
            texts = pq.read_table(self._path(*span), columns=["error"])["error"].drop_null()
            count += len(texts)
            first = first or (texts[0].as_py() if len(texts) else "")
        return count, first

    def join(self, target: str, form: Form, described: dict[str, Any]) -> None:
        """Writes what there is, in order, as one file, with a description in its metadata."""
        schema = form.schema().with_metadata({"pytorch_legacy": json.dumps(described)})
        with whole(target) as file, pq.ParquetWriter(file, schema, use_dictionary=_DICTIONARY) as writer:
            for tables in _grouped(pq.read_table(self._path(*span)) for span in self.done()):
                writer.write_table(pa.concat_tables(tables).cast(schema).combine_chunks(), _GROUP)

    def _path(self, start: int, stop: int) -> Path:
        return self.folder / f"{start:012}-{stop:012}.parquet"


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
