"""The mean loss of several outputs."""

from collections.abc import Callable, Sequence
from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import FieldError, located
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class AuxiliaryLossCriterion(Criterion):
    """The mean of the losses of all outputs of an AuxiliaryLossTable, each compared with the same target.

    .. math:: loss = \\frac{1}{K} \\sum_k criterion(x_k, target)

    Parameters
    ----------
    base_criterion : class of Criterion, or function
        Makes a criterion. It is called once for each output.
    args : sequence, optional
        Its arguments.

    Attributes
    ----------
    criterions : list of Criterion
        Those that were made so far.
    sizeAverage : bool
        The `sizeAverage` of the criterions; False by default.
    instance_loss : list of float
        The mean losses of each sample, if the criterions have such a list.

    Raises
    ------
    FieldError
        If the criterion comes from a file without criterions: the function that made them is Lua's.

    Notes
    -----
    The input is a list of outputs, as in training, or one output, as in evaluation. The target is what the criterion takes.
    The original did not divide the gradients by their number. Here they are those of the mean.
    Source: waifu2x ``AuxiliaryLossCriterion``.

    Examples
    --------
    >>> loss = authors.AuxiliaryLossCriterion(nn.AbsCriterion)
    >>> loss.sizeAverage = True
    >>> x, target = [np.float32([1, 2]), np.float32([3, 3])], np.float32([0, 0])
    >>> loss.forward(x, target)  # the mean of 1.5 and 3
    2.25
    >>> loss.backward(x, target)
    [array([0.25, 0.25], dtype=float32), array([0.25, 0.25], dtype=float32)]
    """

    _typename = "w2nn.AuxiliaryLossCriterion"
    _file = Form(
        private=("_make",),
        defaults={"criterions": lambda fields: [], "sizeAverage": False, "args": None},
        kinds={"criterions": "a list of criterions"},
    )
    args: Sequence[Any] | None = None
    _make: Callable[..., Any] | None = None

    def __init__(self, base_criterion: Callable[..., Any], args: Sequence[Any] | None = None) -> None:
        super().__init__()
        self._make, self.args = base_criterion, args
        self.gradInput = []
        self.sizeAverage = False
        self.criterions: list[Any] = []

    def updateOutput(self, input: Any, target: Any) -> float:
        entries = self._entries(input)
        losses = []
        for i, entry in enumerate(entries):
            with located(f"in criterion {i + 1} of {self._typename}"):
                losses.append(self._criterion(i).updateOutput(entry, target))
        lists = [getattr(criterion, "instance_loss", None) for criterion in self.criterions[: len(entries)]]
        if all(isinstance(values, list) for values in lists):
            self.instance_loss = [sum(values) / len(entries) for values in zip(*lists, strict=True)]
        self.output = sum(losses) / len(entries)
        return self.output

    def updateGradInput(self, input: Any, target: Any) -> Any:
        entries = self._entries(input)
        gradients = []
        for i, entry in enumerate(entries):
            with located(f"in criterion {i + 1} of {self._typename}"):
                gradients.append(self._criterion(i).updateGradInput(entry, target))
        if not isinstance(input, list):
            self.gradInput = gradients[0]
            return self.gradInput
        shapes = [gradient.shape for gradient in gradients]
        gradInput = self._resizeTable("gradInput", shapes, mustNotOverlap=[gradients, input, target])
        for result, gradient in zip(gradInput, gradients, strict=True):
            result[...] = gradient / self._dtype.type(len(entries))
        return gradInput

    def _entries(self, input: Any) -> list[Tensor]:
        return check.tensors(self, "input", input) if isinstance(input, list) else [check.tensor(self, "input", input)]

    def _criterion(self, i: int) -> Any:
        """Returns the criterion of an output, which is made if there is none yet."""
        while len(self.criterions) <= i:
            if self._make is not None:
                criterion = self._make(*(self.args or ()))
                criterion.type(self._type)
                criterion.sizeAverage = self.sizeAverage
            elif self.criterions:
                criterion = self.criterions[0].clone()
            else:
                raise FieldError(
                    f"{self._typename}: criterions: expected one or more, because base_criterion is a function of Lua; "
                    "set criterions to a list of one criterion"
                )
            self.criterions.append(criterion)
        return self.criterions[i]
