"""Classes of different authors that have one name: which one a file has, and what is said if that is not known."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, nn, t7
from pytorch_legacy.errors import T7Warning, UnsupportedError
from pytorch_legacy.files.classes import _registered
from tests.authors.test_layers import reloaded

SAMPLER = "nn.BilinearSamplerBHWD"
IMAGE = np.float64([1, 2, 4]).reshape(1, 3, 1)
FLOW = np.float64([[[0, 1], [0, 0], [0, -1]]])


def sampler() -> t7.TorchObject:
    """The sampler as Torch7 writes it, whoever is its author."""
    return t7.TorchObject(SAMPLER, 1, {"gradInput": [], "output": np.empty(0), "_type": "torch.DoubleTensor"})


def network(*modules: t7.TorchObject) -> dict[str, Any]:
    return {"modules": [*modules], "_type": "torch.DoubleTensor"}


def silently(typename: str, fields: dict[str, Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return reloaded(typename, fields)


@pytest.fixture
def registered() -> Iterator[None]:
    yield
    _registered.pop(SAMPLER, None)


@pytest.mark.parametrize(
    "companion, expected",
    [
        (t7.TorchObject("nn.ScaleBHWD", 1, {"scale": 2}), authors.FlowSamplerBHWD),
        (t7.TorchObject("nn.CostVolMulti", 1, {"win": 9, "fwd": True}), authors.FlowSamplerBHWD),
        (t7.TorchObject("nn.AffineGridGeneratorBHWD", 1, {"height": 2, "width": 2, "batchGrid": np.empty(0),
                                                          "baseGrid": np.zeros((2, 2, 3))}), authors.BilinearSamplerBHWD),
        (t7.TorchObject("nn.AffineTransformMatrixGenerator", 1, {"useRotation": True}), authors.BilinearSamplerBHWD),
    ],
)  # fmt: skip
@pytest.mark.parametrize("isFirst", [False, True])
def test_other_objects_in_the_file_show_it(companion: t7.TorchObject, expected: Any, isFirst: bool) -> None:
    inner = t7.TorchObject("nn.Sequential", 1, network(companion))
    net = silently("nn.Sequential", network(*([inner, sampler()] if isFirst else [sampler(), inner])))
    assert type(net.modules[isFirst]) is expected
    again = io.BytesIO()
    pl.save(again, net)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert type(pl.load(again.getvalue()).modules[isFirst]) is expected


def test_nothing_shows_it() -> None:
    """The warning names the place, both classes and the remedy, once for a file."""
    with pytest.warns(T7Warning) as caught:
        net = reloaded("nn.Sequential", network(sampler(), sampler()))
    said = str(caught[0].message)
    assert len(caught) == 1 and said.count("is the name of 2 classes") == 1
    assert "modules" in said and "pl.authors.BilinearSamplerBHWD was taken" in said
    assert f'pl.register("{SAMPLER}")(pl.authors.FlowSamplerBHWD)' in said
    assert all(type(module) is authors.BilinearSamplerBHWD for module in net.modules)
    file = io.BytesIO()
    pl.save(file, net)  # an assumed name is not written as if it were known
    with pytest.warns(T7Warning, match="does not show which one it is"):
        pl.load(file.getvalue())


def test_companions_of_both() -> None:
    companions = t7.TorchObject("nn.ScaleBHWD", 1, {}), t7.TorchObject("nn.AffineTransformMatrixGenerator", 1, {})
    with pytest.warns(T7Warning, match="does not show which one it is"):
        net = reloaded("nn.Sequential", network(*companions, sampler()))
    assert type(net.modules[2]) is authors.BilinearSamplerBHWD


@pytest.mark.parametrize("cls", [authors.BilinearSamplerBHWD, authors.FlowSamplerBHWD])
def test_the_user_chooses(cls: Any, registered: None) -> None:
    pl.register(SAMPLER)(cls)
    net = silently("nn.Sequential", network(sampler(), t7.TorchObject("nn.ScaleBHWD", 1, {})))
    assert type(net.modules[0]) is cls and net.modules[0]._typename == SAMPLER


@pytest.mark.parametrize("cls", [authors.BilinearSamplerBHWD, authors.FlowSamplerBHWD])
def test_objects_made_here_say_it_themselves(cls: Any) -> None:
    file = io.BytesIO()
    pl.save(file, nn.Sequential().add(cls()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert type(pl.load(file.getvalue()).modules[0]) is cls
    assert t7.read(file.getvalue()).fields["modules"][0].typename == SAMPLER


def test_they_compute_other_things() -> None:
    """A flow of rows, of which there is one; and places x from 1 to -1."""
    assert authors.FlowSamplerBHWD().double().forward([IMAGE, FLOW]).ravel().tolist() == [1, 2, 4]
    assert authors.BilinearSamplerBHWD().double().forward([IMAGE, FLOW]).ravel().tolist() == [4, 2, 1]


OTHERS = {
    "channels appended": ("nn.NoiseFill", {"num_noise_channels": 2, "buffer": np.empty(0), "mult": 1}),
    "standard deviations": ("nn.GaussianSampler", {"mean": np.zeros(2), "std": np.ones(2)}),
    "kept samples": ("nn.GaussianSampler", {"keep_long": True}),
    "a module of that name": ("nn.KLDCriterion", {"output": np.zeros((2, 3)), "gradInput": np.zeros((2, 3))}),
    "a bias of channels": ("nn.FReLU", {"bias": np.zeros(4)}),
    "with a weight": ("nn.FReLU", {"bias": np.zeros(1), "weight": np.zeros(3)}),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_variants(name: str) -> None:
    """A file with the fields of a class that is not known here loads, says so when it runs, and is saved as it was."""
    typename, fields = OTHERS[name]
    net = reloaded("nn.Sequential", network(t7.TorchObject(typename, 1, fields | {"_type": "torch.DoubleTensor"})))
    assert type(net.modules[0]) is nn.Unknown
    with pytest.raises(UnsupportedError, match=rf"{typename}: the file has the fields of another author's class than "
                                               rf"pytorch_legacy\.authors.*pl\.register\(\"{typename}\"\)"):  # fmt: skip
        net.forward(np.zeros((2, 3)))
    file = io.BytesIO()
    pl.save(file, net)
    assert t7.read(file.getvalue()).fields["modules"][0].fields.keys() >= fields.keys()


def test_criterions_of_that_name_stay_known() -> None:
    assert type(reloaded("nn.KLDCriterion", {"output": 0, "gradInput": [np.empty(0), np.empty(0)]})) is authors.KLDCriterion
    assert type(reloaded("nn.FReLU", {"bias": np.float64([-1]), "gradBias": np.zeros(1)})) is authors.FReLU
    assert type(reloaded("nn.GaussianSampler", {"eps": np.empty(0)})) is authors.GaussianSampler
