"""Normalisation of channels over a batch, and of cells by the channels around."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.files.form import Form


class BatchNormalization(Layer, nn.BatchNormalization):
    """``nn.BatchNormalization`` under cudnn's name.

    Notes
    -----
    A batch of one in training is treated as after ``evaluate()``, as by the layer of ``nn``. cuDNN took the statistics of the
    one sample, as ``setStrict()`` does here: a network that is run in training mode, as it was trained with cudnn, wants that.
    Source: cudnn.torch ``BatchNormalization``.

    Examples
    --------
    >>> cudnn.BatchNormalization(2, affine=False).forward(np.float32([[1, 0], [3, 8]])).round(3)
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    """

    _file = Form(version=2)
    _trainIsNumber = False


class SpatialBatchNormalization(Layer, nn.SpatialBatchNormalization):
    """``nn.SpatialBatchNormalization`` under cudnn's name.

    Notes
    -----
    A batch of one in training is treated as after ``evaluate()``, as by the layer of ``nn``. cuDNN took the statistics of the
    one sample, as ``setStrict()`` does here: a network that is run in training mode, as it was trained with cudnn, wants that.
    Source: cudnn.torch ``SpatialBatchNormalization``.

    Examples
    --------
    >>> x = np.float32([1, 3]).reshape(2, 1, 1, 1)
    >>> cudnn.SpatialBatchNormalization(1, affine=False).forward(x).round(3).ravel()
    array([-1.,  1.], dtype=float32)
    """

    _file = Form(version=2)
    _trainIsNumber = False


class VolumetricBatchNormalization(Layer, nn.VolumetricBatchNormalization):
    """``nn.VolumetricBatchNormalization`` under cudnn's name.

    Notes
    -----
    A batch of one in training is treated as after ``evaluate()``, as by the layer of ``nn``. cuDNN took the statistics of the
    one sample, as ``setStrict()`` does here: a network that is run in training mode, as it was trained with cudnn, wants that.
    Source: cudnn.torch ``VolumetricBatchNormalization``.

    Examples
    --------
    >>> x = np.float32([1, 3]).reshape(2, 1, 1, 1, 1)
    >>> cudnn.VolumetricBatchNormalization(1, affine=False).forward(x).round(3).ravel()
    array([-1.,  1.], dtype=float32)
    """

    _file = Form(version=2)
    _trainIsNumber = False


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
