"""Planes with their local mean removed and their local deviation made one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import THNNError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.normalization.SpatialDivisiveNormalization import SpatialDivisiveNormalization
from pytorch_legacy.nn.normalization.SpatialSubtractiveNormalization import SpatialSubtractiveNormalization


class SpatialContrastiveNormalization(Module):
    """A SpatialSubtractiveNormalization, then a SpatialDivisiveNormalization of what it gives.

    Parameters
    ----------
    nInputPlane : int
        Number of planes.
    kernel : array, optional
        Weights of both, with odd sizes; a vector stands for its product with itself. 9 x 9 ones if not given.
    threshold, thresval : float, optional
        Those of the second one.

    Attributes
    ----------
    normalizer : Sequential
        The two.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, or the kernel has an even size.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to the same.
    Source: Torch7 nn.SpatialContrastiveNormalization.

    Examples
    --------
    >>> layer, x = nn.SpatialContrastiveNormalization(1, np.ones((1, 3))), np.float32([[[6, 0, 3, 9]]])
    >>> np.round(layer.forward(x), 4)
    array([[[ 0.8165, -1.1921, -0.3974,  1.0954]]], dtype=float32)
    >>> np.round(layer.forward(100 * x + 7), 4)
    array([[[ 0.8165, -1.1921, -0.3974,  1.0954]]], dtype=float32)
    """

    normalizer: Sequential

    _file = Form(
        defaults={"nInputPlane": 1, "kernel": None, "threshold": 0.0001, "thresval": None},
        kinds={"kernel": "a tensor of floating-point numbers", "normalizer": "a module"},
    )

    def __init__(self, nInputPlane: int = 1, kernel: Any = None, threshold: float = 1e-4, thresval: float | None = None) -> None:
        super().__init__()
        with self._located():
            mean = SpatialSubtractiveNormalization(nInputPlane, kernel)
            deviation = SpatialDivisiveNormalization(nInputPlane, kernel, threshold, thresval)
        self.nInputPlane = nInputPlane
        self.kernel = mean.kernel
        self.threshold, self.thresval = threshold, deviation.thresval
        self.normalizer = Sequential().add(mean).add(deviation)

    def updateOutput(self, input: Tensor) -> Tensor:
        with self._located():
            self.output = self.normalizer.updateOutput(input)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        with self._located():
            self.gradInput = self.normalizer.updateGradInput(input, gradOutput)
        return self.gradInput

    @contextmanager
    def _located(self) -> Iterator[None]:
        """Errors name this module too."""
        try:
            yield
        except THNNError as error:
            error.where.insert(0, f"in {self._typename}")
            raise

    def clearState(self) -> Self:
        self.normalizer.clearState()
        super().clearState()
        return self
