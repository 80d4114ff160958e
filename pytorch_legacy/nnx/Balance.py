"""Probabilities that use all categories alike."""

from typing import Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear


class Balance(Module):
    """Scales probabilities so that on average of the last batches all categories are equally probable, while training::

        prob      = mean over the cached rows / its sum
        output    = (input / prob) / sum           sum: that of the row of (input / prob)
        gradInput = gradOutput / sum / prob

    The gradient takes prob and sum for constants. In evaluation the input passes unchanged.

    Parameters
    ----------
    nBatch : int
        Number of batches that are remembered; 10 by default.

    Attributes
    ----------
    inputCache : array of N * nBatch x C
        The last batches, zeros where there was none yet. Another number of rows starts it anew.
    startIdx : int
        First row of `inputCache` for the next batch, counted from 0.

    Raises
    ------
    ShapeError
        If the input is not ``N x C``.

    Notes
    -----
    Unlike Torch7's, the layer runs backward in evaluation as it runs forward there. Source: nnx ``Balance``.

    Examples
    --------
    >>> layer = nnx.Balance(1)
    >>> layer.forward(np.float32([[0.75, 0.25], [0.25, 0.75]])).tolist()  # balanced already
    [[0.75, 0.25], [0.25, 0.75]]
    >>> layer.forward(np.float32([[0.5, 0.5], [1, 0]])).tolist()  # too much of the first category
    [[0.25, 0.75], [1.0, 0.0]]
    """

    _file = Form(
        oneBased=("startIdx",),
        defaults={"nBatch": 10},
        kinds={"batchSize": "a whole number", "startIdx": "a whole number", "inputCache": "a tensor", "nBatch": "a whole number"},
    )

    def __init__(self, nBatch: int = 10) -> None:
        super().__init__()
        self.nBatch = check.count(self, "nBatch", nBatch)
        self.inputCache, self.prob, self.sum = (np.empty(0, self._dtype) for _ in range(3))
        self.batchSize = 0
        self.startIdx = 0
        self.train = True

    def updateOutput(self, input: Tensor) -> Tensor:
        count, categories = check.tensor(self, "input", input, 2).shape
        check.count(self, "nBatch", self.nBatch)
        output = self._resize("output", input.shape)
        if not self.train:
            output[...] = input
            return output
        shape = count * self.nBatch, categories
        if self.batchSize != count or self.inputCache.shape != shape:
            self.inputCache = self._made("inputCache", shape, lambda: np.zeros(shape, self._dtype, like=input))
            self.batchSize, self.startIdx = count, 0
        self.inputCache[self.startIdx : self.startIdx + count] = input
        self.prob = compute.sum(self.inputCache, 0, keepdims=True)
        self.prob /= compute.sum(self.prob)
        np.divide(input, self.prob, out=output)
        self.sum = compute.sum(output, 1, keepdims=True)
        output /= self.sum
        self.startIdx += count
        if self.startIdx >= len(self.inputCache):
            self.startIdx = 0
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input, 2))
        gradInput = self._resize("gradInput", input.shape)
        gradInput[...] = gradOutput
        if self.train:
            check.shape(self, "sum of the last forward", self.sum, (len(input), 1))
            gradInput /= self.sum
            gradInput /= self.prob
        return gradInput

    def clearState(self) -> Self:
        clear(self, "inputCache", "prob", "sum")
        self.batchSize = 0
        return super().clearState()
