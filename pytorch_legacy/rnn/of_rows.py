"""Modules that look at each row of a matrix alone: they may have the rows of all steps of a sequence at once."""

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.Recursor import Recursor

# Layers whose result for a row depends on that row alone.
_OF_ROWS = {
    *(nn.Linear, nn.LogSoftMax, nn.SoftMax, nn.SoftMin, nn.Dropout, nn.Identity, nn.AddConstant, nn.MulConstant, nn.ReLU),
    *(nn.Tanh, nn.Sigmoid, nn.LogSigmoid, nn.SoftPlus, nn.SoftSign, nn.HardTanh, nn.LeakyReLU, nn.ELU),
    *(nn.Abs, nn.Power, nn.Square),
}
_PASSES = {"updateOutput", "updateGradInput", "accGradParameters"}


def layer_of_rows(module: Any, steps: Any) -> Module | None:
    """Returns the layer that `module`, which a sequencer applies to each step, may apply to the rows of all steps, or None."""
    if type(module) is not Recursor or not _isUsual(module) or not is_tensor(steps) or not steps.size:
        return None
    layer = module.module
    return layer if steps.ndim == _rank(layer) and steps.flags.c_contiguous else None


def rows(steps: Tensor | list[Tensor]) -> Tensor:
    """Returns the rows of all steps."""
    whole = np.stack(steps) if isinstance(steps, list) else steps
    return whole.reshape(-1, *whole.shape[2:])


def _rank(layer: Any) -> int:
    """The dimensions of a sequence, if the layer looks at each row of a step alone and keeps nothing for the next one; else 0."""
    modules: list[Any] = layer.modules if type(layer) is nn.Sequential and _isUsual(layer) else [layer]
    ofWords = bool(modules) and type(modules[0]) is nn.LookupTable and _isUsual(modules[0])
    if ofWords and modules[0].shouldScaleGradByFreq:  # by how often a word comes in a step
        return 0
    return (2 if ofWords else 3) if modules and all(map(_isOfRows, modules[ofWords:])) else 0


def _isOfRows(layer: Any) -> bool:
    if not _isUsual(layer) or (type(layer) is nn.Dropout and layer._isRandom()):
        return False
    return all(map(_isOfRows, layer.modules)) if type(layer) is nn.Sequential else type(layer) in _OF_ROWS


def _isUsual(module: Any) -> bool:
    """Returns True if none of the module's methods is overridden on the instance."""
    return _PASSES.isdisjoint(vars(module))
