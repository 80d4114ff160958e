"""Weights given by a length and a direction."""

import copy
from math import prod, sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import FieldError, ValueRangeError
from pytorch_legacy.files import t7
from pytorch_legacy.files.fields import Fields
from pytorch_legacy.files.form import Form
from pytorch_legacy.messages import sizes
from pytorch_legacy.nn import check
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import ArrayField


class WeightNorm(Decorator):
    """Gives each output's weight a length and a direction; outputDim counts from 0: Lua's 2 is 1.

    .. math:: w = g \\frac{v}{\\sqrt{|v|^2 + 10^{-4}}}

    Parameters
    ----------
    module : Module
        Any module with a weight. WeightNorm draws it anew, and sets its bias to zero.
    outputDim : int
        The dimension of the weight that counts the outputs.

    Attributes
    ----------
    v, gradV : array of nOutput x (all other sizes of the weight, multiplied)
    g, gradG : array of nOutput x 1
    weight, bias, gradWeight, gradBias : array
        Those of the module; the weight is computed by ``updateOutput``.

    Notes
    -----
    Parameters are v, g and, if there is one, the bias. Torch7 gave gradV the shape of the weight, forgot gradients
    accumulated before, and could not take a second step backward; this does. v starts normal with standard deviation
    ``sqrt(2 / size of a direction)``, g as the length of v. Source: Torch7 nn.WeightNorm; Salimans and Kingma, "Weight
    normalization" (2016).

    Examples
    --------
    >>> layer = nn.WeightNorm(nn.Linear(2, 1)).evaluate()
    >>> layer.v[...], layer.g[...] = [[3, 4]], [[10]]  # a direction and a length
    >>> layer.bias[...] = 0
    >>> layer.forward(np.float32([[1, 0], [0, 1]]))  # 10 * (0.6, 0.8)
    array([[5.9999876],
           [7.999984 ]], dtype=float32)
    """

    _file = Form(
        oneBased=("outputDim",),
        scratch=dict.fromkeys(("_norm", "_scale"), lambda module: np.zeros(len(module.v), module._dtype)),
        defaults={"outputDim": 0},
        kinds={
            "otherDims": "a whole number",
            "viewIn": "sizes",
            "viewOut": "sizes",
            "weightSize": "sizes",
            **dict.fromkeys(("g", "v"), "a tensor of floating-point numbers"),
        },
        dimensions={"v": 2},
    )
    _arrayFields = (
        ArrayField("weight", lambda layer: layer.weightSize),
        ArrayField("v", lambda layer: (n := layer.weightSize[layer.outputDim], prod(layer.weightSize) // n)),
        ArrayField("g", lambda layer: (len(layer.v), 1)),
    )
    weight: Any = property(lambda self: self.modules[0].weight)
    bias: Any = property(lambda self: self.modules[0].bias)
    gradWeight: Any = property(lambda self: self.modules[0].gradWeight)
    gradBias: Any = property(lambda self: self.modules[0].gradBias)

    def __init__(self, module: Module, outputDim: int = 0) -> None:
        super().__init__(module)
        if module.weight is None:
            raise ValueRangeError(f"{self._typename}: module: expected one with a weight, got {module!r}")
        self.outputDim = check.axis(self, outputDim, module.weight.ndim, "outputDim")
        self._dtype = module._dtype
        self.weightSize = module.weight.shape
        outputs = self.weightSize[self.outputDim]
        self.v = np.empty((outputs, prod(self.weightSize) // outputs), self._dtype)
        self.g = np.empty((outputs, 1), self._dtype)
        self.gradV, self.gradG = np.zeros_like(self.v), np.zeros_like(self.g)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws v, with standard deviation `stdv` if it is given; g becomes its length and the bias zero."""
        deviation = sqrt(2 / self.v.shape[1]) if stdv is None else stdv
        self.v[...] = random.normal(0, deviation, self.v.shape, self._dtype, self._onDevice)
        self.g[...] = compute.vector_norms(self.v, 1)
        if self.bias is not None:
            self.bias.fill(0)
        self._computeWeight()
        return self

    def updateOutput(self, input: Any) -> Any:
        self._computeWeight()
        return super().updateOutput(input)

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        self.gradWeight.fill(0)
        super().accGradParameters(input, gradOutput, scale)
        gradient = np.moveaxis(self.gradWeight, self.outputDim, 0).reshape(self.v.shape)
        norm = self._norm()
        direction = self.v / norm
        along = compute.sum(gradient * direction, 1, keepdims=True)
        self.gradG += along
        self.gradV += self.g / norm * (gradient - direction * along)

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        self._updateApart(input, gradOutput, lr)

    def zeroGradParameters(self) -> Self:
        Module.zeroGradParameters(self)
        return self

    def updateParameters(self, learningRate: float) -> Self:
        Module.updateParameters(self, learningRate)
        return self

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """v, g and the bias, and their gradients."""
        found = [(self.v, self.gradV), (self.g, self.gradG), (self.bias, self.gradBias)]
        present = [(value, gradient) for value, gradient in found if value is not None and gradient is not None]
        return [value for value, _ in present], [gradient for _, gradient in present]

    def noBias(self) -> Self:
        """Drops the bias of the module and returns self."""
        self.modules[0].bias = self.modules[0].gradBias = None
        return self

    def _norm(self) -> Tensor:
        return compute.vector_norms(self.v, 1, self._dtype.type(1e-4))

    def _computeWeight(self) -> None:
        weight = np.moveaxis(self.weight, self.outputDim, 0)
        weight[...] = (self.v * (self.g / self._norm())).reshape(weight.shape)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """Files hold no weight, unless they are old: it is made anew. Buffers stay behind."""
        keep = ("modules", "v", "g", "outputDim", "output", "gradInput", "_type", "train")
        super()._fromTorch7({name: fields[name] for name in keep if name in fields}, version)
        if not self.modules:
            raise FieldError("modules: expected the module with the weight, got none")
        file, module = Fields(self, fields), self.modules[0]
        self.weightSize = file["weightSize"] if module.weight is None else module.weight.shape
        if not -1 < self.outputDim < len(self.weightSize):
            raise FieldError(f"outputDim: expected a dimension of {sizes(self.weightSize)}, got {self.outputDim + 1}")
        if prod(self.weightSize) != self.v.size or self.weightSize[self.outputDim] != len(self.v) or self.g.size != len(self.v):
            shapes = f"{sizes(self.v.shape)} and {sizes(self.g.shape)}"
            raise FieldError(f"v, g: expected the elements of a weight of {sizes(self.weightSize)}, got {shapes}")
        module.weight = np.empty(self.weightSize, self._dtype)
        module.gradWeight = np.zeros(self.weightSize, self._dtype)
        self.g = self.g.reshape(-1, 1)
        # After a pass Torch7's gradV has the shape of the weight.
        gradV: Tensor | None = fields.get("gradV")
        gradG: Tensor | None = fields.get("gradG")
        self.gradV, self.gradG = np.zeros_like(self.v), np.zeros_like(self.g)
        if gradV is not None and gradG is not None and gradV.shape == self.v.shape and gradG.size == self.g.size:
            self.gradV, self.gradG = gradV, gradG.reshape(self.g.shape)
        self._computeWeight()

    def _toTorch7(self) -> dict[str, Any]:
        """Torch7 saves the module inside without its weight, and makes it anew from v and g."""
        inside = copy.copy(self.modules[0])
        inside.weight = inside.gradWeight = None
        front = np.moveaxis(self.weight, self.outputDim, 0).shape
        shapes = {"viewIn": self.v.shape, "viewOut": front, "weightSize": self.weightSize}
        fields: dict[str, Any] = {name: t7.longs(shape) for name, shape in shapes.items()}
        fields |= {"modules": [inside], "otherDims": self.v.shape[1], "gradG": self.gradG.reshape(-1)}
        others = {name: value for name in ("bias", "gradBias") if (value := getattr(self, name)) is not None}
        return super()._toTorch7() | fields | others
