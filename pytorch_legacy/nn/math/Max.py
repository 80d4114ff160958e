"""The largest element along a dimension."""

from typing import Any

import numpy as np

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
    """

    _find: Any = np.argmax
