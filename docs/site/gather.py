"""Gathers the pages in a folder that Sphinx reads: each page with its links turned from files of the repository to pages."""

from __future__ import annotations

import posixpath
import re
from importlib import import_module

from docs.site import ROOT
from docs.site.folder import Folder
from docs.site.sources import Sources

# Pages of the repository, and where they are on the site. All pages of docs/ keep their names.
NAMED = {
    "docs/site/index.md": "index.md",
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
# Pages that a script makes. A link to the script leads to its page.
MADE = {f"docs/{script}.py": f"{script}.md" for script in ("classes", "fields", "functions")}
PICTURES = (".png", ".svg", ".jpg")

# Code is left as it is: what stands between fences, and between backticks. A link is what else is in round brackets.
_CODE_OR_LINK = re.compile(
    r"^(?P<fence>`{3,}|~{3,}|:{3,}).*?^(?P=fence)|(?P<ticks>`+).+?(?P=ticks)|(?<=\]\()(?P<link>[^)\s]+)(?=\))", re.M | re.S
)
_ELSEWHERE = re.compile(r"[a-z]+:|#|/")


def pages() -> dict[str, str]:
    """From paths in the repository to paths on the site."""
    written = [path for pages in ("*.md", "book/**/*.md", "instruments/*.md") for path in (ROOT / "docs").glob(pages)]
    return NAMED | {path.relative_to(ROOT).as_posix(): path.relative_to(ROOT / "docs").as_posix() for path in sorted(written)}


def book(places: list[str]) -> str:
    """The entries of the book for the table of contents: its index, or else its pages by their names."""
    chapters = [place.removesuffix(".md") for place in places if place.startswith("book/")]
    return "book/index" if "book/index" in chapters else "\n".join(chapters)


class Gathering:
    """The pages, gathered in `folder`. `known` says where on the site files are that have a page of their own."""

    def __init__(self, folder: Folder, known: dict[str, str]) -> None:
        self.folder = folder
        self.places = pages() | MADE | known
        self.sources = Sources(folder)

    def all(self) -> None:
        written = pages()
        for file in (ROOT / "docs" / "book").rglob("*"):
            if file.suffix in PICTURES:
                self.place(file.relative_to(ROOT).as_posix(), "docs/book")  # directives name them too
        for path, place in written.items():
            text = (ROOT / path).read_text(encoding="utf-8")
            if place == "index.md":
                text = text.replace("BOOK", book([*written.values()]))
            self.folder.write(place, self.turned(text, path, place))

        for path, place in MADE.items():
            script = import_module(path.removesuffix(".py").replace("/", "."))
            self.folder.write(place, self.turned(script.page(), path, place))

    def turned(self, text: str, path: str, place: str) -> str:
        """The text of the page `path` with links that lead to the same things on the site, from `place`."""

        def turn(found: re.Match[str]) -> str:
            link = found["link"]
            if link is None or _ELSEWHERE.match(link):
                return found[0]
            file, hash, anchor = link.partition("#")
            target = self.place(posixpath.normpath(posixpath.join(posixpath.dirname(path), file)), path)
            return posixpath.relpath(target, posixpath.dirname(place) or ".") + hash + anchor

        return _CODE_OR_LINK.sub(turn, text)

    def place(self, target: str, page: str) -> str:
        """Returns the place on the site of a file of the repository to which a page links. A file without a page gets one."""
        if target not in self.places:
            file = ROOT / target
            if target.startswith("..") or not file.exists():
                raise FileNotFoundError(f"{page}: a link to {target}, which is not there")
            if file.suffix in PICTURES:
                self.places[target] = target.removeprefix("docs/")
                self.folder.copy(file, self.places[target])
            else:
                self.places[target] = self.sources.add(target)
        return self.places[target]
