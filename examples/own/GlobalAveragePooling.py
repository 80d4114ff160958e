"""The mean of each plane: the layer that taught Torch7's users to write one in C and CUDA, outside of the package."""

from pathlib import Path

import pytorch_legacy as pl

pl.extension.load(Path(__file__).with_name("GlobalAveragePooling.c"))


@pl.register("own.GlobalAveragePooling")
class GlobalAveragePooling(pl.extension.Layer):
    """Mean of each plane, of 3-D or 4-D input.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x 1 x 1``.

    Examples
    --------
    >>> import numpy as np
    >>> GlobalAveragePooling().forward(np.float32([[[1, 2], [3, 6]]]))
    array([[[3.]]], dtype=float32)
    """

    _layer = "GlobalAveragePooling"
