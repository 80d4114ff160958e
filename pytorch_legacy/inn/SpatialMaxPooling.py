"""Windows of a plane, the last of which may reach past the edge."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form


class SpatialMaxPooling(nn.SpatialMaxPooling):
    """``nn.SpatialMaxPooling`` after ``ceil()``.

    Parameters
    ----------
    kW, kH, dW, dH, padW, padH
        As in ``nn.SpatialMaxPooling``.

    Notes
    -----
    Source: imagine-nn ``SpatialMaxPooling``. Files of its first years have no ceil_mode: they are rounded up, too.

    Examples
    --------
    >>> x = np.arange(9, dtype=np.float32).reshape(1, 3, 3)
    >>> inn.SpatialMaxPooling(2, 2, 2, 2).forward(x).tolist()  # what is left of a window counts, too
    [[[4.0, 5.0], [7.0, 8.0]]]
    >>> nn.SpatialMaxPooling(2, 2, 2, 2).forward(x).tolist()
    [[[4.0]]]
    """

    _file = Form(defaults={"ceil_mode": True})

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.ceil()
