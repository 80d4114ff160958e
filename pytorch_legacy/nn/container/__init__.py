"""Containers whose result is one array: chains and joined branches."""

from .Bottle import Bottle
from .Concat import Concat
from .Convert import Convert
from .DepthConcat import DepthConcat
from .GPU import GPU
from .LayerNormalization import LayerNormalization
from .MapTable import MapTable
from .Maxout import Maxout
from .Parallel import Parallel
from .Sequential import Sequential

__all__ = [
    "GPU",
    "Bottle",
    "Concat",
    "Convert",
    "DepthConcat",
    "LayerNormalization",
    "MapTable",
    "Maxout",
    "Parallel",
    "Sequential",
]
