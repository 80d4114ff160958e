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
from .linear.Bilinear import Bilinear
from .linear.Cosine import Cosine
from .linear.Euclidean import Euclidean
from .linear.Kmeans import Kmeans
from .linear.Linear import Linear
from .linear.LinearWeightNorm import LinearWeightNorm
from .linear.PartialLinear import PartialLinear
from .linear.WeightedEuclidean import WeightedEuclidean
from .math.Add import Add
from .math.AddConstant import AddConstant
from .math.CAdd import CAdd
from .math.CMul import CMul
from .math.Constant import Constant
from .math.CosineDistance import CosineDistance
from .math.DotProduct import DotProduct
from .math.Max import Max
from .math.Mean import Mean
from .math.Min import Min
from .math.MM import MM
from .math.Mul import Mul
from .math.MulConstant import MulConstant
from .math.MV import MV
from .math.PairwiseDistance import PairwiseDistance
from .math.Sum import Sum
from .Module import Module
from .normalization.BatchNormalization import BatchNormalization
from .normalization.SpatialBatchNormalization import SpatialBatchNormalization
from .normalization.VolumetricBatchNormalization import VolumetricBatchNormalization
from .padding.Padding import Padding
from .padding.SpatialReplicationPadding import SpatialReplicationPadding
from .pooling.SpatialAdaptiveAveragePooling import SpatialAdaptiveAveragePooling
from .pooling.SpatialAdaptiveMaxPooling import SpatialAdaptiveMaxPooling
from .pooling.SpatialAveragePooling import SpatialAveragePooling
from .pooling.SpatialGlobalAveragePooling import SpatialGlobalAveragePooling
from .pooling.SpatialMaxPooling import SpatialMaxPooling
from .regularization.Dropout import Dropout
from .regularization.L1Penalty import L1Penalty
from .regularization.SpatialDropout import SpatialDropout
from .regularization.VolumetricDropout import VolumetricDropout
from .regularization.WhiteNoise import WhiteNoise
from .shape.Collapse import Collapse
from .shape.Contiguous import Contiguous
from .shape.Copy import Copy
from .shape.GradientReversal import GradientReversal
from .shape.Identity import Identity
from .shape.Index import Index
from .shape.MaskedSelect import MaskedSelect
from .shape.Narrow import Narrow
from .shape.OneHot import OneHot
from .shape.PixelShuffle import PixelShuffle
from .shape.PrintSize import PrintSize
from .shape.Replicate import Replicate
from .shape.Reshape import Reshape
from .shape.Select import Select
from .shape.Squeeze import Squeeze
from .shape.Transpose import Transpose
from .shape.Unsqueeze import Unsqueeze
from .shape.View import View
from .shape.ZeroGrad import ZeroGrad
from .table.CAddTable import CAddTable
from .table.CAddTensorTable import CAddTensorTable
from .table.CDivTable import CDivTable
from .table.CMaxTable import CMaxTable
from .table.CMinTable import CMinTable
from .table.CMulTable import CMulTable
from .table.ConcatTable import ConcatTable
from .table.CSubTable import CSubTable
from .table.FlattenTable import FlattenTable
from .table.JoinTable import JoinTable
from .table.MixtureTable import MixtureTable
from .table.NarrowTable import NarrowTable
from .table.ParallelTable import ParallelTable
from .table.SelectTable import SelectTable
from .table.SplitTable import SplitTable
from .table.ZipTable import ZipTable
from .table.ZipTableOneToMany import ZipTableOneToMany
from .training.StochasticGradient import StochasticGradient
from .Unknown import Unknown

__all__ = [
    "MM",
    "MV",
    "Add",
    "AddConstant",
    "BatchNormalization",
    "Bilinear",
    "CAdd",
    "CAddTable",
    "CAddTensorTable",
    "CDivTable",
    "CMaxTable",
    "CMinTable",
    "CMul",
    "CMulTable",
    "CSubTable",
    "ClassNLLCriterion",
    "Collapse",
    "Concat",
    "ConcatTable",
    "Constant",
    "Container",
    "Contiguous",
    "Copy",
    "Cosine",
    "CosineDistance",
    "Criterion",
    "CrossEntropyCriterion",
    "DotProduct",
    "Dropout",
    "Euclidean",
    "FlattenTable",
    "GradientReversal",
    "Identity",
    "Index",
    "JoinTable",
    "Kmeans",
    "L1Penalty",
    "Linear",
    "LinearWeightNorm",
    "LogSoftMax",
    "MSECriterion",
    "MaskedSelect",
    "Max",
    "Mean",
    "Min",
    "MixtureTable",
    "Module",
    "Mul",
    "MulConstant",
    "Narrow",
    "NarrowTable",
    "OneHot",
    "Padding",
    "PairwiseDistance",
    "ParallelTable",
    "PartialLinear",
    "PixelShuffle",
    "PrintSize",
    "ReLU",
    "Replicate",
    "Reshape",
    "Select",
    "SelectTable",
    "Sequential",
    "Sigmoid",
    "SoftMax",
    "SpatialAdaptiveAveragePooling",
    "SpatialAdaptiveMaxPooling",
    "SpatialAveragePooling",
    "SpatialBatchNormalization",
    "SpatialConvolution",
    "SpatialConvolutionMM",
    "SpatialDropout",
    "SpatialGlobalAveragePooling",
    "SpatialMaxPooling",
    "SpatialReplicationPadding",
    "SplitTable",
    "Squeeze",
    "StochasticGradient",
    "Sum",
    "Tanh",
    "Threshold",
    "Transpose",
    "Unknown",
    "Unsqueeze",
    "View",
    "VolumetricBatchNormalization",
    "VolumetricDropout",
    "WeightedEuclidean",
    "WhiteNoise",
    "ZeroGrad",
    "ZipTable",
    "ZipTableOneToMany",
]
