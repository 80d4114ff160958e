"""Borders around planes."""

from .Padding import Padding
from .SpatialReflectionPadding import SpatialReflectionPadding
from .SpatialReplicationPadding import SpatialReplicationPadding
from .SpatialZeroPadding import SpatialZeroPadding
from .VolumetricReplicationPadding import VolumetricReplicationPadding

__all__ = [
    "Padding",
    "SpatialReflectionPadding",
    "SpatialReplicationPadding",
    "SpatialZeroPadding",
    "VolumetricReplicationPadding",
]
