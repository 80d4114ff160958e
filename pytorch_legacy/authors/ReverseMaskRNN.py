"""A recurrent module that reads sequences of different lengths from their ends."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.MaskRNN import MaskRNN


class ReverseMaskRNN(MaskRNN):
    """Reverses each sequence up to its end, runs its module, and reverses the output; zero after the end.

    .. math:: y = R_n f(R_n x), \\quad (R_n x)_t = x_{length_n - 1 - t} \\text{ if } t < length_n, \\text{ else } 0

    Parameters, errors and shapes are those of MaskRNN.

    Notes
    -----
    Source: deepspeech.torch ``ReverseMaskRNN``.

    Examples
    --------
    >>> layer = authors.ReverseMaskRNN(cudnn.RNN(1, 1, 1))
    >>> layer[0].weight[:] = [1, 1, 0, 0]  # a running sum, here from the end
    >>> x = np.float32([[1], [2], [10], [20]])  # two steps of two sequences
    >>> layer.forward([x, np.array([2, 1])]).ravel()
    array([11.,  2., 10.,  0.], dtype=float32)
    """

    def _toModule(self, steps: Tensor, lengths: Tensor) -> Tensor:
        return self._fromModule(steps, lengths)

    def _fromModule(self, steps: Tensor, lengths: Tensor) -> Tensor:
        inside = self._isInside(steps, lengths)
        mirrored = lengths[:, None] - 1 - np.arange(len(steps), like=lengths)[:, None, None]
        sources = np.where(inside, mirrored, 0)
        return np.where(inside, np.take_along_axis(steps, sources, 0), self._dtype.type(0))

    def _inputGradient(self, gradient: Tensor, lengths: Tensor) -> Tensor:
        return self._fromModule(gradient, lengths)
