"""Nesterov's accelerated gradient."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.optim.shared import Call, Opfunc, Table, entry


def nag(opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """One step of gradient descent with the gradient taken where the momentum leads::

        x    = x + momentum * v                            v: the last step, zero at first
        rate = learningRate / (1 + evalCounter * learningRateDecay)
        x    = x - rate * g(x)
        v    = momentum * v - rate * g(x)

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient.
    x : array
        The point, moved in place.
    config : dict or other MutableMapping
        learningRate (0.001), learningRateDecay (0), weightDecay (0), momentum (0.9, more than 0), learningRates (a
        factor for each element).
    state : dict or other MutableMapping
        Gets evalCounter and dfdx, which is v; `config` gets them if it is not given.

    Returns
    -------
    tuple
        x, and a list with the value where the gradient was taken.

    Notes
    -----
    Source: Torch7 optim.nag; Sutskever et al., "On the importance of initialization and momentum in deep learning"
    (2013).

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, config, state = np.array([3.0, -4.0]), {"learningRate": 0.1, "momentum": 0.9}, {}
    >>> for step in range(3):
    ...     x, (loss,) = optim.nag(parabola, x, config, state)
    ...     print(x.round(3))
    [ 2.4 -3.2]
    [ 1.488 -1.984]
    [ 0.534 -0.712]
    """
    call = Call("nag", x, config, state)
    momentum = call.number("momentum", 0.9)
    if not momentum > 0:
        raise ValueRangeError(f"optim.nag: momentum: expected more than 0, got {momentum}")
    steps, rates, last = call.last("evalCounter"), call.factors("learningRates"), call.remembered("dfdx")
    rate, before = call.annealed(1e-3, steps), x.copy()
    try:
        if entry(call.state, "dfdx") is not None:
            x += momentum * last
        fx, dfdx = call.evaluate(opfunc)
        dfdx = call.decayed(dfdx)
    except BaseException:
        x[...] = before
        raise
    if rates is not None:
        dfdx = rates * dfdx
    move = rate * dfdx
    last *= momentum
    last -= move
    x -= move
    call.remember(evalCounter=steps + 1, dfdx=last)
    return x, [fx]
