"""A pull towards smooth images."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class TotalVariation(Module):
    """Passes everything through, and adds the gradient of a loss to what comes back: that of the total variation.

    .. math:: loss = \\frac{strength}{2} \\sum_{h < H, w < W} (x_{h,w} - x_{h,w+1})^2 + (x_{h,w} - x_{h+1,w})^2

    over all planes; the last row and the last column start no differences.

    Parameters
    ----------
    strength : float

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to the same; the output is the input itself.
    Source: fast-neural-style ``TotalVariation``.

    Examples
    --------
    >>> layer, x = authors.TotalVariation(1), np.float32([[[0, 2], [0, 2]]])
    >>> layer.forward(x) is x
    True
    >>> layer.backward(x, np.zeros((1, 2, 2), np.float32)).tolist()  # a step against it makes the planes smoother
    [[[-2.0, 2.0], [0.0, 0.0]]]
    """

    _file = Form(kinds={"x_diff": "a tensor", "y_diff": "a tensor"})

    def __init__(self, strength: float) -> None:
        super().__init__()
        self.strength = strength
        self.x_diff, self.y_diff = np.empty((2, 0), self._dtype)  # buffers of Torch7

    def updateOutput(self, input: Any) -> Any:
        self.output = input
        return input

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._zeros("gradInput", check.tensor(self, "input", input, 3, 4))
        gradOutput = check.gradient(self, gradOutput, input)
        here = input[..., :-1, :-1]
        across, down = here - input[..., :-1, 1:], here - input[..., 1:, :-1]
        gradInput[..., :-1, :-1] += across + down
        gradInput[..., :-1, 1:] -= across
        gradInput[..., 1:, :-1] -= down
        gradInput *= self.strength
        gradInput += gradOutput
        return gradInput
