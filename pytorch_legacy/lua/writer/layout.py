"""Lines of Python from texts with marks: calls, tables and chains of methods are broken where a line is too long."""

from __future__ import annotations

OPEN, NEXT, CLOSE = "\x01", "\x02", "\x03"
"""Marks behind an opening bracket, behind a comma between its items, and before the closing bracket."""
CHAIN, LINK, END = "\x04", "\x05", "\x06"
"""Marks before a chain of method calls or of ``and`` and ``or``, before each of its links, and behind it."""
WIDTH = 100
_DEPTHS = {OPEN: 1, CHAIN: 1, CLOSE: -1, END: -1}
_FLAT = {ord(OPEN): None, ord(NEXT): " ", ord(CLOSE): None, ord(CHAIN): None, ord(LINK): None, ord(END): None}


def flat(text: str) -> str:
    """Returns a text on one line."""
    return text.translate(_FLAT)


def group(opening: str, items: list[str], closing: str) -> str:
    """Returns items in brackets."""
    if not items:
        return opening + closing
    return opening + OPEN + f",{NEXT}".join(items) + CLOSE + closing


def lines(text: str, indent: int) -> list[str]:
    """Returns the lines of a statement."""
    return _broken(text, indent, "", False)


def _broken(text: str, indent: int, after: str, isInBrackets: bool) -> list[str]:
    """Returns the lines of a text, with `after` behind the last one."""
    whole = " " * indent + flat(text) + after
    if len(whole) <= WIDTH:
        return [whole]
    start, end = _outer(text, CHAIN, END)
    if start >= 0:
        parts = _split(text[start + 1 : end], LINK)
        if len(parts) > 2 or parts[-1].startswith(" "):
            return _chain(text[:start], parts, text[end + 1 :] + after, indent, isInBrackets)
        return _broken(text[:start] + "".join(parts) + text[end + 1 :], indent, after, isInBrackets)
    start, end = _outer(text, OPEN, CLOSE)
    if start < 0:
        return [whole]
    found = [" " * indent + flat(text[:start])]
    items = _split(text[start + 1 : end], f",{NEXT}")
    comma = "" if text[start - 1] == "[" and len(items) == 1 else ","  # a[i,] has a tuple as its key
    for item in items:
        found += _broken(item, indent + 4, comma, True)
    return found + _broken(text[end + 1 :].removeprefix(","), indent, after, isInBrackets)


def _chain(before: str, parts: list[str], after: str, indent: int, isInBrackets: bool) -> list[str]:
    """Returns a chain with a line for each of its calls."""
    isBare = isInBrackets and not before and not flat(after).strip(",")
    inner = indent if isBare else indent + 4
    found = [] if isBare else [" " * indent + flat(before) + "("]
    for i, part in enumerate(parts):
        isLast = i == len(parts) - 1
        found += _broken(part.lstrip(" "), inner + (4 if isBare and i else 0), after if isBare and isLast else "", True)
    return found if isBare else [*found, " " * indent + ")" + flat(after)]


def _outer(text: str, opening: str, closing: str) -> tuple[int, int]:
    """Returns where the longest part between two marks begins and ends that is in no other part; -1 if there is none."""
    best, depth, start = (-1, -1), 0, -1
    for i, mark in enumerate(text):
        if mark == opening and depth == 0:
            start = i
        depth += _DEPTHS.get(mark, 0)
        if mark == closing and depth == 0 and start >= 0:
            best = max(best, (start, i), key=lambda pair: pair[1] - pair[0])
            start = -1
    return best


def _split(text: str, mark: str) -> list[str]:
    """Returns the parts between marks that are in no inner part."""
    found, depth, start = [], 0, 0
    for i, one in enumerate(text):
        depth += _DEPTHS.get(one, 0)
        if depth == 0 and text.startswith(mark, i):
            found.append(text[start:i])
            start = i + len(mark)
    return [*found, text[start:]]


def is_definition(written: list[str]) -> bool:
    """True if lines begin with a function or class."""
    return bool(written) and written[0].lstrip().startswith(("def ", "class "))


def was_block(found: list[str]) -> bool:
    """True if the last lines are those of a function or class, which a blank line follows."""
    last = found[-1]
    width = len(last) - len(last.lstrip())
    for one in reversed(found):
        own = len(one) - len(one.lstrip())
        if one and own < width:
            width = own
            if one.lstrip().startswith(("def ", "class ")) and width == _first_width(found):
                return True
    return False


def _first_width(found: list[str]) -> int:
    return min(len(one) - len(one.lstrip()) for one in found if one)
