"""Aids for a person who adds a layer: the guards of one layer, and the calls that are made from the header."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from pytorch_legacy.backend import header
from tests import capi, guards

ROOT = Path(__file__).resolve().parent.parent


def parsed(arguments: str) -> header.Function:
    (function,) = header.parse(f"THNN_API int32_t THNN_(SpatialFooPooling_updateOutput)(THNNState *state, {arguments});")
    return function


def test_a_number_that_no_layer_has_yet_wants_a_value() -> None:
    match = r'SpatialFooPooling_updateOutput: quantile: .* tests/cases/SpatialFooPooling\.py: ARGUMENTS = \{"quantile": \.\.\.\}'
    with pytest.raises(LookupError, match=match):
        capi.valid(parsed("double quantile"), "Float")


def test_so_does_a_size() -> None:
    with pytest.raises(LookupError, match=r'bins: .* ARGUMENTS = \{"bins": \.\.\.\}'):
        capi.valid(parsed("const THTensor *input, /* [IN] N x bins */ double p"), "Float")


def test_cases_give_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capi, "of_cases", lambda layer: {"quantile": 0.5, "bins": 4} if layer == "SpatialFooPooling" else {})
    call = capi.valid(parsed("const THTensor *input, /* [IN] N x (2 * bins) */ double quantile"), "Float")
    assert call.arrays["input"].shape == (2, 8)
    assert call.values["quantile"] == 0.5


def test_a_class_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert guards.main(["SpatialFooPooling"]) == 1
    said = capsys.readouterr().err
    assert "has a SpatialFooPooling.py with that class" in said
    assert "tests/cases/SpatialFooPooling.py" in said


def test_files_of_a_layer() -> None:
    found = {place.path.relative_to(ROOT).as_posix() for place in guards.where("Normalize")}
    assert found == {
        "THNN/normalization/Normalize.c",
        "THCUNN/normalization/Normalize.cu",
        "pytorch_legacy/nn/normalization/Normalize.py",
        "tests/cases/Normalize.py",
    }


def test_every_layer_stands_in_one_c_file_which_names_it() -> None:
    generic = [function for function in header.read(ROOT / "THNN" / "THNN.h") if function.layer]
    defined = header.definitions(ROOT)
    assert {function.layer for function in generic} == {*defined} - {"fill"}
    named = re.compile(r'^#include "declared/(\w+)\.h"', re.MULTILINE)
    for path in {*defined.values()}:
        for layer in named.findall(path.read_text(encoding="utf-8")):
            assert defined[layer] == path, layer
    for function in generic:
        place, *_ = header.where(function.layer, ROOT)
        lines = place.path.read_text(encoding="utf-8").splitlines()[place.first - 1 : place.last]
        assert sum(line.startswith(f"int32_t THNN_({function.name})(") for line in lines) == 1, function.name


def test_where_a_layer_stands(capsys: pytest.CaptureFixture[str]) -> None:
    assert guards.main(["--where", "Normalize"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.rpartition(":")[0] for line in said] == [
        "THNN/normalization/Normalize.c",
        "THCUNN/normalization/Normalize.cu",
        "pytorch_legacy/nn/normalization/Normalize.py",
        "tests/cases/Normalize.py",
    ]
    assert said[-1].endswith(f":1-{len((ROOT / 'tests/cases/Normalize.py').read_text().splitlines())}")


def test_form_is_asked_of_the_tools_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool: tool if tool == "clang-format" else None)
    ((tool, *options),) = guards.styles(["Normalize", "Identity"])
    assert tool == "clang-format"
    assert [Path(path).name for path in options if not path.startswith("-")] == ["Normalize.c", "Normalize.cu"]


def test_the_page_names_the_commands() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert set(re.findall(r"python -m tests\.guards (\w+)", page)) == {"SpatialMaxPooling", "SpatialFooPooling"}
    assert "tests/cuda/run.sh layer SpatialFooPooling" in page


def test_a_pooling_layer_has_at_most_15_concepts() -> None:
    """The page lists them, and each name is one of the headers that a pooling layer includes."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^ *\| (.+?) \| .+ \|$", page.split("| concept | meaning |")[1].split("\n\n")[0], re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`(\w+)", row)]
    headers = "".join(
        (ROOT / "THNN" / "core" / f"{name}.h").read_text(encoding="utf-8") for name in ("core", "real", "space", "planes")
    )
    assert 0 < len(rows) <= 15
    assert [name for name in names if not re.search(rf"\b{name}\b", headers)] == []
