"""Random zeros."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files import migration
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear


class Dropout(Module):
    """Sets each element to zero with probability p while training::

        output    = input * noise         noise = 0 with probability p, else 1 / (1 - p)
        gradInput = gradOutput * noise

    In evaluation the input passes unchanged.

    Parameters
    ----------
    p : float
        Probability of a zero, 0 <= p < 1.
    v1 : bool
        The older scaling: noise is 0 or 1, and evaluation multiplies by 1 - p.
    inplace : bool
        Write into the input and the gradOutput.
    stochasticInference : bool
        Draw noise in evaluation too.
    lazy : bool
        Keep the noise until ``backward`` has run: the steps of a sequence get the same noise. Field ``flag`` is True
        when the next ``forward`` draws.
    mono : bool
        One draw for all samples: the noise of the first row serves every row.

    Notes
    -----
    The last two are those of Element-Research rnn, whose Dropout has them in the fourth and fifth place.
    Any shape. Field ``noise`` holds the last noise. Files without field ``v2`` were saved when there was only the older
    scaling. Unlike Torch7, the gradient goes through the noise whenever the output did, in evaluation too. Source:
    Torch7 nn.Dropout; Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting" (2014).

    Examples
    --------
    >>> layer, x = nn.Dropout(0.5), np.float32([1, 2, 3, 4, 5, 6])
    >>> pl.manualSeed(1)
    >>> layer.forward(x)
    array([ 2.,  0.,  0.,  0., 10., 12.], dtype=float32)
    >>> layer.backward(x, np.ones_like(x))
    array([2., 0., 0., 0., 2., 2.], dtype=float32)
    >>> layer.evaluate().forward(x)
    array([1., 2., 3., 4., 5., 6.], dtype=float32)
    """

    v2 = False
    inplace = False
    stochastic_inference = False
    lazy = False
    mono = False
    flag = True
    _ranks: tuple[int, ...] = ()
    _alwaysDraws = False  # with p = 0, too, when no noise is 0

    _file = Form(defaults={"inplace": False, "lazy": False, "mono": False}, kinds={"p": "a number"})
    _lua = Lua(order={0: ("p", "v1", "inplace", "stochasticInference"), 5: ("p", "v1", "inplace", "lazy", "mono")})

    def __init__(
        self,
        p: float = 0.5,
        v1: bool = False,
        inplace: bool = False,
        stochasticInference: bool = False,
        lazy: bool = False,
        mono: bool = False,
    ) -> None:
        super().__init__()
        self.setp(p)
        self.v2 = not v1
        self.inplace = inplace
        self.stochastic_inference = stochasticInference
        self.noise = np.empty(0, self._dtype)
        self.train = True
        if lazy or mono:
            self.lazy, self.mono, self.flag = lazy, mono, True

    @checked
    def setp(self, p: float) -> Self:
        """Sets another probability."""
        if not 0 <= p < 1:
            raise ValueRangeError(f"{self._typename}: p: expected 0 <= p < 1, got {p!r}")
        self.p = p
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input, *self._ranks)
        output = self._bufferFor("output", input)
        if self._isRandom():
            self._draw(input.shape)
        self._scale(input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.tensor(self, "input", input, *self._ranks)
        gradOutput = check.gradient(self, gradOutput, input)
        if self._isRandom():
            check.shape(self, "noise of the last forward", self.noise, self._noiseShape(input.shape))
        gradInput = self._bufferFor("gradInput", gradOutput)
        self._scale(gradOutput, gradInput)
        if self.lazy:
            self.flag = True
        return gradInput

    def clearState(self) -> Self:
        clear(self, "noise")
        if self.lazy:
            self.flag = True
        return super().clearState()

    def _isRandom(self) -> bool:
        return (self.p > 0 or self._alwaysDraws) and (self.train or self.stochastic_inference)

    def _draw(self, shape: tuple[int, ...]) -> None:
        """Sets ``noise`` for an input of that shape, anew unless the last one is to be used again and fits."""
        rows = 1 if self.mono else 0  # with a draw for all rows, their number may change
        if self.flag or not self.lazy or self.noise.shape[rows:] != self._noiseShape(shape)[rows:]:
            self.noise = self._sampleNoise((1, *shape[1:]) if self.mono and shape else shape)
            if self.lazy:
                self.flag = False
        if self.mono and shape:
            self.noise = np.broadcast_to(self.noise[:1], self._noiseShape(shape))

    def _scale(self, source: Tensor, target: Tensor) -> None:
        if self._isRandom():
            blocks.apply(np.multiply, source, self.noise, out=target)
        elif self.v2 or self.p == 0:
            blocks.copy(target, source)
        else:
            blocks.apply(np.multiply, source, 1 - self.p, out=target)

    def _sampleNoise(self, shape: tuple[int, ...]) -> Tensor:
        """Fresh noise."""
        noise = random.bernoulli(1 - self.p, self._noiseShape(shape), self._dtype, self._onDevice)
        return blocks.apply(np.divide, noise, 1 - self.p, out=noise) if self.v2 else noise

    def _noiseShape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the noise for an input of that shape."""
        return shape

    def __repr__(self) -> str:
        if "lazy" in self.__dict__:  # a Dropout of rnn
            return f"{self._typename}({self.p:.1f}, {'lazy' if self.lazy else 'busy'})"
        return f"{self._typename}({self.p:f})"

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """Files without `v2` scale in evaluation, as all did once."""
        if type(self) is Dropout and fields.get("v2") is None:
            migration.note(self, "v2", "missing: False, which scales in evaluation")
        super()._fromTorch7(fields, version)
