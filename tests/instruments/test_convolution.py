"""A convolution in the page: output, window, products and gradient are those of the library on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn


def layer(found: dict[str, Any]) -> Any:
    k, d, p, dilation = found["weight"].shape[-1], found["stride"], found["padding"], found["dilation"]
    made = nn.SpatialDilatedConvolution(1, 1, k, k, d, d, p, p, dilation, dilation)
    made.weight[...], made.bias[...] = found["weight"], found["bias"]
    return made


@pytest.mark.parametrize("sizes", [{}, {"Kernel size": 2, "Stride": 2, "Padding": 1, "Dilation": 3, "Bias": -2}])
def test_numbers(page: Callable[[str], Any], sizes: dict[str, int]) -> None:
    from selenium.webdriver.common.keys import Keys

    opened = page("convolution")
    for label, value in sizes.items():
        opened.set(label, value)
    opened.tab_to("Output")
    opened.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    found = opened.numbers()
    assert found["at"] == [1, 1] and [found[name.split()[-1].lower()] for name in list(sizes)[1:]] == list(sizes.values())[1:]
    assert found["bias"] == sizes.get("Bias", 0)
    made, x = layer(found), found["input"].astype(np.float32)
    output = made.forward(x)
    np.testing.assert_allclose(found["output"], output, rtol=1e-6)
    one = np.zeros_like(output)
    one[0, 1, 1] = 1
    made.zeroGradParameters()
    np.testing.assert_allclose(found["gradInput"], made.backward(x, one), rtol=1e-6)
    np.testing.assert_allclose(found["window"], made.gradWeight, rtol=1e-6)
    assert float(found["window"].std()) > 0
    products = np.array([float(value) for value in found["products"]])
    assert products.sum() + found["bias"] == pytest.approx(float(output[0, 1, 1]), rel=1e-6)
    assert f"Output row 1, column 1: the sum of {products.size} products" in opened.said()


def test_what_does_not_fit_is_the_layers_own_message(page: Callable[[str], Any]) -> None:
    opened = page("convolution")
    opened.set("Kernel size", 5)
    opened.set("Dilation", 3)
    assert "The layer refuses: " in opened.said() and "SpatialDilatedConvolution" in opened.said()
    opened.set("Padding", 3)
    assert opened.said().startswith("Output row 0, column 0: the sum of 25 products")
