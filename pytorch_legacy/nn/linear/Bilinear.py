"""Bilinear forms of two vectors."""

from math import sqrt

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.linear.batch import summed
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, sizes
from pytorch_legacy.objects import ArrayField


class Bilinear(Module):
    """Gives bilinear forms of the rows of two batches.

    .. math:: y_k = x_1^T W_k x_2 + b_k

    Parameters
    ----------
    inputSize1, inputSize2 : int
        Number of elements of the vectors of either batch.
    outputSize : int
        Number of forms.
    bias : bool
        Whether there is a b.

    Attributes
    ----------
    weight, gradWeight : array of outputSize x inputSize1 x inputSize2
    bias, gradBias : array of outputSize, or None

    Raises
    ------
    ShapeError
        If the inputs are not ``N x inputSize1`` and ``N x inputSize2``.

    Notes
    -----
    Shapes: [``N x inputSize1``, ``N x inputSize2``] to ``N x outputSize``. Weight and bias start uniform in [-s, s) with
    s = 1 / sqrt(inputSize1). Unlike Torch7, the gradient of the weight obeys `scale`. Source: Torch7 nn.Bilinear.

    Examples
    --------
    >>> layer = nn.Bilinear(2, 2, 1)
    >>> layer.weight[...], layer.bias[...] = [[1, 10], [100, 1000]], 0.5
    >>> layer.forward([np.float32([[1, 0], [1, 1]]), np.float32([[0, 1], [1, 1]])])
    array([[  10.5],
           [1111.5]], dtype=float32)
    """

    _file = Form(dropped=("buff1", "buff2"), dimensions={"weight": 3})

    _updatesDirectly = True
    weight: Tensor
    gradWeight: Tensor
    _arrayFields = (ArrayField("weight", 3), ArrayField("bias", lambda layer: layer.weight.shape[:1], ("bias", "gradBias")))

    def __init__(self, inputSize1: int, inputSize2: int, outputSize: int, bias: bool = True) -> None:
        super().__init__()
        names = {"outputSize": outputSize, "inputSize1": inputSize1, "inputSize2": inputSize2}
        shape = tuple(check.count(self, name, size) for name, size in names.items())
        self._newParameters(weight=shape)
        if bias:
            self._newParameters(bias=shape[0])
        self.gradInput = []
        self.reset()

    def reset(self, stdv: float | None = None) -> "Bilinear":
        """Draws new parameters, uniform with standard deviation `stdv` if it is given, and returns self."""
        limit = 1 / sqrt(self.weight.shape[1]) if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        if self.bias is not None:
            self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice)
        return self

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        x1, x2 = self._rows(input)
        output = self._resize("output", (len(x1), len(self.weight)))
        compute.matmul(self._forms(x1), x2[:, :, None], out=output[:, :, None])
        if self.bias is not None:
            np.add(output, self.bias, out=output)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor] | None:
        x1, x2 = self._rows(input)
        g = self._gradient(gradOutput, len(x1))
        if self.gradInput is None:
            return None
        d1, d2 = self._resizeTable("gradInput", [x1.shape, x2.shape], mustNotOverlap=[x1, x2, g])
        compute.matmul(g[:, None], self._forms(x1), out=d2[:, None])
        products = (g[:, :, None] * x2[:, None]).reshape(len(g), g.shape[1] * x2.shape[1])
        compute.matmul(products, self._matrix().T, out=d1)
        return [d1, d2]

    def accGradParameters(self, input: list[Tensor], gradOutput: Tensor, scale: float = 1.0) -> None:
        x1, x2 = self._rows(input)
        g = self._gradient(gradOutput, len(x1))
        products = (g[:, :, None] * x1[:, None]).reshape(len(g), g.shape[1] * x1.shape[1])
        self.gradWeight += scale * summed(products, x2).reshape(self.weight.shape)
        if self.gradBias is not None:
            self.gradBias += scale * compute.sum(g, 0, dtype=np.float64)

    def clearState(self) -> "Bilinear":
        clear(self, "_x1", "_x2", "_gradOutput")
        super().clearState()
        return self

    def _rows(self, input: list[Tensor]) -> tuple[Tensor, Tensor]:
        """Both inputs. Their memory is always laid out alike, so that rounding is too."""
        x1, x2 = check.tensors(self, "input", input, 2)
        for i, x in enumerate((x1, x2)):
            if x.ndim != 2 or x.shape != (len(x1), self.weight.shape[1 + i]):
                wanted = f"{'N' if i == 0 else len(x1)} x {self.weight.shape[1 + i]}"
                raise ShapeError(f"{self._typename}: input[{i}]: expected {wanted}, got {sizes(x.shape)}")
        return self._dense("_x1", x1), self._dense("_x2", x2)

    def _gradient(self, gradOutput: Tensor, batch: int) -> Tensor:
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), (batch, len(self.weight)))
        return self._dense("_gradOutput", gradOutput)

    def _matrix(self) -> Tensor:
        """The weight as a matrix with a row for each element of the first input."""
        outputs, inputs1, inputs2 = self.weight.shape
        return self.weight.transpose(1, 0, 2).reshape(inputs1, outputs * inputs2)

    def _forms(self, x1: Tensor) -> Tensor:
        """Returns the products of the first input with the weight, to be multiplied by the second: N x outputs x inputSize2."""
        outputs, _, inputs2 = self.weight.shape
        return compute.matmul(x1, self._matrix()).reshape(len(x1), outputs, inputs2)

    def __repr__(self) -> str:
        outputs, inputs1, inputs2 = self.weight.shape
        return f"{self._typename}({inputs1}x{inputs2} -> {outputs}) " + (" without bias" if self.bias is None else "")
