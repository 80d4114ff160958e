"""Squares."""

from pytorch_legacy.nn.Native import Native


class Square(Native):
    """The square of each element.

    .. math:: y = x^2

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Square``; C: ``THNN/activation/Square.c``.

    Examples
    --------
    >>> layer, x = nn.Square(), np.float32([-2, 1, 3])
    >>> layer.forward(x)
    array([4., 1., 9.], dtype=float32)
    >>> layer.backward(x, np.float32([1, 1, 1]))
    array([-4.,  2.,  6.], dtype=float32)
    """

    _layer = "Square"
