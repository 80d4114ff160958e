"""Planes looked at in the places that a grid names."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class SpatialGridSamplerBilinear(Native):
    """Looks at the planes of a batch in places that a grid names, with straight lines between cells.

    Takes a list of two: planes, and for each sample a grid of pairs (x, y), of which each names the place
    ``(h, w) = ((y + 1) / 2 (H - 1), (x + 1) / 2 (W - 1))``: -1 is the first cell and 1 the last one. The value there is the sum
    of the four cells around it, whose weights fall from 1 at the cell to 0 at its neighbours. Outside of the plane
    everything is 0.

    Raises
    ------
    ShapeError
        If the input is not ``N x C x H x W``, or the grid is not ``N x oH x oW x 2``.

    Notes
    -----
    Shapes: a list of ``N x C x H x W`` and ``N x oH x oW x 2`` to ``N x C x oH x oW``. ``gradInput`` is a list of the two
    gradients.
    Source: the functions of this name in Torch7's THNN, for which its nn had no class; C:
    ``THNN/sampling/SpatialGridSamplerBilinear.c``.

    Examples
    --------
    >>> x, grid = np.float32([[[[0, 1], [2, 3]]]]), np.float32([[[[-1, -1], [1, -1], [0, 0]]]])
    >>> nn.SpatialGridSamplerBilinear().forward([x, grid])
    array([[[[0. , 1. , 1.5]]]], dtype=float32)
    """

    _layer = "SpatialGridSamplerBilinear"

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        planes, grid = check.tensors(self, "input", input, 2)
        output = self._resize("output", self._size("outputSize", planes, grid))
        self._call("updateOutput", planes, grid)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        planes, grid = check.tensors(self, "input", input, 2)
        gradInput = self._resizeTable("gradInput", [planes.shape, grid.shape])
        gradPlanes, gradGrid = gradInput
        self._call("updateGradInput", planes, gradPlanes, grid, gradGrid, gradOutput)
        return gradInput
