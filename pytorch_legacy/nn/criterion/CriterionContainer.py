"""The base class of MultiCriterion and ParallelCriterion."""

from typing import Any, Self

from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor, overlap
from pytorch_legacy.errors import located
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import by_example
from pytorch_legacy.objects import Wrapping
from pytorch_legacy.objects.base import fitting


class CriterionContainer(Wrapping, Criterion):
    """Holds criterions and their weights; the loss is the weighted sum of theirs.

    Attributes
    ----------
    criterions : list of Criterion
    weights : list of float
    """

    _wrapped = "criterions"
    _file = Form(kinds={"criterions": "a list of criterions", "weights": "a list of numbers"})

    def __init__(self) -> None:
        super().__init__()
        self.criterions: list[Criterion] = []
        self.weights: list[float] = []

    @checked
    def add(self, criterion: Criterion, weight: float = 1) -> Self:
        """Appends a criterion and the factor of its loss, and returns self."""
        self.criterions.append(criterion)
        self.weights.append(weight)
        return self

    def _zeroed(self, input: Any, target: Any) -> Any:
        """Sets ``gradInput`` to zeros in the shapes of `input`, to which gradients are added one by one, and returns it.

        They are new ones if `input` or `target`, which are still to be read, lie in the old.
        """
        check.any_arrays(self, "input", input)
        old = None if overlap(self.gradInput, [input, target]) else self.gradInput

        def zeros(old: Any, array: Tensor) -> Tensor:
            return blocks.zero(fitting(old, array, array.dtype if array.dtype.kind == "f" else self._dtype))

        self.gradInput = by_example(old, input, zeros)
        return self.gradInput

    def _located(self, i: int) -> Any:
        """Complaints of a criterion say which one it is, counted from 1 as in messages of containers."""
        return located(f"in criterion {i + 1} of {self._typename}")
