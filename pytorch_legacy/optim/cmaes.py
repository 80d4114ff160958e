"""Evolution with an adapted covariance matrix."""

import math
from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.optim.shared import Call, Table, asked, entry, value


def cmaes(opfunc: Any, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, list[float]]:
    """Minimizes without gradients: points are drawn from a normal distribution that follows the better ones.

    Parameters
    ----------
    opfunc : callable
        From x to the value; a gradient behind it is ignored.
    x : array
        Initial centre of the distribution.
    config : dict or other MutableMapping
        sigma (its first deviation), maxEval (1000 n^2 for n elements), ftarget (stop at this value), popsize (4 + 3 log
        n, rounded down), min_iterations (1), verb_disp (0: print nothing; k: a line each k generations).
    state : dict or other MutableMapping
        Table in which Torch7 looks for these options if it is given.

    Returns
    -------
    tuple
        The best point, and a list: the value at x, the best one of each generation, and the best one of all.

    Notes
    -----
    Draws come from the generator of ``pytorch_legacy.random``. Source: Torch7 optim.cmaes, after barecmaes2 of N.
    Hansen; Hansen, "The CMA evolution strategy: a tutorial" (2005).

    Examples
    --------
    >>> pl.manualSeed(1)
    >>> bumpy = lambda x: ((x**2).sum() + 0.1 * np.cos(20 * x).sum(), None)
    >>> x, losses = optim.cmaes(bumpy, np.array([3.0, -4.0]), {"sigma": 1.0, "maxEval": 600})
    >>> print(round(losses[0], 3), round(losses[-1], 3), np.abs(x).round(2))
    24.894 -0.153 [0.15 0.15]
    """
    call = Call("cmaes", x, config, state)
    state, n = call.state, x.size
    if n == 0:
        raise ShapeError(f"optim.cmaes: x: expected one element or more, got shape {x.shape}")
    mean = x.astype(np.float64).ravel()
    sigma, target = call.required("sigma", state), entry(state, "ftarget")
    count = int(entry(state, "popsize") or 4 + math.floor(3 * math.log(n)))
    if count < 2:
        raise ValueRangeError(f"optim.cmaes: config: popsize: expected 2 points or more, got {count}")
    maxEval = float(entry(state, "maxEval") or 1e3 * n**2)
    shown = entry(state, "verb_disp", 0)

    # Weights of the better half, and how fast the paths (s: step size, c: covariance) and the matrix learn.
    half = count / 2
    weights = math.log(half + 0.5) - np.log(np.arange(1, int(half) + 1))
    weights /= weights.sum()
    effective = weights.sum() ** 2 / (weights**2).sum()
    forC = (4 + effective / n) / (n + 4 + 2 * effective / n)
    forS = (effective + 2) / (n + effective + 5)
    rankOne = 2 / ((n + 1.3) ** 2 + effective)
    rankMu = min(1 - rankOne, 2 * (effective - 2 + 1 / effective) / ((n + 2) ** 2 + effective))
    damping = 2 * effective / count + 0.3 + forS

    pathC, pathS = np.zeros(n), np.zeros(n)
    axes, lengths = np.eye(n), np.ones(n)
    covariance, inverseRoot = np.eye(n), np.eye(n)
    decomposed = evaluations = iteration = 0
    values = [float(value(call.who, asked(call.who, opfunc, x)))]
    best, lowest = mean.copy(), math.inf
    fitness = np.empty(0)

    def finished() -> bool:
        if evaluations == 0:
            return False
        return bool(
            evaluations >= maxEval
            or (target is not None and fitness[0] <= target)
            or lengths.max() > 1e7 * lengths.min()
            or (len(fitness) > 1 and fitness[-1] - fitness[0] < 1e-12)
            or sigma * lengths.max() < 1e-11
        )

    while not finished() or iteration < entry(state, "min_iterations", 1):
        iteration += 1
        if evaluations - decomposed > count / (rankOne + rankMu) / n / 10:
            decomposed = evaluations
            covariance = np.triu(covariance) + np.triu(covariance, 1).T
            variances, axes = np.linalg.eigh(covariance, "U")
            lengths = np.sqrt(variances)
            inverseRoot = axes @ np.diag(1 / lengths) @ axes.T
        points = np.array(
            [mean + axes @ (random.normal(0, 1, n, np.float64) * lengths) * sigma for _ in range(count)], np.float64
        )
        fitness = np.array([value(call.who, opfunc(point.astype(x.dtype).reshape(x.shape))) for point in points], np.float64)
        evaluations += count
        order = np.argsort(fitness, kind="stable")
        fitness, chosen = fitness[order], points[order[: len(weights)]]
        values.append(float(fitness[0]))
        if fitness[0] < lowest:
            best, lowest = chosen[0].copy(), float(fitness[0])

        old, mean = mean, weights @ chosen
        move = mean - old
        pathS = (1 - forS) * pathS + inverseRoot @ move * (math.sqrt(forS * (2 - forS) * effective) / sigma)
        steady = (pathS**2).sum() / (1 - (1 - forS) ** (2 * evaluations / count)) / n < 2 + 4 / (n + 1)
        pathC = (1 - forC) * pathC + move * (math.sqrt(forC * (2 - forC) * effective) / sigma) * steady
        loss = rankOne - (1 - steady) * rankOne * forC * (2 - forC)
        spread = (chosen - old).T @ (weights[:, None] * (chosen - old)) / sigma**2
        covariance = (1 - loss - rankMu) * covariance + rankOne * np.outer(pathC, pathC) + rankMu * spread
        sigma *= math.exp(min(0.6, forS / damping * ((pathS**2).sum() / n - 1) / 2))
        if shown and (iteration <= 2 or iteration % shown == 0):
            deviation = sigma * math.sqrt(np.diag(covariance).max())
            print(f"{evaluations}:  {lengths.max() / lengths.min():6.1f} {deviation:8.1e}  {fitness[0]:.14g}")
    if shown:
        print(f"best f-value = {lowest:.14g}")
    return best.astype(x.dtype).reshape(x.shape), [*values, lowest]
