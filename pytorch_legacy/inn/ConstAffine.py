"""A scale and a shift of each channel that nobody trains."""

from typing import Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.activation.Inplace import Inplace
from pytorch_legacy.objects import ArrayField


class ConstAffine(Inplace):
    """Scales and shifts each channel by fixed numbers: a trained batch normalisation, for instance.

    .. math:: y_c = a_c x_c + b_c

    Parameters
    ----------
    nOutputPlane : int
        Number of channels.
    inplace : bool
        Write the output into the input and gradInput into gradOutput.

    Attributes
    ----------
    a, b : array of nOutputPlane
        Scale and shift, initially 1 and 0. They are no parameters.

    Notes
    -----
    Shapes: ``N x nOutputPlane`` or ``N x nOutputPlane x H x W`` to the same.
    Source: imagine-nn ``ConstAffine``, called ``SpatialConstAffine`` before.

    Examples
    --------
    >>> layer = inn.ConstAffine(2)  # not parameters: training leaves them alone
    >>> layer.a[:], layer.b[:] = [2, 10], [0, 5]
    >>> layer.forward(np.float32([[1, 1], [3, 4]]))
    array([[ 2., 15.],
           [ 6., 45.]], dtype=float32)
    """

    _file = Form(kinds={"a": "a tensor of floating-point numbers", "b": "a tensor of floating-point numbers"})
    a: Tensor
    b: Tensor
    _arrayFields = (ArrayField("a"), ArrayField("b"))

    def __init__(self, nOutputPlane: int, inplace: bool = False) -> None:
        super().__init__(inplace)
        shape = (check.count(self, "nOutputPlane", nOutputPlane),)
        self.a, self.b = self._resize("a", shape), self._resize("b", shape)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Goes back to scale 1 and shift 0; `stdv` is not used."""
        self.a.fill(1)
        self.b.fill(0)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._outputFor(check.tensor(self, "input", input, 2, 4))
        np.multiply(input, self._channels(self.a, input), out=output)
        output += self._channels(self.b, input)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, input)
        gradInput = self._gradInputFor(input, gradOutput)
        np.multiply(gradOutput, self._channels(self.a, input), out=gradInput)
        return gradInput

    def _channels(self, numbers: Tensor, input: Tensor) -> Tensor:
        """The numbers with the dimensions of the input."""
        return check.shape(self, "a, b", numbers.reshape(-1), input.shape[1:2]).reshape(1, -1, *[1] * (input.ndim - 2))
