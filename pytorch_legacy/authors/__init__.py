"""Classes that authors of published models wrote for themselves, under the typenames that their files use.

With them those of cunn and stn, which Torch7 had in ``nn``, and those that ``nn`` once had under other names.
"""

from .AdaptiveInstanceNormalization import AdaptiveInstanceNormalization
from .AffineGridGeneratorBHWD import AffineGridGeneratorBHWD
from .AffineTransformMatrixGenerator import AffineTransformMatrixGenerator
from .AuxiliaryLossCriterion import AuxiliaryLossCriterion
from .AuxiliaryLossTable import AuxiliaryLossTable
from .BatchBRNN import BatchBRNN
from .BatchBRNNReLU import BatchBRNNReLU
from .BatchRNN import BatchRNN
from .BatchRNNReLU import BatchRNNReLU
from .BilinearSamplerBHWD import BilinearSamplerBHWD
from .BiRnnJoin import BiRnnJoin
from .ClippedMSECriterion import ClippedMSECriterion
from .ClippedWeightedHuberCriterion import ClippedWeightedHuberCriterion
from .ConstrainedDiv import ConstrainedDiv
from .ConstrainedMul import ConstrainedMul
from .ContentLoss import ContentLoss
from .CostVolMulti import CostVolMulti
from .DataParallelTable import DataParallelTable
from .DataParallelTableBasic import DataParallelTableBasic
from .DataParallelTableThreads import DataParallelTableThreads
from .EdgeFilter import EdgeFilter
from .EPECriterion import EPECriterion
from .FbnnSpatialBatchNormalization import FbnnSpatialBatchNormalization
from .FeatExpander import FeatExpander
from .FlowSamplerBHWD import FlowSamplerBHWD
from .FReLU import FReLU
from .GaussianSampler import GaussianSampler
from .GenNoise import GenNoise
from .GradWeight import GradWeight
from .GramMatrix import GramMatrix
from .InplaceClip01 import InplaceClip01
from .InstanceNormalization import InstanceNormalization
from .KLDCriterion import KLDCriterion
from .L1Criterion import L1Criterion
from .L2Normalize import L2Normalize
from .LanguageModel import LanguageModel
from .LBPCriterion import LBPCriterion
from .LstmLayer import LstmLayer
from .MaskRNN import MaskRNN
from .MyAdd import MyAdd
from .NoBackprop import NoBackprop
from .NoiseFill import NoiseFill
from .OneHot import OneHot
from .OnmtBridge import OnmtBridge
from .OnmtFeaturesEmbedding import OnmtFeaturesEmbedding
from .OnmtFeaturesGenerator import OnmtFeaturesGenerator
from .OnmtGenerator import OnmtGenerator
from .OnmtGlobalAttention import OnmtGlobalAttention
from .OnmtGRU import OnmtGRU
from .OnmtJoinReplicateTable import OnmtJoinReplicateTable
from .OnmtLSTM import OnmtLSTM
from .OnmtMaskedSoftmax import OnmtMaskedSoftmax
from .OnmtNetwork import OnmtNetwork
from .OnmtNoAttention import OnmtNoAttention
from .OnmtWordEmbedding import OnmtWordEmbedding
from .PELU import PELU
from .PSNRCriterion import PSNRCriterion
from .RandomBinaryConvolution import RandomBinaryConvolution
from .RandomBinaryCriterion import RandomBinaryCriterion
from .Rectifier import Rectifier
from .ReverseMaskRNN import ReverseMaskRNN
from .ScaleBHWD import ScaleBHWD
from .ScaleTable import ScaleTable
from .SequenceWise import SequenceWise
from .SequentialSplitBatch import SequentialSplitBatch
from .ShakeShakeTable import ShakeShakeTable
from .SharedParallelTable import SharedParallelTable
from .ShaveImage import ShaveImage
from .SpatialCircularPadding import SpatialCircularPadding
from .SpatialConstDiagonal import SpatialConstDiagonal
from .SpatialConvolutionCUDA import SpatialConvolutionCUDA
from .SpatialCrossLRN import SpatialCrossLRN
from .SpatialDeconvolution import SpatialDeconvolution
from .SpatialMaxPoolingCUDA import SpatialMaxPoolingCUDA
from .SpatialSymmetricPadding import SpatialSymmetricPadding
from .SSIMCriterion import SSIMCriterion
from .StyleLoss import StyleLoss
from .TemporalAdapter import TemporalAdapter
from .TorchRnnLSTM import TorchRnnLSTM
from .TotalVariation import TotalVariation
from .TVLoss import TVLoss
from .VanillaRNN import VanillaRNN
from .W2nnLeakyReLU import W2nnLeakyReLU
from .W2nnWeightedMSECriterion import W2nnWeightedMSECriterion
from .WeightedHuberCriterion import WeightedHuberCriterion

__all__ = [
    "PELU",
    "AdaptiveInstanceNormalization",
    "AffineGridGeneratorBHWD",
    "AffineTransformMatrixGenerator",
    "AuxiliaryLossCriterion",
    "AuxiliaryLossTable",
    "BatchBRNN",
    "BatchBRNNReLU",
    "BatchRNN",
    "BatchRNNReLU",
    "BiRnnJoin",
    "BilinearSamplerBHWD",
    "ClippedMSECriterion",
    "ClippedWeightedHuberCriterion",
    "ConstrainedDiv",
    "ConstrainedMul",
    "ContentLoss",
    "CostVolMulti",
    "DataParallelTable",
    "DataParallelTableBasic",
    "DataParallelTableThreads",
    "EPECriterion",
    "EdgeFilter",
    "FReLU",
    "FbnnSpatialBatchNormalization",
    "FeatExpander",
    "FlowSamplerBHWD",
    "GaussianSampler",
    "GenNoise",
    "GradWeight",
    "GramMatrix",
    "InplaceClip01",
    "InstanceNormalization",
    "KLDCriterion",
    "L1Criterion",
    "L2Normalize",
    "LBPCriterion",
    "LanguageModel",
    "LstmLayer",
    "MaskRNN",
    "MyAdd",
    "NoBackprop",
    "NoiseFill",
    "OneHot",
    "OnmtBridge",
    "OnmtFeaturesEmbedding",
    "OnmtFeaturesGenerator",
    "OnmtGRU",
    "OnmtGenerator",
    "OnmtGlobalAttention",
    "OnmtJoinReplicateTable",
    "OnmtLSTM",
    "OnmtMaskedSoftmax",
    "OnmtNetwork",
    "OnmtNoAttention",
    "OnmtWordEmbedding",
    "PSNRCriterion",
    "RandomBinaryConvolution",
    "RandomBinaryCriterion",
    "Rectifier",
    "ReverseMaskRNN",
    "SSIMCriterion",
    "ScaleBHWD",
    "ScaleTable",
    "SequenceWise",
    "SequentialSplitBatch",
    "ShakeShakeTable",
    "SharedParallelTable",
    "ShaveImage",
    "SpatialCircularPadding",
    "SpatialConstDiagonal",
    "SpatialConvolutionCUDA",
    "SpatialCrossLRN",
    "SpatialDeconvolution",
    "SpatialMaxPoolingCUDA",
    "SpatialSymmetricPadding",
    "StyleLoss",
    "TVLoss",
    "TemporalAdapter",
    "TorchRnnLSTM",
    "TotalVariation",
    "VanillaRNN",
    "W2nnLeakyReLU",
    "W2nnWeightedMSECriterion",
    "WeightedHuberCriterion",
]
