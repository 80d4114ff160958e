"""Lines on pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...tensors.tensor import Array


def rectangle(x: Array, corners: Sequence[int], line: int, colour: Sequence[int]) -> None:
    """Draws the edges of a rectangle into a picture of three channels.

    Parameters
    ----------
    x : ndarray
        (3, height, width). A colour of a picture of 0 to 1 is 0 or 1 in each channel, as in torch/image.
    corners : sequence of int
        Left, top, right and bottom, from 1.
    line : int
        The width of the line.
    colour : sequence of int
        Red, green and blue, of 0 to 255.
    """
    height, width = x.shape[1:]
    left, top = (max(0, one - line // 2 - 1) for one in corners[:2])
    right, bottom = min(width - 1, corners[2] - line // 2 - 1), min(height - 1, corners[3] - line // 2 - 1)
    values = np.array(colour) if x.dtype == np.uint8 else np.array(colour) // 255
    for channel, value in zip(x, values.astype(x.dtype), strict=True):
        channel[top : bottom + line, left : left + line] = value
        channel[top : bottom + line, right : right + line] = value
        channel[top : top + line, left : right + line] = value
        channel[bottom : bottom + line, left : right + line] = value
