"""``pytorch-legacy new-layer``: write the first version of the files of a new layer."""

from __future__ import annotations

import argparse
import shlex

from pytorch_legacy.files.t7.nodes import printable

HELP = "write the files of your own layer"
DESCRIPTION = """\
Write a layer that works and that you then change: C functions and their
declarations, a Python class, a test of its Jacobian, a script that draws it and,
with --cuda, its kernels. Files that exist are not overwritten.

  pytorch-legacy new-layer SpatialMedianPooling
  pytorch-legacy new-layer SpatialMedianPooling --kind pooling2d --cuda --folder median
  cd median && python -m pytest && python picture_SpatialMedianPooling.py
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from pytorch_legacy.extension.skeleton import KINDS

    kinds = "; ".join(f"{kind}: {what}" for kind, what in KINDS.items())
    parser.add_argument("name", help="name of the class, such as SpatialMedianPooling")
    parser.add_argument(
        "--kind", choices=KINDS, default="pooling2d", help=f"the layer to start from ({kinds}) (default: pooling2d)"
    )
    parser.add_argument("--cuda", action="store_true", help="also write CUDA kernels")
    parser.add_argument("--folder", help="folder for the files (default: a folder with the name of the layer)")


def execute(options: argparse.Namespace) -> None:
    from pytorch_legacy.extension import new_layer

    files = new_layer(options.name, options.kind, options.folder, options.cuda)
    for file in files:
        print(printable(str(file)))
    print(printable(f"now: cd {shlex.quote(str(files[0].parent))} && python -m pytest"))
