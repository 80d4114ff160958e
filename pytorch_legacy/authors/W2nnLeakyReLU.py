"""The rectified linear unit with a leak."""

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.form import Form


class W2nnLeakyReLU(nn.LeakyReLU):
    """``nn.LeakyReLU`` as the first networks of waifu2x have it.

    Parameters
    ----------
    negative_scale : float
        Slope of the negative part.

    Notes
    -----
    Source: waifu2x ``LeakyReLU``.

    Examples
    --------
    >>> authors.W2nnLeakyReLU(0.25).forward(np.float32([-4, 2]))
    array([-1.,  2.], dtype=float32)
    """

    _typename = "w2nn.LeakyReLU"
    negative_scale = 0.333

    _file = Form(defaults={"negative_scale": 0.333}, without=("negval",))

    def __init__(self, negative_scale: float = 0.333) -> None:
        super().__init__(negative_scale)
        self.negative_scale = negative_scale

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """The factor may be a number or an array of one."""
        super()._fromTorch7(fields, version)
        scale: Any = self.negative_scale
        self.negval = float(scale.reshape(-1)[0] if isinstance(scale, np.ndarray) else scale)

    def _toTorch7(self) -> dict[str, Any]:
        return {name: value for name, value in super()._toTorch7().items() if name not in ("negval", "inplace")}
