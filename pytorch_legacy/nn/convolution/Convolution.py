"""The base class of convolutions."""

from collections.abc import Sequence
from math import prod, sqrt
from typing import Any, ClassVar, Self

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files import migration
from pytorch_legacy.files.fields import reshape
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Learner


def strides_and_pads(axes: str) -> dict[str, Any]:
    """Returns defaults of strides and pads for old files, which have one `padding` or none."""
    return {f"d{axis}": 1 for axis in axes} | {f"pad{axis}": lambda fields: fields.get("padding", 0) for axis in axes}


class Convolution(Learner):
    """Base of layers whose filters of k cells move d cells at a time over pad cells of zeros and the input.

    A subclass names its axes in the order of its arguments, "WH" or "TWH" (the fields are then kW, dW, padW and so on).

    Parameters
    ----------
    nInputPlane, nOutputPlane : int
        Number of planes before and after.
    kernel, stride, pad : sequence of int
        One number per axis.
    """

    _axes: ClassVar[str] = "WH"
    _printsNoBias: ClassVar[bool] = True  # some of Torch7's layers do not
    _file = Form(
        dropped=("finput", "fgradInput", "_input", "_gradOutput", "columns", "gradColumns", "ones", "zeroScalar", "padding"),
        outdated=("padding",),
        defaults=strides_and_pads("WH"),
        kinds={"padding": "a whole number"},
    )
    weight: Tensor
    gradWeight: Tensor

    def __init__(
        self, nInputPlane: int, nOutputPlane: int, kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int]
    ) -> None:
        super().__init__()
        self.nInputPlane = check.count(self, "nInputPlane", nInputPlane)
        self.nOutputPlane = check.count(self, "nOutputPlane", nOutputPlane)
        for axis, k, d, p in zip(self._axes, kernel, stride, pad, strict=True):
            setattr(self, f"k{axis}", check.count(self, f"k{axis}", k))
            setattr(self, f"d{axis}", d)
            setattr(self, f"pad{axis}", p)
        self._makeParameters(self._weightShape(), self.nOutputPlane)

    def _makeParameters(self, shape: tuple[int, ...], outputs: int | tuple[int, ...]) -> None:
        self._newParameters(weight=shape, bias=outputs)
        self.reset()

    def noBias(self) -> Self:
        """Drops the bias and returns self."""
        self.bias = self.gradBias = None
        return self

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self._fanIn()) if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        if self.bias is not None:
            self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice)
        return self

    def _sizes(self, name: str) -> tuple[int, ...]:
        """The field of that name for each axis, in the order of the arguments."""
        return tuple(getattr(self, name + axis) for axis in self._axes)

    def _kernel(self) -> tuple[int, ...]:
        """The size of a filter, as shapes have it."""
        return tuple(getattr(self, f"k{axis}") for axis in "THW" if axis in self._axes)

    _isTransposed = False

    def _weightShape(self) -> tuple[int, ...]:
        return self.nOutputPlane, self.nInputPlane, *self._kernel()

    def _countPlanes(self) -> None:
        """Takes the numbers of planes from a weight that was changed without them: Torch7's C looked at the weight alone."""
        weight, expected, kernel = self.weight, self._weightShape(), tuple(self._kernel())
        if weight is None or weight.size == prod(expected) or weight.shape[2:] != kernel or weight.ndim != 2 + len(kernel):
            return
        names = ("nInputPlane", "nOutputPlane") if self._isTransposed else ("nOutputPlane", "nInputPlane")
        for name, planes in zip(names, (weight.shape[0], weight.shape[1] * self.__dict__.get("groups", 1)), strict=True):
            if self.__dict__.get(name) not in (planes, None):
                migration.note(self, name, f"was {getattr(self, name)}: {planes}, as the weight has them")
                setattr(self, name, planes)

    def _fanIn(self) -> int:
        return int(self.weight[0].size)

    def __repr__(self) -> str:
        text = f"{self._typename}({self.nInputPlane} -> {self.nOutputPlane}, {'x'.join(map(str, self._sizes('k')))}"
        for sizes in self._shown():
            text += ", " + ",".join(map(str, sizes))
        return text + ")" + " without bias" * (self._printsNoBias and self.bias is None)

    def _shown(self) -> list[tuple[int, ...]]:
        """Returns the sizes that are printed behind the kernel: those that are unusual, and strides if there is padding."""
        stride, pad = self._sizes("d"), self._sizes("pad")
        return [stride] * (any(pad) or stride != (1,) * len(stride)) + [pad] * any(pad)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """Old files have a flat weight."""
        super()._fromTorch7(fields, version)
        shape = self._weightShape()
        if self.weight is not None and self.weight.shape != shape:
            self._countPlanes()
            shape = self._weightShape()
        for name in ("weight", "gradWeight"):
            reshape(self, name, shape)
