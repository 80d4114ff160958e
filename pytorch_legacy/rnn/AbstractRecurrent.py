"""The base of all modules that go through a sequence one step at a time."""

from collections.abc import Callable
from typing import Any, ClassVar, Self, TypeVar

from pytorch_legacy.errors import FieldError, ShapeError, UnsupportedError, ValueRangeError, located
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, described, recursiveCopy
from pytorch_legacy.objects import Object
from pytorch_legacy.rnn.steps import by_step, to_table

Result = TypeVar("Result")


class AbstractRecurrent(Container):
    """Counts steps, and keeps for each what the way back needs::

        forward:  output(t) = recurrentModule(input(t), ...)                        t = 0, 1, 2, ...
        backward: gradInput(t), and the gradients of the parameters, for t from the last step down

    In training each step runs a clone of ``recurrentModule`` that shares its parameters; in evaluation that module runs
    alone, nothing is kept for the way back, and each output is an array of its own.

    Call ``forward`` for each step in order, then ``updateGradInput`` and ``accGradParameters`` (or ``backward``) in
    reverse order, or let an ``nn.Sequencer`` do so. ``forget()`` begins a new sequence.

    Parameters
    ----------
    rho : int
        Steps that are kept for backpropagation through time, at least.

    Attributes
    ----------
    step : int
        The number of steps since ``forget()``.
    recurrentModule : Module
        Module that runs in each step.
    sharedClones, outputs, gradInputs : dict
        Module, output and gradient of the input of each step that is kept; steps count from 0.

    Raises
    ------
    ValueRangeError
        From ``backward``, if there is no step left to go back, if it is no longer kept, or in evaluation.

    Notes
    -----
    Torch7 counts steps from 1, and goes back in evaluation with wrong results instead of an error. An error that is
    raised inside says so: "in the step of nn.LSTM".
    Source: Element-Research rnn ``AbstractRecurrent`` (of 2016 and later).

    Examples
    --------
    >>> layer = rnn.Recurrence(nn.CAddTable(), 1, 1)  # output(t) = input(t) + output(t-1)
    >>> [layer.forward(np.float32([[i]])).item() for i in (1, 10, 100)]
    [1.0, 11.0, 111.0]
    >>> layer.step
    3
    >>> _ = layer.forget()
    >>> layer.forward(np.float32([[5]])).item()
    5.0
    """

    _everyday: ClassVar[tuple[str, ...]] = (
        "accGradParameters", "evaluate", "forget", "maskZero", "maxBPTTstep", "recurrentModule", "training", "trimZero",
        "updateGradInput", "updateOutput",
    )  # fmt: skip
    _file = Form(
        oneBased=("step", "updateGradInputStep", "accGradParametersStep"),
        dropped=("nSharedClone",),
        properties=("recurrentModule",),
        private=("_stepModule",),
        defaults={
            "rho": 99999,
            "step": 0,
            "modules": lambda fields: [fields["recurrentModule"]],
            "_stepModule": lambda fields: None if fields.get("modules") else fields["recurrentModule"],
        },
        kinds={
            "recurrentModule": "a module",
            **dict.fromkeys(("rho", "step", "updateGradInputStep", "accGradParametersStep"), "a whole number"),
        },
    )
    _lua = Lua(
        fields=dict.fromkeys(("sharedClones", "outputs", "gradInputs", "gradOutputs", "_gradOutputs"), "keys"),
        renewed=("output", "gradInput"),
    )
    _servesAllSteps = True
    _byStep: tuple[str, ...] = ("sharedClones", "outputs", "gradInputs", "gradOutputs", "_gradOutputs")
    _stepModule: Module | None = None  # the recurrentModule, if it was set
    _firstCloned = 0  # the first step that runs a clone
    rmInSharedClones = True
    updateGradInputStep: int | None = None
    accGradParametersStep: int | None = None

    sharedClones: dict[int, Module]
    outputs: dict[int, Any]
    gradInputs: dict[int, Any]
    gradOutputs: dict[int, Any]
    _gradOutputs: dict[int, Any]

    def __init__(self, rho: int = 99999) -> None:
        super().__init__()
        self.rho = check.count(self, "rho", rho)
        self.step = 0
        for name in self._byStep:
            setattr(self, name, {})
        self.rmInSharedClones = True  # asked by Torch7's forget()

    @property
    def recurrentModule(self) -> Module:
        return self._stepModule or self.modules[0]

    @recurrentModule.setter
    def recurrentModule(self, module: Module) -> None:
        self._stepModule, self.sharedClones = module, {}
        self.forget()

    @property
    def nSharedClone(self) -> int:
        """The number of clones."""
        return len(self.sharedClones)

    def getStepModule(self, step: int) -> Module:
        """The clone of a step, made if need be."""
        if step not in self.sharedClones:
            self.sharedClones[step] = self.recurrentModule.stepClone()
        return self.sharedClones[step]

    def maskZero(self, nInputDim: int) -> Self:
        """Puts the recurrentModule into an nn.MaskZero: zero rows of the input end sequences. Returns self."""
        from pytorch_legacy.rnn.MaskZero import MaskZero

        return self._setStepModule(MaskZero(self.recurrentModule, nInputDim))

    def trimZero(self, nInputDim: int) -> Self:
        """Puts the recurrentModule into an nn.TrimZero, which does the same and leaves such rows out. Returns self."""
        from pytorch_legacy.rnn.TrimZero import TrimZero

        if getattr(self, "p", 0) and not getattr(self, "mono", False):
            raise UnsupportedError(f"{self._typename}: trimZero: dropout must be made with mono=True, for the batch changes")
        return self._setStepModule(TrimZero(self.recurrentModule, nInputDim))

    def updateOutput(self, input: Any) -> Any:
        step = self.step
        if self.train:
            self._reuseClone(step)
        module = self._trainingModule(step) if self.train else self._evaluationModule(step)
        with _InStep(self):
            output = self._forwardStep(module, step, input)
        if not self.train:
            output = recursiveCopy(None, output)
            self.outputs.clear()
        self.output = self._keep(step, output)
        self.step = step + 1
        self.rewind()
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        step = self._stepBack(self.updateGradInputStep)
        if step in self.outputs:
            check.like(self, "gradOutput", gradOutput, self.outputs[step])
        self.updateGradInputStep = step + 1
        with _InStep(self):
            self.gradInput = self._updateGradInput(input, gradOutput)
        self.gradInputs[step] = self.gradInput
        self.updateGradInputStep = step
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        step = self._stepBack(self.accGradParametersStep)
        if step not in self.gradInputs:
            raise ValueRangeError(f"{self._typename}: accGradParameters: call updateGradInput for step {step + 1} first")
        self.accGradParametersStep = step + 1
        with _InStep(self):
            self._accGradParameters(input, gradOutput, scale)
        self.accGradParametersStep = step

    def recycle(self) -> Self:
        """Lets a clone that is no longer needed run the present step, for a ``updateOutput`` of an author, and returns self."""
        self._reuseClone(self.step)
        return self

    def rewind(self) -> Self:
        """The next backward call is for the last step."""
        self.updateGradInputStep = self.accGradParametersStep = None
        return self

    def forget(self) -> Self:
        """Begins a new sequence, and returns self."""
        super().forget()
        clones = list(self.sharedClones.values())
        for name in self._byStep:
            setattr(self, name, {})
        if not any(clone is self.recurrentModule for clone in clones):
            clones = [self.recurrentModule]
        self.sharedClones = dict(enumerate(clones, self._firstCloned))
        self.step = 0
        self.rewind()
        return self

    def maxBPTTstep(self, rho: int) -> Self:
        """Keeps at least `rho` steps for the way back."""
        super().maxBPTTstep(rho)
        self.rho = check.count(self, "rho", rho)
        return self

    def reinforce(self, reward: Any) -> Self:
        """Hands a reward to what ran in each step: a list has one for each step, anything else is for all of them."""
        for step in range(self.step):
            if self._hasModule(step):
                module: Any = self._trainingModule(step)
                module.reinforce(reward[step] if isinstance(reward, list) else reward)
        return self

    def setOutputStep(self, step: int) -> Self:
        """Shows the output and gradInput of a step."""
        self.output, self.gradInput = self.outputs[step], self.gradInputs.get(step)
        return self

    def includingSharedClones(self, function: Callable[[], Result]) -> Result:
        """Calls `function` while ``modules`` holds the clones too."""
        modules = self.modules
        self.modules = list({id(module): module for module in [*modules, *self._unlistedModules()]}.values())
        try:
            return function()
        finally:
            self.modules = modules

    def training(self) -> Self:
        self.includingSharedClones(super().training)
        return self

    def evaluate(self) -> Self:
        self.includingSharedClones(super().evaluate)
        return self

    def share(self, mlp: Module, *names: str) -> Self:
        super().share(mlp, *names)
        self.sharedClones = {}  # they share the old ones
        return self.forget()

    def clearState(self) -> Self:
        """Lets go of everything that ``forward`` and ``backward`` left, and returns self. Clones stay, cleared, as in Torch7."""
        self.forget()
        for clone in self.sharedClones.values():
            clone.clearState()
        clear(self, "zeroTensor", "cell")
        return super().clearState()

    # ------------------------------------------------------------------------------------- what kinds of networks differ in

    def _updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        """Returns the gradient of the input of the step before ``updateGradInputStep``. Torch7's authors override it."""
        step = self.updateGradInputStep - 1  # type: ignore[operator]
        return self._backwardStep(self._ran(step), step, input, gradOutput)

    def _accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        """Adds the gradients of the parameters in the step before ``accGradParametersStep``. Torch7's authors override it."""
        step = self.accGradParametersStep - 1  # type: ignore[operator]
        self._accumulateStep(self._ran(step), step, input, gradOutput, scale)

    def _forwardStep(self, module: Module, step: int, input: Any) -> Any:
        """Returns the output of a step's module."""
        return module.updateOutput(input)

    def _keep(self, step: int, output: Any) -> Any:
        """Keeps that and returns the output."""
        self.outputs[step] = output
        return output

    def _backwardStep(self, module: Module, step: int, input: Any, gradOutput: Any) -> Any:
        """The gradient of the input of a step."""
        return module.updateGradInput(input, gradOutput)

    def _accumulateStep(self, module: Module, step: int, input: Any, gradOutput: Any, scale: float) -> None:
        """The gradients of the parameters of a step."""
        module.accGradParameters(input, gradOutput, scale)

    def _trainingModule(self, step: int) -> Module:
        """Returns the module of a step in training."""
        return self.getStepModule(step)

    def _evaluationModule(self, step: int) -> Module:
        """Returns the module of a step in evaluation."""
        return self.recurrentModule

    def _unlistedModules(self) -> list[Module]:
        """Returns modules that are not in ``modules``, but switch to training and evaluation with them."""
        return list(self.sharedClones.values())

    # --------------------------------------------------------------------------------------------------------------------

    def _setStepModule(self, module: Module) -> Self:
        self.modules[0] = module
        self._stepModule = None if self._stepModule is None else module
        self.sharedClones = {}
        return self.forget()

    def _reuseClone(self, step: int) -> None:
        """Assigns a clone that is no longer needed to another step."""
        window = max(self.rho + 1, len(self.sharedClones))
        if step not in self.sharedClones and step - window in self.sharedClones:
            self.sharedClones[step] = self.sharedClones.pop(step - window)
        for name in self._byStep[1:]:
            getattr(self, name).pop(step - window - 1, None)

    def _stepBack(self, last: int | None) -> int:
        step = (self.step if last is None else last) - 1
        if not self.train:
            raise ValueRangeError(f"{self._typename}: backward: call training() before forward; evaluation keeps no steps")
        if step < 0:
            raise ValueRangeError(f"{self._typename}: backward: no step is left; forward went {self.step}")
        return step

    def _hasModule(self, step: int) -> bool:
        return step < self._firstCloned or step in self.sharedClones

    def _ran(self, step: int) -> Module:
        if step not in self.outputs or not self._hasModule(step):
            raise ValueRangeError(
                f"{self._typename}: backward: step {step + 1} is no longer kept; raise rho ({self.rho}) by maxBPTTstep()"
            )
        return self._trainingModule(step)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        for name in self._byStep:
            setattr(self, name, by_step(fields.get(name)))
        for clone in self.sharedClones.values():
            if not isinstance(clone, Object):
                raise FieldError(f"sharedClones: expected modules, got {described(clone)}")

    def _toTorch7(self) -> dict[str, Any]:
        fields = super()._toTorch7() | {name: to_table(getattr(self, name)) for name in self._byStep}
        if "nSharedClone" in fields:
            fields["nSharedClone"] = self.nSharedClone
        return fields


class _InStep(located):
    """An exception that passes says in whose step it was raised; one of shapes also says which step of the sequence that was."""

    __slots__ = ("module",)

    def __init__(self, module: AbstractRecurrent) -> None:
        super().__init__(f"in the step of {module._typename}")
        self.module = module

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        super().__exit__(kind, error, traceback)
        if isinstance(error, ShapeError) and self.module.step:
            error.args = (f"{error.args[0]}; it is step {self.module.step + 1} of a sequence, forget() begins a new one",)
