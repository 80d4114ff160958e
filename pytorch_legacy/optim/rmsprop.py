"""RMSprop."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import blocks
from pytorch_legacy.optim.shared import Call, Opfunc, Table


def rmsprop(opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """One step by the gradient over the root of its mean square::

        m = alpha * m + (1 - alpha) * g^2                          m is initialMean at first
        x = x - learningRate * g / (sqrt(m) + epsilon)

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient g.
    x : array
        The point, moved in place.
    config : dict or other MutableMapping
        learningRate (0.01), alpha (0.99), epsilon (1e-8), weightDecay (0), initialMean (0).
    state : dict or other MutableMapping
        Gets m; `config` gets it if it is not given.

    Returns
    -------
    tuple
        x, and a list with the value before the step.

    Notes
    -----
    Source: Torch7 optim.rmsprop; Tieleman and Hinton, lecture 6.5 of "Neural networks for machine learning" (2012).

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, state = np.array([3.0, -4.0]), {}
    >>> for step in range(3):
    ...     x, (loss,) = optim.rmsprop(parabola, x, {"learningRate": 0.1}, state)
    ...     print(round(loss, 3), x.round(3))
    25.0 [ 2. -3.]
    13.0 [ 1.443 -2.398]
    7.834 [ 1.069 -1.963]
    """
    call = Call("rmsprop", x, config, state)
    rate, alpha, epsilon = call.number("learningRate", 1e-2), call.number("alpha", 0.99), call.number("epsilon", 1e-8)
    square = call.remembered("m", call.number("initialMean", 0))
    fx, dfdx = call.evaluate(opfunc)
    dfdx = call.decayed(dfdx)

    def move(x: Tensor, square: Tensor, dfdx: Tensor) -> None:
        square *= alpha
        square += (1 - alpha) * dfdx * dfdx
        x -= rate * dfdx / (np.sqrt(square) + epsilon)

    blocks.elements(move, x, square, dfdx)
    call.remember(m=square)
    return x, [fx]
