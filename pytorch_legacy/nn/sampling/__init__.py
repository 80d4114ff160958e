"""Planes with more cells, or fewer, or looked at elsewhere."""

from .SpatialGridSamplerBilinear import SpatialGridSamplerBilinear
from .SpatialUpSamplingBilinear import SpatialUpSamplingBilinear
from .SpatialUpSamplingNearest import SpatialUpSamplingNearest
from .UpSampling import UpSampling
from .VolumetricUpSamplingNearest import VolumetricUpSamplingNearest
from .VolumetricUpSamplingTrilinear import VolumetricUpSamplingTrilinear

__all__ = [
    "SpatialGridSamplerBilinear",
    "SpatialUpSamplingBilinear",
    "SpatialUpSamplingNearest",
    "UpSampling",
    "VolumetricUpSamplingNearest",
    "VolumetricUpSamplingTrilinear",
]
