"""What pooling layers share whose output has a size of your choice."""

from typing import ClassVar

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class AdaptivePooling(Module):
    """Base of layers with windows that share the input as evenly as they can.

    A subclass names its axes in the order of its arguments, "W", "WH" or "TWH"; these are also the names of the fields
    that hold the size of the output. None keeps the input's size.
    """

    _axes: ClassVar[str] = "WH"
    _last: ClassVar[int] = -1  # the dimension that is the axis W
    W: int | None = None
    H: int | None = None
    T: int | None = None

    def __init__(self, *sizes: int | None) -> None:
        super().__init__()
        for axis, size in zip(self._axes, sizes, strict=True):
            setattr(self, axis, size)

    def _sizes(self, input: Tensor) -> tuple[int, ...]:
        """Size of the output along each axis: as the C functions take them."""
        check.tensor(self, "input", input)
        wanted = tuple([getattr(self, axis) for axis in self._axes])
        if None not in wanted:
            return wanted
        kept = dict(zip("WHT", (*input.shape[self._last :: -1], 0, 0, 0), strict=False))  # C checks the rank
        return tuple(kept[axis] if size is None else size for axis, size in zip(self._axes, wanted, strict=True))
