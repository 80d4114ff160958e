"""run: what becomes of a picture before a network sees it, who says so, and what is printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, t7

from .test_cli import DIGITS, ONE, fail, run

Image = pytest.importorskip("PIL.Image")

RANDOM = np.random.default_rng(3)
BYTES = RANDOM.integers(0, 256, (256, 300, 3), np.uint8)  # as large as presets make pictures: nothing is resampled
PLANES = BYTES.transpose(2, 0, 1).astype(np.float64)
MIDDLE = PLANES[:, 16:240, 38:262]
IMAGENET = np.array([103.939, 116.779, 123.68]).reshape(3, 1, 1)


def column(*numbers: float) -> np.ndarray:
    return np.array(numbers).reshape(3, 1, 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a picture, and a network that gives what it gets."""
    Image.fromarray(BYTES).save(tmp_path / "photo.png")
    pl.save(tmp_path / "same.t7", same())
    return tmp_path


def same() -> nn.Module:
    layer = nn.SpatialConvolution(3, 3, 1, 1)
    layer.weight[...] = np.eye(3).reshape(layer.weight.shape)
    layer.bias[...] = 0
    return nn.Sequential(layer)


def prepared(capsys, folder: Path, *options: str) -> tuple[np.ndarray, str]:
    """Returns the network's input for the picture, and the line that was printed about the picture."""
    out = run(capsys, "run", str(folder / "same.t7"), str(folder / "photo.png"), "-o", str(folder / "out.npy"), *options)
    return np.load(folder / "out.npy")[0], next(line for line in out.splitlines() if line.startswith("pictures: "))


@pytest.mark.parametrize(
    "options, expected, words",
    [
        ("", PLANES / 255, "in their size, RGB, byte / 255 [assumed: bgr, scale, mean, std]"),
        ("--preset fb.resnet", (MIDDLE / 255 - column(0.485, 0.456, 0.406)) / column(0.229, 0.224, 0.225),
         "shorter side resized to 256, cut to 224x224, RGB, (byte / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225] "
         "[--preset fb.resnet: size, crop, bgr, scale, mean, std]"),
        ("--preset vgg-caffe", MIDDLE[::-1] - IMAGENET, "cut to 224x224, BGR, byte - [103.939, 116.779, 123.68]"),
        ("--preset vgg-caffe --size 300x256", PLANES[::-1] - IMAGENET,
         "resized to 300x256, BGR, byte - [103.939, 116.779, 123.68] "
         "[options: size; --preset vgg-caffe: bgr, scale, mean, std]"),
        ("--preset vgg-caffe --size 256 --no-bgr --mean 0", MIDDLE, "RGB, byte [options: size, bgr, mean;"),
        ("--mean 128 --std 2", (PLANES - 128) / 2, "(byte - 128) / 2 [assumed: bgr; by the mean, which is one of bytes: scale;"),
        ("--mean 1,1,1", PLANES / 255 - 1, "byte / 255 - 1"),
        ("--mean 128 --scale 0.5", PLANES / 2 - 128, "byte * 0.5 - 128 ["),
        ("--crop 224x224 --bgr", MIDDLE[::-1] / 255, "in their size, cut to 224x224, BGR, byte / 255"),
        ("--gray --crop 224x224", None, "gray, byte / 255 [options: crop, gray"),
    ],
)  # fmt: skip
def test_options(capsys, folder: Path, options: str, expected: np.ndarray | None, words: str) -> None:
    found, line = prepared(capsys, folder, *options.split())
    assert words in line
    if expected is None:
        gray = np.asarray(Image.fromarray(BYTES).convert("L"), np.float64)[16:240, 38:262] / 255
        expected = np.stack([gray] * 3)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


def test_openface_resizes(capsys, folder: Path) -> None:
    found, line = prepared(capsys, folder, "--preset", "openface")
    assert found.shape == (3, 96, 96) and "resized to 96x96, RGB, byte / 255" in line
    assert abs(found.mean() - PLANES.mean() / 255) < 0.01


def test_the_file(capsys, folder: Path) -> None:
    """Fields beside the network, in a table beside it, in one that is a field of it; a preset takes their place."""
    usual = {"mean": IMAGENET.ravel().tolist(), "bgr": True, "imageSize": 256, "cropSize": 224}
    for value in (usual, {"transform": usual}, {"transform": usual | {"mean": 3}, "mean": usual["mean"]}):
        pl.save(folder / "same.t7", {"model": same()} | value)
        found, line = prepared(capsys, folder)
        np.testing.assert_allclose(found, MIDDLE[::-1] - IMAGENET, atol=1e-3)
        assert "[the file: size, crop, bgr, mean; by the mean, which is one of bytes: scale; assumed: std]" in line
    found, line = prepared(capsys, folder, "--preset", "fb.resnet", "--mean", "0", "--std", "1", "--size", "256")
    np.testing.assert_allclose(found, MIDDLE / 255, atol=1e-6)
    assert "the file" not in line
    pl.save(folder / "same.t7", {"model": same()} | dict.fromkeys(usual, "odd") | {"transform": ["odd"]})
    assert "[assumed: bgr, scale, mean, std]" in prepared(capsys, folder)[1]


def test_a_table_on_the_network(capsys, tmp_path: Path) -> None:
    network = t7.read(DIGITS)["model"]
    network.fields["transform"] = {"mean": 0.25, "std": 0.5, "size": 8}
    t7.write(tmp_path / "m.t7", network)
    out = run(capsys, "run", str(tmp_path / "m.t7"), ONE)
    assert "pictures: resized to 8x8, gray, (byte / 255 - 0.25) / 0.5 [the file: size, mean, std; assumed: scale]" in out


@pytest.mark.parametrize("options", ["", "--scale 1", "--bgr --scale 1", "--bgr"])
def test_a_picture_that_comes_out_is_in_the_units_of_the_one_that_goes_in(capsys, folder: Path, options: str) -> None:
    target = folder / "out.png"
    run(capsys, "run", str(folder / "same.t7"), str(folder / "photo.png"), "-o", str(target), *options.split())
    np.testing.assert_array_equal(np.asarray(Image.open(target)), BYTES)


def test_arrays_of_bytes_get_the_numbers_alone(capsys, folder: Path) -> None:
    np.save(folder / "bytes.npy", BYTES.transpose(2, 0, 1))
    target = str(folder / "out.npy")
    out = run(capsys, "run", str(folder / "same.t7"), str(folder / "bytes.npy"), "--preset", "vgg-caffe", "-o", target)
    assert "bytes: byte - [103.939, 116.779, 123.68]\n" in out
    np.testing.assert_allclose(np.load(target)[0], PLANES - IMAGENET, atol=1e-3)


def test_what_cannot_be(capsys, folder: Path) -> None:
    model, photo = str(folder / "same.t7"), str(folder / "photo.png")
    assert "photo.png: --crop 301x9: the picture has 300x256" in fail(capsys, "run", model, photo, "--crop", "301x9")
    Image.new("RGB", (60_000, 1)).save(folder / "line.png")
    assert "would become 15360000x256" in fail(capsys, "run", model, str(folder / "line.png"), "--size", "256")
