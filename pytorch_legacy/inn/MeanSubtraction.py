"""The mean image, or the mean of each channel, taken off."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import ArrayField


class MeanSubtraction(Module):
    """Subtracts a fixed mean from each sample::

        output = input - mean

    Parameters
    ----------
    mean : array of C x H x W, or of C
        A mean of C is that of the channels.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to the same. It stands in front of a network, and computes no gradient of its input: ``gradInput``
    stays empty, as in Torch7.
    Source: imagine-nn ``MeanSubtraction``.

    Examples
    --------
    >>> layer = inn.MeanSubtraction(np.float32([10, 20]))  # one mean for each channel
    >>> layer.forward(np.float32([[[11, 12]], [[23, 24]]])).tolist()
    [[[1.0, 2.0]], [[3.0, 4.0]]]
    """

    mean: Tensor
    _arrayFields = (ArrayField("mean"),)

    def __init__(self, mean: Any) -> None:
        super().__init__()
        self.mean = self._constant("mean", mean)

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input, 3, 4).shape)
        if self.mean.ndim == 1:
            mean = check.shape(self, "mean", self.mean, input.shape[-3:-2])[:, None, None]
        else:
            mean = check.spread(self, "mean", self.mean, input.shape)
        np.subtract(input, mean, out=output)
        return output
