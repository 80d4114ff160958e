"""Adagrad."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import blocks
from pytorch_legacy.optim.shared import Call, Opfunc, Table


def adagrad(opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """One step with a rate for each element that shrinks with its past gradients::

        rate = learningRate / (1 + evalCounter * learningRateDecay)
        v    = v + g^2
        x    = x - rate * g / (sqrt(v) + 1e-10)

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient g.
    x : array
        The point, moved in place.
    config : dict or other MutableMapping
        learningRate (0.001), learningRateDecay (0), weightDecay (0).
    state : dict or other MutableMapping
        Gets evalCounter and paramVariance, which is v; `config` gets them if it is not given.

    Returns
    -------
    tuple
        x, and a list with the value before the step.

    Notes
    -----
    Source: Torch7 optim.adagrad; Duchi et al., "Adaptive subgradient methods for online learning and stochastic
    optimization" (2011).

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, state = np.array([3.0, -4.0]), {}
    >>> for step in range(3):
    ...     x, (loss,) = optim.adagrad(parabola, x, {"learningRate": 0.5}, state)
    ...     print(round(loss, 3), x.round(3))  # the first step is as long in all directions
    25.0 [ 2.5 -3.5]
    18.5 [ 2.18  -3.171]
    14.806 [ 1.936 -2.915]
    """
    call = Call("adagrad", x, config, state)
    steps, variance = call.last("evalCounter"), call.remembered("paramVariance")
    rate = call.annealed(1e-3, steps)
    fx, dfdx = call.evaluate(opfunc)
    dfdx = call.decayed(dfdx)

    def move(x: Tensor, variance: Tensor, dfdx: Tensor) -> None:
        variance += dfdx * dfdx
        x -= rate * dfdx / (np.sqrt(variance) + 1e-10)

    blocks.elements(move, x, variance, dfdx)
    call.remember(evalCounter=steps + 1, paramVariance=variance)
    return x, [fx]
