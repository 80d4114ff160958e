"""Lua 5.1, compiled to Python."""

from .errors import LuaError
from .lexer import LuaSyntaxError
from .state import State
from .table import Table

__all__ = ["LuaError", "LuaSyntaxError", "State", "Table"]
