"""The smallest of several arrays, element by element."""

from typing import Any

import numpy as np

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks
from pytorch_legacy.nn.table.CMaxTable import CMaxTable


class CMinTable(CMaxTable):
    """Takes the smallest of the elements in each place of the arrays of a list::

        output       = min(input[0], input[1], ...)
        gradInput[i] = gradOutput where input[i] was the first of the smallest, else 0

    Notes
    -----
    All inputs have as many elements; as in Torch7, the others are read in row-major order if their shape is not the first's.
    A NaN is taken before all numbers; in Torch7 it counted only in the first array. Source: Torch7 nn.CMinTable.

    Examples
    --------
    >>> layer, x = nn.CMinTable(), [np.float32([1, 5]), np.float32([2, 4])]
    >>> layer.forward(x)
    array([1., 4.], dtype=float32)
    >>> layer.backward(x, np.float32([7, 8]))  # to those that were taken
    [array([7., 0.], dtype=float32), array([0., 8.], dtype=float32)]
    """

    _file = Form(
        scratch=dict.fromkeys(("minVals", "minIdx", "mask", "gradMaxVals")),
        without=("maxVals", "maxIdx", "mask", "gradMaxVals"),
    )

    _yields: Any = np.greater_equal
    _better: Any = staticmethod(blocks.smaller)
