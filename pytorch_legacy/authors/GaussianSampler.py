"""Samples of normal distributions."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import NullError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear


class GaussianSampler(Module):
    """Draws from normal distributions, in training and in evaluation, so that gradients reach their parameters.

    .. math:: y = \\mu + e^{s / 2} \\epsilon, \\quad \\epsilon \\sim \\mathcal{N}(0, 1)

    Takes a list of two: means, and logarithms of variances.

    Attributes
    ----------
    eps : array
        The noise that was drawn last.

    Raises
    ------
    ShapeError
        If the two arrays have different shapes.
    NullError
        If ``backward`` comes before a forward pass.

    Notes
    -----
    Shapes: a list of two arrays of one shape, which is any, to this shape.
    Other authors' classes of this name have other fields (`mean` and `std`, or `keep_long`); they give an nn.Unknown.
    Source: published variational autoencoders; Kingma & Welling 2013.

    Examples
    --------
    >>> layer, mean = authors.GaussianSampler(), np.float32([5, 6])
    >>> y = layer.forward([mean, np.zeros(2, np.float32)])  # with variance 1
    >>> np.allclose(y, mean + layer.eps)
    True
    >>> layer.forward([mean, np.full(2, -99, np.float32)])  # with hardly any variance
    array([5., 6.], dtype=float32)
    """

    _file = Form(formerly={"randnOut": "eps"}, kinds={"eps": "a tensor of floating-point numbers"})

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []
        self.eps = np.empty(0, self._dtype)

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        mean, log = self._given(input)
        self.eps = random.normal(0, 1, mean.shape, np.float64, self._onDevice).astype(self._dtype)
        output = self._resize("output", mean.shape, mustNotOverlap=[mean, log])
        np.multiply(compute.exp(log / 2), self.eps, out=output)
        output += mean
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        mean, log = self._given(input)
        check.like(self, "gradOutput", gradOutput, mean)
        eps = getattr(self, "eps", None)
        if eps is None or eps.shape != mean.shape:
            raise NullError(f"{self._typename}: updateGradInput: expected the input of the last forward")
        gradInput = self._resizeTable("gradInput", [mean.shape] * 2, mustNotOverlap=[mean, log, gradOutput])
        gradInput[0][...] = gradOutput
        gradInput[1][...] = gradOutput * compute.exp(log / 2) * eps / 2
        return gradInput

    def clearState(self) -> Self:
        clear(self, "eps")
        return super().clearState()

    def _given(self, input: Any) -> list[Tensor]:
        return check.alike(self, "input", input, 2)

    @classmethod
    def _claims(cls, fields: Any) -> bool:
        return not {"mean", "std", "keep_long"} & fields.keys()
