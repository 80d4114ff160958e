"""Torch7's class system: what modules, criterions, nodes and loggers have in common.

`Object` is the base of all. It has fields (`files.stored`), which can be copied (`copies`) and converted (`conversion`).
"""

from .array_checks import ArrayField
from .base import Object
from .typed import Typed, Wrapping

__all__ = ["ArrayField", "Object", "Typed", "Wrapping"]
