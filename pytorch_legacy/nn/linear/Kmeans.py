"""Clusters learned on the way."""

from math import ceil
from typing import Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, sizes
from pytorch_legacy.objects import ArrayField


class Kmeans(Module):
    """Says for each row of a batch which centre is the nearest; its parameters are the centres.

    .. math:: y_n = \\arg\\min_k \\|x_n - w_k\\|^2, \\quad dw_k = \\frac{\\sum_{n: y_n = k} (w_k - x_n)}{c_k + \\epsilon},
              \\quad dx = 0

    where c is the number of rows of each centre: a step against the gradient moves a centre to the mean of its rows.

    Parameters
    ----------
    k, dim : int
        Number of centres, and of the elements of a row.
    scale : float, optional
        Takes the place of the `scale` of ``accGradParameters``.

    Attributes
    ----------
    weight, gradWeight : array of k x dim
    loss : float
        The sum of the squared distances of the last forward.
    clusterSampleCount : array of k
        Number of rows that were nearest to each centre in the last ``accGradParameters``.

    Raises
    ------
    ShapeError
        If the input is not ``N x dim``.

    Notes
    -----
    Shapes: ``N x dim`` to ``N``; the indices, which count from 0, are floating-point numbers. gradOutput may be None.
    The constant is 1e-7. The centres start uniform in [-1, 1). Source: Torch7 nn.Kmeans.

    Examples
    --------
    >>> layer, x = nn.Kmeans(2, 1), np.float32([[1], [2], [8]])
    >>> layer.weight[...] = [[0], [10]]
    >>> layer.forward(x)  # 1, 1, 2 in Lua
    array([0., 0., 1.], dtype=float32)
    >>> layer.zeroGradParameters().accGradParameters(x, None)
    >>> np.round(layer.updateParameters(1).weight, 4)
    array([[1.5],
           [8. ]], dtype=float32)
    """

    EPS = 1e-7
    weight: Tensor
    gradWeight: Tensor
    _arrayFields = (ArrayField("weight", lambda layer: (layer.k, layer.dim)),)
    scale: float | None = None

    _file = Form(defaults={"scale": None}, kinds={"dim": "a whole number", "k": "a number"}, dimensions={"weight": 2})
    _lua = Lua(outputs="indices")

    def __init__(self, k: int, dim: int, scale: float | None = None) -> None:
        super().__init__()
        self.k, self.dim = check.count(self, "k", k), check.count(self, "dim", dim)
        self.scale = scale
        self._newParameters(weight=(k, dim))
        self.clusterSampleCount = np.zeros(k, self._dtype)
        self.loss = 0.0
        self.reset()

    def reset(self, stdev: float | None = None) -> Self:
        """Draws new centres, uniform in [-stdev, stdev)."""
        limit = 1 if stdev is None else stdev
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        return self

    def initRandom(self, input: Tensor) -> Self:
        """Makes random rows of `input`, perhaps some of them twice, the centres."""
        rows = self._samples(input)
        self.weight[...] = rows[[random.random() % len(rows) for _ in range(self.k)]]
        return self

    def initKmeansPlus(self, input: Tensor, p: float = 0.95) -> Self:
        """Makes rows of `input` that are far from one another the centres.

        The first is a random row; each other one is a random one of those that are farthest from their nearest centre,
        the share 1 - `p` of all.
        """
        if not 0 <= p <= 1:
            raise ValueRangeError(f"{self._typename}: p: expected 0 to 1, got {p}")
        rows = self._samples(input)
        candidates = max(ceil((1 - p) * len(rows)), 1)
        self.weight[0] = rows[random.random() % len(rows)]
        distances = np.full_like(rows, np.inf, np.float64, shape=len(rows))
        for i in range(1, self.k):
            distances = compute.minimum(distances, compute.vector_norms(rows - self.weight[i - 1], 1)[:, 0])
            farthest = np.argsort(-distances, kind="stable")[:candidates]
            self.weight[i] = rows[farthest[random.random() % candidates]]
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        nearest, squares = self._nearest(input)
        output = self._resize("output", input.shape[:1])
        output[...] = nearest
        self.loss = float(compute.sum(squares, dtype=np.float64))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor | None = None) -> Tensor:
        self._check(input, gradOutput)
        gradInput: Tensor = self._zeros("gradInput", input)
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor | None = None, scale: float = 1.0) -> None:
        self._check(input, gradOutput)
        scale = scale if self.scale is None else self.scale
        nearest, _ = self._nearest(input)
        counts = np.bincount(nearest, minlength=self.k)
        self.clusterSampleCount = counts.astype(self._dtype)
        steps = np.zeros(self.weight.shape, like=self.weight)
        np.add.at(steps, nearest, self.weight[nearest] - input)
        self.gradWeight += scale * (steps / (counts[:, None] + self.EPS)).astype(self._dtype)

    def clearState(self) -> "Kmeans":
        clear(self, "_input", "_buffer")
        super().clearState()
        return self

    def _check(self, input: Tensor, gradOutput: Tensor | None) -> None:
        check.tensor(self, "input", input, 2)
        if input.shape[1] != self.dim:
            raise ShapeError(f"{self._typename}: input: expected {self.dim} columns, got {sizes(input.shape)}")
        if gradOutput is not None:
            check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), input.shape[:1])

    def _samples(self, input: Tensor) -> Tensor:
        self._check(input, None)
        if len(input) < self.k:
            raise ShapeError(f"{self._typename}: input: expected {self.k} or more rows, got {sizes(input.shape)}")
        return input

    def _nearest(self, input: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the index of the centre nearest to each row, and the square of its distance."""
        self._check(input, None)
        differences = self._resize("_buffer", (len(input), self.k, self.dim))
        np.subtract(self._contiguous("_input", input)[:, None], self.weight, out=differences)
        with np.errstate(over="ignore"):
            squares = compute.sum(np.square(differences), 2)
        least = compute.min(squares, 1)
        if not ((least >= np.finfo(self._dtype).tiny) & np.isfinite(least)).all():  # squares do not tell which is the least
            return compute.vector_norms(differences, 2)[:, :, 0].argmin(1), least
        return squares.argmin(1), least
