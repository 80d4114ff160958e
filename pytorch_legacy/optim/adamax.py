"""Adamax: Adam with the largest gradient in place of the mean square."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.optim.shared import Call, Opfunc, Table


def adamax(opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """One step by a running mean of the gradient, measured by a running maximum of its size::

        m = beta1 * m + (1 - beta1) * g
        u = max(beta2 * u, |g| + epsilon)
        x = x - learningRate / (1 - beta1^t) * m / u               t: the steps, this one included

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient g.
    x : array
        The point, moved in place.
    config : dict or other MutableMapping
        learningRate (0.002), beta1 (0.9), beta2 (0.999), epsilon (1e-38), weightDecay (0).
    state : dict or other MutableMapping
        Gets t, m and u; `config` gets them if it is not given.

    Returns
    -------
    tuple
        x, and a list with the value before the step.

    Notes
    -----
    Source: Torch7 optim.adamax; Kingma and Ba, "Adam: a method for stochastic optimization" (2014), section 7.1.

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, state = np.array([3.0, -4.0]), {}
    >>> for step in range(3):
    ...     x, (loss,) = optim.adamax(parabola, x, {"learningRate": 0.5}, state)
    ...     print(round(loss, 3), x.round(3))
    25.0 [ 2.5 -3.5]
    18.5 [ 2.043 -3.032]
    13.371 [ 1.629 -2.597]
    """
    call = Call("adamax", x, config, state)
    beta1, beta2, epsilon = call.decayRate("beta1", 0.9), call.number("beta2", 0.999), call.number("epsilon", 1e-38)
    t, rate = call.last("t") + 1, call.number("learningRate", 0.002)
    mean, largest = call.remembered("m"), call.remembered("u")  # Torch7 saved these as 1 x n
    fx, dfdx = call.evaluate(opfunc)
    dfdx = call.decayed(dfdx)
    mean *= beta1
    mean += (1 - beta1) * dfdx
    largest *= beta2
    np.maximum(largest, np.abs(dfdx) + epsilon, out=largest)
    x -= rate / (1 - beta1**t) * mean / largest
    call.remember(t=t, m=mean, u=largest)
    return x, [fx]
