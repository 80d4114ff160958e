"""Adadelta."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.optim.shared import Call, Opfunc, Table


def adadelta(opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """One step whose size follows from the sizes of past steps and gradients, without a learning rate::

        v = rho * v + (1 - rho) * g^2
        s = g * sqrt(d + eps) / sqrt(v + eps)
        x = x - s
        d = rho * d + (1 - rho) * s^2

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient g.
    x : array
        The point, moved in place.
    config : dict or other MutableMapping
        rho (0.9), eps (1e-6), weightDecay (0).
    state : dict or other MutableMapping
        Gets evalCounter, paramVariance (v) and accDelta (d); `config` gets them if it is not given.

    Returns
    -------
    tuple
        x, and a list with the value before the step.

    Notes
    -----
    Source: Torch7 optim.adadelta; Zeiler, "ADADELTA: an adaptive learning rate method" (2012).

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, state = np.array([3.0, -4.0]), {}
    >>> for step in range(1000):
    ...     x, (loss,) = optim.adadelta(parabola, x, {"eps": 1e-4}, state)
    >>> print(loss < 0.1, state["evalCounter"])
    True 1000
    """
    call = Call("adadelta", x, config, state)
    rho, eps, steps = call.number("rho", 0.9), call.number("eps", 1e-6), call.last("evalCounter")
    variance, moved = call.remembered("paramVariance"), call.remembered("accDelta")
    fx, dfdx = call.evaluate(opfunc)
    dfdx = call.decayed(dfdx)
    variance *= rho
    variance += (1 - rho) * dfdx * dfdx
    step = np.sqrt(moved + eps) / np.sqrt(variance + eps) * dfdx
    x -= step
    moved *= rho
    moved += (1 - rho) * step * step
    call.remember(evalCounter=steps + 1, paramVariance=variance, accDelta=moved)
    return x, [fx]
