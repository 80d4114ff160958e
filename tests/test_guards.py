"""What a person who adds a layer is told: by the guards of one layer, and by the calls that are made from the header."""

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
    found = {path.relative_to(ROOT).as_posix() for path in guards.files("Normalize")}
    assert found == {
        "THNN/normalization/Normalize.c",
        "THCUNN/normalization/Normalize.cu",
        "pytorch_legacy/nn/normalization/Normalize.py",
        "tests/cases/Normalize.py",
    }


def test_form_is_asked_of_the_tools_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool: tool if tool == "clang-format" else None)
    ((tool, *options),) = guards.styles(["Normalize", "Identity"])
    assert tool == "clang-format"
    assert [Path(path).name for path in options if not path.startswith("-")] == ["Normalize.cu", "Normalize.c"]


def test_the_page_names_the_commands() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert set(re.findall(r"python -m tests\.guards (\w+)", page)) == {"SpatialMaxPooling", "SpatialFooPooling"}
    assert "tests/cuda/run.sh layer SpatialFooPooling" in page
