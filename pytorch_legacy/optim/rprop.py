"""Resilient propagation."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.optim.shared import Call, Opfunc, Table, entry


def rprop(opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """Steps that depend only on the signs of the gradient.

    Each element has a step size of its own. It grows by etaplus while the sign stays, up to stepsizemax, and shrinks by
    etaminus when the sign changes, down to stepsizemin; then the element stays where it is for one step.

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient.
    x : array
        The point, moved in place.
    config : dict or other MutableMapping
        stepsize (0.1, the first one), etaplus (1.2), etaminus (0.5), stepsizemax (50), stepsizemin (1e-6), niter (1,
        the number of steps).
    state : dict or other MutableMapping
        Gets delta, the last gradient, and stepsize, an array from then on; `config` gets them if it is not given.

    Returns
    -------
    tuple
        x, and a list with the value before each step.

    Notes
    -----
    Source: Torch7 optim.rprop; Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning"
    (1993).

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, state = np.array([3.0, -4.0]), {}
    >>> for step in range(3):
    ...     x, (loss,) = optim.rprop(parabola, x, {"stepsize": 0.1}, state)
    ...     print(round(loss, 3), x.round(3))  # longer steps while the sign stays
    25.0 [ 2.9 -3.9]
    23.62 [ 2.78 -3.78]
    22.017 [ 2.636 -3.636]
    """
    call = Call("rprop", x, config, state)
    up, down = call.number("etaplus", 1.2), call.number("etaminus", 0.5)
    least, most = call.number("stepsizemin", 1e-6), call.number("stepsizemax", 50)
    last = call.remembered("delta")
    isNumber = isinstance(entry(call.state, "stepsize"), (int, float, type(None)))
    begun = entry(call.state, "delta") is not None and not isNumber
    size = call.remembered("stepsize") if begun else np.full_like(x, call.number("stepsize", 0.1))
    values = []
    for _ in range(int(call.number("niter", 1))):
        fx, dfdx = call.evaluate(opfunc)
        same = last * dfdx
        size[same > 0] *= up
        size[same < 0] *= down
        np.clip(size, least, most, out=size)
        last[...] = np.where(same < 0, 0, dfdx)
        call.remember(delta=last, stepsize=size)
        x -= np.sign(last) * size
        values.append(fx)
    return x, values
