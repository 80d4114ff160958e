"""Differential evolution."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.optim.shared import Call, Table, asked, value


def de(opfunc: Any, x: Tensor, config: Table | None = None, state: Table | None = None) -> tuple[Tensor, Tensor]:
    """Minimizes without gradients: a population of points that are mixed, and replaced by better ones.

    A child takes each element from the best point plus scaleFactor times the difference of two others with probability
    crossoverRate, else from its parent, whom it replaces if it is no worse.

    Parameters
    ----------
    opfunc : callable
        From x to the value; a gradient behind it is ignored.
    x : array
        Gives shape and dtype; its values do not matter.
    config : dict or other MutableMapping
        maxFEs (how many evaluations), scaleFactor, crossoverRate, popsize (10 for each element), minRegion (-30) and
        maxRegion (30) of the first population.

    Returns
    -------
    tuple
        The best point, and the values of all evaluations.

    Notes
    -----
    The random numbers are the same in every call: Torch7 used a generator of its own, seeded with 1. Also as in Torch7,
    the best point of the first generation is the one with the highest value, and child number i is built from the
    best point alone if i is drawn. Source: Torch7 optim.de; Storn and Price, "Differential evolution" (1997).

    Examples
    --------
    >>> bumpy = lambda x: ((x**2).sum() + 0.1 * np.cos(20 * x).sum(), None)
    >>> x, losses = optim.de(bumpy, np.array([3.0, -4.0]), {"maxFEs": 4000, "scaleFactor": 0.5, "crossoverRate": 0.9})
    >>> print(losses.min().round(3), np.abs(x).round(2))
    -0.153 [0.15 0.15]
    """
    call = Call("de", x, config, state)
    size = x.size
    count = int(call.number("popsize", 10 * size))
    if count < 3:
        raise ValueRangeError(f"optim.de: config: popsize: expected 3 points or more, got {count}")
    low, high = call.number("minRegion", -30), call.number("maxRegion", 30)
    maxFEs, scaleFactor, crossoverRate = (call.required(name) for name in ("maxFEs", "scaleFactor", "crossoverRate"))
    generator = np.random.RandomState(1)  # the same Mersenne Twister

    def draws(number: int) -> Tensor:
        return generator.randint(0, 2**32, number, np.uint32)

    def other(*taken: int) -> int:
        while (index := int(draws(1)[0]) % count) in taken:
            pass
        return index

    def evaluated(points: Tensor) -> Tensor:
        found = np.array([value(call.who, asked(call.who, opfunc, point.reshape(x.shape))) for point in points], x.dtype)
        values.extend(found)
        return found

    values: list[Any] = []
    points = (draws(count * size) * 2.0**-32 * (high - low) + low).astype(x.dtype).reshape(count, size)
    fitness = evaluated(points)
    best = points[fitness.argmax()].copy()
    lowest = fitness.max()
    while len(values) + 1 < maxFEs:
        children = np.empty_like(points)
        for i in range(count):
            first = other(i)
            second = other(i, first)
            whole = int(draws(1)[0]) % size == i
            mixed = draws(size) * 2.0**-32 < crossoverRate
            child = best + scaleFactor * (points[first] - points[second])
            children[i] = np.where(mixed | whole, child, points[i])
        found = evaluated(children)
        for i in np.flatnonzero(found <= fitness).tolist():
            points[i], fitness[i] = children[i], found[i]
            if found[i] < lowest:
                lowest = found[i]
                best[...] = children[i]
    return best.reshape(x.shape), np.array(values)
