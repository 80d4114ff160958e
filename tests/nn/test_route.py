"""A container of one's own that defines its route takes part in all that the containers of the package do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.arrays import tree
from pytorch_legacy.bridge.forward_freeing import forward_freeing
from pytorch_legacy.bridge.rules import find_rule
from pytorch_legacy.errors import ShapeError, UnsupportedError
from pytorch_legacy.inference import expected
from tests.trees import assert_same

Run = Callable[[nn.Module, Any], Any]


class Sides(nn.Container):
    """Two entries of a table go through modules of their own, and both results through a third one."""

    def route(self, run: Run, input: Any) -> Any:
        left, right, both = self.modules
        return run(both, [run(left, input[0]), run(right, input[1])])


class Skipping(nn.Container):
    """The first module's output is that of the container, beside the second module's."""

    def route(self, run: Run, input: Any) -> Any:
        first, second = self.modules
        hidden = run(first, input)
        return [hidden, run(second, hidden)]


class Doubled(Skipping):
    """Another pass: the inherited route does not describe it."""

    def updateOutput(self, input: Any) -> Any:
        self.output = [2 * array for array in super().updateOutput(input)]
        return self.output


def sides() -> Sides:
    return Sides(nn.Linear(3, 4), nn.Sequential(nn.Tanh(), nn.Linear(5, 4)), nn.CAddTable()).float()


def test_printing_shows_the_modules() -> None:
    text = "  (2): nn.Sequential {\n    [input -> (1) -> (2) -> output]\n    (1): nn.Tanh\n    (2): nn.Linear(5 -> 4)\n  }"
    assert repr(sides()) == f"Sides {{\n  (1): nn.Linear(3 -> 4)\n{text}\n  (3): nn.CAddTable\n}}"
    assert repr(nn.Sequential(Skipping(nn.Tanh(), nn.Abs()))).splitlines()[2:-1] == [
        "  (1): Skipping {",
        "    (1): nn.Tanh",
        "    (2): nn.Abs",
        "  }",
    ]
    assert repr(Skipping()) == "Skipping {\n}"


def test_which_classes_define_their_route() -> None:
    for cls in (nn.Sequential, nn.ConcatTable, nn.ParallelTable, nn.Decorator, Sides, Skipping):
        assert cls.definesRoute(), cls
    for other in (nn.Container, nn.Concat, nn.MapTable, nn.WeightNorm, Doubled):
        assert not other.definesRoute(), other
    with pytest.raises(UnsupportedError, match=r"nn\.Concat: route: the class does not define"):
        nn.Concat(0).route(lambda module, value: value, None)


def test_the_forward_pass_is_the_route() -> None:
    net, x = sides(), [np.ones((2, 3), np.float32), np.ones((2, 5), np.float32)]
    left, right, _ = net.modules
    np.testing.assert_array_equal(net.forward(x), left.forward(x[0]) + right.forward(x[1]))
    assert nn.Container(nn.Tanh()).updateOutput(x[0]).size == 0  # as in Torch7, without a route


def test_an_error_tells_its_place() -> None:
    with pytest.raises(ShapeError, match=r"^in module 1 of nn\.Sequential, in module 1 of \S*Sides, nn\.Linear"):
        nn.Sequential(sides()).forward([np.ones((2, 5), np.float32)] * 2)


def test_a_module_may_stand_twice_in_a_route() -> None:
    class Again(nn.Container):
        def route(self, run: Run, input: Any) -> Any:
            return run(self.modules[0], run(self.modules[0], input))

    net = Again(nn.MulConstant(3.0))
    np.testing.assert_array_equal(net.forward(np.float32([1, 2])), [9, 18])
    assert not net.modules[0]._inPass


def test_expected_input() -> None:
    assert str(expected.expected(sides())) == str(expected.expected(nn.ParallelTable(nn.Linear(3, 4), nn.Linear(5, 4)).float()))
    chain = Skipping(nn.Tanh(), nn.Linear(6, 2)).float()
    assert str(expected.expected(chain)) == str(expected.expected(nn.Sequential(nn.Tanh(), nn.Linear(6, 2)).float()))


NETS = {
    "sides": (sides(), [np.ones((2, 3), np.float32), np.ones((2, 5), np.float32)], "m3([m1(x[0]), m2(x[1])])"),
    "skipping": (Skipping(nn.Linear(3, 4), nn.Tanh()).float(), np.ones((2, 3), np.float32), "[m1(x), m2(m1(x))]"),
    "twice": (nn.Sequential(tanh := nn.Tanh(), nn.Linear(3, 3), tanh).float(), np.ones((2, 3), np.float32), "m3(m2(m1(x)))"),
}


class Writer:
    """Stands for the writer of the bridge: modules are written as calls by their positions."""

    def convert(self, module: nn.Module, value: Any, place: int) -> str:
        return f"m{place + 1}({shown(value)})"


def shown(value: Any) -> str:
    return f"[{', '.join(map(shown, value))}]" if isinstance(value, list) else str(value)


@pytest.mark.parametrize("net, x, text", NETS.values(), ids=[*NETS])
def test_rule_of_the_bridge(net: Any, x: Any, text: str) -> None:
    found: Any = find_rule(type(net))
    assert shown(found(net, ["x[0]", "x[1]"] if isinstance(x, list) else "x", Writer())) == text


@pytest.mark.parametrize("net, x, text", NETS.values(), ids=[*NETS])
def test_outputs_are_freed(net: Any, x: Any, text: str) -> None:
    y = tree.map(np.copy, net.forward(x))
    assert_same(forward_freeing(net, x), y)
    assert all(layer.output.size == 0 for layer in net.findModules("nn.Linear")[0])


@pytest.mark.parametrize("net, x, text", NETS.values(), ids=[*NETS])
def test_to_torch(net: Any, x: Any, text: str) -> None:
    torch = pytest.importorskip("torch")
    module = pl.to_torch(net, tuple((None, array.shape[1]) for array in x) if isinstance(x, list) else (None, x.shape[1]))
    outputs = module(*map(torch.from_numpy, x if isinstance(x, list) else [x]))
    for ours, theirs in zip(tree.leaves(net.forward(x)), tree.leaves(outputs), strict=True):
        np.testing.assert_allclose(theirs.detach().numpy(), ours, atol=1e-6)


def test_no_rule_for_another_pass_than_the_route() -> None:
    assert find_rule(Doubled) is None and find_rule(nn.Container) is None


def test_second_derivatives() -> None:
    """The values are exact for a linear network: those of sum((A x)^2) by x are 2 sum(A^2)."""
    nn.hessian.enable()
    first, second = nn.Linear(3, 2, False).double(), nn.Linear(2, 2, False).double()
    loss: Any = nn.MSECriterion(False)
    loss.type("torch.DoubleTensor")
    net: Any = Skipping(first, second).double()
    x = np.float64([1, -2, 3])
    outputs = net.forward(x)
    behind = [loss.updateDiagHessianInput(y, y) for y in outputs]
    expected_ = 2 * (first.weight**2).sum(0) + (first.weight**2).T @ (2 * (second.weight**2).sum(0))
    np.testing.assert_allclose(net.updateDiagHessianInput(x, behind), expected_, rtol=1e-12)
    net.accDiagHessianParameters(x, behind)
    np.testing.assert_allclose(second.diagHessianWeight, 2 * np.ones((2, 1)) * outputs[0] ** 2, rtol=1e-12)  # type: ignore[attr-defined]
    ofHidden = 2 + 2 * (second.weight**2).sum(0)
    np.testing.assert_allclose(first.diagHessianWeight, ofHidden[:, None] * x**2, rtol=1e-12)  # type: ignore[attr-defined]
