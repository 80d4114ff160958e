"""The default tensor type, which every constructor follows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.objects import Object
from pytorch_legacy.objects.copies import reachable
from tests.authors.cases import CASES as AUTHORS
from tests.table import CASES
from tests.test_random_layers import CONSUMED


@pytest.fixture
def doubles() -> Iterator[None]:
    pl.setdefaulttensortype("torch.DoubleTensor")
    yield
    pl.setdefaulttensortype("torch.FloatTensor")


def of_single_precision(module: Object) -> set[str]:
    """Returns the parts of a module that are not double."""
    found = set()
    for thing in reachable(module):
        if thing._dtype != np.float64:
            found.add(type(thing).__name__)
        for name, value in thing.__dict__.items():
            for array in value if isinstance(value, list) else [value]:
                if isinstance(array, np.ndarray) and array.dtype == np.float32:
                    found.add(f"{type(thing).__name__}.{name}")
    return found


def test_every_layer(doubles: None) -> None:
    modules = [module for _, case in CASES if isinstance(module := case.make(), Object)]
    assert set().union(*map(of_single_precision, modules)) == set()
    assert {module.type() for module in modules} == {"torch.DoubleTensor"}


def test_other_packages(doubles: None) -> None:
    made = [make() for make, _ in CONSUMED.values()]
    made += [
        nn.Dictionary(4, 3), nn.PCAColorTransform(3, np.eye(3), np.ones(3)), nn.SimpleColorTransform(3, np.ones(3)),
        nn.SpatialGlimpse(4),
        nn.ReinforceNormal([0.1, 0.2]), nn.ReinforceGamma([0.1, 0.2]), nn.CategoricalEntropy(), nn.NCECriterion(),
        nn.SpatialRegionDropout(0.5), nn.SpatialUniformCrop(4), nn.Balance(2), nn.SpatialLinear(2, 3),
        pl.nnx.SpatialNormalization(2, np.ones((3, 3))), nn.SoftMaxTree(3, {1: np.array([2, 3])}), nn.SeqBRNN(2, 3),
        pl.cudnn.LSTM(2, 3, 1), pl.cudnn.SpatialConvolution(2, 4, 3, 3, 1, 1, 0, 0, 2), pl.inn.ConstAffine(3),
        pl.authors.InstanceNormalization(3), pl.authors.TotalVariation(1), pl.authors.StyleLoss(1),
        pl.authors.ContentLoss(1, np.ones(3)), pl.authors.ShakeShakeTable(), pl.authors.AffineGridGeneratorBHWD(2, 2),
        pl.authors.AdaptiveInstanceNormalization(3), pl.authors.LanguageModel(["a", "b"]),
        *(case.make() for _, case in AUTHORS), pl.authors.SSIMCriterion(), pl.authors.OnmtWordEmbedding(4, 2),
        pl.authors.OnmtFeaturesEmbedding([4, 3], 1, 2),
    ]  # fmt: skip
    assert set().union(*map(of_single_precision, made)) <= {"Graph", "Node", "Edge"}  # these have no numbers


def test_training_in_double(doubles: None) -> None:
    net = nn.Sequential().add(nn.Linear(4, 3)).add(nn.Tanh()).add(nn.Linear(3, 2)).add(nn.LogSoftMax())
    trainer = nn.StochasticGradient(net, nn.ClassNLLCriterion())
    trainer.maxIteration, trainer.verbose = 2, False
    trainer.train([(np.linspace(-1, 1, 4) * i, i % 2) for i in range(4)])
    flat, gradients = net.getParameters()
    assert (flat.dtype, gradients.dtype, net.output.dtype) == (np.float64,) * 3
    assert [vector.dtype for vector in nn.Tanh().getParameters()] == [np.float64] * 2
    assert nn.Copy().forward(np.ones(2)).dtype == pl.random.uniform(0, 1, 2).dtype == np.float64


def test_objects_keep_their_type(doubles: None, tmp_path: Any) -> None:
    double = nn.Linear(2, 2)
    pl.save(tmp_path / "double.t7", double)
    pl.setdefaulttensortype("torch.FloatTensor")
    assert double.forward(np.ones(2)).dtype == np.float64 and nn.Linear(2, 2).weight.dtype == np.float32
    assert pl.load(tmp_path / "double.t7").type() == double.clone().type() == "torch.DoubleTensor"
    assert double.float().type() == "torch.FloatTensor"


@pytest.mark.parametrize("name", ["torch.IntTensor", "torch.CudaTensor", "double", np.float64, None, 3])
def test_refused(name: Any) -> None:
    with pytest.raises(ValueRangeError, match=r"^setdefaulttensortype: name: expected 'torch\.FloatTensor' or "):
        pl.setdefaulttensortype(name)
    assert pl.getdefaulttensortype() == "torch.FloatTensor"
