"""A border that mirrors the plane."""

from pytorch_legacy.nn.padding.BorderPadding import SpatialPadding


class SpatialReflectionPadding(SpatialPadding):
    """Puts a border around each plane that mirrors it at the cells of its edge, which are not repeated.

    .. math:: y_{h,w} = x_{mirror(h - pad_t, H),\\, mirror(w - pad_l, W)}, \\quad
              mirror(i, n) = -i \\text{ if } i < 0, \\quad 2 (n - 1) - i \\text{ if } i \\ge n, \\quad \\text{else } i

    The gradient of a cell is the sum over all places that show it. Negative pads cut cells off.

    Parameters
    ----------
    pad_l, pad_r, pad_t, pad_b : int
        Width of the border at the left, right, top and bottom; the last three are as the first unless given.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, nothing of it would be left, or a border is not narrower than the plane.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r)``.
    Source: Torch7 ``nn.SpatialReflectionPadding``; C: ``THNN/padding/Padding.c``.

    Examples
    --------
    >>> x = np.float32([[[1, 2, 3], [4, 5, 6]]])
    >>> nn.SpatialReflectionPadding(2, 1, 0, 0).forward(x)[0]
    array([[3., 2., 1., 2., 3., 2.],
           [6., 5., 4., 5., 6., 5.]], dtype=float32)
    """

    _layer = "SpatialReflectionPadding"
