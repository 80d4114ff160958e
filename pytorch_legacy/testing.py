"""Checks of a layer: its gradients are the derivatives of its output, and saving or copying preserves it.

>>> import numpy as np
>>> import pytorch_legacy as pl
>>> pl.testing.jacobian(pl.nn.Linear(3, 2), np.random.default_rng(0).random((4, 3))) < 1e-7
True
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import DtypeError, UnsupportedError
from pytorch_legacy.files import loading, saving
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Jacobian import columns, differences
from pytorch_legacy.nn.Module import Module

__all__ = ["jacobian", "survives"]


def jacobian(layer: Module | Criterion, input: Tensor, target: Any = None, perturbation: float = 1e-6) -> float:
    """The largest error of what a layer computes backward: how far its gradients are from the derivatives of its output.

    Compared with central differences, in double precision, on a copy of the layer: the gradient of the input, and those of all
    parameters, which must add up with what is there and be multiplied by ``scale``. ``accUpdateGradParameters`` must move the
    parameters by the same gradients. A layer with a maximum, an absolute value or
    another bend has no derivative there: the input should stay away from it.

    Parameters
    ----------
    layer : Module or Criterion
        A layer with one array as input and output, in the mode that is to be tested (``training()``, ``evaluate()``), or a loss.
    input : array
        Point at which the derivatives are taken: random numbers of a few different sizes, 2 x 3 x 5 x 7.
    target
        That of a criterion.
    perturbation : float
        How far the central differences reach.

    Returns
    -------
    float
        The largest difference of a derivative, divided by the largest derivative if that is above 1. Below 1e-6 for a layer that
        is right; NaN where one of them is NaN.

    Raises
    ------
    DtypeError
        If the input is no array of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import pytorch_legacy as pl
    >>> class Wrong(pl.nn.Module):
    ...     def updateOutput(self, input):
    ...         self.output = input**2
    ...         return self.output
    ...     def updateGradInput(self, input, gradOutput):
    ...         self.gradInput = input * gradOutput  # the 2 is missing
    ...         return self.gradInput
    >>> round(pl.testing.jacobian(Wrong(), np.float64([1, 2])), 3)
    0.5
    """
    if not isinstance(input, np.ndarray) or input.dtype.kind not in "biuf":
        raise DtypeError(f"testing.jacobian: input: expected an array of numbers, got {type(input).__name__}")
    layer = layer.clone().double()
    x = np.array(input, np.float64)
    if isinstance(layer, Criterion):
        goal = target.astype(np.float64) if isinstance(target, np.ndarray) and target.dtype.kind == "f" else target
        layer.forward(x, goal)
        gradient = np.array(layer.backward(x, goal), np.float64)
        return _error(gradient.reshape(-1, 1), _slopes(lambda: layer.forward(x, goal), x, perturbation))

    errors = [_error(_derivatives(layer, x), differences(layer, x, x, perturbation))]
    parameters, gradients = layer.parameters() or ([], [])
    for parameter, gradient in zip(parameters, gradients, strict=True):
        expected = differences(layer, x, parameter, perturbation)

        def added(gradOutput: Tensor, gradient: Tensor = gradient) -> Tensor:
            layer.updateGradInput(x, gradOutput)
            gradient[...] = 1
            layer.accGradParameters(x, gradOutput, 0.5)
            return (gradient - 1) / 0.5

        errors.append(_error(columns(layer, x, added), expected))
        errors.append(_error(_steps(layer, x, parameter), expected))
    return float(np.max(errors))


def _steps(layer: Module, x: Tensor, parameter: Tensor) -> Tensor:
    """Returns the change of a parameter by ``accUpdateGradParameters``, for each element of the output, divided by ``-lr``."""
    parameters = (layer.parameters() or ([], []))[0]
    kept = [each.copy() for each in parameters]

    def moved(gradOutput: Tensor) -> Tensor:
        before = parameter.copy()
        layer.updateGradInput(x, gradOutput)
        layer.accUpdateGradParameters(x, gradOutput, 0.5)
        after = parameter.copy()
        for each, original in zip(parameters, kept, strict=True):
            each[...] = original
        return (before - after) / 0.5

    return columns(layer, x, moved)


def _derivatives(layer: Module, x: Tensor) -> Tensor:
    return columns(layer, x, lambda gradOutput: np.asarray(layer.updateGradInput(x, gradOutput)))


def _slopes(loss: Callable[[], float], x: Tensor, perturbation: float) -> Tensor:
    found = []
    for place in np.ndindex(x.shape):
        kept = x[place]
        x[place] = kept - perturbation
        below = loss()
        x[place] = kept + perturbation
        found.append((loss() - below) / (2 * perturbation))
        x[place] = kept
    return np.reshape(found, (-1, 1))


def _error(one: Tensor, other: Tensor) -> float:
    return float(np.abs(one - other).max(initial=0) / np.abs(other).max(initial=1))


def survives(layer: Module | Criterion, *input: Any) -> bool:
    """Returns True if a layer computes the same after it was cloned, pickled, and saved to a .t7 file and loaded again.

    Its class has been registered (``pl.register``), so that `load` finds it. Random layers are to be in ``evaluate()``.

    Parameters
    ----------
    layer : Module or Criterion
        The layer, which is not changed.
    *input
        Arguments of its ``forward``: an array, or an input and a target.

    Returns
    -------
    bool
        True.

    Raises
    ------
    UnsupportedError
        If one of them computes something else, or its class is another one: which.

    Examples
    --------
    >>> import numpy as np
    >>> import pytorch_legacy as pl
    >>> pl.testing.survives(pl.nn.Linear(3, 2), np.ones(3, np.float32))
    True
    """
    expected = np.array(layer.clone().forward(*input))

    def stored(thing: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "layer.t7"
            saving.save(file, thing)
            return loading.load(file)

    ways: dict[str, Callable[[Any], Any]] = {
        "clone": lambda thing: thing.clone(),
        "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
        "save and load": stored,
    }
    for way, copied in ways.items():
        other = copied(layer)
        if type(other) is not type(layer):
            cure = f'is its class registered, as by @pl.register("{layer._typename}")?'
            got = f"expected a {type(layer).__name__}, got {type(other).__name__}"
            raise UnsupportedError(f"{layer._typename}: {way}: {got}; {cure}")
        found = np.array(other.forward(*input))
        if found.shape != expected.shape or not np.array_equal(found, expected, equal_nan=True):
            raise UnsupportedError(f"{layer._typename}: {way}: the copy computes another output")
        if repr(other) != repr(layer):
            raise UnsupportedError(f"{layer._typename}: {way}: the copy prints as {other!r}, not as {layer!r}")
    return True
