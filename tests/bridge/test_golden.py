"""Each rule on the golden files of its classes: what is written gives the numbers of our layers, which give Torch7's."""

from __future__ import annotations

from typing import Any

import pytest

from pytorch_legacy.bridge import NoRule
from tests.bridge.trial import converted, refused, two
from tests.test_golden import MANIFEST, STRETCHED, labels, load, stored

# Torch7's activations make numbers of NaN, PyTorch's pass it on.
NAN = ("CMaxTable", "CMinTable", "Clamp", "HardShrink", "HardTanh", "LogSigmoid", "ReLU", "SoftShrink", "SoftSign", "Threshold")
FAMILIES = sorted({entry["family"] for entry in MANIFEST if entry["kind"] in ("module", "graph")})


def outcome(entry: dict[str, Any]) -> str:
    """Returns the error of a file, or nothing."""
    case = load(entry)
    net = case["module"]
    tolerance = 1e-5 if entry["dtype"] != "double" or entry["name"].startswith(STRETCHED) else 1e-9
    try:
        return converted(net, two(net, case["input"]), tolerance)
    except NoRule as error:
        return refused(error)
    except Exception as error:
        if "special" in entry["name"] and entry["name"].startswith(NAN):
            return ""
        return f"{type(error).__name__}: {error}"


# Entries that cannot be part of an example: numbers in Lua's sense, keys of tables.
NO_ARRAYS = ("OneHot_number_scalar", "SelectTable_key_t3")
# Draws samples in evaluation, too.
RANDOM = ("NCEModule_t2x3",)


@pytest.mark.parametrize("family", FAMILIES)
def test_family(family: str) -> None:
    wrong = {}
    for entry in MANIFEST:
        isOne = entry["family"] == family and entry["kind"] in ("module", "graph") and entry["name"] not in (*NO_ARRAYS, *RANDOM)
        if isOne and stored(entry, "evaluate", "output") is not None and (what := outcome(entry)):
            wrong[entry["file"]] = what
    assert not wrong, "\n".join(f"{file}: {what}" for file, what in wrong.items())


def criterion_outcome(entry: dict[str, Any]) -> str:
    """Returns the error of a file with a criterion, or nothing."""
    case = load(entry)
    target = labels(case)
    pair = [case["input"], 0.0 if target is None else target]
    try:
        return converted(case["module"], [pair, pair], 1e-5 if entry["dtype"] != "double" else 1e-9)
    except NoRule as error:
        return refused(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def test_criterions() -> None:
    entries = [entry for entry in MANIFEST if entry["kind"] == "criterion"]
    wrong = {entry["file"]: what for entry in entries if (what := criterion_outcome(entry))}
    assert not wrong, "\n".join(f"{file}: {what}" for file, what in wrong.items())
