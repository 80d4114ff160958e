"""Averaged stochastic gradient descent."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.optim.shared import Call, Opfunc, Table


def asgd(
    opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None
) -> tuple[Tensor, list[float], Tensor]:
    """One step of gradient descent, and of the average of all points after the first t0 + 1::

        x     = (1 - lambda * eta_t) * x - eta_t * g(x)
        ax    = ax + mu_t * (x - ax)
        eta_t = eta0 / (1 + lambda * eta0 * t) ^ alpha
        mu_t  = 1 / max(1, t - t0)

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient.
    x : array
        The point, moved in place.
    config : dict or other MutableMapping
        eta0 (1e-4), lambda (1e-4), alpha (0.75), t0 (1e6); those that are missing are filled in.
    state : dict or other MutableMapping
        Gets eta_t, mu_t, t and the average ax; `config` gets them if it is not given.

    Returns
    -------
    tuple
        x, a list with the value before the step, and the average, which is ``state["ax"]``.

    Notes
    -----
    Source: Torch7 optim.asgd, after Bottou's sgd 2.0.

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, state = np.array([3.0, -4.0]), {}
    >>> for step in range(3):
    ...     x, (loss,), average = optim.asgd(parabola, x, {"eta0": 0.1, "t0": 0}, state)
    ...     print(x.round(3), average.round(3))
    [ 2.4 -3.2] [ 2.4 -3.2]
    [ 1.92 -2.56] [ 1.92 -2.56]
    [ 1.536 -2.048] [ 1.728 -2.304]
    """
    call = Call("asgd", x, config, state)
    defaults = (("eta0", 1e-4), ("lambda", 1e-4), ("alpha", 0.75), ("t0", 1e6))
    options = {name: call.number(name, default) for name, default in defaults}
    eta0, decay, alpha, t0 = options.values()
    rate, share, t = call.last("eta_t", eta0), call.last("mu_t", 1), call.last("t") + 1
    average = call.remembered("ax")

    fx, dfdx = call.evaluate(opfunc)
    move = rate * dfdx  # now: the gradient may be x itself
    x *= 1 - decay * rate
    x -= move
    if share == 1:
        average[...] = x
    else:
        average += share * (x - average)
    for name, number in options.items():
        call.config[name] = number
    call.remember(t=t, eta_t=eta0 / (1 + decay * eta0 * t) ** alpha, mu_t=1 / max(1, t - t0), ax=average)
    return x, [fx], average
