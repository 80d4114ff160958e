"""Windows of a plane, the last of which may reach past the edge."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form


class SpatialAveragePooling(nn.SpatialAveragePooling):
    """``nn.SpatialAveragePooling`` after ``ceil()``.

    Parameters
    ----------
    kW, kH, dW, dH, padW, padH
        As in ``nn.SpatialAveragePooling``.

    Notes
    -----
    Source: imagine-nn ``SpatialAveragePooling``. Files of its first years have no ceil_mode: they are rounded up, too.

    Examples
    --------
    >>> x = np.float32([[[0, 2, 4], [2, 4, 6], [8, 8, 9]]])
    >>> inn.SpatialAveragePooling(2, 2, 2, 2).forward(x).shape  # what is left of a window counts, too
    (1, 2, 2)
    >>> nn.SpatialAveragePooling(2, 2, 2, 2).forward(x).shape
    (1, 1, 1)
    """

    _file = Form(defaults={"ceil_mode": True, "divide": True})

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.ceil()
