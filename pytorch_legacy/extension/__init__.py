"""Layers of one's own, outside of the package: C files that are written as those of THNN, compiled, bound and called like ours.

A class names the functions (``_layer``), which `load` has compiled; `new_layer`, the command ``pytorch-legacy new-layer``, writes
all files of a working layer to begin with. docs/extension.md is the guide.

>>> import pytorch_legacy as pl
>>> pl.extension.load("mine/SpatialMedianPooling.c")  # doctest: +SKIP
<extension SpatialMedianPooling: SpatialMedianPooling_outputSize, ..._updateOutput, ..._updateGradInput>
>>> class SpatialMedianPooling(pl.extension.Layer):  # doctest: +SKIP
...     _layer = "SpatialMedianPooling"
...     def __init__(self, kW: int, kH: int) -> None:
...         super().__init__()
...         self.kW, self.kH = kW, kH
"""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.errors import ExtensionError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Learner
from pytorch_legacy.nn.Native import Native as Layer
from pytorch_legacy.nn.NativeCriterion import NativeCriterion as Criterion
from pytorch_legacy.typenames import typename

from .buffers import new_parameters, resize_output
from .loader import Extension, load
from .skeleton import KINDS, new_layer

__all__ = [
    "KINDS",
    "Criterion",
    "Extension",
    "ExtensionError",
    "Layer",
    "Learner",
    "call",
    "check",
    "load",
    "new_layer",
    "new_parameters",
    "output_size",
    "resize_output",
    "typename",
]
