"""Gradients turned round."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files import migration
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class GradientReversal(Module):
    """Passes its input on, not a copy of it, and turns the gradient round::

        output    = input
        gradInput = -lambda * gradOutput

    Parameters
    ----------
    lambda_ : float
        The factor.

    Notes
    -----
    Any shape. Files of the first version have no factor: it was 1. Source: Torch7 nn.GradientReversal; Ganin and
    Lempitsky, "Unsupervised Domain Adaptation by Backpropagation" (2015).

    Examples
    --------
    >>> layer, x = nn.GradientReversal(0.5), np.float32([1, 2])
    >>> layer.forward(x)
    array([1., 2.], dtype=float32)
    >>> layer.backward(x, np.float32([3, 4]))  # times -0.5
    array([-1.5, -2. ], dtype=float32)
    """

    _file = Form(version=2, renamed={"lambda_": "lambda"}, defaults={"lambda_": 1})

    def __init__(self, lambda_: float = 1) -> None:
        super().__init__()
        self.lambda_ = lambda_

    @checked
    def setLambda(self, lambda_: float) -> Self:
        """Sets another factor."""
        self.lambda_ = lambda_
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        self.output = check.tensor(self, "input", input)
        return input

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        return np.multiply(gradOutput, self._dtype.type(-self.lambda_), out=self._resize("gradInput", input.shape))

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        if version < 2:
            migration.note(self, "lambda", "missing in version 1: 1")
            fields = fields | {"lambda": 1}
        super()._fromTorch7(fields, version)
