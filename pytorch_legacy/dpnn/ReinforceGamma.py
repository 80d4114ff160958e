"""Gamma draws."""

from typing import Any

import numpy as np

from pytorch_legacy.arguments import as_doubles
from pytorch_legacy.arrays import Tensor, is_tensor, to_device
from pytorch_legacy.backend import compute
from pytorch_legacy.dpnn import gamma
from pytorch_legacy.dpnn.Reinforce import Reinforce
from pytorch_legacy.errors import DtypeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.utils import described


class ReinforceGamma(Reinforce):
    """Draws each element from a gamma distribution whose shape is the input; in evaluation it gives the mean, shape * scale.

    .. math:: dk = -r \\, (\\log y - \\psi(k) - \\log \\theta), \\quad d\\theta = -r \\, (y / \\theta^2 - k / \\theta)

    with the reward r of the sample, shape k, scale theta and the digamma function psi.

    Parameters
    ----------
    scale : float or array, optional
        The scale: a number, or an array in the shape of the input or of one of its samples. Without it the input is a table of
        shape and scale, and so is gradInput.
    stochastic : bool
        Draw in evaluation too.

    Raises
    ------
    DtypeError, ShapeError, ValueRangeError
        If there is no scale, one of another shape, or a number that is not above 0.

    Notes
    -----
    Any shape. Torch7 drew by another library, randomkit, with its own sequence; the draws here come from ``random`` (Marsaglia
    and Tsang, "A simple method for generating gamma variables", 2000). Source: Element-Research dpnn ``ReinforceGamma``.

    Examples
    --------
    >>> _ = pl.manualSeed(1)
    >>> layer, x = dpnn.ReinforceGamma(0.5), np.float32([[2, 4]])
    >>> layer.forward(x).round(3)
    array([[0.01 , 4.001]], dtype=float32)
    >>> _ = layer.reinforce(np.float32([1]))  # the draw was good
    >>> layer.backward(x, x).round(3)  # a step against it makes such draws likelier
    array([[ 4.286, -0.824]], dtype=float32)
    >>> layer.evaluate().forward(x)  # the mean: shape * scale
    array([[1., 2.]], dtype=float32)
    """

    _file = Form(dropped=("_scale", "__scale", "_logOutput", "_logScale"), defaults={"scale": None})
    scale: float | Tensor | None = None

    def __init__(self, scale: float | Tensor | None = None, stochastic: bool = False) -> None:
        super().__init__(stochastic)
        self.scale = as_doubles(self, "scale", scale).astype(self._dtype) if isinstance(scale, (np.ndarray, list)) else scale
        if scale is None:
            self.gradInput = [np.empty(0, self._dtype), np.empty(0, self._dtype)]

    def updateOutput(self, input: Tensor | list[Tensor]) -> Tensor:
        shape, scale = self._parts(input)
        output = self._resize("output", shape.shape)
        draws = to_device(gamma.draw(to_device(shape, False, np.float64)), self._onDevice) if self._draws() else shape
        output[...] = draws
        output *= scale
        return output

    def updateGradInput(self, input: Tensor | list[Tensor], gradOutput: Any) -> Any:
        shape, scale = self._parts(input)
        check.shape(self, "output of the last forward", self.output, shape.shape)
        reward = self.rewardAs(shape)
        if not isinstance(input, list):
            gradShape = self._resize("gradInput", shape.shape)
        else:
            gradShape, gradScale = self._resizeTable("gradInput", [shape.shape, shape.shape])
            gradScale[...] = (shape / scale - self.output / scale**2) * reward
        gradShape[...] = (gamma.digamma(shape.astype(np.float64)) + compute.log(scale) - compute.log(self.output)) * reward
        return self.gradInput

    def _parts(self, input: Tensor | list[Tensor]) -> tuple[Tensor, Any]:
        """Shape and scale."""
        scale: Any
        if isinstance(input, list):
            shape, scale = check.pair(self, "input", input)
        else:
            shape, scale = check.tensor(self, "input", input), self.scale
            if scale is None:
                raise DtypeError(f"{self._typename}: input: expected a table of shape and scale, got {described(input)}")
            if isinstance(scale, np.ndarray) or is_tensor(scale):
                scale = check.spread(self, "scale", scale, shape.shape)
        if check.looks(self) and not (np.all(shape > 0) and np.all(scale > 0)):
            raise ValueRangeError(f"{self._typename}: input: expected shapes and scales above 0")
        return shape, scale
