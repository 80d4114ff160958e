"""Exponentials."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn.Native import Native


class Exp(Native):
    """The exponential of each element::

        output    = exp(input)
        gradInput = gradOutput * output

    Notes
    -----
    Any shape. Source: Torch7 nn.Exp; C: ``THNN/activation/Exp.c``.

    Examples
    --------
    >>> np.round(nn.Exp().forward(np.float32([-1, 0, 1])), 4)
    array([0.3679, 1.    , 2.7183], dtype=float32)
    """

    _layer = "Exp"

    def _makeGradInput(self, input: Tensor, gradOutput: Tensor) -> None:
        self._resize("gradInput", self.output.shape)
