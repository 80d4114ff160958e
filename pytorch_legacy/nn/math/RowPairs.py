"""What layers have in common that make one number of two vectors."""

from typing import Self

import numpy as np

from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear
from pytorch_legacy.storage import Tensor


class RowPairs(Module):
    """Takes a list of two vectors, or of two batches of vectors, and gives one number for each pair.

    A layer provides `_values`, and `_gradients` or `_send`, which see batches whose memory is laid out row by row.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        x, y = self._rows(input)
        output = self._resize("output", x.shape[:1])
        blocks.rows(lambda x, y, part: np.copyto(part, self._values(x, y)), x, y, output)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        x, y = self._rows(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), x.shape[:1])
        gradInput = self._resizeTable("gradInput", [array.shape for array in input])
        self._send(x, y, gradOutput[:, None], [gradient.reshape(x.shape) for gradient in gradInput])
        return gradInput

    def _send(self, x: Tensor, y: Tensor, g: Tensor, targets: list[Tensor]) -> None:
        """Write the gradients of both inputs; `g`, that of the numbers, is a column."""

        def compute(x: Tensor, y: Tensor, g: Tensor, *parts: Tensor) -> None:
            for part, values in zip(parts, self._gradients(x, y, g), strict=True):
                np.copyto(part, values)

        blocks.rows(compute, x, y, g, *targets)

    def clearState(self) -> Self:
        clear(self, "_x", "_y")
        super().clearState()
        return self

    def _rows(self, input: list[Tensor]) -> tuple[Tensor, Tensor]:
        x, y = check.alike(self, "input", input, 2)
        check.tensor(self, "input[0]", x, 1, 2)
        shape = x.shape if x.ndim == 2 else (1, x.size)
        return self._dense("_x", x).reshape(shape), self._dense("_y", y).reshape(shape)

    def _values(self, x: Tensor, y: Tensor) -> Tensor:
        """The number for each row."""
        raise NotImplementedError

    def _gradients(self, x: Tensor, y: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """The gradients of both inputs, from which `_send` copies them."""
        raise NotImplementedError
