"""The layers of nnx, experiments that found their way into models. Torch7 knows them as ``nn.*``."""

from .Balance import Balance
from .FunctionWrapper import FunctionWrapper
from .Minus import Minus
from .MultiSoftMax import MultiSoftMax
from .PullTable import PullTable
from .PushTable import PushTable
from .SaturatedLU import SaturatedLU
from .SoftMaxTree import SoftMaxTree
from .SpatialClassifier import SpatialClassifier
from .SpatialDownSampling import SpatialDownSampling
from .SpatialLinear import SpatialLinear
from .SpatialNormalization import SpatialNormalization
from .SpatialPadding import SpatialPadding
from .SpatialReSampling import SpatialReSampling
from .SpatialReSamplingEx import SpatialReSamplingEx
from .SpatialUpSampling import SpatialUpSampling
from .TreeNLLCriterion import TreeNLLCriterion

__all__ = [
    "Balance",
    "FunctionWrapper",
    "Minus",
    "MultiSoftMax",
    "PullTable",
    "PushTable",
    "SaturatedLU",
    "SoftMaxTree",
    "SpatialClassifier",
    "SpatialDownSampling",
    "SpatialLinear",
    "SpatialNormalization",
    "SpatialPadding",
    "SpatialReSampling",
    "SpatialReSamplingEx",
    "SpatialUpSampling",
    "TreeNLLCriterion",
]
