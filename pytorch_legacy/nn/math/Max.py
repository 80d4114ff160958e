"""The largest element along a dimension."""

from typing import Any

import numpy as np

from pytorch_legacy.backend import compute
from pytorch_legacy.nn.math.Extremum import Extremum


class Max(Extremum):
    """Takes the largest element along one dimension, counted from 0, and drops it: Lua's ``nn.Max(2)`` is ``nn.Max(1)``::

        output    = max(input, axis=dimension)
        gradInput = gradOutput at the place of that element, 0 elsewhere

    Of equal elements the first one counts; a NaN counts as the largest.

    Parameters
    ----------
    dimension : int
        Negative ones count from the end.
    nInputDims : int, optional
        The rank of one sample. An input with one dimension more is a batch, and `dimension` does not count its first.

    Notes
    -----
    A vector becomes an array of one element. Source: Torch7 nn.Max.

    Examples
    --------
    >>> layer, x = nn.Max(1), np.float32([[1, 5, 2], [9, 3, 4]])  # nn.Max(2) in Lua
    >>> layer.forward(x)
    array([5., 9.], dtype=float32)
    >>> layer.backward(x, np.float32([7, 8]))
    array([[0., 7., 0.],
           [8., 0., 0.]], dtype=float32)
    """

    _find: Any = np.argmax
    _reduce: Any = compute.max
