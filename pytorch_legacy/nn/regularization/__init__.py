"""Layers that disturb training so that the network learns to do without any single unit."""

from .Dropout import Dropout
from .L1Penalty import L1Penalty
from .SpatialDropout import SpatialDropout
from .VolumetricDropout import VolumetricDropout
from .WhiteNoise import WhiteNoise

__all__ = [
    "Dropout",
    "L1Penalty",
    "SpatialDropout",
    "VolumetricDropout",
    "WhiteNoise",
]
