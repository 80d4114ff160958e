"""A border of zeros."""

from pytorch_legacy.backend import call
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.padding.BorderPadding import SpatialPadding
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.storage import Tensor

Window = tuple[slice, slice]


class SpatialZeroPadding(SpatialPadding):
    """Puts a border of zeros around each plane.

    .. math:: y_{h,w} = x_{h - pad_t,\\, w - pad_l} \\text{ where there is such a cell, else } 0

    The gradient of a cell is that of the place which shows it. Negative pads cut cells off.

    Parameters
    ----------
    pad_l, pad_r, pad_t, pad_b : int
        Width of the border at the left, right, top and bottom; the last three are as the first unless given.

    Raises
    ------
    ShapeError
        If the input is not 3-D or 4-D, or nothing of it would be left.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r)``.
    Source: Torch7 nn.SpatialZeroPadding.
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        shape, inside, outside = self._layout(input)
        return self._placed(self._resize("output", shape), outside, input, inside, self._pads)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape, inside, outside = self._layout(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        back = tuple(-pad for pad in self._pads)
        return self._placed(self._resize("gradInput", input.shape), inside, gradOutput, outside, back)

    def _placed(self, target: Tensor, there: Window, source: Tensor, here: Window, pads: tuple[int, ...]) -> Tensor:
        """Zeros in `target`, and what a window shows of `source` in another window: `source` with these pads."""
        if max(pads) <= 0:  # cells are cut off, and nothing is put around them
            call(self, "SpatialReplicationPadding_updateOutput", source, target, *pads)
            return target

        def place(to: Tensor, planes: Tensor) -> None:
            to.fill(0)
            to[..., *there] = planes[..., *here]

        if source.flags.c_contiguous:
            blocks.rows(place, *(array.reshape(-1, *array.shape[-2:]) for array in (target, source)))
        else:
            blocks.rows(place, target, source)
        return target

    def _layout(self, input: Tensor) -> tuple[tuple[int, ...], Window, Window]:
        """The shape of the output, and where the cells that it shows lie in input and output."""
        *leading, height, width = check.tensor(self, "input", input, 3, 4).shape
        pads = [check.count(self, side, pad, -(2**31)) for side, pad in zip(self._sides, self._pads, strict=True)]
        rows, rowsThere, oheight = _shown(height, *pads[2:])
        columns, columnsThere, owidth = _shown(width, *pads[:2])
        if oheight < 1 or owidth < 1:
            raise ShapeError(
                f"{self._typename}: input: expected planes of which padding leaves a cell, got {height} x {width}, "
                f"which becomes {sizes((oheight, owidth))}"
            )
        return (*leading, oheight, owidth), (rows, columns), (rowsThere, columnsThere)


def _shown(size: int, before: int, after: int) -> tuple[slice, slice, int]:
    """The cells of an axis that are shown, the places that show them, and how many places there are."""
    first, end = max(-before, 0), max(size + min(after, 0), 0)
    count = max(end - first, 0)
    first = min(first, size)
    there = min(max(before, 0), max(size + before + after, 0))
    return slice(first, first + count), slice(there, there + count), size + before + after
