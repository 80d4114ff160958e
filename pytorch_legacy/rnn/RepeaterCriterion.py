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

    Examples
    --------
    >>> loss = rnn.RepeaterCriterion(nn.MSECriterion())
    >>> loss.forward([np.float32([1]), np.float32([2]), np.float32([4])], np.float32([1]))  # 0 + 1 + 9
    10.0
    """

    def _target(self, target: Any, step: int) -> Any:
        return target
