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
from .criterion.ClassNLLCriterion import ClassNLLCriterion
from .criterion.CrossEntropyCriterion import CrossEntropyCriterion
from .criterion.MSECriterion import MSECriterion
from .linear.Linear import Linear
from .Module import Module
from .normalization.BatchNormalization import BatchNormalization
from .normalization.SpatialBatchNormalization import SpatialBatchNormalization
from .normalization.VolumetricBatchNormalization import VolumetricBatchNormalization
from .padding.SpatialReplicationPadding import SpatialReplicationPadding
from .pooling.FeatureLPPooling import FeatureLPPooling
from .pooling.SpatialAdaptiveAveragePooling import SpatialAdaptiveAveragePooling
from .pooling.SpatialAdaptiveMaxPooling import SpatialAdaptiveMaxPooling
from .pooling.SpatialAveragePooling import SpatialAveragePooling
from .pooling.SpatialGatedPooling import SpatialGatedPooling
from .pooling.SpatialGaussianPooling import SpatialGaussianPooling
from .pooling.SpatialGlobalAveragePooling import SpatialGlobalAveragePooling
from .pooling.SpatialLPPooling import SpatialLPPooling
from .pooling.SpatialMaxPooling import SpatialMaxPooling
from .pooling.SpatialMixedPooling import SpatialMixedPooling
from .pooling.SpatialPowerAveragePooling import SpatialPowerAveragePooling
from .pooling.SpatialSubSampling import SpatialSubSampling
from .pooling.TemporalSubSampling import TemporalSubSampling
from .regularization.Dropout import Dropout
from .shape.Identity import Identity
from .shape.PixelShuffle import PixelShuffle
from .shape.Reshape import Reshape
from .shape.View import View
from .table.CAddTable import CAddTable
from .table.ConcatTable import ConcatTable
from .table.JoinTable import JoinTable
from .table.ParallelTable import ParallelTable
from .training.StochasticGradient import StochasticGradient
from .Unknown import Unknown

__all__ = [
    "BatchNormalization",
    "CAddTable",
    "ClassNLLCriterion",
    "Concat",
    "ConcatTable",
    "Container",
    "Criterion",
    "CrossEntropyCriterion",
    "Dropout",
    "FeatureLPPooling",
    "Identity",
    "JoinTable",
    "Linear",
    "LogSoftMax",
    "MSECriterion",
    "Module",
    "ParallelTable",
    "PixelShuffle",
    "ReLU",
    "Reshape",
    "Sequential",
    "Sigmoid",
    "SoftMax",
    "SpatialAdaptiveAveragePooling",
    "SpatialAdaptiveMaxPooling",
    "SpatialAveragePooling",
    "SpatialBatchNormalization",
    "SpatialConvolution",
    "SpatialConvolutionMM",
    "SpatialGatedPooling",
    "SpatialGaussianPooling",
    "SpatialGlobalAveragePooling",
    "SpatialLPPooling",
    "SpatialMaxPooling",
    "SpatialMixedPooling",
    "SpatialPowerAveragePooling",
    "SpatialReplicationPadding",
    "SpatialSubSampling",
    "StochasticGradient",
    "Tanh",
    "TemporalSubSampling",
    "Threshold",
    "Unknown",
    "View",
    "VolumetricBatchNormalization",
]
