"""Noise in the last channels."""

from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class NoiseFill(Module):
    """Replaces the last channels of images by noise, in training and in evaluation.

    .. math:: y_{n,c} = x_{n,c} \\text{ if } c < C - num\\_noise\\_channels, \\text{ else } mult \\cdot u_{n,c},
              \\quad u \\sim \\mathcal{U}[0, 1)

    Parameters
    ----------
    num_noise_channels : int
        Number of channels that become noise.

    Attributes
    ----------
    mult : float
        Factor of the noise, 1 at first.

    Raises
    ------
    ShapeError
        If the input is not 4-D, or has fewer channels.

    Notes
    -----
    Shapes: ``N x C x H x W``. The gradient of the replaced channels is zero; the original returned gradOutput there, and its
    first version also wrote the noise over the input.
    Other authors changed the class so that it appends channels. A file of theirs has other fields, and gives an nn.Unknown.
    Source: texture_nets ``NoiseFill``.

    Examples
    --------
    >>> layer = authors.NoiseFill(1)
    >>> _ = pl.manualSeed(1)
    >>> layer.forward(np.float32([5, 6]).reshape(1, 2, 1, 1)).round(3).ravel()
    array([5.   , 0.417], dtype=float32)
    """

    _file = Form(defaults={"mult": 1.0}, kinds={"num_noise_channels": "a whole number", "mult": "a number"})

    def __init__(self, num_noise_channels: int) -> None:
        super().__init__()
        self.num_noise_channels = check.count(self, "num_noise_channels", num_noise_channels, 0)
        self.mult = 1.0

    def updateOutput(self, input: Tensor) -> Tensor:
        kept = self._kept(input)
        output = self._resize("output", input.shape, mustNotOverlap=input)
        output[:, :kept] = input[:, :kept]
        noise = random.uniform(0, 1, output[:, kept:].shape, self._dtype, self._onDevice)
        np.multiply(noise, self._dtype.type(self.mult), out=output[:, kept:])
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        kept = self._kept(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), input.shape)
        gradInput = self._zeros("gradInput", input, mustNotOverlap=gradOutput)
        gradInput[:, :kept] = gradOutput[:, :kept]
        return gradInput  # type: ignore[no-any-return]

    def _kept(self, input: Any) -> int:
        """Returns the number of channels that stay."""
        channels = check.tensor(self, "input", input, 4).shape[1]
        if channels < self.num_noise_channels:
            wanted = f"{self.num_noise_channels} channels or more"
            raise ShapeError(f"{self._typename}: input: expected {wanted}, got {channels} ({sizes(input.shape)})")
        return int(channels) - self.num_noise_channels

    @classmethod
    def _claims(cls, fields: Any) -> bool:
        return not {"buffer", "n_colors"} & fields.keys()
