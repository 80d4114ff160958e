"""Normalisation of channels over a batch."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.files.form import Form


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
