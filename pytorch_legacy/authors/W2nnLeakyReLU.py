"""The rectified linear unit with a leak."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form


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

    _file = Form(
        private=("negval", "inplace"),
        defaults={
            "negative_scale": 0.333,
            "negval": lambda fields: float(np.ravel(fields.get("negative_scale", 0.333))[0]),  # it may be an array of one
        },
        kinds={"negative_scale": "a number or a tensor"},
    )

    def __init__(self, negative_scale: float = 0.333) -> None:
        super().__init__(negative_scale)
        self.negative_scale = negative_scale
