"""The base class of the recurrent layers of torch-rnn."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import DtypeError, ShapeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Native import Caller
from pytorch_legacy.nn.utils import clear, described
from pytorch_legacy.objects import ArrayField


class SequenceLayer(Caller, Module):
    """Runs a recurrent step over sequences.

    A layer says how many vectors of ``hidden_dim`` the weight makes of a step (`_vectors`) and which states go from
    step to step (`_states`, with the buffers that hold them for all steps), and overrides `_run` and `_runBack`.

    Attributes
    ----------
    weight : array of (input_dim + hidden_dim) x (vectors * hidden_dim)
        The rows for the input above those for the hidden state.
    remember_states : bool
        Whether a pass begins with the states at the end of the last one. If not, or after ``resetStates``, with zeros.
    """

    _vectors = 1
    _states: dict[str, str] = {"h0": "output"}

    weight: Tensor
    bias: Tensor
    gradWeight: Tensor
    gradBias: Tensor
    gates: Tensor
    _arrayFields = (ArrayField("weight", 2), ArrayField("bias", lambda layer: layer.weight.shape[1:]))
    h0: Tensor
    _gradSums: Tensor

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input_dim = check.count(self, "input_dim", input_dim)
        self.hidden_dim = check.count(self, "hidden_dim", hidden_dim)
        columns = self._vectors * hidden_dim
        self._newParameters(weight=(input_dim + hidden_dim, columns), bias=columns)
        self.remember_states = False
        self.recompute_backward = True
        self.resetStates()
        self.reset()

    def reset(self, std: float | None = None) -> Self:
        """Draws a new weight, normal with standard deviation `std`, by default 1 / sqrt(input_dim + hidden_dim)."""
        stdv = (self.hidden_dim + self.input_dim) ** -0.5 if std is None else std
        self.weight[...] = random.normal(0, stdv, self.weight.shape, self._dtype, self._onDevice)
        self.bias.fill(0)
        return self

    def resetStates(self) -> Self:
        """Forgets the states: the next pass begins with zeros."""
        for name in self._states:
            setattr(self, name, np.empty(0, self._dtype))
        return self

    def updateOutput(self, input: Any) -> Tensor:
        given, x = self._unpacked(input)
        states = {name: given[name] if name in given else self._initial(name, x.shape[0]) for name in self._states}
        N, T, _ = x.shape
        self.recompute_backward = True
        for buffer in self._states.values():
            self._resize(buffer, (N, T, self.hidden_dim))
        sums = self._resize("gates", (N, T, self.weight.shape[1]))
        flat = sums.reshape(N * T, self.weight.shape[1])
        self._call("Linear_updateGradInput", flat, x.reshape(N * T, self.input_dim), flat, self.weight[: self.input_dim])
        self._run(sums, self.weight[self.input_dim :], states)
        output: Tensor = self.output
        return output

    def updateGradInput(self, input: Any, gradOutput: Tensor) -> Any:
        self._backThroughTime(input, gradOutput)
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Tensor, scale: float = 1.0) -> None:
        if self.recompute_backward:
            self._backThroughTime(input, gradOutput)
        given, x = self._unpacked(input)
        gradSums = self._gradSums.reshape(-1, self.weight.shape[1])
        before = np.concatenate((given.get("h0", self.h0)[:, None], self.output[:, :-1]), axis=1)[:, : x.shape[1]]
        self.gradWeight[: self.input_dim] += scale * compute.matmul(x.reshape(-1, self.input_dim).T, gradSums)
        self.gradWeight[self.input_dim :] += scale * compute.matmul(before.reshape(-1, self.hidden_dim).T, gradSums)
        self.gradBias += scale * compute.sum(gradSums, 0)

    def clearState(self) -> Self:
        self.resetStates()
        self._gradSums = np.empty(0, self._dtype)
        clear(self, "gates", *self._states.values())
        return super().clearState()

    def _run(self, sums: Tensor, weight: Tensor, states: dict[str, Tensor]) -> None:
        """Fills the buffers of the states, step by step, from the sums over the input, the bias and the initial states."""
        raise NotImplementedError

    def _runBack(self, gradOutput: Tensor, weight: Tensor, states: dict[str, Tensor], gradSums: Tensor) -> dict[str, Tensor]:
        """Fills `gradSums`, from the last step to the first, and returns the gradients of the initial states."""
        raise NotImplementedError

    def _backThroughTime(self, input: Any, gradOutput: Tensor) -> None:
        given, x = self._unpacked(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), (*x.shape[:2], self.hidden_dim))
        gradSums = self._resize("_gradSums", (*x.shape[:2], self.weight.shape[1]))
        states = {name: given.get(name, getattr(self, name)) for name in self._states}
        gradients = self._runBack(gradOutput, self.weight[self.input_dim :], states, gradSums)
        gradX = self._resize("grad_x", x.shape)
        flat = gradSums.reshape(-1, self.weight.shape[1])
        compute.matmul(flat, self.weight[: self.input_dim].T, out=gradX.reshape(-1, self.input_dim))
        self.gradInput = [*(gradients[name] for name in given), gradX] if given else gradX
        self.recompute_backward = False

    def _unpacked(self, input: Any) -> tuple[dict[str, Tensor], Tensor]:
        """The initial states in the input, if any, and the sequences."""
        most = len(self._states) + 1
        table = input if isinstance(input, (list, tuple)) else [input]
        if not 1 <= len(table) <= most:
            wanted = ", ".join([*self._states, "x"])
            raise DtypeError(f"{self._typename}: input: expected x or the last of [{wanted}], got {described(input)}")
        columns = self._vectors * self.hidden_dim
        for name, shape in (("weight", (self.input_dim + self.hidden_dim, columns)), ("bias", (columns,))):
            check.shape(self, name, check.tensor(self, name, getattr(self, name)), shape)
        x = check.tensor(self, "x", table[-1], 3)
        check.shape(self, "x", x, (*x.shape[:2], self.input_dim))
        given = dict(zip([*self._states][most - len(table) :], table[:-1], strict=True))
        for name, state in given.items():
            check.shape(self, name, check.tensor(self, name, state), (x.shape[0], self.hidden_dim))
        return given, x

    def _initial(self, name: str, batch: int) -> Tensor:
        """The state before the first step, kept in the field of that name: that after the last pass, or zero."""
        kept, last = getattr(self, name), getattr(self, self._states[name], np.empty(0))
        shape = (batch, self.hidden_dim)
        if self.remember_states and kept.size and last.size:
            if last.shape[0] != batch:
                raise ShapeError(f"{self._typename}: x: expected a batch of {last.shape[0]} as in the last pass, got {batch}")
            self._resize(name, shape)[...] = last[:, -1]
        else:
            self._resize(name, shape).fill(0)
        state: Tensor = getattr(self, name)
        return state

    def __repr__(self) -> str:
        return f"{self._typename}({self.input_dim} -> {self.hidden_dim})"
