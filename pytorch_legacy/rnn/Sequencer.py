"""A module applied to each step of a sequence."""

from typing import Any

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import BusyError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.AbstractRecurrent import AbstractRecurrent
from pytorch_legacy.rnn.AbstractSequencer import AbstractSequencer
from pytorch_legacy.rnn.of_rows import layer_of_rows, rows
from pytorch_legacy.rnn.Recursor import recurrent
from pytorch_legacy.rnn.steps import at_step, joined, sequence


class Sequencer(AbstractSequencer):
    """Applies a module to each step of a sequence, in order, and goes back through all of them::

        output[t] = module(input[t])

    Parameters
    ----------
    module : Module
        A recurrent one hands its state from step to step; any other one is put into an nn.Recursor.

    Attributes
    ----------
    module : AbstractRecurrent
        The recurrent module, which is ``modules[0]``.

    Notes
    -----
    Shapes: a list of steps to a list of as many, or an array ``T x N x ...`` to an array ``T x N x ...``. Sequences of
    one call have the same length, which may change from call to call. Each call begins with a state of zero unless
    ``remember()`` was called: then it goes on where the last one ended, and ``forget()`` makes it begin anew.
    A module that looks at each row of a step alone, such as nn.Linear, gets the rows of all steps of an array at once. What
    single steps gave is not kept then.
    Source: Element-Research rnn ``Sequencer``.

    Examples
    --------
    >>> net = rnn.Sequencer(rnn.Recurrence(nn.CAddTable(), 1, 1))  # output(t) = input(t) + output(t-1)
    >>> x = np.float32([1, 10, 100]).reshape(3, 1, 1)
    >>> net.forward(x).ravel()
    array([  1.,  11., 111.], dtype=float32)
    >>> net.backward(x, np.ones((3, 1, 1), np.float32)).ravel()  # the first step counts in three outputs
    array([3., 2., 1.], dtype=float32)
    """

    _lua = Lua(renewed=("output", "gradInput"))
    _file = Form(
        properties=("module",),
        renamed={"_when": "_remember"},
        defaults={"modules": lambda fields: [fields["module"]] if "module" in fields else []},
        kinds={"module": "a module", "_when": "text"},
        scratch=dict.fromkeys(("_output", "tableoutput", "tablegradInput", "tablegradinput"), lambda module: {}),
    )

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.modules.append(recurrent(module))
        self._dtype = module._dtype
        self.output, self.gradInput = [], []

    @property
    def module(self) -> AbstractRecurrent:
        module = self.modules[0]
        assert isinstance(module, AbstractRecurrent)
        return module

    def updateOutput(self, input: Any) -> Any:
        steps = sequence(self, "input", input)
        self.module.maxBPTTstep(len(steps))
        if not self._remembers():
            self.module.forget()
        layer = layer_of_rows(self.module, input)
        if layer is not None and self._allAtOnce(layer, input):
            return self.output
        outputs = []
        for t in range(len(steps)):
            with at_step(t, self):
                outputs.append(self.module.updateOutput(steps[t]))
        if self.train or not isinstance(self.output, list) or is_tensor(input):
            self.output = joined(self, "output", outputs, input)
        else:
            self.output[:] = outputs  # evaluation has one table for good, as in Torch7
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        check.like(self, "gradOutput", gradOutput, self.output)
        if self._wentAtOnce():
            gradInput = self.module.recurrentModule.updateGradInput(rows(input), rows(gradOutput))
            gradients = self._inSteps("gradInput", gradInput, gradOutput)
            self.gradInput = gradients if is_tensor(input) else [*gradients]
            return self.gradInput
        self._rewind()
        ofSteps: list[Any] = [None] * len(sequence(self, "input", input))
        for t in reversed(range(len(ofSteps))):
            with at_step(t, self):
                ofSteps[t] = self.module.updateGradInput(input[t], gradOutput[t])
        self.gradInput = joined(self, "gradInput", ofSteps, input)
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        if self._wentAtOnce():
            self.module.recurrentModule.accGradParameters(rows(input), rows(gradOutput), scale)
            return
        self._rewind()
        for t in reversed(range(len(sequence(self, "input", input)))):
            with at_step(t, self):
                self.module.accGradParameters(input[t], gradOutput[t], scale)

    def _allAtOnce(self, layer: Any, input: Tensor) -> bool:
        """Applies the layer to the rows of all steps. If it finds something wrong, step by step it will say where."""
        try:
            output = layer.updateOutput(rows(input))
        except BusyError:
            raise
        except Exception:
            return False
        self.output = self._inSteps("output", output, input)
        self.module.outputs.clear()  # the outputs of steps
        self.module.output = self.output[-1]
        self.module.step += len(input)
        return True

    def _wentAtOnce(self) -> bool:
        """Returns True if the last call ran all steps at once in training. Then no output of a step is stored."""
        return self.module.train and self.module.step > 0 and not self.module.outputs

    def _inSteps(self, name: str, values: Tensor, steps: Tensor) -> Tensor:
        """Rows as steps again, in a buffer of the sequencer's: another one may apply the same layer, which has only one."""
        buffer: Tensor = self._resize(name, (*steps.shape[:2], *values.shape[1:]), values.dtype)
        blocks.copy(buffer.reshape(values.shape), values)
        return buffer

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        self.modules = [recurrent(module) for module in self.modules]  # as those of 2015 were not

    def __repr__(self) -> str:
        return f"{self._typename} @ {self.modules[0]!r}"
