"""Maxima of grids of several sizes, side by side."""

from collections.abc import Sequence

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import check


class SpatialPyramidPooling(nn.Concat):
    """Pools planes of any size to vectors of one length: the maxima of each grid, one grid after the other.

    Parameters
    ----------
    sizes : pairs of int
        Width and height of each grid.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) (C * sum(width * height))``. Built of modules, as in Torch7.
    Source: imagine-nn ``SpatialPyramidPooling``; He et al. 2014.

    Examples
    --------
    >>> layer = inn.SpatialPyramidPooling((1, 1), (2, 2))
    >>> layer.forward(np.arange(16, dtype=np.float32).reshape(1, 4, 4))  # the largest of all, and of quarters
    array([15.,  5.,  7., 13., 15.], dtype=float32)
    >>> layer.forward(np.zeros((1, 3, 7, 5), np.float32)).shape  # 3 planes x (1 + 4) bins
    (1, 15)
    """

    def __init__(self, *sizes: Sequence[int]) -> None:
        super().__init__(0)
        self.pyr = [list(size) for size in sizes]
        for width, height in sizes:
            self.add(
                nn.Sequential()
                .add(nn.SpatialAdaptiveMaxPooling(width, height))
                .add(nn.View(-1).setNumInputDims(3))
                .add(nn.Contiguous())
            )

    def updateOutput(self, input: Tensor) -> Tensor:
        self.dimension = check.tensor(self, "input", input, 3, 4).ndim - 3
        return super().updateOutput(input)
