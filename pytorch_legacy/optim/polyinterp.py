"""The minimum of an interpolating polynomial."""

from typing import Any

import numpy as np


def polyinterp(points: Any, xminBound: float | None = None, xmaxBound: float | None = None) -> float:
    """Returns the minimum of the polynomial through the points, with their slopes.

    Parameters
    ----------
    points : array
        n x 3: position, value and slope of each point.
    xminBound, xmaxBound : float, optional
        Bounds of the search: by default, the lowest and the highest position of the points.

    Returns
    -------
    float
        The position. If the polynomial has no minimum there, the middle.

    Notes
    -----
    Torch7 returned the polynomial's value as a second number in some cases. Source: Torch7 optim.polyinterp, after
    minFunc of M. Schmidt.

    Examples
    --------
    >>> optim.polyinterp([[0, 1, -2], [2, 1, 2]])  # (x - 1)^2, by two points: place, value, slope
    1.0
    """
    points = np.asarray(points, np.float64)
    with np.errstate(all="ignore"):
        if len(points) == 2 and xminBound is None and xmaxBound is None:
            return _cubic(points)
        x = points[:, 0]
        low = float(x.min()) if xminBound is None else xminBound
        high = float(x.max()) if xmaxBound is None else xmaxBound
        polynomial = _through(points)
        places = [low, high, *x]
        derivative = np.polyder(polynomial)
        if np.isfinite(derivative).all():
            derivative[np.abs(derivative) < 1e-12] = 0
            places += [root.real for root in np.roots(derivative) if root.imag == 0]
        best: Any = (low + high) / 2
        lowest: Any = np.inf
        for place in places:
            value = np.polyval(polynomial, place)
            if low <= place <= high and value < lowest:
                best, lowest = place, value
        return float(best)


def _cubic(points: Any) -> float:
    """The minimum of a cubic between two points."""
    (x1, f1, g1), (x2, f2, g2) = points[np.argsort(points[:, 0], kind="stable")]
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    d2 = np.sqrt(d1**2 - g1 * g2)
    if np.isnan(d2):
        return float((x1 + x2) / 2)
    place = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    return float(min(max(place, x1), x2))


def _through(points: Any) -> Any:
    """The coefficients, highest power first."""
    powers = np.arange(2 * len(points))[::-1]
    x, f, g = points.T
    values = x[:, None] ** powers
    slopes = powers * x[:, None] ** np.maximum(powers - 1, 0)
    polynomial = np.linalg.lstsq(np.concatenate([values, slopes]), np.concatenate([f, g]), rcond=None)[0]
    polynomial[np.abs(polynomial) <= 1e-12] = 0
    return polynomial
