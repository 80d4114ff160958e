"""Means of windows, weighed by a second plane."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import check
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class SpatialLocalImportancePooling(WindowedPooling, PlaneFields):
    """Mean of each window of a plane, in which a cell weighs as much as the logit that comes with it says.

    .. math::
        y_o = \\sum_{i \\in R_o} w_{oi} x_i, \\qquad w_{oi} = \\frac{e^{l_i}}{\\sum_{j \\in R_o} e^{l_j}}

    The input is the table ``[x, l]``, the gradient a table of two as well: :math:`\\sum_o g_o w_{oi}` for x and
    :math:`\\sum_o g_o w_{oi} (x_i - y_o)` for l. Equal logits are average pooling without the padding, logits that are the
    input itself SoftPool. Logits may be as large as they like.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side, at most half a kernel. They have no weight.

    Raises
    ------
    DtypeError, ShapeError, ValueRangeError
        If the input is no table of two arrays of one shape, 3-D or 4-D, the kernel does not fit, or a number is out of
        range.

    Notes
    -----
    Shapes: ``[(N x) C x H x W, the same]`` to ``(N x) C x oH x oW``.
    Cells whose logit is +inf share their windows evenly, cells of -inf have no weight, unless all have it.
    Torch7 has no such layer. Source: Z. Gao, L. Wang, G. Wu, "LIP: Local importance-based pooling", 2019; C:
    ``THNN/pooling/SpatialLocalImportancePooling.c``.

    Examples
    --------
    >>> x, logits = np.float32([[[0, 4, 0, 4]]]), np.float32([[[1, 1, 0, np.log(3)]]])
    >>> nn.SpatialLocalImportancePooling(2, 1).forward([x, logits]).round(4)  # (0 + 4) / 2; (0 + 3 * 4) / 4
    array([[[2., 3.]]], dtype=float32)
    """

    _layer = "SpatialLocalImportancePooling"

    def __init__(self, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0) -> None:
        super().__init__((kW, kH), (dW, dH), (padW, padH))
        self.gradInput: Any = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        x, logit = check.tensors(self, "input", input, 2)
        output = self._resize("output", self._outputShape(x), mustNotOverlap=input)
        self._call("updateOutput", x, logit)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        x, logit = check.tensors(self, "input", input, 2)
        gradInput = self._resizeTable("gradInput", [x.shape, x.shape], mustNotOverlap=[input, gradOutput])
        self._call("updateGradInput", x, logit, gradOutput, *gradInput)
        return self.gradInput
