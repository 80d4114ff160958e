"""Functions with a part that is not smooth."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.optim.shared import Table, entry, evaluated, function, movable, table, value


def FistaLS(
    f: Callable[..., Any],
    g: Callable[[Tensor], float],
    pl: Callable[[Tensor, float], object],
    xinit: Tensor,
    params: Table | None = None,
) -> tuple[Tensor, list[dict[str, Any]]]:
    """Minimizes F(x) + G(x), of which only F is smooth, by the fast iterative shrinkage-thresholding algorithm.

    A step goes along the gradient of F, then to the minimizer for G near there; a line search finds its length 1 / L.

    Parameters
    ----------
    f : callable
        ``f(x)`` is F, ``f(x, "dx")`` F and its gradient.
    g : callable
        ``g(x)`` is G.
    pl : callable
        ``pl(x, L)`` moves x, in place, to the minimizer of ``G(y) + L / 2 * |y - x|^2``.
    xinit : array
        Gives the shape, and gets the result; the search begins at 0.
    params : dict or other MutableMapping
        L (0.1, and the last one used afterwards), Lstep (1.5, the factor of L in the line search), maxiter (50), maxline
        (20), errthres (1e-4: stop when F + G changes by no more), doFistaUpdate (False; True accelerates), verbose
        (False; True prints, and keeps each point).

    Returns
    -------
    tuple
        The point, and for each iteration a dict of nline, L, F (the sum), Fply, Gply and Q (the bound of F).

    Notes
    -----
    As in Torch7, acceleration is off unless it is asked for. Source: Torch7 optim.FistaLS; Beck and Teboulle, "A fast
    iterative shrinkage-thresholding algorithm for linear inverse problems" (2009).

    Examples
    --------
    >>> f = lambda x, mode=None: ((x - 3) @ (x - 3), 2 * (x - 3)) if mode else (x - 3) @ (x - 3)
    >>> g = lambda x: 2 * np.abs(x).sum()  # a cost that shrinks x
    >>> def nearest(x, L):
    ...     x[...] = np.sign(x) * np.maximum(np.abs(x) - 2 / L, 0)
    >>> x, history = optim.FistaLS(f, g, nearest, np.zeros(2))
    >>> print(x.round(3), round(history[-1]["F"], 3))
    [1.999 1.999] 10.0
    """
    params = table("optim.FistaLS", "params", params)
    L = entry(params, "L", 0.1)
    verbose = entry(params, "verbose", False)
    x = movable("optim.FistaLS", xinit)
    for name, given in (("f", f), ("g", g), ("pl", pl)):
        function("optim.FistaLS", name, given)
    last, y = np.zeros_like(x), np.zeros_like(x)
    momentum = 1.0
    history: list[dict[str, Any]] = []
    for iteration in range(entry(params, "maxiter", 50)):
        fy, gradient = evaluated("optim.FistaLS", f(y, "dx"), x)
        fy = value("optim.FistaLS", fy)
        for line in range(entry(params, "maxline", 20) + 1):
            moved = y - gradient / L
            pl(moved, L)
            x[...] = moved
            there = value("optim.FistaLS", f(moved))
            moved -= y
            bound = fy + float(np.vdot(gradient, moved)) + L / 2 * float(np.vdot(moved, moved))
            if verbose:
                print(f"nline={line} L={L:g} fply={there:g} Q={bound:g} fy={fy:g}")
            if there <= bound:
                break
            if line == entry(params, "maxline", 20):
                x[...] = last
            else:
                L *= entry(params, "Lstep", 1.5)
        if entry(params, "doFistaUpdate", False):
            following = (1 + np.sqrt(1 + 4 * momentum * momentum)) / 2
            y[...] = x + float((1 - momentum) / following) * (last - x)
            last[...] = x
            momentum = following
        else:
            y[...] = x
        smooth, rough = value("optim.FistaLS", f(y)), value("optim.FistaLS", g(y))
        shown = {"nline": line + 1, "L": L, "F": smooth + rough, "Fply": smooth, "Gply": rough, "Q": bound}
        history.append(shown | ({"xk": x.copy(), "y": y.copy()} if verbose else {}))
        params["L"] = L
        if verbose:
            print(f"iter={iteration} enew={shown['F']:g}")
        if iteration and abs(history[-1]["F"] - history[-2]["F"]) <= entry(params, "errthres", 1e-4):
            break
    x[...] = y
    return y, history
