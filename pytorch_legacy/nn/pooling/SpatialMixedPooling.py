"""Blends of maxima and means of windows."""

from typing import Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check, utils
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.Native import Learner
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class SpatialMixedPooling(Learner, WindowedPooling, PlaneFields):
    """A blend of the maximum and the mean of each window, in a proportion that can be learned.

    .. math:: y_o = a_c \\max_{i \\in R_o} x_i + (1 - a_c) \\frac{1}{n_o} \\sum_{i \\in R_o} x_i

    where :math:`n_o` counts the cells of the window on the input. Nothing keeps a within 0 and 1 when it is learned.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side, at most half a kernel. They take no part.
    nInputPlane : int
        Number of planes that have a proportion of their own; 1 means one for all planes.
    alpha : float
        The proportion of the maximum to begin with.
    learn : bool
        Whether it is a parameter, or stays as it is.

    Attributes
    ----------
    weight, gradWeight : array of nInputPlane
        The proportions a.
    indices : int64 array, as output
        Position of each maximum within its plane: row * width + column.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, the number of planes or the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``. Ties and NaN are as in ``nn.SpatialMaxPooling``.
    Not in Torch7; after C.-Y. Lee, P. Gallagher and Z. Tu, 2016. C: ``THNN/pooling/SpatialMixedPooling.c``.

    Examples
    --------
    >>> x = np.float32([[[2, 4], [6, 0]]])
    >>> nn.SpatialMixedPooling(2, 2, alpha=0.25).forward(x)  # 0.25 * 6 + 0.75 * 3
    array([[[3.75]]], dtype=float32)
    """

    _layer = "SpatialMixedPooling"
    weight: Tensor

    # The indices in a file are those of an earlier pass, and of another kind.
    _file = Form(dropped=("indices",), defaults={"alpha": 0.5, "learn": True})
    indices: Tensor = np.empty(0, np.int64)

    def __init__(
        self, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0,
        nInputPlane: int = 1, alpha: float = 0.5, learn: bool = True,
    ) -> None:  # fmt: skip
        super().__init__((kW, kH), (dW, dH), (padW, padH))
        self.alpha, self.learn = alpha, learn
        self._newParameters(weight=check.count(self, "nInputPlane", nInputPlane))
        self.indices = np.empty(0, np.int64)
        self.reset()

    @property
    def nInputPlane(self) -> int | None:
        """The number of planes that the input must have; None if it may be any."""
        return len(self.weight) if len(self.weight) > 1 else None

    def reset(self, stdv: float | None = None) -> Self:
        """Goes back to the proportion to begin with; `stdv` is not used."""
        self.weight.fill(self.alpha)
        return self

    def parameters(self) -> tuple[list[Tensor], list[Tensor]] | None:
        """The proportions and their gradients, None if they are not learned."""
        return super().parameters() if self.learn else None

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        if self.learn:
            super().accGradParameters(input, gradOutput, scale)

    def clearState(self) -> Self:
        utils.clear(self, "indices")
        return super().clearState()
