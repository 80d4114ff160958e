"""The package ``cutorch``: programs for a GPU run on the CPU."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl

from .. import running

result = partial(running.result, requires=["cutorch"])


@pytest.mark.parametrize("code, expected", [
    ("return cutorch.getDeviceCount(), cutorch.getDevice()", (0, 1)),
    ("cutorch.setDevice(2) cutorch.synchronize() cutorch.reserveStreams(4) return select('#', cutorch.setStream(1))", 0),
    ("return cutorch.getMemoryUsage(1)", (0, 0)),
    ("return cutorch.withDevice(1, function(...) return select('#', ...), ... end, 'a', nil)", (2, "a", None)),
    ("return torch.type(torch.CudaTensor(2)), torch.zeros(2):cuda():type()", ("torch.FloatTensor",) * 2),
    ("return torch.ones(2):type('torch.CudaDoubleTensor'):type()", "torch.DoubleTensor"),
    ("return torch.isTypeOf(torch.CudaTensor(1), 'torch.FloatTensor')", True),
    ("local x = torch.FloatTensor(2) return x:cuda() == x", True),
    ("torch.setdefaulttensortype('torch.CudaTensor') return torch.zeros(1):type()", "torch.FloatTensor"),
    ("return torch.ones(3):cudaLong():sum()", 3),
    ("cutorch.manualSeed(7) return cutorch.initialSeed()", 7),
    ("return cutorch.getDeviceProperties(1).name", "CPU"),
])  # fmt: skip
def test_programs(code: str, expected: Any) -> None:
    assert result(code) == expected


def test_seeds_leave_the_generator_of_torch_alone() -> None:
    code = "torch.manualSeed(5) torch.randn(3) %s return torch.randn(3)"
    np.testing.assert_array_equal(result(code % "cutorch.manualSeedAll(5)"), result(code % ""))


def test_without_the_package_there_are_no_types_of_cuda() -> None:
    session = pl.lua.Session(requires=["torch"])
    assert session.execute("return torch.CudaTensor, torch.zeros(1).cuda, cutorch") == (None, None, None)


def test_arguments_are_checked() -> None:
    with pytest.raises(pl.lua.LuaError, match="number expected"):
        result("cutorch.setDevice('gpu')")
