"""Layers that bring values to a common mean and scale."""

from .BatchNormalization import BatchNormalization
from .Normalize import Normalize
from .SpatialBatchNormalization import SpatialBatchNormalization
from .SpatialContrastiveNormalization import SpatialContrastiveNormalization
from .SpatialCrossMapLRN import SpatialCrossMapLRN
from .SpatialDivisiveNormalization import SpatialDivisiveNormalization
from .SpatialInstanceNormalization import SpatialInstanceNormalization
from .SpatialSubtractiveNormalization import SpatialSubtractiveNormalization
from .VolumetricBatchNormalization import VolumetricBatchNormalization

__all__ = [
    "BatchNormalization",
    "Normalize",
    "SpatialBatchNormalization",
    "SpatialContrastiveNormalization",
    "SpatialCrossMapLRN",
    "SpatialDivisiveNormalization",
    "SpatialInstanceNormalization",
    "SpatialSubtractiveNormalization",
    "VolumetricBatchNormalization",
]
