"""The plain recurrent layer of torch-rnn."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.SequenceLayer import SequenceLayer
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form


class VanillaRNN(SequenceLayer):
    """A plain recurrent layer over whole sequences: ``h(t) = tanh(x(t) W_x + h(t-1) W_h + bias)``.

    Parameters
    ----------
    input_dim, hidden_dim : int
        D and H: the elements of an input and of a state.

    Raises
    ------
    ShapeError, DtypeError
        If an array has another shape or dtype; if the size of the batch changes while states are remembered.

    Notes
    -----
    Shapes: the input is x, ``N x T x D``, or ``[h0, x]`` with an initial state ``N x H``, and gradInput likewise; the
    output is h, ``N x T x H``. Differences from torch-rnn: ``updateGradInput`` leaves the gradients of the parameters
    alone; clearState resets the state. Source: torch-rnn ``VanillaRNN.lua``.

    Examples
    --------
    >>> layer = authors.VanillaRNN(1, 1)
    >>> layer.weight[...] = [[0], [1]]
    >>> layer.bias[:] = 1
    >>> layer.forward(np.zeros((1, 2, 1), np.float32)).ravel()  # tanh(1), tanh(1 + that)
    array([0.7615942, 0.9426808], dtype=float32)
    """

    _file = Form(scratch=dict.fromkeys(("buffer1", "buffer2", "grad_h0", "grad_x")), kinds={"remember_states": "true or false"})

    def _run(self, sums: Tensor, weight: Tensor, states: dict[str, Tensor]) -> None:
        h = states["h0"]
        for t in range(sums.shape[1]):
            sums[:, t] += compute.matmul(h, weight) + self.bias
            h = compute.tanh(sums[:, t], out=self.output[:, t])

    def _runBack(self, gradOutput: Tensor, weight: Tensor, states: dict[str, Tensor], gradSums: Tensor) -> dict[str, Tensor]:
        gradH = np.zeros_like(states["h0"])
        for t in reversed(range(gradOutput.shape[1])):
            h = self.output[:, t]
            np.multiply(gradH + gradOutput[:, t], 1 - h * h, out=gradSums[:, t])
            gradH = compute.matmul(gradSums[:, t], weight.T)
        return {"h0": gradH}
