"""The tables, the Python and the pictures of docs/pooling.md are those of the code."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from itertools import product
from math import gcd
from pathlib import Path

import numpy as np
import pytest

from pytorch_legacy import explain
from pytorch_legacy.cli import main
from pytorch_legacy.explain.gallery import LISTED

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = (ROOT / "docs" / "pooling.md").read_text(encoding="utf-8")
TABLES = re.findall(r"^```\n\$ pytorch-legacy (explain .*)\n((?:.*\n)*?)```", CHAPTER, re.MULTILINE)


def block(language: str) -> str:
    found = re.search(rf"^ *```{language}\n(.*?)^ *```", CHAPTER, re.DOTALL | re.MULTILINE)
    assert found
    return found.group(1)


@pytest.mark.parametrize(("command", "shown"), TABLES)
def test_tables(capsys, command: str, shown: str) -> None:
    assert main(command.split()) == 0
    assert capsys.readouterr().out == shown


def test_a_layer_of_your_own() -> None:
    done = subprocess.run([sys.executable, "-c", block("python")], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["[2 3]", "True"], done.stderr


def test_declaration_is_the_one_of_the_header() -> None:
    header = (ROOT / "THNN" / "THNN.h").read_text(encoding="utf-8")
    assert " ".join(block("c").split()) in " ".join(header.split())


def test_every_listed_layer_of_the_gallery_has_its_paragraph() -> None:
    headings = ", ".join(re.findall(r"^### (.*)$", CHAPTER, re.MULTILINE)).split(", ")
    assert sorted(headings) == sorted(exhibit.name for exhibit in LISTED)


def test_facts_about_adaptive_windows() -> None:
    for cells in range(1, 25):
        for outputs in range(1, 25):
            feeds = explain.windows("adaptive", cells, outputs).axes[0].feeds
            lengths, times = feeds.sum(1), feeds.sum(0)
            assert lengths.min() == -(-cells // outputs) and lengths.max() <= -(-cells // outputs) + 1
            assert lengths.sum() == cells + outputs - gcd(cells, outputs)
            assert outputs > cells or (times.max() <= 2 and (feeds[1:] & feeds[:-1]).sum(1).max(initial=0) <= 1)
            assert cells % outputs or times.max() == 1


def bounds_in_single_precision(cells: int, outputs: int, multipliesFirst: bool) -> list[tuple[int, int]]:
    """The windows of Torch7's two adaptive layers: the average layer multiplied first, the max layer divided first."""
    o, i, n = np.arange(outputs + 1), np.float32(cells), np.float32(outputs)
    bounds = (o * cells).astype(np.float32) / n if multipliesFirst else o.astype(np.float32) / n * i
    return list(zip(np.floor(bounds[:-1]).tolist(), np.ceil(bounds[1:]).tolist(), strict=True))


def test_what_the_page_says_about_bounds_in_single_precision() -> None:
    def exact(cells: int, outputs: int) -> list[tuple[int, int]]:
        return [(o * cells // outputs, -(-(o + 1) * cells // outputs)) for o in range(outputs)]

    for sizes in product(range(1, 41), repeat=2):
        assert bounds_in_single_precision(*sizes, True) == exact(*sizes)
    for sizes in ((4095, 4094), (4094, 4095), (4095, 4095), (2**23, 1), (4095, 1)):
        assert sizes[0] * sizes[1] < 2**24 and bounds_in_single_precision(*sizes, True) == exact(*sizes)
    assert bounds_in_single_precision(4281, 3919, True) != exact(4281, 3919) and 4281 * 3919 >= 2**24
    for sizes in ((21, 7), (13, 13)):
        assert bounds_in_single_precision(*sizes, False) != exact(*sizes)


def test_pictures_are_there_small_and_drawn_by_the_script(tmp_path) -> None:
    pages = [CHAPTER, (ROOT / "docs" / "nngraph.md").read_text(encoding="utf-8")]
    names = [name for page in pages for name in re.findall(r"\]\(images/(\w+)\.png\)", page)]
    folder = ROOT / "docs" / "images"
    assert sorted(f"{name}.png" for name in names) == sorted(path.name for path in folder.iterdir())
    assert all((folder / f"{name}.png").stat().st_size < 150_000 for name in names)
    pytest.importorskip("matplotlib")
    pytest.importorskip("PIL")
    script = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    assert sorted(script["PICTURES"]) == sorted(names)
    for name in ("rounded", "directions"):
        script["PICTURES"][name]().savefig(tmp_path / f"{name}.png")


def test_links() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", CHAPTER):
        assert (ROOT / "docs" / target).exists(), target
    anchors = {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
               for heading in re.findall(r"^#+ (.*)$", CHAPTER, re.MULTILINE)}  # fmt: skip
    assert set(re.findall(r"\]\(#([^)]+)\)", CHAPTER)) <= anchors
