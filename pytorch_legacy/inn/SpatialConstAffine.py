"""A scale and a shift of each channel that nobody trains."""

from pytorch_legacy.inn.ConstAffine import ConstAffine


class SpatialConstAffine(ConstAffine):
    """ConstAffine as its first files call it; their numbers have the shape 1 x nOutputPlane x 1 x 1.

    Notes
    -----
    Source: imagine-nn ``SpatialConstAffine``.
    """

    def __init__(self, nOutputPlane: int, inplace: bool = False) -> None:
        super().__init__(nOutputPlane, inplace)
        self.a, self.b = self.a.reshape(1, -1, 1, 1), self.b.reshape(1, -1, 1, 1)
