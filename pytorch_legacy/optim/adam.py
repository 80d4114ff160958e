"""Adam."""

import math

import numpy as np

from pytorch_legacy.optim.shared import Opfunc, Table, annealed, decayed, remembered, tables
from pytorch_legacy.storage import Tensor


def adam(opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """One step by running means of the gradient and of its square, both freed from their bias to zero::

        rate = learningRate / (1 + t * learningRateDecay)          t: the steps before this one
        m    = beta1 * m + (1 - beta1) * g
        v    = beta2 * v + (1 - beta2) * g^2
        x    = x - rate * sqrt(1 - beta2^(t + 1)) / (1 - beta1^(t + 1)) * m / (sqrt(v) + epsilon)

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient g.
    x : array
        The point, moved in place.
    config : dict
        learningRate (0.001), learningRateDecay (0), beta1 (0.9), beta2 (0.999), epsilon (1e-8), weightDecay (0).
    state : dict
        Gets t, m and v; `config` gets them if it is not given.

    Returns
    -------
    tuple
        x, and a list with the value before the step.

    Notes
    -----
    Source: Torch7 optim.adam; Kingma and Ba, "Adam: a method for stochastic optimization" (2014).

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, state = np.array([3.0, -4.0]), {}
    >>> for step in range(60):
    ...     x, (loss,) = optim.adam(parabola, x, {"learningRate": 0.1}, state)
    >>> print(loss < 0.1, state["t"])
    True 60
    """
    config, state = tables(config, state)
    beta1, beta2 = config.get("beta1", 0.9), config.get("beta2", 0.999)
    fx, dfdx = opfunc(x)
    dfdx = decayed(dfdx, x, config)
    rate = annealed(config, 1e-3, state.setdefault("t", 0))
    state["t"] += 1
    mean, square = remembered(state, "m", x), remembered(state, "v", x)
    mean *= beta1
    mean += (1 - beta1) * dfdx
    square *= beta2
    square += (1 - beta2) * dfdx * dfdx
    size = rate * math.sqrt(1 - beta2 ** state["t"]) / (1 - beta1 ** state["t"])
    x -= size * mean / (np.sqrt(square) + config.get("epsilon", 1e-8))
    return x, [fx]
