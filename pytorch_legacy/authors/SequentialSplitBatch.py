"""A chain of modules that takes large batches piece by piece."""

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check


class SequentialSplitBatch(nn.Sequential):
    """Runs a chain on parts of the batch, one after the other, and joins the outputs: memory for one part is enough.

    Parameters
    ----------
    size : int
        Samples in a part.

    Raises
    ------
    UnsupportedError
        If ``backward`` follows a batch that was divided: the chain then remembers its last part only.

    Notes
    -----
    Takes what the chain takes: an array, or a table [planes, boxes] of which the boxes are divided. Source: multipathnet
    ``SequentialSplitBatch``.

    Examples
    --------
    >>> net = authors.SequentialSplitBatch(2).add(nn.Square())
    >>> net.forward(np.float32([[1], [2], [3]])).tolist()  # two samples, then one
    [[1.0], [4.0], [9.0]]
    >>> net.modules[0].output.shape
    (1, 1)
    >>> whole = authors.SequentialSplitBatch(3).add(nn.Square())
    >>> x = np.float32([[1], [2], [3]])
    >>> _ = whole.forward(x)  # in one part
    >>> whole.backward(x, x).tolist()  # 2 * x * gradOutput
    [[2.0], [8.0], [18.0]]
    """

    _file = Form(private=("_isDivided",), kinds={"batch_size": "a whole number"})
    _isDivided = False

    def __init__(self, size: int) -> None:
        super().__init__()
        self.batch_size = check.count(self, "size", size)

    def updateOutput(self, input: Any) -> Any:
        batch = input[1] if isinstance(input, list) else input
        count = len(check.tensor(self, "input", batch))
        self._isDivided = count > self.batch_size
        if not self._isDivided:
            return super().updateOutput(input)
        parts = []
        for start in range(0, count, self.batch_size):
            part = batch[start : start + self.batch_size]
            parts.append(super().updateOutput([input[0], part] if isinstance(input, list) else part).copy())
        self.output = np.concatenate(parts)
        return self.output

    def _back(self, input: Any, gradOutput: Any, step: Any) -> Any:
        if self._isDivided:
            raise UnsupportedError(
                f"{self._typename}: backward: the batch was divided, as it has more than {self.batch_size} samples"
            )
        return super()._back(input, gradOutput, step)
