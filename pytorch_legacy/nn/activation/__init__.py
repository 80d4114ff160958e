"""Nonlinearities: element by element, or along the channels."""

from .Abs import Abs
from .Clamp import Clamp
from .CReLU import CReLU
from .ELU import ELU
from .Exp import Exp
from .GatedLinearUnit import GatedLinearUnit
from .HardShrink import HardShrink
from .HardTanh import HardTanh
from .LeakyReLU import LeakyReLU
from .Log import Log
from .LogSigmoid import LogSigmoid
from .LogSoftMax import LogSoftMax
from .Power import Power
from .PReLU import PReLU
from .ReLU import ReLU
from .ReLU6 import ReLU6
from .RReLU import RReLU
from .Sigmoid import Sigmoid
from .SoftMax import SoftMax
from .SoftMin import SoftMin
from .SoftPlus import SoftPlus
from .SoftShrink import SoftShrink
from .SoftSign import SoftSign
from .SpatialLogSoftMax import SpatialLogSoftMax
from .SpatialSoftMax import SpatialSoftMax
from .Sqrt import Sqrt
from .Square import Square
from .Tanh import Tanh
from .TanhShrink import TanhShrink
from .Threshold import Threshold

__all__ = [
    "ELU",
    "Abs",
    "CReLU",
    "Clamp",
    "Exp",
    "GatedLinearUnit",
    "HardShrink",
    "HardTanh",
    "LeakyReLU",
    "Log",
    "LogSigmoid",
    "LogSoftMax",
    "PReLU",
    "Power",
    "RReLU",
    "ReLU",
    "ReLU6",
    "Sigmoid",
    "SoftMax",
    "SoftMin",
    "SoftPlus",
    "SoftShrink",
    "SoftSign",
    "SpatialLogSoftMax",
    "SpatialSoftMax",
    "Sqrt",
    "Square",
    "Tanh",
    "TanhShrink",
    "Threshold",
]
