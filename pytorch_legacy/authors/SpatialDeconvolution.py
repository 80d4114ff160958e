"""Transposed convolution of planes."""

from pytorch_legacy import nn


class SpatialDeconvolution(nn.SpatialFullConvolution):
    """What ``nn.SpatialFullConvolution`` was called before.

    Notes
    -----
    Source: Torch7 ``nn.SpatialDeconvolution`` of 2014.
    """
