"""An affine map whose weight is a length times a direction."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.linear.Linear import Linear
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear
from pytorch_legacy.objects import ArrayField


class LinearWeightNorm(Linear):
    """Applies an affine map to a vector, or to each row of a batch; length and direction of its rows are learned apart.

    .. math:: y = W x + b, \\quad W_o = g_o\\, v_o / \\|v_o\\|, \\quad
              dg_o = \\frac{v_o \\cdot dW_o}{\\|v_o\\|}, \\quad
              dv_o = \\frac{g_o}{\\|v_o\\|} \\Big(dW_o - v_o \\frac{v_o \\cdot dW_o}{\\|v_o\\|^2}\\Big)

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of a vector before and after.
    bias : bool
        Whether there is a b.
    eps : float
        The least norm of a direction: shorter ones count as that long.

    Attributes
    ----------
    v, gradV : array of outputSize x inputSize
    g, gradG : array of outputSize x 1
    bias, gradBias : array of outputSize, or None
    weight : array of outputSize x inputSize
        W as the last forward computed it; no parameter.

    Notes
    -----
    Shapes: ``(N x) inputSize`` to ``(N x) outputSize``. W and bias start as those of Linear. Source: Torch7
    nn.LinearWeightNorm; Salimans and Kingma, "Weight Normalization" (2016).

    Examples
    --------
    >>> layer = nn.LinearWeightNorm(2, 1, bias=False)
    >>> layer.v[...], layer.g[...] = [[3, 4]], [[10]]
    >>> layer.forward(np.float32([1, 1]))
    array([14.], dtype=float32)
    >>> layer.weight
    array([[6., 8.]], dtype=float32)
    """

    _file = Form(
        dropped=("addBuffer", "gradWeight", "_gradV", "_gradG"),
        scratch={
            "inputSize": lambda module: module.v.shape[1],
            "outputSize": lambda module: module.v.shape[0],
            "weight": None,
            "scale": None,
            "norm": None,
        },
        defaults={"eps": 1e-16},
        kinds={"g": "a tensor of floating-point numbers", "v": "a tensor of floating-point numbers"},
        dimensions={"v": 2},
        without=("weight",),
    )
    v: Tensor
    gradV: Tensor
    g: Tensor
    gradG: Tensor
    _arrayFields = (
        ArrayField("v", 2),
        ArrayField("g", lambda layer: (len(layer.v), 1)),
        ArrayField("bias", lambda layer: layer.v.shape[:1], ("bias", "gradBias")),
    )
    eps = 1e-16

    def __init__(self, inputSize: int, outputSize: int, bias: bool = True, eps: float = 1e-16) -> None:
        shape = check.count(self, "outputSize", outputSize), check.count(self, "inputSize", inputSize)
        self.eps = eps
        Module.__init__(self)  # Linear's own draws the parameters, which must be there by then
        self._newParameters(v=shape, g=(shape[0], 1))
        super().__init__(inputSize, outputSize, bias)

    @classmethod
    def fromLinear(cls, linear: Linear) -> "LinearWeightNorm":
        """A new layer that computes what a Linear does, with parameters of its own."""
        outputs, inputs = linear.weight.shape
        layer: LinearWeightNorm = cls(inputs, outputs, linear.bias is not None).type(linear.type())
        layer.initFromWeight(linear.weight)
        if layer.bias is not None:
            layer.bias[...] = linear.bias
        return layer

    def toLinear(self) -> Linear:
        """A new Linear that computes what this layer does, with parameters of its own."""
        outputs, inputs = self.v.shape
        linear: Linear = Linear(inputs, outputs, self.bias is not None).type(self.type())
        linear.weight[...] = self.updateWeightMatrix()
        if linear.bias is not None:
            linear.bias[...] = self.bias
        return linear

    def initFromWeight(self, weight: Tensor | None = None) -> Self:
        """Takes length and direction of each row from `weight`, by default the layer's own W, and returns self."""
        self.v[...] = self.updateWeightMatrix() if weight is None else weight
        self.g[...] = self._norms()
        return self

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new W and bias as Linear does, and returns self."""
        limit = 1 / sqrt(self.v.shape[1]) if stdv is None else stdv * sqrt(3)
        self.initFromWeight(random.uniform(-limit, limit, self.v.shape, self._dtype, self._onDevice))
        if self.bias is not None:
            self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice)
        return self

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """v, g and the bias, and their gradients."""
        found = [self.v, self.g], [self.gradV, self.gradG]
        if self.bias is not None and self.gradBias is not None:
            found[0].append(self.bias)
            found[1].append(self.gradBias)
        return found

    def updateWeightMatrix(self) -> Tensor:
        """Computes W from v and g."""
        self.scale = self.g / self._norms()
        return np.multiply(self.v, self.scale, out=self._resize("weight", self.v.shape))

    def updateOutput(self, input: Tensor) -> Tensor:
        self.updateWeightMatrix()
        return super().updateOutput(input)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        self._resize("gradWeight", self.v.shape).fill(0)
        super().accGradParameters(input, gradOutput, scale)
        norms = self._norms()
        direction = self.v / norms
        gradLength = compute.sum(direction * self.gradWeight, 1, keepdims=True)
        gradV = (self.gradWeight - direction * gradLength) * (self.g / norms)
        self.gradG += gradLength
        self.gradV += gradV

    def clearState(self) -> Self:
        clear(self, "weight", "gradWeight", "scale")
        return super().clearState()

    def _norms(self) -> Tensor:
        """The length of each row of v, at least eps."""
        return compute.maximum(compute.vector_norms(self.v, 1), self._dtype.type(self.eps))

    def __repr__(self) -> str:
        outputs, inputs = self.v.shape
        return f"{self._typename}({inputs} -> {outputs})" + (" without bias" if self.bias is None else "")

    def _toTorch7(self) -> dict[str, Any]:
        """Torch7 computes the weight in training, and takes it from the file when it evaluates."""
        fields = super()._toTorch7()
        return fields if self.train else fields | {"weight": self.v * (self.g / self._norms())}
