"""Elements limited to a range, with a gradient everywhere."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class Clip(Module):
    """Limits each element to a range; the gradient passes as if there were none::

        output    = min(max(input, minval), maxval)
        gradInput = gradOutput

    `nn.Clamp` has the true gradient, which is 0 beyond the range.

    Parameters
    ----------
    minval, maxval : float
        The range.

    Raises
    ------
    ValueRangeError
        If `minval` is larger than `maxval`.

    Notes
    -----
    Any shape; NaN stays NaN. ``gradInput`` is gradOutput itself, no copy. Source: Element-Research dpnn ``Clip``.

    Examples
    --------
    >>> layer, x = dpnn.Clip(-1, 1), np.float32([-5, 0.5, 3])
    >>> layer.forward(x)
    array([-1. ,  0.5,  1. ], dtype=float32)
    >>> layer.backward(x, np.float32([1, 2, 3]))  # as if there were no limits
    array([1., 2., 3.], dtype=float32)
    """

    _file = Form(dropped=("_mask", "_byte"), kinds={"minval": "a number", "maxval": "a number"})

    def __init__(self, minval: float, maxval: float) -> None:
        super().__init__()
        if not minval <= maxval:
            raise ValueRangeError(f"{self._typename}: minval: expected at most maxval, {maxval}, got {minval}")
        self.minval = minval
        self.maxval = maxval

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        compute.maximum(input, self._dtype.type(self.minval), out=output)
        return compute.minimum(output, self._dtype.type(self.maxval), out=output)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self.gradInput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        return self.gradInput
