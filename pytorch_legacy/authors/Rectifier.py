"""The rectified linear unit."""

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form


class Rectifier(nn.ReLU):
    """``nn.ReLU`` as DeepMind's player of Atari games calls it.

    Notes
    -----
    Source: DeepMind Atari DQN ``Rectifier``.

    Examples
    --------
    >>> authors.Rectifier().forward(np.float32([-1, 2]))
    array([0., 2.], dtype=float32)
    """

    _file = Form(private=("threshold", "val", "inplace"))
    threshold = 0.0
    val = 0.0

    def __init__(self) -> None:
        super().__init__()
