"""Volumetric max pooling undone."""

from typing import Any

from pytorch_legacy.nn.pooling.MaxUnpooling import MaxUnpooling


class VolumetricMaxUnpooling(MaxUnpooling):
    """Puts each element back where a volumetric max pooling layer found it, and zeros elsewhere.

    .. math:: y_i = x_o \\quad \\text{for the last } o \\text{ with } indices_o = i, \\qquad 0 \\text{ if there is none}

    Gradients and the index -1 are as in ``SpatialMaxUnpooling``.

    Parameters
    ----------
    poolingModule : VolumetricMaxPooling
        The layer to undo, usually one further up in the same network: shared, not copied.

    Attributes
    ----------
    pooling : VolumetricMaxPooling
        That layer.

    Raises
    ------
    ShapeError
        If the input has not the shape of the pooling layer's last output, or that layer has not gone forward.
    IndexRangeError
        If an index is outside of its plane; nothing is written then.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x itime x iheight x iwidth``, the input of the pooling layer.
    Indices are positions within a plane, (time * height + row) * width + column; ``pooling.indices`` tells how Torch7 packed
    them. What else differs is what differs in ``SpatialMaxUnpooling``.
    Source: Torch7 ``nn.VolumetricMaxUnpooling``; C: ``THNN/pooling/MaxUnpooling.c``.

    Examples
    --------
    >>> pool = nn.VolumetricMaxPooling(2, 2, 1)
    >>> net = nn.Sequential().add(pool).add(nn.VolumetricMaxUnpooling(pool))
    >>> net.forward(np.float32([[[[1, 5], [3, 2]], [[4, 0], [6, 8]]]])).tolist()
    [[[[0.0, 5.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 8.0]]]]
    """

    _layer = "VolumetricMaxUnpooling"
    _extent = ("itime", "iheight", "iwidth")

    def __init__(self, poolingModule: Any) -> None:
        super().__init__(poolingModule)
