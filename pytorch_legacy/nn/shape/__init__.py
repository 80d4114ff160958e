"""Layers that only change how elements are arranged, or pass them on."""

from .Collapse import Collapse
from .Contiguous import Contiguous
from .Copy import Copy
from .GradientReversal import GradientReversal
from .Identity import Identity
from .Index import Index
from .MaskedSelect import MaskedSelect
from .Narrow import Narrow
from .OneHot import OneHot
from .PixelShuffle import PixelShuffle
from .PrintSize import PrintSize
from .Replicate import Replicate
from .Reshape import Reshape
from .Select import Select
from .Squeeze import Squeeze
from .Transpose import Transpose
from .Unsqueeze import Unsqueeze
from .View import View
from .ZeroGrad import ZeroGrad

__all__ = [
    "Collapse",
    "Contiguous",
    "Copy",
    "GradientReversal",
    "Identity",
    "Index",
    "MaskedSelect",
    "Narrow",
    "OneHot",
    "PixelShuffle",
    "PrintSize",
    "Replicate",
    "Reshape",
    "Select",
    "Squeeze",
    "Transpose",
    "Unsqueeze",
    "View",
    "ZeroGrad",
]
