"""help() of each class fits on a few screens, and leaves out nothing that the class itself defines."""

from __future__ import annotations

import inspect
import pydoc
from abc import ABC, abstractmethod
from importlib import import_module

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn, t7
from pytorch_legacy.files.classes import PACKAGES

_MAX_LINES = 299


def classes() -> dict[type, str]:
    found: dict[type, str] = {}
    for name in ("", ".t7", ".interop", *(f".{package}" for package in PACKAGES)):
        module = import_module(f"pytorch_legacy{name}")
        for key in dir(module):
            value = getattr(module, key)
            if inspect.isclass(value) and value.__module__.startswith("pytorch_legacy") and not key.startswith("_"):
                found.setdefault(value, f"{name}.{key}")
    return found


def text(cls: type) -> str:
    return pydoc.plain(pydoc.render_doc(cls))


def test_help_of_a_class_is_under_300_lines() -> None:
    long = {name: lines for cls, name in classes().items() if (lines := len(text(cls).splitlines())) > _MAX_LINES}
    assert len(classes()) > 350 and not long


def test_what_everybody_needs_is_there() -> None:
    for cls in (nn.Linear, nn.SpatialMaxPooling, rnn.FastLSTM, nn.Sequential):
        shown = text(cls)
        for name in ("forward", "backward", "updateOutput", "zeroGradParameters", "parameters", "clone", "float", "training"):
            assert f" |  {name}(" in shown, (cls, name)
        assert "``help(nn.Module)`` has all methods of modules" in shown
    for name in ("noBias", "reset", "__init__"):
        assert f" |  {name}(" in text(nn.Linear)
    assert " |  insert(" in text(nn.Sequential) and " |  ceil(" in text(nn.SpatialMaxPooling)


def test_a_base_has_all_its_own_methods() -> None:
    for base in (nn.Module, nn.Container, nn.Criterion, rnn.AbstractRecurrent, nn.tuning.Tuning):
        own = {name for name, value in vars(base).items() if inspect.isfunction(value) and not name.startswith("_")}
        assert own and own <= {*dir(base)}


def test_objects_and_classes_have_everything() -> None:
    layer = nn.Linear(3, 2)
    for name in ("weightDecay", "remember", "half", "new", "stepClone", "weight", "__deepcopy__"):
        assert name in dir(layer) and hasattr(layer, name) and hasattr(nn.Linear, name)
    assert isinstance(layer, nn.Module) and not isinstance(3, nn.Module) and issubclass(nn.Linear, nn.Module)
    assert np.ones(3).view(t7.Storage).sum() == 3 and isinstance(np.ones(1).view(t7.Storage), np.ndarray)


def test_a_class_of_ones_own() -> None:
    class Base(nn.Module, ABC):
        @abstractmethod
        def factor(self) -> float: ...

        def updateOutput(self, input):
            self.output = input * self.factor()
            return self.output

    class Twice(Base):
        def factor(self) -> float:
            """The factor."""
            return 2

    with pytest.raises(TypeError, match="abstract"):
        Base()  # type: ignore[abstract]
    assert Twice().forward(np.float32([1]))[0] == 2 and " |  factor(" in text(Twice) and " |  updateOutput(" in text(Twice)
    assert isinstance(Twice(), Base) and pl.typename(Twice()) == "Twice"
