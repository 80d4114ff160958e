"""The rectified linear unit with a ceiling."""


from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.files.form import Form


class ClippedReLU(Layer, nn.HardTanh):
    """Limits each element to the range from 0 to a ceiling.

    .. math:: y = \\min(\\max(x, 0), ceiling)

    Parameters
    ----------
    ceiling : float
    inplace : bool
        Write the output into the input and gradInput into gradOutput.

    Notes
    -----
    Source: cudnn.torch ``ClippedReLU``.

    Examples
    --------
    >>> cudnn.ClippedReLU(6).forward(np.float32([-1, 3, 9]))
    array([0., 3., 6.], dtype=float32)
    """

    _file = Form(
        private=("min_val", "max_val"),
        defaults={"min_val": lambda fields: 0.0, "max_val": lambda fields: fields["ceiling"]},
        kinds={"ceiling": "a number"},
    )

    def __init__(self, ceiling: float, inplace: bool = False) -> None:
        super().__init__(0.0, ceiling, inplace)
        self.ceiling = ceiling
