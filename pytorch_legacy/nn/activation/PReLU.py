"""The rectified linear unit whose leak is learned."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.utils import sizes


def _channels(fields: Any) -> int:
    slopes = np.size(fields.get("weight", 0))
    return slopes if slopes > 1 else 0


class PReLU(Native):
    """Scales elements that are not positive by a slope that is learned, one for all or one for each channel.

    .. math:: y = x \\text{ if } x > 0 \\text{ else } w_c x

    Parameters
    ----------
    nOutputPlane : int
        The number of channels; 0 is one slope for all elements.

    Attributes
    ----------
    weight, gradWeight
        The slopes, 0.25 at first, and their gradients: ``nOutputPlane``, or one if that is 0.
    numInputDims : int or None
        Number of dimensions of a sample, as set by ``setNumInputDims``; None by default.

    Raises
    ------
    ShapeError
        If the input has not as many channels as there are slopes, or not the dimensions that `setNumInputDims` gave.

    Notes
    -----
    Shapes: any if there is one slope; otherwise ``C``, ``N x C``, ``N x C x L``, ``N x C x H x W`` and so on, with
    ``C = nOutputPlane``: as in Torch7, three dimensions are a batch of sequences, and not one image, unless
    ``setNumInputDims(3)`` says that a sample has three. The output has the shape of the input. Weight decay would pull the
    slopes towards that of a ReLU.
    Source: Torch7 ``nn.PReLU``; He et al., "Delving Deep into Rectifiers" (2015); C: ``THNN/activation/PReLU.c``.

    Examples
    --------
    >>> layer, x = nn.PReLU(2), np.float32([[-4, -4], [1, 2]])
    >>> layer.weight[...] = [0.5, 0.25]
    >>> layer.forward(x)
    array([[-2., -1.],
           [ 1.,  2.]], dtype=float32)
    >>> layer.zeroGradParameters().backward(x, np.ones_like(x))
    array([[0.5 , 0.25],
           [1.  , 1.  ]], dtype=float32)
    >>> layer.gradWeight
    array([-4., -4.], dtype=float32)
    """

    _layer = "PReLU"
    _file = Form(dropped=("gradWeightBuf", "gradWeightBuf2"), defaults={"nOutputPlane": _channels})  # used on the GPU only

    weight: Tensor
    numInputDims: int | None = None

    def __init__(self, nOutputPlane: int = 0) -> None:
        super().__init__()
        self.nOutputPlane = check.count(self, "nOutputPlane", nOutputPlane, 0)
        self._newParameters(weight=nOutputPlane or 1)
        self.weight.fill(0.25)

    @checked
    def setNumInputDims(self, numInputDims: int | None) -> Self:
        """Says how many dimensions a sample has, of which the first is that of the channels, and returns self."""
        self.numInputDims = numInputDims
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        self._resize("output", check.tensor(self, "input", input).shape, mustNotOverlap=input)
        self._call("updateOutput", *self._batches(input, self.output))
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape, mustNotOverlap=[input, gradOutput])
        check.tensor(self, "gradOutput", gradOutput)
        self._call("updateGradInput", *self._batches(input, gradOutput, gradInput))
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        arrays = self._batches(check.tensor(self, "input", input), check.tensor(self, "gradOutput", gradOutput))
        self._call("accGradParameters", *arrays, self.gradWeight, self.nOutputPlane, scale)

    def _batches(self, input: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
        """The arrays as they are, or those of one sample, where samples have as many dimensions, as batches of one."""
        rank, told, slopes = input.ndim, self.numInputDims, self.nOutputPlane
        if not slopes or rank < 2:
            return (input, *others)
        if told is not None and rank not in (told, told + 1):
            raise ShapeError(f"{self._typename}: input: expected {told}-D, or {told + 1}-D for a batch, got {sizes(input.shape)}")
        if rank == told:
            return tuple(array[None] for array in (input, *others))
        if told is None and input.shape[1] != slopes and input.shape[0] == slopes:
            raise ShapeError(
                f"{self._typename}: input: expected N x {slopes} x ..., got {sizes(input.shape)}; "
                f"if this is one sample without its batch, setNumInputDims({rank}) says so"
            )
        return (input, *others)
