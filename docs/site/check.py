"""Follows every link within the built site: the page must be there, and the anchor on it."""

from __future__ import annotations

import posixpath
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """A page's anchors, and the links and files that the page names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: list[str] = []
        self.links: dict[str, int] = {}
        self.loaded: list[str] = []  # files that a browser reads by itself
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.append(value or "")
            elif name in ("href", "src") and value is not None:
                self.links.setdefault(value, self.getpos()[0])
                if tag != "a" and (name == "src" or ("rel", "stylesheet") in attributes):
                    self.loaded.append(value)


def broken(site: Path) -> list[str]:
    """One line for each link that leads nowhere, and for each anchor that a page has twice."""
    pages = {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    found = []
    for name, page in pages.items():
        twice = {anchor for anchor in page.anchors if page.anchors.count(anchor) > 1}
        found += [f"{name}: the anchor {anchor!r} is there twice" for anchor in twice]
        for link, line in page.links.items():
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
            if target not in files:
                found.append(f"{name}:{line}: {link}: there is no such page")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{name}:{line}: {link}: there is no such anchor")
    return sorted(found)
