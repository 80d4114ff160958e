"""The passes over calls: which calls become one, where they must not, and that results have the bits of the layers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import cudnn, nn, nngraph
from pytorch_legacy.backend import header
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.program import fusing
from pytorch_legacy.program.encoding import arena
from pytorch_legacy.program.listing import Listing, listing
from pytorch_legacy.recording import Call, record
from tests.capi import HEADER
from tests.program.test_batches import resnet


def numbers(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def planes(inputs: int = 4, outputs: int = 4, size: int = 3) -> Module:
    return nn.SpatialConvolution(inputs, outputs, size, size, 1, 1, size // 2, size // 2)


def lists(net: Module, *shape: int) -> tuple[Listing, Listing]:
    """Returns the list of a network for two samples, before and after the passes."""
    net = pl.optimize(net.float())
    before = listing(record(net, numbers(2, *shape))[0])
    return before, fusing.fused(before)


def fused_calls(one: Listing) -> list[dict[str, Any]]:
    return [fusing.arguments_by_name(call) for call in one.calls if call.name.endswith("FusedConvolution_updateOutput")]


def counted(net: Module, *shape: int) -> tuple[int, int, int]:
    """Returns how many convolutions, activations and sums are fused. The program has the bits of the network."""
    pl.setConvolution("fixed")
    _, after = lists(net, *shape)
    calls = fused_calls(after)
    program, optimized = pl.compile(net, (None, *shape)), pl.optimize(net)
    for n in (1, 2, 5):
        x = numbers(n, *shape, seed=n)
        for one, other in zip(leaves(program(x)), leaves(optimized.forward(x.copy())), strict=True):
            np.testing.assert_array_equal(one, other)
    return len(calls), sum(bool(one["activation"]) for one in calls), sum(one["other"] is not None for one in calls)


def leaves(value: Any) -> list[Any]:
    return [leaf for one in value for leaf in leaves(one)] if isinstance(value, (list, tuple)) else [value]


# ---------------------------------------------------------------------------------------------- the tables of the module


def test_functions_in_place_are_those_of_the_header() -> None:
    functions = header.parse(HEADER.read_text(encoding="utf-8"))

    def mayBeInput(function: header.Function) -> bool:
        found = [one for one in function.arguments if one.name == "output"]
        return bool(found) and found[0].tags == ("OUT", "INPLACE") and found[0].shape == "as input"

    updates = [one for one in functions if one.name.endswith("_updateOutput")]
    assert {one.layer for one in updates if mayBeInput(one)} == fusing.IN_PLACE
    for one in updates:
        if one.layer in fusing.IN_PLACE:
            assert [argument.name for argument in one.arguments][:3] == ["state", "input", "output"]
    arrays = header.parse((HEADER.parent / "THNN_array.h").read_text(encoding="utf-8"))
    for name in ("arrayMap", "arrayApply"):
        [function] = [one for one in arrays if one.name in (name, f"THNN_{name}")]
        output = next(one for one in function.arguments if one.name == "output")
        assert output.tags == ("OUT", "INPLACE") and output.shape.startswith("as input")


def test_convolutions_lose_no_number() -> None:
    """Each number of a convolution is one of FusedConvolution, but for the kernel's, which the weight has."""
    functions = {one.name: one for one in header.parse(HEADER.read_text(encoding="utf-8"))}
    known = {one.name for one in functions["FusedConvolution_updateOutput"].arguments}
    for layer in fusing.CONVOLUTIONS:
        names = {one.name for one in functions[f"{layer}_updateOutput"].arguments}
        assert names - known <= {"kT", "kH", "kW"}, layer
    layers = {one.layer for one in functions.values() if one.name.endswith("Convolution_updateOutput")}
    others = {"FusedConvolution", "TemporalConvolution", "TemporalRowConvolution", "SpatialDepthWiseConvolution"}
    assert layers - others <= fusing.CONVOLUTIONS


# ---------------------------------------------------------------------------------------------- what becomes one call


def block(isFirst: bool = True, isInPlace: bool = False) -> Module:
    branches = [nn.Sequential(planes(), nn.ReLU(isInPlace), planes()), nn.Identity()]
    return nn.Sequential(nn.ConcatTable(*(branches if isFirst else branches[::-1])), nn.CAddTable(isInPlace), nn.ReLU(isInPlace))


def groups() -> Module:
    return cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2)


VOLUMES, SIDES = (2, 3, 5, 6), (4, 9, 8)
LAYERS: dict[str, tuple[Callable[[], Module], tuple[int, ...]]] = {
    "planes": (planes, SIDES),
    "without bias": (lambda: planes().noBias(), SIDES),
    "a matrix": (lambda: nn.SpatialConvolutionMM(4, 5, 3, 3, 2, 1, 1, 2), SIDES),
    "dilated": (lambda: nn.SpatialDilatedConvolution(4, 5, 3, 2, 1, 2, 2, 1, 2, 3), SIDES),
    "full": (lambda: nn.SpatialFullConvolution(4, 5, 3, 4, 2, 3, 1, 2, 1, 2), SIDES),
    "full, dilated": (lambda: nn.SpatialFullDilatedConvolution(4, 5, 3, 3, 2, 2, 1, 1, 1, 1, 2, 2), SIDES),
    "groups": (groups, SIDES),
    "full groups": (lambda: cudnn.SpatialFullConvolution(4, 6, 3, 3, 2, 2, 1, 1, 1, 0, 2), SIDES),
    "volumes": (lambda: nn.VolumetricConvolution(2, 3, 2, 3, 2, 1, 2, 1, 1, 0, 1), VOLUMES),
    "dilated volumes": (lambda: nn.VolumetricDilatedConvolution(2, 3, 2, 2, 2, 1, 1, 2, 1, 0, 1, 1, 2, 1), VOLUMES),
    "full volumes": (lambda: nn.VolumetricFullConvolution(2, 3, 2, 3, 2, 1, 2, 2, 0, 1, 0, 0, 1, 1), VOLUMES),
    "full, dilated volumes": (
        lambda: nn.VolumetricFullDilatedConvolution(2, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 2, 1, 1), VOLUMES,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [name for name in LAYERS if hasattr(nn, "VolumetricFullDilatedConvolution") or "full, d" not in name]
)
def test_convolutions(name: str) -> None:
    """Each kind takes an activation."""
    make, shape = LAYERS[name]
    assert counted(nn.Sequential(make(), nn.LeakyReLU(0.1)), *shape) == (1, 1, 0)


@pytest.mark.parametrize(
    "activation",
    [
        *(nn.ReLU, nn.ReLU6, lambda: nn.ReLU(True), lambda: nn.Threshold(0.2, -1.0), lambda: nn.Threshold(-1.0, 0.2)),
        *(lambda: nn.Clamp(-1, 2), lambda: nn.HardTanh(-0.5, 0.5, True), lambda: nn.LeakyReLU(0.1), lambda: nn.LeakyReLU(-0.1)),
        nn.PReLU,
    ],
)
def test_activations(activation: Callable[[], Module]) -> None:
    assert counted(nn.Sequential(planes(), activation(), planes(), activation()), *SIDES) == (2, 2, 0)


@pytest.mark.parametrize("isInPlace", [False, True])
@pytest.mark.parametrize("isFirst", [False, True])
def test_blocks(isFirst: bool, isInPlace: bool) -> None:
    net = nn.Sequential(planes(), nn.ReLU(), block(isFirst, isInPlace), block(isFirst, isInPlace))
    assert counted(net, *SIDES) == (5, 5, 2)


def test_a_sum_of_two_convolutions() -> None:
    """The earlier one runs behind the other and adds its result, also in place: then nothing has to be copied."""
    for isInPlace in (False, True):
        net = nn.Sequential(nn.ConcatTable(planes(), planes(4, 4, 1)), nn.CAddTable(isInPlace), nn.ReLU())
        assert counted(net, *SIDES) == (2, 1, 1)
        calls = fused_calls(lists(net, *SIDES)[1])
        assert [one["weight"].shape[-1] for one in calls] == [1, 3]
        assert calls[1]["other"] == calls[0]["output"]
        assert calls[1]["other"].memory != calls[1]["output"].memory


@pytest.mark.parametrize("depth, activations, sums", [(18, 17, 8), (50, 49, 16)])
def test_resnets(depth: int, activations: int, sums: int) -> None:
    """Small ones with the blocks of ResNet-18 and ResNet-50."""
    blocks = [2, 2, 2, 2] if depth == 18 else [3, 4, 6, 3]

    def unit(inputs: int, outputs: int, stride: int) -> Module:
        def part(i: int, o: int, size: int, step: int = 1) -> list[Module]:
            return [nn.SpatialConvolution(i, o, size, size, step, step, size // 2, size // 2), nn.SpatialBatchNormalization(o)]

        inner = outputs // 4
        main = (
            [*part(inputs, outputs, 3, stride), nn.ReLU(True), *part(outputs, outputs, 3)]
            if depth == 18
            else [*part(inputs, inner, 1), nn.ReLU(True), *part(inner, inner, 3, stride), nn.ReLU(True), *part(inner, outputs, 1)]
        )
        same = inputs == outputs and stride == 1
        shortcut = nn.Identity() if same else nn.Sequential(*part(inputs, outputs, 1, stride))
        return nn.Sequential(nn.ConcatTable(nn.Sequential(*main), shortcut), nn.CAddTable(True), nn.ReLU(True))

    net = nn.Sequential(nn.SpatialConvolution(3, 8, 7, 7, 2, 2, 3, 3), nn.SpatialBatchNormalization(8), nn.ReLU(True))
    net.add(nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1))
    inputs = 8
    for stage, count in enumerate(blocks):
        for i in range(count):
            outputs = (8 if depth == 18 else 16) << stage
            net.add(unit(inputs, outputs, 2 if stage and not i else 1))
            inputs = outputs
    net.add(nn.SpatialAveragePooling(1, 1)).add(nn.View(-1).setNumInputDims(3)).add(nn.Linear(inputs, 5))
    convolutions = 1 + sum(blocks) * (2 if depth == 18 else 3) + (3 if depth == 18 else 4)
    assert counted(net, 3, 32, 32) == (convolutions, activations, sums)


def test_a_graph() -> None:
    x = nn.Identity()()
    first = nn.ReLU()(planes()(x))
    total = nn.ReLU()(nn.CAddTable()([planes()(first), first]))
    assert counted(nngraph.gModule([x], [nn.Tanh()(total)]), *SIDES) == (2, 2, 1)


# ---------------------------------------------------------------------------------------------- what must not


class Weighted(nn.Module):
    """A convolution whose weight is made of its input in the pass."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = planes()

    def updateOutput(self, input: Any) -> Any:
        self.inner.weight = np.broadcast_to(input.mean() * 0 + 1, (4, 4, 3, 3)).copy()
        self.output = self.inner.updateOutput(input)
        return self.output


class Repeated(nn.Module):
    """Adds to a convolution's result its first row, for all rows."""

    def updateOutput(self, input: Any) -> Any:
        self.output = input + input[:, :, :1] * 0.5
        return self.output


class Row(nn.Module):
    """Adds a table's second array, of one row, to all rows of the first."""

    def updateOutput(self, input: Any) -> Any:
        self.output = input[0] + input[1]
        return self.output


def twice(module: Module) -> Module:
    """The value of a convolution is read by an activation and by another module."""
    return nn.Sequential(planes(), nn.ConcatTable(nn.ReLU(), module), nn.CAddTable())


def shared_activation() -> Module:
    one = nn.ReLU(True)
    return nn.Sequential(planes(), one, planes(), one, nn.SpatialMaxPooling(2, 2), one)


def overwritten_input() -> Module:
    """A branch in place writes over what the convolution reads, after that and before the sum."""
    return nn.Sequential(nn.Tanh(), nn.ConcatTable(planes(), nn.ReLU(True)), nn.CAddTable())


def both_are_outputs() -> Module:
    x = nn.Identity()()
    convolved = planes()(x)
    return nngraph.gModule([x], [convolved, nn.ReLU()(convolved)])


KEPT: dict[str, tuple[Callable[[], Module], tuple[int, int, int]]] = {
    "a value read twice": (lambda: twice(nn.Tanh()), (1, 0, 0)),
    "an output of the network": (both_are_outputs, (1, 0, 0)),
    "an array added to itself": (
        lambda: nn.Sequential(planes(), nn.ConcatTable(nn.Identity(), nn.Identity()), nn.CAddTable()), (1, 0, 0),
    ),
    "the first of three": (lambda: nn.Sequential(nn.ConcatTable(planes(), nn.Tanh(), nn.Sigmoid()), nn.CAddTable()), (1, 0, 0)),
    "another activation": (lambda: nn.Sequential(planes(), nn.Tanh(), planes(), nn.ELU(), planes(), nn.SoftPlus()), (3, 0, 0)),
    "slopes for each plane": (lambda: nn.Sequential(planes(), nn.PReLU(4)), (1, 0, 0)),
    "a view between": (lambda: nn.Sequential(planes(), nn.View(-1, 8, 36).setNumInputDims(3), nn.ReLU()), (1, 0, 0)),
    "a part of the result": (lambda: nn.Sequential(planes(), nn.Narrow(1, 0, 2), nn.ReLU()), (1, 0, 0)),
    "two activations": (lambda: nn.Sequential(planes(), nn.ReLU(), nn.HardTanh(-1, 1)), (1, 1, 0)),
    "a sum behind an activation": (
        lambda: nn.Sequential(nn.ConcatTable(nn.Sequential(planes(), nn.ReLU()), nn.Identity()), nn.CAddTable()), (1, 1, 0),
    ),
    "an input that is overwritten": (overwritten_input, (1, 0, 0)),
    "a product": (lambda: nn.Sequential(nn.ConcatTable(planes(), nn.Identity()), nn.CMulTable()), (1, 0, 0)),
    "sequences": (lambda: nn.Sequential(nn.View(4, 72).setNumInputDims(3), nn.TemporalConvolution(72, 5, 2)), (0, 0, 0)),
    "a weight per plane": (lambda: nn.Sequential(nn.SpatialDepthWiseConvolution(4, 2, 3, 3), nn.ReLU()), (0, 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_what_is_not_fused(name: str) -> None:
    make, expected = KEPT[name]
    assert counted(make(), *SIDES) == expected


def test_an_activation_in_several_places() -> None:
    """It has one output for all places, which the layer behind it reads before the next place writes it."""
    assert counted(shared_activation(), *SIDES) == (2, 2, 0)


@pytest.mark.parametrize("last", [True, False])
def test_a_sum_with_what_is_computed_later(last: bool) -> None:
    """The convolution waits for the other side, and for what that reads."""
    side = nn.Sequential(nn.Tanh(), nn.SpatialMaxPooling(3, 3, 1, 1, 1, 1))
    branches = [planes(), side] if last else [side, planes()]
    net = nn.Sequential(nn.ConcatTable(*branches), nn.CAddTable(), nn.ReLU())
    assert counted(net, *SIDES) == (1, 1, 1)
    after = [call.name for call in lists(net, *SIDES)[1].calls]
    assert after[-1] == "FloatFusedConvolution_updateOutput"


def test_a_sum_that_repeats_one_side() -> None:
    net = nn.Sequential(planes(), Repeated()).float().evaluate()
    _, after = lists(net, *SIDES)
    assert [one["other"] for one in fused_calls(after)] == [None]
    rows = nn.Sequential(nn.ConcatTable(planes(), nn.Narrow(2, 0, 1)), Row()).float().evaluate()
    _, after = lists(rows, *SIDES)
    assert [one["other"] for one in fused_calls(after)] == [None]
    for one in (net, rows):
        x = numbers(3, *SIDES)
        np.testing.assert_allclose(pl.compile(one, (None, *SIDES))(x), one.forward(x), rtol=1e-5, atol=1e-5)


def test_a_weight_that_is_made_in_the_pass() -> None:
    net = nn.Sequential(Weighted(), nn.ReLU()).float().evaluate()
    before = listing(record(net, numbers(2, *SIDES))[0])
    after = fusing.fused(before)
    assert not fused_calls(after)
    assert "FloatSpatialConvolutionMM_updateOutput" in [call.name for call in after.calls]
    x = numbers(3, *SIDES)
    np.testing.assert_allclose(pl.compile(net, (None, *SIDES))(x), net.forward(x), rtol=1e-5, atol=1e-5)


def test_a_sum_of_another_type() -> None:
    """A convolution of floats, whose result is added as doubles."""
    net = nn.Sequential(nn.ConcatTable(planes(), nn.Identity()), Doubles())
    _, after = lists(net, *SIDES)
    assert [one["other"] for one in fused_calls(after)] == [None]


class Doubles(nn.Module):
    """Adds two arrays in double precision."""

    def updateOutput(self, input: Any) -> Any:
        self.output = (input[0].astype(np.float64) + input[1].astype(np.float64)).astype(np.float32)
        return self.output


def test_doubles() -> None:
    pl.setConvolution("fixed")
    net = nn.Sequential(planes(), nn.ReLU(), block()).double().evaluate()
    x = numbers(3, *SIDES, dtype=np.float64)
    program = pl.compile(net, x)
    np.testing.assert_array_equal(program(x), net.forward(x))
    assert "3 calls" in repr(program)


# ---------------------------------------------------------------------------------------------- in place


def written_over(one: Listing) -> list[str]:
    """Returns the functions that write over what they read."""

    def isOver(call: Call) -> bool:
        return any(ref in call.refs(call.reads) for ref in call.refs(call.writes))

    return [call.name.removeprefix("Float").removesuffix("_updateOutput") for call in one.calls if isOver(call)]


def test_elementwise_calls_write_over_their_input() -> None:
    """But for the first one, whose input is the network's, and one whose input is read again."""
    net = nn.Sequential(nn.Tanh(), nn.Threshold(-1, 0.5), nn.ConcatTable(nn.ELU(), nn.Sigmoid()), nn.CMulTable(), nn.Exp())
    before, after = lists(net, *SIDES)
    assert written_over(before) == []
    assert written_over(after) == ["Threshold", "Sigmoid", "arrayApply", "Exp"]
    assert arena(after)[1] < arena(before)[1]  # type: ignore[operator]
    assert counted(net, *SIDES) == (0, 0, 0)


def test_the_last_call_of_a_chain_writes_the_output() -> None:
    """The whole chain is computed in the memory of the output."""
    _, after = lists(nn.Sequential(*(nn.Tanh() for _ in range(5))), 6)
    assert written_over(after) == ["Tanh"] * 4
    assert Counter(block.kind for block in after.blocks) == {"input": 1, "output": 1}


IN_PLACE_KEPT: dict[str, Callable[[], Module]] = {
    "another shape": lambda: nn.Sequential(nn.Tanh(), nn.View(-1), nn.Sigmoid(), nn.View(2, -1)),
    "a part": lambda: nn.Sequential(nn.Tanh(), nn.Narrow(1, 0, 2), nn.Exp()),
    "an array with itself": lambda: nn.Sequential(nn.Tanh(), Product()),
    "layers that write in place by themselves": lambda: nn.Sequential(nn.Tanh(), nn.ReLU(True), nn.HardTanh(-1, 1, True)),
    "a turned array": lambda: nn.Sequential(nn.Tanh(), nn.Transpose((1, 2)), nn.Sigmoid(), nn.Transpose((1, 2))),
    "the input of the network": lambda: nn.Sequential(nn.ConcatTable(nn.Abs(), nn.Identity())),
    "parts of one array": lambda: nn.Sequential(nn.Tanh(), nn.Concat(1, nn.Abs(), nn.Exp(), nn.Identity()), nn.Sigmoid()),
}


class Product(nn.Module):
    """Multiplies an array by its transpose, element by element."""

    def updateOutput(self, input: Any) -> Any:
        self.output = input * input[:, :, ::-1]
        return self.output


@pytest.mark.parametrize("name", IN_PLACE_KEPT)
def test_results_in_place(name: str) -> None:
    """The proof and this test compare results where memory has other views."""
    net = IN_PLACE_KEPT[name]().float().evaluate()
    program = pl.compile(net, (None, *SIDES)) if "shape" not in name else pl.compile(net, (2, *SIDES))
    x = numbers(2, *SIDES)
    for one, other in zip(leaves(program(x)), leaves(net.forward(x.copy())), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_an_array_and_its_turned_view_are_not_written_over() -> None:
    _, after = lists(nn.Sequential(nn.Tanh(), Product()), *SIDES)
    assert written_over(after) == []


def test_blocks_of_resnet_take_little_memory() -> None:
    """Fusing lets intermediate arrays go."""
    net = resnet((8, 16))
    before, after = lists(net, 3, 32, 32)
    assert len(after.calls) < len(before.calls) * 0.7
    assert arena(after)[1] <= arena(before)[1]  # type: ignore[operator]
