"""The layers of imagine-nn (inn)."""

from . import utils as utils
from .ConstAffine import ConstAffine
from .MeanSubtraction import MeanSubtraction
from .ROIPooling import ROIPooling
from .SpatialAveragePooling import SpatialAveragePooling
from .SpatialConstAffine import SpatialConstAffine
from .SpatialCrossResponseNormalization import SpatialCrossResponseNormalization
from .SpatialMaxPooling import SpatialMaxPooling
from .SpatialPyramidPooling import SpatialPyramidPooling
from .SpatialSameResponseNormalization import SpatialSameResponseNormalization
from .SpatialStochasticPooling import SpatialStochasticPooling

__all__ = [
    "ConstAffine",
    "MeanSubtraction",
    "ROIPooling",
    "SpatialAveragePooling",
    "SpatialConstAffine",
    "SpatialCrossResponseNormalization",
    "SpatialMaxPooling",
    "SpatialPyramidPooling",
    "SpatialSameResponseNormalization",
    "SpatialStochasticPooling",
    "utils",
]
