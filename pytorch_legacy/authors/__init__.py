"""Classes that authors of published models wrote for themselves, under the typenames that their files use."""

from .LanguageModel import LanguageModel
from .OneHot import OneHot
from .TemporalAdapter import TemporalAdapter
from .TorchRnnLSTM import TorchRnnLSTM
from .VanillaRNN import VanillaRNN

__all__ = ["LanguageModel", "OneHot", "TemporalAdapter", "TorchRnnLSTM", "VanillaRNN"]
