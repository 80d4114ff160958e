"""The base of recurrent modules that hand a state from step to step."""

from typing import Any, Self

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.regularization.Dropout import Dropout
from pytorch_legacy.nn.utils import recursiveAdd, recursiveCopy, recursiveFill, recursiveResizeAs
from pytorch_legacy.rnn.AbstractRecurrent import AbstractRecurrent


class HiddenState(AbstractRecurrent):
    """Each step gets, beside its input, the state that the step before left::

        state(t) = recurrentModule([input(t), *state(t-1)])        output(t) = state(t)[0]

    The state before the first step is zero, unless it is set.

    Attributes
    ----------
    userPrevOutput
        If set, the state before the first step of every sequence (`LSTM` has ``userPrevCell`` too). After the way back
        ``userGradPrevOutput`` (and ``userGradPrevCell``) holds its gradient.

    Notes
    -----
    With lazy dropout (``p > 0``) all steps of a sequence get the same noise. In Torch7 they did so in the first one only.
    """

    # The fields that hold the states of all steps and their gradients, and the user's.
    _states: tuple[tuple[str, str, str, str], ...] = (("outputs", "gradOutputs", "userPrevOutput", "userGradPrevOutput"),)
    userPrevOutput: Any = None
    userGradPrevOutput: Any = None

    def getHiddenState(self, step: int | None = None, input: Any = None) -> Any:
        """The state after a step, -1 for that before the first one; the last one if no step is given.

        It is a list [output, cell] for an LSTM and the output for others. The zeros before the first step have the shape
        that `input` asks for.
        """
        return self._single(self._state(self.step - 1 if step is None else step, input))

    def setHiddenState(self, step: int | None, hiddenState: Any) -> Self:
        """Sets the state after a step, -1 for that before the first one, which holds until ``forget()``."""
        step = self.step - 1 if step is None else step
        for names, value in zip(self._states, self._several(hiddenState), strict=True):
            getattr(self, names[0])[step] = value
        return self

    def getGradHiddenState(self, step: int | None = None) -> Any:
        """The gradient of the state after a step, as far as it comes from later steps; None if it is not known.

        Without a step that which the last ``updateGradInput`` found.
        """
        if step is None:
            step = (self.step if self.updateGradInputStep is None else self.updateGradInputStep) - 1
        return self._single([getattr(self, names[1]).get(step) for names in self._states])

    def setGradHiddenState(self, step: int | None, gradHiddenState: Any) -> Self:
        """Sets such a gradient before the way back, that of the last step if none is given."""
        step = self.step - 1 if step is None else step
        for names, value in zip(self._states, self._several(gradHiddenState), strict=True):
            getattr(self, names[1])[step] = value
        return self

    def clearState(self) -> Self:
        for _, _, *user in self._states:
            for name in user:
                self.__dict__.pop(name, None)
        return super().clearState()

    def _zeroState(self, input: Any) -> list[Any]:
        """The state before the first step, in the shape that an input asks for; without one in that of the last forward pass,
        which an author may have replaced."""
        raise NotImplementedError

    def _forwardStep(self, module: Module, step: int, input: Any) -> Any:
        if step and self.train and getattr(self, "p", 0):
            self._handOverNoise(module, step)
        return module.updateOutput([input, *self._state(step - 1, input)])

    def _keep(self, step: int, output: Any) -> Any:
        values = self._several(output)
        for names, value in zip(self._states, values, strict=True):
            kept = getattr(self, names[0])
            if not self.train:
                kept.clear()
            kept[step] = value
        return values[0]

    def _backwardStep(self, module: Module, step: int, input: Any, gradOutput: Any) -> Any:
        self._total(step, gradOutput)
        state = self._state(step - 1, None)
        gradients = module.updateGradInput([input, *state], self._single(self._gradients(step)))
        for names, value in zip(self._states, gradients[1:], strict=True):
            getattr(self, names[1])[step - 1] = value
            if step == 0 and getattr(self, names[2]) is not None:
                setattr(self, names[3], value)
        return gradients[0]

    def _accumulateStep(self, module: Module, step: int, input: Any, gradOutput: Any, scale: float) -> None:
        module.accGradParameters([input, *self._state(step - 1, None)], self._single(self._gradients(step)), scale)

    def _total(self, step: int, gradOutput: Any) -> None:
        """The gradient of an output: what comes from outside and from the next step."""
        self._gradOutputs[step] = recursiveCopy(self._gradOutputs.get(step), gradOutput)
        if self.gradOutputs.get(step) is not None:
            recursiveAdd(self._gradOutputs[step], self.gradOutputs[step])

    def _gradients(self, step: int) -> list[Any]:
        """The gradients of all that the module of a step gave."""
        found = [self._gradOutputs[step]]
        for states, gradients, *_ in self._states[1:]:
            kept = getattr(self, gradients)
            if step not in kept:  # the last step
                kept[step] = recursiveResizeAs(None, getattr(self, states)[step])
                recursiveFill(kept[step], 0)
            found.append(kept[step])
        return found

    def _state(self, step: int, input: Any) -> list[Any]:
        if step not in self.outputs:
            if step != -1:
                raise ValueRangeError(f"{self._typename}: the state after step {step + 1} is not kept")
            zeros = None
            state = []
            for i, names in enumerate(self._states):
                value = getattr(self, names[2])
                if value is None:
                    zeros = zeros or self._zeroState(input)
                    value = zeros[i]
                state.append(value)
            return state
        return [getattr(self, names[0])[step] for names in self._states]

    def _single(self, values: list[Any]) -> Any:
        return values[0] if len(values) == 1 else values

    def _several(self, value: Any) -> list[Any]:
        return [value] if len(self._states) == 1 else check.table(self, "state", value, len(self._states))

    def _handOverNoise(self, module: Module, step: int) -> None:
        """The lazy dropouts of a step take the noise of the step before."""
        before = self.sharedClones[step - 1].listModules()
        for ours, theirs in zip(module.listModules(), before, strict=True):
            if isinstance(ours, Dropout) and isinstance(theirs, Dropout) and ours.lazy:
                ours.noise, ours.flag = theirs.noise, theirs.flag
