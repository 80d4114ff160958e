"""The layers of cudnn.torch, computed by those of ``nn``: the same numbers without a GPU."""

from .BatchNormalization import BatchNormalization
from .BGRU import BGRU
from .BLSTM import BLSTM
from .ClippedReLU import ClippedReLU
from .convert import convert
from .GRU import GRU
from .LogSoftMax import LogSoftMax
from .LSTM import LSTM
from .ReLU import ReLU
from .RNN import RNN
from .RNNReLU import RNNReLU
from .RNNTanh import RNNTanh
from .Sigmoid import Sigmoid
from .SoftMax import SoftMax
from .SpatialAveragePooling import SpatialAveragePooling
from .SpatialBatchNormalization import SpatialBatchNormalization
from .SpatialConvolution import SpatialConvolution
from .SpatialCrossEntropyCriterion import SpatialCrossEntropyCriterion
from .SpatialCrossMapLRN import SpatialCrossMapLRN
from .SpatialDilatedConvolution import SpatialDilatedConvolution
from .SpatialDivisiveNormalization import SpatialDivisiveNormalization
from .SpatialFullConvolution import SpatialFullConvolution
from .SpatialLogSoftMax import SpatialLogSoftMax
from .SpatialMaxPooling import SpatialMaxPooling
from .SpatialSoftMax import SpatialSoftMax
from .Tanh import Tanh
from .TemporalConvolution import TemporalConvolution
from .VolumetricAveragePooling import VolumetricAveragePooling
from .VolumetricBatchNormalization import VolumetricBatchNormalization
from .VolumetricConvolution import VolumetricConvolution
from .VolumetricCrossEntropyCriterion import VolumetricCrossEntropyCriterion
from .VolumetricDilatedConvolution import VolumetricDilatedConvolution
from .VolumetricFullConvolution import VolumetricFullConvolution
from .VolumetricLogSoftMax import VolumetricLogSoftMax
from .VolumetricMaxPooling import VolumetricMaxPooling
from .VolumetricSoftMax import VolumetricSoftMax

__all__ = [
    "BGRU",
    "BLSTM",
    "GRU",
    "LSTM",
    "RNN",
    "BatchNormalization",
    "ClippedReLU",
    "LogSoftMax",
    "RNNReLU",
    "RNNTanh",
    "ReLU",
    "Sigmoid",
    "SoftMax",
    "SpatialAveragePooling",
    "SpatialBatchNormalization",
    "SpatialConvolution",
    "SpatialCrossEntropyCriterion",
    "SpatialCrossMapLRN",
    "SpatialDilatedConvolution",
    "SpatialDivisiveNormalization",
    "SpatialFullConvolution",
    "SpatialLogSoftMax",
    "SpatialMaxPooling",
    "SpatialSoftMax",
    "Tanh",
    "TemporalConvolution",
    "VolumetricAveragePooling",
    "VolumetricBatchNormalization",
    "VolumetricConvolution",
    "VolumetricCrossEntropyCriterion",
    "VolumetricDilatedConvolution",
    "VolumetricFullConvolution",
    "VolumetricLogSoftMax",
    "VolumetricMaxPooling",
    "VolumetricSoftMax",
    "convert",
]
