"""ConfusionMatrix and Logger: what is counted, printed and plotted."""

from __future__ import annotations

import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import errors, optim
from tests.trees import assert_close, assert_same


@pytest.fixture
def confusion() -> optim.ConfusionMatrix:
    """Three classes of four, the last one without samples."""
    matrix = optim.ConfusionMatrix(4)
    matrix.batchAdd([0, 0, 1, 1, 2, 2, 2, 2], [0, 0, 0, 1, 1, 2, 2, 2])
    return matrix


def test_counts(confusion: optim.ConfusionMatrix) -> None:
    expected = np.zeros((4, 4), np.int64)
    expected[0, :2] = 2, 1
    expected[1, 1:3] = 1, 1
    expected[2, 2] = 3
    assert_same(confusion.mat, expected)
    again = optim.ConfusionMatrix(4)
    for target, row in enumerate(expected):
        for prediction, count in enumerate(row):
            for _ in range(count):
                again.add(prediction, target)
    assert_same(again.mat, expected)
    again.zero()
    assert not again.mat.any()


def test_scores_and_rows_of_one() -> None:
    matrix = optim.ConfusionMatrix(3)
    matrix.add(np.array([0.1, 0.7, 0.2]), 2)
    matrix.add(np.array([0.1, 0.7, 0.2]), np.array([1, 0, 0]))
    matrix.batchAdd(np.array([[2], [0]]), np.array([[0], [0]]))
    matrix.batchAdd(np.eye(3), np.eye(3)[::-1])
    assert matrix.mat.tolist() == [[1, 1, 2], [0, 1, 0], [1, 1, 0]]


def test_missing_targets_do_not_count(confusion: optim.ConfusionMatrix) -> None:
    before = confusion.mat.copy()
    confusion.add(1, -1)
    confusion.batchAdd([0, 9], [-1, -5])
    assert_same(confusion.mat, before)


def test_shares(confusion: optim.ConfusionMatrix) -> None:
    """A class without samples is left out of the means."""
    confusion.updateValids()
    assert_close(confusion.valids, np.array([2 / 3, 1 / 2, 1, np.nan], np.float32), 1e-7)
    assert_close(confusion.unionvalids, np.array([2 / 3, 1 / 3, 3 / 4, np.nan], np.float32), 1e-7)
    assert confusion.averageValid == pytest.approx((2 / 3 + 1 / 2 + 1) / 3)
    assert confusion.averageUnionValid == pytest.approx((2 / 3 + 1 / 3 + 3 / 4) / 3)
    assert confusion.totalValid == pytest.approx(6 / 8)


def test_farFrr(confusion: optim.ConfusionMatrix) -> None:
    classFrrs, classFars, frrs, fars = confusion.farFrr()
    assert_close(classFrrs, np.array([1 / 3, 1 / 2, 0, -1]), 1e-12)
    assert_close(classFars, np.array([0, (1 / 3 + 0) / 2, (0 + 1 / 2) / 2, -1]), 1e-12)
    assert_same(frrs, classFrrs[:3])
    assert_same(fars, classFars[:3])


def test_printed_without_names(confusion: optim.ConfusionMatrix) -> None:
    assert str(confusion).splitlines()[1:3] == [
        "[[       2       1       0       0]   66.667% ",
        " [       0       1       1       0]   50.000% ",
    ]
    confusion.mat[0, 0] = 10**8 + 1
    assert str(confusion).splitlines()[2].startswith(" [         0         1         1")
    assert str(optim.ConfusionMatrix(["a", "b"])).splitlines()[1] == "[[       0       0]   nan% \t[class: a]"


def test_copies(confusion: optim.ConfusionMatrix) -> None:
    for copied in (confusion.clone(), pickle.loads(pickle.dumps(confusion))):
        assert str(copied) == str(confusion)
        copied.add(0, 0)
        assert copied.mat[0, 0] == confusion.mat[0, 0] + 1


@pytest.mark.parametrize(
    "predictions, targets, match",
    [
        ([3], [0], "predictions: expected classes from 0 to 2, got 3"),
        ([-1], [0], "predictions: expected classes from 0 to 2, got -1"),
        ([0], [3], "targets: expected classes from 0 to 2, got 3"),
        ([0, 1], [0], "targets: expected 2 of them, got 1"),
        (np.zeros((1, 2, 3)), [0], "predictions: expected a vector or a matrix"),
        ([1.5], [0], "predictions: expected classes, got 1.5"),
        ([0], [np.nan], "targets: expected classes, got nan"),
        ([None], [0], "predictions: expected numbers, got array"),
        ([0], ["cat"], "targets: expected numbers, got array"),
    ],
)
def test_what_cannot_be_counted(predictions: Any, targets: Any, match: str) -> None:
    matrix = optim.ConfusionMatrix(3)
    with pytest.raises(errors.THNNError, match=match):
        matrix.batchAdd(predictions, targets)
    if len(predictions) == len(targets) == 1:
        with pytest.raises(errors.THNNError):
            matrix.add(predictions[0], targets[0])
    assert not matrix.mat.any()


def test_numbers_of_classes() -> None:
    assert optim.ConfusionMatrix(np.int64(3)).mat.shape == (3, 3)
    with pytest.raises(errors.ValueRangeError, match="nclasses: expected 1 or more, got 0"):
        optim.ConfusionMatrix(0)
    for wrong in (2.5, None):
        with pytest.raises(errors.ArgumentError, match=f"nclasses: expected .*, got {wrong}"):
            optim.ConfusionMatrix(wrong)  # type: ignore[arg-type]


def test_render(confusion: optim.ConfusionMatrix) -> None:
    pytest.importorskip("matplotlib").use("agg")
    picture = confusion.render(block=30, legendwidth=100)
    assert picture.shape == (120, 220, 3) and picture.dtype == np.uint8
    # The best class comes first, and its cell is white.
    assert picture[2, 2].tolist() == [255, 255, 255] and picture[2, 32].tolist() == [0, 0, 0]
    assert not np.array_equal(picture, confusion.render("occurrence", block=30, legendwidth=100))
    with pytest.raises(errors.ValueRangeError, match="sortmode"):
        confusion.render("name")


# ---------------------------------------------------------------------------------------------- Logger


def test_rows(tmp_path: Path) -> None:
    logger = optim.Logger(tmp_path / "new" / "log").setNames(["loss", "what"])
    logger.add([0.125, "first"])
    logger.add({"what": "second", "loss": -1234.5})
    assert (tmp_path / "new" / "log").read_text() == "loss\twhat\t\n 1.2500e-01\tfirst\t\n-1.2345e+03\tsecond\t\n"
    assert logger.symbols == {"loss": [0.125, -1234.5], "what": ["first", "second"]}


def test_names_from_the_first_row(tmp_path: Path) -> None:
    optim.Logger(tmp_path / "a").add({"x": 1, "y": np.float32(2)})
    assert (tmp_path / "a").read_text() == "x\ty\t\n 1.0000e+00\t 2.0000e+00\t\n"
    logger = optim.Logger(tmp_path / "numbers").setNames(["1", "2"])
    logger.add({2: "b", 1: "a"})
    assert logger.symbols == {"1": ["a"], "2": ["b"]}
    optim.Logger(tmp_path / "b").add([1, 2])
    assert (tmp_path / "b").read_text() == "1\t2\t\n 1.0000e+00\t 2.0000e+00\t\n"


def test_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    optim.Logger().add({"x": 1})
    assert capsys.readouterr().out.splitlines()[1:] == ["x\t", " 1.0000e+00\t"]


def test_timestamp(tmp_path: Path) -> None:
    optim.Logger(tmp_path / "log", timestamp=True)
    assert all(re.fullmatch(r"log-20\d\d(_\d\d){5}", path.name) for path in tmp_path.iterdir())
    assert len(list(tmp_path.iterdir())) == 1


def test_wrong_rows(tmp_path: Path) -> None:
    logger = optim.Logger(tmp_path / "log").setNames(["x", "y"])
    with pytest.raises(errors.ShapeError, match="expected 2 values, got 1"):
        logger.add([1])
    with pytest.raises(errors.ValueRangeError, match="add: expected 'y' among the columns, got x, z"):
        logger.add({"x": 1, "z": 2})
    with pytest.raises(errors.DtypeError, match="numbers and strings, got list"):
        logger.add([1, []])
    with pytest.raises(errors.ValueRangeError, match="style"):
        logger.style(["-", "wavy"])


def test_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib").use("agg")
    logger = optim.Logger(tmp_path / "log").setNames(["x", "y", "once"])
    logger.display(False)
    logger.setlogscale(True)
    logger.style(["-", ["+", "-"]])
    with pytest.raises(errors.ValueRangeError, match="plot: expected 'z' among the columns, got x, y, once"):
        logger.plot("x", "z")
    logger.plot()
    assert not (tmp_path / "log.eps").exists()  # nothing to see yet
    for i in (1, 2):
        logger.add([i, i * i, 0])
    logger.plot("x", "y")
    assert (tmp_path / "log.eps").read_text().startswith("%!PS")


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logging works; only plotting says what is missing."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    logger = optim.Logger(tmp_path / "log")
    logger.add([1])
    with pytest.raises(errors.UnsupportedError, match=r"optim\.Logger: plot: needs matplotlib: pip install matplotlib"):
        logger.plot()
    with pytest.raises(errors.UnsupportedError, match="pip install matplotlib"):
        optim.ConfusionMatrix(2).render()


def test_a_plot_needs_no_transparency(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Matplotlib warns of it for each EPS file."""
    pytest.importorskip("matplotlib")
    log = optim.Logger(tmp_path / "x.log")
    log.display(False)
    for loss in (2.0, 1.0):
        log.add({"loss": loss})
    log.plot()
    assert (tmp_path / "x.log.eps").exists() and not caplog.records
