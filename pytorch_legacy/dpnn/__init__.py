"""The layers of Element-Research's dpnn, as far as published models hold them. Torch7 knows them as ``nn.*``."""

from .ArgMax import ArgMax
from .BinaryClassReward import BinaryClassReward
from .BinaryLogisticRegression import BinaryLogisticRegression
from .CategoricalEntropy import CategoricalEntropy
from .Clip import Clip
from .Dictionary import Dictionary
from .FireModule import FireModule
from .Inception import Inception
from .NCECriterion import NCECriterion
from .NCEModule import NCEModule
from .PCAColorTransform import PCAColorTransform
from .Reinforce import Reinforce
from .ReinforceBernoulli import ReinforceBernoulli
from .ReinforceCategorical import ReinforceCategorical
from .ReinforceGamma import ReinforceGamma
from .ReinforceNormal import ReinforceNormal
from .ReverseTable import ReverseTable
from .Serial import Serial
from .SimpleColorTransform import SimpleColorTransform
from .SpatialBinaryConvolution import SpatialBinaryConvolution
from .SpatialBinaryLogisticRegression import SpatialBinaryLogisticRegression
from .SpatialFeatNormalization import SpatialFeatNormalization
from .SpatialGlimpse import SpatialGlimpse
from .SpatialRegionDropout import SpatialRegionDropout
from .SpatialUniformCrop import SpatialUniformCrop
from .TotalDropout import TotalDropout
from .VRClassReward import VRClassReward

__all__ = [
    "ArgMax",
    "BinaryClassReward",
    "BinaryLogisticRegression",
    "CategoricalEntropy",
    "Clip",
    "Dictionary",
    "FireModule",
    "Inception",
    "NCECriterion",
    "NCEModule",
    "PCAColorTransform",
    "Reinforce",
    "ReinforceBernoulli",
    "ReinforceCategorical",
    "ReinforceGamma",
    "ReinforceNormal",
    "ReverseTable",
    "Serial",
    "SimpleColorTransform",
    "SpatialBinaryConvolution",
    "SpatialBinaryLogisticRegression",
    "SpatialFeatNormalization",
    "SpatialGlimpse",
    "SpatialRegionDropout",
    "SpatialUniformCrop",
    "TotalDropout",
    "VRClassReward",
]
