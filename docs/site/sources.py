"""Pages that show a file of the repository, or list a folder, so that a link to code leads somewhere."""

from __future__ import annotations

from docs.site import ROOT
from docs.site.folder import Folder

LANGUAGES = {".py": "python", ".c": "c", ".h": "c", ".cu": "cuda", ".cuh": "cuda", ".lua": "lua", ".sh": "sh", ".toml": "toml",
             ".md": "markdown", ".cpp": "cpp"}  # fmt: skip
HEAD = ":orphan:\n:nosearch:\n\n{title}\n{line}\n\n"


class Sources:
    """Writes such pages below source/."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.added: dict[str, str] = {}

    def add(self, path: str) -> str:
        """The page of a file or folder, by its path in the repository: written at the first call."""
        if path not in self.added:
            isFolder = (ROOT / path).is_dir()
            self.added[path] = f"source/{path}/index.rst" if isFolder else f"source/{path}.rst"
            head = HEAD.format(title=path, line="=" * len(path))
            self.folder.write(self.added[path], head + (self._listing(path) if isFolder else self._shown(path)))
        return self.added[path]

    def _shown(self, path: str) -> str:
        file = ROOT / path
        try:
            file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return f"A file of {file.stat().st_size} bytes that is no text.\n"
        self.folder.copy(file, f"source/{path}.txt")  # by a name that is no page's
        return f".. literalinclude:: /source/{path}.txt\n   :language: {LANGUAGES.get(file.suffix, 'text')}\n   :linenos:\n"

    def _listing(self, path: str) -> str:
        entries = sorted(entry for entry in (ROOT / path).iterdir() if entry.name not in ("__pycache__", ".DS_Store"))
        lines = []
        for entry in entries:
            self.add(entry.relative_to(ROOT).as_posix())
            lines.append(f"- :doc:`{entry.name} <{entry.name}{'/index' if entry.is_dir() else ''}>`")
        return "\n".join(lines) + "\n"
