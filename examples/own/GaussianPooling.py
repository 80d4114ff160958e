"""Means of windows under a Gaussian whose variance is learned: pooling that finds out by itself how far it looks."""

from math import log
from pathlib import Path

import pytorch_legacy as pl

pl.extension.load(Path(__file__).with_name("GaussianPooling.c"))


@pl.register("own.GaussianPooling")
class GaussianPooling(pl.extension.Learner):
    """Mean of each window, weighted by a Gaussian in its middle. Each plane learns the variance of its own.

    A large variance is average pooling, a small one takes the cell in the middle.

    Parameters
    ----------
    nInputPlane : int
        Number of planes.
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side, which have no weight.
    variance : float
        What each plane begins with, in cells.

    Attributes
    ----------
    weight, gradWeight : array of nInputPlane
        The logarithm of each plane's variance, so that every step leaves one.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``.

    Examples
    --------
    >>> import numpy as np
    >>> pool = GaussianPooling(1, 3, 1, variance=1 / (2 * np.log(2)))  # a cell beside the middle weighs half
    >>> pool.forward(np.float32([[[1, 2, 7]]])).round(4)  # (1 / 2 + 2 + 7 / 2) / 2
    array([[[3.]]], dtype=float32)
    """

    _layer = "GaussianPooling"
    _names = {"logVariance": "weight", "gradLogVariance": "gradWeight"}  # the fields of the arguments with other names

    def __init__(
        self, nInputPlane: int, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0,
        variance: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__()
        if not variance > 0:
            raise ValueError(f"{self._typename}: variance: expected a number above 0, got {variance}")
        self.kW, self.kH = kW, kH
        self.dW, self.dH = kW if dW is None else dW, kH if dH is None else dH
        self.padW, self.padH = padW, padH
        self.variance = variance
        pl.extension.new_parameters(self, weight=pl.extension.check.count(self, "nInputPlane", nInputPlane))
        self.reset()

    def reset(self) -> "GaussianPooling":
        """Starts again, and returns self."""
        self.weight[...] = log(self.variance)
        return self

    def __repr__(self) -> str:
        return f"{self._typename}({self.weight.size}, {self.kW}x{self.kH}, {self.dW},{self.dH}, {self.padW},{self.padH})"
