"""Positive and negative parts side by side."""

from collections.abc import Callable
from math import prod
from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.activation.ReLU import ReLU
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.math.MulConstant import MulConstant
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.shape.Identity import Identity
from pytorch_legacy.nn.table.ConcatTable import ConcatTable
from pytorch_legacy.nn.table.JoinTable import JoinTable


class CReLU(Sequential):
    """The positive parts of a sample's elements, followed by their negative parts, which doubles the channels::

        output = [max(input, 0), max(-input, 0)]

    Parameters
    ----------
    nInputDims : int
        The rank of one sample, whose first dimension is doubled. Inputs with one dimension more are batches.
    inplace : bool
        Let the ReLU inside work in place, which overwrites gradOutput. The input stays as it is.

    Notes
    -----
    A chain of small modules that sees each sample as a row. Inputs of another rank raise ShapeError; Torch7 took them
    for single samples. Source: Torch7 nn.CReLU; Shang et al., "Understanding and Improving Convolutional Neural
    Networks via Concatenated Rectified Linear Units" (2016).

    Examples
    --------
    >>> nn.CReLU(1).forward(np.float32([[-2, 3], [4, -5]]))
    array([[0., 3., 2., 0.],
           [4., 0., 0., 5.]], dtype=float32)
    """

    _file = Form(defaults={"inplace": False})

    def __init__(self, nInputDims: int, inplace: bool = False) -> None:
        super().__init__()
        self.nInputDims = check.count(self, "nInputDims", nInputDims)
        self.inplace = inplace
        self.add(ConcatTable().add(Identity()).add(MulConstant(-1)))
        self.add(JoinTable(1))
        self.add(ReLU(inplace))

    def updateOutput(self, input: Tensor) -> Tensor:
        input = self._checked(input)
        rows, shape = self._rows(input), self._outputShape(input)
        halves = check.shape(self, "output of its modules", super().updateOutput(rows), (len(rows), 2 * rows.shape[1]))
        self.output = halves.reshape(shape)
        return self.output

    def _back(self, input: Tensor, gradOutput: Tensor, step: Callable[[Module, Any, Any], Any]) -> Tensor:
        input = self._checked(input)
        rows = self._rows(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self._outputShape(input))
        gradient = super()._back(rows, gradOutput.reshape(len(rows), 2 * rows.shape[1]), step)
        self.gradInput = gradient.reshape(input.shape)
        return self.gradInput

    def _checked(self, input: Tensor) -> Tensor:
        return check.tensor(self, "input", input, self.nInputDims, self.nInputDims + 1)

    def _rows(self, input: Tensor) -> Tensor:
        """The input, each sample a row."""
        batch = input.ndim - self.nInputDims
        return input.reshape(prod(input.shape[:batch]), prod(input.shape[batch:]))

    def _outputShape(self, input: Tensor) -> tuple[int, ...]:
        axis = input.ndim - self.nInputDims
        return (*input.shape[:axis], 2 * input.shape[axis], *input.shape[axis + 1 :])

    def __repr__(self) -> str:
        return "CReLU()"
