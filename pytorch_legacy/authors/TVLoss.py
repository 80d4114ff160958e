"""A pull towards smooth images."""

from pytorch_legacy.authors.TotalVariation import TotalVariation


class TVLoss(TotalVariation):
    """TotalVariation as neural-style calls it.

    Notes
    -----
    Source: neural-style ``TVLoss``.
    """
