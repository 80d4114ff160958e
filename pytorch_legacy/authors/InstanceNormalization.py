"""Normalisation of each plane by itself, as in networks for style transfer."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import nn, random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.objects import ArrayField


class InstanceNormalization(nn.SpatialInstanceNormalization):
    """Gives each plane of each sample mean 0 and variance 1, then a learned scale and shift of its channel.

    .. math:: y = \\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}} \\, weight + bias

    with mean and variance of the plane, when training and after ``evaluate()`` alike.

    Parameters
    ----------
    nOutput : int
        Number of channels.
    eps : float
        Keeps the root away from zero.

    Attributes
    ----------
    weight, bias, gradWeight, gradBias : array of nOutput
        Initially uniform in [0, 1), and 0. None in files of variants without them.
    disabled : bool
        Pass everything through, as a variant could.

    Raises
    ------
    ShapeError
        If the input is not 3-D or 4-D with nOutput channels, or its planes have one cell only.

    Notes
    -----
    Shapes: ``(N x) nOutput x H x W``.
    The original ran a SpatialBatchNormalization over a batch of one with N * nOutput channels (field `bn`), which Torch7 of
    August 2017 and later silently normalised by running statistics instead. Here it is always the plane.
    Source: fast-neural-style ``InstanceNormalization``, also in CycleGAN, texture_nets and AdaIN-style; Ulyanov et al. 2016.

    Examples
    --------
    >>> layer = authors.InstanceNormalization(1)
    >>> layer.weight[:] = 1
    >>> layer.forward(np.float32([[[[1, 3]]], [[[10, 90]]]])).round(3).tolist()  # each sample by itself
    [[[[-1.0, 1.0]]], [[[-1.0, 1.0]]]]
    """

    _file = Form(private=("save_mean", "save_std"), kinds={"prev_N": "a whole number"})
    _arrayFields = (
        ArrayField("weight", lambda layer: (layer.nOutput,), ("weight", "gradWeight")),
        ArrayField("bias", lambda layer: (layer.nOutput,), ("bias", "gradBias")),
    )
    disabled = False
    eps = 1e-5

    def __init__(self, nOutput: int, eps: float = 1e-5) -> None:
        self.nOutput = nOutput
        self.prev_N = -1
        super().__init__(nOutput, eps)

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new weight; `stdv` is not used."""
        self.weight[...] = random.uniform(0, 1, self.weight.shape, self._dtype, self._onDevice)
        self.bias.fill(0)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        if self.disabled:
            self.output = input
            return input
        return super().updateOutput(input)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        if self.weight is not None:
            super().accGradParameters(input, gradOutput, scale)

    def backward(self, input: Tensor, gradOutput: Any = None, scale: float = 1.0) -> Any:
        if self._isReplaced("updateGradInput", "accGradParameters"):
            return super().backward(input, gradOutput, scale)
        input, gradOutput = self._handed(input, gradOutput)
        return self._backward(input, gradOutput, scale, toInput=True, toParameters=self.weight is not None)

    def __repr__(self) -> str:
        return self._typename

    def _backward(self, input: Tensor, gradOutput: Tensor, scale: float, *, toInput: bool, toParameters: bool) -> Any:
        if self.disabled:
            self.gradInput = gradOutput
            return gradOutput
        return super()._backward(input, gradOutput, scale, toInput=toInput, toParameters=toParameters)

    def _channels(self) -> int:
        return self.nOutput

    def _ofPlanes(self, planes: tuple[int, ...]) -> list[Any]:
        if self.weight is not None:
            return super()._ofPlanes(planes)
        return [None, None, *np.zeros((2, planes[1]), self._dtype, like=self.weight)]
