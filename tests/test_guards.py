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
        "THNN/THNN.h",
        "THNN/normalization/Normalize.c",
        "THNN/normalization/Normalize.h",
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


@pytest.mark.parametrize(
    "name, files",
    [
        (
            "Normalize",
            [
                "THNN/THNN.h",
                "THNN/normalization/Normalize.c",
                "THCUNN/normalization/Normalize.cu",
                "THNN/normalization/Normalize.h",
                "pytorch_legacy/nn/normalization/Normalize.py",
                "tests/cases/Normalize.py",
            ],
        ),
        (
            "SpatialMaxPooling",
            [
                "THNN/THNN.h",
                "THNN/pooling/MaxPooling.c",
                "THCUNN/pooling/MaxPooling.cu",
                "THNN/pooling/MaxPooling.h",
                "THNN/pooling/MaxPooling_avx512.c",
                "THNN/pooling/MaxPooling_fast.c",
                "THCUNN/pooling/MaxPooling.cuh",
                "pytorch_legacy/nn/pooling/SpatialMaxPooling.py",
                "tests/cases/SpatialMaxPooling.py",
            ],
        ),
        ("Identity", ["pytorch_legacy/nn/shape/Identity.py", "tests/cases/Identity.py"]),
    ],
)
def test_where_a_layer_stands(name: str, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert guards.main(["--where", name]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.rpartition(":")[0] for line in said] == files
    assert said[-1].endswith(f":1-{len((ROOT / files[-1]).read_text().splitlines())}")


def test_declarations_of_a_layer() -> None:
    lines = (ROOT / "THNN" / "THNN.h").read_text(encoding="utf-8").splitlines()
    for name in ("Normalize", "SpatialMaxPooling", "LookupTable", "BatchNormalization"):
        functions = [function.name for function in header.read(ROOT / "THNN" / "THNN.h") if function.layer == name]
        text = "\n".join(line for place in guards.declared(name) for line in lines[place.first - 1 : place.last])
        assert text.startswith("THNN_API int32_t THNN_(") and text.endswith(");"), text
        assert re.findall(r"THNN_\((\w+)\)", text) == functions


def test_form_is_asked_of_the_tools_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool: tool if tool == "clang-format" else None)
    ((tool, *options),) = guards.styles(["Normalize", "Identity"])
    assert tool == "clang-format"
    assert [Path(path).name for path in options if not path.startswith("-")] == [
        "THNN.h",
        "Normalize.c",
        "Normalize.cu",
        "Normalize.h",
    ]


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
