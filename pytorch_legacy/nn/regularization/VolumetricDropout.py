"""Random volumes of zeros."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.regularization.Dropout import Dropout


class VolumetricDropout(Dropout):
    """Sets each volume to zero with probability p while training::

        output    = input * noise         noise = 0 with probability p, else 1, for each volume
        gradInput = gradOutput * noise

    In evaluation both are multiplied by 1 - p instead.

    Parameters
    ----------
    p : float
        Probability of a zero, 0 <= p < 1.
    stochasticInference : bool
        Draw noise in evaluation too.

    Notes
    -----
    Shape ``(N x) C x T x H x W``; field ``noise``, ``(N x) C x 1 x 1 x 1``, holds the last noise. Unlike Torch7's, the
    layer also runs backward in evaluation. Source: Torch7 nn.VolumetricDropout.

    Examples
    --------
    >>> layer, x = nn.VolumetricDropout(0.5), np.float32([[[[1, 2]]], [[[3, 4]]], [[[5, 6]]]])
    >>> pl.manualSeed(3)
    >>> layer.forward(x)[:, 0, 0]
    array([[0., 0.],
           [3., 4.],
           [0., 0.]], dtype=float32)
    >>> layer.evaluate().forward(x)[:, 0, 0]
    array([[0.5, 1. ],
           [1.5, 2. ],
           [2.5, 3. ]], dtype=float32)
    """

    _ranks = (4, 5)
    _alwaysDraws = True

    _file = Form(implied={"v2": False, "inplace": False})

    def __init__(self, p: float = 0.5, stochasticInference: bool = False) -> None:
        super().__init__(p, v1=True, stochasticInference=stochasticInference)

    def _noiseShape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[:-3], 1, 1, 1)
