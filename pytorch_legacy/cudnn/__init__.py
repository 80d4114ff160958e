"""The layers of cudnn.torch, computed by those of ``nn``: the same numbers without a GPU."""

from pytorch_legacy import moved_modules

from .activation import ClippedReLU, ReLU, Sigmoid, Tanh
from .convert import convert
from .convolution import SpatialDilatedConvolution, VolumetricConvolution, VolumetricDilatedConvolution, VolumetricFullConvolution
from .normalization import BatchNormalization, SpatialBatchNormalization, SpatialCrossMapLRN, VolumetricBatchNormalization
from .pooling import SpatialAveragePooling, SpatialMaxPooling, VolumetricAveragePooling, VolumetricMaxPooling
from .recurrent import BGRU, BLSTM, GRU, LSTM, RNNReLU, RNNTanh
from .RNN import RNN
from .softmax import LogSoftMax, SoftMax, SpatialLogSoftMax, SpatialSoftMax, VolumetricLogSoftMax, VolumetricSoftMax
from .SpatialConvolution import SpatialConvolution
from .SpatialCrossEntropyCriterion import SpatialCrossEntropyCriterion
from .SpatialDivisiveNormalization import SpatialDivisiveNormalization
from .SpatialFullConvolution import SpatialFullConvolution
from .TemporalConvolution import TemporalConvolution
from .VolumetricCrossEntropyCriterion import VolumetricCrossEntropyCriterion

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

moved_modules.cudnn_installed()
