"""Programs of Lua that are written and run as Python. ``python -m tests.lua.to_python FOLDER`` counts lines with helpers."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytorch_legacy as pl
from pytorch_legacy.lua import helpers, torch7, writer
from pytorch_legacy.lua.language import LuaSyntaxError


class WrittenSession(pl.lua.Session):
    """A session that runs files in the form of Python."""

    def run(self, file: Any, *arguments: Any) -> Any:
        source = Path(file).read_text("latin-1")
        self.globals["arg"] = list(arguments)
        return self.run_text(writer.write(source, str(file)), str(file))

    def run_text(self, text: str, name: str = "program.py") -> Any:
        """Runs a program in Python in this session. Returns its result."""
        torch7.begin(self)
        space: dict[str, Any] = {"__name__": "program"}
        exec(compile(text, name, "exec"), space)
        return torch7.python(space.get("result"))


def helper_lines(text: str) -> tuple[int, int]:
    """Returns how many lines of a program call helpers, and how many lines it has."""
    words = "|".join([*helpers.__all__, "Text"])
    names = re.compile(rf"(?<![\w.])({words})\(")
    body = [line for line in text.split("\n") if line.strip() and not line.startswith("from ")]
    return sum(bool(names.search(line)) for line in body), len(body)


def measure(files: list[Path]) -> dict[str, Any]:
    """Returns how many files become Python, why others do not, and the share of lines with helpers."""
    found: dict[str, Any] = {"files": 0, "written": 0, "lines": 0, "helpers": 0, "refused": {}, "broken": []}
    for file in files:
        source = file.read_text("latin-1")
        found["files"] += 1
        try:
            text = writer.write(source, file.name)
        except LuaSyntaxError as error:
            reason = re.sub(r"^.*?:\d+: ", "", str(error))
            found["refused"][reason] = found["refused"].get(reason, 0) + 1
            continue
        try:
            compile(text, str(file), "exec")
        except SyntaxError as error:
            found["broken"].append(f"{file}: {error}")
            continue
        some, all_ = helper_lines(text)
        found["written"] += 1
        found["lines"], found["helpers"] = found["lines"] + all_, found["helpers"] + some
    return found


if __name__ == "__main__":
    result = measure(sorted(file for folder in sys.argv[1:] for file in Path(folder).rglob("*.lua")))
    print(f"{result['written']} of {result['files']} files are written, {result['lines']} lines")
    print(f"{100 * result['helpers'] / max(1, result['lines']):.1f} % of the lines call helpers")
    for reason, count in sorted(result["refused"].items(), key=lambda pair: -pair[1]):
        print(f"{count:5} {reason}")
    for text in result["broken"]:
        print(text)
