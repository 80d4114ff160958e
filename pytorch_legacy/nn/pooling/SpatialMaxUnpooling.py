"""Max pooling undone."""

from typing import Any

from pytorch_legacy.nn.pooling.MaxUnpooling import MaxUnpooling


class SpatialMaxUnpooling(MaxUnpooling):
    """Puts each element back where a max pooling layer found it, and zeros elsewhere.

    .. math:: y_i = x_o \\quad \\text{for the last } o \\text{ with } indices_o = i, \\qquad 0 \\text{ if there is none}

    The gradient of such an o is that of :math:`y_i`; elements that others have overwritten, which happens only where
    windows overlap, get 0. The index -1, of a window without a cell, is passed over.

    Parameters
    ----------
    poolingModule : SpatialMaxPooling
        The layer to undo, usually one further up in the same network: shared, not copied.

    Attributes
    ----------
    pooling : SpatialMaxPooling
        That layer.

    Raises
    ------
    ShapeError
        If the input has not the shape of the pooling layer's last output, or that layer has not gone forward.
    IndexRangeError
        If an index is outside of its plane; nothing is written then.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x iheight x iwidth``, the input of the pooling layer.
    Torch7 wanted kernels as large as strides; here windows may overlap. It gave the gradient also to overwritten elements.
    Source: Torch7 ``nn.SpatialMaxUnpooling``; C: ``THNN/pooling/MaxUnpooling.c``.

    Examples
    --------
    >>> import numpy as np
    >>> from pytorch_legacy import nn
    >>> pool = nn.SpatialMaxPooling(2, 2)
    >>> net = nn.Sequential().add(pool).add(nn.SpatialMaxUnpooling(pool))
    >>> net.forward(np.array([[[1, 2, 3, 4], [5, 1, 2, 0]]], np.float32))
    array([[[0., 0., 0., 4.],
            [5., 0., 0., 0.]]], dtype=float32)
    """

    _layer = "SpatialMaxUnpooling"
    _extent = ("iheight", "iwidth")

    def __init__(self, poolingModule: Any) -> None:
        super().__init__(poolingModule)
