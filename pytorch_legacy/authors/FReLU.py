"""The rectified linear unit with a learned bias."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import ArrayField


class FReLU(Module):
    """A rectified linear unit with a learned bias (flexible rectified linear unit).

    .. math:: y = \\max(0, x) + b

    Attributes
    ----------
    bias, gradBias : array of 1
        b, -1 at first.

    Notes
    -----
    Shapes: any. The authors' own networks consist of nn.ReLU and MyAdd instead of this class. A file whose object of this
    name has no `bias` of one number gives an nn.Unknown.
    Source: Qiu et al. 2017, "FReLU: Flexible Rectified Linear Units for Improving Convolutional Neural Networks".

    Examples
    --------
    >>> authors.FReLU().forward(np.float32([-2, 0, 3]))
    array([-1., -1.,  2.], dtype=float32)
    """

    _file = Form(dimensions={"bias": 1})
    _arrayFields = (ArrayField("bias", lambda layer: (1,)),)
    bias: Tensor
    gradBias: Tensor

    def __init__(self) -> None:
        super().__init__()
        self._newParameters(bias=1)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Sets the bias to -1; `stdv` is not used."""
        self.bias.fill(-1)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input)
        output = self._resize("output", input.shape)
        compute.maximum(input, 0, out=output)
        output += self.bias[0]
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=input)
        gradInput[...] = np.where(input > 0, gradOutput, self._dtype.type(0))
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        total = np.zeros((1,) * input.ndim, self._dtype, like=gradOutput)
        self.gradBias += scale * blocks.addUp(total, gradOutput).reshape(1)

    @classmethod
    def _claims(cls, fields: Any) -> bool:
        return getattr(fields.get("bias"), "size", 0) == 1 and fields.get("weight") is None
