"""A pull towards smooth images."""

from pytorch_legacy.authors.TotalVariation import TotalVariation


class TVLoss(TotalVariation):
    """TotalVariation as neural-style calls it.

    Notes
    -----
    Source: neural-style ``TVLoss``.

    Examples
    --------
    >>> layer, x = authors.TVLoss(3), np.float32([[[0, 2], [0, 2]]])
    >>> layer.forward(x) is x
    True
    >>> layer.backward(x, np.zeros((1, 2, 2), np.float32)).tolist()  # a step against it makes the planes smoother
    [[[-6.0, 6.0], [0.0, 0.0]]]
    """
