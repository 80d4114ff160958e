"""Tensors and tables as plain files: .npy, .csv and .txt.

A .csv file has a row of cells on each line. Text has double quotes, numbers have none:

================================  ======================================================
value                             lines of the .csv file
================================  ======================================================
tensor of one or two dimensions   its rows; of a vector one number each
list of numbers, text, booleans   one cell each
list of rows                      the rows
table of columns                  the names, ``"x","y"``, then the rows
table of numbers and text         ``"key","value"``, then each of them: ``"lr",0.1``
================================  ======================================================

`read` returns the same value for these lines, with two exceptions: numbers without text become one tensor, and a tensor of one
column becomes a vector. A .txt file has rows of numbers with spaces between them, or a text on each line. An .npy file has one
array of any shape.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor, to_host
from pytorch_legacy.errors import DtypeError, ShapeError, UnsupportedError, ValueRangeError
from pytorch_legacy.files.t7 import IdentityKey
from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.files.writing import whole
from pytorch_legacy.messages import described, text_shape

from .files import measure

ENDINGS = (".npy", ".csv", ".txt")
TYPES: dict[str, Any] = {
    "double": np.float64, "float": np.float32, "half": np.float16, "long": np.int64, "int": np.int32, "short": np.int16,
    "char": np.int8, "byte": np.uint8,
}  # fmt: skip
"""Torch7's types of tensors, and the dtypes of their elements."""

_KEY_AND_VALUE = ["key", "value"]
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE)
_CELL = {mark: re.compile(rf'[ \t]*"((?:[^"]|"")*)"[ \t\r]*|([^{mark}\n"]*)') for mark in (",", ";", "\t")}
_MAX_SHOWN_LENGTH = 40  # characters of a cell in a message


class _Text(str):
    """A cell that cannot be a number, because it stood in quotes."""


def write(path: str | os.PathLike[str], value: Any) -> str:
    """Writes a tensor or a table to a file of the kind that its name ends in, and returns what was written, in words.

    Numbers are written with as many digits as their type needs to be read again without a change.

    Parameters
    ----------
    path : path
        An existing file is replaced when the new one is complete, as by `pytorch_legacy.save`.
    value : object
        Value of a kind that the table in this module's description lists.

    Raises
    ------
    UnsupportedError
        The name ends otherwise.
    DtypeError, ShapeError
        The value has no such form. Nothing is written.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UnsupportedError(f"interop.plain.write: {os.fspath(path)}: expected a name that ends in {', '.join(ENDINGS)}")
    try:
        if ending == ".npy":
            array = _as_array(value)
            measure(path, {"tensor": array})
            with whole(path) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
            return summary(array)
        value = to_host(value) if is_tensor(value) else value
        if isinstance(value, np.ndarray):
            measure(path, {"tensor": value})
        lines = _rows(value) if ending == ".csv" else _lines(value)
        content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    except (DtypeError, ShapeError) as error:
        raise type(error)(f"{os.fspath(path)}: {error}") from None
    with whole(path) as file:
        file.write(content)
    return summary(value)


def read(path: str | os.PathLike[str], type: str | None = None) -> Any:
    """Returns the tensor or the table in a file.

    Whole numbers become int64, if all numbers of a tensor are whole, other numbers float64. In a .csv file, a first line of text
    above columns of which one has numbers has the names of the columns. Lines of a .txt file that begin with ``#`` are left out.

    Parameters
    ----------
    path : path
    type : str, optional
        The type of tensors, a key of `TYPES`; "text" reads each line of a .txt file as it is.

    Raises
    ------
    UnsupportedError
        The name ends otherwise.
    DtypeError, ShapeError, ValueRangeError
        The file is not of that kind, has rows of different lengths, or a number that the type does not hold. The text names the
        line.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UnsupportedError(f"interop.plain.read: {os.fspath(path)}: expected a name that ends in {', '.join(ENDINGS)}")
    if type == "text" and ending != ".txt":
        raise UnsupportedError(f"{os.fspath(path)}: the type text is for .txt files")
    try:
        if ending == ".npy":
            value = _read_array(path)
        else:
            text = Path(path).read_bytes().decode("utf-8", "surrogateescape").removeprefix("\ufeff")
            if not text.strip():
                raise ShapeError("expected rows of numbers or text, got an empty file")
            value = _table(text) if ending == ".csv" else _numbers_or_text(text.replace("\r\n", "\n"), type == "text")
        return value if type in (None, "text") else _converted(value, type)
    except (DtypeError, ShapeError, ValueRangeError) as error:
        raise error.__class__(f"{os.fspath(path)}: {error}") from None


def converted(array: Tensor, type: str) -> Tensor:
    """Returns an array with elements of a type of Torch7.

    Raises
    ------
    ValueRangeError
        If a number does not fit. Whole numbers stay exact; fractions may be rounded.
    """
    dtype = np.dtype(TYPES[type])
    with np.errstate(all="ignore"):
        made = array.astype(dtype)
        isExact = made.astype(array.dtype) == array
        fits = isExact if dtype.kind in "iu" or array.dtype.kind in "iu" else np.isfinite(made) | ~np.isfinite(array)
    if dtype.kind in "iu" and array.dtype.kind == "f":
        fits &= np.isfinite(array) & (np.abs(array) < 2.0**63)
    if dtype.kind in "iu" and array.dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        fits &= (array >= bounds.min) & (array <= bounds.max)
    if not fits.all():
        raise ValueRangeError(f"the type {type} does not hold the number {array[~fits].flat[0]}")
    return made


def summary(value: Any) -> str:
    """Returns in a few words what `write` writes and `read` reads."""
    if isinstance(value, np.ndarray):
        return f"a tensor of {text_shape(value.shape)}, {value.dtype}"
    if isinstance(value, dict):
        return f"a table of {len(value)}"
    return f"a list of {len(value)}" if isinstance(value, (list, tuple)) else f"{value!r:.40}"


# ---- writing


def _as_array(value: Any) -> Tensor:
    """The value as an array of numbers."""
    if is_tensor(value):
        array = np.asarray(to_host(value))
    else:
        rows = value if isinstance(value, (list, tuple)) else [value]
        odd = next((row for row in rows if not (_is_row_of_numbers(row) or _is_number(row))), None)
        if not rows or odd is not None:
            odd = next((cell for cell in odd if not _is_number(cell)), odd) if isinstance(odd, (list, tuple)) else odd
            got = described(value) if not rows or odd is value else f"{described(odd)} in it"
            raise DtypeError(f"expected a tensor or a list of numbers, got {got}; .csv and .txt files hold text")
        lengths = {np.shape(row) for row in rows}
        if len(lengths) > 1:
            raise ShapeError("expected rows of one length, got " + " and ".join(sorted(map(text_shape, lengths))[:3]))
        array = np.array([np.asarray(row) for row in rows])
    if array.dtype.kind not in "biuf":
        raise DtypeError(f"expected an array of numbers, got {array.dtype}")
    return array


def _is_vector(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (int, float, str, np.number, np.bool_))


def _is_list_of_scalars(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_is_scalar, value))


def _is_row_of_numbers(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, (list, tuple)) and all(map(_is_number, value))


def _cell(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    return str(value)  # as many digits as the type needs


def _grid(value: Any) -> Iterator[Sequence[Any]]:
    """The rows of a value, whose cells are numbers, text or booleans."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise DtypeError(f"expected a tensor of numbers, got {value.dtype}")
        if value.ndim > 2 or not value.size:
            raise ShapeError(f"expected a tensor of one or two dimensions, got {text_shape(value.shape)}; .npy holds any shape")
        yield from map(list, value.reshape(len(value) if value.ndim else 1, -1))
    elif isinstance(value, dict):
        yield from _grid_of_table(value)
    elif isinstance(value, (list, tuple)) and value:
        if all(map(_is_scalar, value)):
            yield from ([entry] for entry in value)
            return
        odd = next((row for row in value if not (_is_vector(row) or _is_list_of_scalars(row))), None)
        if odd is not None:
            raise DtypeError(f"expected a list of numbers and text, or of rows of these, got {described(odd)} in it")
        if len({len(row) for row in value}) > 1 or not len(value[0]):
            raise ShapeError(f"expected rows of one length, got {' and '.join(sorted({str(len(row)) for row in value})[:3])}")
        yield from value
    elif _is_scalar(value):
        yield [value]
    else:
        raise DtypeError(f"expected a tensor, or a table of numbers and text, got {described(value)}")


def _grid_of_table(table: dict[Any, Any]) -> Iterator[Sequence[Any]]:
    if any(isinstance(key, IdentityKey) for key in table):
        raise DtypeError("expected a table whose keys are text or numbers, got tables or tensors as keys")
    columns = [*table.values()]
    if table and all(map(_is_scalar, columns)):
        yield _KEY_AND_VALUE
        yield from ([key, value] for key, value in table.items())
        return
    hasColumns = all(_is_vector(column) or _is_list_of_scalars(column) for column in columns)
    if not table or not hasColumns or not all(isinstance(key, str) for key in table):
        wanted = "a table of numbers and text, or of columns with names"
        raise DtypeError(f"expected {wanted}, got {described(table)} with other values; --key chooses one")
    if len({len(column) for column in columns}) > 1 or not len(columns[0]):
        sizes = ", ".join(
            f"{printable(key)[:20]} has {len(column)}" for key, column in list(zip(table, columns, strict=True))[:4]
        )
        raise ShapeError(f"expected columns of one length, got {sizes}")
    yield [*table]
    yield from zip(*columns, strict=True)


def _rows(value: Any) -> Iterator[str]:
    """The lines of a .csv file."""
    for row in _grid(value):
        yield ",".join(map(_cell, row))


def _lines(value: Any) -> Iterator[str]:
    """The lines of a .txt file."""
    isText = isinstance(value, (list, tuple)) and bool(value) and all(isinstance(entry, str) for entry in value)
    for row in _grid(value):
        if isText:
            if "\n" in row[0] or "\r" in row[0]:
                raise DtypeError(f"expected text on one line, got {row[0]!r:.60}; .csv holds it")
            yield row[0]
        elif any(isinstance(cell, (str, bool, np.bool_)) for cell in row):
            raise DtypeError("expected numbers alone, or text alone; .csv holds both")
        else:
            yield " ".join(map(_cell, row))


# ---- reading


def _read_array(path: Any) -> Tensor:
    try:
        with open(path, "rb") as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except Exception as error:  # whatever NumPy makes of a broken file
        raise DtypeError(f"cannot be read as .npy: {error}") from None
    if array.dtype.kind not in "biuf":
        raise DtypeError(f"expected an array of numbers, got {array.dtype}")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _cells(text: str) -> Iterator[list[str]]:
    """The rows of a .csv file, each with its cells."""
    line = text.split("\n", 1)[0]
    mark = next((mark for mark in (",", ";", "\t") if mark in re.sub(r'"[^"]*"', "", line)), ",")
    pattern, position, row, number = _CELL[mark], 0, list[str](), 1
    while position < len(text):
        match = pattern.match(text, position)
        assert match is not None  # an unquoted cell may be empty
        after = text[match.end() : match.end() + 1]
        if after not in ("", mark, "\n"):
            raise DtypeError(f"line {number}: expected {mark!r} or the end of the line after a cell, got {after!r}")
        row.append(match[2].strip() if match[1] is None else _Text(match[1].replace('""', '"')))
        number += text.count("\n", position, match.end() + 1)
        position = match.end() + 1
        if after != mark:
            if row != [""] or isinstance(row[0], _Text):
                yield row
            row = []
    if row or text.endswith(mark):
        yield [*row, ""]


def _table(text: str) -> Any:
    """The value in a .csv file."""
    rows = [*_cells(text)]
    _check_lengths([len(row) for row in rows], "cells")
    isNamed = _has_names(rows)
    body = rows[isNamed:]
    columns = [_column([row[i] for row in body], i, 1 + isNamed) for i in range(len(rows[0]))]
    if isNamed and [str(name) for name in rows[0]] == _KEY_AND_VALUE:
        keys = [entry if isinstance(entry, str) else entry.item() for entry in columns[0]]
        if len({*keys}) < len(keys):
            raise DtypeError("expected each key once")
        return dict(zip(keys, [entry.item() if isinstance(entry, np.generic) else entry for entry in columns[1]], strict=True))
    if isNamed:
        return {str(name): column for name, column in zip(rows[0], columns, strict=True)}
    if all(isinstance(column, np.ndarray) for column in columns):
        whole = all(column.dtype.kind == "i" for column in columns)
        made = np.stack(columns, 1) if whole else np.stack([_as_doubles(column) for column in columns], 1)
        return made[:, 0] if len(columns) == 1 else made
    listed = [[entry.item() if isinstance(entry, np.generic) else entry for entry in column] for column in columns]
    return listed[0] if len(listed) == 1 else [list(row) for row in zip(*listed, strict=True)]


def _has_names(rows: list[list[str]]) -> bool:
    """True if the first row has the names of the columns: text above numbers, or "key" and "value"."""
    first = rows[0]
    if len(rows) < 2 or len({*first}) < len(first) or not all(first) or any(_is_numeric(cell) for cell in first):
        return False
    return [str(cell) for cell in first] == _KEY_AND_VALUE or any(
        all(map(_is_numeric, column)) for column in zip(*rows[1:], strict=True)
    )


def _is_numeric(cell: str) -> bool:
    return not isinstance(cell, _Text) and _NUMBER.fullmatch(cell) is not None


def _column(cells: list[str], index: int, first: int) -> Any:
    """A column as an array if it has numbers alone, else as a list."""
    bare = [not isinstance(cell, _Text) for cell in cells]
    numeric = [*map(_is_numeric, cells)]
    if all(numeric):
        return _numbers(cells, [f"line {i}" for i in range(first, first + len(cells))])
    if all(bare) and all(cell in ("true", "false") for cell in cells):
        return [cell == "true" for cell in cells]
    odd = next((i for i, cell in enumerate(cells) if bare[i] and not numeric[i] and cell not in ("true", "false")), None)
    if odd is not None and any(numeric):
        raise DtypeError(
            f"row {first + odd}, cell {index + 1}: expected a number, as others of the column, got "
            f"{cells[odd][:_MAX_SHOWN_LENGTH]!r}; text among numbers needs double quotes, what is missing may be written as nan"
        )
    if odd is not None:
        return [str(cell) for cell in cells]
    return [
        str(cell) if isinstance(cell, _Text) else cell == "true" if cell in ("true", "false") else _numbers([cell], [""])[0]
        for cell in cells
    ]


def _numbers(cells: Sequence[str], places: Sequence[str]) -> Tensor:
    """Numbers as int64 if all are whole, else as float64. A whole number that float64 does not hold is an error."""
    isWhole = [_WHOLE.fullmatch(cell) is not None for cell in cells]
    isLong = all(isWhole)
    for i, cell in enumerate(cells):
        if isWhole[i] and not _is_held(cell, isLong):
            where = f"{places[i]}: " if places[i] else ""
            raise ValueRangeError(
                f"{where}{'int64' if isLong else 'float64'} does not hold the number {cell[:_MAX_SHOWN_LENGTH]}"
            )
    if isLong:
        return np.array([int(cell) for cell in cells], np.int64)
    numbers = np.array([float(cell) for cell in cells], np.float64)
    for i in np.flatnonzero(np.isinf(numbers)).tolist():
        if "inf" not in cells[i].lower():
            where = f"{places[i]}: " if places[i] else ""
            raise ValueRangeError(f"{where}float64 does not hold the number {cells[i][:_MAX_SHOWN_LENGTH]}")
    return numbers


def _is_held(cell: str, isLong: bool) -> bool:
    """True if int64, or float64, holds a whole number exactly."""
    if len(cell) <= 15 or len(cell) > 300:
        return len(cell) <= 15
    return -(2**63) <= int(cell) < 2**63 if isLong else int(float(cell)) == int(cell)


def _as_doubles(column: Tensor) -> Tensor:
    made = column.astype(np.float64)
    if column.dtype.kind == "i" and (np.abs(column) > 2**53).any() and not (made.astype(object) == column.astype(object)).all():
        raise ValueRangeError("float64 does not hold a whole number of more than 15 digits that stands beside fractions")
    return made


def _numbers_or_text(text: str, isText: bool) -> Any:
    """The value in a .txt file."""
    lines = text.removesuffix("\n").split("\n")
    if isText:
        return lines
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    if not rows or not all(_NUMBER.fullmatch(cell) for cell in rows[0][1]):
        return lines
    for number, row in rows:
        if not all(_NUMBER.fullmatch(cell) for cell in row):
            got = " ".join(row)[:_MAX_SHOWN_LENGTH]
            raise DtypeError(
                f"line {number}: expected numbers, as on the lines before, got {got!r}; --type text reads lines of text"
            )
    _check_lengths([len(row) for _, row in rows], "numbers")
    cells = [cell for _, row in rows for cell in row]
    array = _numbers(cells, [f"line {number}" for number, row in rows for _ in row]).reshape(len(rows), -1)
    return array[:, 0] if array.shape[1] == 1 else array


def _check_lengths(lengths: list[int], what: str) -> None:
    odd = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
    if odd is not None:
        raise ShapeError(f"row {odd + 1}: expected {lengths[0]} {what}, as in the first row, got {lengths[odd]}")


def _converted(value: Any, type: str) -> Any:
    """The value with its tensors in a type."""
    if isinstance(value, np.ndarray):
        return converted(value, type)
    if isinstance(value, dict):
        return {key: _converted(entry, type) if isinstance(entry, np.ndarray) else entry for key, entry in value.items()}
    raise DtypeError(f"expected numbers for the type {type}, got {summary(value)} with text")
