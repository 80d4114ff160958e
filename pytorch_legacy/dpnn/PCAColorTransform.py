"""Random colours along the principal components."""

from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.dpnn.ColorTransform import ColorTransform
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.objects import ArrayField


class PCAColorTransform(ColorTransform):
    """Adds to each picture one random colour while training, a combination of principal components::

        output    = input + eigenVectors @ (alphas * eigenValues)      alphas normal with deviation std
        gradInput = gradOutput

    In evaluation the input passes unchanged.

    Parameters
    ----------
    inputChannels : int
        Number of planes C.
    eigenVectors : array of C x C
        The principal components of the colours of pixels, as columns of the product above.
    eigenValues : array of C
    std : float
        Standard deviation of the alphas.

    Raises
    ------
    ShapeError
        If sizes do not fit together.

    Notes
    -----
    Shape ``(N x) C x H x W``. Fields ``alphas``, C x N and multiplied by the eigenvalues, and ``noise``, N x C, hold what was
    drawn and added last. Unlike Torch7's, the layer also runs backward in evaluation. Source: Element-Research dpnn
    ``PCAColorTransform``; Krizhevsky et al., "ImageNet classification with deep convolutional neural networks" (2012).

    Examples
    --------
    >>> _ = pl.manualSeed(1)
    >>> layer = dpnn.PCAColorTransform(3, np.eye(3), np.float32([1, 0, 0]))  # the first plane only varies
    >>> layer.forward(np.zeros((1, 3, 2, 2), np.float32))[0, :, 0, 0].round(3)
    array([-0.297,  0.   ,  0.   ], dtype=float32)
    """

    _buffers = ("noise", "alphas")
    alphas: Tensor
    _arrayFields = (
        ArrayField("eigenVectors", lambda layer: (layer.inputChannels,) * 2),
        ArrayField("eigenValues", lambda layer: (layer.inputChannels,)),
    )

    _file = Form(
        defaults={"std": 0.1},
        kinds={"eigenVectors": "a tensor of floating-point numbers", "eigenValues": "a tensor of floating-point numbers"},
        dimensions={"eigenVectors": 2, "eigenValues": 1},
    )

    def __init__(self, inputChannels: int, eigenVectors: Any, eigenValues: Any, std: float = 0.1) -> None:
        super().__init__(inputChannels)
        self.eigenVectors = check.shape(self, "eigenVectors", self._constant("eigenVectors", eigenVectors), (inputChannels,) * 2)
        self.eigenValues = check.shape(self, "eigenValues", self._constant("eigenValues", eigenValues), (inputChannels,))
        self.std = std

    def _sampleNoise(self, batch: tuple[int, ...]) -> Tensor:
        count = batch[0] if batch else 1
        self.alphas = random.normal(0, self.std, (self.inputChannels, count), self._dtype, self._onDevice)
        self.alphas *= self.eigenValues[:, None]
        return np.ascontiguousarray(compute.matmul(self.eigenVectors, self.alphas).T, like=self.alphas)

    def __repr__(self) -> str:
        return f"{self._typename} channels: {self.inputChannels}, std: {self.std:f}"
