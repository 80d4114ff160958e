"""Lua scripts, run by this package: a compiler of Lua 5.1 to Python.

>>> import pytorch_legacy as pl
>>> pl.lua.Session().execute("return 1 + 1, ('net'):upper()")
(2.0, 'NET')
"""

from .from_one import cudnn, inn, nn, nngraph, optim
from .language import LuaError, Table
from .session import Session, View, factory, run, view

__all__ = ["LuaError", "Session", "Table", "View", "cudnn", "factory", "inn", "nn", "nngraph", "optim", "run", "view"]
