"""The packages ``cunn`` and ``cudnn``: model scripts for a GPU on the CPU."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl

from ..running import result


@pytest.mark.parametrize("code, expected", [
    ("return nn.Linear(3, 2):cuda():type()", "torch.FloatTensor"),
    ("return nn.MSECriterion():cuda():type()", "torch.FloatTensor"),
    ("return nn.Linear(3, 2):type('torch.CudaDoubleTensor'):type()", "torch.DoubleTensor"),
    ("return nn.Linear(3, 2):double():type()", "torch.DoubleTensor"),
    ("return nn.Copy('torch.DoubleTensor', 'torch.CudaTensor'):forward(torch.ones(2)):type()", "torch.FloatTensor"),
    ("local X, parent = torch.class('nn.Mover', 'nn.Copy') function X:__init() parent.__init(self, 'torch.CudaTensor') end "
     "return nn.Mover().gradInput:type()", "torch.FloatTensor"),
    ("return nn.Linear(3, 2):cuda():forward(torch.CudaTensor(4, 3):fill(1)):type()", "torch.FloatTensor"),
    ("local net = nn.Sequential():add(nn.ReLU()) return net:cuda() == net", True),
    ("return torch.type(cutorch), require 'cunn' == nn", ("table", True)),
])  # fmt: skip
def test_modules_stay_on_the_cpu(code: str, expected: Any) -> None:
    assert result(f"require 'cunn' {code}") == expected


def test_a_network_leaves_as_one_of_python() -> None:
    net = result("require 'cunn' return nn.Sequential():add(nn.Linear(3, 2)):cuda()")
    assert type(net) is pl.nn.Sequential
    assert net.forward(np.ones((1, 3), np.float32)).shape == (1, 2)
    file = io.BytesIO()
    pl.save(file, net)
    file.seek(0)
    assert type(pl.load(file).get(0)) is pl.nn.Linear
    assert pl.nn.Module.cuda.__module__.startswith("pytorch_legacy.objects")


def test_settings_of_cudnn() -> None:
    assert result("require 'cudnn' cudnn.benchmark = true cudnn.fastest = true return cudnn.benchmark") is True
    assert result("if cudnn then return 1 end require 'cudnn' return cudnn.version >= 4000") is True


def test_conversion() -> None:
    code = """
    require 'cudnn'
    local net = nn.Sequential():add(nn.SpatialConvolution(3, 2, 3, 3)):add(nn.ReLU())
    local weight, found = net:get(1).weight, {}
    local function note() for i = 1, 2 do found[#found + 1] = torch.type(net:get(i)) end end
    cudnn.convert(net, cudnn) note()
    cudnn.convert(net, nn, function(m) return torch.type(m):find('ReLU') end) note()
    return table.concat(found, ' '), net:get(1).weight == weight
    """
    names = "cudnn.SpatialConvolution cudnn.ReLU nn.SpatialConvolution cudnn.ReLU"
    assert result(code) == (names, True)
    with pytest.raises(pl.lua.LuaError, match="nn or cudnn expected"):
        result("require 'cudnn' cudnn.convert(nn.ReLU(), {})")


def test_networks_of_several_devices() -> None:
    code = """
    require 'cunn'
    local net = nn.DataParallelTable(1, true, true):add(nn.Linear(3, 2):cuda(), {1, 2}):threads(function() end)
    return net:forward(torch.CudaTensor(4, 3):fill(1)):size(1)
    """
    assert result(code) == 4
