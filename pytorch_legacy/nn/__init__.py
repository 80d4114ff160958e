"""Torch7's nn: every class by its own name, each in a file of that name in its family's folder."""

from .activation.LogSoftMax import LogSoftMax
from .activation.ReLU import ReLU
from .activation.Sigmoid import Sigmoid
from .activation.SoftMax import SoftMax
from .activation.Tanh import Tanh
from .activation.Threshold import Threshold
from .Container import Container
from .container.Concat import Concat
from .container.Sequential import Sequential
from .convolution.SpatialConvolution import SpatialConvolution
from .convolution.SpatialConvolutionMM import SpatialConvolutionMM
from .Criterion import Criterion
from .criterion.AbsCriterion import AbsCriterion
from .criterion.BCECriterion import BCECriterion
from .criterion.ClassNLLCriterion import ClassNLLCriterion
from .criterion.ClassSimplexCriterion import ClassSimplexCriterion
from .criterion.CosineEmbeddingCriterion import CosineEmbeddingCriterion
from .criterion.CrossEntropyCriterion import CrossEntropyCriterion
from .criterion.DistanceRatioCriterion import DistanceRatioCriterion
from .criterion.DistKLDivCriterion import DistKLDivCriterion
from .criterion.HingeEmbeddingCriterion import HingeEmbeddingCriterion
from .criterion.L1Cost import L1Cost
from .criterion.L1HingeEmbeddingCriterion import L1HingeEmbeddingCriterion
from .criterion.MarginCriterion import MarginCriterion
from .criterion.MarginRankingCriterion import MarginRankingCriterion
from .criterion.ModuleCriterion import ModuleCriterion
from .criterion.MSECriterion import MSECriterion
from .criterion.MultiCriterion import MultiCriterion
from .criterion.MultiLabelMarginCriterion import MultiLabelMarginCriterion
from .criterion.MultiLabelSoftMarginCriterion import MultiLabelSoftMarginCriterion
from .criterion.MultiMarginCriterion import MultiMarginCriterion
from .criterion.ParallelCriterion import ParallelCriterion
from .criterion.SmoothL1Criterion import SmoothL1Criterion
from .criterion.SoftMarginCriterion import SoftMarginCriterion
from .criterion.SpatialAutoCropMSECriterion import SpatialAutoCropMSECriterion
from .criterion.SpatialClassNLLCriterion import SpatialClassNLLCriterion
from .criterion.WeightedMSECriterion import WeightedMSECriterion
from .linear.Linear import Linear
from .Module import Module
from .normalization.BatchNormalization import BatchNormalization
from .normalization.SpatialBatchNormalization import SpatialBatchNormalization
from .normalization.VolumetricBatchNormalization import VolumetricBatchNormalization
from .padding.SpatialReplicationPadding import SpatialReplicationPadding
from .pooling.SpatialAdaptiveAveragePooling import SpatialAdaptiveAveragePooling
from .pooling.SpatialAdaptiveMaxPooling import SpatialAdaptiveMaxPooling
from .pooling.SpatialAveragePooling import SpatialAveragePooling
from .pooling.SpatialGlobalAveragePooling import SpatialGlobalAveragePooling
from .pooling.SpatialMaxPooling import SpatialMaxPooling
from .regularization.Dropout import Dropout
from .shape.Identity import Identity
from .shape.PixelShuffle import PixelShuffle
from .shape.Reshape import Reshape
from .shape.View import View
from .table.CAddTable import CAddTable
from .table.ConcatTable import ConcatTable
from .table.CriterionTable import CriterionTable
from .table.JoinTable import JoinTable
from .table.ParallelTable import ParallelTable
from .training.StochasticGradient import StochasticGradient
from .Unknown import Unknown

__all__ = [
    "AbsCriterion",
    "BCECriterion",
    "BatchNormalization",
    "CAddTable",
    "ClassNLLCriterion",
    "ClassSimplexCriterion",
    "Concat",
    "ConcatTable",
    "Container",
    "CosineEmbeddingCriterion",
    "Criterion",
    "CriterionTable",
    "CrossEntropyCriterion",
    "DistKLDivCriterion",
    "DistanceRatioCriterion",
    "Dropout",
    "HingeEmbeddingCriterion",
    "Identity",
    "JoinTable",
    "L1Cost",
    "L1HingeEmbeddingCriterion",
    "Linear",
    "LogSoftMax",
    "MSECriterion",
    "MarginCriterion",
    "MarginRankingCriterion",
    "Module",
    "ModuleCriterion",
    "MultiCriterion",
    "MultiLabelMarginCriterion",
    "MultiLabelSoftMarginCriterion",
    "MultiMarginCriterion",
    "ParallelCriterion",
    "ParallelTable",
    "PixelShuffle",
    "ReLU",
    "Reshape",
    "Sequential",
    "Sigmoid",
    "SmoothL1Criterion",
    "SoftMarginCriterion",
    "SoftMax",
    "SpatialAdaptiveAveragePooling",
    "SpatialAdaptiveMaxPooling",
    "SpatialAutoCropMSECriterion",
    "SpatialAveragePooling",
    "SpatialBatchNormalization",
    "SpatialClassNLLCriterion",
    "SpatialConvolution",
    "SpatialConvolutionMM",
    "SpatialGlobalAveragePooling",
    "SpatialMaxPooling",
    "SpatialReplicationPadding",
    "StochasticGradient",
    "Tanh",
    "Threshold",
    "Unknown",
    "View",
    "VolumetricBatchNormalization",
    "WeightedMSECriterion",
]
