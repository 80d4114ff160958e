"""What SequencerCriterion and RepeaterCriterion share."""

from typing import Any, Self

from pytorch_legacy.arrays import tree
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import recursiveCopy
from pytorch_legacy.rnn.steps import at_step, joined, sequence


class StepCriterion(Criterion):
    """Sums the losses of all steps, each by a copy of one criterion.

    Attributes
    ----------
    criterion : Criterion
    clones : list of Criterion
        The copies, made as they are needed.
    """

    sizeAverage = False
    criterion: Criterion
    clones: list[Criterion]

    _file = Form(
        defaults={"sizeAverage": False, "clones": lambda fields: []},
        kinds={"criterion": "a module", "clones": "a list of modules"},
    )

    def __init__(self, criterion: Criterion, sizeAverage: bool = False) -> None:
        super().__init__()
        self.criterion = criterion
        self.sizeAverage = sizeAverage
        self.clones = []
        self.gradInput = []

    def getStepCriterion(self, step: int) -> Criterion:
        """The copy for a step, made if need be."""
        while len(self.clones) <= step:
            self.clones.append(self.criterion.clone())
        return self.clones[step]

    def clearState(self) -> Self:
        """Lets go of the copies and returns self."""
        self.clones = []
        return self

    def _target(self, target: Any, step: int) -> Any:
        """What belongs to a step."""
        raise NotImplementedError

    def updateOutput(self, input: Any, target: Any) -> float:
        count = len(sequence(self, "input", input))
        total = 0.0
        for t in range(count):
            with at_step(t, self):
                total += self.getStepCriterion(t).forward(input[t], self._target(target, t))
        self.output = self._mean(total, count)
        return self.output

    def updateGradInput(self, input: Any, target: Any) -> Any:
        gradients = []
        for t in range(len(sequence(self, "input", input))):
            with at_step(t, self):
                gradients.append(self.getStepCriterion(t).backward(input[t], self._target(target, t)))
        if self.sizeAverage:
            gradients = recursiveCopy(None, gradients)
            for array in tree.leaves(gradients):
                array /= len(gradients)
        self.gradInput = joined(self, "gradInput", gradients, input)
        return self.gradInput
