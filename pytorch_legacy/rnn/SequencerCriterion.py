"""A loss for each step of a sequence."""

from typing import Any

from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn.utils import described
from pytorch_legacy.rnn.StepCriterion import StepCriterion
from pytorch_legacy.rnn.steps import sequence


class SequencerCriterion(StepCriterion):
    """The sum of the losses of all steps, each with a target of its own::

        output = sum(criterion(input[t], target[t]))

    Parameters
    ----------
    criterion : Criterion
        Each step has a copy of it.
    sizeAverage : bool
        Divide by the number of steps.

    Raises
    ------
    ShapeError
        If input and target differ in length.

    Notes
    -----
    Input: a list of steps or an array ``T x N x ...``; target: a list or an array of as many. Source: Element-Research rnn
    ``SequencerCriterion``.

    Examples
    --------
    >>> loss = rnn.SequencerCriterion(nn.MSECriterion())
    >>> loss.forward([np.float32([1]), np.float32([2])], [np.float32([1]), np.float32([5])])  # 0 + 9
    9.0
    """

    def _target(self, target: Any, step: int) -> Any:
        return target[step]

    def updateOutput(self, input: Any, target: Any) -> float:
        count = len(sequence(self, "input", input))
        if not hasattr(target, "__len__") or len(target) != count:
            raise ShapeError(f"{self._typename}: target: expected {count} steps as in the input, got {described(target)}")
        return super().updateOutput(input, target)
