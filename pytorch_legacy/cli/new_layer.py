"""``pytorch-legacy new-layer``: all files of a layer of one's own, to begin with."""

from __future__ import annotations

import argparse
import shlex

from pytorch_legacy.files.t7.nodes import printable

HELP = "write the files of a layer of your own"
DESCRIPTION = """\
Write a layer that works, for you to change: its C functions and their declarations, its Python class, a test with the
Jacobian, a script that draws it and, with --cuda, its kernels. No file is ever overwritten.

  pytorch-legacy new-layer SpatialMedianPooling
  pytorch-legacy new-layer SpatialMedianPooling --kind pooling2d --cuda --folder median
  cd median && python -m pytest && python picture_SpatialMedianPooling.py
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from pytorch_legacy.extension.skeleton import KINDS

    kinds = "; ".join(f"{kind}: {what}" for kind, what in KINDS.items())
    parser.add_argument("name", help="the class, as in SpatialMedianPooling")
    parser.add_argument("--kind", choices=KINDS, default="pooling2d", help=f"what it begins as ({kinds}); pooling2d if not given")
    parser.add_argument("--cuda", action="store_true", help="write CUDA kernels, too")
    parser.add_argument("--folder", help="where the files go; a folder of the layer's name if not given")


def execute(options: argparse.Namespace) -> None:
    from pytorch_legacy.extension import new_layer

    files = new_layer(options.name, options.kind, options.folder, options.cuda)
    for file in files:
        print(printable(str(file)))
    print(printable(f"now: cd {shlex.quote(str(files[0].parent))} && python -m pytest"))
