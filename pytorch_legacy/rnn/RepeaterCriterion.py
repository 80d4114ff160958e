"""One target for all steps of a sequence."""

from typing import Any

from pytorch_legacy.rnn.StepCriterion import StepCriterion


class RepeaterCriterion(StepCriterion):
    """The sum of the losses of all steps with the same target::

        output = sum(criterion(input[t], target))

    Parameters
    ----------
    criterion : Criterion
        Each step has a copy of it.
    sizeAverage : bool
        Divide by the number of steps.

    Notes
    -----
    Input: a list of steps or an array ``T x N x ...``. Source: Element-Research rnn ``RepeaterCriterion``.
    """

    def _target(self, target: Any, step: int) -> Any:
        return target
