"""The tokens of Lua 5.1, with goto, ``\\u``, ``\\x`` and ``\\z`` of LuaJIT."""

from __future__ import annotations

import re
from typing import NamedTuple

KEYWORDS = frozenset(
    [
        *("and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local"),
        *("nil", "not", "or", "repeat", "return", "then", "true", "until", "while"),
    ]
)
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<comment>--(?:\[(?P<comment_level>=*)\[.*?\](?P=comment_level)\]|(?!\[=*\[)[^\n]*))
    | (?P<long>\[(?P<level>=*)\[.*?\](?P=level)\])
    | (?P<number>0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<name>[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*)
    | (?P<string>"(?:\\(?:z\s*|\r\n|.)|[^"\\\n])*"|'(?:\\(?:z\s*|\r\n|.)|[^'\\\n])*')
    | (?P<operator>(?!--|\[=*\[)(?:\.\.\.|\.\.|==|~=|<=|>=|::|[-+*/%^\#<>=(){}\[\];:,.]))""",
    re.DOTALL | re.ASCII | re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(z\s*|x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|\d{1,3}|\r\n|.)", re.DOTALL | re.ASCII)
_LETTERS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_NUMERAL = re.compile(
    r"[+-]?(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)",
    re.ASCII | re.IGNORECASE,
)


class LuaSyntaxError(Exception):
    """The text is not Lua. The message is Lua's own, with file and line."""


class Token(NamedTuple):
    """A token.

    Attributes
    ----------
    kind : str
        "name", "keyword", "operator", "number", "string" or "end".
    value : str or float
        The text, or the value of a number or string.
    line : int
        Its line, from 1.
    text : str
        The text as it is written.
    symbol : str
        The text of a keyword, an operator or the end, "" for other tokens.
    """

    kind: str
    value: str | float
    line: int
    text: str
    symbol: str = ""


def number(text: str) -> float | None:
    """Returns the number that a numeral stands for, or None if it is none."""
    text = text.strip(" \t\n\r\f\v")
    if not _NUMERAL.fullmatch(text):
        return None
    sign, digits = (-1.0, text[1:]) if text[0] == "-" else (1.0, text.lstrip("+"))
    if digits[:2] not in ("0x", "0X"):
        return sign * float(digits)
    try:
        return sign * (float.fromhex(digits) if re.search(r"[.pP]", digits) else float(int(digits, 16)))
    except OverflowError:
        return sign * float("inf")


def tokens(source: str, name: str) -> list[Token]:
    """Returns the tokens of a source.

    Parameters
    ----------
    source : str
        The text, one character a byte.
    name : str
        The name that errors begin with.
    """
    found, position, line = [], 0, 1
    if source.startswith("#"):
        position = source.find("\n") if "\n" in source else len(source)
    while position < len(source):
        match = _TOKEN.match(source, position)
        if match is None:
            raise LuaSyntaxError(f"{name}:{line}: {_unreadable(source, position)}")
        kind, text = match.lastgroup, match[0]
        position = match.end()
        if kind not in ("space", "comment", "comment_level"):
            found.append(_token(kind or "", text, line, name, source[position : position + 1], match["level"]))
        line += text.count("\n")
    found.append(Token("end", "<eof>", line, "<eof>", "<eof>"))
    return found


class Comment(NamedTuple):
    """A comment.

    Attributes
    ----------
    line : int
        Its first line.
    lines : list of str
        Its text.
    isAlone : bool
        True if nothing stands before it on its line.
    """

    line: int
    lines: list[str]
    isAlone: bool


def comments(source: str) -> list[Comment]:
    """Returns the comments of a source that has been read."""
    found, position, line, last = [], 0, 1, 0
    if source.startswith("#"):
        position = source.find("\n") if "\n" in source else len(source)
    while position < len(source) and (match := _TOKEN.match(source, position)) is not None:
        text = match[0]
        position = match.end()
        if match.lastgroup in ("comment", "comment_level"):
            level = match["comment_level"]
            body = text[2:] if level is None else text[len(level) + 4 : -len(level) - 2]
            found.append(Comment(line, [one.strip().lstrip("-").strip() for one in body.strip().split("\n")], last != line))
        line += text.count("\n")
        last = last if match.lastgroup == "space" else line
    return found


def _token(kind: str, text: str, line: int, name: str, after: str, level: str | None) -> Token:
    if kind == "name":
        return Token("keyword", text, line, text, text) if text in KEYWORDS else Token("name", text, line, text)
    if kind == "number":
        value = number(text)
        if value is None or after == "." or after == "_" or after.isalnum():
            raise LuaSyntaxError(f"{name}:{line}: malformed number near '{text}{after}'")
        return Token("number", value, line, text)
    if kind == "operator":
        return Token(kind, text, line, text, text)
    if level is not None:
        body = text[len(level) + 2 : -len(level) - 2].replace("\r\n", "\n")
        return Token("string", body[1:] if body[:1] in ("\n", "\r") else body, line, text)
    try:
        return Token("string", _ESCAPE.sub(_unescape, text[1:-1]), line, text)
    except ValueError:
        raise LuaSyntaxError(f"{name}:{line}: invalid escape sequence near '{text}'") from None


def _unescape(match: re.Match[str]) -> str:
    text = match[1]
    if text[0] == "z":
        return ""
    if text[0] == "x" and len(text) == 3:
        return chr(int(text[1:], 16))
    if text[0] == "u" and len(text) > 1:
        return chr(int(text[2:-1], 16)).encode().decode("latin-1")
    if text.isdigit():
        if int(text) > 255:
            raise ValueError(text)
        return chr(int(text))
    if text in ("\n", "\r\n"):
        return "\n"
    if text in _LETTERS:
        return _LETTERS[text]
    if text.isalnum():
        raise ValueError(text)
    return text


def _unreadable(source: str, position: int) -> str:
    """Returns the message for characters that are no token."""
    rest = source[position:]
    line = rest.split("\n")[0]
    if rest.startswith("--["):
        return "unfinished long comment near '<eof>'"
    if re.match(r"\[=*\[", rest):
        return "unfinished long string near '<eof>'"
    if rest[0] in "'\"":
        return f"unfinished string near '{line if len(line) < len(rest) else '<eof>'}'"
    return f"unexpected symbol near '{rest[0]}'"
