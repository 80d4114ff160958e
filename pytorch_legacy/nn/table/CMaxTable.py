"""The largest of several arrays, element by element."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class CMaxTable(Module):
    """Takes the largest of the elements in each place of the arrays of a list::

        output       = max(input[0], input[1], ...)
        gradInput[i] = gradOutput where input[i] was the first of the largest, else 0

    Notes
    -----
    All inputs have as many elements; as in Torch7, the others are read in row-major order if their shape is not the first's.
    A NaN is taken before all numbers; in Torch7 it counted only in the first array. Source: Torch7 nn.CMaxTable.

    Examples
    --------
    >>> layer, x = nn.CMaxTable(), [np.float32([1, 5]), np.float32([2, 4])]
    >>> layer.forward(x)
    array([2., 5.], dtype=float32)
    >>> layer.backward(x, np.float32([7, 8]))  # to those that were taken
    [array([0., 8.], dtype=float32), array([7., 0.], dtype=float32)]
    """

    # A comparison that is true if the first element is not better, and a function that returns the better elements of two arrays.
    _yields: Any = np.less_equal
    _better: Any = staticmethod(blocks.larger)

    _file = Form(scratch=dict.fromkeys(("maxVals", "maxIdx", "mask", "gradMaxVals")))

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        first, *others = check.terms(self, "input", input)
        output = self._resize("output", input[0].shape, mustNotOverlap=others)
        target = output.reshape(first.shape)
        if not others:
            np.copyto(target, first)
        for other in others:
            first = blocks.apply(self._better, first, other, out=target)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        inputs = check.terms(self, "input", input)
        gradOutput = check.gradient(self, gradOutput, input[0])
        check.shape(self, "input of the last forward", self.output, input[0].shape)
        gradInput = self._resizeTable("gradInput", [array.shape for array in input], mustNotOverlap=[input, gradOutput])
        first, *others = (gradient.reshape(inputs[0].shape) for gradient in gradInput)
        blocks.elements(self._share, first, gradOutput.reshape(first.shape), *others, *inputs)
        return gradInput

    @classmethod
    def _share(cls, first: Tensor, g: Tensor, *rest: Tensor) -> None:
        """Give `g` to the winners' gradients: `first`, and as many of `rest` as there are others, before the inputs."""
        gradients, inputs = (first, *rest[: len(rest) // 2]), rest[len(rest) // 2 :]
        small = np.uint8 if len(inputs) < 256 else np.int32
        best, winner = inputs[0], np.zeros_like(inputs[0], small)
        for i, other in enumerate(inputs[1:], 1):
            better = ~cls._yields(other, best) & (best == best)  # a NaN beats all numbers
            winner = compute.maximum(winner, better * small(i))
            if i + 1 < len(inputs):
                best = np.where(better, other, best)
        for i, gradient in enumerate(gradients):
            blocks.masked(gradient, g, winner == i)
