"""Finds the result of a Lua function if its bytecode only loads constants and returns, which means that it does nothing.

Networks hold such functions in the place of methods: ``layer.accGradParameters = function() end`` freezes a layer. Bytecode
of Lua 5.1, 5.2 and 5.3 and of LuaJIT 2.0 and 2.1 is read, as far as such functions need it; none of it is ever run.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

OTHER: Any = object()
"""Stands for a value that is none of those that are told apart."""

_MOVE, _LOAD, _BOOL, _NIL, _TABLE, _PARAMETER, _RETURN, _RETURN_NONE, _RETURN_ONE = range(9)
# The operations that have no effect, by their numbers in each version: Lua's of 5.1, and two later ones.
_LUA = {
    0x51: {0: _MOVE, 1: _LOAD, 2: _BOOL, 3: _NIL, 4: _LOAD, 10: _TABLE, 30: _RETURN},
    0x52: {0: _MOVE, 1: _LOAD, 3: _BOOL, 4: _NIL, 5: _LOAD, 11: _TABLE, 31: _RETURN},
    0x53: {0: _MOVE, 1: _LOAD, 3: _BOOL, 4: _NIL, 5: _LOAD, 11: _TABLE, 38: _RETURN},
}
# MOV, KSTR, KCDATA, KSHORT, KNUM, KPRI, KNIL, UGET, TNEW, RET, RET0, RET1; 2.1 has operations in between.
_KINDS = (_MOVE, _LOAD, _LOAD, _LOAD, _LOAD, _BOOL, _NIL, _LOAD, _TABLE, _RETURN, _RETURN_NONE, _RETURN_ONE)
_JIT = {
    1: dict(zip((16, 37, 38, 39, 40, 41, 42, 43, 50, 70, 71, 72), _KINDS, strict=True)),
    2: dict(zip((18, 39, 40, 41, 42, 43, 44, 45, 52, 74, 75, 76), _KINDS, strict=True)),
}
_MOST_INSTRUCTIONS = 64
Step = tuple[int, int, int]


@lru_cache(256)
def returned(bytecode: bytes) -> tuple[Any, ...] | None:
    """Returns the result of a function that does nothing else: None for nil, ``[]`` for an empty table, or `OTHER`.

    A parameter is its number, counted from 0, which in a method is the object itself.

    None for a function that does more, and for bytecode that is not understood.

    >>> empty = bytes.fromhex("1b4c4a02000010000001000000010201004b000100000000")
    >>> returned(empty)
    ()
    """
    try:
        return _result(_jit(bytecode) if bytecode[:3] == b"\x1bLJ" else _lua(bytecode))
    except (LookupError, ValueError):  # another operation, or bytes that are missing
        return None


def _result(steps: Iterator[Step]) -> tuple[Any, ...] | None:
    registers: dict[int, Any] = {}  # the others are nil
    for kind, first, second in steps:
        if kind == _MOVE:
            registers[first] = registers.get(second)
        elif kind == _NIL:
            registers |= dict.fromkeys(range(first, second + 1))
        elif kind == _TABLE:
            registers[first] = []
        elif kind in (_LOAD, _PARAMETER):
            registers[first] = OTHER if kind == _LOAD else first
        elif kind == _RETURN:
            return tuple(registers.get(register) for register in range(first, first + second))
    return None


class _Cursor:
    def __init__(self, content: bytes, at: int) -> None:
        self.content, self.at = content, at

    def take(self, count: int) -> bytes:
        if not 0 <= count <= len(self.content) - self.at:
            raise ValueError("too short")
        self.at += count
        return self.content[self.at - count : self.at]

    def packed(self) -> int:
        """A number in groups of seven bits, the lowest first."""
        number = 0
        for shift in range(0, 35, 7):
            byte = self.take(1)[0]
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise ValueError("too long")


def _parameters(count: int) -> Iterator[Step]:
    return ((_PARAMETER, register, 0) for register in range(count))


def _jit(bytecode: bytes) -> Iterator[Step]:
    """The steps of the function itself, which follows those inside it in the dump of LuaJIT."""
    version, flags = bytecode[3], bytecode[4]
    kinds, stripped = _JIT[version], flags & 2
    dump = _Cursor(bytecode, 5)
    if not stripped:
        dump.take(dump.packed())  # its name
    function = b""
    while size := dump.packed():
        function = dump.take(size)
    body = _Cursor(function, 4)  # after its flags and the numbers of parameters, registers and upvalues
    body.packed(), body.packed()  # its constants
    count = body.packed()
    yield from _parameters(function[1])
    if not stripped and body.packed():
        body.packed(), body.packed()  # its lines
    for _ in range(min(count, _MOST_INSTRUCTIONS)):
        word = int.from_bytes(body.take(4), "big" if flags & 1 else "little")
        kind, first, second = kinds[word & 255], word >> 8 & 255, word >> 16
        if kind == _BOOL:
            kind, second = (_LOAD, 0) if second else (_NIL, first)
        elif kind in (_RETURN, _RETURN_NONE, _RETURN_ONE):
            kind, second = _RETURN, {_RETURN: second - 1, _RETURN_NONE: 0, _RETURN_ONE: 1}[kind]
        yield kind, first, second


def _lua(bytecode: bytes) -> Iterator[Step]:
    """The steps of the function itself, which begins the dump of Lua."""
    if bytecode[:4] != b"\x1bLua" or len(bytecode) < 18:
        raise ValueError("no bytecode of Lua")
    version = bytecode[4]
    kinds = _LUA[version]
    if version == 0x53:
        order = "big" if bytecode[17] == 0 else "little"  # byte order of the number 0x5678 that stands there
        ints, sizes, words = bytecode[12:15]
        dump = _Cursor(bytecode, 17 + bytecode[15] + bytecode[16] + 1)
        length = dump.take(1)[0]
        length = int.from_bytes(dump.take(sizes), order) if length == 255 else length  # type: ignore[arg-type]
        dump.take(max(length - 1, 0))
    else:
        order = "little" if bytecode[6] else "big"
        ints, sizes, words = bytecode[7:10]
        dump = _Cursor(bytecode, 12 if version == 0x51 else 18)
        if version == 0x51:
            dump.take(int.from_bytes(dump.take(sizes), order))  # type: ignore[arg-type]
    dump.take(2 * ints + (version == 0x51))  # its lines and the number of upvalues
    yield from _parameters(dump.take(3)[0])
    if words != 4:
        raise ValueError("other words")
    for _ in range(min(int.from_bytes(dump.take(ints), order), _MOST_INSTRUCTIONS)):  # type: ignore[arg-type]
        word = int.from_bytes(dump.take(4), order)  # type: ignore[arg-type]
        kind, first, second, skips = kinds[word & 63], word >> 6 & 255, word >> 23, word >> 14 & 511
        if kind == _BOOL:
            if skips:
                raise ValueError("a jump")
            kind = _LOAD
        elif kind == _NIL and version != 0x51:
            second += first
        elif kind == _RETURN:
            second -= 1
            if second < 0:
                raise ValueError("a number of values that is not known")
        yield kind, first, second
