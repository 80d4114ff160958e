"""A border along two dimensions."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes

Window = tuple[slice, ...]


class SpatialPadding(Module):
    """Puts a border of a constant around planes; dimensions count from 0 (Lua's 2 is 1).

    .. math:: y_{h,w} = x_{h - pad_t,\\, w - pad_l} \\text{ where there is such a cell, else } val

    The gradient of a cell is that of the place which shows it. Negative pads cut cells off.

    Parameters
    ----------
    pad_l, pad_r, pad_t, pad_b : int
        Width of the border at the left, right, top and bottom; the last three are as the first unless given.
    y_dim, x_dim : int
        The dimensions of the input that are rows and columns.
    val : float
        Value of the border; 0 by default.

    Raises
    ------
    IndexRangeError, ShapeError
        If the input lacks these dimensions, or nothing of it would be left.

    Notes
    -----
    Any shape with these dimensions. Source: nnx ``SpatialPadding``.

    Examples
    --------
    >>> nnx.SpatialPadding(1, 0, 0, 1).forward(np.float32([[[1, 2], [3, 4]]]))
    array([[[0., 1., 2.],
            [0., 3., 4.],
            [0., 0., 0.]]], dtype=float32)
    >>> nnx.SpatialPadding(-1, 0, 0, 0).forward(np.float32([[[1, 2], [3, 4]]]))
    array([[[2.],
            [4.]]], dtype=float32)
    """

    _addsSizes = True

    _file = Form(
        oneBased=("y_dim", "x_dim"),
        defaults=dict.fromkeys(("pad_r", "pad_t", "pad_b"), lambda fields: fields["pad_l"]) | {"y_dim": 1, "x_dim": 2, "val": 0},
    )
    y_dim = 1
    x_dim = 2
    val: float = 0

    def __init__(
        self,
        pad_l: int,
        pad_r: int | None = None,
        pad_t: int | None = None,
        pad_b: int | None = None,
        y_dim: int = 1,
        x_dim: int = 2,
        val: float = 0,
    ) -> None:
        super().__init__()
        self.pad_l = pad_l
        self.pad_r, self.pad_t, self.pad_b = (pad_l if pad is None else pad for pad in (pad_r, pad_t, pad_b))
        self.y_dim, self.x_dim = y_dim, x_dim
        self.val = val

    def updateOutput(self, input: Tensor) -> Tensor:
        shape, inside, outside = self._layout(input)
        output = self._resize("output", shape)
        output.fill(self.val)
        output[outside] = input[inside]
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape, inside, outside = self._layout(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        gradInput.fill(0)
        gradInput[inside] = gradOutput[outside]
        return gradInput

    def _layout(self, input: Tensor) -> tuple[tuple[int, ...], Window, Window]:
        """The shape of the output, and where the cells that it shows lie in input and output."""
        shape = list(check.tensor(self, "input", input).shape)
        inside, outside = [slice(None)] * len(shape), [slice(None)] * len(shape)
        for name, before, after in (("y_dim", self.pad_t, self.pad_b), ("x_dim", self.pad_l, self.pad_r)):
            axis = check.axis(self, getattr(self, name), len(shape), name)
            size = shape[axis]
            shape[axis] = size + before + after
            shown = size + min(before, 0) + min(after, 0)
            if shown < 1:
                raise ShapeError(f"{self._typename}: input: expected cells that padding leaves, got {sizes(input.shape)}")
            inside[axis] = slice(max(-before, 0), max(-before, 0) + shown)
            outside[axis] = slice(max(before, 0), max(before, 0) + shown)
        return tuple(shape), tuple(inside), tuple(outside)
