"""One of several outputs."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import recursiveCopy


class AuxiliaryLossTable(Module):
    """Passes a table of arrays on in training, and one of them in evaluation.

    Parameters
    ----------
    i : int
        The one.

    Notes
    -----
    Source: waifu2x ``AuxiliaryLossTable``; its `i` counts from 1.

    Examples
    --------
    >>> layer, x = authors.AuxiliaryLossTable(0), [np.float32([1]), np.float32([2])]  # (1) in Lua
    >>> layer.forward(x)
    [array([1.], dtype=float32), array([2.], dtype=float32)]
    >>> layer.evaluate().forward(x)
    array([1.], dtype=float32)
    """

    _typename = "w2nn.AuxiliaryLossTable"
    _file = Form(oneBased=("i",), defaults={"i": 0})

    def __init__(self, i: int = 0) -> None:
        super().__init__()
        self.i = i
        self.gradInput = []
        self.output_table: list[Tensor] = []
        self.output_tensor = np.empty(0, self._dtype)

    def updateOutput(self, input: list[Tensor]) -> Any:
        arrays = check.tensors(self, "input", input)
        if self.train:
            self.output = self.output_table = recursiveCopy(getattr(self, "output_table", None), arrays)
        else:
            chosen = arrays[check.place(self, "i", self.i, len(arrays))]
            self.output = self.output_tensor = recursiveCopy(getattr(self, "output_tensor", None), chosen)
        return self.output

    def updateGradInput(self, input: list[Tensor], gradOutput: list[Tensor]) -> list[Tensor]:
        check.like(self, "gradOutput", gradOutput, input)
        self.gradInput = recursiveCopy(self.gradInput, gradOutput)
        return self.gradInput
