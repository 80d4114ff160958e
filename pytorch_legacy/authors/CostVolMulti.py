"""The cost volume of several frames: the match of their features for each displacement."""

from collections.abc import Iterator
from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described


class CostVolMulti(Module):
    """Multiplies the features of a frame with those of other frames, moved by each displacement of a window.

    .. math:: y_{(a,b),h,w} = \\frac{1}{C (F - 1)} \\sum_{f=1}^{F-1} \\sum_c x^0_{c,h,w} \\, x^f_{c,\\, h - f b,\\, w - f a}

    for all a, and for each a all b, from -(win - 1) / 2 to (win - 1) / 2; cells beyond the edge count as 0. Without `fwd`, the
    sign of a and b is the other one.

    Parameters
    ----------
    win : int
        Width of the window, an odd number.
    fwd : bool
        Whether the other frames follow the first one in time.
    verbose : bool
        Torch7 printed the result. Nothing is printed here.

    Raises
    ------
    ShapeError
        If the input is no list of two or more arrays ``N x C x H x W`` of one shape.
    ValueRangeError
        If win is no odd number from 1 on.

    Notes
    -----
    Shapes: a list of F arrays ``N x C x H x W`` to ``N x win^2 x H x W``.
    Source: Back2Future ``CostVolMulti``; Janai et al. 2018.

    Examples
    --------
    >>> one, other = np.float32([0, 1, 0]).reshape(1, 1, 1, 3), np.float32([5, 6, 7]).reshape(1, 1, 1, 3)
    >>> y = authors.CostVolMulti(3).forward([one, other])
    >>> y[0, 1::3, 0, 1]  # the middle cell with the one to the right, the same, the one to the left
    array([7., 6., 5.], dtype=float32)
    """

    _file = Form(
        defaults={"win": 3, "fwd": True, "verbose": False},
        kinds={"win": "a whole number from 1 on"},
    )

    def __init__(self, win: int = 3, fwd: bool = True, verbose: bool = False) -> None:
        super().__init__()
        self.win = check.count(self, "win", win)
        self.fwd = fwd
        self.verbose = verbose
        self.gradInput = []
        self._reach()

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        first, *others = frames = self._frames(input)
        N, C, H, W = first.shape
        output = self._resize("output", (N, self.win**2, H, W), mustNotOverlap=frames)
        output.fill(0)
        for f, other in enumerate(others, 1):
            for i, here, there in self._shifts(f, H, W):
                output[:, i][here] += compute.sum(first[here] * other[there], 1)
        output /= self._dtype.type(C * len(others))
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        first, *others = frames = self._frames(input)
        N, C, H, W = first.shape
        shape = (N, self.win**2, H, W)
        scaled = check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        scaled = scaled / self._dtype.type(C * len(others))
        gradInput: list[Tensor] = self._zeros("gradInput", frames, mustNotOverlap=frames)
        for f, other in enumerate(others, 1):
            for i, here, there in self._shifts(f, H, W):
                gradient = scaled[:, i][here][:, None]
                gradInput[0][here] += gradient * other[there]
                gradInput[f][there] += gradient * first[here]
        return gradInput

    def _shifts(self, f: int, height: int, width: int) -> Iterator[tuple[int, Any, Any]]:
        """Yields each displacement: its plane, and the cells of the first frame and of frame f that meet."""
        reach, sign = self._reach(), 1 if self.fwd else -1
        i = 0
        for a in range(-reach, reach + 1):
            for b in range(-reach, reach + 1):
                rows, columns = (_overlap(sign * f * offset, size) for offset, size in ((b, height), (a, width)))
                if rows and columns:
                    yield i, (..., rows[0], columns[0]), (..., rows[1], columns[1])
                i += 1

    def _reach(self) -> int:
        if self.win % 2 != 1:
            raise ValueRangeError(f"{self._typename}: win: expected an odd number, got {self.win}")
        return self.win // 2

    def _frames(self, input: Any) -> list[Tensor]:
        frames = check.alike(self, "input", input)
        if len(frames) < 2:
            raise ShapeError(f"{self._typename}: input: expected two frames or more, got {described(input)}")
        check.tensor(self, "input[0]", frames[0], 4)
        return frames

    def __repr__(self) -> str:
        return f"{self._typename}window size = {self.win}"


def _overlap(offset: int, size: int) -> tuple[slice, slice] | None:
    """Returns the cells x for which x - offset is a cell, too, and the cells x - offset; None if there are none."""
    if abs(offset) >= size:
        return None
    return slice(max(offset, 0), size + min(offset, 0)), slice(max(-offset, 0), size - max(offset, 0))
