"""The base class of layers that put borders around planes."""

from pytorch_legacy.nn.Native import Native


class BorderPadding(Native):
    """The borders are in fields `_sides`. The first one is given; the others are as it is unless given."""

    _sides: tuple[str, ...]
    _labels: tuple[str, ...]

    def __init__(self, first: int, *others: int | None) -> None:
        super().__init__()
        for side, width in zip(self._sides, (first, *others), strict=True):
            setattr(self, side, first if width is None else width)

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
    pad_l: int
    pad_r: int
    pad_t: int
    pad_b: int

    def __init__(self, pad_l: int, pad_r: int | None = None, pad_t: int | None = None, pad_b: int | None = None) -> None:
        super().__init__(pad_l, pad_r, pad_t, pad_b)
