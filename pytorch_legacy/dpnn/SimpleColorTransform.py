"""Random colours, channel by channel."""

from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.dpnn.ColorTransform import ColorTransform
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.objects import ArrayField


class SimpleColorTransform(ColorTransform):
    """Adds to each plane of a picture a random number while training::

        output[n, c]    = input[n, c] + noise[n, c]        noise uniform in [-range[c], range[c])
        gradInput       = gradOutput

    In evaluation the input passes unchanged.

    Parameters
    ----------
    inputChannels : int
        Number of planes C.
    range : array of C
        The bound for each plane.

    Raises
    ------
    ShapeError
        If sizes do not fit together.

    Notes
    -----
    Shape ``(N x) C x H x W``. Field ``noise``, ``(N x) C``, holds the last noise. Unlike Torch7's, the layer also runs
    backward in evaluation. Source: Element-Research dpnn ``SimpleColorTransform``.

    Examples
    --------
    >>> _ = pl.manualSeed(1)
    >>> layer = dpnn.SimpleColorTransform(3, np.float32([0.5, 0, 0]))  # the first plane only varies
    >>> layer.forward(np.zeros((1, 3, 2, 2), np.float32))[0, :, 0, 0].round(3)
    array([-0.083,  0.   ,  0.   ], dtype=float32)
    """

    _file = Form(kinds={"range": "a tensor of floating-point numbers"}, dimensions={"range": 1})
    _arrayFields = (ArrayField("range", lambda layer: (layer.inputChannels,)),)

    def __init__(self, inputChannels: int, range: Any) -> None:
        super().__init__(inputChannels)
        self.range = check.shape(self, "range", self._constant("range", range), (inputChannels,))

    def _sampleNoise(self, batch: tuple[int, ...]) -> Tensor:
        planes = [random.uniform(-bound, bound, batch or 1, self._dtype, self._onDevice) for bound in self.range.tolist()]
        return np.stack(planes, -1).reshape(*batch, self.inputChannels)

    def __repr__(self) -> str:
        return "SimpleColorTransform"  # as Torch7 has it, without the package
