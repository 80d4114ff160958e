"""Normalisation of channels over a batch of vectors."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import FieldError, NullError, ShapeError
from pytorch_legacy.files import migration
from pytorch_legacy.files.fields import Fields
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native

MOST_CHANNELS = 1 << 20  # the largest memory that a number in a file may ask for if no tensor has that many channels


def _statistics(fields: Any, value: float) -> Tensor | None:
    """Returns the initial statistics of a network, with the number of channels that other fields have."""
    arrays = [fields[name] for name in ("weight", "bias") if name in fields]
    channels = arrays[0].size if arrays else fields.get("nOutput")
    if not arrays and channels is not None and not 0 < channels <= MOST_CHANNELS:
        raise FieldError(f"nOutput: expected 1 to {MOST_CHANNELS} channels, got {channels}")
    return None if channels is None else np.full(channels, value, arrays[0].dtype if arrays else np.float64)


class BatchNormalization(Native):
    """Gives each channel mean 0 and variance 1 over the batch, then a learned scale and shift.

    .. math:: y = \\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}} \\, weight + bias

    per channel. When training, :math:`\\mu` and :math:`\\sigma^2` are those of the batch, and the running statistics
    move towards them: ``running = (1 - momentum) * running + momentum * new``, the variance divided by n - 1 there and
    by n in the formula. After ``evaluate()``, and for a batch of one (see `setStrict`), they are the running statistics, and
    nothing moves.

    Parameters
    ----------
    nOutput : int
        Number of channels.
    eps : float
        Keeps the root away from zero.
    momentum : float
        How fast the running statistics follow.
    affine : bool
        Whether there are a weight, initially uniform in [0, 1), and a bias, initially 0.

    Attributes
    ----------
    running_mean, running_var : array of nOutput
        Statistics with which ``evaluate()`` normalises.
    save_mean, save_std : array of nOutput
        Mean and :math:`1 / \\sqrt{\\sigma^2 + \\epsilon}` of the last batch in training, for ``backward``.
    strict : bool
        Setting of ``setStrict``; False, until set.

    Raises
    ------
    ShapeError
        If the input has another rank or number of channels, or a strict layer that trains gets one value per channel only: its
        variance says nothing.

    Notes
    -----
    Shapes: ``N x nOutput``; after ``evaluate()`` also a single sample, without the N.
    A batch of one is treated as after ``evaluate()``, backward too, as in the last release of Torch7. Before August 2017
    Torch7 took the statistics of the one sample, as ``setStrict()`` does here: networks that were trained, and are run, that
    way (pix2pix) want it.
    Source: Torch7 ``nn.BatchNormalization``; C: ``THNN/normalization/BatchNormalization.c``.

    Examples
    --------
    >>> layer = nn.BatchNormalization(2, affine=False)
    >>> np.round(layer.forward(np.float32([[1, 10], [3, 30]])), 3)
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    >>> layer.running_mean, layer.running_var
    (array([0.2, 2. ], dtype=float32), array([ 1.1, 20.9], dtype=float32))
    >>> np.round(layer.evaluate().forward(np.float32([1.2, 2])), 3)
    array([0.953, 0.   ], dtype=float32)
    """

    _file = Form(
        version=2,
        implied={"strict": False},
        outdated=("running_std",),
        defaults={
            "eps": 1e-05,
            "momentum": 0.1,
            "affine": True,
            "running_mean": lambda fields: _statistics(fields, 0),
            "running_var": lambda fields: _statistics(fields, 1),
            "train": lambda fields: True,
        },
        kinds={"nOutput": "a whole number", "running_std": "a tensor of floating-point numbers"},
    )
    _layer = "BatchNormalization"
    nDim = 2
    eps = 1e-5
    momentum = 0.1
    affine = True
    save_mean: Tensor | None = None
    save_std: Tensor | None = None
    strict = False
    _trainIsNumber = True

    def __init__(self, nOutput: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True) -> None:
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.train = True
        self.affine = affine
        shape = (check.count(self, "nOutput", nOutput),)
        self.running_mean, self.running_var = self._resize("running_mean", shape), self._resize("running_var", shape)
        if affine:
            self._newParameters(weight=nOutput, bias=nOutput)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new weight and forgets the running statistics; `stdv` is not used."""
        if self.weight is not None:
            self.weight[...] = random.uniform(0, 1, self.weight.shape, self._dtype, self._onDevice)
        if self.bias is not None:
            self.bias.fill(0)
        self.running_mean.fill(0)
        self.running_var.fill(1)
        return self

    def setStrict(self, strict: bool = True) -> Self:
        """Sets whether training uses the statistics of every batch, including a single sample: all pixels of one image.

        One value per channel has no variance; a strict layer then refuses to train.
        """
        self.strict = strict
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        self._resize("output", self._checked(input).shape, mustNotOverlap=input)
        learns, channels = self._learns(input), self.running_mean.shape
        kept = [self._resize(name, channels) for name in ("save_mean", "save_std")] if learns else self._unwritten()
        self._call(
            "updateOutput", *self._batches(input, self.output), self.weight, self.bias, self.running_mean, self.running_var,
            *kept, learns,
        )  # fmt: skip
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Any:
        return self._backward(input, gradOutput, 1.0, toInput=True, toParameters=False)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        self._backward(input, gradOutput, scale, toInput=False, toParameters=True)

    def backward(self, input: Tensor, gradOutput: Any = None, scale: float = 1.0) -> Any:
        """Both gradients at once, for they need the same sums."""
        if self._isReplaced("updateGradInput", "accGradParameters"):
            return super().backward(input, gradOutput, scale)
        input, gradOutput = self._handed(input, gradOutput)
        return self._backward(input, gradOutput, scale, toInput=True, toParameters=True)

    def clearState(self) -> Self:
        self.save_mean = self.save_std = None
        return super().clearState()

    def __repr__(self) -> str:
        return f"{self._typename} ({self.nDim}D) ({self.running_mean.size})"

    def _backward(self, input: Tensor, gradOutput: Tensor, scale: float, *, toInput: bool, toParameters: bool) -> Any:
        self._checked(input)
        check.tensor(self, "gradOutput", gradOutput)
        learns = self._learns(input)
        if learns and (self.save_mean is None or self.save_std is None):
            raise NullError(f"{self._typename}: save_mean: expected what forward keeps when training, got None")
        save_mean, save_std = (self.save_mean, self.save_std) if learns else self._unwritten()
        gradInput = None
        if toInput and self.gradInput is not None:
            gradInput = self._resize("gradInput", input.shape, mustNotOverlap=[input, gradOutput])
        gradWeight, gradBias = (self.gradWeight, self.gradBias) if toParameters else (None, None)
        self._call(
            "backward", *self._batches(input, gradOutput, gradInput), gradWeight, gradBias, self.weight, self.running_mean,
            self.running_var, save_mean, save_std, learns, scale,
        )  # fmt: skip
        return self.gradInput

    def _unwritten(self) -> tuple[Tensor, Tensor]:
        """Returns the arrays that C gets for save_mean and save_std when it does not write them: there may be none yet."""
        return self.running_mean, self.running_var

    def _learns(self, input: Tensor) -> bool:
        """Returns True if the statistics of the batch are used."""
        return bool(self.train) and input.size > 0 and (self.strict or len(input) != 1)

    def _checked(self, input: Tensor) -> Tensor:
        """The input, of a rank that is right for this class, for the C function takes all of them, and with its channels."""
        rank = check.tensor(self, "input", input).ndim
        if rank != self.nDim and (rank != self.nDim - 1 or self.train):
            also = " when training" if self.train else f", or {self.nDim - 1}-D for one sample"
            got = f"{rank}-D of shape {input.shape}"
            raise ShapeError(f"{self._typename}: input: expected a {self.nDim}-D array{also}, got {got}")
        channels = input.shape[rank - self.nDim + 1]
        expected = check.tensor(self, "running_mean", self.running_mean).size
        if channels != expected:
            kind = "features" if self.nDim == 2 else "planes"
            raise ShapeError(f"{self._typename}: input: expected {expected} {kind}, got {channels}")
        return input

    def _batches(self, input: Tensor, *others: Any) -> tuple[Any, ...]:
        """The arrays as they are, or a single sample and what goes with it as batches of one."""
        arrays = (input, *others)
        return arrays if input.ndim == self.nDim else tuple(array if array is None else array[None] for array in arrays)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        if "running_std" in fields and (version < 2 or "running_var" not in fields):  # running_std was 1 / sqrt(var + eps)
            migration.note(self, "running_var", "was running_std, 1 / sqrt(running_var + eps)")
            old = Fields(self, fields)
            fields = fields | {"running_var": old["running_std"] ** -2 - old.get("eps", self.eps)}
            del fields["running_std"]
        super()._fromTorch7(fields, version)
