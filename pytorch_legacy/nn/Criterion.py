"""The base of all losses."""

from typing import Any, ClassVar, TypeVar

import numpy as np

from pytorch_legacy.arrays import default_dtype
from pytorch_legacy.files import migration
from pytorch_legacy.files.classes import own
from pytorch_legacy.nn.protocols import HasLoss, HasLossGradient
from pytorch_legacy.nn.summary import Summary, of_criterion
from pytorch_legacy.objects import Object
from pytorch_legacy.objects.loaded import RAW, explain
from pytorch_legacy.reentrancy import guards_self, is_reentrant

R = TypeVar("R")


class Criterion(Object):
    """A loss: a number for an input and a target, and the gradient of the input.

    A criterion overrides ``updateOutput`` and ``updateGradInput``. The gradient is written into the same memory by
    every call: copy what must survive the next one.

    Attributes
    ----------
    output : float
        The loss of the last ``forward``.
    gradInput
        The gradient of the last ``backward``.

    Notes
    -----
    Source: Torch7 nn.Criterion.

    Examples
    --------
    >>> class SumOfErrors(nn.Criterion):
    ...     def updateOutput(self, input, target):
    ...         self.output = float((input - target).sum())
    ...         return self.output
    ...     def updateGradInput(self, input, target):
    ...         self.gradInput = np.ones_like(input)
    ...         return self.gradInput
    >>> SumOfErrors()(np.float32([1, 2]), np.float32([0, 0]))
    (3.0, array([1., 1.], dtype=float32))
    """

    _everyday: ClassVar[tuple[str, ...]] = ("__call__", "backward", "forward", "summary", "updateGradInput", "updateOutput")

    def __init__(self) -> None:
        self._dtype = default_dtype()
        self.output: Any = 0.0
        self.gradInput: Any = np.empty(0, self._dtype)

    sizeAverage: bool  # for the criterions that take a mean or a sum

    @guards_self
    def forward(self: HasLoss[R], input: Any, target: Any = None) -> R:
        """Returns the loss: another name of ``updateOutput``. A few criterions need no target."""
        if type(input) is not np.ndarray or type(target) is not np.ndarray:
            input, target = self._asArrays("input", input), self._asArrays("target", target)
        isRecursion = self._inPass and is_reentrant(self)
        self._inPass = True
        try:
            return self.updateOutput(input, target)
        except RAW as error:
            explain(self, error)
            raise
        finally:
            self._inPass = isRecursion

    @guards_self
    def backward(self: HasLossGradient[R], input: Any, target: Any = None) -> R:
        """Returns the gradient of the input: another name of ``updateGradInput``."""
        if type(input) is not np.ndarray or type(target) is not np.ndarray:
            input, target = self._asArrays("input", input), self._asArrays("target", target)
        isRecursion = self._inPass and is_reentrant(self)
        self._inPass = True
        try:
            return self.updateGradInput(input, target)
        except RAW as error:
            explain(self, error)
            raise
        finally:
            self._inPass = isRecursion

    def updateOutput(self, input: Any, target: Any) -> Any:
        """Computes and returns ``output``."""
        return self.output

    def updateGradInput(self, input: Any, target: Any) -> Any:
        """Computes and returns ``gradInput``."""
        return self.gradInput

    def __call__(self, input: Any, target: Any = None) -> Any:
        """The loss and the gradient of the input.

        Called with the list of two nodes of nngraph, for input and target, it makes a node: ``nn.ModuleFromCriterion``.
        """
        if input is not None and own("nngraph.Node").areIn(self, input, target):
            return own("nn.ModuleFromCriterion")(self)(input)
        return self.forward(input, target), self.backward(input, target)

    def summary(self) -> Summary:
        """The criterion and those in it, with the weights of their losses, as a table."""
        return of_criterion(self)

    def _repr_html_(self) -> str:
        try:
            return self.summary()._repr_html_()
        except Exception:  # a broken one is shown as it prints
            return super()._repr_html_()

    def _mean(self, total: Any, n: int) -> Any:
        """`total` divided by `n`; as it is without ``sizeAverage``, and where there is nothing to take a mean of."""
        return total / n if self.sizeAverage and n else total

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        if "sizeAverage" in vars(type(self)) and "sizeAverage" not in (*self._form.defaults, *self._form.properties):
            fields = migration.fill(self, fields, sizeAverage=True)
        super()._fromTorch7({"output": 0.0, **fields}, version)
