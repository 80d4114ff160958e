"""Limited-memory BFGS."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from pytorch_legacy.optim.shared import Call, Opfunc, Table, entry, like


def lbfgs(opfunc: Opfunc, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """Minimizes along directions of an approximate Newton method, made from the last steps and changes of gradient.

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient.
    x : array
        The point, moved in place.
    config : dict or other MutableMapping
        maxIter (20), maxEval (1.25 * maxIter), tolFun (1e-5: stop when the sum of the gradient's sizes is no more),
        tolX (1e-9: stop when a step or its gain is no more), nCorrection (100 steps are remembered), learningRate (1:
        the length of a step, or where its search begins), lineSearch (for example ``optim.lswolfe``; without it steps
        have a fixed length), lineSearchOptions (handed to lineSearch), verbose (False).
    state : dict or other MutableMapping
        Gets funcEval, nIter and the memory (old_dirs, old_stps, Hdiag, g_old, f_old, t, d), so that the next call goes
        on; `config` gets them if it is not given.

    Returns
    -------
    tuple
        x, and a list of all values seen, the first one before the first step.

    Notes
    -----
    Without a line search the value after the last step is not asked for. Source: Torch7 optim.lbfgs, after minFunc of
    M. Schmidt; Nocedal and Wright, "Numerical optimization" (2006), algorithm 7.4.

    Examples
    --------
    >>> valley = lambda x: (x[0] ** 2 + 10 * x[1] ** 2, np.array([2, 20]) * x)
    >>> x, losses = optim.lbfgs(valley, np.array([3.0, -4.0]), {"maxIter": 20, "lineSearch": optim.lswolfe})
    >>> print(losses[0], losses[-1] < 1e-6)
    169.0 True
    """
    call = Call("lbfgs", x, config, state)
    config, state = call.config, call.state
    maxIter, count = call.count("maxIter", 20), call.number("nCorrection", 100)
    maxEval = float(call.number("maxEval", maxIter * 1.25))
    tolFun, tolX = call.number("tolFun", 1e-5), call.number("tolX", 1e-9)
    lineSearch: Callable[..., Any] | None = entry(config, "lineSearch")
    rate = call.number("learningRate", 1)
    memory = _memory(call)

    def stop(reason: str) -> bool:
        if entry(config, "verbose", False):
            print("<optim.lbfgs> ", reason)
        return True

    f, g = call.measure(opfunc)
    values = [f]
    evaluations = 1
    call.remember(**memory | {"funcEval": memory["funcEval"] + 1})
    if _size(g) <= tolFun:
        stop("optimality condition below tolFun")
        return x, values

    t: Any = call.last("t")  # 0 if the last call ended before its first step
    d: Any = entry(state, "d")
    for iteration in range(1, maxIter + 1):
        state["nIter"] += 1
        if state["nIter"] == 1:
            d = -g
            call.remember(old_dirs=[], old_stps=[], Hdiag=1.0)
        else:
            _remember(state, d * t, g - state["g_old"], count)
            d = _direction(state, g)
        state["g_old"], state["f_old"] = g.copy(), f

        gtd = _dot(g, d)
        if gtd > -tolX:
            break
        t = min(1.0, 1 / _size(g)) * rate if state["nIter"] == 1 else rate
        calls = 0
        if lineSearch is not None:
            f, g, x, t, calls = lineSearch(opfunc, x, t, d, f, g, gtd, entry(config, "lineSearchOptions"))
            values.append(f)
        else:
            x += t * d
            if iteration < maxIter:
                f, g = call.measure(opfunc)
                calls = 1
                values.append(f)
        evaluations += calls
        state["funcEval"] += calls

        if (
            (iteration == maxIter and stop("reached max number of iterations"))
            or (evaluations >= maxEval and stop("max nb of function evals"))
            or (_size(g) <= tolFun and stop("optimality condition below tolFun"))
            or (_size(t * d) <= tolX and stop("step size below tolX"))
            or (abs(f - state["f_old"]) < tolX and stop("function value changing less than tolX"))
        ):
            break
    state["t"], state["d"] = t, d
    return x, values


def _memory(call: Call) -> dict[str, Any]:
    """Returns the last call's part of the state, each array in the shape of x."""
    state, numbers = call.state, {name: call.last(name) for name in ("funcEval", "nIter")}
    if not numbers["nIter"]:
        return numbers
    lists = {}
    for name in ("old_dirs", "old_stps"):
        entries = entry(state, name) or []  # an empty list comes from a .t7 file as a dict
        if not isinstance(entries, list):
            raise DtypeError(f"{call.who}: state: {name}: expected a list of arrays, got {type(entries).__name__}")
        lists[name] = [like(f"{call.who}: state: {name}[{i}]", entry, call.x) for i, entry in enumerate(entries)]
    if len(lists["old_dirs"]) != len(lists["old_stps"]):
        counts = " and ".join(str(len(entries)) for entries in lists.values())
        raise ShapeError(f"{call.who}: state: expected as many old_stps as old_dirs, got {counts}")
    for name in ("g_old", "d", "f_old", "Hdiag"):
        if entry(state, name) is None:
            raise ValueRangeError(f"{call.who}: state: expected a value of {name!r} after {numbers['nIter']} iterations")
    arrays = {name: like(f"{call.who}: state: {name}", state[name], call.x) for name in ("g_old", "d")}
    return numbers | lists | arrays | {name: call.last(name) for name in ("f_old", "Hdiag", "t")}


def _dot(a: Tensor, b: Tensor) -> float:
    return float(a.ravel() @ b.ravel())


def _size(a: Tensor) -> float:
    return float(np.abs(a).sum())


def _remember(state: Table, step: Tensor, change: Tensor, count: int) -> None:
    """Keeps a step and the change of the gradient along it, if the function curves upward there."""
    curvature = _dot(change, step)
    if curvature <= 1e-10:
        return
    steps, changes = state["old_dirs"], state["old_stps"]
    if len(steps) == count:
        del steps[0], changes[0]
    steps.append(step)
    changes.append(change)
    state["old_dirs"], state["old_stps"] = steps, changes
    state["Hdiag"] = curvature / _dot(change, change)


def _direction(state: Table, g: Tensor) -> Tensor:
    """Minus the approximate inverse Hessian times the gradient: the recursion with two loops."""
    pairs = [(step, change, 1 / _dot(change, step)) for step, change in zip(state["old_dirs"], state["old_stps"], strict=True)]
    direction = -g
    weights = []
    for step, change, ro in reversed(pairs):
        weights.append(_dot(step, direction) * ro)
        direction -= weights[-1] * change
    direction *= state["Hdiag"]
    for (step, change, ro), weight in zip(pairs, reversed(weights), strict=True):
        direction += (weight - _dot(change, direction) * ro) * step
    return direction
