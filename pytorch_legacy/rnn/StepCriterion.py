"""The base class of SequencerCriterion and RepeaterCriterion."""

from typing import Any, Self

from pytorch_legacy.arrays import is_tensor, to_host, tree
from pytorch_legacy.backend.prepared import Bindings
from pytorch_legacy.errors import FieldError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import recursiveCopy
from pytorch_legacy.objects import Object, Wrapping
from pytorch_legacy.rnn.steps import at_step, joined, sequence


class StepCriterion(Wrapping, Criterion):
    """Sums the losses of all steps, each by a copy of one criterion.

    Attributes
    ----------
    criterion : Criterion
        May be changed or replaced at any time: the next ``forward`` makes new copies then.
    clones : list of Criterion
        The copies, made as they are needed.
    """

    sizeAverage = False
    criterion: Criterion
    clones: list[Criterion]

    _file = Form(
        defaults={"sizeAverage": False, "clones": lambda fields: []},
        kinds={"criterion": "a criterion", "clones": "a list of criterions"},
    )
    _lua = Lua(methods={"getStepCriterion": {"step": "positions"}})

    def __init__(self, criterion: Criterion | None = None, sizeAverage: bool = False) -> None:
        super().__init__()
        self.criterion = criterion  # type: ignore[assignment]  # derived classes may set it later, as in Torch7
        self.sizeAverage = sizeAverage
        self.clones = []
        self.gradInput = []

    def getStepCriterion(self, step: int) -> Criterion:
        """The copy for a step, made if need be."""
        if self.criterion is None:
            raise FieldError(f"{self._typename}: criterion: expected a criterion, got None")
        while len(self.clones) <= step:
            self.clones.append(self.criterion.clone())
        return self.clones[step]

    def clearState(self) -> Self:
        """Lets go of the copies and returns self."""
        self.clones = []
        return self

    def _target(self, target: Any, step: int) -> Any:
        """Returns the target of a step."""
        raise NotImplementedError

    def updateOutput(self, input: Any, target: Any) -> float:
        count = len(sequence(self, "input", input))
        self.getStepCriterion(0)
        settings, bindings = _settings(self.criterion), Bindings.of(self)
        if bindings.settings != settings:
            self.clones, bindings.settings = [], settings
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


def _settings(criterion: Criterion) -> list[Any]:
    """Returns all settings that the results of a criterion depend on, to compare with other calls: numbers, texts and weights."""
    found: list[Any] = []
    things: list[Any] = [criterion]
    for thing in things:
        found.append(thing)
        for name, value in vars(thing).items():
            if name in ("output", "gradInput") or name[0] == "_":
                continue
            if isinstance(value, (bool, int, float, str)):
                found.append((name, value))
            elif is_tensor(value) and name in ("weight", "weights", "bias"):
                found.append((name, value.shape, to_host(value).tobytes()))
            else:
                parts = value if isinstance(value, list) else [value]
                things += [part for part in parts if isinstance(part, Object) and not any(part is known for known in things)]
    return found
