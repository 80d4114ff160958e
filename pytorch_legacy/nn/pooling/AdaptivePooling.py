"""The base class of pooling layers with an output size of your choice."""

from typing import Any, ClassVar

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class AdaptivePooling(Native):
    """Base of layers with windows that share the input as evenly as they can.

    A subclass names its axes in the order of its arguments, "W", "WH" or "TWH"; these are also the names of the fields
    that hold the size of the output. None keeps the input's size.
    """

    _axes: ClassVar[str] = "WH"
    _names = {"owidth": "W", "oheight": "H", "otime": "T"}
    _last: ClassVar[int] = -1  # the dimension that is the axis W
    W: int | None = None
    H: int | None = None
    T: int | None = None

    _file = Form(kinds={"H": "a whole number", "T": "a whole number", "W": "a whole number"})

    def __init__(self, *sizes: int | None) -> None:
        super().__init__()
        for axis, size in zip(self._axes, sizes, strict=True):
            setattr(self, axis, size)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self._outputShape(input))
        gradInput: Tensor = super().updateGradInput(input, gradOutput)
        return gradInput

    def _given(self, input: Tensor, fields: tuple[Any, ...]) -> tuple[Any, ...]:
        """The sizes come last, those of the input in the place of None."""
        sizes = fields[-len(self._axes) :]
        if not any(size is None for size in sizes):
            return fields
        kept = dict(zip("WHT", (*input.shape[self._last :: -1], 0, 0, 0), strict=False))  # C checks the rank
        own = zip(self._axes, sizes, strict=True)
        return *fields[: -len(sizes)], *(kept[axis] if size is None else size for axis, size in own)
