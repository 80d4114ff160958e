"""One array scaled by another one, channel by channel."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class ScaleTable(Module):
    """Multiplies each channel by a factor: of a list of two, planes and factors, the product.

    Raises
    ------
    ShapeError
        If the factors are not ``N x C x 1 x 1``, or do not fit the planes otherwise.

    Notes
    -----
    Shapes: a list of ``N x C x H x W`` and ``N x C x 1 x 1`` to ``N x C x H x W``.
    Source: waifu2x ``ScaleTable``.

    Examples
    --------
    >>> planes, factors = np.ones((1, 2, 1, 2), np.float32), np.float32([3, 5]).reshape(1, 2, 1, 1)
    >>> authors.ScaleTable().forward([planes, factors]).tolist()
    [[[[3.0, 3.0]], [[5.0, 5.0]]]]
    """

    _typename = "w2nn.ScaleTable"

    _file = Form(kinds={"scale": "a tensor of floating-point numbers"})

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []
        self.grad_tmp, self.scale = np.empty((2, 0), self._dtype)  # buffers of Torch7

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        planes, factors = self._checked(input)
        output = self._resize("output", planes.shape)
        np.multiply(planes, factors, out=output)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        planes, factors = self._checked(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), planes.shape)
        gradPlanes, gradFactors = gradInput = self._resizeTable("gradInput", [planes.shape, factors.shape])
        np.multiply(gradOutput, factors, out=gradPlanes)
        compute.sum(gradOutput * planes, (2, 3), keepdims=True, out=gradFactors)
        return gradInput

    def _checked(self, input: list[Tensor]) -> list[Tensor]:
        planes, factors = check.tensors(self, "input", input, 2)
        check.tensor(self, "input[0]", planes, 4)
        if factors.shape != (*planes.shape[:2], 1, 1):
            raise ShapeError(
                f"{self._typename}: input[1]: expected {sizes((*planes.shape[:2], 1, 1))}, got {sizes(factors.shape)}"
            )
        return [planes, factors]
