"""The compiler: a tree of Lua to a function of Python, by way of Python's ``ast``.

`expressions` and `statements` write the nodes, `jumps` the loops. Each node has as its column the number of the Lua expression,
which messages of errors need (see `errors`).
"""

from __future__ import annotations

import gc
import warnings
from functools import lru_cache
from types import CodeType
from typing import Any

from .errors import CHUNK
from .lexer import LuaSyntaxError
from .nodes import Chunk
from .operators import HELPERS
from .statements import Statements
from .table import Table, fields, mixed, sequence

MAX_CACHED, MAX_CACHED_BYTES = 64, 16_000  # compiled sources that are kept; each takes 70 times its length


def compiled(text: str, source: str) -> tuple[CodeType, Chunk]:
    """Returns the code of a source, and its chunk. Raises LuaSyntaxError."""
    chunk = Chunk(source)
    if text.startswith("\x1b"):
        raise LuaSyntaxError(f"{chunk.name}: expected source of Lua, got bytecode")
    isCollected = gc.isenabled()
    gc.disable()  # nodes live until the end, and to visit them again and again would double the time
    try:
        module = Statements(chunk).module(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # (42)() may be wrong, but the script says so
            return compile(module, source.removeprefix("@"), "exec", dont_inherit=True), chunk
    except RecursionError:
        raise LuaSyntaxError(f"{chunk.name}:1: chunk has too many syntax levels") from None
    except (SyntaxError, ValueError) as error:
        raise LuaSyntaxError(f"{chunk.name}:{getattr(error, 'lineno', None) or 1}: {error.args[0]}") from None
    finally:
        if isCollected:
            gc.enable()


cached = lru_cache(MAX_CACHED)(compiled)
"""`compiled`, which keeps the sources that it compiled last. Nothing changes a chunk or its code later."""


def load(text: str, source: str, environment: Table, accessors: dict[str, Any]) -> Any:
    """Returns the function of a source.

    Parameters
    ----------
    text : str
        The source, one character a byte.
    source : str
        Its name, such as ``@net.lua``.
    environment : Table
        Its globals.
    accessors : dict
        ``index``, ``setindex`` and ``method`` of the state, and ``strings``, its metatable of strings.
    """
    code, chunk = (cached if len(text) <= MAX_CACHED_BYTES else compiled)(text, source)
    space = {**HELPERS, **accessors, "fields": fields, "mixed": mixed, "sequence": sequence}
    space |= {"G": environment, CHUNK: chunk, "__builtins__": {}}
    exec(code, space)
    return space.pop("chunk_")
