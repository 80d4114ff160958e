"""Curves in the page: numbers are those of the library on this machine, and the picture shows them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn


def gaussian(mean: float, variance: float) -> Any:
    layer = nn.SpatialGaussianPooling(1, 9, 1)
    layer.mean[...], layer.precision[...] = [mean, 0], [1 / variance, 1]
    return layer


MADE: dict[str, Callable[..., Any]] = {
    "ReLU": nn.Threshold,
    "Tanh": nn.Tanh,
    "Sigmoid": nn.Sigmoid,
    "LogSigmoid": nn.LogSigmoid,
    "ELU": nn.ELU,
    "LeakyReLU": nn.LeakyReLU,
    "SoftPlus": nn.SoftPlus,
    "HardTanh": nn.HardTanh,
    "HardShrink": nn.HardShrink,
    "SoftShrink": nn.SoftShrink,
    "Abs": nn.Abs,
    "Square": nn.Square,
    "weights of SoftPool": lambda beta: nn.SpatialSoftPool(9, 1, beta=beta, gradient="published"),
    "gradient of SoftPool": lambda beta: nn.SpatialSoftPool(9, 1, beta=beta),
    "gradient of LP pooling": lambda p: nn.SpatialPowerAveragePooling(p, 9, 1),
    "weights of Gaussian pooling": gaussian,
}


@pytest.mark.parametrize("name", MADE)
def test_numbers(page: Callable[[str], Any], name: str) -> None:
    from selenium.webdriver.common.keys import Keys

    opened = page("curves")
    opened.set("Function", name)
    before = opened.numbers()
    for slider in opened.all("input[type=range]"):
        slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    found = opened.numbers()
    assert found["name"] == name and all(a != b for a, b in zip(found["parameters"], before["parameters"], strict=True))
    layer, x = MADE[name](*found["parameters"]), found["input"].astype(np.float32)
    output = layer.forward(x)
    np.testing.assert_allclose(found["output"], output, rtol=2e-6, atol=1e-6)
    np.testing.assert_allclose(found["gradient"], layer.backward(x, np.ones_like(output)), rtol=2e-6, atol=1e-6)


def test_the_picture_shows_the_curve(page: Callable[[str], Any]) -> None:
    opened = page("curves")
    opened.set("Function", "Tanh")
    found = opened.numbers()
    points = np.array(
        [[float(n) for n in pair] for pair in re.findall(r"([\d.]+),([\d.]+)", opened.find("path.curve").get_attribute("d"))]
    )
    assert len(points) == found["output"].size
    slope, shift = np.polyfit(found["output"], points[:, 1], 1)
    assert slope < -50  # up is down in a picture
    np.testing.assert_allclose(points[:, 1], slope * found["output"] + shift, atol=0.1)
    np.testing.assert_allclose(np.diff(points[:, 0]), np.diff(points[:, 0]).mean(), atol=0.11)
    assert "Curve of Tanh" in opened.find("svg.curves").get_attribute("aria-label")


def test_bars_show_the_weights_and_the_numbers_are_said(page: Callable[[str], Any]) -> None:
    from selenium.webdriver.common.keys import Keys

    opened = page("curves")
    opened.set("Function", "weights of SoftPool")
    opened.tab_to("Cell to read")
    opened.press(Keys.HOME, Keys.ARROW_RIGHT)
    weights = opened.numbers()["gradient"][0, 0]
    heights = np.array([float(bar.get_attribute("height")) for bar in opened.all(".bar")])
    np.testing.assert_allclose(heights / heights.sum(), weights, atol=1e-4)
    assert "Cell 1 holds 0.5 and counts for" in opened.said()
    assert float(opened.said().rstrip(".").split("counts for ")[1]) == pytest.approx(weights[1], abs=1e-3)
