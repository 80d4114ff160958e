"""A border of zeros."""

from pytorch_legacy.nn.padding.BorderPadding import SpatialPadding


class SpatialZeroPadding(SpatialPadding):
    """Puts a border of zeros around each plane.

    .. math:: y_{h,w} = x_{h - pad_t,\\, w - pad_l} \\text{ where there is such a cell, else } 0

    The gradient of a cell is that of the place which shows it. Negative pads cut cells off.

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
    Source: Torch7 ``nn.SpatialZeroPadding``; C: ``THNN/padding/Padding.c``.

    Examples
    --------
    >>> x = np.float32([[[1, 2, 3], [4, 5, 6]]])
    >>> nn.SpatialZeroPadding(1, -1, 0, 1).forward(x)[0]
    array([[0., 1., 2.],
           [0., 4., 5.],
           [0., 0., 0.]], dtype=float32)
    """

    _addsSizes = True

    _layer = "SpatialZeroPadding"
