"""Transposed convolution of planes."""

from pytorch_legacy import nn


class SpatialDeconvolution(nn.SpatialFullConvolution):
    """An older name of ``nn.SpatialFullConvolution``.

    Notes
    -----
    Source: Torch7 ``nn.SpatialDeconvolution`` of 2014.

    Examples
    --------
    >>> layer = authors.SpatialDeconvolution(1, 1, 2, 1, 2, 1)
    >>> layer.weight[...], layer.bias[...] = [1, 10], 0
    >>> layer.forward(np.float32([[[1, 2]]]))
    array([[[ 1., 10.,  2., 20.]]], dtype=float32)
    """
