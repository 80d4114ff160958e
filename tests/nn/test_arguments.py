"""Constructors check each argument by its annotation before it can do harm."""

import inspect
import re
from collections.abc import Sequence
from typing import Literal, Optional, Union

import numpy as np
import pytest

from pytorch_legacy import authors, cudnn, dpnn, nn, rnn
from pytorch_legacy.arguments import checked, truncated
from pytorch_legacy.errors import ArgumentError, DtypeError, OutOfMemoryError, ShapeError, THNNError, ValueRangeError
from pytorch_legacy.objects import Object
from tests.nn.toys import fails
from tests.rows import rows

CLASSES = [cls for name in nn.__all__ if isinstance(cls := getattr(nn, name), type) and issubclass(cls, Object)]
RIGHT = {nn.Module: nn.Identity(), nn.Criterion: nn.MSECriterion()}
WRONG = {
    int: [0.5, "a", float("nan"), True],
    float: ["a", 1j, np.ones(3), False],
    bool: ["a", np.ones(3)],
    str: [1],
    nn.Module: [3, nn.Tanh],
}


def refused() -> list[object]:
    """Each argument of each class, with each value that it cannot have."""
    found = []
    for cls in CLASSES:
        parameters = [*inspect.signature(cls.__init__).parameters.values()][1:]
        usual = [RIGHT.get(p.annotation, 2) if p.default is p.empty else p.default for p in parameters]
        for i, parameter in enumerate(parameters):
            for value in WRONG.get(parameter.annotation, []):
                if isinstance(value, float) and truncated(cls, parameter.name, value) is not None:
                    continue
                given = [*usual[:i], value, *usual[i + 1 :]]
                found.append((cls.__name__, f"{parameter.name} {value!r:.20}", (cls, parameter.name, given)))
    return found


@rows("cls, name, given", refused())
def test_refused(cls, name, given):
    with pytest.raises(ArgumentError, match=f"{cls._typename}: {name}: expected .*, got ") as caught:
        cls(*given)
    assert "\n" not in str(caught.value)


def test_messages():
    with fails(ArgumentError, "nn.Linear: inputSize: expected an integer, got 'a'"):
        nn.Linear("a", 2)
    with fails(ArgumentError, "nn.JoinTable: nInputDims: expected an integer or None, got 1.5"):
        nn.JoinTable(0, 1.5)
    with fails(ArgumentError, "nn.MulConstant: constant_scalar: expected a number, got array([1., 1.])"):
        nn.MulConstant(np.ones(2))
    with fails(ArgumentError, "nn.CriterionTable: criterion: expected a criterion, got nn.Identity"):
        nn.CriterionTable(nn.Identity())
    with fails(ArgumentError, "nn.SpatialMaxPooling: kH: expected an integer, got 'a'"):
        nn.SpatialMaxPooling(2, kH="a")
    three = "(inputSize, outputSize, bias)"
    for call, text in (
        (lambda: nn.Linear(2), f"nn.Linear: expected 2 to 3 arguments {three}, got 1"),
        (lambda: nn.Linear(2, 2, True, 2), f"nn.Linear: expected 2 to 3 arguments {three}, got 4"),
        (lambda: nn.Linear(2, 2, biases=False), "nn.Linear: biases: there is no such argument, but inputSize, outputSize, bias"),
        (lambda: nn.Linear(2, 2, outputSize=3), "nn.Linear: outputSize: given twice"),
        (lambda: nn.Tanh(True), "nn.Tanh: expected no arguments, got 1"),
        (lambda: nn.Add(), "nn.Add: expected 1 to 2 arguments (inputSize, scalar), got 0"),
        (lambda: nn.Sequential().add(nn.Tanh(), nn.Tanh()), "nn.Sequential: add: expected 1 argument (module), got 2"),
        (lambda: nn.Sequential().get(), "nn.Sequential: get: expected 1 argument (index), got 0"),
    ):
        with fails(ArgumentError, text):
            call()
    assert issubclass(ArgumentError, TypeError) and not issubclass(ArgumentError, DtypeError)


def test_what_lua_programs_write():
    """Numbers without a fraction are integers, and None is nil: the default, where there is one."""
    for size in (10 / 2, np.float64(5), np.float32(5), np.array(5.0)):
        layer = nn.Linear(size, 3, None)
        assert type(layer.weight.shape[1]) is int and layer.weight.shape == (3, 5) and layer.bias is not None
    assert nn.View(4 / 2, 3.0).size == (2, 3) and nn.Reshape([2.0, np.float64(3)]).size == nn.Reshape(2, 3).size
    assert nn.CMul(2.0, 1).weight.shape == (2, 1)
    assert nn.Sequential().add(nn.Tanh()).get(0.0) and nn.Transpose((0.0, 1.0)).permutations == nn.Transpose((0, 1)).permutations
    assert nn.UpSampling(4 / 2).scale_factor == 2
    dropout = nn.Dropout(0.2, None, True)
    assert (dropout.p, dropout.v2, dropout.inplace) == (0.2, True, True)
    assert not nn.SpatialBatchNormalization(3, None, None, False).affine
    assert nn.SpatialConvolution(1, 2, 3, 3, None, None, 1, None).padH == 1
    assert nn.SoftPlus(None).beta == 1 and nn.JoinTable(0, None).nInputDims is None
    assert nn.MSECriterion(sizeAverage=None).sizeAverage is True
    for cls in CLASSES:  # every default can be spelled
        parameters = [*inspect.signature(cls.__init__).parameters.values()][1:]
        if parameters and all(p.default is not p.empty for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD):
            cls(*[None for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD])


@pytest.mark.parametrize("value", ["x", b"x", object(), [1, "a"], [[1], [1, 2]], {}, 1j, np.ma.ones(3)])
def test_constants_are_numbers(value):
    for cls, name in (
        (nn.Constant, "value"),
        (nn.AddConstant, "constant_scalar"),
        (nn.WeightedMSECriterion, "weight"),
        (nn.ClassNLLCriterion, "weights"),
        (lambda kernel: nn.SpatialSubtractiveNormalization(1, kernel), "kernel"),
    ):
        with pytest.raises(ArgumentError, match=rf": {name}: expected numbers, got "):
            cls(value)


@pytest.mark.parametrize("size", [2, np.int64(2), np.uint8(2), np.array(2)])
def test_integers_of_numpy(size):
    table = nn.SelectTable(size)
    assert type(table.index) is int
    assert table.forward([0, 0, "third"]) == "third"
    assert type(nn.Linear(size, size).weight.shape[0]) is int
    assert repr(nn.SpatialMaxPooling(size, size)) == "nn.SpatialMaxPooling(2x2, 2,2)"
    assert nn.View(size, size).size == (2, 2) and nn.View(size).size == (2,)
    assert rnn.Recurrent(size, nn.Linear(2, 2), nn.Linear(2, 2)).startModule.bias.size == 2
    assert rnn.Recurrence(nn.JoinTable(0), np.int64(2), 1).outputSize == [2]


@pytest.mark.parametrize("number", [0.5, np.float64(0.5), np.float32(0.5), np.array(0.5)])
def test_numbers_of_numpy(number):
    layer = nn.MulConstant(number, np.bool_(True))
    assert isinstance(layer.constant_scalar, float) and layer.inplace is True
    assert type(nn.Power(2).pow) is int


def test_constructors_of_other_classes():
    """Classes of other packages that derive from ours have their annotations checked, as texts too; other methods on request."""

    class Mine(nn.Module):
        def __init__(self, size: int, name: "str" = "mine", other: "Undefined" = None):  # noqa: F821
            super().__init__()
            self.size, self.name, self.other = size, name, other

        def reset(self, stdv: float = 1):
            return stdv

        @checked
        def setSize(self, *sizes: int):
            return sizes

    class Named(nn.Module):
        def __init__(self, name: "str" = "mine"):
            super().__init__()

    class Free(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.size = size

    with fails(ArgumentError, "Mine: size: expected an integer, got 'x'"):
        Mine("x")
    with fails(ArgumentError, "Named: name: expected a string, got 3"):
        Named(3)
    assert type(Mine(np.float64(2), other=3).size) is int and Free("x").size == "x" and Mine(1).reset("x") == "x"
    assert Mine(1).setSize(1, np.int32(2)) == (1, 2)
    with fails(ArgumentError, "Mine: sizes: expected an integer, got 'x'"):
        Mine(1).setSize(1, "x")


def test_annotations_as_others_write_them():
    """Optional, Union, Literal and tuple say what they say of the same written with bars."""

    class Mine(nn.Module):
        def __init__(
            self,
            mode: Literal["sum", "mean", 2] = "sum",
            name: Optional[str] = None,  # noqa: UP045
            size: Union[int, tuple[int, int]] = 1,  # noqa: UP007
            shape: Sequence = (),
        ):
            super().__init__()
            self.given = mode, name, size, shape

    assert Mine("mean", "x", (1, 2), [3]).given == ("mean", "x", (1, 2), [3])
    assert Mine(2, None, np.int64(3)).given == (2, None, 3, ())
    for given, text in (
        (("max",), "Mine: mode: expected 'sum' or 'mean' or 2, got 'max'"),
        ((True,), "Mine: mode: expected 'sum' or 'mean' or 2, got True"),
        (("sum", 3), "Mine: name: expected a string or None, got 3"),
        (("sum", "x", "y"), "Mine: size: expected an integer or a list, got 'y'"),
        (("sum", "x", 1, 4), "Mine: shape: expected a list, got 4"),
    ):
        with fails(ArgumentError, text):
            Mine(*given)


@pytest.mark.parametrize("value", [3, None, "nn.Tanh", nn.Tanh, np.ones(2), nn.MSECriterion()])
@pytest.mark.parametrize(
    "make",
    [nn.Sequential, nn.ConcatTable, nn.ParallelTable, lambda: nn.Concat(0), lambda: nn.DepthConcat(0), lambda: nn.Parallel(0, 0)],
)
def test_containers_hold_modules(make, value):
    container = make().add(nn.Identity())
    for put in (container.add, getattr(container, "insert", container.add)):
        with pytest.raises(ArgumentError, match=f"{container._typename}: module: expected a module, got "):
            put(value)
    assert [type(module) for module in container] == [nn.Identity]


def test_other_methods():
    for call, text in (
        (lambda: nn.MultiCriterion().add(nn.Identity()), "nn.MultiCriterion: criterion: expected a criterion, got nn.Identity"),
        (lambda: nn.ParallelCriterion().add(nn.MSECriterion(), "a"), "nn.ParallelCriterion: weight: expected a number, got 'a'"),
        (lambda: nn.Sequential().get(0.5), "nn.Sequential: index: expected an integer, got 0.5"),
        (lambda: nn.Dropout().setp("a"), "nn.Dropout: p: expected a number, got 'a'"),
        (lambda: nn.GradientReversal().setLambda(None), "nn.GradientReversal: lambda_: expected a number, got None"),
    ):
        with fails(ArgumentError, text):
            call()
    assert issubclass(ArgumentError, THNNError) and issubclass(ArgumentError, TypeError)


LARGE = 2**70
TOO_LARGE = [
    (nn.Linear, LARGE, 2),
    (nn.Linear, 2, 2**62),
    (nn.LinearWeightNorm, LARGE, 2),
    (nn.PartialLinear, LARGE, 2),
    (nn.Bilinear, 2, LARGE, 2),
    (nn.Cosine, LARGE, 2),
    (nn.Euclidean, LARGE, 2),
    (nn.WeightedEuclidean, 2**62, 2),
    (nn.Kmeans, 2, LARGE),
    (nn.LookupTable, LARGE, 2),
    (nn.SparseLinear, LARGE, 2),
    (nn.IndexLinear, LARGE, 2),
    (nn.Add, LARGE),
    (nn.CAdd, 2, LARGE),
    (nn.CMul, LARGE),
    (nn.PReLU, LARGE),
    (nn.BatchNormalization, LARGE),
    (nn.SpatialInstanceNormalization, LARGE),
    (nn.SpatialConvolution, LARGE, 2, 3, 3),
    (nn.SpatialConvolutionLocal, 2, LARGE, 4, 4, 3, 3),
    (nn.TemporalConvolution, LARGE, 2, 3),
    (nn.TemporalRowConvolution, LARGE, 3),
    (nn.VolumetricFullConvolution, LARGE, 2, 3, 3, 3),
    (nn.SpatialSubSampling, LARGE, 2, 2),
    (nn.SpatialMixedPooling, 2, 2, 2, 2, 0, 0, LARGE),
    (nn.SpatialGatedPooling, 2, 2, 2, 2, 0, 0, LARGE),
    (nn.SpatialGaussianPooling, LARGE, 2, 2),
    (nn.ClassSimplexCriterion, LARGE),
]


@pytest.mark.parametrize("cls, args", [pytest.param(cls, args, id=cls.__name__) for cls, *args in TOO_LARGE])
def test_sizes_beyond_all_arrays(cls, args):
    with pytest.raises(ShapeError, match=rf"{cls._typename}: \w+: no array has the shape"):
        cls(*args)


@pytest.mark.parametrize("args", [(2**52, 2), (2, 2**52)])
def test_sizes_beyond_all_memory(args):
    with pytest.raises(OutOfMemoryError, match=r"nn\.Linear: weight: Unable to allocate"):
        nn.Linear(*args)


FRACTIONS = [
    (lambda: nn.SpatialConvolution(3, 4, 4, 4, 1, 1, (4 - 1) / 2), ("padW",), (4, 7, 7)),
    (lambda: nn.SpatialMaxPooling(2, 2, 1.5, np.float32(1.5)), ("dW", "dH"), (3, 7, 7)),
    (lambda: nn.SpatialFullConvolution(3, 3, 2, 2, 2, 2, 0.5, 0.5, 1.5), ("padW", "padH", "adjW"), (3, 16, 17)),
    (lambda: nn.SpatialAdaptiveMaxPooling(2.5, 3), ("W",), (3, 3, 2)),
    (lambda: nn.SpatialReflectionPadding(1.5, 0, 0, 0), ("pad_l",), (3, 8, 9)),
    (lambda: nn.SpatialReplicationPadding(0, 0, -1.5, 0), ("pad_t",), (3, 7, 8)),
    (lambda: nn.Padding(1, -2.5, 3), ("pad",), (3, 10, 8)),
    (lambda: nn.Narrow(1, 0.5, 1.5), ("offset", "length"), (3, 1, 8)),
    (lambda: nn.Reshape(3.2, 64), ("sizes",), (3, 64)),
]


@pytest.mark.parametrize("make, names, shape", FRACTIONS, ids=[str(names) for _, names, _ in FRACTIONS])
def test_sizes_with_a_fraction_lose_it_as_in_torch7(make, names, shape):
    with pytest.warns(UserWarning, match="is not whole") as found:
        layer = make()
    assert [str(one.message).split(": ")[1] for one in found] == [*names]
    assert found[0].filename == __file__
    assert layer.forward(np.ones((3, 8, 8), np.float32)).shape == shape


def test_fractions_that_torch7_did_not_take():
    for make, name in [
        (lambda: nn.Linear(2.5, 3), "inputSize"), (lambda: nn.SpatialZeroPadding(1.5), "pad_l"),
        (lambda: nn.JoinTable(0.5), "dimension"),
        (lambda: nn.SpatialConvolution(3, 4, 4, 4, 1, 1, float("nan")), "padW"), (lambda: nn.SpatialMaxPooling("2", 2), "kW"),
    ]:  # fmt: skip
        with pytest.raises(THNNError, match=f": {name}: "):
            make()


def test_numbers_of_windows_are_looked_at_where_they_are_given():
    """Not by the first pass, which may be far from there."""
    for make, text in (
        (lambda: nn.SpatialConvolution(3, 8, 3, 3, 0), "nn.SpatialConvolution: dW: expected 1 or more, got 0"),
        (lambda: nn.SpatialConvolution(3, 8, 3, 3, 1, 1, -1), "nn.SpatialConvolution: padW: expected 0 or more, got -1"),
        (
            lambda: nn.SpatialDilatedConvolution(1, 1, 2, 2, dilationH=-1),
            "nn.SpatialDilatedConvolution: dilationH: expected 1 or more, got -1",
        ),
        (lambda: nn.SpatialMaxPooling(0, 2), "nn.SpatialMaxPooling: kW: expected 1 or more, got 0"),
        (lambda: nn.TemporalMaxPooling(-1), "nn.TemporalMaxPooling: kW: expected 1 or more, got -1"),
        (lambda: nn.VolumetricAveragePooling(2, 2, 2, 1, 1, 0), "nn.VolumetricAveragePooling: dH: expected 1 or more, got 0"),
        (lambda: nn.SpatialAdaptiveMaxPooling(2, 0), "nn.SpatialAdaptiveMaxPooling: H: expected 1 or more, got 0"),
        (
            lambda: nn.SpatialFullConvolution(1, 1, 2, 2, 2, 2, 0, 0, -1),
            "nn.SpatialFullConvolution: adjW: expected 0 or more, got -1",
        ),
        (lambda: nn.FeatureLPPooling(2, 0, 2, True), "nn.FeatureLPPooling: stride: expected 1 or more, got 0"),
        (lambda: cudnn.SpatialConvolution(1, 1, 0, 1), "cudnn.SpatialConvolution: kW: expected 1 or more, got 0"),
    ):
        with fails(ValueRangeError, text):
            make()
    assert nn.SpatialZeroPadding(-1, 0, 0, 0).forward(np.ones((1, 2, 3), np.float32)).shape == (1, 2, 2), "which cuts away"


def test_the_first_line_says_from_where_dimensions_count():
    """And what Lua's number was: an owner of Lua code ports it from that line."""
    for cls in CLASSES:
        named = [name.removeprefix("_") for name in getattr(vars(cls).get("_file"), "oneBased", ())]
        if {*named, "dimension", "dim"} & {*inspect.signature(cls.__init__).parameters} and cls._form.oneBased:
            first = cls.__doc__.strip().split("\n")[0]
            assert "from 0" in first and "Lua's" in first, cls


def test_flags_are_no_numbers_and_lists_are_lists() -> None:
    """In constructors, and in methods that users give numbers."""
    net = nn.Sequential().add(nn.Linear(2, 3))
    for make, words in (
        (lambda: nn.Linear(True, 3), "nn.Linear: inputSize: expected an integer, got True"),
        (lambda: nn.SpatialMaxPooling(2, np.True_), "kH: expected an integer"),
        (lambda: nn.Dropout(True), "p: expected a number, got True"),
        (lambda: authors.LanguageModel(2), "idx_to_token: expected a list or a string, got 2"),
        (lambda: rnn.MuFuRu(2, 2, True), "ops: expected a list or None or a string, got True"),
        (lambda: rnn.Recurrence(nn.CAddTable(), "a", 1), "outputSize: expected a size, sizes, or lists of these"),
        (lambda: dpnn.NCEModule(2, 2, 2, {}), "unigrams: expected numbers"),
        (lambda: net.updateParameters("a"), "learningRate: expected a number, got 'a'"),
        (lambda: net[0].updateParameters(True), "learningRate: expected a number, got True"),
        (lambda: net.reset("a"), "stdv: expected a number or None"),
        (lambda: net.weightDecay("a"), "wdFactor: expected a number"),
        (lambda: net.backwardUpdate(np.ones(2), np.ones(3), "a"), "lr: expected a number"),
    ):
        with pytest.raises(ArgumentError, match=re.escape(words)):
            make()
    net.updateParameters(np.float32(0.5))
