"""The rectified linear unit whose leak is learned."""

from typing import Any

import numpy as np

from pytorch_legacy import mending
from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class PReLU(Module):
    """Scales elements that are not positive by a slope that is learned, one for all or one for each channel.

    .. math:: y = x \\text{ if } x > 0 \\text{ else } w_c x

    Parameters
    ----------
    nOutputPlane : int
        The number of channels; 0 is one slope for all elements.

    Attributes
    ----------
    weight, gradWeight
        The slopes, 0.25 at first, and their gradients: ``nOutputPlane``, or one if that is 0.

    Notes
    -----
    Shapes: any if there is one slope; otherwise ``C``, ``N x C``, ``N x C x L``, ``N x C x H x W`` and so on, with
    ``C = nOutputPlane``: three dimensions are a batch, not an image. The output has the shape of the input. Weight
    decay would pull the slopes towards that of a ReLU.
    Source: Torch7 ``nn.PReLU``; He et al., "Delving Deep into Rectifiers" (2015); C: ``THNN/activation/PReLU.c``.
    """

    _dropped = ("gradWeightBuf", "gradWeightBuf2")  # of the GPU

    weight: Tensor

    def __init__(self, nOutputPlane: int = 0) -> None:
        super().__init__()
        self.nOutputPlane = check.count(self, "nOutputPlane", nOutputPlane, 0)
        self._newParameters(weight=nOutputPlane or 1)
        self.weight.fill(0.25)

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "PReLU_updateOutput", input, output, self.weight, self.nOutputPlane)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "PReLU_updateGradInput", input, gradOutput, gradInput, self.weight, self.nOutputPlane)
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        call(self, "PReLU_accGradParameters", input, gradOutput, self.gradWeight, self.nOutputPlane, scale)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        slopes = np.size(fields.get("weight", 0))
        super()._fromTorch7(mending.fill(self, fields, nOutputPlane=slopes if slopes > 1 else 0), version)
