"""Writes all files of a working layer to begin with: declarations, C, Python class, test, picture, and perhaps kernels."""

from __future__ import annotations

import errno
import keyword
import os
import re
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, ValueRangeError

TEMPLATES = Path(__file__).with_name("templates")

KINDS = {
    "pointwise": "a number for each element, with a constant beta",
    "pooling2d": "windows that move over planes",
    "linear": "a map of rows, with weight and bias",
    "criterion": "a loss",
}
"""The kinds of skeletons."""

# Arguments of the tests of kernels.
_EXAMPLES = {
    "pointwise": "NAME(2), [random.standard_normal((3, 4))]",
    "pooling2d": "NAME(3, 3, 2, 2, 1, 1), [random.random((2, 2, 5, 7))]",
    "linear": "NAME(5, 4), [random.standard_normal((3, 5))]",
    "criterion": "NAME(), [X, T]",
}


def new_layer(name: str, kind: str = "pooling2d", folder: str | os.PathLike[str] | None = None, cuda: bool = False) -> list[Path]:
    """Writes a layer that works, is tested and drawn, for you to change.

    Parameters
    ----------
    name : str
        The class: "SpatialMedianPooling". Its C functions are called alike.
    kind : {"pointwise", "pooling2d", "linear", "criterion"}
        Kind of layer that it is at first; "pooling2d" by default.
    folder : path, optional
        Folder for the files; one of the layer's name by default. It is made if need be.
    cuda : bool
        Write a ``.cu`` file with its kernels, too, and their test.

    Returns
    -------
    list of Path
        The files: ``NAME.h``, ``NAME.c``, ``NAME.py``, ``test_NAME.py``, ``picture_NAME.py``, and ``NAME.cu``.

    Raises
    ------
    ValueRangeError
        If the name is none for a class, or there is no such kind.
    FileExistsError
        If one of the files is there already. Nothing is written then.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> pl.extension.new_layer("SpatialMedianPooling", "pooling2d")  # doctest: +SKIP
    [PosixPath('SpatialMedianPooling/SpatialMedianPooling.h'), ...]
    """
    if not isinstance(name, str):
        raise ArgumentError(f"new_layer: name: expected a string, got {name!r}")
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name) or keyword.iskeyword(name):
        wanted = "letters and digits, a capital first, as in SpatialMedianPooling"
        raise ValueRangeError(f"new_layer: name: expected {wanted}, got {name!r}")
    if kind not in KINDS:
        raise ValueRangeError(f"new_layer: kind: expected one of {', '.join(KINDS)}, got {kind!r}")
    _refuse_known(name)
    place = _place(name if folder is None else folder)
    texts = {place / file: text for file, text in _texts(name, kind, cuda).items()}
    if there := [path for path in texts if path.exists() or path.is_symlink()]:
        raise FileExistsError(17, "there is such a file already; nothing is written", str(there[0]))
    place.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    try:
        for path, text in texts.items():
            with path.open("x", encoding="utf-8") as file:  # never over one that came meanwhile
                written.append(path)
                file.write(text)
    except OSError as error:
        for path in written:
            path.unlink()
        raise OSError(error.errno, f"{error.strerror}; nothing is written", str(place)) from None
    return written


def _place(folder: Any) -> Path:
    """The folder, if files can be there."""
    if not isinstance(folder, (str, os.PathLike)):
        raise ArgumentError(f"new_layer: folder: expected a path, got {folder!r}")
    if not os.fspath(folder) or "\0" in str(folder):
        raise ValueRangeError(f"new_layer: folder: expected the name of a folder, got {str(folder)!r}")
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "this is no folder", str(place))
    return place


def _refuse_known(name: str) -> None:
    from .. import nn

    if hasattr(nn, name):
        raise ValueRangeError(f"new_layer: name: nn.{name} is there already; choose another name")


def _texts(name: str, kind: str, cuda: bool) -> dict[str, str]:
    """The files and what is in them."""

    def template(suffix: str) -> str:
        return (TEMPLATES / f"{kind}.{suffix}").read_text(encoding="utf-8")

    test = template("test")
    if cuda:
        test = test.replace("import numpy", "import shutil\nfrom pathlib import Path\n\nimport numpy", 1)
        test += (TEMPLATES / "cuda.test").read_text(encoding="utf-8").replace("EXAMPLE", _EXAMPLES[kind])
    texts = {"NAME.h": template("h"), "NAME.c": template("c"), "NAME.py": template("class")}
    texts |= {"test_NAME.py": test, "picture_NAME.py": template("picture")}
    if cuda:
        texts["NAME.cu"] = template("cu")
    return {file.replace("NAME", name): _named(text, name) for file, text in texts.items()}


def _named(text: str, name: str) -> str:
    """The text with the layer's name; what a longer name moves to the right takes along the lines that are aligned with it."""
    lines, moved, depth = [], 0, 0
    for line in text.split("\n"):
        if depth > 0 and line.startswith(" " * 20):
            line = " " * moved + line
        found = line.replace("NAME", name)
        if depth <= 0:
            moved = len(found) - len(line)
        depth += line.count("(") - line.count(")")
        lines.append(found)
    return "\n".join(lines)
