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
    Source: Torch7 ``nn.SpatialFullConvolutionMap``; C: ``THNN/convolution/ConvolutionMap.c``.

    Examples
    --------
    >>> table = np.array([[0, 0], [1, 1]])  # each plane by itself; planes count from 1 in Lua
    >>> layer = nn.SpatialFullConvolutionMap(table, 2, 1)
    >>> layer.weight[:, 0], layer.bias[...] = [[1, 2], [3, 4]], 0
    >>> layer.forward(np.float32([[[1, 10]], [[1, 1]]])).tolist()  # 1, 2 + 10, 20; 3, 4 + 3, 4
    [[[1.0, 12.0, 20.0]], [[3.0, 7.0, 4.0]]]
    """

    _layer = "SpatialFullConvolutionMap"
    _drawnAs = np.float64
