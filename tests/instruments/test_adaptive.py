"""Adaptive windows in the page: its numbers and windows are those of the library on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn


def windows(kind: str, cells: int, outputs: int) -> Any:
    return pl.explain.windows(kind, cells, outputs).axes[0].feeds


@pytest.mark.parametrize("kind", ["mean", "maximum"])
def test_numbers_and_windows(page: Callable[[str], Any], kind: str) -> None:
    opened = page("adaptive")
    for label, value in {"One number of a window": kind, "Input rows": 7, "Input columns": 9,
                         "Output rows": 4, "Output columns": 5}.items():  # fmt: skip
        opened.set(label, value)
    found = opened.numbers()
    x = found["input"].astype(np.float32)
    assert x.shape == (1, 7, 9) and len(np.unique(x)) > 5
    adaptive, fixed = (
        (nn.SpatialAdaptiveAveragePooling, nn.SpatialAveragePooling)
        if kind == "mean"
        else (nn.SpatialAdaptiveMaxPooling, nn.SpatialMaxPooling)
    )
    np.testing.assert_allclose(found["adaptive"], adaptive(5, 4).forward(x), rtol=1e-6)
    np.testing.assert_allclose(found["fixed"], fixed(5, 4, 1, 1).forward(x), rtol=1e-6)
    np.testing.assert_array_equal(found["rows"], windows("adaptive", 7, 4))
    np.testing.assert_array_equal(found["columns"], windows("adaptive", 9, 5))
    np.testing.assert_array_equal(np.array(found["fixedColumns"]).sum(1), [5] * 5)


def test_arrow_keys_move_the_window_and_numbers_are_said(page: Callable[[str], Any]) -> None:
    from selenium.webdriver.common.keys import Keys

    opened = page("adaptive")
    opened.tab_to("Adaptive output")
    opened.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    rows, columns = windows("adaptive", 5, 3)[1], windows("adaptive", 8, 5)[2]
    marked = [[("adaptive" in cell.get_attribute("class").split()) for cell in row.find_elements("css selector", "td")]
              for row in opened.all("[aria-label=Input] tr")]  # fmt: skip
    np.testing.assert_array_equal(marked, np.outer(rows, columns))
    x = opened.numbers()["input"][0]
    mean = x[np.ix_(rows, columns)].mean()
    assert opened.said().startswith("Output row 1, column 2: the adaptive window has rows 1 to 3, columns 3 to 4; its mean is ")
    assert float(opened.said().split("its mean is ")[1].split(". The")[0]) == pytest.approx(mean, abs=1e-2)
    assert opened.driver.switch_to.active_element.get_attribute("aria-selected") == "true"


def test_more_outputs_than_cells_have_no_fixed_windows(page: Callable[[str], Any]) -> None:
    opened = page("adaptive")
    opened.set("Output columns", 11)
    found = opened.numbers()
    assert found["fixed"] is None and found["adaptive"].shape == (1, 3, 11)
    assert "fixed windows cannot" in opened.find(".about").text
