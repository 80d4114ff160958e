"""The packages ``optnet`` and ``stn``."""

from __future__ import annotations

import pytest

import pytorch_legacy as pl

from ..running import error, result

NET = """
require 'nn'
torch.manualSeed(1)
local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.BatchNormalization(4)):add(nn.Dropout(0.5))
local x = torch.rand(5, 3)
"""


@pytest.mark.parametrize("mode, first", [("", "net:forward(x)"), ("'training'", "net:backward(x, net:forward(x):clone())")])
def test_results_are_those_of_two_passes(mode: str, first: str) -> None:
    end = "return net:forward(x), net:get(1).gradWeight, net:get(2).running_mean"
    optimized = result(f"{NET} require('optnet').optimizeMemory(net, x, {{mode = {mode or 'nil'}}}) {end}")
    plain = result(f"{NET} {first} {first} {end}")
    assert all((one == other).all() for one, other in zip(optimized, plain, strict=True))


def test_a_network_is_optimized_once(capfd: pytest.CaptureFixture[str]) -> None:
    code = "local o = require 'optnet' o.optimizeMemory(net, x) local y = net.output:clone() o.optimizeMemory(net, x)"
    assert result(f"{NET} {code} o.removeOptimization(net) o.removeOptimization(net) return y:equal(net.output)") is True
    assert [line.split(",")[0] for line in capfd.readouterr().out.splitlines()] == [
        "Skipping memory optimization. Network is already optimized for inference mode.",
        "Skipping memory optimization removal",
    ]


def test_memory_in_use() -> None:
    code = "net:forward(x) net:getParameters() return require('optnet').countUsedMemory(net)"
    found = dict(pl.lua.view(result(NET + code)))
    assert found["params"] == 8 * 2 * (3 * 4 + 4 + 4 + 4)
    assert found["outputs"] == 8 * 3 * 5 * 4
    assert found["total_size"] == sum(found[name] for name in ("outputs", "params", "buffers", "gradInputs"))


def test_what_is_no_network() -> None:
    assert "nn.Module expected, got table" in error("require 'nn' require('optnet').optimizeMemory({}, 1)")


def test_spatial_transformers() -> None:
    code = """
    require 'nn'
    assert(nn.BilinearSamplerBHWD == nil and nn.ScaleBHWD == nil)
    local same = require 'stn' == nn and require 'spy' == nn
    local matrix = nn.AffineTransformMatrixGenerator(true, true, true):forward(torch.Tensor{{0, 1, 0, 0}})
    local grid = nn.AffineGridGeneratorBHWD(3, 4):forward(matrix)
    local image = torch.rand(1, 3, 4, 2)
    local sampled = nn.BilinearSamplerBHWD():forward{image, grid}
    return same, (sampled - image):abs():max() < 1e-12, nn.ScaleBHWD(2):forward(image):size(2)
    """
    assert result(code) == (True, True, 6)
