"""Modules around one other module."""

from .Decorator import Decorator
from .DontCast import DontCast
from .NaN import NaN
from .Profile import Profile
from .WeightNorm import WeightNorm

__all__ = [
    "Decorator",
    "DontCast",
    "NaN",
    "Profile",
    "WeightNorm",
]
