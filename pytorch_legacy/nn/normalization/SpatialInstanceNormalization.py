"""Normalisation of each plane by itself."""

from math import prod
from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import NullError, ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.objects import ArrayField


class SpatialInstanceNormalization(Native):
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
        The scale, initially 1, the shift, initially 0, and their gradients.

    Raises
    ------
    ShapeError
        If the input is not 3-D or 4-D with nOutput channels, or its planes have one cell only.

    Notes
    -----
    Shapes: ``(N x) nOutput x H x W``.
    To BatchNormalization these are N * nOutput channels of one sample.
    Torch7 has no such layer. C: ``THNN/normalization/BatchNormalization.c``.

    Examples
    --------
    >>> layer = nn.SpatialInstanceNormalization(2)
    >>> np.round(layer.forward(np.float32([[[1, 3]], [[10, 30]]])), 3).tolist()
    [[[-1.0, 1.0]], [[-1.0, 1.0]]]
    """

    weight: Tensor
    bias: Tensor
    gradWeight: Tensor
    gradBias: Tensor
    _arrayFields = (ArrayField("weight", 1), ArrayField("bias", lambda layer: layer.weight.shape))
    save_mean: Tensor | None = None
    save_std: Tensor | None = None

    _layer = "BatchNormalization"  # run on one sample, whose channels are the planes of all samples
    _file = Form(defaults={"eps": 1e-05})

    def __init__(self, nOutput: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self._newParameters(weight=check.count(self, "nOutput", nOutput), bias=nOutput)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Goes back to weight 1 and bias 0; `stdv` is not used."""
        self.weight.fill(1)
        self.bias.fill(0)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        planes = self._planes(input)
        output = self._resize("output", input.shape, mustNotOverlap=input)
        mean, std = self._resize("save_mean", planes[1:2]), self._resize("save_std", planes[1:2])
        weight, bias, *running = self._ofPlanes(planes)
        if input.size:
            arrays = input.reshape(planes), output.reshape(planes), weight, bias, *running, mean, std
            self._call("updateOutput", *arrays, True, 0.0)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Any:
        return self._backward(input, gradOutput, 1.0, toInput=True, toParameters=False)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        self._backward(input, gradOutput, scale, toInput=False, toParameters=True)

    def backward(self, input: Tensor, gradOutput: Any = None, scale: float = 1.0) -> Any:
        """Both gradients at once, for they need the same sums."""
        if self._isReplaced("updateGradInput", "accGradParameters"):
            return super().backward(input, gradOutput, scale)
        input, gradOutput = self._handed(input, gradOutput)
        return self._backward(input, gradOutput, scale, toInput=True, toParameters=True)

    def clearState(self) -> Self:
        self.save_mean = self.save_std = None
        return super().clearState()

    def __repr__(self) -> str:
        return f"{self._typename} ({self.weight.size})"

    def _backward(self, input: Tensor, gradOutput: Tensor, scale: float, *, toInput: bool, toParameters: bool) -> Any:
        planes = self._planes(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), input.shape)
        if self.save_mean is None or self.save_mean.shape != planes[1:2]:
            raise NullError(f"{self._typename}: save_mean: expected what forward keeps of {planes[1]} planes")
        gradInput = gradWeight = gradBias = None
        if toInput and self.gradInput is not None:
            gradInput = self._resize("gradInput", input.shape, mustNotOverlap=[input, gradOutput])
        if toParameters:
            gradWeight, gradBias = np.zeros((2, planes[1]), self._dtype, like=input)
        weight, _, *running = self._ofPlanes(planes)
        if input.size:
            flat = (None if array is None else array.reshape(planes) for array in (input, gradOutput, gradInput))
            statistics = *running, self.save_mean, self.save_std
            self._call("backward", *flat, gradWeight, gradBias, weight, *statistics, True, scale)
        if gradWeight is not None and gradBias is not None:
            self.gradWeight += compute.sum(gradWeight.reshape(-1, self.weight.size), 0, dtype=np.float64)
            self.gradBias += compute.sum(gradBias.reshape(-1, self.weight.size), 0, dtype=np.float64)
        return self.gradInput

    def _planes(self, input: Tensor) -> tuple[int, int, int, int]:
        """The shape of the checked input as one sample, whose channels are the planes of all samples."""
        *batch, channels, height, width = check.tensor(self, "input", input, 3, 4).shape
        if channels != self._channels():
            raise ShapeError(f"{self._typename}: input: expected {self._channels()} channels, got {channels}")
        if height * width == 1:
            raise ShapeError(f"{self._typename}: input: expected planes of more than one cell, got {sizes(input.shape)}")
        return 1, prod(batch) * channels, height, width

    def _channels(self) -> int:
        return self.weight.size

    def _ofPlanes(self, planes: tuple[int, ...]) -> list[Tensor]:
        """Weight and bias of each plane, and the running statistics that BatchNormalization wants to have."""
        samples = planes[1] // self.weight.size
        return [
            np.tile(self.weight, samples),
            np.tile(self.bias, samples),
            *np.zeros((2, planes[1]), self._dtype, like=self.weight),
        ]
