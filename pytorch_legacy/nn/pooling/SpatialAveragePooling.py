"""Means of windows."""

from math import prod
from typing import Self

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class SpatialAveragePooling(WindowedPooling, PlaneFields):
    """Mean of each window of a plane.

    .. math:: y_o = \\frac{1}{n_o} \\sum_{i \\in R_o} x_i

    where :math:`n_o` counts the cells of the window on the input and its padding, or on the input alone after
    ``setCountExcludePad()``. If the field ``divide`` is False, the result is multiplied by kW * kH, as in Torch7: a sum
    where windows are whole.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int
        Distance of windows.
    padW, padH : int
        Cells of padding on either side, at most half a kernel; they count as 0.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``.
    Torch7 with ``ceil()`` could add a window beyond an input without padding; here none begins there.
    Source: Torch7 ``nn.SpatialAveragePooling``; C: ``THNN/pooling/AveragePooling.c``.

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 4, 4)
    >>> nn.SpatialAveragePooling(2, 2, 2, 2).forward(x)
    array([[[ 2.5,  4.5],
            [10.5, 12.5]]], dtype=float32)
    >>> nn.SpatialAveragePooling(3, 3, 3, 3, 1, 1).forward(x)[0, 0].round(4)  # (0 + 1 + 4 + 5) / 9, ...
    array([1.1111, 2.    ], dtype=float32)
    >>> nn.SpatialAveragePooling(3, 3, 3, 3, 1, 1).setCountExcludePad().forward(x)[0, 0]  # / 4
    array([2.5, 4.5], dtype=float32)
    """

    _layer = "SpatialAveragePooling"
    _mayLackGradInput = True
    # Files before 2015 have no `divide`: they hold sum pooling.
    _file = Form(defaults={"divide": lambda fields: False, "count_include_pad": True})
    divide = True

    def __init__(self, kW: int, kH: int, dW: int = 1, dH: int = 1, padW: int = 0, padH: int = 0) -> None:
        super().__init__((kW, kH), (dW, dH), (padW, padH))
        self.count_include_pad = self.divide = True

    def setCountIncludePad(self) -> Self:
        """Divides by the cells of the window on input and padding, and returns self."""
        self.count_include_pad = True
        return self

    def setCountExcludePad(self) -> Self:
        """Divides by the cells of the window on the input, and returns self."""
        self.count_include_pad = False
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        output: Tensor = super().updateOutput(input)
        if not self.divide:
            output *= prod(self._sizes("k"))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        gradInput: Tensor | None = super().updateGradInput(input, gradOutput)
        if not self.divide and gradInput is not None:
            gradInput *= prod(self._sizes("k"))
        return gradInput
