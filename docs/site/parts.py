"""The four parts of a C file: story, check, definition, functions."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^/\* ?-{4}")
_CHECK = re.compile(r"^static [\w ]+ \**(check\w*|\w+Check)\(")
_STATIC = re.compile(r"^static [\w ]+[ *](\w+)\(|^(?:static )?(?:THNN_KERNEL|__global__) ")
_FUNCTION = re.compile(r"^int32_t THNN_\(?[a-zA-Z0-9]+_\w+\)?\(")
_CALLED = re.compile(r"\b(check\w*|\w+Check)\(")


def parts(text: str, layer: int = 1) -> dict[str, int]:
    """The line, counted from 1, at which each part of a C or CUDA file begins; parts that are not there are left out.

    Of a file that defines several layers, these are the parts of the one whose functions begin at line `layer` or below it.
    """
    lines = text.splitlines()
    found = {"story": 1} if lines and lines[0].startswith("/*") else {}
    checks: dict[str, int] = {}
    inside = False
    for number, line in enumerate(lines, 1):
        beginsComment = line.startswith("/*")
        if not inside and not beginsComment:
            if check := _CHECK.match(line):
                checks[check[1]] = _above(lines, number)
            elif _FUNCTION.match(line):
                if number >= layer:
                    found["functions"] = _above(lines, number)
                    if name := _called(lines, number, checks):
                        found["check"] = checks[name]
                    break
            elif _STATIC.match(line):
                found.setdefault("definition", _above(lines, number))
        inside = (inside or beginsComment) and "*/" not in line
    return dict(sorted(found.items(), key=lambda part: part[1]))


def _called(lines: list[str], number: int, checks: dict[str, int]) -> str | None:
    """The check among `checks` that the function at line `number` calls; if it calls none, the only one that there is."""
    called = [name for name in _CALLED.findall("\n".join(lines[number : lines.index("}", number)])) if name in checks]
    return next(iter(called or (checks if len(checks) == 1 else ())), None)


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
