"""``pytorch-legacy run``: run a network on pictures, arrays or tensors."""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.arrays import Tensor, base_storage, cupy, repeats, to_device, to_host, tree
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, THNNError
from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.inference import expected, files, inputs, models
from pytorch_legacy.inference.output import say
from pytorch_legacy.inference.preprocessing import Preprocessing
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.inference.programs import ProgramNetwork
from pytorch_legacy.inference.progress import busy
from pytorch_legacy.nn.listing import output_text
from pytorch_legacy.nn.Module import Module

from . import network, run_many
from .options import add_lua, whole

HELP = "run a network on a picture or an array"
DESCRIPTION = (
    """\
Run a network on a picture (png, jpg), an array (.npy, .npz) or a tensor (.t7).
The format of a file is detected from its content, not from its name.

  pytorch-legacy run digits.t7 digit_3.png               print the best classes
  pytorch-legacy run net.t7 photo.jpg --size 224x224     resize the picture first
  pytorch-legacy run superres.t7 small.png -o large.png  write the output picture
  pytorch-legacy run net.t7 input.npy -o output.npy      write the output array
  pytorch-legacy run net.t7 --input 1x3x224x224 --time   time random numbers

If a file has several tensors, they are the inputs of a network that takes
several; any other network runs on each of them. A network with one channel in
and one out runs on the luminance of a color picture. For many files: run-many.

"""
    + inputs.GRAMMAR
)
_LESS_MEMORY = "smaller inputs take less: --size WxH for pictures; pytorch-legacy run-many takes some rows of an array at a time"
_CLASSES_PRINTED = 5
_FOR_PICTURES = ("size", "crop", "gray", "bgr")
_FOR_NUMBERS = ("scale", "mean", "std", "preset")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s MODEL.t7 [INPUT ...] [options]"
    parser.add_argument("file", metavar="MODEL.t7", help="network (.t7, .thnn), or a table that contains one")
    given = parser.add_argument("inputs", metavar="INPUT", nargs="+", help="picture (png, jpg), .npy, .npz or .t7 file")
    given.required = False  # unlike "*", "+" lets options stand between MODEL.t7 and INPUT
    parser.add_argument("--input", metavar="SIZES", help="run on random numbers, such as 1x3x32x32,1x10:int")
    parser.add_argument("-o", "--output", metavar="OUTPUT", help="output file: picture, .npy or .t7; or a folder")
    network.add_choices(parser)
    add_lua(parser)
    parser.add_argument("--top", type=whole("--top", 1), metavar="N", help=f"classes to print (default: {_CLASSES_PRINTED})")
    parser.add_argument("--time", type=whole("--time", 1), nargs="?", const=10, metavar="N", help="time N runs (default: 10)")
    network.add_preparation(parser)
    group = parser.add_argument_group("computation")
    group.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="default: cpu; cuda needs CuPy and a GPU")
    network.add_computation(group)
    group.add_argument("--training", action="store_true", help="use training mode, in which dropout is active")
    run_many.add_own(parser, isShown=False)


@dataclass
class Result:
    """The result for one input: its name, its shape, the output, and the seconds of the timed runs."""

    name: str
    shape: str
    output: Any
    seconds: list[float]


def execute(options: argparse.Namespace) -> None:
    if bool(options.inputs) == bool(options.input):
        raise Problem("INPUT: expected a file, or --input with sizes such as 1x3x32x32")
    if run_many.isResults(options.output):
        _run_many(options)
        return
    _check(options)
    pl.setNumThreads(options.threads or 0)
    value = models.load(options.file, options.lua)
    net = network.chosen(options, value)
    if isinstance(net, ProgramNetwork):
        for name in ("training", "optimize", "double"):
            if getattr(options, name):
                raise Problem(f"--{name}: is for networks; {options.file} is a program, which runs as it was compiled")
        if options.device != "cpu":
            raise Problem(f"--device {options.device}: {options.file} is a program, which runs on the CPU")
    preprocessing = Preprocessing.of(options, value, net)
    net.type(network.TYPES[options.device][options.double])
    net = net.training() if options.training else network.optimized(options, net.evaluate())
    if options.input:
        with busy(f"running --input {options.input}", _LESS_MEMORY):
            result = _of_sizes(net, options)
        _print(result, net, value, options)
        say("note: the input was random numbers, the same in every run")
        if options.output:
            files.write(options.output, result.output, files.Source(None))
            say(f"wrote {options.output}")
    said: set[str] = set()
    arrays: list[tuple[str, Any]] = []
    for i, path in enumerate(options.inputs or [], 1):
        with busy(f"running {path}" + (f" ({i} of {len(options.inputs)})" if len(options.inputs) > 1 else ""), _LESS_MEMORY):
            source, results, remark = _compute(path, net, preprocessing, options)
        arrays += [] if source.is_picture else [(path, source.array)]
        for result in results:
            _print(result, net, value, options)
        if remark:
            say(f"note: {remark}")
        if (text := source.prepared()) and text not in said:
            said.add(text)
            say(text)
        if options.output:
            _write(path, source, results, options)
        elif any(not _is_scores(result.output) for result in results):
            print("use -o to keep the output, for example -o out.png or -o out.npy")
    if len(arrays) == len(options.inputs or []) > 1:
        _refuse_preparation(*arrays[0], options)


def _asInFile(error: THNNError, input: Any, options: argparse.Namespace) -> THNNError:
    """Returns the error that the network of the file gives for this input.

    The network that runs is optimized. It has fewer modules, so its errors do not count them as `inspect` does.
    """
    if not error.where or options.training or options.optimize is False:
        return error
    net = network.chosen(options, models.load(options.file, options.lua))
    net.type(network.TYPES[options.device][options.double])
    try:
        net.evaluate().forward(input)
    except THNNError as other:
        return other if type(other) is type(error) else error
    except Exception:
        pass  # the caller raises the error that it has
    return error


def _run_many(options: argparse.Namespace) -> None:
    """Runs a network on many inputs, which ``run`` did before it was a command of its own."""
    _refuse(options, ("top",), "is for printed classes; a table has the best class, with --vector all scores")
    names = [f"--{name}" for name in ("input", "training", "time") if getattr(options, name)]
    names += ["--device cuda"] if options.device == "cuda" else []
    if names:
        raise Problem(f"{names[0]}: is not for many inputs; expected -o with a picture, .npy or .t7, got -o {options.output}")
    say("note: many inputs have a command of their own: pytorch-legacy run-many, with the same options")
    run_many.execute(options)


def _check(options: argparse.Namespace) -> None:
    """Raises a Problem for options that do not fit each other, and for an output that cannot be written."""
    if name := run_many.givenOption(options):
        raise Problem(f"{name}: is an option of pytorch-legacy run-many, which runs a network on many inputs")
    if (folder := next((path for path in options.inputs or [] if Path(path).is_dir()), None)) is not None:
        command = f"pytorch-legacy run-many {options.file} {folder} -o results.parquet"
        raise Problem(f"{folder}: expected a file, got a folder; to run on all its files, type {command}")
    if options.input:
        _refuse(options, ("key", *_FOR_PICTURES, *_FOR_NUMBERS), "is for files; --input runs on random numbers as they are")
    if options.optimize and options.training:
        raise Problem("--optimize: expected a network in evaluation mode, got --training")
    if options.output and len(options.inputs or []) > 1:
        Path(options.output).mkdir(parents=True, exist_ok=True)
    elif options.output:
        files.check(options.output)


def _refuse(options: argparse.Namespace, names: tuple[str, ...], text: str) -> None:
    """Raises a Problem for the first of these options that is set."""
    if given := next((name for name in names if getattr(options, name) is not None), None):
        raise Problem(f"--{given}: {text}")


def _refuse_preparation(path: str, array: Any, options: argparse.Namespace) -> None:
    """Refuses options that change pictures, or bytes, for arrays that stay as they are."""
    _refuse(options, _FOR_PICTURES, f"is for pictures; {path} has an array, which keeps its size and the order of its channels")
    arrays = array if isinstance(array, list) else [array]
    if options.mean is None and options.std is None and not any(one.dtype == np.uint8 for one in arrays):
        _refuse(options, _FOR_NUMBERS, f"is for bytes; {path} has {arrays[0].dtype}, which only --mean and --std change")


def _of_sizes(net: Module, options: argparse.Namespace) -> Result:
    """Returns the result for random numbers of the sizes of --input."""
    problem: tuple[THNNError, Any] | None = None
    for input in inputs.candidates(expected.given(options.input, net), net, np.random.default_rng(0)):
        input = inputs.mapped(lambda array: to_device(array, net._onDevice), input)
        net.forget()
        try:
            return Result("--input", output_text(input), *_forward(net, input, options.time, exactly=True))
        except (ShapeError, DtypeError) as error:
            problem = problem or (error, input)
        except THNNError as error:
            raise _asInFile(error, input, options) from None
    said = "" if problem is None else str(_asInFile(*problem, options))
    raise Problem(f"--input {options.input}: {said}{expected.words(net)}")


def _compute(
    path: str, net: Module, preprocessing: Preprocessing, options: argparse.Namespace
) -> tuple[files.Source, list[Result], str]:
    """Returns the input, its results, and a remark if the size of a picture was assumed."""
    source = files.read(path, preprocessing, options.key)
    if not source.is_picture and len(options.inputs) == 1:
        _refuse_preparation(path, source.array, options)
    try:
        results = _results(path, net, source.array, preprocessing, options)
    except DtypeError as error:
        raise Problem(f"{path}: {error}{expected.words(net)}") from None
    except ShapeError as error:
        again = source.is_picture and not preprocessing.isSized and Path(path).is_file()
        fitting = expected.fixed_size(net, source.array.shape[1]) if again else None
        if fitting is None:
            raise Problem(f"{path}: {error}{expected.words(net)}") from None
        preprocessing = preprocessing.fitted(fitting)
        source = files.read(path, preprocessing, options.key)
        results = _results(path, net, source.array, preprocessing, options)
        return source, results, f"the picture was resized to {fitting[1]}x{fitting[0]}, the input size of the network"
    if source.is_picture and not preprocessing.isSized and not options.training and _is_scores(results[0].output):
        height, width = source.array.shape[-2:]
        if _takes(net, (1, *source.array.shape[1:-2], height + 32, width + 32)):
            text = f"the network takes any size, and the picture of {width}x{height} was not resized"
            return source, results, f"{text}; if the network was trained on another size, pass --size WxH"
    return source, results, ""


def _results(path: str, net: Module, given: Any, preprocessing: Preprocessing, options: argparse.Namespace) -> list[Result]:
    """Returns the results for an array or a list of arrays.

    The arrays of a list are the inputs of a network that takes several. Any other network runs on each of them.
    """

    def prepared(array: Tensor) -> Tensor:
        array = preprocessing.normalized(array).astype(net._inputDtype, copy=False)
        return to_device(np.ascontiguousarray(array), net._onDevice)

    if not isinstance(given, list):
        array = prepared(given)
        try:
            return [Result(path, output_text(array), *_forward(net, array, options.time))]
        except THNNError as error:
            raise _asInFile(error, array, options) from None
    together = [prepared(array) for array in given]
    try:
        return [Result(path, output_text(together), *_forward(net, together, options.time))]
    except Exception as error:  # the network does not take them together: run on each of them
        try:
            return [
                Result(f"{path}[{i}]", output_text(array), *_forward(net, array, options.time))
                for i, array in enumerate((a[None] if a.ndim in (1, 3) else a for a in together), 1)
            ]
        except Exception:
            if isinstance(error, DtypeError):
                raise  # the network expected an array and got a list
            raise (_asInFile(error, together, options) if isinstance(error, THNNError) else error) from None


def _takes(net: Module, shape: tuple[int, ...]) -> bool:
    try:
        net.forward(to_device(np.zeros(shape, net._inputDtype), net._onDevice))
    except Exception:  # any reason means no
        return False
    return True


def _print(result: Result, net: Module, value: Any, options: argparse.Namespace) -> None:
    seconds = result.seconds
    time_ = f", {1000 * statistics.median(seconds):.3g} ms (median of {len(seconds)})" if seconds else ""
    say(f"{result.name}: {result.shape} in, {output_text(result.output)} out{time_}")
    if _is_scores(result.output):
        _print_classes(result.output, net, models.class_names(value), options.top or _CLASSES_PRINTED)
    elif options.top:
        raise Problem(f"--top: expected the scores of a classifier, got an output of {output_text(result.output)}")


def _write(path: str, source: files.Source, results: list[Result], options: argparse.Namespace) -> None:
    target = Path(options.output)
    output = results[0].output if len(results) == 1 else [result.output for result in results]
    if len(options.inputs) > 1:
        picture = source.is_picture and not _is_scores(output)
        target /= Path(path).stem + (".png" if picture else ".t7" if isinstance(output, list) else ".npy")
    files.write(str(target), output, source)
    say(f"wrote {target}")


def _forward(net: Module, input: Any, repeats: int | None, exactly: bool = False) -> tuple[Any, list[float]]:
    """Returns the output on the host, and the seconds of each timed run.

    Unless `exactly` is set, an input that the network refuses is tried in another form: a batch of one as a sample, and
    several inputs with a batch dimension in front.
    """
    others: list[Any] = []
    if exactly:
        pass
    elif isinstance(input, list):
        others = [[array[None] for array in input]]
    elif input.shape[0] == 1 and input.ndim > 1:
        others = [input[0]]
    try:
        output = net.forward(input)
    except ShapeError as error:
        try:
            output = net.forward(others[0])
        except IndexRangeError:
            raise  # this form has the right shape
        except (ShapeError, DtypeError, IndexError):
            raise error from None  # about the usual form
        input = others[0]
    output = _kept(output)
    seconds = []
    for _ in range(repeats or 0):
        start = time.perf_counter()
        net.forward(input)
        if net._onDevice:
            cupy().cuda.get_current_stream().synchronize()
        seconds.append(time.perf_counter() - start)
    return output, seconds


def _kept(output: Any) -> Any:
    """Returns a copy of the output on the host."""
    return tree.map_arrays(_copied, output)


def _copied(output: Tensor) -> Tensor:
    array: Tensor = to_host(output)
    if repeats(array):
        held = base_storage(array).nbytes
        raise Problem(f"the output of {files.text_shape(array.shape)} repeats {held:,} bytes as {array.nbytes:,}")
    return array.copy()


def _is_scores(output: Any) -> bool:
    """True if the output has one number per class, for one sample or several."""
    return isinstance(output, np.ndarray) and (output.ndim <= 2 or output.shape[-2:] == (1, 1)) and output.size > 1


def _print_classes(output: Tensor, net: Module, names: list[str] | None, top: int) -> None:
    scores = output.reshape(-1, output.size) if output.ndim in (1, 3) else output.reshape(output.shape[0], -1)
    kind = models.scores_kind(net)
    for row in scores[:100]:
        best = np.argsort(-row, kind="stable")[: top if len(scores) == 1 else 1]
        for index in best:
            name = printable(names[index]) if names and index < len(names) else f"class {index}"
            share = float(np.exp(row[index])) if kind == "logarithms" else float(row[index])
            print(f"  {name:<12} " + (f"{100 * share:6.2f} %" if kind else f"{share:10.5f}"))
    if len(scores) > 100:
        print(f"  ... and {len(scores) - 100} more")
