"""Losses: a number for an input and a target, and the gradient of the input."""

from .AbsCriterion import AbsCriterion
from .BCECriterion import BCECriterion
from .ClassNLLCriterion import ClassNLLCriterion
from .ClassSimplexCriterion import ClassSimplexCriterion
from .CosineEmbeddingCriterion import CosineEmbeddingCriterion
from .CrossEntropyCriterion import CrossEntropyCriterion
from .DistanceRatioCriterion import DistanceRatioCriterion
from .DistKLDivCriterion import DistKLDivCriterion
from .HingeEmbeddingCriterion import HingeEmbeddingCriterion
from .L1Cost import L1Cost
from .L1HingeEmbeddingCriterion import L1HingeEmbeddingCriterion
from .MarginCriterion import MarginCriterion
from .MarginRankingCriterion import MarginRankingCriterion
from .ModuleCriterion import ModuleCriterion
from .MSECriterion import MSECriterion
from .MultiCriterion import MultiCriterion
from .MultiLabelMarginCriterion import MultiLabelMarginCriterion
from .MultiLabelSoftMarginCriterion import MultiLabelSoftMarginCriterion
from .MultiMarginCriterion import MultiMarginCriterion
from .ParallelCriterion import ParallelCriterion
from .SmoothL1Criterion import SmoothL1Criterion
from .SoftMarginCriterion import SoftMarginCriterion
from .SpatialAutoCropMSECriterion import SpatialAutoCropMSECriterion
from .SpatialClassNLLCriterion import SpatialClassNLLCriterion
from .WeightedMSECriterion import WeightedMSECriterion

__all__ = [
    "AbsCriterion",
    "BCECriterion",
    "ClassNLLCriterion",
    "ClassSimplexCriterion",
    "CosineEmbeddingCriterion",
    "CrossEntropyCriterion",
    "DistKLDivCriterion",
    "DistanceRatioCriterion",
    "HingeEmbeddingCriterion",
    "L1Cost",
    "L1HingeEmbeddingCriterion",
    "MSECriterion",
    "MarginCriterion",
    "MarginRankingCriterion",
    "ModuleCriterion",
    "MultiCriterion",
    "MultiLabelMarginCriterion",
    "MultiLabelSoftMarginCriterion",
    "MultiMarginCriterion",
    "ParallelCriterion",
    "SmoothL1Criterion",
    "SoftMarginCriterion",
    "SpatialAutoCropMSECriterion",
    "SpatialClassNLLCriterion",
    "WeightedMSECriterion",
]
