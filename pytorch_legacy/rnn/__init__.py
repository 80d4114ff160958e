"""The layers of Element-Research's rnn: recurrent networks, unrolled step by step. Torch7 knows them as ``nn.*``."""

from .AbstractRecurrent import AbstractRecurrent
from .AbstractSequencer import AbstractSequencer
from .BiSequencer import BiSequencer
from .BiSequencerLM import BiSequencerLM
from .CopyGrad import CopyGrad
from .ExpandAs import ExpandAs
from .FastLSTM import FastLSTM
from .GRU import GRU
from .LinearNoBias import LinearNoBias
from .LookupTableMaskZero import LookupTableMaskZero
from .LSTM import LSTM
from .MaskZero import MaskZero
from .MaskZeroCriterion import MaskZeroCriterion
from .MuFuRu import MuFuRu
from .NormStabilizer import NormStabilizer
from .Recurrence import Recurrence
from .Recurrent import Recurrent
from .RecurrentAttention import RecurrentAttention
from .Recursor import Recursor
from .Repeater import Repeater
from .RepeaterCriterion import RepeaterCriterion
from .SAdd import SAdd
from .SeqBRNN import SeqBRNN
from .SeqGRU import SeqGRU
from .SeqLSTM import SeqLSTM
from .SeqLSTMP import SeqLSTMP
from .SeqReverseSequence import SeqReverseSequence
from .Sequencer import Sequencer
from .SequencerCriterion import SequencerCriterion
from .TrimZero import TrimZero

__all__ = [
    "GRU",
    "LSTM",
    "AbstractRecurrent",
    "AbstractSequencer",
    "BiSequencer",
    "BiSequencerLM",
    "CopyGrad",
    "ExpandAs",
    "FastLSTM",
    "LinearNoBias",
    "LookupTableMaskZero",
    "MaskZero",
    "MaskZeroCriterion",
    "MuFuRu",
    "NormStabilizer",
    "Recurrence",
    "Recurrent",
    "RecurrentAttention",
    "Recursor",
    "Repeater",
    "RepeaterCriterion",
    "SAdd",
    "SeqBRNN",
    "SeqGRU",
    "SeqLSTM",
    "SeqLSTMP",
    "SeqReverseSequence",
    "Sequencer",
    "SequencerCriterion",
    "TrimZero",
]
