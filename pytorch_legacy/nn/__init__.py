"""Torch7's nn: every class by its own name, each in a file of that name in its family's folder."""

from .activation.Abs import Abs
from .activation.Clamp import Clamp
from .activation.CReLU import CReLU
from .activation.ELU import ELU
from .activation.Exp import Exp
from .activation.GatedLinearUnit import GatedLinearUnit
from .activation.HardShrink import HardShrink
from .activation.HardTanh import HardTanh
from .activation.LeakyReLU import LeakyReLU
from .activation.Log import Log
from .activation.LogSigmoid import LogSigmoid
from . import Jacobian as Jacobian
from . import SparseJacobian as SparseJacobian
from . import hessian as hessian
from . import tables as tables
from . import utils as utils
from .activation.LogSoftMax import LogSoftMax
from .activation.Power import Power
from .activation.PReLU import PReLU
from .activation.ReLU import ReLU
from .activation.ReLU6 import ReLU6
from .activation.RReLU import RReLU
from .activation.Sigmoid import Sigmoid
from .activation.SoftMax import SoftMax
from .activation.SoftMin import SoftMin
from .activation.SoftPlus import SoftPlus
from .activation.SoftShrink import SoftShrink
from .activation.SoftSign import SoftSign
from .activation.SpatialLogSoftMax import SpatialLogSoftMax
from .activation.SpatialSoftMax import SpatialSoftMax
from .activation.Sqrt import Sqrt
from .activation.Square import Square
from .activation.Tanh import Tanh
from .activation.TanhShrink import TanhShrink
from .activation.Threshold import Threshold
from .Container import Container
from .container.Bottle import Bottle
from .container.Concat import Concat
from .container.Convert import Convert
from .container.DepthConcat import DepthConcat
from .container.GPU import GPU
from .container.LayerNormalization import LayerNormalization
from .container.MapTable import MapTable
from .container.Maxout import Maxout
from .container.Parallel import Parallel
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
from .decorator.Decorator import Decorator
from .decorator.DontCast import DontCast
from .decorator.NaN import NaN
from .decorator.Profile import Profile
from .decorator.WeightNorm import WeightNorm
from .linear.Linear import Linear
from .math.MulConstant import MulConstant
from .Module import Module
from .normalization.BatchNormalization import BatchNormalization
from .normalization.SpatialBatchNormalization import SpatialBatchNormalization
from .normalization.VolumetricBatchNormalization import VolumetricBatchNormalization
from .padding.SpatialReplicationPadding import SpatialReplicationPadding
from .pooling.SpatialAdaptiveAveragePooling import SpatialAdaptiveAveragePooling
from .pooling.SpatialAdaptiveMaxPooling import SpatialAdaptiveMaxPooling
from .pooling.SpatialAveragePooling import SpatialAveragePooling
from .pooling.SpatialDilatedMaxPooling import SpatialDilatedMaxPooling
from .pooling.SpatialGlobalAveragePooling import SpatialGlobalAveragePooling
from .pooling.SpatialGlobalMaxPooling import SpatialGlobalMaxPooling
from .pooling.SpatialMaxPooling import SpatialMaxPooling
from .pooling.TemporalAdaptiveAveragePooling import TemporalAdaptiveAveragePooling
from .pooling.TemporalAdaptiveMaxPooling import TemporalAdaptiveMaxPooling
from .pooling.TemporalAveragePooling import TemporalAveragePooling
from .pooling.TemporalGlobalAveragePooling import TemporalGlobalAveragePooling
from .pooling.TemporalGlobalMaxPooling import TemporalGlobalMaxPooling
from .pooling.TemporalMaxPooling import TemporalMaxPooling
from .pooling.VolumetricAdaptiveAveragePooling import VolumetricAdaptiveAveragePooling
from .pooling.VolumetricAdaptiveMaxPooling import VolumetricAdaptiveMaxPooling
from .pooling.VolumetricAveragePooling import VolumetricAveragePooling
from .pooling.VolumetricDilatedMaxPooling import VolumetricDilatedMaxPooling
from .pooling.VolumetricGlobalAveragePooling import VolumetricGlobalAveragePooling
from .pooling.VolumetricGlobalMaxPooling import VolumetricGlobalMaxPooling
from .pooling.VolumetricMaxPooling import VolumetricMaxPooling
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
    "Abs",
    "AbsCriterion",
    "BCECriterion",
    "BatchNormalization",
    "Bottle",
    "CAddTable",
    "CReLU",
    "Clamp",
    "ClassNLLCriterion",
    "ClassSimplexCriterion",
    "Concat",
    "ConcatTable",
    "Container",
    "Convert",
    "CosineEmbeddingCriterion",
    "Criterion",
    "CriterionTable",
    "CrossEntropyCriterion",
    "Decorator",
    "DepthConcat",
    "DistKLDivCriterion",
    "DistanceRatioCriterion",
    "DontCast",
    "Dropout",
    "ELU",
    "Exp",
    "GPU",
    "GatedLinearUnit",
    "HardShrink",
    "HardTanh",
    "HingeEmbeddingCriterion",
    "Identity",
    "JoinTable",
    "L1Cost",
    "L1HingeEmbeddingCriterion",
    "LayerNormalization",
    "LeakyReLU",
    "Linear",
    "Log",
    "LogSigmoid",
    "LogSoftMax",
    "MSECriterion",
    "MapTable",
    "MarginCriterion",
    "MarginRankingCriterion",
    "Maxout",
    "Module",
    "ModuleCriterion",
    "MulConstant",
    "MultiCriterion",
    "MultiLabelMarginCriterion",
    "MultiLabelSoftMarginCriterion",
    "MultiMarginCriterion",
    "NaN",
    "PReLU",
    "Parallel",
    "ParallelCriterion",
    "ParallelTable",
    "PixelShuffle",
    "Power",
    "Profile",
    "RReLU",
    "ReLU",
    "ReLU6",
    "Reshape",
    "Sequential",
    "Sigmoid",
    "SmoothL1Criterion",
    "SoftMarginCriterion",
    "SoftMax",
    "SoftMin",
    "SoftPlus",
    "SoftShrink",
    "SoftSign",
    "SpatialAdaptiveAveragePooling",
    "SpatialAdaptiveMaxPooling",
    "SpatialAutoCropMSECriterion",
    "SpatialAveragePooling",
    "SpatialBatchNormalization",
    "SpatialClassNLLCriterion",
    "SpatialConvolution",
    "SpatialConvolutionMM",
    "SpatialDilatedMaxPooling",
    "SpatialGlobalAveragePooling",
    "SpatialGlobalMaxPooling",
    "SpatialLogSoftMax",
    "SpatialMaxPooling",
    "SpatialReplicationPadding",
    "SpatialSoftMax",
    "Sqrt",
    "Square",
    "StochasticGradient",
    "Tanh",
    "TanhShrink",
    "TemporalAdaptiveAveragePooling",
    "TemporalAdaptiveMaxPooling",
    "TemporalAveragePooling",
    "TemporalGlobalAveragePooling",
    "TemporalGlobalMaxPooling",
    "TemporalMaxPooling",
    "Threshold",
    "Unknown",
    "View",
    "VolumetricAdaptiveAveragePooling",
    "VolumetricAdaptiveMaxPooling",
    "VolumetricAveragePooling",
    "VolumetricBatchNormalization",
    "VolumetricDilatedMaxPooling",
    "VolumetricGlobalAveragePooling",
    "VolumetricGlobalMaxPooling",
    "VolumetricMaxPooling",
    "WeightNorm",
    "WeightedMSECriterion",
]
