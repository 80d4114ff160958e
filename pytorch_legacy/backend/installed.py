"""Finds the built parts of the package: the library and the generated bindings.

They stand beside these sources, but for one case. After ``pip install .``, Python that is started in the checkout finds the
package's sources there, which nobody has built; the installed package has the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent


def _candidates() -> Iterator[Path]:
    yield HERE
    from importlib.metadata import distributions  # importing this module takes a tenth of the time of NumPy

    for distribution in distributions(name="pytorch-legacy"):
        yield Path(str(distribution.locate_file("pytorch_legacy"))) / "backend"


def find() -> Path:
    """The folder `backend` that holds the generated bindings; this one where there is none."""
    return next((place for place in _candidates() if (place / "_thnn.py").exists()), HERE)


backend = find()
if backend != HERE:
    from . import __path__ as path

    path.append(str(backend))
library = backend.parent / "lib"
