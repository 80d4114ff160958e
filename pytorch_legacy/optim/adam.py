"""Adam."""

import math

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import blocks
from pytorch_legacy.optim.shared import Call, Opfunc, Table


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
    config : dict or other MutableMapping
        learningRate (0.001), learningRateDecay (0), beta1 (0.9), beta2 (0.999), epsilon (1e-8), weightDecay (0).
    state : dict or other MutableMapping
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
    call = Call("adam", x, config, state)
    beta1, beta2, epsilon = call.decayRate("beta1", 0.9), call.number("beta2", 0.999), call.number("epsilon", 1e-8)
    t = call.last("t")
    rate, mean, square = call.annealed(1e-3, t), call.remembered("m"), call.remembered("v")
    fx, dfdx = call.evaluate(opfunc)
    dfdx = call.decayed(dfdx)
    t += 1
    size = rate * math.sqrt(1 - beta2**t) / (1 - beta1**t)

    def move(x: Tensor, mean: Tensor, square: Tensor, dfdx: Tensor) -> None:
        mean *= beta1
        mean += (1 - beta1) * dfdx
        square *= beta2
        square += (1 - beta2) * dfdx * dfdx
        x -= size * mean / (np.sqrt(square) + epsilon)

    blocks.elements(move, x, mean, square, dfdx)
    call.remember(t=t, m=mean, v=square)
    return x, [fx]
