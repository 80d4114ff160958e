"""A border cut off."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class ShaveImage(Module):
    """Cuts a border of `size` cells off on each side of the planes.

    Parameters
    ----------
    size : int

    Raises
    ------
    ShapeError
        If nothing is left.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x (H - 2 size) x (W - 2 size)``.
    Source: fast-neural-style ``ShaveImage``.

    Examples
    --------
    >>> authors.ShaveImage(1).forward(np.arange(9, dtype=np.float32).reshape(1, 3, 3))
    array([[[4.]]], dtype=float32)
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = check.count(self, "size", size, 0)

    def updateOutput(self, input: Tensor) -> Tensor:
        inner = self._inner(check.tensor(self, "input", input, 3, 4))
        output = self._resize("output", inner.shape)
        output[...] = inner
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._zeros("gradInput", input)
        inner = self._inner(gradInput)
        inner[...] = check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), inner.shape)
        return gradInput

    def _inner(self, array: Tensor) -> Tensor:
        height, width = array.shape[-2:]
        if min(height, width) <= 2 * self.size:
            raise ShapeError(f"{self._typename}: input: expected more than {2 * self.size} cells, got {height} x {width}")
        return array[..., self.size : height - self.size, self.size : width - self.size]
