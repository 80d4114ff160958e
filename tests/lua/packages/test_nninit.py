"""The package ``nninit``: parameters that scripts draw anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..running import error, result, rows

BEGIN = "require 'nn' local nninit = require 'nninit' torch.manualSeed(4) "


@pytest.mark.parametrize("call, drawn", [
    ("nn.Linear(6, 4):init('weight', nninit.xavier)", "uniform(-math.sqrt(0.6), math.sqrt(0.6))"),
    ("nn.LookupTable(4, 6):init('weight', nninit.xavier, {dist = 'normal', gain = 3})", "normal(0, 3 * math.sqrt(0.2))"),
    ("nn.SpatialConvolution(3, 4, 2, 5):init('weight', nninit.kaiming, {gain = 'relu'})", "normal(0, math.sqrt(2 / 30))"),
    ("nn.SpatialFullConvolution(3, 4, 2, 5):init('weight', nninit.kaiming, {dist = 'uniform'})",
     "uniform(-math.sqrt(0.1), math.sqrt(0.1))"),
    ("nn.VolumetricConvolution(2, 3, 2, 3, 4):init('weight', nninit.kaiming, {gain = {'lrelu', leakiness = 2}})",
     "normal(0, math.sqrt(2 / 5 / 48))"),
    ("nn.TemporalConvolution(3, 4, 2):init('weight', nninit.normal, 1, 2)", "normal(1, 2)"),
    ("nn.Linear(6, 4):init('weight', nninit.constant, 2):init('weight', nninit.addUniform, 0, 1)", "uniform(0, 1):add(2)"),
])  # fmt: skip
def test_draws_are_those_of_torch(call: str, drawn: str) -> None:
    again = f"torch.manualSeed(4) local n = {call.split(':init')[0]} n.weight:{drawn}"
    one, other = result(f"{BEGIN} local m = {call} {again} return m.weight, n.weight")
    assert np.allclose(one, other, 1e-14)


def test_orthogonal_rows() -> None:
    code = "return nn.Linear(8, 4):init('weight', nninit.orthogonal).weight, nn.SpatialConvolution(2, 9, 2, 2):init('weight', "
    wide, tall = result(f"{BEGIN} {code} nninit.orthogonal, {{gain = 2}}).weight")
    assert np.allclose(wide @ wide.T, np.eye(4))
    assert tall.shape == (9, 2, 2, 2)


@rows(
    ("return nn.Linear(3, 2):init('weight', nninit.eye).weight:sum(), nn.Linear(2, 2):init('bias', nninit.copy, "
     "torch.Tensor{5, 6}):init('bias', nninit.addConstant, 1):init('bias', nninit.mulConstant, 2).bias:sum()", (2, 26)),
    ("local m = nn.SpatialConvolution(2, 3, 3, 3):init('weight', nninit.eye) m.bias:zero() local x = torch.rand(2, 5, 5) "
     "return (m:forward(x)[3] - x:mean(1)[1]:narrow(1, 2, 3):narrow(2, 2, 3)):abs():max() < 1e-12", True),
    ("return nn.Linear(10, 10):init('weight', nninit.constant, 1):init('weight', nninit.sparse, 0.3).weight:sum()", 70),
    ("local net = nn.Sequential():add(nn.Linear(2, 2)) return net:init({'modules', 1}, function(m, part, n) part.k = n end, 7) "
     "== net, net:get(1).k, net:get(1):init(function(m) return m.bias end, nninit.constant, 4).bias:sum()", (True, 7, 8)),
)  # fmt: skip
def test_what_is_initialised(code: str, expected: Any) -> None:
    assert result(BEGIN + code) == expected


@pytest.mark.parametrize("code, message", [
    ("nn.ReLU():init('weight', nninit.kaiming)", "tensor expected, got nil"),
    ("nn.PReLU():init('weight', nninit.kaiming)", "Unsupported module"),
    ("nn.Linear(2, 2):init('bias', nninit.eye)", "only supports 'weight'"),
    ("nn.Linear(2, 2):init(4, nninit.eye)", "Unsupported accessor"),
    ("nn.Linear(2, 2):init('weight', nninit.glorot)", "attempt to call"),
    ("nn.Linear(2, 2):init('bias', nninit.orthogonal)", "2 or more dimensions"),
])  # fmt: skip
def test_errors(code: str, message: str) -> None:
    assert message in error(BEGIN + code)
