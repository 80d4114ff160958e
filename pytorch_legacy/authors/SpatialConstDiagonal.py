"""A scale and a shift of each channel that nobody trains."""

from pytorch_legacy.inn.ConstAffine import ConstAffine


class SpatialConstDiagonal(ConstAffine):
    """``inn.ConstAffine`` as DeepMask and multipathnet call it.

    Notes
    -----
    Source: DeepMask ``SpatialConstDiagonal``.

    Examples
    --------
    >>> layer = authors.SpatialConstDiagonal(2)
    >>> layer.a.ravel()[:], layer.b.ravel()[:] = [2, 10], [0, 5]
    >>> layer.forward(np.float32([3, 4]).reshape(1, 2, 1, 1)).ravel()
    array([ 6., 45.], dtype=float32)
    """
