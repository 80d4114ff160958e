"""Random noise added."""

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear


class WhiteNoise(Module):
    """Adds normal noise to its input while training::

        output    = input + noise
        gradInput = gradOutput

    In evaluation the mean is added instead.

    Parameters
    ----------
    mean, std : float
        Mean and standard deviation of the noise.

    Notes
    -----
    Any shape. Field ``noise`` holds the last noise. Unlike Torch7's, the layer also runs backward in evaluation. Source:
    Torch7 nn.WhiteNoise.

    Examples
    --------
    >>> layer, x = nn.WhiteNoise(std=0.5), np.float32([1, 2, 3])
    >>> pl.manualSeed(1)
    >>> np.round(layer.forward(x), 4)
    array([-0.4859,  2.8535,  2.7848], dtype=float32)
    >>> layer.evaluate().forward(x)
    array([1., 2., 3.], dtype=float32)
    """

    _file = Form(defaults={"mean": 0, "std": 0.1})

    def __init__(self, mean: float = 0, std: float = 0.1) -> None:
        super().__init__()
        self.mean = mean
        self.std = std
        self.noise = np.empty(0, self._dtype)

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input)
        output = self._resize("output", input.shape)
        if not self.train:
            return np.add(input, self._dtype.type(self.mean), out=output)
        self.noise = random.normal(self.mean, self.std, input.shape, self._dtype, self._onDevice)
        return np.add(input, self.noise, out=output)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        gradInput = self._resize("gradInput", input.shape)
        gradInput[...] = gradOutput
        return gradInput

    def clearState(self) -> "WhiteNoise":
        clear(self, "noise")
        super().clearState()
        return self

    def __repr__(self) -> str:
        return f"{self._typename} mean: {self.mean:f}, std: {self.std:f}"
