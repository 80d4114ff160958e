"""Stochastic gradient descent."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn import blocks
from pytorch_legacy.optim.shared import Call, Opfunc, Table, entry


def sgd(opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """One step of gradient descent, with momentum if wanted::

        rate = learningRate / (1 + evalCounter * learningRateDecay)
        m    = momentum * m + (1 - dampening) * g          g: the gradient, weight decay included; the first m is g
        x    = x - rate * m                                Nesterov: g + momentum * m instead of m

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient.
    x : array
        The point, moved in place.
    config : dict or other MutableMapping
        learningRate (0.001), learningRateDecay (0), weightDecay (0), weightDecays (one for each element, used if there
        is no weightDecay), momentum (0), dampening (as momentum), nesterov (False), learningRates (a factor for each
        element).
    state : dict or other MutableMapping
        Gets evalCounter and, with momentum, dfdx; `config` gets them if it is not given.

    Returns
    -------
    tuple
        x, and a list with the value before the step.

    Notes
    -----
    Source: Torch7 optim.sgd.

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, state = np.array([3.0, -4.0]), {}
    >>> for step in range(3):
    ...     x, (loss,) = optim.sgd(parabola, x, {"learningRate": 0.1, "momentum": 0.9}, state)
    ...     print(loss, x.round(3))
    25.0 [ 2.4 -3.2]
    16.0 [ 1.812 -2.416]
    9.1204 [ 1.247 -1.662]
    """
    call = Call("sgd", x, config, state)
    state = call.state
    momentum = call.number("momentum", 0)
    dampening = call.number("dampening", momentum)
    nesterov = entry(call.config, "nesterov", False)
    if nesterov and not (momentum > 0 and dampening == 0):
        raise ValueRangeError(f"optim.sgd: nesterov: expected momentum > 0 and dampening = 0, got {momentum} and {dampening}")
    steps = call.last("evalCounter")
    rate, rates, decays = call.annealed(1e-3, steps), call.factors("learningRates"), call.factors("weightDecays")
    velocity = call.remembered("dfdx") if momentum and entry(state, "dfdx") is not None else None

    fx, dfdx = call.evaluate(opfunc)
    if not call.number("weightDecay", 0) and decays is not None:
        dfdx = dfdx + decays * x
    else:
        dfdx = call.decayed(dfdx)
    if momentum:
        if velocity is None:
            velocity = dfdx.copy()
        else:
            velocity *= momentum
            blocks.add(velocity, dfdx, 1 - dampening)
        state["dfdx"] = velocity
        dfdx = dfdx + momentum * velocity if nesterov else velocity
    if rates is not None:
        dfdx = rates * dfdx
    blocks.add(x, dfdx, -rate)
    state["evalCounter"] = steps + 1
    return x, [fx]
