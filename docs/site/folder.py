"""A folder of pages that Sphinx reads. What is there as it is keeps its time, so that only what is new is built again."""

from __future__ import annotations

import filecmp
import shutil
from pathlib import Path


class Folder:
    """`write` and `copy` put files there, and `clean` takes away what they did not put."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: set[Path] = set()

    def write(self, place: str, text: str) -> None:
        target = self._target(place)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")

    def copy(self, file: Path, place: str) -> None:
        target = self._target(place)
        if not target.exists() or not filecmp.cmp(file, target, shallow=False):
            shutil.copyfile(file, target)

    def clean(self) -> None:
        for path in self.path.rglob("*"):
            if path.is_file() and path not in self.files:
                path.unlink()

    def _target(self, place: str) -> Path:
        target = self.path / place
        target.parent.mkdir(parents=True, exist_ok=True)
        self.files.add(target)
        return target
