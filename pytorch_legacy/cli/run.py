"""``pytorch-legacy run``: one picture or array through a network."""

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
from pytorch_legacy.distributed.batches import MOST
from pytorch_legacy.errors import DtypeError, ShapeError, THNNError
from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.files.writing import check_target
from pytorch_legacy.inference import expected, files, inputs, models
from pytorch_legacy.inference.output import say
from pytorch_legacy.inference.preprocessing import PRESETS, Preprocessing
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.inference.progress import busy
from pytorch_legacy.nn.listing import output_text, refuse_endless
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.optimizing import reduced

from .options import finite, memory, pixels, planes, whole

HELP = "run a network on a picture or an array"
DESCRIPTION = (
    """\
Run a network on a picture (png, jpg), arrays (.npy, .npz) or tensors (.t7).

  pytorch-legacy run digits.t7 digit_3.png                  a classifier prints its five likeliest classes
  pytorch-legacy run net.t7 photo.jpg --size 224x224        ... of a picture that is made as large as those it learned from
  pytorch-legacy run superres.t7 small.png -o large.png     an image network writes its picture
  pytorch-legacy run net.t7 input.npy -o output.npy         anything else: arrays in, arrays out

  pytorch-legacy run net.t7 --input 1x3x224x224 --time      random numbers, to see that it runs, and how fast
  pytorch-legacy run net.t7 photos -o results.parquet       all pictures of a folder, by Dask

Bytes tell what an input is, not its name. A list of tensors, or the arrays of an .npz file in its order, are the
inputs of a network that takes several; any other network runs on one after the other.

A picture becomes an array of 1 x planes x height x width, (byte * scale - mean) / std, and what was done is printed. Options
say how; else --preset, the way of a published network; else the file, in fields "imageSize" (or "size"), "cropSize", "mean",
"std" and "bgr" beside the network or in a table "transform". Without a word of them scale is 1/255, or 1 if a mean is above 1. A
colour picture for a network with one plane in and out is run on its luminance; its colours are enlarged with it. Pictures
that come out are in the units of those that go in. Arrays of bytes get scale, mean and std alone; other arrays are taken as
they are.

-o RESULTS.parquet runs the network over many inputs, by Dask: the pictures and .npy files of folders, patterns or a text file
with a path in each line, or the rows of an array (.npy, .npz, .t7, zarr). Each input is a row, with its error if it has one.
Ctrl-C leaves the rows that are done; the same command goes on.

"""
    + inputs.GRAMMAR
    + "\n"
)

TYPES = {
    "cpu": ("torch.FloatTensor", "torch.DoubleTensor"),
    "cuda": ("torch.CudaTensor", "torch.CudaDoubleTensor"),
}
"""The types of a network, in single and in double precision."""
_LESS_MEMORY = "smaller inputs take less: --size WxH for pictures; -o RESULTS.parquet takes a part of many rows at a time"
_CLASSES_PRINTED = 5
_FOR_PICTURES = ("size", "crop", "gray", "bgr")
_FOR_NUMBERS = ("scale", "mean", "std", "preset")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="MODEL.t7", help="the network, or a table that holds it")
    given = parser.add_argument("inputs", metavar="INPUT", nargs="+", help="picture (png, jpg), .npy, .npz or .t7")
    given.required = False  # unlike "*", "+" lets options stand between MODEL.t7 and INPUT
    parser.add_argument("--input", metavar="SIZES", help="random numbers in place of a file, such as 1x3x32x32,1x10:int")
    parser.add_argument(
        "-o", "--output", metavar="OUTPUT", help="where to: picture, .npy or .t7; a folder for several inputs; .parquet for many"
    )
    parser.add_argument("--model", metavar="PLACE", help="which network of the file, for example protos.rnn")
    parser.add_argument("--preset", choices=PRESETS, help="prepare pictures as for these networks; other options change it")
    parser.add_argument(
        "--size", type=pixels("--size", shorter=True), metavar="WxH",
        help="resize pictures first: to width x height, or with one number their shorter side (default: as the file says)"
    )  # fmt: skip
    parser.add_argument("--crop", type=pixels("--crop"), metavar="WxH", help="then cut this size out of the middle")
    parser.add_argument("--gray", action="store_true", default=None, help="treat a colour picture as a gray one")
    parser.add_argument(
        "--bgr", action=argparse.BooleanOptionalAction, help="planes are blue, green, red, and mean and std in that order"
    )
    parser.add_argument("--scale", type=finite("--scale"), help="factor for bytes (default 1/255; 1 for a network of 0..255)")
    parser.add_argument(
        "--mean",
        type=planes("--mean"),
        metavar="M[,M,M]",
        help="subtracted after scaling: one number, or one for each plane; --mean=-0.5,0.5 if it begins with a minus",
    )
    parser.add_argument("--std", type=planes("--std", 0), metavar="S[,S,S]", help="divided by after that")
    parser.add_argument(
        "--key", metavar="PLACE", help="one tensor of a .t7 file, such as train.images (default: input, images), or array of .npz"
    )
    parser.add_argument(
        "--top", type=whole("--top", 1), metavar="N", help=f"how many classes to print (default {_CLASSES_PRINTED})"
    )
    parser.add_argument("--training", action="store_true", help="leave the network in training mode (dropout active)")
    parser.add_argument(
        "--optimize", action=argparse.BooleanOptionalAction,
        help="fold batch normalization and leave out dropout first (default: yes, but when training); results differ by rounding"
    )  # fmt: skip
    parser.add_argument("--double", action="store_true", help="compute in double precision")
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where to compute (default cpu); cuda needs CuPy and a GPU"
    )
    parser.add_argument(
        "--threads",
        type=whole("--threads", 1, 1024),
        metavar="N",
        help="threads to use (default: one per processor)",
    )
    parser.add_argument("--time", type=whole("--time", 1), nargs="?", const=10, metavar="N", help="also time N runs (default 10)")
    many = parser.add_argument_group("many inputs, -o RESULTS.parquet")
    many.add_argument("--vector", action="store_true", help="write all scores of a classifier, too, not only the best")
    many.add_argument("--processes", type=whole("--processes", 1, 1024), metavar="N", help="run in N processes, not in threads")
    many.add_argument("--scheduler", metavar="ADDRESS", help="run on the workers of this scheduler of Dask, as tcp://host:8786")
    many.add_argument(
        "--no-compile", dest="compile", action="store_false", default=None,
        help="run module by module; without it a network that can be compiled runs as a program"
    )  # fmt: skip
    many.add_argument(
        "--memory", type=memory("--memory"), metavar="SIZE",
        help="for inputs, outputs and buffers, as 500MB or 4GB (default: half of what is free); of each worker of a scheduler"
    )  # fmt: skip
    many.add_argument(
        "--batch", type=whole("--batch", 1), metavar="N", help=f"inputs that run together (default {MOST}, fewer if memory asks)"
    )


@dataclass
class Result:
    """The result of a run: the name of the input, its array, the output, and the seconds of further runs."""

    name: str
    shape: str
    output: Any
    seconds: list[float]


def execute(options: argparse.Namespace) -> None:
    if bool(options.inputs) == bool(options.input):
        raise Problem("INPUT: expected a file, or --input with sizes such as 1x3x32x32")
    isMany = bool(options.output) and Path(options.output).suffix.lower() == ".parquet"
    _check_many(options, isMany)
    if options.input:
        _refuse(options, ("key", *_FOR_PICTURES, *_FOR_NUMBERS), "is for files; --input runs on random numbers as they are")
    if isMany:
        check_target(options.output)
    elif options.output and len(options.inputs or []) > 1:
        Path(options.output).mkdir(parents=True, exist_ok=True)
    elif options.output:
        files.check(options.output)
    pl.setNumThreads(options.threads or 0)
    value = models.load(options.file)
    network = _network(value, options)
    preprocessing = Preprocessing.of(options, value, network)
    network.type(TYPES[options.device][options.double])
    network.training() if options.training else network.evaluate()
    if options.optimize and options.training:
        raise Problem("--optimize: expected a network in evaluation mode, got --training")
    if options.optimize or (options.optimize is None and not options.training):
        network = reduced(network, (lambda text: say(f"note: {text}")) if options.optimize else None)
    if isMany:
        from pytorch_legacy.distributed import job

        job.run(network, value, preprocessing, options)
        return
    if options.input:
        with busy(f"running --input {options.input}", _LESS_MEMORY):
            result = _of_sizes(network, options)
        _print(result, network, value, options)
        say("note: the input was random numbers, the same in every run")
        if options.output:
            files.write(options.output, result.output, files.Source(None))
            say(f"wrote {options.output}")
    said: set[str] = set()
    arrays: list[tuple[str, Any]] = []
    for i, path in enumerate(options.inputs or [], 1):
        with busy(f"running {path}" + (f" ({i} of {len(options.inputs)})" if len(options.inputs) > 1 else ""), _LESS_MEMORY):
            source, results, remark = _compute(path, network, preprocessing, options)
        arrays += [] if source.is_picture else [(path, source.array)]
        for result in results:
            _print(result, network, value, options)
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


def _network(value: Any, options: argparse.Namespace) -> Module:
    """Returns the network of the file that the options choose."""
    network = models.network(options.file, value, options.model)
    refuse_endless(network)
    return network


def _asInFile(error: THNNError, input: Any, options: argparse.Namespace) -> THNNError:
    """Returns the error that the network of the file gives for this input.

    The network that runs is optimized. It has fewer modules, so that its errors count them otherwise than `inspect` does.
    """
    if not error.where or options.training or options.optimize is False:
        return error
    network = _network(models.load(options.file), options)
    network.type(TYPES[options.device][options.double])
    try:
        network.evaluate().forward(input)
    except THNNError as other:
        return other if type(other) is type(error) else error
    except Exception:  # the error that is known is the better one
        pass
    return error


def _check_many(options: argparse.Namespace, isMany: bool) -> None:
    """Refuses what goes with many inputs alone, or with few."""
    if isMany:
        _refuse(options, ("top",), "is for what is printed; -o RESULTS.parquet has the best class, --vector all scores")
        few = [f"--{name}" for name in ("input", "training", "time") if getattr(options, name)]
        few += ["--device cuda"] if options.device == "cuda" else []
        if few:
            raise Problem(f"{few[0]}: expected -o with a picture, .npy or .t7; many inputs run in evaluation, on processors")
        if options.scheduler and (options.processes or options.threads):
            name = "processes" if options.processes else "threads"
            raise Problem(f"--{name}: the workers of --scheduler have their own; expected one of the two options")
        if options.threads and options.processes and options.threads < options.processes:
            wanted = f"at least one for each of the {options.processes} processes"
            raise Problem(f"--threads {options.threads}: expected {wanted}, as they are threads of all processes together")
        return
    names = [name for name in ("vector", "processes", "scheduler", "memory", "batch") if getattr(options, name)]
    if names:
        raise Problem(f"--{names[0]}: expected -o RESULTS.parquet, where many inputs go")
    if (folder := next((path for path in options.inputs or [] if Path(path).is_dir()), None)) is not None:
        raise Problem(f"{folder}: is a folder; -o RESULTS.parquet runs the network on all that is in it")


def _refuse(options: argparse.Namespace, names: tuple[str, ...], text: str) -> None:
    """Raises a Problem for the first of these options that is set."""
    if given := next((name for name in names if getattr(options, name) is not None), None):
        raise Problem(f"--{given}: {text}")


def _refuse_preparation(path: str, array: Any, options: argparse.Namespace) -> None:
    """Refuses options that change pictures, or bytes, for arrays that stay as they are."""
    _refuse(options, _FOR_PICTURES, f"is for pictures; {path} has an array, which keeps its size and the order of its planes")
    arrays = array if isinstance(array, list) else [array]
    if options.mean is None and options.std is None and not any(one.dtype == np.uint8 for one in arrays):
        _refuse(options, _FOR_NUMBERS, f"is for bytes; {path} has {arrays[0].dtype}, which changes with --mean or --std alone")


def _of_sizes(network: Module, options: argparse.Namespace) -> Result:
    """Returns the network's result for random numbers of the sizes in --input."""
    problem: tuple[THNNError, Any] | None = None
    for input in inputs.candidates(expected.given(options.input, network), network, np.random.default_rng(0)):
        input = inputs.mapped(lambda array: to_device(array, network._onDevice), input)
        network.forget()
        try:
            return Result("--input", output_text(input), *_forward(network, input, options.time, exactly=True))
        except (ShapeError, DtypeError) as error:
            problem = problem or (error, input)
        except THNNError as error:
            raise _asInFile(error, input, options) from None
    said = "" if problem is None else str(_asInFile(*problem, options))
    raise Problem(f"--input {options.input}: {said}{expected.words(network)}")


def _compute(
    path: str, network: Module, preprocessing: Preprocessing, options: argparse.Namespace
) -> tuple[files.Source, list[Result], str]:
    """Returns the input, the results, and a remark if the size of a picture was assumed."""
    source = files.read(path, preprocessing, options.key)
    if not source.is_picture and len(options.inputs) == 1:
        _refuse_preparation(path, source.array, options)
    try:
        results = _results(path, network, source.array, preprocessing, options)
    except DtypeError as error:
        raise Problem(f"{path}: {error}{expected.words(network)}") from None
    except ShapeError as error:
        again = source.is_picture and not preprocessing.isSized and Path(path).is_file()
        fitting = expected.fixed_size(network, source.array.shape[1]) if again else None
        if fitting is None:
            raise Problem(f"{path}: {error}{expected.words(network)}") from None
        preprocessing = preprocessing.fitted(fitting)
        source = files.read(path, preprocessing, options.key)
        results = _results(path, network, source.array, preprocessing, options)
        return source, results, f"the picture was resized to {fitting[1]}x{fitting[0]}, the size that the network takes"
    if source.is_picture and not preprocessing.isSized and not options.training and _is_scores(results[0].output):
        height, width = source.array.shape[-2:]
        if _takes(network, (1, *source.array.shape[1:-2], height + 32, width + 32)):
            text = f"the network takes any size, and got {width}x{height} as it is"
            return source, results, f"{text}; if it learned from another size, say so: --size WxH"
    return source, results, ""


def _results(path: str, network: Module, given: Any, preprocessing: Preprocessing, options: argparse.Namespace) -> list[Result]:
    """Returns the results of one array, or of a list: the inputs of a network that takes several, else one after the other."""

    def prepared(array: Tensor) -> Tensor:
        array = preprocessing.normalized(array).astype(network._inputDtype, copy=False)
        return to_device(np.ascontiguousarray(array), network._onDevice)

    if not isinstance(given, list):
        array = prepared(given)
        try:
            return [Result(path, output_text(array), *_forward(network, array, options.time))]
        except THNNError as error:
            raise _asInFile(error, array, options) from None
    together = [prepared(array) for array in given]
    try:
        return [Result(path, output_text(together), *_forward(network, together, options.time))]
    except Exception as error:  # one after the other, if it takes none together
        try:
            return [
                Result(f"{path}[{i}]", output_text(array), *_forward(network, array, options.time))
                for i, array in enumerate((a[None] if a.ndim in (1, 3) else a for a in together), 1)
            ]
        except Exception:
            if isinstance(error, DtypeError):
                raise  # it expected an array and got a list
            raise (_asInFile(error, together, options) if isinstance(error, THNNError) else error) from None


def _takes(network: Module, shape: tuple[int, ...]) -> bool:
    try:
        network.forward(to_device(np.zeros(shape, network._inputDtype), network._onDevice))
    except Exception:  # it is not asked for a reason
        return False
    return True


def _print(result: Result, network: Module, value: Any, options: argparse.Namespace) -> None:
    seconds = result.seconds
    time_ = f", {1000 * statistics.median(seconds):.3g} ms (median of {len(seconds)})" if seconds else ""
    say(f"{result.name}: {result.shape} in, {output_text(result.output)} out{time_}")
    if _is_scores(result.output):
        _print_classes(result.output, network, models.class_names(value), options.top or _CLASSES_PRINTED)
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


def _forward(network: Module, input: Any, repeats: int | None, exactly: bool = False) -> tuple[Any, list[float]]:
    """The output on the host, and how long each further run took.

    Unless it is `exactly` this input, a single sample serves if the network takes no batch, and several inputs get the dimension
    of a batch if it takes that.
    """
    others: list[Any] = []
    if exactly:
        pass
    elif isinstance(input, list):
        others = [[array[None] for array in input]]
    elif input.shape[0] == 1 and input.ndim > 1:
        others = [input[0]]
    try:
        output = network.forward(input)
    except ShapeError as error:
        try:
            output = network.forward(others[0])
        except (ShapeError, DtypeError, IndexError):
            raise error from None  # the usual form is the one to complain about
        input = others[0]
    output = _kept(output)
    seconds = []
    for _ in range(repeats or 0):
        start = time.perf_counter()
        network.forward(input)
        if network._onDevice:
            cupy().cuda.get_current_stream().synchronize()
        seconds.append(time.perf_counter() - start)
    return output, seconds


def _kept(output: Any) -> Any:
    """The output on the host, as it is now."""
    return tree.map_arrays(_copied, output)


def _copied(output: Tensor) -> Tensor:
    array: Tensor = to_host(output)
    if repeats(array):
        held = base_storage(array).nbytes
        raise Problem(f"the output of {files.text_shape(array.shape)} repeats {held:,} bytes, up to {array.nbytes:,}")
    return array.copy()


def _is_scores(output: Any) -> bool:
    """One number for each class, for one sample or several."""
    return isinstance(output, np.ndarray) and (output.ndim <= 2 or output.shape[-2:] == (1, 1)) and output.size > 1


def _print_classes(output: Tensor, network: Module, names: list[str] | None, top: int) -> None:
    scores = output.reshape(-1, output.size) if output.ndim in (1, 3) else output.reshape(output.shape[0], -1)
    last = list(models.leaves(network))[-1]._typename
    logarithmic, exact = last.endswith("LogSoftMax"), last.endswith("SoftMax")
    for row in scores[:100]:
        best = np.argsort(-row, kind="stable")[: top if len(scores) == 1 else 1]
        for index in best:
            name = printable(names[index]) if names and index < len(names) else f"class {index}"
            share = float(np.exp(row[index])) if logarithmic else float(row[index])
            print(f"  {name:<12} " + (f"{100 * share:6.2f} %" if exact else f"{share:10.5f}"))
    if len(scores) > 100:
        print(f"  ... and {len(scores) - 100} more")
