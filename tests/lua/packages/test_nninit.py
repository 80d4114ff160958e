"""The package ``nninit``."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ..running import error, result

ALL = ("nn", "nninit")


def made(code: str) -> np.ndarray:
    """Returns the weight of a module that a program returns, whose draws have the seed 1."""
    return result(f"local n = require 'nninit' torch.manualSeed(1) local m = {code} return m.weight", ALL)


def test_a_tensor_is_found_by_its_name_by_a_part_of_it_and_by_a_function() -> None:
    code = "nn.Linear(3, 2):init('weight', n.constant, 4):init({'weight', {1, {2, 3}}}, n.mulConstant, 2)"
    assert made(f"{code}:init(function(m) return m.weight:select(1, 2) end, n.addConstant, 1)").tolist() == [[4, 8, 8], [5, 5, 5]]


def test_modules_that_a_script_defines_have_the_method() -> None:
    assert made(
        "(function() torch.class('nn.Own', 'nn.Linear') return nn.Own(1, 2) end)():init('weight', n.constant, 3)"
    ).tolist() == [[3], [3]]


@pytest.mark.parametrize(
    "code, fanIn, fanOut",
    [
        ("nn.Linear(300, 200)", 300, 200),
        ("nn.TemporalConvolution(20, 50, 9)", 180, 50),
        ("nn.SpatialConvolution(8, 16, 5, 3)", 120, 240),
        ("nn.SpatialFullConvolution(8, 16, 5, 3)", 120, 240),
        ("nn.VolumetricConvolution(4, 8, 2, 3, 5)", 120, 240),
    ],
)
def test_the_scale_depends_on_the_connections(code: str, fanIn: int, fanOut: int) -> None:
    uniform, normal = made(f"{code}:init('weight', n.xavier)"), made(f"{code}:init('weight', n.kaiming, {{gain = 'relu'}})")
    bound = math.sqrt(6 / (fanIn + fanOut))
    assert bound * 0.98 < abs(uniform).max() <= bound and normal.std() == pytest.approx(math.sqrt(2 / fanIn), rel=0.1)


def test_the_draws_are_those_of_the_tensor() -> None:
    drawn = result("torch.manualSeed(1) nn.Linear(5, 4) return torch.Tensor(4, 5):normal(0, 0.5 * math.sqrt(2 / 1.25 / 5))", ALL)
    own = made("nn.Linear(5, 4):init('weight', n.kaiming, {gain = {'lrelu', leakiness = 0.5}})")
    assert np.array_equal(own * 0.5, drawn) or np.allclose(own * 0.5, drawn, rtol=1e-15)


def test_identities() -> None:
    assert np.array_equal(made("nn.Linear(3, 2):init('weight', n.eye)"), np.eye(2, 3))
    assert made("nn.TemporalConvolution(2, 1, 3):init('weight', n.eye)").tolist() == [[0, 0.5, 0, 0, 0.5, 0]]
    x = np.arange(25.0).reshape(1, 5, 5)
    code = "local n = require 'nninit' return nn.SpatialConvolution(1, 2, 3, 3):init('weight', n.eye):init('bias', n.constant, 0)"
    assert np.array_equal(result(f"{code}:forward(x)", ALL, x=x), np.repeat(x[:, 1:-1, 1:-1], 2, 0))


@pytest.mark.parametrize(
    "code, rows", [("nn.Linear(6, 4)", 4), ("nn.Linear(4, 6)", 6), ("nn.SpatialConvolution(2, 30, 3, 3)", 30)]
)
def test_orthogonal_matrices(code: str, rows: int) -> None:
    matrix = made(f"{code}:init('weight', n.orthogonal, {{gain = 'relu'}})").reshape(rows, -1)
    product = matrix @ matrix.T if rows <= matrix.shape[1] else matrix.T @ matrix
    assert np.allclose(product, 2 * np.eye(len(product)), atol=1e-12)


def test_a_share_of_the_elements_is_0() -> None:
    weight = made("nn.Linear(10, 5):init('weight', n.constant, 1):init('weight', n.sparse, 0.3)")
    assert np.sum(weight == 0) == 15 and np.sum(weight == 1) == 35


def test_errors() -> None:
    begin = "local n = require 'nninit' local m = nn.Linear(2, 2) "
    assert error(begin + "m:init('wieght', n.eye)", ALL) == "t:1: nninit: nn.Linear: expected 'wieght' to be a tensor, got nil"
    assert error(begin + "m:init('weight', n.ey)", ALL) == "t:1: bad argument #3 to 'init' (function expected, got nil)"
    assert error(begin + "m:init('bias', n.eye)", ALL).endswith("nninit.eye only supports 'weight' tensor")
    assert error(begin + "nn.Tanh():init('output', n.xavier)", ALL).endswith("Unsupported module")
    assert error(begin + "m:init('weight', n.xavier, {dist = 'gauss'})", ALL).endswith(
        "dist: expected uniform or normal, got string"
    )
