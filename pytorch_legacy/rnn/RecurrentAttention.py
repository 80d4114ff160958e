"""A recurrent network that chooses where to look."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import recursiveAdd, recursiveCopy, recursiveFill, recursiveResizeAs
from pytorch_legacy.rnn.AbstractSequencer import AbstractSequencer
from pytorch_legacy.rnn.Recursor import recurrent
from pytorch_legacy.rnn.steps import at_step


class RecurrentAttention(AbstractSequencer):
    """Shows the same input to a recurrent network at each step, together with an action that its last output led to::

        action(t) = action(hidden(t-1))                       of zeros for t = 0
        hidden(t) = rnn([input, action(t)])

    Parameters
    ----------
    rnn : Module
        From [input, action] to a hidden array.
    action : Module
        From a hidden array to an action, drawn at random as a rule: nn.ReinforceNormal at its end.
    nStep : int
        The number of steps.
    hiddenSize : int or sequence of int
        The sizes of a hidden array, without the batch.

    Attributes
    ----------
    forwardActions : bool
        Set it True to get ``[hidden, action]`` at each step, and to give gradients for both.
    actions : list
        The actions of the last ``forward``.

    Notes
    -----
    Shapes: ``N x ...`` to a list of nStep arrays ``N x hiddenSize``. As in Torch7, an action gets no gradient from the
    network that sees it, for it is to learn from a reward.
    Source: Element-Research rnn ``RecurrentAttention``; Mnih et al., "Recurrent Models of Visual Attention" (2014).

    Examples
    --------
    >>> cell = nn.Sequential(nn.CAddTable(), nn.AddConstant(1.0))  # input + action + 1
    >>> layer = rnn.RecurrentAttention(rnn.Recursor(cell), nn.MulConstant(0.5), 3, 1)
    >>> output = layer.forward(np.float32([[10]]))
    >>> [step.item() for step in output], [action.item() for action in layer.actions]
    ([11.0, 16.5, 19.25], [0.0, 5.5, 8.25])
    """

    _file = Form(
        dropped=("_initInput", "_gradAction"),
        private=("_hidden",),
        properties=("rnn", "action"),
        kinds={"nStep": "a whole number", "hiddenSize": "a list of numbers"},
    )
    forwardActions = False

    def __init__(self, rnn: Module, action: Module, nStep: int, hiddenSize: int | Sequence[int]) -> None:
        super().__init__()
        self.nStep = check.count(self, "nStep", nStep)
        self.hiddenSize = list(check.integers(self, "hiddenSize", hiddenSize))
        self.modules = [recurrent(rnn), recurrent(action)]
        self._dtype = rnn._dtype
        self.forwardActions = False
        self.output = []
        self.actions: list[Any] = []
        self.gradHidden: list[Any] = []

    @property
    def rnn(self) -> Module:
        return self.modules[0]

    @property
    def action(self) -> Module:
        return self.modules[1]

    def updateOutput(self, input: Any) -> list[Any]:
        check.tensor(self, "input", input)
        self.maxBPTTstep(self.nStep)
        self.forget()
        hidden: Any = np.zeros((len(input), *self.hiddenSize), self._dtype, like=input)
        self._hidden, self.actions = [hidden], []
        for t in range(self.nStep):
            with at_step(t, self):
                self.actions.append(self.action.updateOutput(self._hidden[t]))
                self._hidden.append(self.rnn.updateOutput([input, self.actions[t]]))
        hiddens = self._hidden[1:]
        self.output = [list(pair) for pair in zip(hiddens, self.actions, strict=True)] if self.forwardActions else hiddens
        return self.output

    def updateGradInput(self, input: Any, gradOutput: list[Any]) -> Any:
        check.like(self, "gradOutput", gradOutput, self.output)
        self._rewind()
        self.gradHidden = [None] * self.nStep
        later: Any = None
        for t in reversed(range(self.nStep)):
            with at_step(t, self):
                total = self.gradHidden[t] = recursiveCopy(None, gradOutput[t][0] if self.forwardActions else gradOutput[t])
                if later is not None:
                    recursiveAdd(total, later)
                later = self.action.updateGradInput(self._hidden[t], self._gradAction(t, gradOutput))
                gradient = self.rnn.updateGradInput([input, self.actions[t]], total)[0]
            if t == self.nStep - 1:
                self.gradInput = recursiveCopy(self.gradInput, gradient)
            else:
                recursiveAdd(self.gradInput, gradient)
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: list[Any], scale: float = 1.0) -> None:
        self._rewind()
        for t in reversed(range(self.nStep)):
            with at_step(t, self):
                self.action.accGradParameters(self._hidden[t], self._gradAction(t, gradOutput), scale)
                self.rnn.accGradParameters([input, self.actions[t]], self.gradHidden[t], scale)

    def _gradAction(self, t: int, gradOutput: list[Any]) -> Any:
        """The gradient of the action of a step: zeros, which layers that learn from a reward do not look at."""
        if self.forwardActions:
            return gradOutput[t][1]
        zeros = recursiveResizeAs(None, self.actions[t])
        recursiveFill(zeros, 0)
        return zeros

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        self.modules = [recurrent(module) for module in self.modules]  # as those of 2015 were not
        self.hiddenSize = [int(size) for size in self.hiddenSize]

    def __repr__(self) -> str:
        action, rnn = (repr(module).replace("\n", "\n    |    ") for module in (self.action, self.rnn))
        return f"{self._typename} {{\n  action : {action}\n  rnn     : {rnn}\n}}"
