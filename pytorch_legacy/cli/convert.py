"""``pytorch-legacy convert``: write networks for others; move weights, tensors and tables from and to .t7 files."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any, Literal

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import interop
from pytorch_legacy.errors import FieldError
from pytorch_legacy.files import t7
from pytorch_legacy.files.writing import check_target, whole
from pytorch_legacy.inference import files, given, inputs, models
from pytorch_legacy.inference.output import say
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.inference.progress import busy
from pytorch_legacy.interop import plain

from . import export, program
from .options import add_lua

HELP = "write a network for PyTorch, for ONNX or as C, or move weights, tensors and tables between .t7 and other formats"
DESCRIPTION = (
    """\
Write a network for PyTorch, for ONNX or as C, move weights and tensors by name, or
write a .t7 file in the other format (binary or text).

  pytorch-legacy convert net.t7 net.py --input 1x3x224x224
                                      write a PyTorch class, and net.safetensors
  pytorch-legacy convert net.t7 net.onnx --input 1x3x224x224
                                      write ONNX; net.pt2 for torch.export
  pytorch-legacy convert net.t7 net.thnn --input 1x3x224x224
                                      write a program, which libTHNN runs without
                                      Python; --input again for more sizes
  pytorch-legacy convert net.t7 net.c --input 1x3x224x224
                                      write C, net.h and net.bin, for hosts of libTHNN
  pytorch-legacy convert net.t7 net.c --input 1x3x224x224 --training MSECriterion
                                      write a step of its training as C
  pytorch-legacy convert net.t7 net.safetensors
                                      write weights: 0.weight, 0.bias, 2.weight, ...
  pytorch-legacy convert ckpt.t7 net.npz --model model
                                      write the weights of one network of a file
  pytorch-legacy convert net.t7 net.ascii.t7 --ascii
                                      write the file as text
  pytorch-legacy convert net.npz tables.t7
                                      write arrays as tables of tensors
  pytorch-legacy convert new.npz out.t7 --into net.t7
                                      write net.t7 with the weights of new.npz
  pytorch-legacy convert net.safetensors out.t7 --into net.t7 --input 1x3x224x224
                                      the same, by the names of the class in net.py

A file without a network:

  pytorch-legacy convert data.t7 images.npy --key train.images
                                      write one tensor of a table
  pytorch-legacy convert vocab.t7 vocab.csv
                                      write a table, a table of columns or a list of rows
  pytorch-legacy convert data.t7 part.t7 --key train
                                      write a part of a file, and read only that part
  pytorch-legacy convert images.npy images.t7
                                      write a tensor for Torch7; also from .csv and .txt
  pytorch-legacy convert rows.csv rows.t7 --type float
                                      write a torch.FloatTensor

A file in .csv or .txt has one or two dimensions. The name of a weight is the path
to it, joined by dots and counted from 0, as in a PyTorch state dict. Weights and
running means of modules are written; outputs, gradients and scratch memory only
with --everything. --model and --key take places, which count from 1 as inspect
prints them.

A network is written only if each layer computes the same numbers. Without --input,
the input of the network is inferred and printed. The first size of --input is
dynamic if the network allows it.

"""
    + inputs.GRAMMAR
    + "\n"
)
NETWORKS = (*export.ENDINGS, program.ENDING)
_T7 = (".t7", ".net", ".th", ".dat")
_TORCH_RECORD = re.compile(rb"\nV \d+\r?\n")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="FROM", help=".t7, .npz, .safetensors, .h5, .npy, .csv or .txt")
    parser.add_argument(
        "target", metavar="TO", help=".py, .onnx, .pt2, .thnn, .c, .npz, .safetensors, .h5, .npy, .csv, .txt or .t7"
    )
    parser.add_argument("--ascii", action="store_true", help="write a .t7 file as text")
    add_lua(parser)
    parser.add_argument("--model", metavar="PLACE", help="only this network of the file, such as protos.rnn")
    parser.add_argument("--key", metavar="PLACE", help="only this tensor or table of the file, such as train.images")
    parser.add_argument("--into", metavar="MODEL.t7", help="write this model with the weights of FROM")
    parser.add_argument("--partial", action="store_true", help="with --into: replace only weights whose names are in FROM")
    parser.add_argument("--everything", action="store_true", help="also write outputs, gradients and scratch memory")
    parser.add_argument(
        "--type",
        choices=[*plain.TYPES, "text"],
        help="Torch7's tensor type, from or to .npy, .csv and .txt; text: the lines of a .txt file as strings",
    )
    parser.add_argument(
        "--input",
        metavar="SIZES",
        action="append",
        help="input of the network, such as 1x3x224x224: to .py, .onnx, .pt2 and .c, to .thnn once for each size, or with --into "
        "for names of the class in .py",
    )
    parser.add_argument(
        "--force", action="store_true", help="to .py, .onnx and .pt2: write the network even if its numbers differ"
    )
    parser.add_argument(
        "--embed", action="store_true", help="to .c: write the weights as an array in NET_weights.c, not as NET.bin"
    )
    parser.add_argument(
        "--training",
        metavar="CRITERION",
        help='to .c: write a step of training by a criterion of nn, such as ClassNLLCriterion or "MultiMarginCriterion(2)"',
    )
    parser.add_argument(
        "--target",
        metavar="SIZES",
        dest="sizes",
        help="with --training: target of the criterion, such as Nx10, or N:int for classes (default: what fits the output)",
    )
    parser.add_argument(
        "--wrap", action="store_true", help="to .py: embed layers that PyTorch lacks, which pytorch_legacy then runs"
    )


def execute(options: argparse.Namespace) -> None:
    source, target = _kind(options.source, isSource=True), _kind(options.target)
    _check(options, source, target)
    if not Path(options.source).exists():
        raise Problem(f"{options.source}: there is no such file")
    source = ".t7" if source == ".txt" and _is_t7(options.source) else source
    if options.key and source in plain.ENDINGS:
        raise Problem(f"{options.source}: --key: the file holds one value")
    check_target(options.target)
    with busy(f"converting {options.source}"):
        if target == program.ENDING:
            text = program.write(options)
        else:
            text = export.write(options) if target in export.ENDINGS else _converted(options, source, target)
    say(f"wrote {options.target}: {text}")


def _kind(path: str, isSource: bool = False) -> str:
    """Returns the ending of a file's name; .t7 for all that Torch7 writes. A source of any other ending may be such a file."""
    ending = Path(path).suffix.lower()
    known = (*interop.WRITES, *plain.ENDINGS, *(() if isSource else NETWORKS))
    return ".t7" if ending in _T7 or (isSource and ending not in known) else ending


def _check(options: argparse.Namespace, source: str, target: str) -> None:
    """Refuses options that have no use for these files."""
    isExport, isProgram = target in NETWORKS, target == program.ENDING
    endings = ", ".join(NETWORKS)
    if target not in (".t7", *NETWORKS, *interop.WRITES, *plain.ENDINGS):
        known = ", ".join((".t7", *NETWORKS, *interop.WRITES, *plain.ENDINGS))
        raise Problem(f"{options.target}: expected a name that ends in {known}")
    if isExport and source != ".t7":
        raise Problem(f"{options.source}: expected a .t7 file with a network, for an output of {target}")
    isPlain = source in plain.ENDINGS or target in plain.ENDINGS
    byName = ", ".join(interop.WRITES)
    rules = [
        (options.ascii and target != ".t7", options.target, "--ascii is for .t7 files"),
        (options.into and target != ".t7", options.target, "--into makes a .t7 file"),
        (options.into and source in plain.ENDINGS, options.source,
         f"--into takes weights by name, from {', '.join(interop.READS)}"),
        (options.force and target not in export.PROVEN, options.target, f"--force is for {', '.join(export.PROVEN)}"),
        (options.embed and target != ".c", options.target, "--embed is for .c: other files hold their weights"),
        (options.input and not isExport and not options.into, options.target, f"--input is for {endings}, and for --into"),
        (options.input and len(options.input) > 1 and not isProgram, options.target,
         f"expected one --input; several are for {program.ENDING}"),
        (options.training is not None and target != ".c", options.target, "--training is for .c"),
        (options.training is not None and options.embed, options.target,
         "--embed is for C without --training: no constant array has weights that change"),
        (options.sizes is not None and options.training is None, options.target, "--target is for --training"),
        (options.wrap and target != ".py", options.target,
         "--wrap is for .py: other files cannot hold layers that pytorch_legacy runs"),
        (options.partial and not options.into, options.target, "--partial is for --into"),
        (options.partial and options.input, options.target, "--partial is for names of the network, --input for those of .py"),
        (options.everything and (isExport or isPlain), options.target, f"--everything is for {byName}"),
        (options.everything and source != ".t7", options.source, "--everything is for the networks of a .t7 file"),
        (options.everything and target == ".t7", options.target, f"--everything is for {byName}; a .t7 file has everything"),
        (options.model and options.key, options.source, "--model chooses a network, --key a tensor or a table; expected one"),
        (options.model and source != ".t7" and not (options.into and options.input), options.source,
         "--model is for a .t7 file; --key chooses an array"),
        (options.key and isExport, options.target, f"--key chooses tensors and tables; --model chooses a network for {endings}"),
        (options.type and not isPlain, options.target, f"--type is for {', '.join(plain.ENDINGS)}"),
        (options.type == "text" and source != ".txt", options.source, "--type text is for .txt files"),
    ]  # fmt: skip
    for isWrong, path, text in rules:
        if isWrong:
            raise Problem(f"{path}: {text}")


def _is_t7(path: str) -> bool:
    """Returns True if Torch7 wrote a .txt file: in ASCII it has the record of an object, in binary zeros, which text has not."""
    with open(path, "rb") as file:
        start = file.read(4096)
    return b"\0" in start or _TORCH_RECORD.search(start) is not None


def _converted(options: argparse.Namespace, source: str, target: str) -> str:
    form: Literal["ascii", "binary"] = "ascii" if options.ascii else "binary"
    if source == target == ".t7" and not (options.into or options.model or options.key):
        # As it stands, whatever the classes are.
        values = t7.read_all(options.source)
        with whole(options.target) as file:
            for value in values:
                t7.write(file, value, form)
        return f"{form}, {len(values)} objects" if len(values) > 1 else form
    if options.into:
        arrays = _arrays(options, source, _value(options, source))
        value = models.load(options.into, options.lua)
        count = _into(value, arrays, options)
        pl.save(options.target, value, format=form)
        return f"{count} tensors of {options.into} replaced"
    if source == target and options.key is not None:
        value = _part(options, t7.read(options.source))
        t7.write(options.target, value, form, compact=True)
        return plain.summary(value)
    value = _value(options, source)
    if target in plain.ENDINGS:
        return _plain(options, value)
    if target == ".t7" and (source in plain.ENDINGS or options.key is not None):
        _check_dtype(options, source, value)
        pl.save(options.target, value, format=form)
        return plain.summary(value)
    if target == ".t7":
        value = value if source == ".t7" else interop.nested(_arrays(options, source, value))
        pl.save(options.target, value, format=form)
        return _size(interop.tensors(value))
    arrays = _arrays(options, source, value)
    interop.save(options.target, arrays, interop.notes(value, everything=options.everything) if source == ".t7" else None)
    return _size(arrays)


def _value(options: argparse.Namespace, source: str) -> Any:
    """Returns what the source holds, or the part of it that the options choose."""
    if source in plain.ENDINGS:
        return plain.read(options.source, options.type)
    value = pl.load(options.source, lua=options.lua) if source == ".t7" else interop.load(options.source)
    if options.model is not None and source == ".t7":
        return models.network(options.source, value, options.model)
    return value if options.key is None else _part(options, value)


def _check_dtype(options: argparse.Namespace, source: str, value: Any) -> None:
    """Refuses an array whose numbers no tensor of Torch7 holds, and says which type may."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "uf" or value.dtype in plain.TYPES.values():
        return
    remedy = ""
    if source in plain.ENDINGS:
        remedy = f"; --type {'double' if value.dtype.kind == 'f' else 'int' if value.itemsize == 2 else 'long'} converts them"
    raise Problem(f"{options.source}: Torch7 has no tensors of {value.dtype}{remedy}")


def _part(options: argparse.Namespace, value: Any) -> Any:
    """Returns what is at the place --key."""
    return files.at(options.source, value, options.key)


def _arrays(options: argparse.Namespace, source: str, value: Any) -> dict[str, Any]:
    """Returns the tensors of a value by their names. Those of an archive keep the names that they have there."""
    isArchive = source in interop.READS and options.key is None
    arrays = value if isArchive else interop.tensors(value, everything=options.everything)
    if not arrays:
        raise Problem(f"{options.source}: expected a file with tensors, got none")
    return arrays


def _size(arrays: dict[str, Any]) -> str:
    return f"{len(arrays)} tensors, {sum(array.nbytes for array in arrays.values()):,} bytes"


def _plain(options: argparse.Namespace, value: Any) -> str:
    """Writes one tensor or table as a plain file."""
    if options.type and isinstance(value, np.ndarray):
        value = plain.converted(value, options.type)
    if (
        isinstance(value, dict)
        and len(value) == 1
        and options.key is None
        and isinstance(inner := next(iter(value.values())), np.ndarray)
    ):
        value = inner  # an archive of one array
    try:
        return plain.write(options.target, value)
    except pl.errors.THNNError as error:
        few = (
            "" if options.key is not None or isinstance(value, np.ndarray) else f"; choose one with --key: {files.choice(value)}"
        )
        raise Problem(f"{options.source}: cannot be written as {error}{few}") from None


def _into(value: Any, arrays: dict[str, Any], options: argparse.Namespace) -> int:
    """Puts arrays into a model by the names that they have in it or, with --input, in the module that `convert` writes of it."""
    if options.input:
        net = models.network(options.into, value, options.model)
        example = given.by_text(options.input[0], net)
        try:
            pl.from_torch(arrays, like=net, example=example)
        except FieldError as error:
            raise Problem(f"{error}; if the names are those of the network, leave out --input") from None
        return len(arrays)
    try:
        return interop.assign(value, arrays, partial=options.partial)
    except FieldError as error:
        text = "if the names are those of a class that convert wrote for PyTorch, pass its --input, too"
        raise Problem(f"{error}; {text}") from None
