"""Transposed convolution of volumes."""

from typing import Any

import numpy as np

from pytorch_legacy.files import migration
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import VolumeFields
from pytorch_legacy.nn.convolution.Convolution import strides_and_pads
from pytorch_legacy.nn.convolution.FullConvolution import FullConvolution


class VolumetricFullConvolution(FullConvolution, VolumeFields):
    """Stamps learned filters onto the output, each weighted by a cell of the input: the transpose of a convolution.

    .. math:: y_{o,\\; t dT + m - padT,\\; h dH + i - padH,\\; w dW + j - padW} \\mathrel{+}= W_{c,o,m,i,j} \\, x_{c,t,h,w}

    for all c, t, h, w, m, i, j, where y starts as the bias, and what falls outside is dropped.

    Parameters
    ----------
    nInputPlane, nOutputPlane : int
        Number of volumes before and after.
    kT, kW, kH : int
        Length in time, width and height of a filter.
    dT, dW, dH : int, optional
        Distance of the stamps.
    padT, padW, padH : int, optional
        Cells by which the output is cropped on either side.
    adjT, adjW, adjH : int, optional
        Cells that the output has more at the far end, less than dT, dW and dH.

    Attributes
    ----------
    weight, gradWeight : array of nInputPlane x nOutputPlane x kT x kH x kW
    bias, gradBias : array of nOutputPlane, or None after ``noBias()``

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D with nInputPlane volumes, the output has no cells, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x T x H x W`` to ``(N x) nOutputPlane x oT x oH x oW`` with
    oT = (T - 1) dT - 2 padT + kT + adjT, oH and oW likewise.
    An input [x, y] chooses adj as in SpatialFullConvolution.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kT kW kH nInputPlane).
    Files of before adj was there hold nOutputPlane x nInputPlane weights, and pT, pW, pH for the padding: they are mended.
    Source: Torch7 ``nn.VolumetricFullConvolution``; C: ``THNN/convolution/FullConvolution.c``.

    Examples
    --------
    >>> layer, x = nn.VolumetricFullConvolution(1, 1, 3, 1, 1, 2), np.float32([1, 10])
    >>> layer.weight[..., 0, 0], layer.bias[...] = [1, 2, 3], 0
    >>> layer.forward(x.reshape(1, 2, 1, 1)).ravel()  # 3 * 1 + 1 * 10 where the stamps meet
    array([ 1.,  2., 13., 20., 30.], dtype=float32)
    """

    _axes = "TWH"
    _printsNoBias = False
    _layer = "VolumetricFullConvolution"

    _file = Form(
        scratch=dict.fromkeys(("finput", "fgradInput", "ones")),
        formerly={"pT": "padT", "pW": "padW", "pH": "padH"},
        defaults={"adjT": 0, "adjW": 0, "adjH": 0} | strides_and_pads("T"),
    )

    def __init__(
        self,
        nInputPlane: int,
        nOutputPlane: int,
        kT: int,
        kW: int,
        kH: int,
        dT: int = 1,
        dW: int = 1,
        dH: int = 1,
        padT: int = 0,
        padW: int = 0,
        padH: int = 0,
        adjT: int = 0,
        adjW: int = 0,
        adjH: int = 0,
    ) -> None:
        super().__init__(nInputPlane, nOutputPlane, (kT, kW, kH), (dT, dW, dH), (padT, padW, padH))
        self.adjT, self.adjW, self.adjH = adjT, adjW, adjH

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        if fields.get("adjW") is None:
            fields = dict(fields)
            for name in ("weight", "gradWeight"):
                if isinstance(fields.get(name), np.ndarray) and fields[name].ndim == 5:
                    migration.note(self, name, "had its first dimensions the other way round")
                    fields[name] = np.ascontiguousarray(fields[name].swapaxes(0, 1))
        super()._fromTorch7(fields, version)
