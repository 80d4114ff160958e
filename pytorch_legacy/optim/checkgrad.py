"""A test of gradients."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.optim.shared import Opfunc, asked, evaluated, movable, value


def checkgrad(opfunc: Opfunc, x: Tensor, eps: float = 1e-7) -> tuple[float, Tensor, Tensor]:
    """Compares the gradient that opfunc gives with central differences.

    Parameters
    ----------
    opfunc : callable
        From x to the value and the gradient.
    x : array
        The point; afterwards it is as it was. Use double precision.
    eps : float
        How far to go to both sides.

    Returns
    -------
    tuple
        ``|g - e| / |g + e|``, which should be near 0, the gradient g, and its estimate e.

    Notes
    -----
    Source: Torch7 optim.checkgrad.

    Examples
    --------
    >>> parabola = lambda x: ((x**2).sum(), 2 * x)
    >>> difference, gradient, estimate = optim.checkgrad(parabola, np.array([3.0, -4.0]))
    >>> print(difference < 1e-6, gradient, estimate.round(4))
    True [ 6. -8.] [ 6. -8.]
    """
    movable("optim.checkgrad", x)
    gradient = np.array(evaluated("optim.checkgrad", asked("optim.checkgrad", opfunc, x), x)[1])
    estimate = np.empty_like(gradient)
    for i in np.ndindex(x.shape):
        kept = x[i]
        try:
            x[i] = kept + eps
            above = value("optim.checkgrad", opfunc(x))
            x[i] = kept - eps
            below = value("optim.checkgrad", opfunc(x))
        finally:
            x[i] = kept
        estimate[i] = (above - below) / (2 * eps)
    return float(np.linalg.norm(gradient - estimate) / np.linalg.norm(gradient + estimate)), gradient, estimate
