"""Several criterions of one input and one target."""

from typing import Any

import numpy as np

from pytorch_legacy.files import t7
from pytorch_legacy.nn.criterion.CriterionContainer import CriterionContainer
from pytorch_legacy.nn.utils import recursiveAdd


class MultiCriterion(CriterionContainer):
    """The weighted sum of the losses of several criterions, all of the same input and target::

        output = sum(weight * criterion(input, target))

    Notes
    -----
    Input and target are whatever the criterions take. ``add(criterion, weight=1)`` returns the MultiCriterion.
    Source: Torch7 ``nn.MultiCriterion``.

    Examples
    --------
    >>> loss = nn.MultiCriterion().add(nn.MSECriterion()).add(nn.AbsCriterion(), 0.5)
    >>> x, t = np.float32([1, 2]), np.float32([1, 4])
    >>> loss.forward(x, t)  # 2 + 0.5 * 1
    2.5
    >>> loss.backward(x, t)
    array([ 0.25, -2.25], dtype=float32)
    """

    def updateOutput(self, input: Any, target: Any = None) -> float:
        total = 0.0
        for i, (criterion, weight) in enumerate(zip(self.criterions, self.weights, strict=True)):
            with self._located(i):
                total += weight * criterion.updateOutput(input, target)
        self.output = total
        return total

    def updateGradInput(self, input: Any, target: Any = None) -> Any:
        total = self._zeroed(input, target)
        for i, (criterion, weight) in enumerate(zip(self.criterions, self.weights, strict=True)):
            with self._located(i):
                gradient = criterion.updateGradInput(input, target)
            recursiveAdd(total, weight, gradient)
        return total

    def _toTorch7(self) -> dict[str, Any]:
        return super()._toTorch7() | {"weights": np.array(self.weights, np.float64).view(t7.Storage)}
