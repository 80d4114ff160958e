"""An affine map of vectors."""

from math import sqrt
from typing import Self

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import NullError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Learner


class Linear(Learner):
    """Applies an affine map to a vector, or to each row of a batch.

    .. math:: y = W x + b

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of a vector before and after.
    bias : bool
        Whether there is a b.

    Attributes
    ----------
    weight, gradWeight : array of outputSize x inputSize
    bias, gradBias : array of outputSize, or None

    Raises
    ------
    ShapeError
        If the input is not 1-D or 2-D with inputSize columns.

    Notes
    -----
    Shapes: ``(N x) inputSize`` to ``(N x) outputSize``.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(inputSize).
    Source: Torch7 ``nn.Linear``; C: ``THNN/linear/Linear.c``.

    Examples
    --------
    >>> layer = nn.Linear(3, 2)
    >>> layer.weight[...], layer.bias[...] = [[1, 1, 1], [1, 0, -1]], [0, 10]
    >>> layer.forward(np.float32([[1, 2, 3], [4, 5, 6]]))
    array([[ 6.,  8.],
           [15.,  8.]], dtype=float32)
    """

    _layer = "Linear"
    _file = Form(dropped=("addBuffer",), dimensions={"weight": 2})
    _updatesDirectly = True
    weight: Tensor
    gradWeight: Tensor

    def __init__(self, inputSize: int, outputSize: int, bias: bool = True) -> None:
        super().__init__()
        shape = check.count(self, "outputSize", outputSize), check.count(self, "inputSize", inputSize)
        self._newParameters(weight=shape)
        if bias:
            self._newParameters(bias=shape[0])
        self.reset()

    def noBias(self) -> Self:
        """Drops the bias and returns self."""
        self.bias = self.gradBias = None
        return self

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, uniform with standard deviation `stdv` if it is given, and returns self."""
        limit = 1 / sqrt(self.weight.shape[1]) if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        if self.bias is not None:
            self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice)
        return self

    def _outputShape(self, input: Tensor) -> tuple[int, ...]:
        shape = check.tensor(self, "input", input, 1, 2).shape
        if self.weight is None:  # in a file that lacks it
            raise NullError(f"{self._typename}: weight: expected an array, got None")
        return *shape[:-1], self.weight.shape[0]

    def __repr__(self) -> str:
        outputs, inputs = self.weight.shape
        return f"{self._typename}({inputs} -> {outputs})" + (" without bias" if self.bias is None else "")
