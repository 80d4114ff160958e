"""The largest of several affine maps."""

from pytorch_legacy import nn
from pytorch_legacy.nn import check
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.linear.Linear import Linear
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.shape.View import View


class Maxout(Sequential):
    """Computes several affine maps and takes the largest value of each element.

    .. math:: y_j = \\max_k (W_k x + b_k)_j

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of a vector before and after.
    maxoutNumber : int
        Number of maps.
    preprocess : Module, optional
        Module that is put before the maximum: it gets arrays of ``(N x) maxoutNumber x outputSize``.

    Notes
    -----
    Shapes: ``(N x) inputSize`` to ``(N x) outputSize``. The modules are a Linear for all maps, a View, `preprocess`, and
    a Max. Source: Torch7 nn.Maxout; Goodfellow et al., "Maxout networks" (2013).

    Examples
    --------
    >>> layer = nn.Maxout(1, 1, 2)  # the larger of two lines
    >>> layer.get(0).weight[...] = [[1], [-1]]
    >>> layer.get(0).bias[...] = 0
    >>> layer.forward(np.float32([[-3], [2]]))  # |x|
    array([[3.],
           [2.]], dtype=float32)
    """

    def __init__(self, inputSize: int, outputSize: int, maxoutNumber: int, preprocess: Module | None = None) -> None:
        super().__init__()
        check.count(self, "outputSize", outputSize)
        check.count(self, "maxoutNumber", maxoutNumber)
        self.add(Linear(inputSize, outputSize * maxoutNumber))
        self.add(View(maxoutNumber, outputSize).setNumInputDims(1))
        if preprocess is not None:
            self.add(preprocess)
        self.add(nn.Max(0, 2))
