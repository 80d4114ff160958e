"""Files with classes of authors, as Torch7 writes them: fields that are read, kept, dropped and written."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cudnn, nn, t7
from tests.authors.test_layers import draw, reloaded

DOUBLE = {"_type": "torch.DoubleTensor"}
EMPTY = np.empty(0)


def record(typename: str, **fields: Any) -> t7.TorchObject:
    return t7.TorchObject(typename, 1, fields | DOUBLE)


def linear(weight: Any, bias: Any = None) -> t7.TorchObject:
    fields = {"weight": np.float64(weight), "gradWeight": np.zeros_like(np.float64(weight))}
    if bias is not None:
        fields |= {"bias": np.float64(bias), "gradBias": np.zeros(len(bias))}
    return record("nn.Linear", **fields)


def written(module: Any) -> t7.TorchObject:
    """The record that `pl.save` writes."""
    file = io.BytesIO()
    pl.save(file, module)
    return t7.read(file.getvalue())


# Typename, fields of the file, attributes of the object, and fields that are written again.
FILES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "circular padding": ("nn.SpatialCircularPadding", {"pad_l": 1, "pad_r": 2, "pad_t": 0, "pad_b": 1}, {"pad_r": 2}),
    "noise planes": ("nn.GenNoise", {"num_planes": 3, "mult": 0.5, "sz": t7.longs([1, 3, 4, 4])}, {"num_planes": 3, "mult": 0.5}),
    "noise planes, older": ("nn.GenNoise", {"num_planes": 3}, {"mult": 1.0}),
    "noise fill": ("nn.NoiseFill", {"num_noise_channels": 2, "mult": 0.5}, {"num_noise_channels": 2, "mult": 0.5}),
    "sampler": ("nn.GaussianSampler", {"randnOut": np.ones(2)}, {"eps": np.ones(2)}),
    "scale": ("nn.ScaleBHWD", {"scale": 2, "output": EMPTY}, {"scale": 2}),
    "cost volume": ("nn.CostVolMulti", {"win": 9, "fwd": False, "verbose": False}, {"win": 9, "fwd": False}),
    "pooling": ("nn.SpatialMaxPoolingCUDA", {"kW": 2, "kH": 3, "indices": EMPTY}, {"dW": 2, "dH": 3}),
    "factor": ("nn.ConstrainedMul", {"weight": np.ones(1), "gradWeight": np.zeros(1)}, {"inplace": False}),
    "bias": ("nn.MyAdd", {"bias": np.ones(3), "gradBias": np.zeros(3), "lr_decay": 0.1}, {"size": 3, "lr_decay_": 0.1}),
    "gradient": ("w2nn.GradWeight", {"constant_scalar": 0.25}, {"constant_scalar": 0.25}),
    "clipped mse": ("w2nn.ClippedMSECriterion", {"min": 0, "max": 1, "diff": EMPTY, "diff_pow2": EMPTY}, {"max": 1}),
    "huber": ("w2nn.WeightedHuberCriterion", {"weight": np.ones(4), "gamma": 0.1, "diff": EMPTY}, {"gamma": 0.1}),
    "clipped huber": (
        "w2nn.ClippedWeightedHuberCriterion",
        {"weight": np.ones(4), "gamma": 0.1, "clip": [-0.1, 1.1], "diff": EMPTY},
        {"clip": [-0.1, 1.1]},
    ),
    "clipped huber without a range": ("w2nn.ClippedWeightedHuberCriterion", {"weight": np.ones(4)}, {"clip": [0.0, 1.0]}),
    "psnr": ("w2nn.PSNRCriterion", {"image": EMPTY, "diff": EMPTY}, {}),
    "join": (
        "onmt.JoinReplicateTable",
        {"dimensionReplicate": 2, "dimensionJoin": -1, "size": t7.longs([])},
        {"dimensionReplicate": 1, "dimensionJoin": -1, "nInputDims": None},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_fields(name: str) -> None:
    """They become attributes, and are written as they were."""
    typename, fields, attributes = FILES[name]
    module = reloaded(typename, fields | DOUBLE)
    assert type(module)._typename == typename and type(module).__module__.startswith("pytorch_legacy.authors.")
    for attribute, expected in attributes.items():
        np.testing.assert_equal(getattr(module, attribute), expected)
    again = written(module)
    assert again.typename == typename
    for field, value in fields.items():
        if field == "randnOut":
            field = "eps"
        if not isinstance(value, np.ndarray) or value.size:
            np.testing.assert_equal(again.fields[field], value)


def test_first_noise() -> None:
    """The first version had no number of planes, and three actions."""
    x = np.zeros((1, 2, 3))
    layer = reloaded("nn.GenNoise", {"sz": t7.longs([1, 2, 3]), "sz_": t7.longs([]), **DOUBLE})
    first, second = layer.forward(x).copy(), layer.forward(x)
    assert first.shape == x.shape and 0 <= first.min() < first.max() < 1 and (first != second).all()
    assert not layer.backward(x, np.ones((1, 2, 3))).any()
    layer.action = "zero"
    assert not layer.forward(x).any()
    layer.action = "fix"
    first = layer.forward(x).copy()
    np.testing.assert_array_equal(layer.forward(x), first)
    np.testing.assert_array_equal(layer.clone().forward(x), first)


def test_views_stay_modules_of_the_chain() -> None:
    views = (
        record("nn.View", size=t7.longs([1, -1]), numElements=1, numInputDims=3),
        record("nn.View", size=t7.longs([1, 1, -1]), numElements=1, numInputDims=2),
    )
    fields = {"view_in": views[0], "view_out": views[1], "modules": [views[0], linear(np.eye(3)[:2], [1, 2]), views[1]]}
    net = reloaded("nn.SequenceWise", fields | DOUBLE)
    assert net.view_in is net.modules[0] and net.view_out is net.modules[2]
    x = draw(4, 2, 3)
    np.testing.assert_allclose(net.forward(x), x[..., :2] + [1, 2])
    assert repr(net).startswith("nn.SequenceWise {\n  [input -> (1) -> (2) -> (3) -> output]")


def test_units_of_crnn() -> None:
    """Only the unit is in the file; older files have no list of modules, clones are made anew."""
    layer = authors.LstmLayer(2, 3, 5, 0.5, True).double()
    saved = written(layer)
    assert "modules" not in saved.fields and saved.fields["lstmUnit"].typename == "nn.gModule"
    assert saved.fields | {"maxT": 5, "nHidden": 3, "dropout": 0.5, "reverse": True} == saved.fields
    table = record("nn.SharedParallelTable", unit=linear(np.eye(2), [0, 1]), maxT=3, clones=[linear(np.ones((2, 2)), [9, 9])])
    net = reloaded(table.typename, table.fields)
    x = [draw(1, 2), draw(2, 2)]
    for output, entry in zip(net.forward(x), x, strict=True):
        np.testing.assert_array_equal(output, entry + np.float64([0, 1]))
    assert len(net.parameters()[0]) == 2 and len(net.listModules()) == 2


def test_more_steps_than_torch7_had_clones() -> None:
    layer = authors.LstmLayer(2, 3, maxT=2).double()
    assert len(layer.forward([draw(1, 2)] * 5)) == 5


def test_clones_follow_the_unit() -> None:
    """New arrays of the unit reach all steps: after getParameters, type conversion, and a new unit."""
    layer, x = authors.SharedParallelTable(nn.Linear(2, 2), 4).double(), [draw(1, 2), draw(1, 2, seed=2)]
    layer.forward(x)
    flat, gradient = layer.getParameters()
    flat[...] = [1, 0, 0, 1, 5, 5]
    for output, entry in zip(layer.forward(x), x, strict=True):
        np.testing.assert_array_equal(output, entry + 5)
    layer.zeroGradParameters()
    layer.backward(x, [np.ones((1, 2))] * 2)
    np.testing.assert_array_equal(gradient[4:], [2, 2])
    assert layer.float().forward([entry.astype("f") for entry in x])[1].dtype == np.float32
    layer.modules[0] = nn.Linear(2, 1)
    assert layer.forward([entry.astype("f") for entry in x])[1].shape == (1, 1)


def test_clones_are_in_the_mode_of_the_unit() -> None:
    layer, x = authors.SharedParallelTable(nn.Dropout(0.5), 4).double(), [np.ones((1, 50))] * 3
    assert all((output == 0).any() for output in layer.forward(x))
    layer.evaluate()
    assert all((output == 1).all() for output in layer.forward(x))
    layer.training()
    assert all((output == 0).any() for output in layer.forward(x))


def test_waifu2x_criterion_without_its_function() -> None:
    """The Lua function that makes criterions is in no file; the criterions that it made are."""
    made = record("nn.AbsCriterion", sizeAverage=True)
    loss = reloaded("w2nn.AuxiliaryLossCriterion", {"criterions": [made], "sizeAverage": True, "args": None, **DOUBLE})
    x, target = [draw(2, 3), draw(2, 3, seed=2), draw(2, 3, seed=3)], draw(2, 3, seed=4)
    assert loss.forward(x, target) == pytest.approx(np.mean([np.abs(entry - target).mean() for entry in x]))
    assert len(loss.criterions) == 3  # the others are clones of the first one
    bare = reloaded("w2nn.AuxiliaryLossCriterion", {"criterions": [], **DOUBLE})
    with pytest.raises(pl.errors.FieldError, match="criterions: expected one or more, because base_criterion is a function"):
        bare.forward(x, target)


def test_filters_come_from_the_file() -> None:
    weight = np.float64([[[[0, 1], [-1, 0]]]])
    convolution = record(
        "w2nn.RandomBinaryConvolution", weight=weight, gradWeight=np.zeros_like(weight), kW=2, kH=2, dW=1, dH=1, padW=0, padH=0,
        nInputPlane=1, nOutputPlane=1, kSparsity=0.9,
    )  # fmt: skip
    filters = record("nn.Sequential", modules=[convolution])
    fields = {"filter1": filters, "filter2": filters, "gamma": 0.1, "ch": 1, "diff": EMPTY, "input": EMPTY}
    loss = reloaded("w2nn.LBPCriterion", fields | DOUBLE)
    x = np.float64([[[[0, 1], [0, 0]]]])
    assert loss.forward(x, np.zeros_like(x)) == pytest.approx(0.1 * (1 - 0.05))


def test_first_cuda_network() -> None:
    """Weights as cuda-convnet had them, between two transpositions."""
    weight = draw(2, 3, 3, 4)
    fields = {
        "nInputPlane": 2, "nOutputPlane": 4, "kW": 3, "kH": 3, "dW": 1, "dH": 1, "padding": 0, "partialSum": 0,
        "weight": weight, "gradWeight": np.zeros_like(weight), "bias": np.arange(4.0), "gradBias": np.zeros(4),
        "gradWeightPartial": EMPTY, **DOUBLE,
    }  # fmt: skip
    layer = reloaded("nn.SpatialConvolutionCUDA", fields)
    today = nn.SpatialConvolution(2, 4, 3, 3).double()
    today.weight[...], today.bias[...] = np.moveaxis(weight, -1, 0), np.arange(4.0)
    x = draw(5, 2, 6, 7)
    np.testing.assert_allclose(np.moveaxis(layer.forward(np.moveaxis(x, 0, -1)), -1, 0), today.forward(x), atol=1e-12)
    assert written(layer).fields["weight"].shape == (2, 3, 3, 4)


@pytest.mark.parametrize("name, clipped", [("BatchRNNReLU", True), ("BatchBRNNReLU", True), ("BatchBRNN", False)])
def test_rows_of_deepspeech(name: str, clipped: bool) -> None:
    """Files of both generations: the clipping is a cudnn.ClippedReLU or an nn.Clamp."""
    net = getattr(authors, name)(3, 2).double()
    saved = written(net)
    assert saved.typename == f"cudnn.{name}"
    assert saved.fields["rnn"] is saved.fields["modules"][4] and saved.fields["rnn"].fields["inputMode"] == "CUDNN_SKIP_INPUT"
    if clipped and "BRNN" in name:
        net.modules[5] = cudnn.ClippedReLU(20, True).double()
        x = draw(4, 2, 3)
        expected = net.forward(x).copy()
        file = io.BytesIO()
        pl.save(file, net)
        np.testing.assert_array_equal(pl.load(file.getvalue()).forward(x), expected)
