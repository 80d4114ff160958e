"""A criterion with modules before its input and its target."""

from typing import Any

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import located
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import Wrapping


class ModuleCriterion(Wrapping, Criterion):
    """A criterion of what modules make of input and target::

        output = criterion(inputModule(input), targetModule(target))

    Parameters
    ----------
    criterion : Criterion
    inputModule, targetModule : Module, optional
        Modules through which input and target go. Without a module, the input or the target stays as it is.
    castTarget : bool
        Whether converting the criterion to another type converts the target module too.

    Notes
    -----
    ``backward`` adds to the gradients of the input module's parameters; it needs the ``forward`` before it.
    Source: Torch7 ``nn.ModuleCriterion``.

    Examples
    --------
    >>> loss = nn.ModuleCriterion(nn.MSECriterion(), nn.Square(), nn.MulConstant(10.0))
    >>> loss.forward(np.float32([3, 4]), np.float32([1, 2]))  # ((9 - 10)**2 + (16 - 20)**2) / 2
    8.5
    >>> loss.backward(np.float32([3, 4]), np.float32([1, 2]))
    array([ -6., -32.], dtype=float32)
    """

    inputModule: Module | None = None
    targetModule: Module | None = None
    castTarget = True

    _file = Form(defaults={"inputModule": None, "targetModule": None, "castTarget": True}, kinds={"criterion": "a criterion"})

    def __init__(
        self,
        criterion: Criterion,
        inputModule: Module | None = None,
        targetModule: Module | None = None,
        castTarget: bool = True,
    ) -> None:
        super().__init__()
        self.criterion = criterion
        self.inputModule = inputModule
        self.targetModule = targetModule
        self.castTarget = castTarget

    def updateOutput(self, input: Any, target: Any = None) -> Any:
        with located(f"in {self._typename}"):
            made = input if self.inputModule is None else self.inputModule.forward(input)
            goal = target if self.targetModule is None else self.targetModule.forward(target)
            self.output = self.criterion.forward(made, goal)
        return self.output

    def updateGradInput(self, input: Any, target: Any = None) -> Any:
        with located(f"in {self._typename}"):
            made = input if self.inputModule is None else self.inputModule.output
            goal = target if self.targetModule is None else self.targetModule.output
            self.gradInput = self.criterion.backward(made, goal)
            if self.inputModule is not None:
                self.gradInput = self.inputModule.backward(input, self.gradInput)
        return self.gradInput

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Converts as every object does, but leaves the target module alone without ``castTarget``."""
        kept = None if self.castTarget else self.targetModule
        if type is None or kept is None:
            return super().type(type, tensorCache)
        self.targetModule = None
        try:
            return super().type(type, tensorCache)
        finally:
            self.targetModule = kept

    def _toTorch7(self) -> dict[str, Any]:
        """Torch7's class has no results before the first pass."""
        fields = super()._toTorch7()
        if self.gradInput is None or (is_tensor(self.gradInput) and not self.gradInput.size):
            fields = {name: value for name, value in fields.items() if name not in ("output", "gradInput")}
        return fields
