"""Convolution of planes."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class SpatialConvolution(Module):
    """Convolves planes with a bank of learned filters.

    .. math:: y_{o,h,w} = b_o + \\sum_{c,i,j} W_{o,c,i,j} \\, x_{c,\\; h dH + i - padH,\\; w dW + j - padW}

    with x = 0 outside its planes. (The filter is not turned over: a cross-correlation, as everywhere in Torch7.)

    Parameters
    ----------
    nInputPlane, nOutputPlane : int
        Number of planes before and after.
    kW, kH : int
        Width and height of a filter.
    dW, dH : int
        Steps of the filters.
    padW, padH : int, optional
        Zeros on either side; padH is as padW if not given.

    Attributes
    ----------
    weight, gradWeight : array of nOutputPlane x nInputPlane x kH x kW
    bias, gradBias : array of nOutputPlane, or None after ``noBias()``

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, the filter does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) nOutputPlane x oH x oW`` with
    oH = floor((H + 2 padH - kH) / dH) + 1, oW likewise.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kW kH nInputPlane).
    Source: Torch7 ``nn.SpatialConvolution``; C: ``THNN/convolution/SpatialConvolutionMM.c``.
    """

    weight: Tensor
    gradWeight: Tensor

    def __init__(
        self,
        nInputPlane: int,
        nOutputPlane: int,
        kW: int,
        kH: int,
        dW: int = 1,
        dH: int = 1,
        padW: int = 0,
        padH: int | None = None,
    ) -> None:
        super().__init__()
        self.nInputPlane = check.count(self, "nInputPlane", nInputPlane)
        self.nOutputPlane = check.count(self, "nOutputPlane", nOutputPlane)
        self.kW, self.kH = check.count(self, "kW", kW), check.count(self, "kH", kH)
        self.dW, self.dH = dW, dH
        self.padW, self.padH = padW, padW if padH is None else padH
        self.weight = np.empty(self._weightShape(), np.float32)
        self.bias = np.empty(self._biasShape(), np.float32)
        self.gradWeight = np.zeros(self._weightShape(), np.float32)
        self.gradBias = np.zeros(self._biasShape(), np.float32)
        self.reset()

    def noBias(self) -> Self:
        """Drops the bias and returns self."""
        self.bias = self.gradBias = None
        return self

    def reset(self, stdv: float | None = None) -> None:
        """Draws new parameters, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self.kW * self.kH * self.nInputPlane) if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype)
        if self.bias is not None:
            self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype)

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input)
        shape = output_size(self, "SpatialConvolutionMM_outputSize", input, self.weight, *self._window)
        output = self._resize("output", shape)
        call(self, "SpatialConvolutionMM_updateOutput", input, output, self.weight, self.bias, *self._window)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        if self.gradInput is None:
            return None
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "SpatialConvolutionMM_updateGradInput", input, gradOutput, gradInput, self.weight, *self._window)
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        call(self, "SpatialConvolutionMM_accGradParameters", input, gradOutput, self.gradWeight, self.gradBias,
             *self._window, scale)  # fmt: skip

    @property
    def _window(self) -> tuple[int, int, int, int, int, int]:
        return self.kW, self.kH, self.dW, self.dH, self.padW, self.padH

    def _weightShape(self) -> tuple[int, ...]:
        return self.nOutputPlane, self.nInputPlane, self.kH, self.kW

    def _biasShape(self) -> tuple[int, ...]:
        return (self.nOutputPlane,)

    def __repr__(self) -> str:
        text = f"{self._typename}({self.nInputPlane} -> {self.nOutputPlane}, {self.kW}x{self.kH}"
        if (self.dW, self.dH, self.padW, self.padH) != (1, 1, 0, 0):
            text += f", {self.dW},{self.dH}"
        if self.padW or self.padH:
            text += f", {self.padW},{self.padH}"
        return text + ")" + (" without bias" if self.bias is None else "")

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """Old files have one `padding`, or none, or a flat weight; scratch memory stays behind."""
        fields = dict(fields)
        for name in ("finput", "fgradInput", "_input", "_gradOutput"):
            fields.pop(name, None)
        padding = fields.pop("padding", None) or 0
        for name in ("padW", "padH"):
            if fields.get(name) is None:
                fields[name] = padding
        super()._fromTorch7(fields, version)
        for name in ("weight", "gradWeight"):
            weight = getattr(self, name)
            if weight is not None and weight.size:
                setattr(self, name, weight.reshape(self._weightShape()))
