"""The windows that `explain` shows are those of the definition, which makes these tests of the C library too."""

from __future__ import annotations

import doctest
import importlib
import re
from itertools import product
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import explain, nn
from pytorch_legacy.errors import THNNError, UnsupportedError
from pytorch_legacy.explain.probe import feeds
from tests.cases import windows as definition

MOST = 64


def matrix(windows: list[range], size: int) -> np.ndarray:
    """Outputs x cells, from windows that may reach outside."""
    cells = np.arange(size)
    return np.array([(cells >= w.start) & (cells < w.stop) & ((cells - w.start) % w.step == 0) for w in windows])


@pytest.mark.parametrize("layer", [nn.SpatialAdaptiveAveragePooling, nn.SpatialAdaptiveMaxPooling])
def test_adaptive_windows_of_all_sizes(layer) -> None:
    for out in range(1, MOST + 1):
        module = layer(out, 1)
        for size in range(1, MOST + 1):
            expected = matrix(definition.adaptive(size, out), size)
            assert np.array_equal(feeds(module, (1, size), 1), expected), f"{size} cells to {out}"


@pytest.mark.parametrize("layer", [nn.SpatialAveragePooling, nn.SpatialMaxPooling])
@pytest.mark.parametrize("kernel", range(1, 6))
def test_sliding_windows_of_all_sizes(layer, kernel: int) -> None:
    for stride, pad, ceil in product(range(1, 5), range(kernel // 2 + 1), (False, True)):
        module = layer(kernel, 1, stride, 1, pad, 0)
        module.ceil_mode = ceil
        for size in range(max(kernel - 2 * pad, 1), MOST + 1):
            expected = matrix(definition.fixed(size, kernel, stride, pad, ceil), size)
            case = f"{size} cells, kernel {kernel}, stride {stride}, pad {pad}, ceil {ceil}"
            assert np.array_equal(feeds(module, (1, size), 1), expected), case


def test_average_gathers_from_the_windows_that_it_reads() -> None:
    """Backward turns the rule around; a one for each output must come back to exactly the cells that feed it."""
    for out, size in product(range(1, MOST + 1), range(1, MOST + 1)):
        module, ones = nn.SpatialAdaptiveAveragePooling(out, 1), np.eye(out, dtype="f").reshape(out, 1, 1, out)
        gradInput = module.updateGradInput(np.empty((out, 1, 1, size), "f"), ones)
        assert np.array_equal(gradInput[:, 0, 0] != 0, matrix(definition.adaptive(size, out), size)), f"{size} cells to {out}"


def test_rows_and_columns_of_the_answer() -> None:
    axis = explain.windows("adaptive", 5, 3).axes[0]
    assert [axis.cells(o).tolist() for o in range(3)] == [[0, 1], [1, 2, 3], [3, 4]]
    assert [axis.outputs(i).tolist() for i in range(5)] == [[0], [0, 1], [1], [1, 2], [2]]
    assert (axis.kernel, axis.stride, axis.differs.tolist()) == (3, 1, [0, 2])
    np.testing.assert_array_equal(axis.fixed, matrix([range(0, 3), range(1, 4), range(2, 5)], 5))


def test_fixed_windows_reach_the_end_and_agree_where_the_remainder_is_0_or_1() -> None:
    for cells, outputs in product(range(1, 25), range(1, 25)):
        axis = explain.windows("adaptive", cells, outputs).axes[0]
        if outputs > cells:
            assert axis.fixed is None and len(axis.differs) == 0
            continue
        assert np.array_equal(axis.fixed, matrix(definition.fixed(cells, axis.kernel, cells // outputs, 0, False), cells))
        assert axis.fixed[0, 0] and axis.fixed[-1, -1] and len(axis.fixed) == outputs
        assert (len(axis.differs) == 0) == (cells % outputs <= 1), f"{cells} cells to {outputs}"


def test_axes_of_a_module_are_those_of_its_input() -> None:
    found = explain.windows(nn.SpatialMaxPooling(3, 2, 2, 1, 1, 0), (6, 9))
    height, width = found.axes
    assert (height.name, width.name) == ("height", "width")
    np.testing.assert_array_equal(height.feeds, matrix(definition.fixed(6, 2, 1, 0, False), 6))
    np.testing.assert_array_equal(width.feeds, matrix(definition.fixed(9, 3, 2, 1, False), 9))
    both = explain.windows("max", (6, 9), kernel=(2, 3), stride=(1, 2), pad=(0, 1))
    for one, other in zip(found.axes, both.axes, strict=True):
        np.testing.assert_array_equal(one.feeds, other.feeds)


def test_the_module_is_left_as_it_was() -> None:
    module = nn.SpatialMaxPooling(2, 2).double()
    output = module.forward(np.arange(16.0).reshape(1, 4, 4))
    explain.windows(module, 6)
    assert module.output is output and output.ravel().tolist() == [5, 7, 13, 15]


def test_a_class_of_ones_own() -> None:
    class LastCell(nn.SpatialAveragePooling):
        """Torch7's own layers are not the only ones."""

    assert explain.windows(LastCell(2, 2, 2, 2), 4).axes[0].cells(1).tolist() == [2, 3]


KINDS = {
    "adaptive": "SpatialAdaptiveAveragePooling",
    "global": "SpatialGlobalAveragePooling",
    "fractional": "SpatialFractionalMaxPooling",
    "average": "SpatialAveragePooling",
    "gated": "SpatialGatedPooling",
    "gaussian": "SpatialGaussianPooling",
    "lip": "SpatialLocalImportancePooling",
    "lp": "SpatialLPPooling",
    "max": "SpatialMaxPooling",
    "mixed": "SpatialMixedPooling",
    "power": "SpatialPowerAveragePooling",
    "soft": "SpatialSoftPool",
    "stochastic": "SpatialStochasticPooling",
    "subsampling": "SpatialSubSampling",
}
LACKING = {"lp": ("pad",), "subsampling": ("pad", "ceil")}


@pytest.mark.parametrize("kind", explain.KINDS)
def test_every_kind(kind: str) -> None:
    assert KINDS[kind] in nn.__all__
    arguments = {"adaptive": {"output": 4}, "global": {}, "fractional": {"output": 4, "kernel": 2}}
    every = {"kernel": 3, "stride": 2, "pad": 1, "ceil": True}
    sliding = {name: value for name, value in every.items() if name not in LACKING.get(kind, ())}
    axis = explain.windows(kind, 10, **arguments.get(kind, sliding)).axes[0]
    if kind == "fractional":
        starts = [axis.cells(o)[0] for o in range(4)]
        assert all(len(axis.cells(o)) == 2 for o in range(4)) and starts[0] == 0 and starts[-1] == 8
        assert starts == sorted(starts)
        return
    windows = {"adaptive": definition.adaptive(10, 4), "global": [range(10)]}
    slid = definition.fixed(10, 3, 2, sliding.get("pad", 0), sliding.get("ceil", False))
    np.testing.assert_array_equal(axis.feeds, matrix(windows.get(kind, slid), 10))


@pytest.mark.parametrize("layer", [
    nn.TemporalAveragePooling(3, 2), nn.TemporalMaxPooling(3, 2), nn.TemporalSubSampling(4, 3, 2),
    nn.FeatureLPPooling(3, 2, 2, False), nn.FeatureLPPooling(3, 2, 2, True), nn.SpatialLPPooling(4, 3, 3, 3, 2, 2),
    nn.SpatialMixedPooling(3, 3, 2, 2, nInputPlane=4), nn.SpatialGatedPooling(3, 3, 2, 2, nInputPlane=4),
    nn.SpatialSimplifiedLIP(4, 3, 3, 2, 2), nn.VolumetricSoftPool(3, 3, 3, 2, 2, 2),
])  # fmt: skip
def test_windows_that_slide_in_every_kind_of_layer(layer) -> None:
    found = explain.windows(layer, 12)
    for axis in found.axes:
        np.testing.assert_array_equal(axis.feeds, matrix(definition.fixed(12, 3, 2, 0, False), 12))
    assert "fixed" not in str(found)


@pytest.mark.parametrize("kind", [kind for kind in explain.KINDS if kind != "adaptive"])
def test_only_adaptive_windows_are_compared_with_windows_of_one_size(kind: str) -> None:
    """A sliding layer has a kernel and a stride of its own, so other windows of one size say nothing about it."""
    arguments = {"global": {}, "fractional": {"output": 3, "kernel": 2}}.get(kind, {"kernel": 2, "stride": 2})
    found = explain.windows(kind, 7, **arguments)
    assert all(axis.fixed is None and len(axis.differs) == 0 for axis in found.axes)
    assert "fixed" not in str(found) and "differ" not in str(found)


@pytest.mark.parametrize("layer", [
    nn.TemporalAdaptiveMaxPooling(3), nn.SpatialAdaptiveAveragePooling(3, 3), nn.VolumetricAdaptiveMaxPooling(3, 3, 3),
])  # fmt: skip
def test_adaptive_layers_are_compared_in_all_dimensions(layer) -> None:
    found = explain.windows(layer, 5)
    assert [axis.differs.tolist() for axis in found.axes] == [[0, 2]] * len(found.axes)
    assert str(found).count("2 of 3 windows differ from fixed ones: 0, 2") == len(found.axes)


def test_looking_at_random_layers_draws_nothing() -> None:
    pl.manualSeed(3)
    first = pl.random.random()
    pl.manualSeed(3)
    for layer in (nn.SpatialStochasticPooling(2, 2), nn.SpatialS3Pooling(2, 2, 2), nn.SpatialFractionalMaxPooling(2, 2, 3, 3)):
        explain.windows(layer, 6)
    assert pl.random.random() == first


def test_dilated_windows_step_over_cells() -> None:
    for kernel, stride, dilation, size in product((1, 2, 3), (1, 2, 3), (1, 2, 3, 4), range(9, 20)):
        axis = explain.windows("max", size, kernel=kernel, stride=stride, dilation=dilation).axes[0]
        reach = (kernel - 1) * dilation + 1
        windows = [range(o * stride, o * stride + reach, dilation) for o in range((size - reach) // stride + 1)]
        np.testing.assert_array_equal(axis.feeds, matrix(windows, size))
    assert re.search(r" 1  1,3,5  \.#\.#\.#", str(explain.windows("max", 6, kernel=3, stride=1, dilation=2)))


# ---- the text


def test_text_of_one_axis() -> None:
    assert str(explain.windows("adaptive", 5, 3)).splitlines()[2:] == [
        "output  cells  01234  fixed  01234   (kernel 3, stride 1)",
        "     0  0-1    ##...  0-2    ###..   differs",
        "     1  1-3    .###.  1-3    .###.",
        "     2  3-4    ...##  2-4    ..###   differs",
        "2 of 3 windows differ from fixed ones: 0, 2",
        "cells in several windows: 1 (in 0-1), 3 (in 1-2)",
    ]


def test_text_says_what_is_left_out_and_what_is_the_same() -> None:
    assert "cells in no window: 2, 5, 8, 9" in str(explain.windows("max", 10, kernel=2, stride=3))
    assert "the same windows as fixed ones" in str(explain.windows("adaptive", 21, 7))
    assert "more outputs than cells" in str(explain.windows("adaptive", 3, 7))
    assert "more outputs than cells" in str(explain.windows("max", 3, kernel=2, stride=1, pad=1))
    assert "more outputs" not in str(explain.windows("max", 6, kernel=3, stride=2, pad=1, ceil=True))


def test_text_of_a_long_axis_stays_short() -> None:
    lines = str(explain.windows("adaptive", (700, 1000), (300, 11))).splitlines()
    assert len(lines) < 60 and max(map(len, lines)) < 140
    assert "all 300 windows differ from fixed ones" in lines


# ---- what is refused


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        (("maximal", 5), {}, "expected a layer or one of adaptive, .*, got 'maximal'"),
        (("adaptive", 5), {}, "output: a layer of kind 'adaptive' needs one"),
        (("max", 5), {}, "kernel: a layer of kind 'max' needs one"),
        (("global", 5, 2), {}, "output: a layer of kind 'global' has none"),
        (("adaptive", 5, 3), {"pad": 1}, "pad: a layer of kind 'adaptive' has none"),
        (("lp", 5), {"kernel": 3, "pad": 1}, "pad: a layer of kind 'lp' has none"),
        (("subsampling", 5), {"kernel": 3, "ceil": True}, "ceil: a layer of kind 'subsampling' has none"),
        ((nn.SpatialMaxUnpooling(nn.SpatialMaxPooling(2, 2, 2, 2)), 4), {}, "expected one with windows"),
        (("average", 5), {"kernel": 2, "dilation": 2}, "dilation: a layer of kind 'average' has none"),
        (("max", 3), {"kernel": 5}, "input width 3 with padding 0, kW 5"),
        (("adaptive", (5, 5), (3, 3, 3)), {}, "output: expected a number for each of 2 axes, got 3"),
        (("adaptive", (5, 5, 5, 5), 3), {}, "size: expected 1 to 3 axes, got 4"),
        (("adaptive", 0, 3), {}, "size: expected 1 cell or more, got 0"),
        (("adaptive", 5, 2.5), {}, "output: expected an integer for each axis, got 2.5"),
        (("adaptive", 10**6, 3), {}, "an axis of 1000000 cells is too long"),
        ((nn.ReLU(), 5), {}, "expected one with windows, such as nn.SpatialMaxPooling, got nn.ReLU"),
        ((5, 5), {}, "expected a pooling layer, got int"),
        ((nn.SpatialMaxPooling(2, 2), (5, 5, 5)), {}, "size: expected a number for each of 2 axes, got 3"),
    ],
)
def test_refused(arguments, keywords, words: str) -> None:
    with pytest.raises(THNNError, match=words):
        explain.windows(*arguments, **keywords)


def test_arguments_of_a_module_are_its_own() -> None:
    for keywords in ({"kernel": 3}, {"output": 3}, {"ceil": True}):
        with pytest.raises(THNNError, match=r"output, kernel, .*: a layer has its own"):
            explain.windows(nn.SpatialMaxPooling(2, 2), 5, **keywords)


# ---- the picture


def test_picture_shows_both_kinds_of_windows(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    found = explain.windows("adaptive", (5, 40), (3, 7))
    figure = found.figure()
    assert [axes.get_title() for axes in figure.axes] == [
        "height: 5 cells to 3", "fixed: kernel 3, stride 1", "width: 40 cells to 7", "fixed: kernel 10, stride 5"]  # fmt: skip
    own, fixed = (np.asarray(axes.images[0].get_array()) for axes in figure.axes[:2])
    np.testing.assert_array_equal(own, found.axes[0].feeds)
    np.testing.assert_array_equal(fixed == 2, found.axes[0].fixed & ~found.axes[0].feeds)
    for name in ("windows.png", "windows.svg"):
        found.draw(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    with pytest.raises(THNNError, match="expected a file that ends in"):
        found.draw(tmp_path / "windows.doc")


def test_picture_without_fixed_windows_has_one_panel_an_axis() -> None:
    pytest.importorskip("matplotlib")
    assert len(explain.windows("adaptive", (5, 6), (7, 8)).figure().axes) == 2
    assert len(explain.windows("max", (5, 6), kernel=2).figure().axes) == 2


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(THNNError, match=re.escape('pip install "pytorch-legacy[plot]"')):
        explain.windows("adaptive", 5, 3).draw("windows.png")


@pytest.mark.parametrize("name", ["pytorch_legacy.explain", "pytorch_legacy.explain.windows"])
def test_examples_in_the_documentation(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried and not failed
    assert pl.explain is explain


def test_a_layer_of_any_name() -> None:
    """A user's own class is recognized as a pooling layer by its results, with its number of axes."""

    class Thirds(nn.Module):
        def updateOutput(self, input: Any) -> Any:
            kept = input[..., : input.shape[-1] // 3 * 3]
            self.output = kept.reshape(*kept.shape[:-1], -1, 3).mean(-1)
            return self.output

    class Row(Thirds):
        def updateOutput(self, input: Any) -> Any:
            assert input.ndim == 3
            return super().updateOutput(input)

    class Same(nn.Module):
        def updateOutput(self, input: Any) -> Any:
            return input

    (axis,) = explain.windows(Row(), 7).axes
    assert [axis.cells(i).tolist() for i in range(2)] == [[0, 1, 2], [3, 4, 5]]
    height, width = explain.windows(Thirds(), (2, 6)).axes
    assert height.feeds.tolist() == [[True, False], [False, True]] and width.feeds.shape == (2, 6)
    with pytest.raises(UnsupportedError, match="expected one with windows"):
        explain.windows(Same(), 4)
