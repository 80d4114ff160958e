"""Maxima at random rows and columns."""

from typing import Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor, to_device
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import utils
from pytorch_legacy.nn.Native import Native


class SpatialS3Pooling(Native):
    """Max pooling at every place, of which a random choice of rows and columns is kept while training.

    .. math:: M_i = \\max_{j \\in R_i} x_j, \\qquad y_{ab} = M_{rows_a columns_b}

    where :math:`R_i` is p x p cells from i on, those on the plane. Rows lie in cells of ``gridH``; out of each, one in p is
    chosen, different ones, all choices being equally likely, and kept in their order. Columns are chosen likewise. The choice is
    the same for all planes of a batch. The larger the grid, the more an image is distorted; a grid of p keeps one row of p.

    In evaluation the output is what training gives on average, a weighted sum of M. With a grid of p it is the plain mean of
    p x p of its values.

    Parameters
    ----------
    p : int
        Size of a window, and by how much planes shrink.
    gridW, gridH : int
        Width and height of the cells, multiples of p. The last cell may be smaller.

    Attributes
    ----------
    rows, columns : int64 arrays
        The choice, ascending: drawn anew in each training pass, unless it is fixed.
    indices : int64 array, as output
        Position of each maximum within its plane in training: row * width + column.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D or has planes smaller than p x p, or a number is out of range.
    IndexRangeError
        If a row or column that you chose is outside of the plane.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x H/p x W/p``, rounded down, in both modes.
    Source: Zhai et al., "S3Pool: Pooling with Stochastic Spatial Sampling" (2017). Its code cut planes to those windows that lie
    on them as a whole, and had another size and another mean in evaluation: windows of averages that begin p/2 cells
    earlier. C: ``THNN/pooling/SpatialS3Pooling.c``.

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 4, 4)
    >>> pool = nn.SpatialS3Pooling(2, 4, 4).fixPoolingRegions()
    >>> pool.rows, pool.columns = np.array([0, 3]), np.array([1, 2])  # drawn without this line
    >>> pool.forward(x)  # the maxima of the windows that begin there
    array([[[ 6.,  7.],
            [14., 15.]]], dtype=float32)
    """

    _layer = "SpatialS3Pooling"
    _names = {"pool": "p"}
    fixedRegions = False

    _file = Form(kinds={"indices": "a tensor", "p": "a number"})

    def __init__(self, p: int, gridW: int, gridH: int) -> None:
        super().__init__()
        self.p = p
        self.gridW = gridW
        self.gridH = gridH
        self.indices = np.empty(0, np.int64)
        self.rows = np.empty(0, np.int64)
        self.columns = np.empty(0, np.int64)

    def fixPoolingRegions(self, val: bool = True) -> Self:
        """Keeps the choice of the next pass for all passes after it (or draws it each time again); returns self.

        Set fields ``rows`` and ``columns`` to choose them. A plane of another size is refused then.
        """
        self.fixedRegions = val
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = self._outputShape(input)
        self._resize("output", shape, mustNotOverlap=input)
        if self.train:
            if not (self.fixedRegions and len(self.rows)):
                self.rows = self._draw(input.shape[-2], self.gridH)
            if not (self.fixedRegions and len(self.columns)):
                self.columns = self._draw(input.shape[-1], self.gridW)
            self._resize("indices", shape, np.int64)
        self._call("updateOutput", input, self.output, *self._choice())
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._makeGradInput(input, gradOutput)
        self._call("updateGradInput", input, gradOutput, self.gradInput, *self._choice())
        return self.gradInput

    def clearState(self) -> Self:
        utils.clear(self, "indices", "rows", "columns")
        return super().clearState()

    def _choice(self) -> tuple[Tensor | None, ...]:
        """Returns the indices of the maxima, and the rows and columns that were drawn; None for each in evaluation."""
        return (self.indices, self.rows, self.columns) if self.train else (None, None, None)

    def _draw(self, cells: int, grid: int) -> Tensor:
        """The rows (or columns) to keep: those with the smallest of uniform numbers in each cell of the grid."""
        noise = random.uniform(0, 1, cells, np.float64)
        starts = range(0, cells, grid)
        places = np.concatenate([start + self._smallest(noise[start : start + grid]) for start in starts])
        return to_device(places, self._onDevice)

    def _smallest(self, noise: Tensor) -> Tensor:
        """Returns the ascending indices of the smallest numbers, one in p."""
        return np.sort(np.argsort(noise, kind="stable")[: len(noise) // self.p])

    def __repr__(self) -> str:
        return f"{self._typename}({self.p}, {self.gridW}x{self.gridH})"
