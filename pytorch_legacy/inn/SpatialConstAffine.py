"""A scale and a shift of each channel that nobody trains."""

from pytorch_legacy.inn.ConstAffine import ConstAffine


class SpatialConstAffine(ConstAffine):
    """ConstAffine as its first files call it; their numbers have the shape 1 x nOutputPlane x 1 x 1.

    Notes
    -----
    Source: imagine-nn ``SpatialConstAffine``.

    Examples
    --------
    >>> layer = inn.SpatialConstAffine(2)
    >>> layer.a.ravel()[:], layer.b.ravel()[:] = [2, 10], [0, 5]
    >>> layer.forward(np.float32([3, 4]).reshape(1, 2, 1, 1)).ravel()
    array([ 6., 45.], dtype=float32)
    """

    def __init__(self, nOutputPlane: int, inplace: bool = False) -> None:
        super().__init__(nOutputPlane, inplace)
        self.a, self.b = self.a.reshape(1, -1, 1, 1), self.b.reshape(1, -1, 1, 1)
