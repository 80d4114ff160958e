"""A border that mirrors the image, edge included."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.IndexedPadding import IndexedPadding


class SpatialSymmetricPadding(IndexedPadding):
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
    Shapes: ``(N x) C x H x W`` to ``(N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r)``.
    The original took the border for constant: its gradient of the input left out what comes back through the border. Here it
    is the gradient.
    Source: DeepMask and multipathnet ``SpatialSymmetricPadding``.

    Examples
    --------
    >>> layer = authors.SpatialSymmetricPadding(2, 1, 0, 0)
    >>> layer.forward(np.float32([1, 2, 3]).reshape(1, 1, 1, 3)).ravel()
    array([2., 1., 1., 2., 3., 3.], dtype=float32)
    """

    def _source(self, places: Tensor, size: int) -> Tensor:
        return np.where(places < 0, -1 - places, np.where(places < size, places, 2 * size - 1 - places))
