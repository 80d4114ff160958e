"""Lua's patterns, as regular expressions of Python.

A `Matcher` matches patterns that regular expressions do not have (``%b``), or for which they may take exponential time: those in
which many repeats can end at several places. It remembers from which places the rest of a pattern does not match, so that it
tries none of them twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from ..errors import raise_error

_CLASSES = {
    **{"a": "a-zA-Z", "d": "0-9", "l": "a-z", "u": "A-Z", "w": "a-zA-Z0-9", "s": r" \t\n\r\f\v", "x": "0-9a-fA-F"},
    **{"c": r"\x00-\x1f\x7f", "p": r"!-/:-@\[-`{-~", "z": r"\x00", "g": "!-~"},
}


def _complement(ranges: str) -> str:
    known = re.compile(f"[{ranges}]")
    return "".join(f"\\x{i:02x}" for i in range(256) if not known.match(chr(i)))


_CLASSES.update({letter.upper(): _complement(ranges) for letter, ranges in tuple(_CLASSES.items())})
_ANYTHING, _NOTHING = r"[\x00-\xff]", r"[^\x00-\xff]"
_MAX_CAPTURES = 32
_MAX_CHOICES = 3  # repeats with several ends in a regular expression, which takes up to n ** 4 steps then
_MAX_STEPS, _MAX_STEPS_PER_CHARACTER = 10**6, 100  # Limits of a `Matcher` without memory: captures decide what matches.
POSITION, TEXT = "position", "text"  # kinds of captures


class Item(NamedTuple):
    """A part of a pattern.

    Attributes
    ----------
    kind : str
        "set", "open", "close", "position", "end", "same" (as a capture), "balance" or "frontier".
    text : str
        The set as a regular expression, the number of the capture, or the two characters of a balance.
    repeat : str
        "", "*", "+", "-" or "?".
    """

    kind: str
    text: str = ""
    repeat: str = ""


def items(pattern: str) -> list[Item]:
    """Returns the parts of a pattern without its ``^``."""
    found: list[Item] = []
    isOpen: list[bool] = []  # for each capture
    i = 0
    while i < len(pattern):
        item, i = _item(pattern, i)
        if item.kind in ("open", "position"):
            isOpen.append(item.kind == "open")
            if len(isOpen) > _MAX_CAPTURES:
                raise_error("too many captures")
        elif item.kind == "close":
            if True not in isOpen:
                raise_error("invalid pattern capture")
            isOpen[len(isOpen) - 1 - isOpen[::-1].index(True)] = False
        elif item.kind == "same" and (not 0 < int(item.text) <= len(isOpen) or isOpen[int(item.text) - 1]):
            raise_error("invalid capture index")
        found.append(item)
    if True in isOpen:
        raise_error("unfinished capture")
    return found


def _item(pattern: str, i: int) -> tuple[Item, int]:
    c, after = pattern[i], pattern[i + 1 : i + 2]
    if c == "(":
        return (Item("position"), i + 2) if after == ")" else (Item("open"), i + 1)
    if c == ")":
        return Item("close"), i + 1
    if c == "$" and i == len(pattern) - 1:
        return Item("end"), i + 1
    if c == "%" and after == "b":
        if len(pattern) < i + 4:
            raise_error("unbalanced pattern")
        return Item("balance", pattern[i + 2 : i + 4]), i + 4
    if c == "%" and after == "f":
        if pattern[i + 2 : i + 3] != "[":
            raise_error("missing '[' after '%f' in pattern")
        text, i = _set(pattern, i + 2)
        return Item("frontier", text), i
    if c == "%" and after.isdigit():
        return Item("same", after), i + 2
    text, i = _single(pattern, i)
    if pattern[i : i + 1] in ("*", "+", "-", "?"):
        return Item("set", text, pattern[i]), i + 1
    return Item("set", text), i


def _single(pattern: str, i: int) -> tuple[str, int]:
    """Returns the characters that a part of one character stands for, and the place behind it."""
    c = pattern[i]
    if c == "[":
        return _set(pattern, i)
    if c == ".":
        return _ANYTHING, i + 1
    if c != "%":
        return re.escape(c), i + 1
    if i + 1 >= len(pattern):
        raise_error("malformed pattern (ends with '%')")
    c = pattern[i + 1]
    return f"[{_CLASSES[c]}]" if c in _CLASSES else re.escape(c), i + 2


def _set(pattern: str, i: int) -> tuple[str, int]:
    start = i + 1
    isNegated = pattern[start : start + 1] == "^"
    i = start = start + isNegated
    text = ""
    while i == start or pattern[i : i + 1] != "]":
        if i >= len(pattern):
            raise_error("malformed pattern (missing ']')")
        c, after, last = pattern[i], pattern[i + 1 : i + 2], pattern[i + 2 : i + 3]
        if c == "%":
            if not after:
                raise_error("malformed pattern (ends with '%')")
            text += _CLASSES.get(after, f"\\x{ord(after):02x}")
            i += 2
        elif after == "-" and last not in ("]", ""):
            text += f"\\x{ord(c):02x}-\\x{ord(last):02x}" if c <= last else ""
            i += 3
        else:
            text += f"\\x{ord(c):02x}"
            i += 1
    if not text:
        return _ANYTHING if isNegated else _NOTHING, i + 1
    return f"[{'^' if isNegated else ''}{text}]", i + 1


class Match:
    """A match of a `Matcher`, with the methods of a match of ``re`` that are used here."""

    __slots__ = ("_captures", "_end", "_start", "_string")

    def __init__(self, string: str, start: int, end: int, captures: list[tuple[int, int]]) -> None:
        self._string, self._start, self._end, self._captures = string, start, end, captures

    def start(self, capture: int = 0) -> int:
        return self._captures[capture - 1][0] if capture else self._start

    def end(self) -> int:
        return self._end

    def __getitem__(self, capture: int) -> str:
        start, end = self._captures[capture - 1] if capture else (self._start, self._end)
        return self._string[start:end]


_Captures = list[tuple[int, int]]
_State = tuple[int, _Captures]


class Matcher:
    """Matches by backtracking, as Lua does."""

    def __init__(self, parts: list[Item]) -> None:
        self._parts = parts
        self._sets: list[Callable[..., Any]] = [
            re.compile(part.text, re.DOTALL).match if part.kind == "set" else re.match for part in parts
        ]
        self._isFrontier = [re.compile(part.text).match if part.kind == "frontier" else None for part in parts]
        self._hasMemory = all(part.kind != "same" for part in parts)
        self._failed: set[tuple[int, int]] = set()
        self._steps = 0

    def match(self, string: str, i: int) -> Match | None:
        """Returns the match that begins at a place."""
        return self._first(string, range(i, i + 1))

    def search(self, string: str, i: int) -> Match | None:
        """Returns the first match from a place on."""
        return self._first(string, range(i, len(string) + 1))

    def _first(self, string: str, starts: range) -> Match | None:
        self._failed, self._steps = set(), _MAX_STEPS + _MAX_STEPS_PER_CHARACTER * len(string)
        try:
            for start in starts:
                if found := self._from(string, 0, start, []):
                    return Match(string, start, *found)
            return None
        finally:
            self._failed = set()

    def _from(self, string: str, n: int, i: int, captures: _Captures) -> _State | None:
        """Matches the parts from the nth on. An open capture ends at -1."""
        if n == len(self._parts):
            return i, captures
        if (n, i) in self._failed:
            return None
        kind, text, repeat = self._parts[n]
        if kind == "set":
            found = self._repeated(string, n, i, captures, repeat)
            if found is None:
                self._note(n, i)
            return found
        following: int | None = i
        if kind == "open":
            captures = [*captures, (i, -1)]
        elif kind == "position":
            captures = [*captures, (i, i)]
        elif kind == "close":
            last = max(k for k, (_, end) in enumerate(captures) if end < 0)
            captures = [*captures[:last], (captures[last][0], i), *captures[last + 1 :]]
        elif kind == "end":
            following = i if i == len(string) else None
        elif kind == "same":
            start, end = captures[int(text) - 1]
            following = i + end - start if string.startswith(string[start:end], i) else None
        elif kind == "balance":
            following = _balanced(string, i, text)
        else:
            isIn = self._isFrontier[n]
            assert isIn is not None
            isEdge = not isIn(string[i - 1] if i else "\0") and isIn(string[i : i + 1] or "\0")
            following = i if isEdge else None
        return None if following is None else self._from(string, n + 1, following, captures)

    def _note(self, n: int, i: int) -> None:
        """Remembers that the parts from the nth on do not match from a place, or counts the step."""
        if self._hasMemory:
            self._failed.add((n, i))
            return
        self._steps -= 1
        if self._steps < 0:
            raise_error("pattern too complex")

    def _repeated(self, string: str, n: int, i: int, captures: _Captures, repeat: str) -> _State | None:
        isIn = self._sets[n]
        if repeat == "-":
            while not (found := self._from(string, n + 1, i, captures)):
                if i >= len(string) or not isIn(string, i) or (n, i + 1) in self._failed:
                    return None
                self._note(n, i)
                i += 1
            return found
        most = {"": 1, "?": 1}.get(repeat, len(string))
        end = i
        while end < len(string) and end - i < most and isIn(string, end):
            end += 1
        for last in range(end, i - (repeat in ("*", "?")), -1):
            if found := self._from(string, n + 1, last, captures):
                return found
            if most > 1 and last > i:
                self._note(n, last)
        return None


def _balanced(string: str, i: int, pair: str) -> int | None:
    """Returns the place behind the balanced text that begins at a place."""
    opening, closing = pair[0], pair[1]
    if string[i : i + 1] != opening:
        return None
    depth = 0
    for j in range(i, len(string)):
        if string[j] == closing and j > i:
            depth -= 1
            if not depth:
                return j + 1
        elif string[j] == opening:
            depth += 1
    return None


def _regular(parts: list[Item]) -> str:
    """Returns parts as a regular expression."""
    fixed = {"open": "(", "close": ")", "position": "()", "end": r"\Z"}
    text = ""
    for kind, inner, repeat in parts:
        if kind == "set":
            text += inner + {"-": "*?"}.get(repeat, repeat)
        elif kind == "same":
            text += f"(?:\\{inner})"
        elif kind == "frontier":
            hasZero = re.match(inner, "\0")
            text += f"(?<={_ANYTHING})(?<!{inner})(?:(?={inner})|\\Z)" if hasZero else f"(?<!{inner})(?={inner})"
        else:
            text += fixed[kind]
    return text


@lru_cache(maxsize=500)
def _characters(text: str) -> frozenset[str]:
    """Returns the characters of a set."""
    isIn = re.compile(text, re.DOTALL).match
    return frozenset(c for c in map(chr, range(256)) if isIn(c))


def _choices(parts: list[Item]) -> int:
    """Returns how many repeats can end at several places, because what follows them may begin with their characters."""
    return sum(_hasChoice(part, parts[i + 1 :]) for i, part in enumerate(parts) if part.kind == "set" and part.repeat)


def _hasChoice(part: Item, following: list[Item]) -> bool:
    for other in following:
        if other.kind == "end":
            return False
        if other.kind == "set":
            if not _characters(part.text).isdisjoint(_characters(other.text)):
                return True
            if other.repeat in ("", "+"):
                return False
        elif other.kind not in ("open", "close", "position"):
            return True
    return False


class Pattern(NamedTuple):
    """A pattern that can be matched.

    Attributes
    ----------
    matcher : re.Pattern or Matcher
        It has ``match`` and ``search``.
    kinds : tuple of str
        `POSITION` or `TEXT` of each capture.
    isAnchored : bool
        True if it begins with ``^``.
    """

    matcher: Any
    kinds: tuple[str, ...]
    isAnchored: bool

    def find(self, string: str, start: int) -> Any:
        """Returns the first match from a place on, or None."""
        return self.matcher.match(string, start) if self.isAnchored else self.matcher.search(string, start)

    def captures(self, match: Any, hasWhole: bool = True) -> tuple[Any, ...]:
        """Returns the captures of a match, the whole of it if there are none."""
        if not self.kinds:
            return (match[0],) if hasWhole else ()
        return tuple(float(match.start(i) + 1) if kind == POSITION else match[i] for i, kind in enumerate(self.kinds, 1))


@lru_cache(maxsize=500)
def compiled(pattern: str, mayAnchor: bool = True) -> Pattern:
    """Returns a pattern of Lua, ready to be matched."""
    isAnchored = mayAnchor and pattern.startswith("^")
    parts = items(pattern[isAnchored:])
    kinds = tuple(POSITION if part.kind == "position" else TEXT for part in parts if part.kind in ("open", "position"))
    isOwn = any(part.kind == "balance" for part in parts) or _choices(parts) > _MAX_CHOICES
    return Pattern(Matcher(parts) if isOwn else re.compile(_regular(parts), re.DOTALL), kinds, isAnchored)
