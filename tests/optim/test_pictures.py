"""Pictures of a training in a notebook: a confusion matrix and a log's curves."""

from __future__ import annotations

import base64
import re
import sys

import numpy as np
import pytest

from pytorch_legacy import optim


@pytest.fixture
def confusion() -> optim.ConfusionMatrix:
    confusion = optim.ConfusionMatrix(["a cat", "$5 & <b>"])
    confusion.batchAdd([0, 1, 1, 1], [0, 0, 1, 1])
    return confusion


@pytest.fixture
def log(tmp_path):
    log = optim.Logger(tmp_path / "a.log").setNames(["training", "_test $x", "phase"])
    for step in range(1, 6):
        log.add([1 / step, 2 / step if step > 1 else float("nan"), "first"])
    yield log
    log.file.close()


def picture_of(page: str) -> tuple[str, bytes]:
    found = re.fullmatch(r'<img alt="([^"]*)" src="data:image/png;base64,([\w+/=]+)">', page)
    assert found, page[:200]
    return found[1], base64.b64decode(found[2])


def test_confusion(confusion) -> None:
    pytest.importorskip("matplotlib")
    (axes,) = confusion.picture().axes
    assert axes.get_title() == "75.00% of 4 samples correct"
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a cat", r"\$5 & <b>"]
    assert {text.get_position(): text.get_text() for text in axes.texts} == {(0, 0): "1", (1, 0): "1", (1, 1): "2"}
    np.testing.assert_array_equal(axes.images[0].get_array(), [[0.5, 0.5], [0, 1]])
    words, png = picture_of(confusion._repr_html_())
    assert "global correct: 75%" in words and "&lt;b&gt;" in words and png.startswith(b"\x89PNG")
    for classes in (1, 200):
        empty = optim.ConfusionMatrix(classes)
        assert empty.picture().axes[0].get_title() == "no samples"
        picture_of(empty._repr_html_())


def test_curves(log) -> None:
    pytest.importorskip("matplotlib")
    (axes,) = log.picture().axes
    assert [list(line.get_ydata())[1:] for line in axes.lines] == [[1 / k for k in range(2, 6)], [2 / k for k in range(2, 6)]]
    assert len(axes.get_legend().texts) == 2
    log.setlogscale(True)
    (axes,) = log.picture("training").axes
    assert len(axes.lines) == 1 and axes.get_yscale() == "log"
    words, png = picture_of(log._repr_html_())
    assert words.endswith("a.log: training: 2.0000e-01, _test $x: 4.0000e-01, phase: first") and png.startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="picture: expected 'loss' among the columns"):
        log.picture("loss")


def test_without_rows(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    log = optim.Logger(tmp_path / "b.log")
    assert picture_of(log._repr_html_())[0].endswith("b.log: no rows")
    log.file.close()


def test_without_matplotlib(confusion, log, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert confusion._repr_html_().startswith("<pre>ConfusionMatrix:\n") and "&lt;b&gt;" in confusion._repr_html_()
    assert log._repr_html_().startswith("<pre>") and "training: 2.0000e-01" in log._repr_html_()
    with pytest.raises(NotImplementedError, match="drawing needs matplotlib"):
        confusion.picture()
