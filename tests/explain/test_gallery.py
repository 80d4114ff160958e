"""A picture through every pooling layer."""

from __future__ import annotations

import numpy as np
import pytest

from pytorch_legacy import explain, nn
from pytorch_legacy.errors import THNNError
from pytorch_legacy.explain import gallery as galleries
from pytorch_legacy.explain.gallery import LEFT_OUT, exhibits

RNG = np.random.default_rng(0)


def test_every_pooling_layer_is_shown_or_left_out_for_a_reason() -> None:
    shown = [exhibit.name for exhibit in exhibits()]
    assert len(set(shown)) == len(shown)
    assert {name for name in nn.pooling.__all__ if not name.startswith(tuple(LEFT_OUT))} == set(shown)


def test_layers_that_nobody_lists_are_shown(monkeypatch) -> None:
    unlisted = "SpatialSoftPool", "SpatialSimplifiedLIP"
    number = len(exhibits())
    listed = {exhibit.name: exhibit for exhibit in galleries.LISTED}
    rest = tuple(exhibit for exhibit in galleries.LISTED if exhibit.name not in unlisted)
    monkeypatch.setattr(galleries, "LISTED", rest)
    found = {exhibit.name: exhibit for exhibit in exhibits()}
    assert list(found)[: len(rest)] == [exhibit.name for exhibit in rest] and len(found) == number
    assert all(found[name].arguments == listed[name].arguments for name in unlisted)


@pytest.mark.parametrize("shape", [(40, 56), (1, 96, 96), (3, 33, 47)])
def test_all_layers_take_the_image(shape: tuple[int, ...]) -> None:
    image = RNG.random(shape, np.float32)
    gallery = explain.pooling(image)
    assert [picture.name for picture in gallery.pictures] == [e.name for e in exhibits()]
    for picture in gallery.pictures:
        assert len(picture.output) == len(gallery.image) == (shape[0] if len(shape) == 3 else 1)
        assert picture.gradient.shape == shape[-2:]
        assert np.isfinite(picture.output).all() and np.isfinite(picture.gradient).all() and picture.gradient.any(), picture.name
        assert picture.name in str(gallery)


def test_output_and_gradient_are_those_of_the_layer() -> None:
    image = RNG.random((2, 8, 12), np.float32)
    pictures = {picture.name: picture for picture in explain.pooling(image).pictures}
    blocks = image.reshape(2, 2, 4, 3, 4)
    np.testing.assert_allclose(pictures["SpatialAveragePooling"].output, blocks.mean((2, 4)), rtol=1e-5)
    np.testing.assert_allclose(pictures["SpatialAveragePooling"].gradient, np.full((8, 12), 2 / 16), rtol=1e-5)
    largest = blocks.max((2, 4))
    np.testing.assert_array_equal(pictures["SpatialMaxPooling"].output, largest)
    expected = (image == largest.repeat(4, 1).repeat(4, 2)).sum(0)
    np.testing.assert_array_equal(pictures["SpatialMaxPooling"].gradient, expected)


def test_bytes_are_scaled() -> None:
    image = RNG.integers(0, 256, (16, 16), np.uint8)
    np.testing.assert_allclose(explain.pooling(image).image[0], image / 255, rtol=1e-6)


@pytest.mark.parametrize("shape", [(5,), (2, 3, 4, 5), (0, 4, 4)])
def test_what_is_no_image_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(THNNError, match=r"image: expected \(planes x\) height x width, got shape"):
        explain.pooling(np.zeros(shape, "f"))


def test_grid(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    gallery = explain.pooling(RNG.random((3, 32, 40), np.float32))
    figure = gallery.figure()
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[0] == "the image" and titles.count("gradient") == len(gallery.pictures)
    for picture in gallery.pictures:
        assert f"{picture.name.removeprefix('Spatial')}\n{picture.label}" in titles
    gallery.draw(tmp_path / "grid.png")
    assert (tmp_path / "grid.png").read_bytes().startswith(b"\x89PNG")
