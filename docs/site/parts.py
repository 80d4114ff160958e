"""The four parts of a C file: story, check, definition, functions."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^/\* ?-{4}")
_CHECK = re.compile(r"^static [\w ]+ \**(check\w*|\w+Check)\(")
_STATIC = re.compile(r"^static [\w ]+[ *](\w+)\(|^(?:static )?(?:THNN_KERNEL|__global__) ")
_FUNCTION = re.compile(r"^int32_t THNN_\(?\w+\)?\(")


def parts(text: str) -> dict[str, int]:
    """The line, counted from 1, at which each part of a C or CUDA file begins; parts that are not there are left out."""
    lines = text.splitlines()
    found = {"story": 1} if lines and lines[0].startswith("/*") else {}
    inside = False
    for number, line in enumerate(lines, 1):
        beginsComment = line.startswith("/*")
        if not inside and not beginsComment:
            if _CHECK.match(line):
                found.setdefault("check", _above(lines, number))
            elif _FUNCTION.match(line):
                found.setdefault("functions", _above(lines, number))
                break
            elif _STATIC.match(line):
                found.setdefault("definition", _above(lines, number))
        inside = (inside or beginsComment) and "*/" not in line
    return found


def _above(lines: list[str], number: int) -> int:
    """The line of the comment that stands right above a line, through at most one empty line, else the line itself."""
    at = number - 1
    while at > 0 and lines[at - 1].strip() and not lines[at - 1].startswith(("}", "#", "static", "int32_t")):
        at -= 1
    if at == number - 1 and at > 1 and not lines[at - 1].strip() and lines[at - 2].rstrip().endswith("*/"):
        at -= 2
        while at > 0 and not lines[at].startswith("/*"):
            at -= 1
    return at + 1 if at else number
