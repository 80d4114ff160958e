"""A picture through pooling layers in the page: numbers are those of the library, and the canvases show them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn


def windowed(name: str, *more: str) -> Callable[..., Any]:
    """With the sizes of windows, and what else the page has."""

    def make(found: Any, v: Any) -> Any:
        padding = [v["padding"]] * 2 if "padding" in v else []
        return getattr(nn, name)(*(v[one] for one in more), *[v["kernel"]] * 2, *[v["stride"]] * 2, *padding)

    return make


def fractional(found: Any, v: Any) -> Any:
    layer = nn.SpatialFractionalMaxPooling(2, 2, v["size"], v["size"]).fixPoolingRegions()
    layer.randomSamples = found["randomSamples"].astype(np.float32)
    return layer


def unpooling(found: Any, v: Any) -> Any:
    pool = nn.SpatialMaxPooling(v["kernel"], v["kernel"], v["stride"], v["stride"])
    return nn.Sequential().add(pool).add(nn.SpatialMaxUnpooling(pool))


def lp(found: Any, v: Any) -> Any:
    return nn.SpatialLPPooling(1, v["p"], v["kernel"], v["kernel"], v["stride"], v["stride"])


def stochastic(found: Any, v: Any) -> Any:
    layer = windowed("SpatialStochasticPooling")(found, v).fixNoise()
    layer.noise = found["noise"].astype(np.float32)
    return layer


def s3(found: Any, v: Any) -> Any:
    layer = nn.SpatialS3Pooling(4, 8, 8).fixPoolingRegions()
    layer.rows, layer.columns = found["rows"].astype(np.int64), found["columns"].astype(np.int64)
    return layer


def filled(layer: Any, **parameters: float) -> Any:
    for name, value in parameters.items():
        getattr(layer, name)[...] = value
    return layer


MADE: dict[str, Callable[[Any, Any], Any]] = {
    "MaxPooling": windowed("SpatialMaxPooling"),
    "AveragePooling": windowed("SpatialAveragePooling"),
    "DilatedMaxPooling": lambda f, v: nn.SpatialDilatedMaxPooling(
        *[v["kernel"]] * 2, *[v["stride"]] * 2, *[v["padding"]] * 2, *[v["dilation"]] * 2
    ),
    "AdaptiveAveragePooling": lambda f, v: nn.SpatialAdaptiveAveragePooling(v["size"], v["size"]),
    "AdaptiveMaxPooling": lambda f, v: nn.SpatialAdaptiveMaxPooling(v["size"], v["size"]),
    "GlobalAveragePooling": lambda f, v: nn.SpatialGlobalAveragePooling(),
    "GlobalMaxPooling": lambda f, v: nn.SpatialGlobalMaxPooling(),
    "FractionalMaxPooling": fractional,
    "MaxUnpooling": unpooling,
    "LPPooling": lp,
    "PowerAveragePooling": windowed("SpatialPowerAveragePooling", "p"),
    "SubSampling": lambda f, v: filled(
        nn.SpatialSubSampling(1, *[v["kernel"]] * 2, *[v["stride"]] * 2), weight=1 / v["kernel"] ** 2, bias=0
    ),
    "SoftPool": lambda f, v: nn.SpatialSoftPool(v["kernel"], v["kernel"], v["stride"], v["stride"], beta=v["beta"]),
    "StochasticPooling": stochastic,
    "GaussianPooling": lambda f, v: filled(
        windowed("SpatialGaussianPooling", "planes")(f, v | {"planes": 1}), mean=v["mean"], precision=1 / v["variance"]
    ),
    "S3Pooling": s3,
    "MixedPooling": lambda f, v: filled(windowed("SpatialMixedPooling")(f, v), weight=v["share"]),
    "GatedPooling": lambda f, v: filled(windowed("SpatialGatedPooling")(f, v), weight=v["gate"]),
}


@pytest.mark.parametrize("name", [*MADE, "LocalImportancePooling"])
def test_numbers(page: Callable[[str], Any], name: str) -> None:
    opened = page("pooling")
    opened.set("Layer", name)
    found = opened.numbers()
    assert found["layer"] == f"Spatial{name}"
    x = found["picture"].astype(np.float32)
    if name == "LocalImportancePooling":
        layer, input = (
            windowed("SpatialLocalImportancePooling")(found, found["values"]),
            [x, np.float32(found["values"]["beta"]) * x],
        )
    else:
        layer, input = MADE[name](found, found["values"]), x
    output = layer.forward(input)
    gradient = layer.updateGradInput(input, np.ones_like(output))
    np.testing.assert_allclose(found["output"], output, rtol=2e-6, atol=1e-6)
    np.testing.assert_allclose(found["gradient"], gradient[0] if isinstance(gradient, list) else gradient, rtol=1e-5, atol=1e-6)


def pixels(opened: Any, name: str) -> Any:
    data = opened.script(
        "const c = document.querySelector(arguments[0]); return [c.height, c.width, ...c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data]",
        f"canvas.{name}",
    )
    return np.array(data[2:]).reshape(data[0], data[1], 4)[..., :3]


def test_drawing_by_keyboard_and_the_gradient_of_one_output(page: Callable[[str], Any]) -> None:
    from selenium.webdriver.common.keys import Keys

    opened = page("pooling")
    opened.set("Picture", "empty")
    opened.tab_to("Picture, to draw on")
    opened.press(Keys.SPACE, Keys.ARROW_RIGHT, Keys.SPACE, Keys.ARROW_DOWN, Keys.SPACE)
    assert opened.said() == "Row 17, column 17 is 1."
    picture = np.zeros((32, 32))
    picture[[16, 16, 17], [16, 17, 17]] = 1
    np.testing.assert_array_equal(opened.numbers()["picture"][0], picture)
    assert pixels(opened, "drawn")[17, 17].tolist() == [232, 134, 46]  # the pen
    opened.script("document.activeElement.blur()")
    np.testing.assert_array_equal(pixels(opened, "drawn"), np.repeat(255 * picture[..., None], 3, 2))
    opened.set("Gradient of", "the")
    opened.script("document.activeElement.blur()")
    opened.tab_to("Output")
    opened.press(*[Keys.ARROW_DOWN] * 4, *[Keys.ARROW_RIGHT] * 4)
    assert opened.said() == "Output row 4, column 4 is 1."
    white = np.full((32, 32, 3), 255)
    white[16, 16] = [255, 0, 0]  # the first of equal ones
    np.testing.assert_array_equal(pixels(opened, "gradient"), white)


def test_a_picture_from_a_file(page: Callable[[str], Any], tmp_path: Any) -> None:
    image = pytest.importorskip("PIL.Image")
    halves = np.zeros((64, 64), np.uint8)
    halves[:, 32:] = 200
    image.fromarray(halves).save(tmp_path / "halves.png")
    opened = page("pooling")
    opened.find("input[type=file]").send_keys(str(tmp_path / "halves.png"))
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(opened.driver, 5).until(lambda _: opened.numbers()["picture"].min() == 0)
    picture = opened.numbers()["picture"][0]
    np.testing.assert_allclose(picture[:, [2, 29]], np.repeat([[0, 200 / 255]], 32, 0), atol=0.01)
