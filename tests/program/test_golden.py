"""Every network of the golden files is compiled, or refused for a reason that stands here. Its program comes back from a file."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import CompileError
from tests.program.test_every_file import reversed_rows, wrong
from tests.test_golden import MANIFEST, load, stored

REFUSED = {
    "SpatialFractionalMaxPooling": "draws",
    "VolumetricFractionalMaxPooling": "draws",
    "Dropout_stochastic": "draws",
    "NCEModule_t2x3": "draws",
    "Kmeans": "reads numbers",  # it chooses by whether squares are finite
    "SpatialNormalization": "reads numbers",  # the mean deviation is a threshold
    "MaskedSelect": "count_nonzero",  # the size of its output
}
NO_ARRAYS = ("OneHot_number_scalar",)  # its input is a number
ENTRIES = [
    entry
    for entry in MANIFEST
    if entry["kind"] in ("module", "graph") and stored(entry, "evaluate", "output") is not None and entry["name"] not in NO_ARRAYS
]
FAMILIES = sorted({entry["family"] for entry in ENTRIES})


def reason(entry: dict[str, Any]) -> str:
    return next((words for name, words in REFUSED.items() if entry["name"].startswith(name)), "")


def outcome(entry: dict[str, Any], folder: Path) -> str:
    """Returns the error of a network, or of its program that was saved in the folder and read; or nothing."""
    case = load(entry)
    net, input = case["module"].evaluate().clearState(), case["input"]
    words = reason(entry)
    try:
        program = pl.compile(net, input)
    except CompileError as error:
        return "" if words and words in str(error) else str(error)
    if words:
        return "expected a refusal"
    found = [np.asarray(leaf) for leaf in tree.leaves(program(input))]
    expected = [np.asarray(leaf) for leaf in tree.leaves(net.forward(copy.deepcopy(input)))]
    near = 1e-12 if entry["dtype"] == "double" and expected[0].dtype == np.float64 else 1e-5
    for one, other in zip(expected, found, strict=True):
        scale = float(np.abs(one[np.isfinite(one)]).max(initial=1e-30)) if one.dtype.kind == "f" else 0.0
        if (one.shape or (1,)) != (other.shape or (1,)) or not np.allclose(
            one.reshape(other.shape), other, near, near * scale, equal_nan=True
        ):
            return f"expected {one}, got {other}"
    return wrong(program, [input, reversed_rows(input)], folder)


@pytest.mark.parametrize("family", FAMILIES)
def test_family(family: str, tmp_path: Path) -> None:
    entries = [entry for entry in ENTRIES if entry["family"] == family]
    found = {entry["file"]: what for entry in entries if (what := outcome(entry, tmp_path))}
    assert not found, "\n".join(f"{file}: {what}" for file, what in found.items())


def test_few_are_refused() -> None:
    refused = sum(1 for entry in ENTRIES if reason(entry)) + len(NO_ARRAYS)
    assert refused <= 0.03 * (len(ENTRIES) + len(NO_ARRAYS))
