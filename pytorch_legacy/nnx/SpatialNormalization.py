"""Planes with local mean and local deviation taken out."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arguments import as_doubles
from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError, located
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described, sizes
from pytorch_legacy.nnx.SpatialPadding import SpatialPadding

# The layers that a pass goes through.
_STEPS = (
    "convo", "convostd", "squareMod", "sqrtMod", "subtractMod", "meanDiviseMod", "stdDiviseMod", "diviseMod", "thresMod",
)  # fmt: skip


class SpatialNormalization(Module):
    """Subtracts from each cell the weighted mean of its neighbourhood in all planes, and divides by the deviation there.

    .. math:: m = \\frac{K * x}{K * 1}, \\quad d = \\frac{\\sqrt{K * (x - m)^2}}{K * 1}, \\quad
              y = \\frac{x - m}{\\max(d, threshold)}

    where :math:`K * x` is the sum over all planes and the places of the kernel, with zeros around the planes.

    Parameters
    ----------
    nInputPlane : int
        Number of planes.
    kernel : array or list of two arrays
        The weights, 2-D; they are divided by their sum. With two, one after the other is applied.
    threshold : float, optional
        If it is not given: the mean of d in the input, or 1e-3 if that is larger. It counts as a constant in the gradient.

    Attributes
    ----------
    convo, convostd : Sequential
        Modules that compute the sums, for the mean and for the deviation.
    coef : array of nInputPlane x H x W
        K * 1, for the size of the last input.

    Raises
    ------
    ShapeError
        If the input is not ``nInputPlane x H x W`` or, for one plane, ``H x W``, or a kernel is not 2-D.

    Notes
    -----
    Shapes: ``nInputPlane x H x W`` to the same; output and gradInput have three dimensions even if the input has two.
    Source: nnx ``SpatialNormalization``.

    Examples
    --------
    >>> layer, x = nnx.SpatialNormalization(1, np.ones((3, 3))), np.arange(16, dtype=np.float32).reshape(1, 4, 4)
    >>> layer.forward(x)[0, 0].round(2)
    array([-1.03, -1.05, -1.21, -0.78], dtype=float32)
    >>> layer.forward(10 * x + 100)[0, 0].round(2)  # bright and dark pictures become the same
    array([-1.03, -1.05, -1.21, -0.78], dtype=float32)
    """

    _file = Form(
        dropped=(
            "input",
            "inConvo",
            "inMean",
            "inputZeroMean",
            "inputZeroMeanSq",
            "inConvoVar",
            "inVar",
            "inStdDev",
            "inStdDevNotUnit",
            "thstd",
            "stdDev",
        ),
        kinds={
            "pad2H": "a whole number",
            "pad2W": "a whole number",
            "coef": "a tensor of floating-point numbers",
            **dict.fromkeys(_STEPS, "a module"),
            "threshold": "a number",
        },
    )
    fixedThres: float | None = None
    coef: Tensor
    convo: Any
    convostd: Any

    def __init__(self, nInputPlane: int, kernel: Any, threshold: float | None = None) -> None:
        super().__init__()
        self.nfeatures = check.count(self, "nInputPlane", nInputPlane)
        self.fixedThres = threshold
        pair = isinstance(kernel, list) and len(kernel) == 2 and all(is_tensor(entry) for entry in kernel)
        kernels = [as_doubles(self, "kernel", entry).astype(self._dtype) for entry in (kernel if pair else [kernel])]
        for found in kernels:
            if found.ndim != 2 or not found.size:
                raise ShapeError(f"{self._typename}: kernel: expected a 2-D array or a list of two, got {described(kernel)}")
            found /= found.sum()
        self.kernel = kernels if pair else kernels[0]
        for name, found in zip(("ker", "ker2"), kernels, strict=False):
            pad = "pad" + name[3:]
            for axis, size in zip("HW", found.shape, strict=True):
                vars(self)[f"{pad}{axis}"], vars(self)[f"{name}{axis}isPair"] = size // 2, int(size % 2 == 0)
        if not pair:
            vars(self).update(pad2W=0, pad2H=0, ker2WisPair=0, ker2HisPair=0)
        self.convo, self.convostd = self._summing(kernels), self._summing(kernels)
        self.squareMod, self.sqrtMod, self.subtractMod = nn.Square(), nn.Sqrt(), nn.CSubTable()
        self.meanDiviseMod, self.stdDiviseMod, self.diviseMod = nn.CDivTable(), nn.CDivTable(), nn.CDivTable()
        self.thresMod = nn.Threshold()
        self.coef = np.zeros((1, 1), self._dtype)

    def updateOutput(self, input: Tensor) -> Tensor:
        planes = self._planes(input)
        with located(f"in {self._typename}"):
            if self.coef.shape != planes.shape or self.coef.dtype != self._dtype:
                self.coef = self.convo.forward(np.ones_like(planes)).copy()
            mean = self.meanDiviseMod.forward([self.convo.forward(planes), self.coef])
            centred = self.subtractMod.forward([planes, mean])
            spread = self.sqrtMod.forward(self.convostd.forward(self.squareMod.forward(centred)))
            deviation = self.stdDiviseMod.forward([spread, self.coef])
            least = max(float(compute.mean(deviation)), 1e-3) if self.fixedThres is None else self.fixedThres
            self.thresMod.threshold = self.thresMod.val = least
            self.output = self.diviseMod.forward([centred, self.thresMod.forward(deviation)])
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        planes = self._planes(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), planes.shape)
        centred, deviation = self.subtractMod.output, self.stdDiviseMod.output
        check.shape(self, "output of the last forward", centred, planes.shape)
        with located(f"in {self._typename}"):
            ofCentred, ofDivisor = self.diviseMod.updateGradInput([centred, self.thresMod.output], gradOutput)
            ofDeviation = self.thresMod.updateGradInput(deviation, ofDivisor)
            ofSpread = self.stdDiviseMod.updateGradInput([self.sqrtMod.output, self.coef], ofDeviation)[0]
            ofSum = self.sqrtMod.updateGradInput(self.convostd.output, ofSpread)
            ofSquares = self.convostd.updateGradInput(self.squareMod.output, ofSum)
            ofCentred = ofCentred + self.squareMod.updateGradInput(centred, ofSquares)
            ofPlanes, ofMean = self.subtractMod.updateGradInput([planes, self.meanDiviseMod.output], ofCentred)
            ofMeanSum = self.meanDiviseMod.updateGradInput([self.convo.output, self.coef], ofMean)[0]
            gradInput = self._resize("gradInput", planes.shape)
            np.add(ofPlanes, self.convo.updateGradInput(planes, ofMeanSum), out=gradInput)
        return gradInput

    def clearState(self) -> Self:
        for value in vars(self).values():
            if isinstance(value, Module):
                value.clearState()
        self.coef = np.zeros((1, 1), self._dtype)
        return super().clearState()

    def _summing(self, kernels: list[Tensor]) -> nn.Sequential:
        """A network for the weighted sums over neighbourhoods and planes, repeated for all planes."""
        parts = []
        for kernel in kernels:
            height, width = kernel.shape
            left, top = width // 2, height // 2
            padding = SpatialPadding(left, left - (width % 2 == 0), top, top - (height % 2 == 0))
            convolution = nn.SpatialConvolutionMap(nn.tables.oneToOne(self.nfeatures), width, height)
            convolution.weight[...] = kernel
            convolution.bias.fill(0)
            parts.append(nn.Sequential().add(padding).add(convolution).add(nn.Sum(0)).add(nn.Replicate(self.nfeatures)))
        return parts[0] if len(parts) == 1 else nn.Sequential().add(parts[0]).add(parts[1])

    def _planes(self, input: Tensor) -> Tensor:
        planes = input[None] if check.tensor(self, "input", input, 2, 3).ndim == 2 else input
        if len(planes) != self.nfeatures:
            raise ShapeError(f"{self._typename}: input: expected {self.nfeatures} planes, got {sizes(input.shape)}")
        return planes
