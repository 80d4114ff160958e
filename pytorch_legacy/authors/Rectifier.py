"""The rectified linear unit."""

from typing import Any

from pytorch_legacy import nn


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

    threshold = 0.0
    val = 0.0

    def __init__(self) -> None:
        super().__init__()

    def _toTorch7(self) -> dict[str, Any]:
        ours = ("threshold", "val", "inplace")
        return {name: value for name, value in super()._toTorch7().items() if name not in ours}
