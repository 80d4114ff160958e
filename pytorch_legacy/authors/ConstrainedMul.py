"""One learned factor in a range."""

from typing import Any

from pytorch_legacy.authors.ConstrainedFactor import ConstrainedFactor


class ConstrainedMul(ConstrainedFactor):
    """Multiplies by one learned number between 0.1 and 2: the last part of a PELU.

    .. math:: y = w \\, x

    Parameters
    ----------
    inplace : bool
        Write the output into the input; the backward pass divides the input again.

    Attributes
    ----------
    weight, gradWeight : array of 1
        1 at first. Each forward pass replaces a weight of 0.1 or less by 0.11, and of 2 or more by 1.99.

    Notes
    -----
    Shapes: any. The gradients of the original were wrong with `inplace`; here they are right.
    Source: pelu.resnet.torch ``ConstrainedMul``; Trottier et al. 2016.

    Examples
    --------
    >>> layer = authors.ConstrainedMul()
    >>> layer.weight[:] = 5
    >>> layer.forward(np.float32([1, 2])), layer.weight
    (array([1.99, 3.98], dtype=float32), array([1.99], dtype=float32))
    """

    _limits = ((0.1, 0.11), (2, 1.99))

    def _factor(self) -> Any:
        return self.weight[0]

    def _slope(self) -> float:
        return 1.0
