"""Normalisation of channels over a batch."""

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
