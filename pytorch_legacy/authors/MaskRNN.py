"""A recurrent module for sequences of different lengths."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.utils import sizes


class MaskRNN(Decorator):
    """Runs its module on a batch of sequences, and sets the output to zero after the end of each sequence.

    .. math:: y_{t,n} = f(x)_{t,n} \\text{ if } t < length_n, \\text{ else } 0

    Parameters
    ----------
    module : Module
        Takes ``T x N x A`` and returns ``T x N x B``.

    Raises
    ------
    ShapeError
        If the input is not as below, or the module returns another number of steps or sequences.
    DtypeError, IndexRangeError
        If the lengths are not whole numbers from 0 on.

    Notes
    -----
    Shapes: a list of two: the steps of all sequences, ``(T * N) x A``, row t * N + n for step t of sequence n, and the N
    lengths, to ``(T * N) x B``. The gradient of the lengths is zero.
    The original passed the gradient after the end of a sequence to its module, whose output there does not count, and
    then set the gradient of the input after the end to zero. Here both gradients are those of the formula.
    Source: deepspeech.torch ``MaskRNN``.

    Examples
    --------
    >>> layer = authors.MaskRNN(nn.AddConstant(1.0))
    >>> x = np.float32([[1], [2], [3], [4]])  # two steps of two sequences
    >>> layer.forward([x, np.array([2, 1])]).ravel()  # the second one has one step
    array([2., 3., 4., 0.], dtype=float32)
    """

    _file = Form(
        private=("_steps", "_gradSteps"),
        dropped=("_input", "_gradOutput", "reverse_input", "reverse_gradOutput"),
    )
    _steps: Tensor
    _gradSteps: Tensor

    def updateOutput(self, input: list[Any]) -> Tensor:
        steps, lengths = self._unfolded(input)
        self._steps = self._toModule(steps, lengths)
        inner = check.tensor(self, "output", self._inner("updateOutput", self._steps), 3)
        if inner.shape[:2] != steps.shape[:2]:
            wanted = f"{sizes(steps.shape[:2])} steps of sequences from the module"
            raise ShapeError(f"{self._typename}: output: expected {wanted}, got {sizes(inner.shape)}")
        self.output = self._fromModule(inner, lengths).reshape(len(input[0]), inner.shape[2])
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: Any = None) -> list[Tensor]:
        steps, lengths = self._unfolded(input)
        gradient = self._inner("updateGradInput", self._steps, self._gradientOfSteps(gradOutput, steps, lengths))
        check.shape(self, "gradInput", check.tensor(self, "gradInput", gradient), steps.shape)
        gradInput = self._resizeTable("gradInput", [input[0].shape, lengths.shape], mustNotOverlap=gradOutput)
        gradInput[0][...] = self._inputGradient(gradient, lengths).reshape(input[0].shape)
        gradInput[1].fill(0)
        return gradInput

    def accGradParameters(self, input: list[Any], gradOutput: Any = None, scale: float = 1.0) -> None:
        self._inner("accGradParameters", self._steps, self._gradientOfSteps(gradOutput, *self._unfolded(input)), scale)

    def accUpdateGradParameters(self, input: list[Any], gradOutput: Any, lr: float) -> None:
        self._inner("accUpdateGradParameters", self._steps, self._gradientOfSteps(gradOutput, *self._unfolded(input)), lr)

    def clearState(self) -> Self:
        self.__dict__.pop("_steps", None)
        super().clearState()
        return self

    def _toModule(self, steps: Tensor, lengths: Tensor) -> Tensor:
        """Returns the input of the module."""
        return steps

    def _fromModule(self, steps: Tensor, lengths: Tensor) -> Tensor:
        """Returns the output for that of the module, and the gradient of the module's output for that of the output."""
        return np.where(self._isInside(steps, lengths), steps, self._dtype.type(0))

    def _inputGradient(self, gradient: Tensor, lengths: Tensor) -> Tensor:
        """Returns the gradient of the input for that of the module's input."""
        return gradient

    def _isInside(self, steps: Tensor, lengths: Tensor) -> Tensor:
        """Returns for each step of each sequence whether it is before the end."""
        inside: Tensor = np.arange(len(steps), like=lengths)[:, None, None] < lengths[:, None]
        return inside

    def _gradientOfSteps(self, gradOutput: Any, steps: Tensor, lengths: Tensor) -> Tensor:
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self.output.shape)
        return self._fromModule(gradOutput.reshape(*steps.shape[:2], gradOutput.shape[1]), lengths)

    def _unfolded(self, input: Any) -> tuple[Tensor, Tensor]:
        """Returns the steps as ``T x N x A``, and the lengths."""
        rows, given = check.table(self, "input", input, 2)
        rows = check.tensor(self, "input[0]", rows, 2)
        lengths = check.numbers(self, "input[1]", given, "a vector of lengths")
        if lengths.ndim != 1 or not lengths.size or len(rows) % lengths.size:
            wanted = f"a vector of as many lengths as there are sequences in {len(rows)} rows"
            raise ShapeError(f"{self._typename}: input[1]: expected {wanted}, got {sizes(lengths.shape)}")
        if check.looks(self) and not check.areWhole(lengths):
            raise DtypeError(f"{self._typename}: input[1]: expected whole numbers, got {lengths}")
        steps = rows.reshape(len(rows) // lengths.size, lengths.size, rows.shape[1])
        if check.looks(self) and not (lengths.min() >= 0 and lengths.max() <= len(steps)):
            raise IndexRangeError(f"{self._typename}: input[1]: expected lengths from 0 to {len(steps)}, got {lengths}")
        return steps, lengths.astype(np.int64)
