"""Two recurrent networks, one in each direction, that do not see the step itself."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.dpnn.ReverseTable import ReverseTable
from pytorch_legacy.errors import FieldError, ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described, recursiveAdd, recursiveCopy, recursiveFill, recursiveResizeAs
from pytorch_legacy.rnn.BiSequencer import sequencers
from pytorch_legacy.rnn.Sequencer import Sequencer


class BiSequencerLM(Container):
    """As an nn.BiSequencer, but each output depends on the steps before and after its own only::

        output[t] = merge([forward(input)[t-1], reverse(backward(reverse(input)))[t+1]])

    with zeros where there is no such step. A language model may so look at both sides of the word that it is to guess.

    Parameters
    ----------
    forward, backward, merge
        As in `BiSequencer`.

    Raises
    ------
    ShapeError
        If there are fewer than two steps.

    Notes
    -----
    Shapes: a list of steps to a list of as many. Source: Element-Research rnn ``BiSequencerLM``.

    Examples
    --------
    >>> layer = rnn.BiSequencerLM(rnn.Recurrence(nn.CAddTable(), 1, 1))  # sums of what stands before, and behind
    >>> output = layer.forward([np.float32([[1]]), np.float32([[10]]), np.float32([[100]])])
    >>> [step.tolist() for step in output]
    [[[0.0, 110.0]], [[1.0, 100.0]], [[11.0, 0.0]]]
    """

    _file = Form(properties=("_fwd", "_bwd", "_merge"), private=("_merged",))
    _fwd = property(lambda self: self.modules[0])
    _bwd = property(lambda self: self.modules[1])
    _merge = property(lambda self: self.modules[2])

    forwardModule: Module
    backwardModule: Module
    mergeModule: Module
    fwdSeq: Sequencer
    bwdSeq: Sequencer
    mergeSeq: Sequencer

    def __init__(self, forward: Module, backward: Module | None = None, merge: Module | int = 1) -> None:
        super().__init__()
        sequencers(self, forward, backward, merge)
        against = nn.Sequential().add(ReverseTable()).add(self.bwdSeq).add(ReverseTable())
        self.modules = [self.fwdSeq, against, nn.Sequential().add(nn.ZipTable()).add(self.mergeSeq)]
        self.output, self.gradInput = [], []

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        if len(self.modules) != 3:
            raise FieldError(f"modules: expected 3, got {len(self.modules)}")

    def updateOutput(self, input: list[Any]) -> list[Any]:
        if len(check.table(self, "input", input)) < 2:
            raise ShapeError(f"{self._typename}: input: expected two or more steps, got {described(input)}")
        halves = [input[:-1], input[1:]]
        ahead, against = self._forEachChild(lambda i, module: module.updateOutput(halves[i]) if i < 2 else None)[:2]
        self._merged = [[_zero(ahead[0]), *ahead], [*against, _zero(against[-1])]]
        self.output = self._forEachChild(lambda i, module: module.updateOutput(self._merged) if i == 2 else None)[2]
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: list[Any]) -> list[Any]:
        ahead, against = self._forEachChild(self._backward(input, gradOutput, "updateGradInput"), reverse=True)[:2]
        self.gradInput = [recursiveCopy(None, gradient) for gradient in [*ahead, against[-1]]]
        for total, gradient in zip(self.gradInput[1:-1], against[:-1], strict=True):
            recursiveAdd(total, gradient)
        return self.gradInput

    def accGradParameters(self, input: list[Any], gradOutput: list[Any], scale: float = 1.0) -> None:
        self._forEachChild(self._backward(input, gradOutput, "accGradParameters", scale), reverse=True)

    def accUpdateGradParameters(self, input: list[Any], gradOutput: list[Any], lr: float) -> None:
        self._forEachChild(self._backward(input, gradOutput, "accUpdateGradParameters", lr), reverse=True)

    def _backward(self, input: list[Any], gradOutput: list[Any], method: str, *factor: float) -> Any:
        """Calls a method of the merger, and then of both networks with the gradients that it found."""

        def call(i: int, module: Module) -> Any:
            if i == 2:
                return getattr(module, method)(self._merged, gradOutput, *factor)
            ahead, against = self.modules[2].gradInput
            arguments = (input[:-1], ahead[1:]) if i == 0 else (input[1:], against[:-1])
            return getattr(module, method)(*arguments, *factor)

        return call

    def __repr__(self) -> str:
        names = ("(  fwd  )", "(  bwd  )", "( merge )")
        lines = [f"  {name}: {module!r}".replace("\n", "\n    |    ") for name, module in zip(names, self.modules, strict=True)]
        return "\n".join([f"{self._typename} {{", *lines, "}"])


def _zero(example: Any) -> Any:
    zeros = recursiveResizeAs(None, example)
    recursiveFill(zeros, 0)
    return zeros
