"""Writes the page of each class, a page for each family, and the list of families."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from docs.site import lua
from docs.site.catalog import Entry, entries, families
from docs.site.folder import Folder
from docs.site.gather import Gathering
from docs.site.page import Page, heading, page


def places() -> dict[str, str]:
    """The pages that show Python files, by the paths of the files."""
    return {entry.file: f"{entry.place}.rst" for entry in entries()}


def write(folder: Folder, gathering: Gathering, jobs: int) -> None:
    for made in pages(jobs):
        folder.write(f"{made.entry.place}.rst", made.text)
        for name, html in made.pieces.items():
            folder.write(f"{made.entry.place}.{name}.html.txt", html)
        for path in sorted(made.linked):
            gathering.sources.add(path)
    for family in families():
        rows = "".join(f"* - :doc:`{entry.name} </{entry.place}>`\n  - {entry.summary}\n" for entry in family.entries)
        table = ".. list-table::\n   :widths: 30 70\n\n" + "".join(f"   {line}\n" for line in rows.splitlines())
        folder.write(f"{family.place}.rst", f"{heading(family.title, '=')}\n{family.about}\n\n{table}")
    folder.write("layers/index.rst", _index())
    folder.write("layers/lua.rst", lua.text())


def _index() -> str:
    parts = [
        heading("Layers", "="),
        "Each class has a page: its formula, a picture of what it does, its sources in Python, C and CUDA, and what it is in",
        "Lua, PyTorch and ONNX. :doc:`lua` says where a name of Torch7 is here.\n",
    ]
    for family in families():
        links = ", ".join(f":doc:`{entry.name} </{entry.place}>`" for entry in family.entries)
        parts.append(f"{heading(family.title)}\n{family.about} :doc:`As a table </{family.place}>`.\n\n{links}\n")
    tree = "\n".join(f"   /{family.place}" for family in families())
    return "\n".join(parts) + f"\n.. toctree::\n   :hidden:\n\n   lua\n{tree}\n"


def pages(jobs: int) -> Iterator[Page]:
    """All pages, by several processes: most of the time goes into PyTorch and ONNX."""
    everything = list(entries())
    if jobs < 2:
        yield from map(page, everything)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_single) as pool:
        yield from pool.map(_numbered, range(len(everything)), chunksize=8)


def _numbered(number: int) -> Page:
    return page(_entries()[number])


def _entries() -> list[Entry]:
    return list(entries())


def _single() -> None:
    """The processes share the cores: each has one thread."""
    from importlib.util import find_spec

    from pytorch_legacy import backend

    backend.set_num_threads(1)
    if find_spec("torch"):
        import torch

        torch.set_num_threads(1)
