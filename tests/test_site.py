"""The site: `python -m docs` builds it without a warning, and all its links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from pytorch_legacy.backend import header

for needed in ("sphinx", "myst_parser", "numpydoc", "furo", "latex2mathml"):
    pytest.importorskip(needed, reason=f'the site needs {needed}: pip install ".[docs]"')

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def site() -> Iterator[Path]:
    """The whole site, built as users build it: the one that has just been, or a new one."""
    if ready := os.environ.get("PYTORCH_LEGACY_SITE"):
        yield ROOT / ready
        return
    with TemporaryDirectory() as folder:
        run = subprocess.run([sys.executable, "-m", "docs", folder], cwd=ROOT, capture_output=True, text=True, timeout=600,
                             env=os.environ | {"PYTHONPATH": str(ROOT)})  # fmt: skip
        assert run.returncode == 0, run.stderr
        yield Path(folder)


def test_each_page_of_docs_is_on_the_site(site: Path) -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} | {"readme", "contributing", "changelog", "security"}
    assert not [page for page in pages if not (site / f"{page}.html").exists()]


def test_each_class_has_a_picture(site: Path) -> None:
    from docs.site.catalog import entries

    assert not [entry.place for entry in entries() if 'id="what-it-does"' not in (site / f"{entry.place}.html").read_text()]


@pytest.mark.parametrize(
    ("package", "name", "picture"),
    [
        ("nn", "StochasticGradient", r"loss of passes 1 to 100: from \S+ to \S*e-"),
        ("nn", "Unknown", r"nn\.MyLayer"),
        ("nn", "Module", r"forward.*backward"),
        ("nngraph.graph", "Graph", r"b leads to c; a leads to b"),
        ("dpnn", "VRClassReward", r"loss"),
        ("optim", "ConfusionMatrix", r"confusion\.mat.* 3 x 3"),
    ],
)
def test_pictures_of_classes_that_do_not_run_alone(package: str, name: str, picture: str) -> None:
    from docs.site.catalog import entries
    from docs.site.page import page

    (entry,) = [one for one in entries() if (one.package, one.name) == (package, name)]
    assert re.search(picture, page(entry).pieces["picture"], re.DOTALL)


def test_pages_read_nothing_from_the_network(site: Path) -> None:
    from docs.site.check import Page

    for path in site.rglob("*.html"):
        page = Page(path.read_text(encoding="utf-8"))
        assert not [link for link in page.loaded if link.startswith(("http", "//"))], path.name


def test_what_leads_nowhere_is_found(tmp_path: Path) -> None:
    from docs.site import check

    (tmp_path / "a.html").write_text('<p id="x"><a href="b.html#y"></a><a href="#z"></a><a href="https://x.org/">')
    (tmp_path / "b.html").write_text('<p id="y"><i id="y"></i><a href="c.html"></a><a href="a.html#x"></a><img src="d.png">')
    assert check.broken(tmp_path) == [
        "a.html:1: #z: there is no such anchor",
        "b.html: the anchor 'y' is there twice",
        "b.html:1: c.html: there is no such page",
        "b.html:1: d.png: there is no such page",
    ]


@pytest.mark.parametrize("text, isRight", [("# A page\n", True), ("# A page\n\n[a link](nowhere.md)\n", False)])
def test_a_warning_is_an_error(text: str, isRight: bool, tmp_path: Path) -> None:
    from docs.__main__ import run

    pages = tmp_path / ".work" / "pages"
    pages.mkdir(parents=True)
    (pages / "index.md").write_text(text)
    assert (run("html", tmp_path, tmp_path, 1, {}) == []) is isRight


def test_links_to_code_become_links_to_pages(tmp_path: Path) -> None:
    from docs.site.folder import Folder
    from docs.site.gather import Gathering

    gathering = Gathering(Folder(tmp_path), {"THNN/THNN.h": "layers/header.rst"})
    same = "`[b](c.md)` [d](t7.md#run) [e](#f)\n```\n[g](h)\n```\n[i](https://x.org)"
    text, expected = f"[a](../THNN/THNN.h#x) {same} [j](../setup.py)", f"[a](layers/header.rst#x) {same} [j](source/setup.py.rst)"
    assert gathering.turned(text, "docs/abi.md", "abi.md") == expected
    assert (tmp_path / "source/setup.py.rst").exists()
    with pytest.raises(FileNotFoundError, match=r"docs/abi.md: a link to docs/lost.md"):
        gathering.turned("[k](lost.md)", "docs/abi.md", "abi.md")


def test_a_folder_keeps_what_is_the_same_and_nothing_old(tmp_path: Path) -> None:
    from docs.site.folder import Folder

    first = Folder(tmp_path)
    for place in ("a.md", "b/c.md"):
        first.write(place, place)
    os.utime(tmp_path / "a.md", (1, 1))
    second = Folder(tmp_path)
    second.write("a.md", "a.md")
    second.clean()
    assert (tmp_path / "a.md").stat().st_mtime == 1 and not (tmp_path / "b/c.md").exists()


def test_a_formula_is_mathml() -> None:
    from docs.site.mathml import formula

    written = formula(r"\frac{1}{n} \sum_i x_i", "block", None)
    assert written.startswith("<math") and "<mfrac>" in written and "<munder>" in written
    assert formula(r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "block", None).count("<mtr>") == 2


@pytest.mark.parametrize("latex", [r"\nosuchcommand x", r"\left( x", r"a &= b", r"\begin{gathered} a \\ b \end{gathered}"])
def test_a_formula_that_cannot_be_read_is_a_warning(latex: str, caplog: pytest.LogCaptureFixture) -> None:
    from docs.site import mathml

    mathml.logger.logger.propagate = True
    shown = mathml.formula(latex, "block", None)
    assert shown.startswith("<code>") and "cannot be read" in caplog.text


# ---------------------------------------------------------------------------------------------- the pages of classes

# They have no pass of their own, or nothing that fits a picture.
WITHOUT_PICTURE = {"Container", "Criterion", "Module", "Unknown", "StochasticGradient"}


def test_every_class_has_a_page_with_its_picture_and_its_sources(site: Path) -> None:
    from docs.site import catalog

    for entry in catalog.entries():
        text = (site / f"{entry.place}.html").read_text(encoding="utf-8")
        assert f"<code>{entry.file}</code>" in text and 'class="highlight"' in text, entry.name
        if entry.isNn and entry.name not in WITHOUT_PICTURE:
            assert '<div class="picture">' in text and "<svg" in text, entry.name


def test_a_page_shows_c_and_cuda_with_their_parts(site: Path) -> None:
    text = (site / "layers/Linear.html").read_text(encoding="utf-8")
    for path in ("THNN/linear/Linear.c", "THCUNN/linear/Linear.cu"):
        assert f"<code>{path}</code>" in text
    for part in ("story", "check", "definition", "functions"):
        assert f'href="#THNN-linear-Linear-c-{part}"' in text
        assert f'id="THNN-linear-Linear-c-{part}"' in text


def test_the_parts_of_a_c_file() -> None:
    from docs.site.parts import parts

    place, *_ = header.where("SpatialAveragePooling", ROOT)
    text = place.path.read_text(encoding="utf-8")
    found = parts(text, place.first)
    assert list(found) == ["story", "definition", "check", "functions"]
    lines = [text.splitlines()[line - 1] for line in found.values()]
    assert [line.partition("(")[0].partition(":")[0].partition(",")[0] for line in lines] == [
        "/* Average pooling",
        "/* ---- The definition",
        "/* ---- The layers",
        "int32_t THNN_",
    ]
    for layer in header.definitions(ROOT):
        place, *_ = header.where(layer, ROOT)
        assert layer == "fill" or {"story", "functions"} <= set(parts(place.path.read_text(encoding="utf-8"), place.first)), layer


def entry_of(name: str) -> Any:
    from docs.site import catalog

    return next(entry for entry in catalog.entries() if entry.isNn and entry.name == name)


def test_a_picture_shows_what_the_layer_computed() -> None:
    from docs.site import picture
    from docs.site.example import example

    one = example(entry_of("SpatialMaxPooling"))
    assert one and one.call == "nn.SpatialMaxPooling(2, 2)"
    windows = one.input[0].reshape(2, 2, 3, 2).swapaxes(1, 2).reshape(2, 3, 4)
    np.testing.assert_array_equal(one.output[0], windows.max(-1))
    assert one.gradInput.sum() == 1 + 2 + 3 + 4 + 5 + 6
    text = picture.html(entry_of("SpatialMaxPooling"), one)
    numbers = re.findall(r"<text[^>]*>([^<]+)</text>", text)
    assert numbers == [f"{n:g}" for array in (one.input, one.output, one.gradInput, one.gradOutput) for n in array.ravel()]


CURVES = {
    "ReLU": True,
    "Log": True,
    "MSECriterion": True,
    "SoftMax": False,
    "Dropout": False,
    "Linear": False,
    "Sequential": False,
}


@pytest.mark.parametrize("name, isCurve", CURVES.items())
def test_what_goes_element_by_element_is_a_curve(name: str, isCurve: bool) -> None:
    from docs.site import picture
    from docs.site.example import example

    one = example(entry_of(name))
    assert one and ("curve-of" in picture.html(entry_of(name), one)) is isCurve


@pytest.mark.parametrize(
    "name", ["Dropout", "SpatialConvolution", "SpatialStochasticPooling", "ClassNLLCriterion", "ParallelTable"]
)
def test_a_page_is_the_same_each_time(name: str) -> None:
    from docs.site.page import page

    first, second = page(entry_of(name)), page(entry_of(name))
    assert (first.text, first.pieces) == (second.text, second.pieces)


def test_numbers_are_short() -> None:
    from docs.site.cells import short

    values = (0.0, -0.0, 2.0, 0.5, -1.25, 12.3456, 345.6, 1e-7, -0.004, 123456.0, np.nan, -np.inf, True, 7)
    assert [short(value) for value in values] == \
        ["0", "0", "2", "0.5", "-1.25", "12.35", "346", "1e-7", "-4e-3", "1e5", "NaN", "-∞", "1", "7"]  # fmt: skip


def test_what_rounding_left_of_zero_is_shown_as_zero() -> None:
    from docs.site.cells import figure

    assert [*re.findall(">([^<>]+)</text>", figure(np.array([1, 4e-17, -1e-3]), "x"))] == ["1", "0", "-1e-3"]
    assert [*re.findall(">([^<>]+)</text>", figure(np.array([4e-17, np.nan]), "x"))] == ["4e-17", "NaN"]


def test_every_class_of_torch7_is_among_the_lua_names() -> None:
    from docs.site import lua

    assert not lua.missing()


def test_what_is_chosen_to_show_a_class_belongs_to_one() -> None:
    from docs.site import catalog
    from docs.site.chosen import CHOSEN

    assert set(CHOSEN) <= {entry.name for entry in catalog.entries() if entry.isNn}


def test_a_class_without_cases_is_shown_as_in_its_docstring() -> None:
    from docs.site import catalog
    from docs.site.example import example

    before = os.getcwd()
    entry = next(entry for entry in catalog.entries() if (entry.package, entry.name) == ("cudnn", "LSTM"))
    one = example(entry)
    assert one and type(one.module) is entry.cls and one.output.size and one.gradInput.shape == one.input.shape
    assert any(name.startswith("LSTMSequence") for name in one.functions)
    assert "forward" not in vars(entry.cls) and os.getcwd() == before


def test_a_page_has_the_fields_of_files(site: Path) -> None:
    text = (site / "layers/Select.html").read_text(encoding="utf-8")
    section = text[text.index("In .t7 files") :]
    assert "dimension" in section and "from one" in section
