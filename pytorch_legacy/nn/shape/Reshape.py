"""The same elements, with other sizes; the older of two layers that do this."""

from math import prod
from typing import Any, Self

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, sizes


class Reshape(Module):
    """Gives the elements of the input, or of each sample of a batch, new sizes::

        output    = input.reshape(sizes)  or  input.reshape(len(input), *sizes)
        gradInput = gradOutput.reshape(input.shape)

    The result is a view of the input unless that is not contiguous.

    Parameters
    ----------
    sizes : int
        Positive sizes, one by one or as a tuple.
    batchMode : bool, optional
        Whether the input is a batch. If it is not given, an input is a batch when it has more elements than the
        sizes or when its first size is 1.

    Raises
    ------
    ShapeError
        If the elements of the input do not fill the sizes.

    Notes
    -----
    Arrays of integers (indices) pass too. As in Lua, ``Reshape(3, 2, True)`` means ``Reshape(3, 2, batchMode=True)``.
    Source: Torch7 nn.Reshape.

    Examples
    --------
    >>> x = np.arange(12, dtype=np.float32).reshape(2, 6)
    >>> nn.Reshape(2, 3).forward(x).shape  # a batch of two
    (2, 2, 3)
    >>> nn.Reshape(3, 4).forward(x).shape  # one sample
    (3, 4)
    """

    _takesAnyType = True

    batchMode: bool | None = None

    _file = Form(
        scratch={"batchsize": lambda module: t7.longs([0, *module.size])},
        defaults={"batchMode": None},
        kinds={"nelement": "a whole number", "size": "sizes"},
    )

    def __init__(self, *sizes: Any, batchMode: bool | None = None) -> None:
        super().__init__()
        if sizes and isinstance(sizes[-1], bool):
            sizes, batchMode = sizes[:-1], sizes[-1]
        self.batchMode = batchMode
        self._setSize(check.integers(self, "sizes", sizes[0] if len(sizes) == 1 else sizes))

    def updateOutput(self, input: Tensor) -> Tensor:
        check.array(self, "input", input)
        self.output = self._contiguous("_input", input).reshape(self._sizes(input.shape))
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = self._sizes(check.array(self, "input", input).shape)
        gradOutput = check.gradient(self, gradOutput, input, shape)
        self.gradInput = self._contiguous("_gradOutput", gradOutput).reshape(input.shape)
        return self.gradInput

    def clearState(self) -> Self:
        clear(self, "_input", "_gradOutput")
        return super().clearState()

    def _sizes(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The sizes of the output for an input of that shape."""
        isBatch = self.batchMode
        if isBatch is None:
            isBatch = prod(shape) != self.nelement or shape[:1] == (1,)
        result = (*shape[:1], *self.size) if isBatch else self.size
        if prod(result) != prod(shape):
            raise ShapeError(f"{self._typename}: input: {sizes(shape)} does not fill {sizes(self.size)}")
        return result

    def _setSize(self, sizes: tuple[int, ...]) -> None:
        self.size = sizes
        self.nelement = prod(self.size)
        if self.nelement < 1:
            raise ValueRangeError(f"{self._typename}: sizes: expected positive ones, got {self.size}")

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        self._setSize(self.size)

    def __repr__(self) -> str:
        return f"{self._typename}({'x'.join(map(str, self.size))})"
