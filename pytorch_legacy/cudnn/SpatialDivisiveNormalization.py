"""Local response normalization within planes."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.cudnn.Layer import Layer, no_size
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class SpatialDivisiveNormalization(Layer, Module):
    """Divides each cell by a power of the mean of squares around it, within its plane.

    .. math:: y_i = x_i \\, s_i^{-\\beta}, \\qquad s_i = K + \\frac{\\alpha}{size^2} \\sum_{j \\in W_i} x_j^2

    where :math:`W_i` is the window of size x size cells around i; cells outside of the plane count 0. This is another layer
    than ``nn.SpatialDivisiveNormalization``.

    Parameters
    ----------
    size : int
        Width and height of the window, 1 to 16.
    alpha, beta, K : float

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, or a number is out of cuDNN's range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to the same.
    Source: cudnn.torch ``SpatialDivisiveNormalization``, whose Lua called functions that cuDNN never had: it could be saved
    but not run.

    Examples
    --------
    >>> x = np.float32([[[4, 0, 0]]])
    >>> cudnn.SpatialDivisiveNormalization(3, alpha=9, beta=1).forward(x)  # 4 / (2 + 16)
    array([[[0.22222222, 0.        , 0.        ]]], dtype=float32)
    """

    size = 5
    alpha = 1e-4
    beta = 0.75
    K = 2.0

    _file = Form(defaults={"size": 5, "alpha": 0.0001, "beta": 0.75, "K": 2.0})

    def __init__(self, size: int = 5, alpha: float = 1e-4, beta: float = 0.75, K: float = 2.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.K = check.count(self, "size", size), alpha, beta, K
        for name, value, least, most in (("size", size, 1, 16), ("K", K, 1e-5, 1e300), ("beta", beta, 0.01, 1e300)):
            if not least <= value <= most:
                raise ValueRangeError(f"{self._typename}: {name}: expected {least} to {most}, got {value}")
        self.iSize = no_size(4)

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input, 3, 4).shape)
        output[...] = input * compute.power(self._scales(input), -self.beta)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input, 3, 4).shape)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), input.shape)
        scales = self._scales(input)
        spread = self._windows(gradOutput * input * compute.power(scales, -self.beta - 1), (self.size - 1) // 2)
        factor = 2 * self.beta * self.alpha / self.size**2
        gradInput[...] = gradOutput * compute.power(scales, -self.beta) - factor * input * spread
        return gradInput

    def _scales(self, input: Tensor) -> Tensor:
        return self.K + self.alpha / self.size**2 * self._windows(input * input, self.size // 2)

    def _windows(self, cells: Tensor, before: int) -> Tensor:
        """The sums over all windows that begin `before` cells to the left of and above theirs."""
        for axis in (-2, -1):
            lines = cells.swapaxes(axis, -1)
            sums = lines.copy()
            for step in range(-before, self.size - before):
                if 0 < step < lines.shape[-1]:
                    sums[..., :-step] += lines[..., step:]
                elif -lines.shape[-1] < step < 0:
                    sums[..., -step:] += lines[..., :step]
            cells = sums.swapaxes(axis, -1)
        return cells
