"""Classes that authors of published models wrote for themselves, under the typenames that their files use.

With them those of cunn and stn, which Torch7 had in ``nn``, and those that ``nn`` once had under other names.
"""

from .AdaptiveInstanceNormalization import AdaptiveInstanceNormalization
from .AffineGridGeneratorBHWD import AffineGridGeneratorBHWD
from .AffineTransformMatrixGenerator import AffineTransformMatrixGenerator
from .AuxiliaryLossTable import AuxiliaryLossTable
from .BilinearSamplerBHWD import BilinearSamplerBHWD
from .ContentLoss import ContentLoss
from .DataParallelTable import DataParallelTable
from .DataParallelTableBasic import DataParallelTableBasic
from .DataParallelTableThreads import DataParallelTableThreads
from .FbnnSpatialBatchNormalization import FbnnSpatialBatchNormalization
from .FeatExpander import FeatExpander
from .GramMatrix import GramMatrix
from .InplaceClip01 import InplaceClip01
from .InstanceNormalization import InstanceNormalization
from .L2Normalize import L2Normalize
from .LanguageModel import LanguageModel
from .NoBackprop import NoBackprop
from .OneHot import OneHot
from .Rectifier import Rectifier
from .ScaleTable import ScaleTable
from .SequentialSplitBatch import SequentialSplitBatch
from .ShakeShakeTable import ShakeShakeTable
from .ShaveImage import ShaveImage
from .SpatialConstDiagonal import SpatialConstDiagonal
from .SpatialCrossLRN import SpatialCrossLRN
from .SpatialDeconvolution import SpatialDeconvolution
from .SpatialSymmetricPadding import SpatialSymmetricPadding
from .StyleLoss import StyleLoss
from .TemporalAdapter import TemporalAdapter
from .TorchRnnLSTM import TorchRnnLSTM
from .TotalVariation import TotalVariation
from .TVLoss import TVLoss
from .VanillaRNN import VanillaRNN
from .W2nnLeakyReLU import W2nnLeakyReLU

__all__ = [
    "AdaptiveInstanceNormalization",
    "AffineGridGeneratorBHWD",
    "AffineTransformMatrixGenerator",
    "AuxiliaryLossTable",
    "BilinearSamplerBHWD",
    "ContentLoss",
    "DataParallelTable",
    "DataParallelTableBasic",
    "DataParallelTableThreads",
    "FbnnSpatialBatchNormalization",
    "FeatExpander",
    "GramMatrix",
    "InplaceClip01",
    "InstanceNormalization",
    "L2Normalize",
    "LanguageModel",
    "NoBackprop",
    "OneHot",
    "Rectifier",
    "ScaleTable",
    "SequentialSplitBatch",
    "ShakeShakeTable",
    "ShaveImage",
    "SpatialConstDiagonal",
    "SpatialCrossLRN",
    "SpatialDeconvolution",
    "SpatialSymmetricPadding",
    "StyleLoss",
    "TVLoss",
    "TemporalAdapter",
    "TorchRnnLSTM",
    "TotalVariation",
    "VanillaRNN",
    "W2nnLeakyReLU",
]
