"""Average and max pooling of cudnn.torch."""

from typing import Any, Self

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer, no_size
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


class SpatialAveragePooling(AveragePooling, nn.SpatialAveragePooling):
    """``nn.SpatialAveragePooling`` whose windows lie side by side by default.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side.

    Notes
    -----
    Source: cudnn.torch ``SpatialAveragePooling``.

    Examples
    --------
    >>> cudnn.SpatialAveragePooling(2, 1).forward(np.float32([[[1, 3, 5, 9]]]))  # windows side by side
    array([[[2., 7.]]], dtype=float32)
    """

    def __init__(self, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0) -> None:
        super().__init__(kW, kH, kW if dW is None else dW, kH if dH is None else dH, padW, padH)
        self.ceil_mode = False
        self.count_include_pad = True
        self.mode = INCLUDE
        self.iSize = no_size(4)


class VolumetricAveragePooling(AveragePooling, nn.VolumetricAveragePooling):
    """``nn.VolumetricAveragePooling`` under cudnn's name.

    Parameters
    ----------
    kT, kW, kH, dT, dW, dH, padT, padW, padH
        As in ``nn.VolumetricAveragePooling``.

    Notes
    -----
    Source: cudnn.torch ``VolumetricAveragePooling``.

    Examples
    --------
    >>> x = np.float32([1, 3, 5, 9]).reshape(1, 4, 1, 1)
    >>> cudnn.VolumetricAveragePooling(2, 1, 1).forward(x).ravel()
    array([2., 7.], dtype=float32)
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.ceil_mode = False
        self.mode = INCLUDE
        self.iSize = no_size(5)

    def __repr__(self) -> str:
        return self._typename


class SpatialMaxPooling(Layer, nn.SpatialMaxPooling):
    """``nn.SpatialMaxPooling`` under cudnn's name.

    Parameters
    ----------
    kW, kH, dW, dH, padW, padH
        As in ``nn.SpatialMaxPooling``.

    Notes
    -----
    Source: cudnn.torch ``SpatialMaxPooling``.

    Examples
    --------
    >>> cudnn.SpatialMaxPooling(2, 1, 2, 1).forward(np.float32([[[1, 3, 9, 5]]]))
    array([[[3., 9.]]], dtype=float32)
    """

    _file = Form(private=("indices", "iheight", "iwidth"), kinds={"mode": "text"})

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.mode = "CUDNN_POOLING_MAX"
        self.ceil_mode = False
        self.iSize = no_size(4)


class VolumetricMaxPooling(Layer, nn.VolumetricMaxPooling):
    """``nn.VolumetricMaxPooling`` under cudnn's name.

    Parameters
    ----------
    kT, kW, kH, dT, dW, dH, padT, padW, padH
        As in ``nn.VolumetricMaxPooling``.

    Notes
    -----
    Source: cudnn.torch ``VolumetricMaxPooling``.

    Examples
    --------
    >>> cudnn.VolumetricMaxPooling(2, 1, 1, 2, 1, 1).forward(np.float32([1, 3, 9, 5]).reshape(1, 4, 1, 1)).ravel()
    array([3., 9.], dtype=float32)
    """

    _file = Form(version=1, private=("indices", "iheight", "iwidth", "itime"), kinds={"mode": "text"})

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.mode = "CUDNN_POOLING_MAX"
        self.ceil_mode = False
        self.iSize = no_size(5)

    def __repr__(self) -> str:
        return self._typename
