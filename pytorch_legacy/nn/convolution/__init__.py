"""Learned filters over time and space."""

from .SpatialConvolution import SpatialConvolution
from .SpatialConvolutionLocal import SpatialConvolutionLocal
from .SpatialConvolutionMap import SpatialConvolutionMap
from .SpatialConvolutionMM import SpatialConvolutionMM
from .SpatialDepthWiseConvolution import SpatialDepthWiseConvolution
from .SpatialDilatedConvolution import SpatialDilatedConvolution
from .SpatialFullConvolution import SpatialFullConvolution
from .SpatialFullConvolutionMap import SpatialFullConvolutionMap
from .TemporalConvolution import TemporalConvolution
from .TemporalRowConvolution import TemporalRowConvolution
from .VolumetricConvolution import VolumetricConvolution
from .VolumetricDilatedConvolution import VolumetricDilatedConvolution
from .VolumetricFullConvolution import VolumetricFullConvolution

__all__ = [
    "SpatialConvolution",
    "SpatialConvolutionLocal",
    "SpatialConvolutionMM",
    "SpatialConvolutionMap",
    "SpatialDepthWiseConvolution",
    "SpatialDilatedConvolution",
    "SpatialFullConvolution",
    "SpatialFullConvolutionMap",
    "TemporalConvolution",
    "TemporalRowConvolution",
    "VolumetricConvolution",
    "VolumetricDilatedConvolution",
    "VolumetricFullConvolution",
]
