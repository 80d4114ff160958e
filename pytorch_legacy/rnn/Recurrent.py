"""The simple recurrent network."""

from collections.abc import Sequence
from typing import Any, NoReturn

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, UnsupportedError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described
from pytorch_legacy.rnn.HiddenState import HiddenState


class Recurrent(HiddenState):
    """A transfer function of what the input and the last output give::

        output(0) = transfer(start(input(input(0))))
        output(t) = transfer(merge([input(input(t)), feedback(output(t-1))]))         t > 0

    Parameters
    ----------
    start : int, sequence of int or Module
        Module used in the first step instead of feedback; sizes mean an nn.Add of that many elements.
    input, feedback : Module
    transfer : Module
        nn.Sigmoid if it is not given.
    rho : int
        Steps to keep for the way back; an nn.Sequencer sets it.
    merge : Module
        nn.CAddTable if it is not given.

    Attributes
    ----------
    startModule, inputModule, feedbackModule, transferModule, mergeModule : Module
    initialModule, recurrentModule : Module
        Modules that run in the first step and in the others.

    Notes
    -----
    Source: Element-Research rnn ``Recurrent``; Mikolov et al., "Recurrent neural network based language model" (2010).

    Examples
    --------
    >>> layer = rnn.Recurrent(nn.Identity(), nn.Identity(), nn.MulConstant(0.5), nn.Identity())
    >>> [layer.forward(np.float32([[8]])).item() for _ in range(3)]  # 8 + half of the last output
    [8.0, 12.0, 14.0]
    """

    _file = Form(
        defaults={"_stepModule": lambda fields: fields["recurrentModule"]},
        kinds={f"{name}Module": "a module" for name in ("start", "input", "feedback", "transfer", "merge", "initial")},
    )

    _firstCloned = 1

    def __init__(
        self,
        start: int | Sequence[int] | Module,
        input: Module,
        feedback: Module,
        transfer: Module | None = None,
        rho: int = 99999,
        merge: Module | None = None,
    ) -> None:
        super().__init__(rho)
        if not isinstance(start, Module):
            sizes = check.integers(self, "start", start)
            if len(sizes) != 1:
                raise DtypeError(f"{self._typename}: start: expected a module or one size, got {described(list(sizes))}")
            start = nn.Add(sizes[0])
        self.startModule = start
        self.inputModule = input
        self.feedbackModule = feedback
        self.transferModule = nn.Sigmoid() if transfer is None else transfer
        self.mergeModule = nn.CAddTable() if merge is None else merge
        self.modules = [start, input, feedback, self.transferModule, self.mergeModule]
        self.initialModule = nn.Sequential().add(input.sharedClone()).add(start).add(self.transferModule.sharedClone())
        self._dtype = input._dtype
        both = nn.ParallelTable().add(input).add(feedback)
        self.recurrentModule = nn.Sequential().add(both).add(self.mergeModule).add(self.transferModule)

    def maskZero(self, nInputDim: int) -> NoReturn:
        """Raises UnsupportedError: the first step has another module. nn.Recurrence can be masked."""
        raise UnsupportedError(f"{self._typename}: maskZero: the first step has another module; use nn.Recurrence instead")

    trimZero = maskZero

    def _trainingModule(self, step: int) -> Module:
        return self.getStepModule(step) if step else self.initialModule

    def _evaluationModule(self, step: int) -> Module:
        return self.recurrentModule if step else self.initialModule

    def _unlistedModules(self) -> list[Module]:
        return [self.initialModule, *super()._unlistedModules()]

    def _forwardStep(self, module: Module, step: int, input: Any) -> Any:
        return super()._forwardStep(module, step, input) if step else module.updateOutput(input)

    def _backwardStep(self, module: Module, step: int, input: Any, gradOutput: Any) -> Any:
        if step:
            return super()._backwardStep(module, step, input, gradOutput)
        self._total(step, gradOutput)
        return module.updateGradInput(input, self._gradOutputs[step])

    def _accumulateStep(self, module: Module, step: int, input: Any, gradOutput: Any, scale: float) -> None:
        if step:
            super()._accumulateStep(module, step, input, gradOutput, scale)
        else:
            module.accGradParameters(input, self._gradOutputs[step], scale)

    def __repr__(self) -> str:
        def indented(module: Module, by: str) -> str:
            return repr(module).replace("\n", "\n" + by)

        return "\n".join(
            [
                f"{self._typename} {{",
                "  [{input(t), output(t-1)} -> (1) -> (2) -> (3) -> output(t)]",
                "  (1):  {",
                "    input(t)",
                f"      |`-> (t==0): {indented(self.startModule, '    |    ')}",
                f"      |`-> (t~=0): {indented(self.inputModule, '    |    ')}",
                "    output(t-1)",
                f"      |`-> {indented(self.feedbackModule, '      |    ')}",
                "  }",
                f"  (2): {indented(self.mergeModule, '  ')}",
                f"  (3): {indented(self.transferModule, '  ')}",
                "}",
            ]
        )
