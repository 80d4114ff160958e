"""A border around volumes that repeats their faces."""

from pytorch_legacy.nn.padding.BorderPadding import BorderPadding


class VolumetricReplicationPadding(BorderPadding):
    """Puts a border around each volume that repeats the cells at its faces.

    .. math:: y_{t,h,w} = x_{clamp(t - pfront, 0, T - 1),\\, clamp(h - ptop, 0, H - 1),\\, clamp(w - pleft, 0, W - 1)}

    The gradient of a cell is the sum over all places that repeat it. Negative pads cut cells off.

    Parameters
    ----------
    pleft, pright, ptop, pbottom, pfront, pback : int
        Width of the border on each side; the last five are as the first unless given.

    Raises
    ------
    ShapeError
        If the input is not 4-D or 5-D, or nothing of it would be left.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to
    ``(N x) C x (T + pfront + pback) x (H + ptop + pbottom) x (W + pleft + pright)``.
    Source: Torch7 ``nn.VolumetricReplicationPadding``; C: ``THNN/padding/Padding.c``.

    Examples
    --------
    >>> x = np.float32([1, 2]).reshape(1, 1, 1, 2)
    >>> nn.VolumetricReplicationPadding(1, 0, 0, 1, 0, 1).forward(x).tolist()
    [[[[1.0, 1.0, 2.0], [1.0, 1.0, 2.0]], [[1.0, 1.0, 2.0], [1.0, 1.0, 2.0]]]]
    """

    _layer = "VolumetricReplicationPadding"
    _sides = ("pleft", "pright", "ptop", "pbottom", "pfront", "pback")
    _labels = ("left", "right", "top", "bottom", "front", "back")
    pleft: int
    pright: int
    ptop: int
    pbottom: int
    pfront: int
    pback: int

    def __init__(
        self,
        pleft: int,
        pright: int | None = None,
        ptop: int | None = None,
        pbottom: int | None = None,
        pfront: int | None = None,
        pback: int | None = None,
    ) -> None:
        super().__init__(pleft, pright, ptop, pbottom, pfront, pback)
