"""Torch7's nn: every class by its own name, each in a file of that name in its family's folder, which lists its classes."""

# ruff: noqa: F403

from typing import TYPE_CHECKING

from . import Jacobian as Jacobian
from . import SparseJacobian as SparseJacobian
from . import activation as activation
from . import container as container
from . import convolution as convolution
from . import criterion as criterion
from . import decorator as decorator
from . import embedding as embedding
from . import hessian as hessian
from . import linear as linear
from . import math as math
from . import normalization as normalization
from . import padding as padding
from . import pooling as pooling
from . import regularization as regularization
from . import sampling as sampling
from . import shape as shape
from . import table as table
from . import tables as tables
from . import training as training
from . import utils as utils
from .activation import *
from .Container import Container
from .container import *
from .convolution import *
from .Criterion import Criterion
from .criterion import *
from .decorator import *
from .embedding import *
from .linear import *
from .math import *
from .Module import Module
from .normalization import *
from .padding import *
from .pooling import *
from .regularization import *
from .sampling import *
from .shape import *
from .table import *
from .training import *
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
        from pytorch_legacy.files.loading import class_of

        found = class_of(f"nn.{name}")
        if found is None:
            from pytorch_legacy.hints import of_class

            raise AttributeError(f"module 'pytorch_legacy.nn' has no attribute '{name}'{of_class(name)}")
        return found

    def __dir__() -> list[str]:
        """With the classes of the other packages."""
        from pytorch_legacy.files.loading import names_of

        return sorted({*globals(), *names_of("nn")})


__all__ = [
    "Container",
    "Criterion",
    "Module",
    "Unknown",
]
__all__ += activation.__all__
__all__ += container.__all__
__all__ += convolution.__all__
__all__ += criterion.__all__
__all__ += decorator.__all__
__all__ += embedding.__all__
__all__ += linear.__all__
__all__ += math.__all__
__all__ += normalization.__all__
__all__ += padding.__all__
__all__ += pooling.__all__
__all__ += regularization.__all__
__all__ += sampling.__all__
__all__ += shape.__all__
__all__ += table.__all__
__all__ += training.__all__
