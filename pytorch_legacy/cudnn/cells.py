"""One step of each kind of recurrent network, and its way back.

A step takes what the input gives to the gates, what the state before gives to them (both with their biases), and that state;
the gates lie side by side in cuDNN's order.
"""

from typing import Any

import numpy as np

from pytorch_legacy.storage import Tensor


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), without overflow."""
    return 0.5 * np.tanh(0.5 * x) + 0.5


class Simple:
    """h = f(x + h'), with f the positive part or the hyperbolic tangent."""

    gates = 1

    def __init__(self, isTanh: bool) -> None:
        self.isTanh = isTanh

    def forward(self, x: Tensor, r: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Any]:
        """The state after the step, the cell after it, and what the way back needs."""
        after = np.tanh(x + r) if self.isTanh else np.maximum(x + r, 0)
        return after, c, after

    def backward(self, dh: Tensor, dc: Tensor, kept: Any, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Gradients of `x` and `r`, of the state before as far as it does not come through `r`, and of the cell before."""
        slope = 1 - kept * kept if self.isTanh else (kept > 0).astype(dh.dtype)
        dx = dh * slope
        return dx, dx, np.zeros_like(dh), dc


class LSTM:
    """c = f c' + i g and h = o tanh(c), with gates i, f, g, o."""

    gates = 4

    def forward(self, x: Tensor, r: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Any]:
        i, f, g, o = np.split(x + r, 4, -1)
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        after = f * c + i * g
        squashed = np.tanh(after)
        return o * squashed, after, (i, f, g, o, squashed)

    def backward(self, dh: Tensor, dc: Tensor, kept: Any, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        i, f, g, o, squashed = kept
        dc = dc + dh * o * (1 - squashed * squashed)
        di, df, dg, do = dc * g * i * (1 - i), dc * c * f * (1 - f), dc * i * (1 - g * g), dh * squashed * o * (1 - o)
        dx = np.concatenate([di, df, dg, do], -1)
        return dx, dx, np.zeros_like(dh), dc * f


class GRU:
    """h = (1 - z) n + z h' with n = tanh(x_n + r (h'_n)), and gates r, z, n: the reset gate comes after the product."""

    gates = 3

    def forward(self, x: Tensor, r: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Any]:
        (xr, xz, xn), (hr, hz, hn) = np.split(x, 3, -1), np.split(r, 3, -1)
        reset, update = sigmoid(xr + hr), sigmoid(xz + hz)
        new = np.tanh(xn + reset * hn)
        return (1 - update) * new + update * h, c, (reset, update, new, hn)

    def backward(self, dh: Tensor, dc: Tensor, kept: Any, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        reset, update, new, hn = kept
        dn = dh * (1 - update) * (1 - new * new)
        dz = dh * (h - new) * update * (1 - update)
        dr = dn * hn * reset * (1 - reset)
        return np.concatenate([dr, dz, dn], -1), np.concatenate([dr, dz, dn * reset], -1), dh * update, dc


CELLS: dict[str, Any] = {
    "CUDNN_RNN_RELU": Simple(False),
    "CUDNN_RNN_TANH": Simple(True),
    "CUDNN_LSTM": LSTM(),
    "CUDNN_GRU": GRU(),
}
