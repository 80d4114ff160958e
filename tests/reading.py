"""Counts the lines that define a layer: ``python -m tests.reading [--at COMMIT] [LAYER ...]``.

It counts whole files, as a reader opens them:

- the file that defines the layer. If it defines others, too, it counts what stands before the first layer's functions, which is
  the story and the definition, and the layer's own lines;
- each header that it includes from its family, and the C file beside that header, since one of the two has the loops. What these
  include is opened in turn;
- of ``core/`` only what says where windows lie (`GEOMETRY`). The rest serves all layers: who reads a second one knows it.

The way is shorter if a file has the definition of its layer (the words "The definition"). Then nobody looks into the C files
behind headers, which have the fast loops.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from pytorch_legacy.backend import header

ROOT = Path(__file__).resolve().parent.parent
LAYERS = (
    "pooling/SpatialAdaptiveAveragePooling",
    "pooling/SpatialMaxPooling",
    "pooling/SpatialGaussianPooling",
    "padding/SpatialReplicationPadding",
    "convolution/SpatialConvolutionMM",
)
GEOMETRY = ("core/geometry.h", "core/space.h", "core/volumes.h")  # volumes.h: in earlier commits
Read = Callable[[str], str | None]


def tree(path: str) -> str | None:
    file = ROOT / "THNN" / path
    return file.read_text(encoding="utf-8") if file.exists() else None


def at(commit: str) -> Read:
    """Files as they were in a commit."""

    def read(path: str) -> str | None:
        shown = subprocess.run(["git", "show", f"{commit}:THNN/{path}"], cwd=ROOT, capture_output=True, text=True)
        return shown.stdout if shown.returncode == 0 else None

    return read


def own(name: str) -> int:
    """The lines that concern a layer in its own C file."""
    place = header.where(name, ROOT)[0]
    others = [layer for layer, path in header.definitions(ROOT).items() if path == place.path]
    return min(header.where(layer, ROOT)[0].first for layer in others) - 1 + place.last - place.first + 1


def files(layer: str, read: Read = tree) -> dict[str, int]:
    """The files to open for a layer such as ``pooling/SpatialMaxPooling``, and their lines."""
    family, _, name = layer.partition("/")
    opened: dict[str, int] = {}
    waiting = [f"{layer}.c"]
    if read is tree:
        waiting = [place.path.relative_to(ROOT / "THNN").as_posix() for place in header.where(name, ROOT)[:1]]
    isShort = False
    while waiting:
        path = waiting.pop(0)
        text = read(path)
        if path in opened or text is None:
            continue
        opened[path] = own(name) if read is tree and not opened else text.count("\n")
        isShort = isShort or "The definition" in text
        for included in re.findall(r'^#include "(\S+)"', text, re.MULTILINE):
            if included.startswith(f"{family}/") or included in GEOMETRY:
                waiting.append(included)
                if not isShort and included not in GEOMETRY:
                    waiting.append(included.removesuffix(".h") + ".c")
            elif included == "core/planes.h":
                waiting.append("core/space.h")
    return opened


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reading", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("layers", nargs="*", default=LAYERS, metavar="LAYER", help="family/Layer")
    parser.add_argument("--at", metavar="COMMIT", help="count the files of a commit")
    arguments = parser.parse_args()
    for layer in arguments.layers:
        found = files(layer, at(arguments.at) if arguments.at else tree)
        print(f"{layer}: {len(found)} files, {sum(found.values())} lines: {', '.join(f'{p} {n}' for p, n in found.items())}")


if __name__ == "__main__":
    main()
