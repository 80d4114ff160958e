"""Planes with the mean and the deviation of other planes."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class AdaptiveInstanceNormalization(Module):
    """Takes a list of two, content and style, and gives each plane of the content the style's mean and deviation.

    .. math:: y = \\frac{x - \\mu(x)}{\\sqrt{\\sigma^2(x) + \\epsilon}} \\, s(style) + \\mu(style)

    plane by plane, where the deviation s of the style divides by n - 1.

    Parameters
    ----------
    nOutput : int
        Number of channels.
    disabled : bool, optional
        Pass the content through.
    eps : float
        Keeps the root away from zero.

    Raises
    ------
    ShapeError
        If content and style are not both 3-D or 4-D with nOutput channels and as many samples.

    Notes
    -----
    Shapes: a list of ``(N x) nOutput x H x W`` and ``(N x) nOutput x H' x W'`` to the first one's.
    The original computed no gradients; here there are both. It has a SpatialBatchNormalization in field `bn`, see
    InstanceNormalization.
    Source: AdaIN-style ``AdaptiveInstanceNormalization``; Huang & Belongie 2017.

    Examples
    --------
    >>> content, style = np.float32([[[1, 3]]]), np.float32([[[10, 20, 30]]])
    >>> layer = authors.AdaptiveInstanceNormalization(1)
    >>> layer.forward([content, style]).round(2)  # mean 20, deviation 10
    array([[[10., 30.]]], dtype=float32)
    """

    disabled: bool | None = None
    eps = 1e-5

    _file = Form(defaults={"disabled": None, "eps": 1e-05}, kinds={"batchSize": "a whole number"})

    def __init__(self, nOutput: int, disabled: bool | None = None, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.nOutput = nOutput
        self.batchSize = -1
        self.disabled = disabled
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        content, style = self._checked(input)
        if self.disabled:
            self.output = content
            return content
        normal, _, mean, deviation, _ = self._normalized(content, style)
        output = self._resize("output", content.shape)
        np.multiply(normal, deviation, out=output)
        output += mean
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        content, style = self._checked(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), content.shape)
        gradContent, gradStyle = gradInput = self._resizeTable("gradInput", [content.shape, style.shape])
        if self.disabled:
            gradContent[...] = gradOutput
            gradStyle.fill(0)
            return gradInput
        normal, scale, mean, deviation, cells = self._normalized(content, style)
        plane = (-2, -1)
        along = compute.mean(gradOutput * normal, plane, keepdims=True)
        gradContent[...] = (gradOutput - compute.mean(gradOutput, plane, keepdims=True) - normal * along) * scale * deviation
        total = compute.sum(gradOutput, plane, keepdims=True)
        slope = compute.sum(gradOutput * normal, plane, keepdims=True) / (
            max(cells - 1, 1) * np.where(deviation > 0, deviation, np.inf)
        )
        gradStyle[...] = total / cells + (style - mean) * slope
        return gradInput

    def _normalized(self, content: Tensor, style: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, int]:
        """The content with mean 0 and variance 1 and what it was divided by, and mean, deviation and size of the style."""
        plane, cells = (-2, -1), style.shape[-1] * style.shape[-2]
        centred = content - compute.mean(content, plane, keepdims=True)
        scale = 1 / np.sqrt(compute.mean(centred * centred, plane, keepdims=True) + self._dtype.type(self.eps))
        mean = compute.mean(style, plane, keepdims=True)
        deviation = np.sqrt(compute.sum((style - mean) ** 2, plane, keepdims=True) / max(cells - 1, 1))
        return centred * scale, scale, mean, deviation, cells

    def _checked(self, input: Any) -> list[Tensor]:
        content, style = check.tensors(self, "input", input, 2)
        for name, array in (("input[0]", content), ("input[1]", style)):
            if array.ndim not in (3, 4) or array.shape[:-2] != (*content.shape[: content.ndim - 3], self.nOutput):
                raise ShapeError(f"{self._typename}: {name}: expected (N x) {self.nOutput} x H x W, got {array.shape}")
        return [content, style]
