"""The base class of SeqLSTM and SeqGRU."""

from typing import Any, ClassVar, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Native import Caller
from pytorch_legacy.nn.utils import clear, described
from pytorch_legacy.objects import ArrayField
from pytorch_legacy.rnn.Remembering import Remembering


class SequenceModule(Caller, Remembering):
    """A recurrent layer that takes a whole sequence in one array: one product of matrices for all inputs.

    Attributes
    ----------
    batchfirst : bool
        Set it True for arrays ``N x T x D`` instead of ``T x N x D``.
    maskzero : bool
        Set it True, or call ``maskZero()``, for sequences of different lengths in one array: where the input of a step
        is all zeros, output and state are zero, and the next step begins a new sequence.
    userPrevOutput : array
        If set, the state before the first step of the next ``forward``.
    userGradPrevOutput : array
        The gradient of the state before the first step, after the way back.
    gradPrevOutput : array
        If set, the gradient of the state after the last step, for the next way back.
    """

    _file = Form(
        dropped=("zeroMask", "_zeroMask", "_maskbyte", "_maskindices"),
        private=("_steps", "_mask", "_gradGates", "_gradHidden", "_grad_x"),
        renamed={"_output": "_output", "_when": "_remember"},
        kinds={"_when": "text"},
    )
    batchfirst = False
    maskzero = False
    userPrevOutput: Any = None
    userGradPrevOutput: Any = None
    gradPrevOutput: Any = None
    _output: Any = None
    weight: Tensor
    bias: Tensor
    gradWeight: Tensor
    gradBias: Tensor
    h0: Tensor
    gates: Tensor
    _arrayFields: ClassVar[tuple[ArrayField, ...]] = (
        ArrayField("weight", 2),
        ArrayField("bias", lambda layer: layer.weight.shape[1:]),
    )

    def _makeParameters(self, inputs: int, feedback: int, gates: int, size: int) -> None:
        """The weight with rows for the elements of input and fed-back output, and columns for those of the gates."""
        shape = inputs + feedback, gates * size
        self._newParameters(weight=shape, bias=shape[1])
        self.h0 = self.gates = np.empty(0, self._dtype)
        self.batchfirst = self.maskzero = False

    def _drawParameters(self, size: int, stdv: float) -> None:
        """Normal weights; the second gate starts open, the other biases at 0."""
        self.weight[...] = random.normal(0, stdv, self.weight.shape, self._dtype, self._onDevice)
        self.bias.fill(0)
        self.bias[size : 2 * size] = 1

    def forget(self) -> Self:
        """The next ``forward`` begins with a state of zero; returns self."""
        clear(self, "h0")
        return self

    def resetStates(self) -> Self:
        """Another name of ``forget``, which rnn's and torch-rnn's layers have."""
        return self.forget()

    def maskZero(self) -> Self:
        """Sets ``maskzero`` and returns self."""
        self.maskzero = True
        return self

    def clearState(self) -> Self:
        self.forget()
        for name in ("_output", "_steps", "_mask", "_gradGates", "_grad_x", "userGradPrevOutput", "gradPrevOutput"):
            self.__dict__.pop(name, None)
        clear(self, "gates")
        return super().clearState()

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the parameters that go with the sizes, which a file may have otherwise."""
        return {}

    def _unpacked(self, input: Any, states: int, inputs: int) -> list[Any]:
        """The states that come with the input, None for others, and the input, steps first."""
        given = input if isinstance(input, list) else [input]
        if not 1 <= len(given) <= states + 1:
            raise DtypeError(
                f"{self._typename}: input: expected an array, or a table of states and an array, got {described(input)}"
            )
        for name, shape in self._shapes().items():
            check.shape(self, name, check.tensor(self, name, getattr(self, name)), shape)
        x = check.tensor(self, "input", given[-1], 3)
        if x.shape[2] != inputs:
            check.shape(self, "input", x, (*x.shape[:2], inputs))
        x = x.swapaxes(0, 1) if self.batchfirst else x
        return [*[None] * (states + 1 - len(given)), *given[:-1], np.ascontiguousarray(x, like=x)]

    def _initial(self, name: str, given: Any, user: str, last: Any, shape: tuple[int, ...]) -> Tensor:
        """The state before the first step: what came with the input, what the user set, the last one, or zeros."""
        set = getattr(self, user)
        if given is None and set is None:
            if self._remembers() and getattr(self, name).size and last is not None:
                given = last[-1].copy()
                if given.shape != shape:
                    wanted = f"a batch of {len(given)}, as in the sequence that is remembered"
                    raise ShapeError(f"{self._typename}: input: expected {wanted}, got {shape[0]}; forget() begins a new one")
            else:
                zeros = self._resize(name, shape)
                return blocks.zero(zeros)
        origin = name if set is None else user
        state: Tensor = check.shape(self, origin, check.tensor(self, origin, set if given is None else given), shape)
        setattr(self, user, None)
        setattr(self, name, state)
        return state

    def _rows(self, x: Tensor) -> Tensor | None:
        """Returns a mask of the rows of each step that are masked."""
        if not self.maskzero:
            return None
        zero: Tensor = ~x.any(2)  # type: ignore[assignment]
        return zero

    # Products of all steps at once are libTHNN's: NumPy's BLAS has threads of its own, which look for work for some milliseconds
    # afterwards, and would compete with those that run the steps. The weight is that of an nn.Linear from gates to inputs.

    def _fromInputs(self, x: Tensor, gates: Tensor) -> None:
        """Sets what inputs give to the gates."""
        self._call("Linear_updateGradInput", flat(gates), flat(x), flat(gates), self.weight[: x.shape[2]])

    def _toInputs(self, gradGates: Tensor, gradX: Tensor) -> None:
        """Sets the gradient of the inputs."""
        self._call("Linear_updateOutput", flat(gradGates), flat(gradX), self.weight[: gradX.shape[2]], None)

    def _addGradients(self, values: Tensor, gates: Tensor, first: int, scale: float) -> None:
        """Adds to the gradients of the weight's rows from `first` on."""
        rows = self.gradWeight[first : first + values.shape[2]]
        self._call("Linear_accGradParameters", flat(gates), flat(values), rows, None, scale)

    def _turned(self, array: Tensor) -> Tensor:
        """As the user sees an array with the steps first."""
        return array.swapaxes(0, 1) if self.batchfirst else array

    def _gradients(self, gradOutput: Any) -> Tensor:
        """The gradient of the output, steps first."""
        if self._output is None:
            raise ValueRangeError(f"{self._typename}: backward: call forward first")
        return self._turned(check.like(self, "gradOutput", gradOutput, self.output))


def flat(array: Tensor) -> Tensor:
    """A row for each step of each sample."""
    return array.reshape(-1, array.shape[-1])


def sigmoid(array: Tensor) -> None:
    """In place; by the hyperbolic tangent, which does not overflow."""
    array *= 0.5
    compute.tanh(array, out=array)
    array += 1
    array *= 0.5


def product(one: Tensor, other: Tensor) -> Tensor:
    """The sum over all steps and samples of ``one.T @ other``."""
    result: Tensor = compute.matmul(one.reshape(-1, one.shape[-1]).T, other.reshape(-1, other.shape[-1]))
    return result
