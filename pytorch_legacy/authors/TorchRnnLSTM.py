"""The LSTM of torch-rnn."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.SequenceLayer import SequenceLayer
from pytorch_legacy.files.form import Form

IFOG = 1  # the order of the gates, as LSTMSequence_updateOutput wants it


class TorchRnnLSTM(SequenceLayer):
    """Long short-term memory over whole sequences::

        i, f, o = sigmoid, g = tanh of the four parts of  x(t) W_x + h(t-1) W_h + bias
        c(t) = f * c(t-1) + i * g
        h(t) = o * tanh(c(t))

    Parameters
    ----------
    input_dim, hidden_dim : int
        D and H: the elements of an input and of a state.

    Attributes
    ----------
    cell : array of N x T x H
        c of the last pass.
    gates : array of N x T x 4H
        i, f, o and g of the last pass.

    Raises
    ------
    ShapeError, DtypeError
        If an array has another shape or dtype; if the size of the batch changes while states are remembered.

    Notes
    -----
    Shapes: the input is x, ``N x T x D``, or ``[h0, x]`` or ``[c0, h0, x]`` with initial states ``N x H``, and gradInput
    likewise; the output is h, ``N x T x H``.

    In .t7 files it is called nn.LSTM, as that of Element-Research's rnn; it is known by its fields. Differences from
    torch-rnn: any `scale`; ``updateGradInput`` leaves the gradients of the parameters alone; clearState resets the
    states. Source: torch-rnn ``LSTM.lua``; Hochreiter & Schmidhuber, "Long Short-Term Memory" (1997).

    Examples
    --------
    >>> layer = authors.TorchRnnLSTM(1, 1)
    >>> layer.weight.fill(0)
    >>> layer.bias[:] = 20  # all gates are open then, and g is 1: the cell counts the steps
    >>> layer.forward(np.ones((1, 3, 1), np.float32)).ravel()  # tanh of 1, 2, 3
    array([0.7615942, 0.9640276, 0.9950548], dtype=float32)
    >>> layer.cell.ravel()
    array([1., 2., 3.], dtype=float32)
    """

    _typename = "nn.LSTM"
    _vectors = 4
    _states = {"c0": "cell", "h0": "output"}
    _file = Form(
        scratch=dict.fromkeys(("buffer1", "buffer2", "buffer3", "grad_a_buffer", "grad_c0", "grad_h0", "grad_x")),
        kinds={"remember_states": "true or false"},
    )

    cell: Tensor

    def reset(self, std: float | None = None) -> Self:
        """Draws a new weight; the bias becomes 0, but 1 for the forget gate."""
        super().reset(std)
        self.bias[self.hidden_dim : 2 * self.hidden_dim] = 1
        return self

    def _run(self, sums: Tensor, weight: Tensor, states: dict[str, Tensor]) -> None:
        steps = (array.swapaxes(0, 1) for array in (sums, self.output, self.cell))
        self._call("LSTMSequence_updateOutput", *steps, weight, self.bias, states["h0"], states["c0"], IFOG)

    def _runBack(self, gradOutput: Tensor, weight: Tensor, states: dict[str, Tensor], gradSums: Tensor) -> dict[str, Tensor]:
        gradH, gradC = np.zeros_like(states["h0"]), np.zeros_like(states["c0"])
        gates, dy, dgates, cell = (array.swapaxes(0, 1) for array in (self.gates, gradOutput, gradSums, self.cell))
        self._call("LSTMSequence_updateGradInput", gates, dy, dgates, gradH, gradC, weight, states["c0"], cell, IFOG)
        return {"c0": gradC, "h0": gradH}

    @classmethod
    def _claims(cls, fields: Any) -> bool:
        return "hidden_dim" in fields
