"""One learned divisor in a range."""

from typing import Any

from pytorch_legacy.authors.ConstrainedFactor import ConstrainedFactor


class ConstrainedDiv(ConstrainedFactor):
    """Divides by one learned number above 0.1: the first part of a PELU.

    .. math:: y = x / w

    Parameters
    ----------
    inplace : bool
        Write the output into the input; the backward pass multiplies the input again.

    Attributes
    ----------
    weight, gradWeight : array of 1
        1 at first. Each forward pass replaces a weight of 0.1 or less by 0.11.

    Notes
    -----
    Shapes: any. The gradients of the original were wrong with `inplace`; here they are right.
    Source: pelu.resnet.torch ``ConstrainedDiv``; Trottier et al. 2016.

    Examples
    --------
    >>> layer = authors.ConstrainedDiv()
    >>> layer.weight[:] = 4
    >>> layer.forward(np.float32([1, 2]))
    array([0.25, 0.5 ], dtype=float32)
    """

    _limits = ((0.1, 0.11),)

    def _factor(self) -> Any:
        return 1 / self.weight[0]

    def _slope(self) -> float:
        return -1 / float(self.weight[0]) ** 2
