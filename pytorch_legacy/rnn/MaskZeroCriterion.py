"""A loss without padding."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import by_example, recursiveCopy, sizes
from pytorch_legacy.objects import Wrapping
from pytorch_legacy.rnn.steps import areZero, first


class MaskZeroCriterion(Wrapping, Criterion):
    """The loss of the samples whose input is not all zeros::

        output    = criterion(input[rows], target[rows])
        gradInput = the criterion's in these rows, 0 elsewhere

    Parameters
    ----------
    criterion : Criterion
    nInputDim : int
        The rank of one sample, 0 if it is a number. Of an input that is a table its first array counts.

    Raises
    ------
    ShapeError
        If the input is no batch: a single sample is not enough.

    Notes
    -----
    The loss is 0 if all samples are zero. Source: Element-Research rnn ``MaskZeroCriterion``.

    Examples
    --------
    >>> loss = rnn.MaskZeroCriterion(nn.MSECriterion(), 1)
    >>> x, target = np.float32([[1, 2], [0, 0]]), np.float32([[1, 4], [9, 9]])
    >>> loss.forward(x, target)  # the second sample is padding
    2.0
    >>> loss.backward(x, target)
    array([[ 0., -2.],
           [ 0.,  0.]], dtype=float32)
    """

    _file = Form(
        dropped=("zeroMask", "_zeroMask", "__zeroMask", "input", "target", "_gradInput"),
        kinds={"criterion": "a criterion"},
    )

    def __init__(self, criterion: Criterion, nInputDim: int) -> None:
        super().__init__()
        self.criterion = criterion
        self.nInputDim = check.count(self, "nInputDim", nInputDim, 0)

    def updateOutput(self, input: Any, target: Any) -> Any:
        rows = self._rows(input)
        self.output = self.criterion.updateOutput(_picked(input, rows), _picked(target, rows)) if rows.size else 0.0
        return self.output

    def updateGradInput(self, input: Any, target: Any) -> Any:
        rows = self._rows(input)
        if rows.size:
            inner = self.criterion.updateGradInput(_picked(input, rows), _picked(target, rows))
        else:
            inner = _picked(input, rows)

        def spread(gradient: Any, array: Tensor) -> Tensor:
            result = np.zeros_like(array)
            result[rows] = gradient
            return result

        self.gradInput = recursiveCopy(self.gradInput, by_example(inner, input, spread))
        return self.gradInput

    def _rows(self, input: Any) -> Tensor:
        """Returns the indices of the samples that are not zero."""
        array = first(self, "input", input)
        if array.ndim != self.nInputDim + 1:
            raise ShapeError(
                f"{self._typename}: input: expected a batch of {self.nInputDim + 1} dimensions, got {sizes(array.shape)}"
            )
        return np.flatnonzero(~areZero(array, self.nInputDim))


def _picked(table: Any, rows: Tensor) -> Any:
    return by_example(None, table, lambda _, array: array[rows])
