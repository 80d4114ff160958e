"""Layers that make one cell of many."""

from .FeatureLPPooling import FeatureLPPooling
from .SoftGate import SoftGate
from .SpatialAdaptiveAveragePooling import SpatialAdaptiveAveragePooling
from .SpatialAdaptiveMaxPooling import SpatialAdaptiveMaxPooling
from .SpatialAveragePooling import SpatialAveragePooling
from .SpatialDilatedMaxPooling import SpatialDilatedMaxPooling
from .SpatialFractionalMaxPooling import SpatialFractionalMaxPooling
from .SpatialGatedPooling import SpatialGatedPooling
from .SpatialGaussianPooling import SpatialGaussianPooling
from .SpatialGlobalAveragePooling import SpatialGlobalAveragePooling
from .SpatialGlobalMaxPooling import SpatialGlobalMaxPooling
from .SpatialLocalImportancePooling import SpatialLocalImportancePooling
from .SpatialLPPooling import SpatialLPPooling
from .SpatialMaxPooling import SpatialMaxPooling
from .SpatialMaxUnpooling import SpatialMaxUnpooling
from .SpatialMixedPooling import SpatialMixedPooling
from .SpatialPowerAveragePooling import SpatialPowerAveragePooling
from .SpatialS3Pooling import SpatialS3Pooling
from .SpatialSimplifiedLIP import SpatialSimplifiedLIP
from .SpatialSoftPool import SpatialSoftPool
from .SpatialStochasticPooling import SpatialStochasticPooling
from .SpatialSubSampling import SpatialSubSampling
from .TemporalAdaptiveAveragePooling import TemporalAdaptiveAveragePooling
from .TemporalAdaptiveMaxPooling import TemporalAdaptiveMaxPooling
from .TemporalAveragePooling import TemporalAveragePooling
from .TemporalDynamicKMaxPooling import TemporalDynamicKMaxPooling
from .TemporalGlobalAveragePooling import TemporalGlobalAveragePooling
from .TemporalGlobalMaxPooling import TemporalGlobalMaxPooling
from .TemporalMaxPooling import TemporalMaxPooling
from .TemporalSoftPool import TemporalSoftPool
from .TemporalSubSampling import TemporalSubSampling
from .VolumetricAdaptiveAveragePooling import VolumetricAdaptiveAveragePooling
from .VolumetricAdaptiveMaxPooling import VolumetricAdaptiveMaxPooling
from .VolumetricAveragePooling import VolumetricAveragePooling
from .VolumetricDilatedMaxPooling import VolumetricDilatedMaxPooling
from .VolumetricFractionalMaxPooling import VolumetricFractionalMaxPooling
from .VolumetricGlobalAveragePooling import VolumetricGlobalAveragePooling
from .VolumetricGlobalMaxPooling import VolumetricGlobalMaxPooling
from .VolumetricMaxPooling import VolumetricMaxPooling
from .VolumetricMaxUnpooling import VolumetricMaxUnpooling
from .VolumetricSoftPool import VolumetricSoftPool

__all__ = [
    "FeatureLPPooling",
    "SoftGate",
    "SpatialAdaptiveAveragePooling",
    "SpatialAdaptiveMaxPooling",
    "SpatialAveragePooling",
    "SpatialDilatedMaxPooling",
    "SpatialFractionalMaxPooling",
    "SpatialGatedPooling",
    "SpatialGaussianPooling",
    "SpatialGlobalAveragePooling",
    "SpatialGlobalMaxPooling",
    "SpatialLPPooling",
    "SpatialLocalImportancePooling",
    "SpatialMaxPooling",
    "SpatialMaxUnpooling",
    "SpatialMixedPooling",
    "SpatialPowerAveragePooling",
    "SpatialS3Pooling",
    "SpatialSimplifiedLIP",
    "SpatialSoftPool",
    "SpatialStochasticPooling",
    "SpatialSubSampling",
    "TemporalAdaptiveAveragePooling",
    "TemporalAdaptiveMaxPooling",
    "TemporalAveragePooling",
    "TemporalDynamicKMaxPooling",
    "TemporalGlobalAveragePooling",
    "TemporalGlobalMaxPooling",
    "TemporalMaxPooling",
    "TemporalSoftPool",
    "TemporalSubSampling",
    "VolumetricAdaptiveAveragePooling",
    "VolumetricAdaptiveMaxPooling",
    "VolumetricAveragePooling",
    "VolumetricDilatedMaxPooling",
    "VolumetricFractionalMaxPooling",
    "VolumetricGlobalAveragePooling",
    "VolumetricGlobalMaxPooling",
    "VolumetricMaxPooling",
    "VolumetricMaxUnpooling",
    "VolumetricSoftPool",
]
