"""A line search."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.optim.polyinterp import polyinterp
from pytorch_legacy.optim.shared import Opfunc, Table, asked, entry, evaluated, like, movable, table, value


def lswolfe(
    opfunc: Opfunc, x: Tensor, t: float, d: Tensor, f: float, g: Tensor, gtd: float, options: Table | None = None
) -> tuple[float, Tensor, Tensor, float, int]:
    """Looks along a direction for a point that satisfies the strong Wolfe conditions.

    That is a step t for which the value has fallen by c1 times what the slope promised, and the slope is at most c2
    times the first one. Steps grow until such points are bracketed; then the bracket shrinks.

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient.
    x : array
        The start, moved in place.
    t : float
        The first step to try.
    d : array
        The direction.
    f, g, gtd
        Value, gradient, and slope along `d` at the start.
    options : dict or other MutableMapping
        c1 (1e-4), c2 (0.9), tolX (1e-9, when to stop shrinking), maxIter (20), verbose (False).

    Returns
    -------
    tuple
        Value and gradient at the new point, x itself, the step, and the number of evaluations.

    Notes
    -----
    Source: Torch7 optim.lswolfe, after minFunc of M. Schmidt.

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> x, direction = np.array([3.0, -4.0]), np.array([-6.0, 8.0])
    >>> f, g = parabola(x)
    >>> f, g, x, step, evaluations = optim.lswolfe(parabola, x, 1.0, direction, f, g, g @ direction)
    >>> print(f, x, step)
    0.0 [0. 0.] 0.5
    """
    options = table("optim.lswolfe", "options", options)
    movable("optim.lswolfe", x)
    d, g = like("optim.lswolfe: d", d, x), like("optim.lswolfe: g", g, x)
    c1, c2, tolX = entry(options, "c1", 1e-4), entry(options, "c2", 0.9), entry(options, "tolX", 1e-9)
    maxIter = entry(options, "maxIter", 20)
    start = x.copy()
    evaluations = 0

    def at(step: float) -> dict[str, Any]:
        nonlocal evaluations
        evaluations += 1
        np.add(start, step * d, out=x)
        found, gradient = evaluated("optim.lswolfe", asked("optim.lswolfe", opfunc, x), x)
        number = float(value("optim.lswolfe", found))
        return {"t": step, "f": number, "g": np.array(gradient), "slope": float(gradient.ravel() @ d.ravel())}

    first = {"t": 0.0, "f": float(f), "g": np.array(g), "slope": float(gtd)}
    before, point = first, at(t)
    bracket: list[dict[str, Any]] = []
    done = False
    iteration = 0
    while iteration < maxIter:
        if point["f"] > f + c1 * point["t"] * gtd or (iteration > 1 and point["f"] >= before["f"]):
            bracket = [before, point]
        elif abs(point["slope"]) <= -c2 * gtd:
            bracket, done = [point], True
        elif point["slope"] >= 0:
            bracket = [before, point]
        if bracket:
            break
        least = point["t"] + 0.01 * (point["t"] - before["t"])
        step = polyinterp([_row(before), _row(point)], least, point["t"] * 10)
        before, point = point, at(step)
        iteration += 1
    if iteration == maxIter:
        bracket = [first, point]

    stuck = False
    while not done and iteration < maxIter:
        low = _lowest(bracket)
        high = 1 - low
        step = polyinterp([_row(bracket[0]), _row(bracket[1])])
        near, far = sorted(end["t"] for end in bracket)
        stuck, step = _kept_inside(step, near, far, stuck)
        point = at(step)
        iteration += 1
        if point["f"] > f + c1 * step * gtd or point["f"] >= bracket[low]["f"]:
            bracket[high] = point
        else:
            if abs(point["slope"]) <= -c2 * gtd:
                done = True
            elif point["slope"] * (bracket[high]["t"] - bracket[low]["t"]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
        if not done and abs((bracket[0]["t"] - bracket[1]["t"]) * point["slope"]) < tolX:
            break
    if iteration == maxIter and entry(options, "verbose", False):
        print("<optim.lswolfe> ", "reached max number of iterations")

    best = bracket[_lowest(bracket)]
    np.add(start, best["t"] * d, out=x)
    return best["f"], best["g"], x, best["t"], evaluations


def _row(point: dict[str, Any]) -> tuple[float, float, float]:
    return point["t"], point["f"], point["slope"]


def _lowest(bracket: list[dict[str, Any]]) -> int:
    return min(range(len(bracket)), key=lambda i: bracket[i]["f"])


def _kept_inside(step: float, near: float, far: float, stuck: bool) -> tuple[bool, float]:
    """A step too close to an end of the bracket is moved away from it, unless that happens for the first time."""
    if min(far - step, step - near) >= 0.1 * (far - near):
        return False, step
    if not stuck and near < step < far:
        return True, step
    return False, far - 0.1 * (far - near) if abs(step - far) < abs(step - near) else near + 0.1 * (far - near)
