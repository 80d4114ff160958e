"""A criterion for each entry of a table."""

from typing import Any

from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.criterion.CriterionContainer import CriterionContainer
from pytorch_legacy.nn.utils import described, recursiveAdd


class ParallelCriterion(CriterionContainer):
    """The weighted sum of the losses of several criterions, each of its own entries of input and target::

        output = sum(weights[i] * criterions[i](input[i], target[i]))

    Parameters
    ----------
    repeatTarget : bool
        Whether all criterions get the whole target instead of an entry.

    Raises
    ------
    ShapeError
        If input or target have fewer entries than there are criterions.

    Notes
    -----
    Entries are whatever the criterions take, tables included. Gradients of entries that no criterion looks at are 0.
    ``add(criterion, weight=1)`` returns the ParallelCriterion.
    Source: Torch7 ``nn.ParallelCriterion``.

    Examples
    --------
    >>> loss = nn.ParallelCriterion().add(nn.ClassNLLCriterion(), 0.5).add(nn.MSECriterion())
    >>> x = [np.float32([-1, -2]), np.float32([1, 2])]
    >>> loss.forward(x, [1, np.float32([1, 4])])  # 0.5 * 2 + 2; class 1 is class 2 in Lua
    3.0
    >>> [gradient.tolist() for gradient in loss.backward(x, [1, np.float32([1, 4])])]
    [[0.0, -0.5], [0.0, -2.0]]
    """

    repeatTarget = False

    _file = Form(defaults={"repeatTarget": False})

    def __init__(self, repeatTarget: bool = False) -> None:
        super().__init__()
        self.repeatTarget = repeatTarget
        self.gradInput = []

    def updateOutput(self, input: list[Any], target: Any = None) -> float:
        targets = self._targets(input, target)
        total = 0.0
        for i, (criterion, weight) in enumerate(zip(self.criterions, self.weights, strict=True)):
            with self._located(i):
                total += weight * criterion.updateOutput(input[i], targets[i])
        self.output = total
        return total

    def updateGradInput(self, input: list[Any], target: Any = None) -> list[Any]:
        targets = self._targets(input, target)
        totals: list[Any] = self._zeroed(input, target)
        for i, (criterion, weight) in enumerate(zip(self.criterions, self.weights, strict=True)):
            with self._located(i):
                gradient = criterion.updateGradInput(input[i], targets[i])
            recursiveAdd(totals[i], weight, gradient)
        return totals

    def _targets(self, input: list[Any], target: Any) -> list[Any]:
        """The target of each criterion, once there are enough entries of everything."""
        needed = len(self.criterions)
        for name, value in (("input", input),) if self.repeatTarget else (("input", input), ("target", target)):
            if len(check.table(self, name, value)) < needed:
                raise ShapeError(f"{self._typename}: {name}: expected {needed} entries or more, got {described(value)}")
        return [target] * needed if self.repeatTarget else target
