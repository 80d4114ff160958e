"""A border that repeats the edge."""

from pytorch_legacy.nn.padding.BorderPadding import SpatialPadding


class SpatialReplicationPadding(SpatialPadding):
    """Puts a border around each plane that repeats the cells at its edge.

    .. math:: y_{h,w} = x_{clamp(h - pad_t, 0, H - 1),\\, clamp(w - pad_l, 0, W - 1)}

    The gradient of a cell is the sum over all places that repeat it. Negative pads cut cells off.

    Parameters
    ----------
    pad_l, pad_r, pad_t, pad_b : int
        Width of the border at the left, right, top and bottom; the last three are as the first unless given.

    Raises
    ------
    ShapeError
        If the input is not 3-D or 4-D, or nothing of it would be left.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r)``.
    Source: Torch7 ``nn.SpatialReplicationPadding``; C: ``THNN/padding/Padding.c``.

    Examples
    --------
    >>> x = np.float32([[[1, 2, 3], [4, 5, 6]]])
    >>> nn.SpatialReplicationPadding(2, 1, 0, 1).forward(x)[0]
    array([[1., 1., 1., 2., 3., 3.],
           [4., 4., 4., 5., 6., 6.],
           [4., 4., 4., 5., 6., 6.]], dtype=float32)
    """

    _layer = "SpatialReplicationPadding"
