"""A convolution with the signs of its weights."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.convolution.SpatialConvolution import SpatialConvolution

SCRATCH = (
    "tempWeight",
    "alphas",
    "gradInputAlphas",
    "wmask",
    *(f"_temp{kind}Alphas{form}" for kind in ("", "Grad") for form in ("", "Expanded", "Samples")),
    *(f"_gradWeightAlphas{form}" for form in ("", "Expanded", "Samples")),
)


class SpatialBinaryConvolution(SpatialConvolution):
    """Convolves planes with filters of 1 and -1, the signs of the weights, and scales each plane of the output.

    .. math:: y_o = a_o \\, (sign(W_o) * x), \\quad a_o = mean_{c,i,j} |W_{o,c,i,j}|

    with the sign of 0 being 1. The gradients are those of XNOR-Net, not the derivatives:

    .. math:: dx_c = b_c \\sum_o sign(W_{o,c}) \\star dy_o, \\quad b_c = mean_{o,i,j} |W_{o,c,i,j}|, \\quad
              dW_o = dy_o \\star x

    Parameters
    ----------
    nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH
        As for SpatialConvolution.

    Raises
    ------
    ShapeError, ValueRangeError
        As those of SpatialConvolution.

    Notes
    -----
    Shapes are those of SpatialConvolution; there is no bias. In training Torch7 put the signs into ``weight`` and restored it
    only by ``accGradParameters``, so that a second pass forward was another one; here the weight keeps its values. A file that
    was saved in between has the weight in ``tempWeight``; it is put back.
    Source: Element-Research dpnn ``SpatialBinaryConvolution``; Rastegari et al., "XNOR-Net" (2016).

    Examples
    --------
    >>> layer = dpnn.SpatialBinaryConvolution(1, 1, 2, 1)
    >>> layer.weight[...] = [[1, -3]]
    >>> layer.forward(np.float32([[[5, 1, 2]]]))  # (first - second) * 2, the mean of 1 and 3
    array([[[ 8., -2.]]], dtype=float32)
    """

    _file = Form(kinds={"iwh": "a whole number", "owh": "a whole number"})

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
        super().__init__(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
        self.noBias()
        self.train = True
        self.iwh = nInputPlane * kW * kH
        self.owh = nOutputPlane * kW * kH

    def updateOutput(self, input: Tensor) -> Tensor:
        output: Tensor = self._signed(super().updateOutput, input)
        output *= self._means(1)[:, None, None]
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        gradInput: Tensor | None = self._signed(super().updateGradInput, input, gradOutput)
        if gradInput is not None:
            gradInput *= self._means(0)[:, None, None]
        return gradInput

    def _signed(self, method: Any, *arguments: Tensor) -> Any:
        """Calls a method with the signs in place of the weight."""
        weight = check.tensor(self, "weight", self.weight)
        self.weight = np.where(weight >= 0, self._dtype.type(1), self._dtype.type(-1))
        try:
            return method(*arguments)
        finally:
            self.weight = weight

    def _means(self, axis: int) -> Tensor:
        """Mean magnitudes of the weights of each plane before (axis 0 and all filters) or after (axis 1)."""
        means: Tensor = compute.mean(np.abs(self.weight), (axis, 2, 3))
        return means

    def __repr__(self) -> str:
        return f"Binary Convolution: {super().__repr__()}"

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        weight, kept = fields.get("weight"), fields.get("tempWeight")
        if weight is not None and kept is not None and kept.shape == weight.shape and (np.abs(weight) == 1).all():
            fields = fields | {"weight": kept}
        super()._fromTorch7({key: value for key, value in fields.items() if key not in SCRATCH}, version)
