"""A learned bias for all elements, or for each channel."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor, is_writable
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.objects import ArrayField


class MyAdd(Module):
    """Adds a learned number to all elements, or one for each channel: behind an nn.ReLU, the second part of a FReLU.

    .. math:: y_{n,c} = x_{n,c} + b_c

    Parameters
    ----------
    n : int
        Number of biases: 1, or one for each channel.
    init_val : float
        Initial value of the biases; -1 by default.
    lr_decay_val : float
        Factor of their gradients.
    isConstrained : bool
        Whether each forward pass replaces a positive bias by what it was in the pass before.
    constrainedVal : float, optional
        Value by which the original's method ``constrained`` would replace a positive bias. It is not used.
    inplace : bool
        Write the output into the input; the backward pass subtracts the bias again. gradInput is then gradOutput itself.
    numInputDims : int, optional
        Number of dimensions of a sample, of which the first one is that of the channels. Without it, the channels are the
        second dimension.

    Attributes
    ----------
    bias, gradBias : array of n

    Raises
    ------
    ShapeError
        If there are several biases and the input has not as many channels.

    Notes
    -----
    Shapes: any. Files of earlier versions lack some of the fields.
    Source: frelu.torch ``MyAdd``; Qiu et al. 2017.

    Examples
    --------
    >>> authors.MyAdd(1, -1).forward(np.float32([1, 2]))
    array([0., 1.], dtype=float32)
    """

    inplace = False
    numInputDims: int | None = None

    _file = Form(
        renamed={"lr_decay_": "lr_decay"},
        defaults={
            "inplace": False,
            "size": lambda fields: int(np.size(fields["bias"])),
            "lr_decay_": 1.0,
            "isConstrained": False,
            "constrainedVal": None,
            "biasCopy": lambda fields: np.array(fields["bias"]),
        },
        kinds={
            "size": "a whole number from 1 on",
            "constrainedVal": "a number",
            "biasCopy": "a tensor of floating-point numbers",
        },
        dimensions={"bias": 1, "biasCopy": 1},
    )
    _arrayFields = (ArrayField("bias", lambda layer: (layer.size,)), ArrayField("biasCopy", lambda layer: (layer.size,)))
    bias: Tensor
    gradBias: Tensor
    biasCopy: Tensor

    def __init__(
        self,
        n: int = 1,
        init_val: float = -1.0,
        lr_decay_val: float = 1.0,
        isConstrained: bool = False,
        constrainedVal: float | None = None,
        inplace: bool = False,
        numInputDims: int | None = None,
    ) -> None:
        super().__init__()
        self.size = check.count(self, "n", n)
        self._newParameters(bias=n)
        self.inplace = inplace
        self.numInputDims = numInputDims
        self.lr_decay_ = lr_decay_val
        self.isConstrained, self.constrainedVal = isConstrained, constrainedVal
        self.reset(init_val)
        self.biasCopy = self.bias.copy()

    def reset(self, val: float | None = None) -> Self:
        """Sets all biases to `val`, by default to -1."""
        self.bias.fill(-1 if val is None else val)
        return self

    @checked
    def setNumInputDims(self, numInputDims: int | None) -> Self:
        """Says how many dimensions a sample has, and returns self."""
        self.numInputDims = numInputDims
        return self

    def constrain(self) -> None:
        """Replaces positive biases by those of the pass before, if `isConstrained` is set, as each forward pass does."""
        if self.isConstrained:
            np.copyto(self.bias, self.biasCopy, where=self.bias > 0)
            self.biasCopy[...] = self.bias

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = self._shape(input)
        self.constrain()
        return blocks.apply(np.add, input, self.bias.reshape(shape), out=self._bufferFor("output", input))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        if self.inplace:
            if is_writable(input):
                blocks.apply(np.subtract, input, self.bias.reshape(self._shape(input)), out=input)
            return self._bufferFor("gradInput", gradOutput)
        return blocks.copy(self._bufferFor("gradInput", gradOutput), gradOutput)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        sums = np.zeros(self._shape(input), self._dtype, like=gradOutput)
        self.gradBias += scale * self.lr_decay_ * blocks.addUp(sums, gradOutput).reshape(self.size)

    def _shape(self, input: Any) -> tuple[int, ...]:
        """Returns the shape in which the biases are added to the input."""
        rank = check.tensor(self, "input", input).ndim
        if self.size == 1:
            return (1,) * rank
        told = self.numInputDims
        axis = 0 if told == rank else 1
        if (told is not None and rank not in (told, told + 1)) or rank <= axis or input.shape[axis] != self.size:
            wanted = f"{self.size} channels in dimension {axis}" if told is None else f"{told}-D samples of {self.size} channels"
            raise ShapeError(f"{self._typename}: input: expected {wanted}, got {sizes(input.shape)}")
        return tuple(self.size if place == axis else 1 for place in range(rank))
