"""Volumes stretched to another size."""

from pytorch_legacy.nn.sampling.resampling import Stretching


class VolumetricUpSamplingTrilinear(Stretching):
    """Stretches volumes, with straight lines between their cells along all three axes.

    The corners of input and output coincide, as in SpatialUpSamplingBilinear; an output lies between eight cells.

    Parameters
    ----------
    params : int or dict
        Scale factor of each axis, or the size of the output: ``{"odepth": 3, "oheight": 5, "owidth": 7}``.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, or a number is less than 1.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x odepth x oheight x owidth``.
    Source: the function of this name in Torch7's THNN, which nn.UpSampling calls; C:
    ``THNN/sampling/UpSamplingLinear.c``.

    Examples
    --------
    >>> x = np.float32([0, 4]).reshape(1, 2, 1, 1)
    >>> nn.VolumetricUpSamplingTrilinear({"odepth": 5, "oheight": 1, "owidth": 1}).forward(x).ravel()
    array([0., 1., 2., 3., 4.], dtype=float32)
    """

    _layer = "VolumetricUpSamplingTrilinear"
    _rank = 3
    odepth: int | None = None
