"""The site: `python -m docs` builds it without a warning, and all its links lead somewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

for needed in ("sphinx", "myst_parser", "numpydoc", "furo", "latex2mathml"):
    pytest.importorskip(needed, reason=f'the site needs {needed}: pip install ".[docs]"')

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def site() -> Iterator[Path]:
    """The whole site, built as users build it."""
    with TemporaryDirectory() as folder:
        run = subprocess.run([sys.executable, "-m", "docs", folder], cwd=ROOT, capture_output=True, text=True, timeout=600,
                             env=os.environ | {"PYTHONPATH": str(ROOT)})  # fmt: skip
        assert run.returncode == 0, run.stderr
        yield Path(folder)


def test_each_page_of_docs_is_on_the_site(site: Path) -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} | {"readme", "contributing", "changelog"}
    assert not [page for page in pages if not (site / f"{page}.html").exists()]


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
