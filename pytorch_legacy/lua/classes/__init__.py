"""Modules, criterions, nodes and optimizers of this package as Lua programs see them, and the classes that programs define."""

from .border import Object
from .loading import ScriptFactory
from .packages import add_packages, border_of

__all__ = ["Object", "ScriptFactory", "add_packages", "border_of"]
