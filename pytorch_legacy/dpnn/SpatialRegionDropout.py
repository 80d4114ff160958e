"""A strip of zeros along one edge."""

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor, to_device
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.regularization.Dropout import Dropout


class SpatialRegionDropout(Dropout):
    """Sets the share p of the rows or columns, along one edge of all planes, to zero while training::

        output    = input * noise         noise = 0 in the strip, else 1 / (1 - p)
        gradInput = gradOutput * noise

    The edge (top, bottom, left or right, each as likely) is drawn anew by every pass; the strip has ``floor(p * H)`` rows
    or ``floor(p * W)`` columns. In evaluation the input passes unchanged.

    Parameters
    ----------
    p : float
        Share of rows or columns, 0 <= p < 1.

    Notes
    -----
    Shape ``(N x) C x H x W``. Field ``noise``, in the shape of the input, holds the last noise, and ``regionType`` the edge,
    from 1 to 4 in the order above. Unlike Torch7's, the layer also runs backward in evaluation, and takes planes of which the
    share p is not one row. Source: Element-Research dpnn ``SpatialRegionDropout``.

    Examples
    --------
    >>> _ = pl.manualSeed(1)
    >>> layer = dpnn.SpatialRegionDropout(0.5)
    >>> layer.forward(np.ones((1, 2, 4), np.float32)).tolist()  # one edge is gone, the rest counts twice
    [[[2.0, 2.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0]]]
    """

    v2 = True
    regionType: int
    _ranks = (3, 4)

    def __init__(self, p: float = 0.2) -> None:
        Module.__init__(self)
        self.setp(p)
        self.train = True
        self.noise = np.empty(0, self._dtype)

    def _sampleNoise(self, shape: tuple[int, ...]) -> Tensor:
        self.regionType = random.random(4)
        noise = np.full(shape, 1 / (1 - self.p), self._dtype)
        *_, height, width = shape
        rows, columns = int(height * self.p), int(width * self.p)
        strips = (
            (slice(0, rows), slice(None)),
            (slice(height - rows, height), slice(None)),
            (slice(None), slice(0, columns)),
            (slice(None), slice(width - columns, width)),
        )
        noise[..., *strips[self.regionType - 1]] = 0
        return to_device(noise, self._onDevice)

    def __repr__(self) -> str:
        return f"{self._typename} p: {self.p:f}"
