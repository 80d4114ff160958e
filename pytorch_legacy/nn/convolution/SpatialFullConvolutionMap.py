"""Full convolution between planes that a table connects."""

import numpy as np

from pytorch_legacy.nn.convolution.SpatialConvolutionMap import SpatialConvolutionMap


class SpatialFullConvolutionMap(SpatialConvolutionMap):
    """Spreads planes through kernels between chosen input and output planes: a full, or transposed, convolution.

    .. math:: y_{o,\\; h dH + i,\\; w dW + j} = b_o + \\sum W_{k,i,j} \\, x_{c,h,w}

    where the sum is over all k with connTable_k = (c, o) and all h, w, i, j that lead to the cell.

    Parameters
    ----------
    conMatrix : array of nKernel x 2
        A row (input plane, output plane) for each kernel; planes count from 0. See ``nn.tables``.
    kW, kH : int
        Width and height of a kernel.
    dW, dH : int
        Distance between the kernels' places on the output.

    Attributes
    ----------
    connTable, nInputPlane, nOutputPlane, weight, bias, gradWeight, gradBias
        As in SpatialConvolutionMap.

    Raises
    ------
    ShapeError, ValueRangeError, IndexRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) nOutputPlane x ((H - 1) dH + kH) x ((W - 1) dW + kW)``.
    Parameters start as in SpatialConvolutionMap.
    Source: Torch7 ``nn.SpatialFullConvolutionMap``; C: ``THNN/convolution/SpatialFullConvolutionMap.c``.
    """

    _layer = "SpatialFullConvolutionMap"
    _drawnAs = np.float64
