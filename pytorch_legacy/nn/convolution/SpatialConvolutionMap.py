"""Convolution between planes that a table connects."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Learner
from pytorch_legacy.nn.utils import described, sizes


class SpatialConvolutionMap(Learner):
    """Convolves planes with kernels between chosen input and output planes.

    .. math:: y_{o,h,w} = b_o + \\sum_{k: connTable_k = (c, o)} \\sum_{i,j} W_{k,i,j} \\, x_{c,\\; h dH + i,\\; w dW + j}

    Parameters
    ----------
    conMatrix : array of nKernel x 2
        A row (input plane, output plane) for each kernel; planes count from 0. See ``nn.tables``.
    kW, kH : int
        Width and height of a kernel.
    dW, dH : int
        Steps of the kernels.

    Attributes
    ----------
    connTable : array of nKernel x 2, int64
    nInputPlane, nOutputPlane : int
        Number of planes before and after: one more than the largest in the table.
    weight, gradWeight : array of nKernel x kH x kW
    bias, gradBias : array of nOutputPlane

    Raises
    ------
    ShapeError, ValueRangeError, IndexRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) nOutputPlane x oH x oW`` with oH = floor((H - kH) / dH) + 1,
    oW likewise.
    A kernel and the bias of its output plane start uniform in [-s, s) with s = 1 / sqrt(kW kH n), where n is the
    number of kernels that lead to the plane. Torch7 gave a plane to which none leads a bias of NaN; here n is then 1.
    Planes in Torch7's tables count from 1: reading a file converts them.
    Source: Torch7 ``nn.SpatialConvolutionMap``; C: ``THNN/convolution/ConvolutionMap.c``.

    Examples
    --------
    >>> table = np.array([[0, 0], [1, 0], [1, 1]])  # plane 0 is not for output 1; planes count from 1 in Lua
    >>> layer = nn.SpatialConvolutionMap(table, 1, 1)
    >>> layer.weight[:, 0, 0], layer.bias[...] = [1, 10, 100], 0
    >>> layer.forward(np.float32([[[1, 2]], [[3, 4]]])).tolist()  # 1 * 1 + 10 * 3, ...; 100 * 3, ...
    [[[31.0, 42.0]], [[300.0, 400.0]]]
    """

    weight: Tensor
    gradWeight: Tensor
    bias: Tensor
    gradBias: Tensor
    _layer = "SpatialConvolutionMap"
    _file = Form(oneBasedTensors={"connTable": (np.int64, None)}, defaults={"dW": 1, "dH": 1})
    _lua = Lua(arguments={"conMatrix": "indices"})

    def __init__(self, conMatrix: Tensor, kW: int, kH: int, dW: int = 1, dH: int = 1) -> None:
        super().__init__()
        self.kW, self.kH = check.count(self, "kW", kW), check.count(self, "kH", kH)
        self.dW, self.dH = check.count(self, "dW", dW), check.count(self, "dH", dH)
        self.connTable = self._checkedTable(conMatrix)
        self.nInputPlane, self.nOutputPlane = (int(plane) + 1 for plane in self.connTable.max(0))
        self._newParameters(weight=(len(self.connTable), self.kH, self.kW), bias=self.nOutputPlane)
        self.reset()

    _drawnAs: Any = None  # Torch7 filled tensors, of the module's type, or set each element to a number, which is a double

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, uniform with standard deviation `stdv` if it is given."""
        outputs = self.connTable[:, 1]
        kernels = np.maximum(np.bincount(outputs, minlength=self.nOutputPlane), 1)
        limits = 1 / np.sqrt(self.kW * self.kH * kernels) if stdv is None else np.full(len(kernels), stdv * sqrt(3))
        for kernel, limit in zip(self.weight, limits[outputs], strict=True):
            kernel[...] = random.uniform(-limit, limit, kernel.shape, self._drawnAs or self._dtype, self._onDevice)
        for plane, limit in enumerate(limits):
            isTensor = stdv is not None and self._drawnAs is None
            self.bias[plane] = random.uniform(-limit, limit, 1, self._dtype)[0] if isTensor else random.uniform(-limit, limit)
        return self

    def decayParameters(self, decay: float) -> Self:
        """Shrinks the parameters by the fraction `decay` of them."""
        self.weight -= decay * self.weight
        self.bias -= decay * self.bias
        return self

    def _checkedTable(self, table: Any) -> Tensor:
        name = f"{self._typename}: conMatrix"
        if not is_tensor(table) or table.dtype.kind not in "iuf":
            raise DtypeError(f"{name}: expected an array of planes, got {described(table)}")
        if table.ndim != 2 or table.shape[1] != 2 or not len(table):
            raise ShapeError(f"{name}: expected nKernel x 2, got {sizes(table.shape)}")
        if not np.all((table >= 0) & (table < 2**31) & (table == np.floor(table))):
            raise ValueRangeError(f"{name}: expected planes, which count from 0")
        return table.astype(np.int64)
