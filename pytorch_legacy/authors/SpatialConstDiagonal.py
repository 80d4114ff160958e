"""A scale and a shift of each channel that nobody trains."""

from pytorch_legacy.inn.ConstAffine import ConstAffine


class SpatialConstDiagonal(ConstAffine):
    """``inn.ConstAffine`` as DeepMask and multipathnet call it.

    Notes
    -----
    Source: DeepMask ``SpatialConstDiagonal``.
    """
