"""Local response normalization across planes."""


from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.files.form import Form


class SpatialCrossMapLRN(Layer, nn.SpatialCrossMapLRN):
    """``nn.SpatialCrossMapLRN`` with cudnn's defaults.

    Parameters
    ----------
    size : int
        Number of planes in a window.
    alpha, beta, k : float

    Notes
    -----
    Source: cudnn.torch ``SpatialCrossMapLRN``.

    Examples
    --------
    >>> x = np.float32([1, 2, 3]).reshape(3, 1, 1)
    >>> cudnn.SpatialCrossMapLRN(3, alpha=3, beta=1).forward(x).ravel()  # x / (1 + the squares in three planes)
    array([0.16666666, 0.13333333, 0.2142857 ], dtype=float32)
    """

    _file = Form(formerly={"K": "k"}, defaults={"size": 5, "k": 1.0})

    def __init__(self, size: int = 5, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__(size, alpha, beta, k)
