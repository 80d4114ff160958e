"""The package ``image``: the numbers of torch/image, which loops over pixels compute here as its C does."""

from __future__ import annotations

import colorsys
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl

F = np.float32


def session(**values: Any) -> pl.lua.Session:
    lua = pl.lua.Session(requires=["torch", "image"])
    lua.globals.update(values)
    return lua


def result(code: str, **values: Any) -> Any:
    return session(**values).execute(f"return {code}", "=t")


def error(code: str, **values: Any) -> str:
    with pytest.raises(pl.lua.LuaError) as caught:
        result(code, **values)
    return str(caught.value.value)


def picture(*shape: int, dtype: Any = np.float64) -> Any:
    numbers = np.random.default_rng(3).random(shape)
    return (numbers * 255).astype(dtype) if dtype == np.uint8 else numbers.astype(dtype)


# ------------------------------------------------------------------------------------------------------ sizes


def stored(value: Any, dtype: Any) -> Any:
    return min(max(int(F(value) + F(0.5)), 0), 255) if dtype == np.uint8 else value


def line(x: Any, count: int) -> Any:
    """Returns a row in another length, pixel by pixel."""
    size, out = len(x), np.empty(count, x.dtype)
    x = x.astype(F) if x.dtype == np.uint8 else x
    if count == size:
        return x.astype(out.dtype)
    if count > size:
        step = F(size - 1) / F(count - 1)
        for i in range(count - 1):
            at = F(i) * step
            before = int(at)
            share = at - F(before)
            out[i] = x[0] if size == 1 else stored((1 - share) * x[before] + share * x[before + 1], out.dtype)
        out[-1] = x[-1]
        return out
    step, start, skipped = F(size) / F(count), 0, F(0)
    for i in range(count):
        end = F(i + 1) * step
        stop = int(end)
        rest = end - F(stop)
        total, weight = F((1 - skipped) * x[start]), 1 - skipped
        for j in range(start + 1, stop):
            total, weight = F(total + x[j]), weight + F(1)
        if stop < size:
            total, weight = F(total + rest * x[stop]), weight + rest
        out[i] = stored(total / weight, out.dtype)
        start, skipped = stop, rest
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
@pytest.mark.parametrize("height, width", [(5, 7), (11, 13), (3, 20), (9, 2), (1, 1), (7, 10)])
def test_bilinear_is_interpolated_row_by_row_and_averaged_where_it_shrinks(height: int, width: int, dtype: Any) -> None:
    x = picture(3, 7, 10, dtype=dtype)
    rows = np.stack([[line(row, width) for row in channel] for channel in x])
    expected = np.stack([np.stack([line(column, height) for column in channel.T], 1) for channel in rows])
    np.testing.assert_array_equal(result(f"image.scale(x, {width}, {height})", x=x), expected)


def test_other_modes() -> None:
    x = np.array([[1.0, 2.0, 4.0]])
    assert result("image.scale(x, 5, 1, 'simple')", x=x).tolist() == [[1, 1, 2, 2, 4]]
    ramp = np.arange(6.0)[None]
    np.testing.assert_allclose(result("image.scale(x, 11, 1, 'bicubic')", x=ramp), np.arange(0, 5.5, 0.5)[None], atol=1e-6)
    np.testing.assert_allclose(result("image.scale(x, 3, 1, 'bicubic')", x=ramp), [[0, 2.5, 5]], atol=1e-6)
    # The curve through 2 and 4, between 1 and 4 + (4 - 2): (1, 2, 4, 6) at a half.
    assert result("image.scale(x, 5, 1, 'bicubic')", x=x)[0, 3] == pytest.approx(-1 / 16 + 9 / 8 + 9 / 4 - 6 / 16)


@pytest.mark.parametrize("size, shape", [
    ("4", (3, 2, 4)), ("'4'", (3, 2, 4)), ("'8x9'", (3, 9, 8)), ("'^4'", (3, 4, 8)), ("'*2'", (3, 8, 16)),
    ("'*3/2'", (3, 6, 12)), ("4, 'simple'", (3, 2, 4)), ("5, 3", (3, 3, 5)), ("5, 3, nil", (3, 3, 5)),
])  # fmt: skip
def test_sizes(size: str, shape: tuple[int, ...]) -> None:
    assert result(f"image.scale(x, {size})", x=picture(3, 4, 8)).shape == shape


def test_a_result_has_the_size() -> None:
    lua = session(x=picture(3, 4, 8))
    assert lua.execute("local y = torch.Tensor(3, 2, 2) return image.scale(y, x, 'simple') == y, y")[1].shape == (3, 2, 2)


def test_wrong_arguments_of_scale() -> None:
    assert error("image.scale(x, 'big')", x=picture(4, 4)) == "t:1: image.scale: could not find valid dest size"
    assert "simple" in error("image.scale(x, 2, 2, 'cubic')", x=picture(4, 4))
    assert "got LongTensor" in error("image.scale(torch.LongTensor(2, 2), 2, 2)")


# ------------------------------------------------------------------------------------------------------ geometry


def test_crop() -> None:
    x = np.arange(24.0).reshape(1, 4, 6)
    np.testing.assert_array_equal(result("image.crop(x, 1, 2, 4, 4)", x=x), x[:, 2:4, 1:4])
    for form, part in {
        "c": x[:, 1:3, 1:4],
        "tl": x[:, :2, :3],
        "tr": x[:, :2, 3:],
        "bl": x[:, 2:, :3],
        "br": x[:, 2:, 3:],
    }.items():
        np.testing.assert_array_equal(result(f"image.crop(x, '{form}', 3, 2)", x=x), part)
    np.testing.assert_array_equal(result("image.crop(torch.Tensor(1, 2, 2), x, 2, 1)", x=x), x[:, 1:3, 2:4])
    assert "outside bounds" in error("image.crop(x, 3, 0, 9, 2)", x=x)


def test_flips_and_shifts() -> None:
    x = picture(3, 4, 5)
    np.testing.assert_array_equal(result("image.hflip(x)", x=x), x[:, :, ::-1])
    np.testing.assert_array_equal(result("image.vflip(x[1])", x=x), x[0, ::-1])
    np.testing.assert_array_equal(result("image.flip(x, 1)", x=x), x[::-1])
    expected = np.zeros_like(x)
    expected[:, :3, 2:] = x[:, 1:, :3]
    np.testing.assert_array_equal(result("image.translate(x, 2, -1)", x=x), expected)
    lua = session(x=x.copy())
    lua.execute("image.hflip(x, x)")
    np.testing.assert_array_equal(lua.globals["x"], x[:, :, ::-1])


@pytest.mark.parametrize("theta", [0.3, -1.2, math.pi])
def test_rotation(theta: float) -> None:
    x, angle = picture(5, 6), float(F(theta))
    simple, smooth = np.zeros_like(x), np.zeros_like(x)
    yc, xc = 2.0, 2.5
    for j in range(5):
        for i in range(6):
            column = math.cos(angle) * (i - xc) - math.sin(angle) * (j - yc) + xc
            row = math.cos(angle) * (j - yc) + math.sin(angle) * (i - xc) + yc
            near = math.floor(row + 0.5), math.floor(column + 0.5)
            if 0 <= near[0] < 5 and 0 <= near[1] < 6:
                simple[j, i] = F(x[near])
                # Half a pixel beyond the border counts as the border.
                r, c = min(max(row, 0), 4), min(max(column, 0), 5)
                a, b = min(int(r), 3), min(int(c), 4)
                p, q = r - a, c - b
                smooth[j, i] = (1 - p) * ((1 - q) * x[a, b] + q * x[a, b + 1]) + p * ((1 - q) * x[a + 1, b] + q * x[a + 1, b + 1])
    if theta != math.pi:  # positions at half a pixel depend on the last bit
        np.testing.assert_array_equal(result(f"image.rotate(x, {theta})", x=x), simple)
    np.testing.assert_allclose(result(f"image.rotate(x, {theta}, 'bilinear')", x=x), smooth, atol=2e-6)


def test_warp() -> None:
    x, field = picture(2, 5, 6), np.zeros((2, 5, 6))
    for mode in ("simple", "bilinear", "lanczos"):
        np.testing.assert_allclose(result("image.warp(x, f, m)", x=x, f=field, m=mode), x, atol=1e-6)
    field[0], field[1] = 0.25, 0.5
    inner = 0.75 * (x[:, :-1, :-1] + x[:, :-1, 1:]) / 2 + 0.25 * (x[:, 1:, :-1] + x[:, 1:, 1:]) / 2
    np.testing.assert_allclose(result("image.warp(x, f)", x=x, f=field)[:, :-1, :-1], inner, atol=1e-12)
    padded = result("image.warp(x, f, 'bilinear', true, 'pad', 7)", x=x, f=field)
    assert (padded[:, -1] == 7).all() and (padded[:, :, -1] == 7).all()
    clamped = result("image.warp(x, f)", x=x, f=field)
    np.testing.assert_allclose(clamped[:, -1, :-1], (x[:, -1, :-1] + x[:, -1, 1:]) / 2, atol=1e-12)
    ramp = np.add.outer(np.arange(6.0), 2 * np.arange(6.0))[None]
    for mode in ("bicubic", "bilinear"):
        found = result("image.warp(x, f, m)", x=ramp, f=np.full((2, 6, 6), 0.5), m=mode)
        np.testing.assert_allclose(found[:, 1:3, 1:3], ramp[:, 1:3, 1:3] + 1.5, atol=1e-6)
    at = np.stack(np.meshgrid(np.arange(5.0), np.arange(6.0), indexing="ij"))
    np.testing.assert_allclose(result("image.warp(x, f, 'bilinear', false)", x=x, f=at), x, atol=1e-12)
    assert "pad_value can only" in error("image.warp(x, f, 'simple', true, 'clamp', 1)", x=x, f=field)


def test_lanczos_keeps_a_constant() -> None:
    x, field = np.full((1, 7, 7), 0.7), np.full((2, 7, 7), 0.3)
    np.testing.assert_allclose(result("image.warp(x, f, 'lanczos')", x=x, f=field), x, atol=1e-6)


def test_affine_transformation() -> None:
    x = picture(1, 5, 5)
    quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    np.testing.assert_allclose(result("image.affinetransform(x, m, 'simple')", x=x, m=quarter), np.rot90(x, 1, (1, 2)), atol=1e-6)
    moved = result("image.affinetransform(x, torch.eye(2), 'bilinear', torch.Tensor{1, 0}, 'pad')", x=x)
    np.testing.assert_allclose(moved[:, 1:], x[:, :-1], atol=1e-6)
    assert (moved[:, 0] == 0).all()


def test_polar() -> None:
    x = np.add.outer(np.arange(8.0), np.zeros(8))[None]
    for name in ("polar", "logpolar"):
        for mode in ("simple", "bilinear"):
            found = result(f"image.{name}(x, '{mode}', 'valid')", x=x)
            assert found.shape == (1, 8, 8)
            radii = np.exp(np.arange(8) * math.log(4) / 8) if name == "logpolar" else np.arange(8) / 2
            expected = np.minimum(4 + radii, 7)  # straight down at the angle 0
            np.testing.assert_allclose(found[0, 0], np.floor(expected) if mode == "simple" else expected, atol=1e-5)


# ------------------------------------------------------------------------------------------------------ colours


@pytest.mark.parametrize("space", ["hsl", "hsv", "lab", "yuv"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_colours_there_and_back(space: str, dtype: Any) -> None:
    x = picture(3, 6, 7, dtype=dtype)
    x[:, 0, 0] = 0.5
    back = result(f"image.{space}2rgb(image.rgb2{space}(x))", x=x)
    assert back.dtype == dtype
    np.testing.assert_allclose(back, x, atol=2e-5 if dtype == np.float64 and space != "lab" else 1e-3)


def test_colours_are_those_of_colorsys() -> None:
    x = picture(3, 4, 4)
    found = {name: result(f"image.rgb2{name}(x)", x=x) for name in ("hsl", "hsv")}
    for j in range(4):
        for i in range(4):
            np.testing.assert_allclose(found["hsv"][:, j, i], colorsys.rgb_to_hsv(*x[:, j, i]))
            hue, lightness, saturation = colorsys.rgb_to_hls(*x[:, j, i])
            np.testing.assert_allclose(found["hsl"][:, j, i], (hue, saturation, lightness))


def test_known_colours() -> None:
    red = np.array([1.0, 0, 0]).reshape(3, 1, 1)
    np.testing.assert_allclose(result("image.rgb2lab(x)", x=red).ravel(), [53.2408, 80.0925, 67.2032], atol=0.01)
    np.testing.assert_allclose(result("image.rgb2yuv(x)", x=red).ravel(), [0.299, -0.14713, 0.615])
    assert result("image.rgb2y(x)", x=red).tolist() == [[[0.299]]]
    assert result("image.rgb2hsv(x)", x=(red * 255).astype(np.uint8)).ravel().tolist() == [0, 255, 255]
    assert "ByteTensor" in error("image.rgb2lab(x)", x=red.astype(np.uint8))
    levels = result("image.y2jet(torch.range(1, 4):resize(1, 4))")
    np.testing.assert_allclose(levels[:, 0, 0], [0, 0.5, 1])
    assert result("image.colormap(3)").shape == (3, 3)


def test_minmax() -> None:
    x = np.array([[-1.0, 0.0, 3.0]])
    assert result("image.minmax{tensor = x}", x=x).tolist() == [[0, 0.25, 1]]
    np.testing.assert_allclose(result("image.minmax{tensor = x, symm = true}", x=x), [[1 / 3, 1 / 2, 1]])
    assert result("image.minmax{tensor = x, min = 0, max = 2, saturate = true}", x=x).tolist() == [[0, 0, 1]]
    lua = session(x=x.copy())
    lua.execute("image.minmax{tensor = x, inplace = true}")
    assert lua.globals["x"].tolist() == [[0, 0.25, 1]]


# ------------------------------------------------------------------------------------------------------ kernels


def test_kernels() -> None:
    found = result("image.gaussian(3)")
    assert found[1, 1] == 1
    assert found[0, 1] == pytest.approx(math.exp(-((1 / 0.75) ** 2) / 2))
    assert result("image.gaussian{width = 5, height = 3, normalize = true}").shape == (3, 5)
    assert result("image.gaussian{size = 7, normalize = true}:sum()") == pytest.approx(1)
    line = result("image.gaussian1D(5)")
    np.testing.assert_allclose(line, np.exp(-(((np.arange(1, 6) - 3) / 1.25) ** 2) / 2))
    assert result("image.gaussian1D{size = 4, normalize = true}:sum()") == pytest.approx(1)
    hat = result("image.laplacian(3)")
    square = (1 / 0.3) ** 2 / 2
    assert hat[1, 1] == 1
    assert hat[0, 1] == pytest.approx((1 - square) * math.exp(-square))
    assert result("(function() torch.setdefaulttensortype('torch.FloatTensor') return image.gaussian(3) end)()").dtype == F


def test_filters() -> None:
    x, kernel = picture(3, 6, 7), picture(3, 3)
    same = result("image.convolve(x, k, 'same')", x=x, k=kernel)
    assert same.shape == x.shape
    flipped = kernel[::-1, ::-1]
    np.testing.assert_allclose(same[0, 2, 3], (x[0, 1:4, 2:5] * flipped).sum())
    np.testing.assert_allclose(result("image.convolve(x, k)", x=x, k=kernel), same[:, 1:-1, 1:-1])
    assert result("image.convolve(x, k, 'full')", x=x, k=kernel).shape == (3, 8, 9)
    dot = np.zeros((5, 5))
    dot[2, 2] = 1
    grown = result("image.dilate(x)", x=dot)
    assert grown.sum() == 9
    np.testing.assert_array_equal(result("image.erode(x, nil, 0)", x=grown), dot)
    assert [one.shape for one in result("unpack(image.gaussianpyramid(x, {1, 0.5}))", x=picture(1, 8, 8))] == [
        (1, 8, 8),
        (1, 4, 4),
    ]
    assert result("image.lcn(x)", x=picture(12, 12)).shape == (4, 4)


# ------------------------------------------------------------------------------------------------------ files


@pytest.mark.parametrize("ending", ["png", "ppm"])
def test_files(tmp_path: Path, ending: str) -> None:
    x, file = picture(3, 4, 5, dtype=np.uint8), str(tmp_path / f"x.{ending}")
    lua = session(x=x, file=file)
    lua.execute("image.save(file, x)")
    np.testing.assert_array_equal(lua.execute("return image.load(file, 3, 'byte')"), x)
    np.testing.assert_array_equal(lua.execute("return image.load(file)"), x * (1 / 255))
    np.testing.assert_array_equal(lua.execute("return image.load(file, 3, 'float')"), x.astype(F) * F(1 / 255))
    np.testing.assert_array_equal(lua.execute("image.save(file, image.load(file)) return image.load(file, 3, 'byte')"), x)
    assert lua.execute("return image.load(file, 1)").shape == (1, 4, 5)
    assert lua.execute("return image.getSize(file)").tolist() == [3, 4, 5]


def test_jpeg(tmp_path: Path) -> None:
    x = np.full((3, 8, 8), 0.5)
    lua = session(x=x, file=str(tmp_path / "x.jpg"))
    assert abs(lua.execute("return image.decompressJPG(image.compressJPG(x, 90))") - 0.5).max() < 0.01
    lua.execute("image.saveJPG(file, x[1])")
    assert lua.execute("return image.load(file)").shape == (1, 8, 8)
    assert lua.execute("return image.load(file, 3)").shape == (3, 8, 8)
    assert lua.execute("return image.decompress(image.compressJPG(x), 3, 'byte')").dtype == np.uint8


def test_errors_of_files(tmp_path: Path) -> None:
    (tmp_path / "x.bmp").write_bytes(b"BM")
    (tmp_path / "x.png").write_bytes(b"\x89PNG....")
    assert "unknown image type: bmp" in error("image.load(f)", f=str(tmp_path / "x.bmp"))
    assert "No such file" in error("image.load(f)", f=str(tmp_path / "y.png"))
    assert "cannot identify" in error("image.load(f)", f=str(tmp_path / "x.png"))
    assert "channels" in error("image.save(f, torch.zeros(2, 3, 3))", f=str(tmp_path / "z.png"))
    assert "image.load" in error("image.lena()")


def test_without_pillow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    assert 'pip install "pytorch-legacy[image]"' in error("image.save(f, torch.zeros(3, 3))", f=str(tmp_path / "x.png"))


# ------------------------------------------------------------------------------------------------------ shown


def test_pictures_are_written_to_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lua = pl.lua.Session(requires=["image"], pictures=tmp_path / "shown")
    lua.execute("image.display(torch.rand(3, 4, 5)) image.display{image = {torch.rand(4, 4), torch.rand(4, 4)}, padding = 2}")
    assert [file.name for file in sorted((tmp_path / "shown").iterdir())] == ["0001.png", "0002.png"]
    pl.lua.Session(requires=["image"]).execute("image.display(torch.rand(4, 4)) image.display(torch.rand(4, 4))")
    assert capsys.readouterr().err.count("--pictures") == 1


def test_grids() -> None:
    found = result("image.toDisplayTensor{input = x, padding = 2, nrow = 2}", x=picture(3, 1, 4, 4))
    assert found.shape == (1, 12, 12)
    assert (found.min(), found.max()) == (0, 1)
    assert result("image.toDisplayTensor(x, 0, 5)", x=picture(7, 4, 4)).shape == (8, 20)


def test_rectangles() -> None:
    found = result("image.drawRect(torch.zeros(3, 6, 6), 2, 2, 4, 5)")
    assert found[0].sum() == 10
    assert found[0, 1, 1] == found[0, 4, 3] == 1
    assert found[1:].sum() == 0
