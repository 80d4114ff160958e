"""Affine maps."""

from .Bilinear import Bilinear
from .Cosine import Cosine
from .Euclidean import Euclidean
from .Kmeans import Kmeans
from .Linear import Linear
from .LinearWeightNorm import LinearWeightNorm
from .PartialLinear import PartialLinear
from .WeightedEuclidean import WeightedEuclidean

__all__ = [
    "Bilinear",
    "Cosine",
    "Euclidean",
    "Kmeans",
    "Linear",
    "LinearWeightNorm",
    "PartialLinear",
    "WeightedEuclidean",
]
