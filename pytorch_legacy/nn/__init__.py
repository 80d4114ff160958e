"""Torch7's nn: every class by its own name, each in a file of that name in its family's folder."""

from typing import TYPE_CHECKING

from . import Jacobian as Jacobian
from . import SparseJacobian as SparseJacobian
from . import hessian as hessian
from . import tables as tables
from . import utils as utils
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
from .convolution.SpatialConvolutionLocal import SpatialConvolutionLocal
from .convolution.SpatialConvolutionMap import SpatialConvolutionMap
from .convolution.SpatialConvolutionMM import SpatialConvolutionMM
from .convolution.SpatialDepthWiseConvolution import SpatialDepthWiseConvolution
from .convolution.SpatialDilatedConvolution import SpatialDilatedConvolution
from .convolution.SpatialFullConvolution import SpatialFullConvolution
from .convolution.SpatialFullConvolutionMap import SpatialFullConvolutionMap
from .convolution.TemporalConvolution import TemporalConvolution
from .convolution.TemporalRowConvolution import TemporalRowConvolution
from .convolution.VolumetricConvolution import VolumetricConvolution
from .convolution.VolumetricDilatedConvolution import VolumetricDilatedConvolution
from .convolution.VolumetricFullConvolution import VolumetricFullConvolution
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
from .embedding.IndexLinear import IndexLinear
from .embedding.LookupTable import LookupTable
from .embedding.SparseLinear import SparseLinear
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
from .normalization.Normalize import Normalize
from .normalization.SpatialBatchNormalization import SpatialBatchNormalization
from .normalization.SpatialContrastiveNormalization import SpatialContrastiveNormalization
from .normalization.SpatialCrossMapLRN import SpatialCrossMapLRN
from .normalization.SpatialDivisiveNormalization import SpatialDivisiveNormalization
from .normalization.SpatialInstanceNormalization import SpatialInstanceNormalization
from .normalization.SpatialSubtractiveNormalization import SpatialSubtractiveNormalization
from .normalization.VolumetricBatchNormalization import VolumetricBatchNormalization
from .padding.Padding import Padding
from .padding.SpatialReflectionPadding import SpatialReflectionPadding
from .padding.SpatialReplicationPadding import SpatialReplicationPadding
from .padding.SpatialZeroPadding import SpatialZeroPadding
from .padding.VolumetricReplicationPadding import VolumetricReplicationPadding
from .pooling.FeatureLPPooling import FeatureLPPooling
from .pooling.SoftGate import SoftGate
from .pooling.SpatialAdaptiveAveragePooling import SpatialAdaptiveAveragePooling
from .pooling.SpatialAdaptiveMaxPooling import SpatialAdaptiveMaxPooling
from .pooling.SpatialAveragePooling import SpatialAveragePooling
from .pooling.SpatialDilatedMaxPooling import SpatialDilatedMaxPooling
from .pooling.SpatialFractionalMaxPooling import SpatialFractionalMaxPooling
from .pooling.SpatialGatedPooling import SpatialGatedPooling
from .pooling.SpatialGaussianPooling import SpatialGaussianPooling
from .pooling.SpatialGlobalAveragePooling import SpatialGlobalAveragePooling
from .pooling.SpatialGlobalMaxPooling import SpatialGlobalMaxPooling
from .pooling.SpatialLocalImportancePooling import SpatialLocalImportancePooling
from .pooling.SpatialLPPooling import SpatialLPPooling
from .pooling.SpatialMaxPooling import SpatialMaxPooling
from .pooling.SpatialMaxUnpooling import SpatialMaxUnpooling
from .pooling.SpatialMixedPooling import SpatialMixedPooling
from .pooling.SpatialPowerAveragePooling import SpatialPowerAveragePooling
from .pooling.SpatialS3Pooling import SpatialS3Pooling
from .pooling.SpatialSimplifiedLIP import SpatialSimplifiedLIP
from .pooling.SpatialSoftPool import SpatialSoftPool
from .pooling.SpatialStochasticPooling import SpatialStochasticPooling
from .pooling.SpatialSubSampling import SpatialSubSampling
from .pooling.TemporalAdaptiveAveragePooling import TemporalAdaptiveAveragePooling
from .pooling.TemporalAdaptiveMaxPooling import TemporalAdaptiveMaxPooling
from .pooling.TemporalAveragePooling import TemporalAveragePooling
from .pooling.TemporalDynamicKMaxPooling import TemporalDynamicKMaxPooling
from .pooling.TemporalGlobalAveragePooling import TemporalGlobalAveragePooling
from .pooling.TemporalGlobalMaxPooling import TemporalGlobalMaxPooling
from .pooling.TemporalMaxPooling import TemporalMaxPooling
from .pooling.TemporalSoftPool import TemporalSoftPool
from .pooling.TemporalSubSampling import TemporalSubSampling
from .pooling.VolumetricAdaptiveAveragePooling import VolumetricAdaptiveAveragePooling
from .pooling.VolumetricAdaptiveMaxPooling import VolumetricAdaptiveMaxPooling
from .pooling.VolumetricAveragePooling import VolumetricAveragePooling
from .pooling.VolumetricDilatedMaxPooling import VolumetricDilatedMaxPooling
from .pooling.VolumetricFractionalMaxPooling import VolumetricFractionalMaxPooling
from .pooling.VolumetricGlobalAveragePooling import VolumetricGlobalAveragePooling
from .pooling.VolumetricGlobalMaxPooling import VolumetricGlobalMaxPooling
from .pooling.VolumetricMaxPooling import VolumetricMaxPooling
from .pooling.VolumetricMaxUnpooling import VolumetricMaxUnpooling
from .pooling.VolumetricSoftPool import VolumetricSoftPool
from .regularization.Dropout import Dropout
from .regularization.L1Penalty import L1Penalty
from .regularization.SpatialDropout import SpatialDropout
from .regularization.VolumetricDropout import VolumetricDropout
from .regularization.WhiteNoise import WhiteNoise
from .sampling.SpatialGridSamplerBilinear import SpatialGridSamplerBilinear
from .sampling.SpatialUpSamplingBilinear import SpatialUpSamplingBilinear
from .sampling.SpatialUpSamplingNearest import SpatialUpSamplingNearest
from .sampling.UpSampling import UpSampling
from .sampling.VolumetricUpSamplingNearest import VolumetricUpSamplingNearest
from .sampling.VolumetricUpSamplingTrilinear import VolumetricUpSamplingTrilinear
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
from .table.CriterionTable import CriterionTable
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

oldSeed = False
"""Torch7's switch to draw initial parameters one by one. Those of Euclidean and SparseLinear come in another order then."""

if TYPE_CHECKING:  # what other packages of Torch7 put into nn, for those who read and complete code; see __getattr__
    from pytorch_legacy.authors import AdaptiveInstanceNormalization as AdaptiveInstanceNormalization
    from pytorch_legacy.authors import AffineGridGeneratorBHWD as AffineGridGeneratorBHWD
    from pytorch_legacy.authors import AffineTransformMatrixGenerator as AffineTransformMatrixGenerator
    from pytorch_legacy.authors import BilinearSamplerBHWD as BilinearSamplerBHWD
    from pytorch_legacy.authors import ContentLoss as ContentLoss
    from pytorch_legacy.authors import DataParallelTable as DataParallelTable
    from pytorch_legacy.authors import FeatExpander as FeatExpander
    from pytorch_legacy.authors import GramMatrix as GramMatrix
    from pytorch_legacy.authors import InstanceNormalization as InstanceNormalization
    from pytorch_legacy.authors import L2Normalize as L2Normalize
    from pytorch_legacy.authors import LanguageModel as LanguageModel
    from pytorch_legacy.authors import NoBackprop as NoBackprop
    from pytorch_legacy.authors import Rectifier as Rectifier
    from pytorch_legacy.authors import SequentialSplitBatch as SequentialSplitBatch
    from pytorch_legacy.authors import ShaveImage as ShaveImage
    from pytorch_legacy.authors import SpatialConstDiagonal as SpatialConstDiagonal
    from pytorch_legacy.authors import SpatialCrossLRN as SpatialCrossLRN
    from pytorch_legacy.authors import SpatialDeconvolution as SpatialDeconvolution
    from pytorch_legacy.authors import SpatialSymmetricPadding as SpatialSymmetricPadding
    from pytorch_legacy.authors import StyleLoss as StyleLoss
    from pytorch_legacy.authors import TemporalAdapter as TemporalAdapter
    from pytorch_legacy.authors import TotalVariation as TotalVariation
    from pytorch_legacy.authors import TVLoss as TVLoss
    from pytorch_legacy.authors import VanillaRNN as VanillaRNN
    from pytorch_legacy.dpnn import ArgMax as ArgMax
    from pytorch_legacy.dpnn import BinaryClassReward as BinaryClassReward
    from pytorch_legacy.dpnn import BinaryLogisticRegression as BinaryLogisticRegression
    from pytorch_legacy.dpnn import CategoricalEntropy as CategoricalEntropy
    from pytorch_legacy.dpnn import Clip as Clip
    from pytorch_legacy.dpnn import Dictionary as Dictionary
    from pytorch_legacy.dpnn import FireModule as FireModule
    from pytorch_legacy.dpnn import Inception as Inception
    from pytorch_legacy.dpnn import NCECriterion as NCECriterion
    from pytorch_legacy.dpnn import NCEModule as NCEModule
    from pytorch_legacy.dpnn import PCAColorTransform as PCAColorTransform
    from pytorch_legacy.dpnn import Reinforce as Reinforce
    from pytorch_legacy.dpnn import ReinforceBernoulli as ReinforceBernoulli
    from pytorch_legacy.dpnn import ReinforceCategorical as ReinforceCategorical
    from pytorch_legacy.dpnn import ReinforceGamma as ReinforceGamma
    from pytorch_legacy.dpnn import ReinforceNormal as ReinforceNormal
    from pytorch_legacy.dpnn import ReverseTable as ReverseTable
    from pytorch_legacy.dpnn import Serial as Serial
    from pytorch_legacy.dpnn import SimpleColorTransform as SimpleColorTransform
    from pytorch_legacy.dpnn import SpatialBinaryConvolution as SpatialBinaryConvolution
    from pytorch_legacy.dpnn import SpatialBinaryLogisticRegression as SpatialBinaryLogisticRegression
    from pytorch_legacy.dpnn import SpatialFeatNormalization as SpatialFeatNormalization
    from pytorch_legacy.dpnn import SpatialGlimpse as SpatialGlimpse
    from pytorch_legacy.dpnn import SpatialRegionDropout as SpatialRegionDropout
    from pytorch_legacy.dpnn import SpatialUniformCrop as SpatialUniformCrop
    from pytorch_legacy.dpnn import TotalDropout as TotalDropout
    from pytorch_legacy.dpnn import VRClassReward as VRClassReward
    from pytorch_legacy.nngraph import ModuleFromCriterion as ModuleFromCriterion
    from pytorch_legacy.nngraph import gModule as gModule
    from pytorch_legacy.nnx import Balance as Balance
    from pytorch_legacy.nnx import Minus as Minus
    from pytorch_legacy.nnx import MultiSoftMax as MultiSoftMax
    from pytorch_legacy.nnx import PullTable as PullTable
    from pytorch_legacy.nnx import PushTable as PushTable
    from pytorch_legacy.nnx import SaturatedLU as SaturatedLU
    from pytorch_legacy.nnx import SoftMaxTree as SoftMaxTree
    from pytorch_legacy.nnx import SpatialClassifier as SpatialClassifier
    from pytorch_legacy.nnx import SpatialDownSampling as SpatialDownSampling
    from pytorch_legacy.nnx import SpatialLinear as SpatialLinear
    from pytorch_legacy.nnx import SpatialNormalization as SpatialNormalization
    from pytorch_legacy.nnx import SpatialPadding as SpatialPadding
    from pytorch_legacy.nnx import SpatialReSampling as SpatialReSampling
    from pytorch_legacy.nnx import SpatialReSamplingEx as SpatialReSamplingEx
    from pytorch_legacy.nnx import SpatialUpSampling as SpatialUpSampling
    from pytorch_legacy.nnx import TreeNLLCriterion as TreeNLLCriterion
    from pytorch_legacy.rnn import GRU as GRU
    from pytorch_legacy.rnn import LSTM as LSTM
    from pytorch_legacy.rnn import AbstractRecurrent as AbstractRecurrent
    from pytorch_legacy.rnn import AbstractSequencer as AbstractSequencer
    from pytorch_legacy.rnn import BiSequencer as BiSequencer
    from pytorch_legacy.rnn import BiSequencerLM as BiSequencerLM
    from pytorch_legacy.rnn import CopyGrad as CopyGrad
    from pytorch_legacy.rnn import ExpandAs as ExpandAs
    from pytorch_legacy.rnn import FastLSTM as FastLSTM
    from pytorch_legacy.rnn import LinearNoBias as LinearNoBias
    from pytorch_legacy.rnn import LookupTableMaskZero as LookupTableMaskZero
    from pytorch_legacy.rnn import MaskZero as MaskZero
    from pytorch_legacy.rnn import MaskZeroCriterion as MaskZeroCriterion
    from pytorch_legacy.rnn import MuFuRu as MuFuRu
    from pytorch_legacy.rnn import NormStabilizer as NormStabilizer
    from pytorch_legacy.rnn import Recurrence as Recurrence
    from pytorch_legacy.rnn import Recurrent as Recurrent
    from pytorch_legacy.rnn import RecurrentAttention as RecurrentAttention
    from pytorch_legacy.rnn import Recursor as Recursor
    from pytorch_legacy.rnn import Repeater as Repeater
    from pytorch_legacy.rnn import RepeaterCriterion as RepeaterCriterion
    from pytorch_legacy.rnn import SAdd as SAdd
    from pytorch_legacy.rnn import SeqBRNN as SeqBRNN
    from pytorch_legacy.rnn import SeqGRU as SeqGRU
    from pytorch_legacy.rnn import SeqLSTM as SeqLSTM
    from pytorch_legacy.rnn import SeqLSTMP as SeqLSTMP
    from pytorch_legacy.rnn import SeqReverseSequence as SeqReverseSequence
    from pytorch_legacy.rnn import Sequencer as Sequencer
    from pytorch_legacy.rnn import SequencerCriterion as SequencerCriterion
    from pytorch_legacy.rnn import TrimZero as TrimZero
else:

    def __getattr__(name: str) -> type:
        """The classes that other packages of Torch7 put into ``nn``: ``nn.gModule``, ``nn.LSTM``, ``nn.Inception``."""
        from pytorch_legacy.loading import class_of

        found = class_of(f"nn.{name}")
        if found is None:
            from pytorch_legacy.hints import of_class

            raise AttributeError(f"module 'pytorch_legacy.nn' has no attribute '{name}'{of_class(name)}")
        return found

    def __dir__() -> list[str]:
        """With the classes of the other packages."""
        from pytorch_legacy.loading import names_of

        return sorted({*globals(), *names_of("nn")})


__all__ = [
    "ELU",
    "GPU",
    "MM",
    "MV",
    "Abs",
    "AbsCriterion",
    "Add",
    "AddConstant",
    "BCECriterion",
    "BatchNormalization",
    "Bilinear",
    "Bottle",
    "CAdd",
    "CAddTable",
    "CAddTensorTable",
    "CDivTable",
    "CMaxTable",
    "CMinTable",
    "CMul",
    "CMulTable",
    "CReLU",
    "CSubTable",
    "Clamp",
    "ClassNLLCriterion",
    "ClassSimplexCriterion",
    "Collapse",
    "Concat",
    "ConcatTable",
    "Constant",
    "Container",
    "Contiguous",
    "Convert",
    "Copy",
    "Cosine",
    "CosineDistance",
    "CosineEmbeddingCriterion",
    "Criterion",
    "CriterionTable",
    "CrossEntropyCriterion",
    "Decorator",
    "DepthConcat",
    "DistKLDivCriterion",
    "DistanceRatioCriterion",
    "DontCast",
    "DotProduct",
    "Dropout",
    "Euclidean",
    "Exp",
    "FeatureLPPooling",
    "FlattenTable",
    "GatedLinearUnit",
    "GradientReversal",
    "HardShrink",
    "HardTanh",
    "HingeEmbeddingCriterion",
    "Identity",
    "Index",
    "IndexLinear",
    "JoinTable",
    "Kmeans",
    "L1Cost",
    "L1HingeEmbeddingCriterion",
    "L1Penalty",
    "LayerNormalization",
    "LeakyReLU",
    "Linear",
    "LinearWeightNorm",
    "Log",
    "LogSigmoid",
    "LogSoftMax",
    "LookupTable",
    "MSECriterion",
    "MapTable",
    "MarginCriterion",
    "MarginRankingCriterion",
    "MaskedSelect",
    "Max",
    "Maxout",
    "Mean",
    "Min",
    "MixtureTable",
    "Module",
    "ModuleCriterion",
    "Mul",
    "MulConstant",
    "MultiCriterion",
    "MultiLabelMarginCriterion",
    "MultiLabelSoftMarginCriterion",
    "MultiMarginCriterion",
    "NaN",
    "Narrow",
    "NarrowTable",
    "Normalize",
    "OneHot",
    "PReLU",
    "Padding",
    "PairwiseDistance",
    "Parallel",
    "ParallelCriterion",
    "ParallelTable",
    "PartialLinear",
    "PixelShuffle",
    "Power",
    "PrintSize",
    "Profile",
    "RReLU",
    "ReLU",
    "ReLU6",
    "Replicate",
    "Reshape",
    "Select",
    "SelectTable",
    "Sequential",
    "Sigmoid",
    "SmoothL1Criterion",
    "SoftGate",
    "SoftMarginCriterion",
    "SoftMax",
    "SoftMin",
    "SoftPlus",
    "SoftShrink",
    "SoftSign",
    "SparseLinear",
    "SpatialAdaptiveAveragePooling",
    "SpatialAdaptiveMaxPooling",
    "SpatialAutoCropMSECriterion",
    "SpatialAveragePooling",
    "SpatialBatchNormalization",
    "SpatialClassNLLCriterion",
    "SpatialContrastiveNormalization",
    "SpatialConvolution",
    "SpatialConvolutionLocal",
    "SpatialConvolutionMM",
    "SpatialConvolutionMap",
    "SpatialCrossMapLRN",
    "SpatialDepthWiseConvolution",
    "SpatialDilatedConvolution",
    "SpatialDilatedMaxPooling",
    "SpatialDivisiveNormalization",
    "SpatialDropout",
    "SpatialFractionalMaxPooling",
    "SpatialFullConvolution",
    "SpatialFullConvolutionMap",
    "SpatialGatedPooling",
    "SpatialGaussianPooling",
    "SpatialGlobalAveragePooling",
    "SpatialGlobalMaxPooling",
    "SpatialGridSamplerBilinear",
    "SpatialInstanceNormalization",
    "SpatialLPPooling",
    "SpatialLocalImportancePooling",
    "SpatialLogSoftMax",
    "SpatialMaxPooling",
    "SpatialMaxUnpooling",
    "SpatialMixedPooling",
    "SpatialPowerAveragePooling",
    "SpatialReflectionPadding",
    "SpatialReplicationPadding",
    "SpatialS3Pooling",
    "SpatialSimplifiedLIP",
    "SpatialSoftMax",
    "SpatialSoftPool",
    "SpatialStochasticPooling",
    "SpatialSubSampling",
    "SpatialSubtractiveNormalization",
    "SpatialUpSamplingBilinear",
    "SpatialUpSamplingNearest",
    "SpatialZeroPadding",
    "SplitTable",
    "Sqrt",
    "Square",
    "Squeeze",
    "StochasticGradient",
    "Sum",
    "Tanh",
    "TanhShrink",
    "TemporalAdaptiveAveragePooling",
    "TemporalAdaptiveMaxPooling",
    "TemporalAveragePooling",
    "TemporalConvolution",
    "TemporalDynamicKMaxPooling",
    "TemporalGlobalAveragePooling",
    "TemporalGlobalMaxPooling",
    "TemporalMaxPooling",
    "TemporalRowConvolution",
    "TemporalSoftPool",
    "TemporalSubSampling",
    "Threshold",
    "Transpose",
    "Unknown",
    "Unsqueeze",
    "UpSampling",
    "View",
    "VolumetricAdaptiveAveragePooling",
    "VolumetricAdaptiveMaxPooling",
    "VolumetricAveragePooling",
    "VolumetricBatchNormalization",
    "VolumetricConvolution",
    "VolumetricDilatedConvolution",
    "VolumetricDilatedMaxPooling",
    "VolumetricDropout",
    "VolumetricFractionalMaxPooling",
    "VolumetricFullConvolution",
    "VolumetricGlobalAveragePooling",
    "VolumetricGlobalMaxPooling",
    "VolumetricMaxPooling",
    "VolumetricMaxUnpooling",
    "VolumetricReplicationPadding",
    "VolumetricSoftPool",
    "VolumetricUpSamplingNearest",
    "VolumetricUpSamplingTrilinear",
    "WeightNorm",
    "WeightedEuclidean",
    "WeightedMSECriterion",
    "WhiteNoise",
    "ZeroGrad",
    "ZipTable",
    "ZipTableOneToMany",
]
