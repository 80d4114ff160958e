"""Convolution with filters of their own for each place."""

from math import sqrt
from typing import Any, Self

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.fields import reshape
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Learner


class SpatialConvolutionLocal(Learner):
    """Convolves planes with filters that differ from place to place (untied weights).

    .. math:: y_{o,h,w} = b_{o,h,w} + \\sum_{c,i,j} W_{h,w,o,c,i,j} \\, x_{c,\\; h dH + i - padH,\\; w dW + j - padW}

    with x = 0 outside its planes.

    Parameters
    ----------
    nInputPlane, nOutputPlane : int
        Number of planes before and after.
    iW, iH : int
        Width and height of the input, which is always the same.
    kW, kH : int
        Width and height of a filter.
    dW, dH : int
        Steps of the filters.
    padW, padH : int, optional
        Zeros on either side; padH is as padW if not given.

    Attributes
    ----------
    oW, oH : int
        Width and height of the output.
    weight, gradWeight : array of oH x oW x nOutputPlane x nInputPlane x kH x kW
    bias, gradBias : array of nOutputPlane x oH x oW

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes of iH x iW, the filter does not fit, or a number is out
        of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x iH x iW`` to ``(N x) nOutputPlane x oH x oW`` with
    oH = floor((iH + 2 padH - kH) / dH) + 1, oW likewise.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kW kH nInputPlane).
    Source: Torch7 ``nn.SpatialConvolutionLocal``; C: ``THNN/convolution/SpatialConvolutionLocal.c``.

    Examples
    --------
    >>> layer = nn.SpatialConvolutionLocal(1, 1, 3, 1, 2, 1)  # for planes of 1 x 3: two places
    >>> layer.weight[0, 0], layer.weight[0, 1], layer.bias[...] = [1, 1], [1, -1], 0
    >>> layer.forward(np.float32([[[1, 2, 5]]]))  # 1 + 2, 2 - 5
    array([[[ 3., -3.]]], dtype=float32)
    """

    _layer = "SpatialConvolutionLocal"
    _names = {"inputWidth": "iW", "inputHeight": "iH", "outputWidth": "oW", "outputHeight": "oH"}
    weight: Tensor
    gradWeight: Tensor
    bias: Tensor
    gradBias: Tensor
    _file = Form(dropped=("finput", "fgradInput", "_input", "_gradOutput"), defaults={"dW": 1, "dH": 1, "padW": 0, "padH": 0})

    def __init__(
        self,
        nInputPlane: int,
        nOutputPlane: int,
        iW: int,
        iH: int,
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
        self.iW, self.iH = check.count(self, "iW", iW), check.count(self, "iH", iH)
        self.kW, self.kH = check.count(self, "kW", kW), check.count(self, "kH", kH)
        self.dW, self.dH = check.count(self, "dW", dW), check.count(self, "dH", dH)
        self.padW = check.count(self, "padW", padW, 0)
        self.padH = self.padW if padH is None else check.count(self, "padH", padH, 0)
        self.oW = (self.iW + 2 * self.padW - self.kW) // self.dW + 1
        self.oH = (self.iH + 2 * self.padH - self.kH) // self.dH + 1
        if self.oW < 1 or self.oH < 1:
            raise ShapeError(
                f"{self._typename}: input: expected at least the kernel, {self.kH} x {self.kW}, "
                f"got {self.iH + 2 * self.padH} x {self.iW + 2 * self.padW} with its padding"
            )
        self._newParameters(weight=self._weightShape(), bias=(self.nOutputPlane, self.oH, self.oW))
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self.kW * self.kH * self.nInputPlane) if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice)
        return self

    def _weightShape(self) -> tuple[int, ...]:
        return self.oH, self.oW, self.nOutputPlane, self.nInputPlane, self.kH, self.kW

    def __repr__(self) -> str:
        text = f"{self._typename}({self.nInputPlane} -> {self.nOutputPlane}, {self.iW}x{self.iH}, {self.kW}x{self.kH}"
        if (self.dW, self.dH, self.padW, self.padH) != (1, 1, 0, 0):
            text += f", {self.dW},{self.dH}"
        if self.padW or self.padH:
            text += f", {self.padW},{self.padH}"
        return text + ")"

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """A file that was saved in the middle of a pass, by an error, has its weight with three dimensions."""
        super()._fromTorch7(fields, version)
        for name in ("weight", "gradWeight"):
            reshape(self, name, self._weightShape())
