"""A loss as a module."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import by_example, fitting, recursiveCopy
from pytorch_legacy.objects import Wrapping


class ModuleFromCriterion(Wrapping, Module):
    """Computes a loss of a table ``[prediction, target]``, for use inside a network.

    The output is an array with one element. The gradient of the prediction is that of the criterion times gradOutput, which
    may have any dtype; the gradient of the target is zero.

    Parameters
    ----------
    criterion : Criterion
        The loss.

    Notes
    -----
    Calling a criterion with nodes makes a node of this class. Source: Torch7 nngraph, nn.ModuleFromCriterion.

    Examples
    --------
    >>> module = nngraph.ModuleFromCriterion(nn.MSECriterion())
    >>> x, t = np.float32([1, 2]), np.float32([1, 4])
    >>> module.forward([x, t])
    array([2.], dtype=float32)
    >>> [gradient.tolist() for gradient in module.backward([x, t], np.float32([10]))]
    [[0.0, -20.0], [0.0, 0.0]]
    """

    _typename = "nn.ModuleFromCriterion"

    _file = Form(kinds={"criterion": "a criterion"})

    def __init__(self, criterion: Criterion) -> None:
        super().__init__()
        self.criterion = criterion
        self.gradInput = [np.empty(0, self._dtype), np.empty(0, self._dtype)]

    def updateOutput(self, input: list[Any]) -> Tensor:
        prediction, target = check.table(self, "input", input, 2)
        loss = self.criterion.updateOutput(prediction, target)
        self._resize("output", (1,))[...] = loss
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: Tensor) -> list[Any]:
        prediction, target = check.table(self, "input", input, 2)
        factor = check.shape(self, "gradOutput", check.array(self, "gradOutput", gradOutput), (1,)).astype(self._dtype)
        old = self.gradInput if isinstance(self.gradInput, list) and len(self.gradInput) == 2 else [None, None]
        gradient = recursiveCopy(old[0], self.criterion.updateGradInput(prediction, target))
        by_example(None, gradient, lambda _, array: np.multiply(array, factor[0], out=array))
        self.gradInput = [gradient, by_example(old[1], target, _zeros) if not np.isscalar(target) else 0.0]
        return self.gradInput


def _zeros(old: Any, new: Tensor) -> Tensor:
    buffer = fitting(old, new)
    buffer.fill(0)
    return buffer
