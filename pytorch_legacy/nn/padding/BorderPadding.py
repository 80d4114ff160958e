"""What layers that put borders around planes have in common."""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class BorderPadding(Module):
    """Calls the C functions that have the name `_layer`, with the borders in fields `_sides`.

    The first border is given; the others are as the first one unless given.
    """

    _layer: str
    _sides: tuple[str, ...]
    _labels: tuple[str, ...]

    def __init__(self, first: int, *others: int | None) -> None:
        super().__init__()
        for side, width in zip(self._sides, (first, *others), strict=True):
            setattr(self, side, first if width is None else width)

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input)
        output = self._resize("output", output_size(self, f"{self._layer}_outputSize", input, *self._pads))
        call(self, f"{self._layer}_updateOutput", input, output, *self._pads)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, f"{self._layer}_updateGradInput", input, gradOutput, gradInput, *self._pads)
        return gradInput

    @property
    def _pads(self) -> tuple[int, ...]:
        return tuple(getattr(self, side) for side in self._sides)

    def __repr__(self) -> str:
        borders = ", ".join(f"{label}={width}" for label, width in zip(self._labels, self._pads, strict=True))
        return f"{self._typename}({borders})"


class SpatialPadding(BorderPadding):
    """Borders around planes of H x W."""

    _sides = ("pad_l", "pad_r", "pad_t", "pad_b")
    _labels = ("l", "r", "t", "b")

    def __init__(self, pad_l: int, pad_r: int | None = None, pad_t: int | None = None, pad_b: int | None = None) -> None:
        super().__init__(pad_l, pad_r, pad_t, pad_b)
