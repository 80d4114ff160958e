"""Means of windows, as cuDNN counts their cells."""

from typing import Any, Self

from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.pooling.SpatialAveragePooling import SpatialAveragePooling as Pooling

INCLUDE = "CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING"
EXCLUDE = "CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING"


class AveragePooling(Layer, Pooling):
    """Base of the average pooling layers.

    Attributes
    ----------
    mode : str
        Whether cells of the padding count, in cuDNN's words.
    """

    _file = Form(private=("divide",), defaults={"divide": True}, kinds={"mode": "text"})
    mode = INCLUDE

    def setCountIncludePad(self) -> Self:
        """Divides by the cells of the window on input and padding, and returns self."""
        self.mode = INCLUDE
        return super().setCountIncludePad()

    def setCountExcludePad(self) -> Self:
        """Divides by the cells of the window on the input, and returns self."""
        self.mode = EXCLUDE
        return super().setCountExcludePad()

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """cuDNN looked at `mode` alone, and always divided."""
        super()._fromTorch7(fields, version)
        if self.count_include_pad != (self.mode != EXCLUDE):
            self.count_include_pad = not self.count_include_pad
