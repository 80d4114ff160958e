"""Recurrent networks of several layers, in one or both directions, with all parameters in one vector."""

from functools import partial
from math import sqrt
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor, buffer, overlap
from pytorch_legacy.backend import compute
from pytorch_legacy.backend.prepared import Bindings
from pytorch_legacy.cudnn.cells import CELLS, States
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.errors import NullError, ShapeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Native import Caller
from pytorch_legacy.nn.utils import clear

ONE, BOTH = "CUDNN_UNIDIRECTIONAL", "CUDNN_BIDIRECTIONAL"
LINEAR, SKIP = "CUDNN_LINEAR_INPUT", "CUDNN_SKIP_INPUT"


class Run(NamedTuple):
    """The results of one network for a sequence, in the order in which it read the sequence."""

    x: Tensor
    first: Tensor  # the state before the first step
    outputs: Tensor
    last: States
    kept: Any


def flat(array: Tensor) -> Tensor:
    """A row for each step of each sample."""
    return array.reshape(-1, array.shape[-1])


def turned(array: Tensor, direction: int) -> Tensor:
    """The steps in the order of that direction: 1 reads from the end."""
    return np.ascontiguousarray(array[::-1], like=array) if direction else array


class RNN(Layer, Caller, Module):
    """Runs a sequence through layers of recurrent cells.

    .. math:: h_t = f(W x_t + b_W + R h_{t-1} + b_R)

    with f the positive part here, or the hyperbolic tangent, or the gates of an LSTM or a GRU in the classes of these names.
    The outputs of a layer are the inputs of the next one. With both directions a second network reads each layer's input
    from the end; its outputs lie behind the first one's.

    Parameters
    ----------
    inputSize, hiddenSize : int
        Number of features of a step, and of a cell's state.
    numLayers : int
    batchFirst : bool
        Whether the first dimension of input and output is the batch, rather than time.
    dropout : float
        Probability that a feature between two layers is dropped in training; the others are divided by 1 - dropout.
    rememberStates : bool
        Whether a sequence goes on where the last one ended: the states become hiddenInput and cellInput.

    Attributes
    ----------
    weight, gradWeight : vector
        All parameters as cuDNN lays them out: for each layer and direction the matrices W of all gates, then R; after all
        of these, for each layer and direction, the biases b_W, then b_R. ``weights()`` and ``biases()`` are views of it.
    hiddenInput, cellInput : array of (numLayers * numDirections) x N x hiddenSize, or None
        States before the first step; zero if None.
    hiddenOutput, cellOutput : array of the same shape
        States after the last step.
    gradHiddenOutput, gradCellOutput : array of the same shape, or None
        Gradients of these, for ``backward``.
    gradHiddenInput, gradCellInput : array of the same shape
        Gradients of the states before the first step, computed by ``backward``.
    mode, bidirectional : str
        cuDNN's names of cell and directions.
    inputMode : {"CUDNN_LINEAR_INPUT", "CUDNN_SKIP_INPUT"}
        With the second, the first layer has no matrices W: the input is added to the sums of each gate as it is. Then
        inputSize equals hiddenSize. Call ``reset()`` after a change.

    Raises
    ------
    ShapeError
        If the input is not 3-D with inputSize features, a state has another shape, or the vector another length.
    ValueRangeError
        If mode or inputMode is another one, or the input is to be added to the sums and has another size.

    Notes
    -----
    Shapes: ``T x N x inputSize`` to ``T x N x (hiddenSize * numDirections)``, or with batchFirst ``N x T x ...``.
    The vector starts uniform in [-s, s) with s = 1 / sqrt(hiddenSize).
    ``backward`` starts from the states that ``forward`` started from, which Torch7 lost with rememberStates.
    Source: cudnn.torch ``RNN``, ``RNNReLU``, ``RNNTanh``, ``LSTM``, ``GRU``, ``BLSTM``, ``BGRU``; cuDNN's documentation of
    cudnnRNNMode_t.

    Examples
    --------
    >>> net = cudnn.RNN(1, 1, 1)
    >>> net.weight[:] = [1, 1, 0, 0]  # W, R and both biases: a running sum
    >>> net.forward(np.float32([1, 10, 100]).reshape(3, 1, 1)).ravel()
    array([  1.,  11., 111.], dtype=float32)
    >>> cudnn.RNN(3, 4, 2).forward(np.zeros((5, 2, 3), np.float32)).shape  # five steps of two sequences
    (5, 2, 4)
    """

    _mode: ClassVar[str] = "CUDNN_RNN_RELU"
    _directions: ClassVar[int] = 1
    _file = Form(
        private=("_kept",),
        defaults={
            "batchFirst": False,
            "dropout": 0,
            "rememberStates": False,
            "numDirections": lambda fields: 2 if fields.get("bidirectional") == BOTH else None,
        },
        kinds={"mode": "text", "bidirectional": "text", "numDirections": "a whole number"},
    )
    weight: Tensor
    gradWeight: Tensor
    mode = "CUDNN_RNN_RELU"
    bidirectional = ONE
    inputMode = LINEAR
    numDirections = 1
    batchFirst = False
    dropout = 0.0
    rememberStates = False
    hiddenInput: Tensor | None = None
    cellInput: Tensor | None = None
    gradHiddenOutput: Tensor | None = None
    gradCellOutput: Tensor | None = None
    _kept: Any = None

    def __init__(
        self,
        inputSize: int,
        hiddenSize: int,
        numLayers: int,
        batchFirst: bool = False,
        dropout: float = 0,
        rememberStates: bool = False,
    ) -> None:
        super().__init__()
        self.datatype = "CUDNN_DATA_FLOAT"
        self.inputSize = check.count(self, "inputSize", inputSize)
        self.hiddenSize = check.count(self, "hiddenSize", hiddenSize)
        self.numLayers = check.count(self, "numLayers", numLayers)
        self.seqLength = self.miniBatch = 1
        self.numDirections = self._directions
        self.bidirectional = BOTH if self._directions == 2 else ONE
        self.inputMode = type(self).inputMode
        self.mode = self._mode
        if not 0 <= dropout < 1:
            raise ValueRangeError(f"{self._typename}: dropout: expected 0 to less than 1, got {dropout}")
        self.dropout = dropout
        self.seed = 0x01234567
        self.batchFirst = batchFirst
        self.rememberStates = rememberStates
        for name in ("reserve", "hiddenOutput", "cellOutput", "gradHiddenInput", "gradCellInput"):
            setattr(self, name, np.empty(0, self._dtype))
        self.train = True
        self._newParameters(weight=sum(rows * columns for _, rows, columns in self._places()))
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, uniform in [-stdv, stdv), as many as the fields require."""
        count = sum(rows * columns for _, rows, columns in self._places())
        if self.weight.size != count:
            self.weight, self.gradWeight = (np.zeros(count, self._dtype, like=self.weight) for _ in range(2))
        limit = 1 / sqrt(self.hiddenSize) if stdv is None else stdv
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        return self

    def resetStates(self) -> Self:
        """Forgets the states that the next sequence would start from."""
        self.hiddenInput = self.cellInput = None
        return self

    def weights(self) -> list[list[Tensor]]:
        """For each layer and direction the matrices: those of the input, one per gate, then those of the state."""
        return self._views("matrix", self.weight)

    def biases(self) -> list[list[Tensor]]:
        """For each layer and direction the biases, in the same order."""
        return [[bias[:, 0] for bias in biases] for biases in self._views("bias", self.weight)]

    def updateOutput(self, input: Tensor) -> Tensor:
        x = self._steps("input", input, self.inputSize)
        self.seqLength, self.miniBatch = x.shape[:2]
        states = self._state("hiddenInput"), self._state("cellInput")
        hiddenOutput, cellOutput = self._resize("hiddenOutput", states[0].shape), self._resize("cellOutput", states[0].shape)
        matrices, layers = self._matrices(self.weight), []
        for layer in range(self.numLayers):
            mask = None
            if layer and self.dropout and self.train:
                mask = random.bernoulli(1 - self.dropout, x.shape, self._dtype, self._onDevice) / self._dtype.type(
                    1 - self.dropout
                )
                x = x * mask
            runs = []
            for direction in range(self.numDirections):
                place = layer * self.numDirections + direction
                run = self._run(place, turned(x, direction), matrices[place], (states[0][place], states[1][place]))
                hiddenOutput[place], cellOutput[place] = run.last
                runs.append(run)
            layers.append((x, mask, runs))
            joined = self._workspace("joined", (*x.shape[:2], self.numDirections * self.hiddenSize), layer, input)
            x = np.concatenate([turned(run.outputs, direction) for direction, run in enumerate(runs)], -1, out=joined)
        if self.mode != "CUDNN_LSTM":
            cellOutput.fill(0)
        self._kept = layers
        if self.rememberStates:
            self.hiddenInput, self.cellInput = hiddenOutput.copy(), cellOutput.copy()
        self.output = x.swapaxes(0, 1) if self.batchFirst else x
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Any:
        return self._backward(input, gradOutput, None)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        gradInput = self.gradInput
        Bindings.of(self).workspaces.pop(("gradInput", 0), None)  # the result may share that memory
        self._backward(input, gradOutput, scale)
        self.gradInput = gradInput

    def backward(self, input: Tensor, gradOutput: Any = None, scale: float = 1.0) -> Any:
        """Both gradients at once, for they go the same way."""
        if self._isReplaced("updateGradInput", "accGradParameters"):
            return super().backward(input, gradOutput, scale)
        input, gradOutput = self._handed(input, gradOutput)
        return self._backward(input, gradOutput, scale)

    def clearState(self) -> Self:
        self._kept = None
        clear(self, "reserve", "dropoutStates")
        return super().clearState()

    def _workspace(self, name: str, shape: tuple[int, ...], place: int, mustNotOverlap: Any = None) -> Tensor:
        """Returns scratch memory, the same in each pass, because it takes long to allocate megabytes."""
        workspaces, key = Bindings.of(self).workspaces, (name, place)
        old = workspaces.get(key)
        if overlap(old, mustNotOverlap):
            old = None
        workspaces[key] = self._made(name, shape, buffer, old, shape, self._dtype, self._onDevice)
        return workspaces[key]

    def _run(self, place: int, x: Tensor, matrices: list[Tensor], states: States) -> Run:
        """One network over a sequence, in the order in which it reads it."""
        W, R, bW, bR = matrices
        fromInput = self._workspace("gates", (*x.shape[:2], len(W)), place)
        if W.size:
            self._call("Linear_updateOutput", flat(x), flat(fromInput), W, None)
        else:
            self._ofGates(fromInput)[...] = x[:, :, None]
        workspace = partial(self._workspace, place=place)
        return Run(x, states[0], *CELLS[self.mode].forward(self, fromInput, workspace, R, (bW, bR), states))

    def _backward(self, input: Tensor, gradOutput: Tensor, scale: float | None) -> Any:
        """Goes back through time and layers; adds the parameters' gradients if there is a scale for them."""
        steps = self._steps("input", input, self.inputSize)
        if self._kept is None or self._kept[0][0].shape != steps.shape:
            raise NullError(f"{self._typename}: backward: expected the input of the last forward")
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self.output.shape)
        dy = self._steps("gradOutput", gradOutput, self.hiddenSize * self.numDirections)
        shape = self._stateShape()
        ends = [self._state(name) for name in ("gradHiddenOutput", "gradCellOutput")]
        starts = [self._resize(name, shape) for name in ("gradHiddenInput", "gradCellInput")]
        matrices = self._matrices(self.weight)
        parts = None if scale is None else self._matrices(self.gradWeight)
        for layer in reversed(range(self.numLayers)):
            _, mask, runs = self._kept[layer]
            dx: Any = None
            for direction, (run, dh) in enumerate(zip(runs, np.split(dy, self.numDirections, -1), strict=True)):
                place = layer * self.numDirections + direction
                cell, last = CELLS[self.mode], (ends[0][place], ends[1][place])
                workspace = partial(self._workspace, place=place)
                dgates, ofState, first = cell.backward(self, turned(dh, direction), workspace, matrices[place][1], run.kept, last)
                starts[0][place], starts[1][place] = first
                runGradient = self._workspace("gradInput", run.x.shape, place, (run.x, gradOutput))
                if (W := matrices[place][0]).size:
                    self._call("Linear_updateGradInput", flat(run.x), flat(dgates), flat(runGradient), W)
                else:
                    compute.sum(self._ofGates(dgates), axis=2, out=runGradient)
                dx = runGradient if dx is None else np.add(dx, turned(runGradient, direction), out=dx)
                if parts is not None:
                    self._accumulate(place, parts[place], run, dgates, ofState, scale)
            dy = dx if mask is None else dx * mask
        if self.mode != "CUDNN_LSTM":
            starts[1].fill(0)
        self.gradInput = dy.swapaxes(0, 1) if self.batchFirst else dy
        return self.gradInput

    def _accumulate(self, place: int, parts: list[Tensor], run: Run, dgates: Tensor, ofState: Tensor | None, scale: Any) -> None:
        """Adds the gradients of one network's parameters to those views of the vector. `dgates` is written over."""
        gradW, gradR, gradBW, gradBR = parts
        before = self._workspace("before", run.outputs.shape, place)
        before[:1], before[1:] = run.first, run.outputs[:-1]
        if gradW.size:
            self._call("Linear_accGradParameters", flat(run.x), flat(dgates), gradW, gradBW, scale)
        else:
            gradBW += self._dtype.type(scale) * compute.sum(flat(dgates), 0)
        if ofState is not None:
            dgates[:, :, -ofState.shape[2] :] = ofState
        self._call("Linear_accGradParameters", flat(before), flat(dgates), gradR, gradBR, scale)

    def _places(self) -> list[tuple[str, int, int]]:
        """Returns the parts of the vector: kind, rows and columns of each."""
        if self.mode not in CELLS:
            raise ValueRangeError(f"{self._typename}: mode: expected one of {', '.join(CELLS)}, got {self.mode!r}")
        if self.inputMode not in (LINEAR, SKIP):
            raise ValueRangeError(f"{self._typename}: inputMode: expected {LINEAR} or {SKIP}, got {self.inputMode!r}")
        if self.inputMode == SKIP and self.inputSize != self.hiddenSize:
            wanted = f"{self.hiddenSize}, the hiddenSize, because inputMode is {SKIP}"
            raise ValueRangeError(f"{self._typename}: inputSize: expected {wanted}, got {self.inputSize}")
        rows = CELLS[self.mode].gates * self.hiddenSize
        matrices, biases = [], []
        for layer in range(self.numLayers):
            columns = self.hiddenSize * self.numDirections if layer else 0 if self.inputMode == SKIP else self.inputSize
            for _ in range(self.numDirections):
                matrices += [("matrix", rows, columns), ("matrix", rows, self.hiddenSize)]
                biases += [("bias", rows, 1), ("bias", rows, 1)]
        return matrices + biases

    def _pieces(self, kind: str, vector: Tensor) -> list[Tensor]:
        """The views of `vector` of one kind."""
        places = self._places()
        total = sum(rows * columns for _, rows, columns in places)
        if vector.size != total:
            raise ShapeError(f"{self._typename}: weight: expected {total} numbers, got {vector.size}")
        found, start = [], 0
        for name, rows, columns in places:
            if name == kind:
                found.append(vector[start : start + rows * columns].reshape(rows, columns))
            start += rows * columns
        return found

    def _matrices(self, vector: Tensor) -> list[list[Tensor]]:
        """W, R, b_W and b_R of each layer and direction."""
        matrices, biases = self._pieces("matrix", vector), [bias[:, 0] for bias in self._pieces("bias", vector)]
        return [[*matrices[i : i + 2], *biases[i : i + 2]] for i in range(0, len(matrices), 2)]

    def _views(self, kind: str, vector: Tensor) -> list[list[Tensor]]:
        pieces, gates = self._pieces(kind, vector), CELLS[self.mode].gates
        return [[gate for piece in pieces[i : i + 2] for gate in np.split(piece, gates)] for i in range(0, len(pieces), 2)]

    def _ofGates(self, sums: Tensor) -> Tensor:
        """Returns the sums of all gates with a dimension for the gates before the last one."""
        return sums.reshape(*sums.shape[:2], CELLS[self.mode].gates, self.hiddenSize)

    def _steps(self, name: str, array: Tensor, features: int) -> Tensor:
        """The array with time first."""
        check.tensor(self, name, array, 3)
        check.shape(self, name, array, (*array.shape[:2], features))
        return array.swapaxes(0, 1) if self.batchFirst else array

    def _stateShape(self) -> tuple[int, int, int]:
        return self.numLayers * self.numDirections, self.miniBatch, self.hiddenSize

    def _state(self, name: str) -> Tensor:
        """A state before the first step, or gradient after the last one; zeros if there is none."""
        value = getattr(self, name)
        shape = self._stateShape()
        if value is None:
            return np.zeros(shape, self._dtype, like=self.weight)
        return check.shape(self, name, check.tensor(self, name, value), shape)
