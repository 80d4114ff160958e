"""A border that mirrors the image, edge included."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.padding.SpatialZeroPadding import SpatialZeroPadding
from pytorch_legacy.nn.utils import sizes


class SpatialSymmetricPadding(SpatialZeroPadding):
    """Continues the planes beyond their edges by what lies before them, as in a mirror on the edge: ``ba|abcd|dc``.

    Parameters
    ----------
    pad_l, pad_r, pad_t, pad_b : int
        Width of the border to the left, right, top and bottom; those not given are as pad_l. Negative ones cut off.

    Raises
    ------
    ShapeError
        If a border is wider than the image, or nothing is left.

    Notes
    -----
    Shapes: ``N x C x H x W`` to ``N x C x (H + pad_t + pad_b) x (W + pad_l + pad_r)``.
    The original took the border for constant: its gradient of the input left out what comes back through the border. Here it
    is the gradient.
    Source: DeepMask and multipathnet ``SpatialSymmetricPadding``.

    Examples
    --------
    >>> layer = authors.SpatialSymmetricPadding(2, 1, 0, 0)
    >>> layer.forward(np.float32([1, 2, 3]).reshape(1, 1, 1, 3)).ravel()
    array([2., 1., 1., 2., 3., 3.], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        rows, columns = self._sources(input)
        output = self._resize("output", (*input.shape[:2], len(rows), len(columns)))
        output[...] = input[:, :, rows[:, None], columns]
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        rows, columns = self._sources(input)
        shape = (*input.shape[:2], len(rows), len(columns))
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._zeros("gradInput", input)
        lines = np.zeros((*input.shape[:3], len(columns)), self._dtype, like=input)
        np.add.at(lines.swapaxes(0, 2), rows, gradOutput.swapaxes(0, 2))
        np.add.at(gradInput.swapaxes(0, 3), columns, lines.swapaxes(0, 3))
        return gradInput

    def _sources(self, input: Tensor) -> tuple[Tensor, Tensor]:
        """The row and the column of the input that each row and column of the output is."""
        height, width = check.tensor(self, "input", input, 4).shape[2:]
        left, right, top, bottom = self._pads
        pads = ((height, top, bottom), (width, left, right))
        if any(max(before, after) > size or size + before + after < 1 for size, before, after in pads):
            raise ShapeError(f"{self._typename}: input: too small for the border: {sizes(input.shape)}")
        found = (np.arange(-before, size + after) for size, before, after in pads)
        rows, columns = (np.where(place < 0, -1 - place, np.where(place < size, place, 2 * size - 1 - place))
                         for place, (size, _, _) in zip(found, pads, strict=True))  # fmt: skip
        return rows, columns
