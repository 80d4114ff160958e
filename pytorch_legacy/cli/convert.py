"""``pytorch-legacy convert``: weights and tensors by name, from and to .t7 files; networks to PyTorch and ONNX."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Literal

import pytorch_legacy as pl
from pytorch_legacy import interop
from pytorch_legacy.errors import FieldError
from pytorch_legacy.files import t7
from pytorch_legacy.files.writing import check_target, whole
from pytorch_legacy.inference import given, inputs, models
from pytorch_legacy.inference.output import say
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.inference.progress import busy

from . import leave

HELP = "a network to PyTorch or ONNX; weights and tensors between .t7 and .npz, .safetensors, .h5"
DESCRIPTION = (
    """\
Write a network for PyTorch or ONNX, move weights and tensors by name, or write a .t7 file in the other format.

  pytorch-legacy convert net.t7 net.py --input 1x3x224x224     a class of PyTorch, with its weights in net.safetensors
  pytorch-legacy convert net.t7 net.onnx --input 1x3x224x224   ... for ONNX; net.pt2 for torch.export
  pytorch-legacy convert net.t7 net.safetensors         all weights and tensors: 0.weight, 0.bias, 2.weight, ...
  pytorch-legacy convert ckpt.t7 net.npz --model model  those of one network of a checkpoint
  pytorch-legacy convert net.t7 net.ascii.t7 --ascii    the same file as text; without --ascii, as binary
  pytorch-legacy convert net.npz tables.t7              arrays as tables of tensors that Torch7 reads
  pytorch-legacy convert new.npz out.t7 --into net.t7   net.t7 with the weights of new.npz, by name
  pytorch-legacy convert net.safetensors out.t7 --into net.t7 --input 1x3x224x224
                                                        ... by the names of the module that net.py has

Names are the way to a tensor joined by dots, counted from 0, as in a state dict of PyTorch. Of modules, weights and
running means go along; outputs, gradients and scratch memory only with --everything.

A network is written only if it gives the same numbers, layer by layer. Without --input what the network takes is inferred, and
told. The first size of --input may vary, if the network takes that.

"""
    + inputs.GRAMMAR
    + "\n"
)
_T7 = (".t7", ".net", ".th", ".dat")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="FROM", help=".t7, .npz, .safetensors or .h5")
    parser.add_argument("target", metavar="TO", help=".py, .onnx, .pt2, .npz, .safetensors, .h5 or .t7")
    parser.add_argument("--ascii", action="store_true", help="write a .t7 file as text")
    parser.add_argument("--model", metavar="PLACE", help="only this network of the file, for example protos.rnn")
    parser.add_argument("--into", metavar="MODEL.t7", help="take this model and replace its weights by those of FROM")
    parser.add_argument("--partial", action="store_true", help="with --into: replace what is there under the same name")
    parser.add_argument("--everything", action="store_true", help="outputs, gradients and scratch memory too")
    parser.add_argument(
        "--input",
        metavar="SIZES",
        help="what the network takes, as 1x3x224x224: to .py, .onnx, .pt2, or with --into for weights of the module that .py has",
    )
    parser.add_argument("--force", action="store_true", help="to .py, .onnx, .pt2: write what differs, too")
    parser.add_argument("--wrap", action="store_true", help="to .py: embed what cannot be written; pytorch_legacy runs it")


def execute(options: argparse.Namespace) -> None:
    to_t7 = Path(options.target).suffix.lower() in _T7
    from_t7 = Path(options.source).suffix.lower() not in interop.READS
    if options.ascii and not to_t7:
        raise Problem(f"{options.target}: --ascii is for .t7 files")
    if options.into and not to_t7:
        raise Problem(f"{options.target}: --into makes a .t7 file")
    leaves = Path(options.target).suffix.lower() in leave.ENDINGS
    if options.force and not leaves:
        raise Problem(f"{options.target}: --force is for {', '.join(leave.ENDINGS)}")
    if options.input and not leaves and not options.into:
        raise Problem(f"{options.target}: --input is for {', '.join(leave.ENDINGS)}, and for --into")
    if options.wrap and Path(options.target).suffix.lower() != ".py":
        raise Problem(f"{options.target}: --wrap is for .py: other files cannot hold layers that pytorch_legacy runs")
    if not to_t7 and not leaves and Path(options.target).suffix.lower() not in interop.WRITES:
        raise Problem(f"{options.target}: expected a name that ends in .t7, {', '.join((*leave.ENDINGS, *interop.WRITES))}")
    if leaves and not from_t7:
        raise Problem(f"{options.source}: {Path(options.target).suffix} is made of a .t7 file with a network")
    if not Path(options.source).exists():
        raise Problem(f"{options.source}: there is no such file")
    check_target(options.target)
    with busy(f"converting {options.source}"):
        text = leave.leave(options) if leaves else _converted(options, from_t7, to_t7)
    say(f"wrote {options.target}: {text}")


def _converted(options: argparse.Namespace, from_t7: bool, to_t7: bool) -> str:
    form: Literal["ascii", "binary"] = "ascii" if options.ascii else "binary"
    if from_t7 and to_t7 and not (options.into or options.model):
        # As it stands, whatever the classes are.
        values = t7.read_all(options.source)
        with whole(options.target) as file:
            for value in values:
                t7.write(file, value, form)
        return f"{form}, {len(values)} objects" if len(values) > 1 else form
    if from_t7:
        value = pl.load(options.source)
        if options.model is not None:
            value = models.network(options.source, value, options.model)
        arrays = interop.tensors(value, everything=options.everything)
    else:
        arrays = interop.load(options.source)
    if not arrays and not (from_t7 and to_t7):
        raise Problem(f"{options.source}: there are no tensors in it")
    if options.into:
        value = models.load(options.into)
        count = _into(value, arrays, options)
        pl.save(options.target, value, format=form)
        return f"{count} tensors of {options.into} replaced"
    if to_t7:
        pl.save(options.target, value if from_t7 else interop.nested(arrays), format=form)
    else:
        interop.save(options.target, arrays)
    return f"{len(arrays)} tensors, {sum(array.nbytes for array in arrays.values()):,} bytes"


def _into(value: Any, arrays: dict[str, Any], options: argparse.Namespace) -> int:
    """Puts arrays into a model by the names that they have in it or, with --input, in the module that `convert` writes of it."""
    if options.input:
        net = models.network(options.into, value, options.model)
        example = given.by_text(options.input, net)
        try:
            pl.from_torch(arrays, like=net, example=example)
        except FieldError as error:
            raise Problem(f"{error}; if the names are those of the network, leave out --input") from None
        return len(arrays)
    try:
        return interop.assign(value, arrays, partial=options.partial)
    except FieldError as error:
        text = "if the names are those of a written module of PyTorch, say what the network takes, with --input"
        raise Problem(f"{error}; {text}") from None
