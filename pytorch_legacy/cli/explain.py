"""``pytorch-legacy explain``: print or draw the windows and results of pooling layers."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from pytorch_legacy import explain, nn
from pytorch_legacy.files.writing import check_target
from pytorch_legacy.inference import files
from pytorch_legacy.inference.output import say
from pytorch_legacy.inference.preprocessing import Preprocessing
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.inference.progress import busy

from . import calls, classes
from .options import pixels

HELP = "print the windows of a pooling layer, or draw the results of all of them"
DESCRIPTION = """\
Print the window of input cells of each output of a pooling layer, or draw the
results of every pooling layer for a picture.

  pytorch-legacy explain adaptive 5 3                  adaptive windows, and fixed ones
  pytorch-legacy explain adaptive 33x54 14x30 -o windows.png
                                                       two axes, drawn as a picture
  pytorch-legacy explain max 10 --kernel 3 --stride 2 --ceil
                                                       sliding windows
  pytorch-legacy explain layer "SpatialS3Pooling(2, 4, 4)" 12
                                                       any pooling layer
  pytorch-legacy explain pooling photo.jpg -o grid.png
                                                       outputs and gradients of all layers

The height of a size comes first: 33x54 is 33 high and 54 wide; 14 is 14 along
every axis.
"""
SUMMARIES = {
    "adaptive": "windows that divide the input as evenly as possible",
    "global": "one window that covers the whole input",
    "fractional": "windows at random distances",
    **dict.fromkeys(explain.SLIDING, "windows of one size, one stride apart"),
    "layer": "any pooling layer, written as in Python",
    "pooling": "the output and the gradient of every pooling layer for a picture",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    for kind, summary in SUMMARIES.items():
        sub = kinds.add_parser(kind, help=summary, description=f"{kind}: {summary}.")
        if kind == "pooling":
            sub.add_argument("image", metavar="IMAGE", help="picture, gray or in color")
            sub.add_argument("-o", "--output", metavar="GRID.png", required=True, help="output file")
            sub.add_argument(
                "--size", type=pixels("--size"), metavar="WxH", help="resize first (default: longer side at most 96)"
            )
            sub.add_argument(
                "--layer", metavar="LAYER", action="append", default=[], help='further layer, such as "SpatialS3Pooling(2, 4, 4)"'
            )
            classes.add_argument(sub)
            continue
        if kind == "layer":
            sub.add_argument("layer", metavar="LAYER", help='such as "SpatialS3Pooling(2, 4, 4)"')
            classes.add_argument(sub)
        sub.add_argument("size", metavar="SIZE", help="size of the input: 5, or 33x54")
        if kind in ("adaptive", "fractional"):
            sub.add_argument("outputs", metavar="OUTPUT", help="size of the output: 3, or 14x30")
        if kind in ("fractional", *explain.SLIDING):
            sub.add_argument("--kernel", metavar="SIZE", required=True, help="size of a window: 3, or 3x2")
        if kind in explain.SLIDING:
            sub.add_argument("--stride", metavar="SIZE", help="distance between windows (default: the kernel)")
            sub.add_argument("--pad", metavar="SIZE", default="0", help="padding before and after the input (default: 0)")
        if kind in ("layer", *explain.SLIDING):
            sub.add_argument("--ceil", action="store_true", help="let the last window extend past the edge")
        if kind == "max":
            sub.add_argument(
                "--dilation", metavar="SIZE", default="1", help="distance between the cells of a window (default: 1)"
            )
        sub.add_argument("-o", "--output", metavar="PICTURE.png", help="output file of a drawing (png, svg or pdf)")


def execute(options: argparse.Namespace) -> None:
    if options.output:
        check_target(options.output)
    if options.kind == "pooling":
        _gallery(options)
        return
    size = _sizes("SIZE", options.size, 1)
    if options.kind == "layer":
        layer = _layer(options.layer, options.classes)
        if options.ceil and not hasattr(layer, "ceil"):
            raise Problem(f"--ceil: {options.layer} has no option ceil")
        _show(explain.windows(layer.ceil() if options.ceil else layer, size if len(size) > 1 else size[0]), options)
        return
    given = {}
    for name in ("kernel", "stride", "pad", "dilation"):
        if (text := getattr(options, name, None)) is not None:
            given[name] = _sizes(f"--{name}", text, 0 if name == "pad" else 1, len(size))
    if hasattr(options, "outputs"):
        given["output"] = _sizes("OUTPUT", options.outputs, 1, len(size))
    _show(explain.windows(options.kind, size, **given, ceil=getattr(options, "ceil", False)), options)


def _show(found: explain.Windows, options: argparse.Namespace) -> None:
    print(found)
    if options.output:
        found.draw(options.output)
        print()
        say(f"wrote {options.output}")


def _layer(text: str, files: list[str]) -> Any:
    """Returns the layer of a line of Python: a class of nn or of the files, called with numbers."""
    own = classes.imported(files)
    wanted = 'a class of nn or of --classes with its arguments, such as "SpatialMaxPooling(3, 3, 2, 2)"'
    return calls.made(text, "LAYER", lambda name: own.get(name) or (getattr(nn, name) if name in nn.__all__ else None), wanted)


def _sizes(name: str, text: str, least: int, axes: int | None = None) -> tuple[int, ...]:
    """Returns (33, 54) for "33x54", and for "14" a 14 for each axis."""
    try:
        sizes = tuple(int(number) for number in text.lower().split("x"))
    except ValueError:
        sizes = ()
    if not sizes or min(sizes) < least or max(sizes) > 2**31 - 1:
        raise Problem(f"{name} {text}: expected a size such as 5 or 33x54, with numbers of at least {least}")
    if axes and len(sizes) not in (1, axes):
        raise Problem(f"{name} {text}: expected {'one number' if axes == 1 else f'1 number or {axes}'}, as the input has")
    return sizes * (axes or 1) if len(sizes) == 1 else sizes


def _gallery(options: argparse.Namespace) -> None:
    image = files.picture(options.image, Preprocessing(size=options.size))
    if not options.size:
        image.thumbnail((explain.LONGEST, explain.LONGEST))
    array = np.atleast_3d(np.asarray(image, np.float32) / 255).transpose(2, 0, 1)
    with busy(f"drawing {options.output}"):
        gallery = explain.pooling(array, [_layer(text, options.classes) for text in options.layer])
        gallery.draw(options.output)
    print(gallery)
    say(f"wrote {options.output}")
