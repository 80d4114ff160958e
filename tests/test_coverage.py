"""Nothing of Torch7 is forgotten: its classes and its C functions are here.

torch_nn_classes.txt has all classes of torch/nn, thnn_functions.txt all functions of the original THNN.h.
"""

from __future__ import annotations

from pathlib import Path

from pytorch_legacy import nn
from tests.capi import FUNCTIONS

HERE = Path(__file__).parent
CLASSES = (HERE / "torch_nn_classes.txt").read_text(encoding="utf-8").split()
ORIGINAL = (HERE / "thnn_functions.txt").read_text(encoding="utf-8").split()


def test_lists_are_whole() -> None:
    assert len(CLASSES) == len(set(CLASSES)) == 190
    assert len(ORIGINAL) == len(set(ORIGINAL)) == 185


def test_every_class_is_here() -> None:
    assert not [name for name in CLASSES if not (name in nn.__all__ and isinstance(getattr(nn, name), type))]


def test_every_function_is_declared() -> None:
    declared = {function.name for function in FUNCTIONS}
    assert [name for name in ORIGINAL if name not in declared] == []
