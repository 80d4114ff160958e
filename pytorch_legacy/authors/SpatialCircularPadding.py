"""A border that continues the image periodically."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.IndexedPadding import IndexedPadding


class SpatialCircularPadding(IndexedPadding):
    """Continues the planes periodically beyond their edges: ``cd|abcd|ab``.

    .. math:: y_{h,w} = x_{(h - pad_t) \\bmod H,\\, (w - pad_l) \\bmod W}

    Parameters
    ----------
    pad_l, pad_r, pad_t, pad_b : int
        Width of the border to the left, right, top and bottom; those not given are as pad_l. Negative ones cut off.

    Raises
    ------
    ShapeError
        If the input is not 3-D or 4-D, a border is wider than the image, or nothing is left.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r)``.
    The original had no gradient for the border; earlier releases also left the corners as they were in memory. Here the
    corners are periodic, and the gradient of a cell includes those of its copies in the border.
    Source: texture_nets ``SpatialCircularPadding``; Ulyanov et al. 2016.

    Examples
    --------
    >>> layer = authors.SpatialCircularPadding(2, 1, 0, 0)
    >>> layer.forward(np.float32([1, 2, 3]).reshape(1, 1, 3)).ravel()
    array([2., 3., 1., 2., 3., 1.], dtype=float32)
    """

    def _source(self, places: Tensor, size: int) -> Tensor:
        return places % size
