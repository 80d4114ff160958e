"""Attributes that a class does not have: they are saved as notes; one that is almost called as a field is told."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn, t7
from pytorch_legacy.errors import T7Warning
from tests.rows import rows
from tests.table import CASES


def saved(value: Any) -> tuple[bytes, list[str]]:
    """The file, and what was told, line by line."""
    file = io.BytesIO()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        pl.save(file, value)
    assert all(issubclass(warning.category, T7Warning) for warning in found) and len(found) < 2
    assert all(warning.filename == __file__ for warning in found)
    return file.getvalue(), [line.strip() for warning in found for line in str(warning.message).splitlines()[1:]]


@pytest.mark.parametrize(
    ("make", "name", "meant"),
    [
        (lambda: nn.Linear(2, 3), "weigth", "weight"),
        (lambda: nn.Linear(2, 3), "gradWeigth", "gradWeight"),
        (lambda: nn.Tanh(), "trian", "train"),
        (lambda: nn.Dropout(), "inPlace", "inplace"),
        (lambda: nn.SpatialMaxPooling(2, 2), "ceilMode", "ceil_mode"),
        (lambda: nn.SpatialConvolution(1, 1, 3, 3), "nInputPlanes", "nInputPlane"),
        (lambda: nn.SoftShrink(), "lamda", "lambda"),
        (lambda: nn.ClassNLLCriterion(), "sizeAvarage", "sizeAverage"),
        (lambda: nn.BatchNormalization(3), "running_means", "running_mean"),
        (lambda: rnn.LSTM(2, 2), "outputsize", "outputSize"),
    ],
)
def test_a_misspelt_attribute_is_saved_and_told(make: Callable[[], Any], name: str, meant: str) -> None:
    module = make()
    setattr(module, name, 0.25)
    content, told = saved([module, nn.Identity()])
    assert told == [f"{module._typename}: {name}; is {meant} meant?"]
    again = pl.load(content)
    assert getattr(again[0], name) == 0.25 and saved(again)[1] == []  # now it is a field of the file
    again[1].outputs = 1
    assert saved(again)[1] == ["nn.Identity: outputs; is output meant?"]


def test_notes_are_notes() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    net.foo, net.trainedOn, net[0].learningRateScale, net[1].name = 3, "2015", 2.0, "last"
    content, told = saved(net)
    again = pl.load(content)
    assert told == [] and (again.foo, again.trainedOn, again[0].learningRateScale, again[1].name) == (3, "2015", 2.0, "last")


def test_each_is_told_once_and_not_too_many() -> None:
    net = nn.Sequential(*(nn.Linear(2, 2) for _ in range(3)))
    for module in net:
        for letter in "abcdefg":
            setattr(module, f"weight{letter}", 1)
    told = saved(net)[1]
    assert len(told) == 6 and told[0] == "nn.Linear: weighta; is weight meant?" and told[-1] == "and 2 more"


def test_classes_of_others_are_theirs() -> None:
    class Own(nn.Module):
        def updateOutput(self, input: Any) -> Any:
            return input

    module, unknown = Own(), pl.load(t7_of("my.Layer", {"weight": np.ones(2)}))
    module.weigth = unknown.weigth = 1
    assert saved([module, unknown])[1] == []


def t7_of(typename: str, fields: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    t7.write(file, t7.TorchObject(typename, 1, fields))
    return file.getvalue()


def test_what_another_process_made_is_left_alone(tmp_path: Any) -> None:
    """It may have attributes that constructors made there."""
    layer = nn.Linear(2, 3)
    layer.weigth = 1
    (tmp_path / "net.pkl").write_bytes(pickle.dumps(layer))
    code = "import pickle, io, pytorch_legacy as pl; pl.save(io.BytesIO(), pickle.load(open('net.pkl', 'rb')))"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=tmp_path, env={"PYTHONPATH": ":".join(sys.path)})


@rows("case", ((name, f"{name}-{case.name}", case) for name, case in CASES))
def test_what_passes_make_is_known(case: Any) -> None:
    thing, generator = case.make().double(), np.random.default_rng(1)
    arguments = [case.input(generator), *([] if case.target is None else [case.target(generator)])]
    thing.forward(*arguments)
    if not case.inplace:
        thing.backward(*arguments, *([thing.output] if case.target is None else []))
    assert saved(thing)[1] == []
