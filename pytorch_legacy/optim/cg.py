"""Conjugate gradients."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.optim.shared import Call, Opfunc, Table


def cg(opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """Minimizes by conjugate gradients (Polak and Ribiere) with a line search after Wolfe and Powell.

    A line search goes on until the value has fallen enough (rho) and the slope is flat enough (sig), by cubic and
    quadratic interpolation; then comes the next direction.

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient.
    x : array
        The point, moved in place.
    config : dict or other MutableMapping
        maxIter (20, evaluations in one line search), maxEval (1.25 * maxIter, evaluations in all, or some more), rho
        (0.01), sig (0.5), int (0.1, how far from the ends of an interval to stay), ext (3, how far to go beyond), ratio
        (100, between the first steps of two searches).
    state : dict or other MutableMapping
        Nothing is remembered from call to call.

    Returns
    -------
    tuple
        x, and a list of the values at the start and after each line search.

    Notes
    -----
    As in Torch7, the first line search that fails ends the call at the best point so far. Source: Torch7 optim.cg,
    after C. E. Rasmussen's minimize.

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, losses = optim.cg(parabola, np.array([3.0, -4.0]))
    >>> print(losses[0], losses[-1] < 1e-12)
    25.0 True
    """
    call = Call("cg", x, config, state)
    rho, sig = call.number("rho", 0.01), call.number("sig", 0.5)
    inside, beyond, ratio = call.number("int", 0.1), call.number("ext", 3.0), call.number("ratio", 100)
    maxIter = call.number("maxIter", 20)
    maxEval = call.number("maxEval", maxIter * 1.25)
    evaluations = 0

    def evaluate() -> tuple[Any, Tensor]:
        nonlocal evaluations
        evaluations += 1
        f, gradient = call.measure(opfunc)
        return np.float64(f), np.array(gradient)

    def slope(gradient: Tensor, direction: Tensor) -> Any:
        return np.float64(gradient.ravel() @ direction.ravel())

    # Numbers with 1, 2, 3: the start of the line search, the point under test, the one before it. A step z leads
    # from one to the next; f is a value, d a slope along the direction.
    with np.errstate(all="ignore"):  # an interpolation that fails is NaN or infinite, and is replaced
        f1, g1 = evaluate()
        values = [float(f1)]
        direction = -g1
        d1 = -slope(direction, direction)
        z1 = 1 / (1 - d1)
        while evaluations < abs(maxEval):
            start = x.copy()
            x += z1 * direction
            f2, g2 = evaluate()
            d2 = slope(g2, direction)
            f3, d3, z3 = f1, d1, -z1
            left = min(maxIter, maxEval - evaluations)
            limit = None
            while True:
                while (f2 > f1 + z1 * rho * d1 or d2 > -sig * d1) and left > 0:
                    limit = z1
                    z2 = _between(f1, f2, f3, d2, d3, z3)
                    z2 = max(min(z2, inside * z3), (1 - inside) * z3)
                    z1 = z1 + z2
                    x += z2 * direction
                    f2, g2 = evaluate()
                    d2 = slope(g2, direction)
                    left -= 1
                    z3 = z3 - z2
                enough = not (f2 > f1 + z1 * rho * d1 or d2 > -sig * d1)
                success = enough and d2 > sig * d1
                # If maxEval is a fraction, left never is 0, and Torch7 goes on: here as long as the value decreases.
                if not enough or success or left == 0 or (left < 0 and not f2 < f3):
                    break
                z2 = _ahead(f2, f3, d2, d3, z1, z3, limit, inside, beyond)
                f3, d3, z3 = f2, d2, -z2
                z1 = z1 + z2
                x += z2 * direction
                f2, g2 = evaluate()
                d2 = slope(g2, direction)
                left -= 1
            if not success:
                x[...] = start
                break
            f1 = f2
            values.append(float(f1))
            factor = (slope(g2, g2) - slope(g2, g1)) / slope(g1, g1)
            direction = factor * direction - g2
            g1 = g2
            d2 = slope(g1, direction)
            if d2 > 0:
                direction = -g1
                d2 = -slope(direction, direction)
            z1 = z1 * min(ratio, d1 / (d2 - 1e-320))
            d1 = d2
    return x, values


def _cubic(f2: Any, f3: Any, d2: Any, d3: Any, z3: Any) -> tuple[Any, Any]:
    """Coefficients of the cubic through two points with their slopes."""
    return 6 * (f2 - f3) / z3 + 3 * (d2 + d3), 3 * (f3 - f2) - z3 * (d3 + 2 * d2)


def _between(f1: Any, f2: Any, f3: Any, d2: Any, d3: Any, z3: Any) -> Any:
    """The step to the lowest point inside the interval; half of it if there is none."""
    if f2 > f1:
        step = z3 - 0.5 * d3 * z3 * z3 / (d3 * z3 + f2 - f3)
    else:
        a, b = _cubic(f2, f3, d2, d3, z3)
        step = (np.sqrt(b * b - a * d2 * z3 * z3) - b) / a
    return step if np.isfinite(step) else z3 / 2


def _ahead(f2: Any, f3: Any, d2: Any, d3: Any, z1: Any, z3: Any, limit: Any, inside: float, beyond: float) -> Any:
    """The step to the lowest point further on, neither too short nor too far; `limit` is where it was too far before."""
    a, b = _cubic(f2, f3, d2, d3, z3)
    step = -d2 * z3 * z3 / (b + np.sqrt(b * b - a * d2 * z3 * z3))
    if not np.isfinite(step) or step < 0:
        return z1 * (beyond - 1) if limit is None else (limit - z1) / 2
    if limit is not None and z1 + step > limit:
        return (limit - z1) / 2
    if limit is None and z1 + step > z1 * beyond:
        return z1 * (beyond - 1)
    if step < -z3 * inside:
        return -z3 * inside
    if limit is not None and step < (limit - z1) * (1 - inside):
        return (limit - z1) * (1 - inside)
    return step
