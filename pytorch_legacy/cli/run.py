"""``pytorch-legacy run``: one picture or array through a network."""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.arrays import cupy, placed, to_host
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor

from . import files, models
from .problem import Problem
from .progress import busy

HELP = "run a network on a picture or an array"
DESCRIPTION = """\
Run a network on a picture (png, jpg), an array (.npy) or a tensor (.t7).

  pytorch-legacy run digits.t7 digit_3.png --size 8x8       a classifier prints its five likeliest classes
  pytorch-legacy run superres.t7 small.png -o large.png     an image network writes its picture
  pytorch-legacy run net.t7 input.npy -o output.npy         anything else: arrays in, arrays out

A picture becomes an array of 1 x planes x height x width, (byte * scale - mean) / std, with scale 1/255; mean and std
come from the file if it has them. A colour picture for a network with one plane in and out is run on its luminance;
its colours are enlarged with it. Arrays of bytes are pictures; other arrays are taken as they are.
"""

TYPES = {
    "cpu": ("torch.FloatTensor", "torch.DoubleTensor"),
    "cuda": ("torch.CudaTensor", "torch.CudaDoubleTensor"),
}
"""The types of a network, in single and in double precision."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="MODEL.t7", help="the network, or a table that holds it")
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="picture (png, jpg), .npy or .t7")
    parser.add_argument("-o", "--output", metavar="OUTPUT", help="where to: picture, .npy or .t7; a folder for several inputs")
    parser.add_argument("--model", metavar="PLACE", help="which network of the file, for example protos.rnn")
    parser.add_argument("--size", metavar="WxH", help="resize pictures to this size first")
    parser.add_argument("--gray", action="store_true", help="treat a colour picture as a gray one")
    parser.add_argument("--scale", type=float, default=1 / 255, help="factor for bytes (default 1/255)")
    parser.add_argument("--mean", metavar="M[,M,M]", help="subtracted after scaling: one number, or one for each plane")
    parser.add_argument("--std", metavar="S[,S,S]", help="divided by after that")
    parser.add_argument("--key", metavar="NAME", help="the tensor of a .t7 input that is a table (default: input, images)")
    parser.add_argument("--top", type=int, default=5, metavar="N", help="how many classes to print (default 5)")
    parser.add_argument("--training", action="store_true", help="leave the network in training mode (dropout active)")
    parser.add_argument("--double", action="store_true", help="compute in double precision")
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where to compute (default cpu); cuda needs CuPy and a GPU"
    )
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="threads to use (default: one per processor)")
    parser.add_argument("--time", type=int, nargs="?", const=10, metavar="N", help="also time N runs (default 10)")


def execute(options: argparse.Namespace) -> None:
    if options.output and len(options.inputs) > 1:
        Path(options.output).mkdir(parents=True, exist_ok=True)
    pl.setNumThreads(options.threads)
    value = models.load(options.file)
    network = models.network(options.file, value, options.model)
    network.type(TYPES[options.device][options.double])
    network.training() if options.training else network.evaluate()
    for i, path in enumerate(options.inputs, 1):
        with busy(f"running {path}" + (f" ({i} of {len(options.inputs)})" if len(options.inputs) > 1 else "")):
            result = _compute(path, network, value, options)
        _report(path, network, value, options, *result)


def _compute(path: str, network: Module, value: Any, options: argparse.Namespace) -> tuple[Any, ...]:
    """What was read, the shape that went in, what came out, and the seconds of further runs."""
    source = files.read(path, options, models.input_planes(network))
    array = normalized(source.array, value, options).astype(network._dtype, copy=False)
    return source, array.shape, *_forward(network, np.ascontiguousarray(array), options.time)


def _report(
    path: str,
    network: Module,
    value: Any,
    options: argparse.Namespace,
    source: files.Source,
    shape: tuple[int, ...],
    output: Any,
    seconds: list[float],
) -> None:
    print(f"{path}: {files.text_shape(shape)} in, {_described(output)} out", end="")
    print(f", {1000 * statistics.median(seconds):.3g} ms (median of {len(seconds)})" if seconds else "")
    scores = _is_scores(output)
    if scores:
        _print_classes(output, network, models.class_names(value), options.top)
    if options.output:
        target = Path(options.output)
        if len(options.inputs) > 1:
            target /= Path(path).stem + (".png" if source.is_picture and not scores else ".npy")
        files.write(str(target), output, source)
        print(f"wrote {target}")
    elif isinstance(output, np.ndarray) and not scores:
        print("use -o to keep the output, for example -o out.png or -o out.npy")


def normalized(array: Tensor, value: Any, options: argparse.Namespace) -> Tensor:
    """Bytes scaled and normalized; other arrays as they are unless mean or std are asked for."""
    mean, std = models.normalization(value)
    asked = options.mean is not None or options.std is not None
    if array.dtype != np.uint8 and not asked:
        return array
    mean = _planes("--mean", options.mean, mean)
    std = _planes("--std", options.std, std)
    for name, numbers in (("mean", mean), ("std", std)):
        planes = array.shape[-3] if array.ndim > 2 else 1
        if numbers.size not in (1, planes):
            wanted = "1 number" if planes == 1 else f"1 number or {planes}"
            raise Problem(f"{name}: expected {wanted}, one for each plane; got {numbers.size}")
    scaled = array * np.float64(options.scale) if array.dtype == np.uint8 else array.astype(np.float64)
    shape = (-1, 1, 1) if array.ndim > 2 else (-1,)
    result: Tensor = (scaled - mean.reshape(shape)) / std.reshape(shape)
    return result


def _planes(name: str, text: str | None, default: Any) -> Tensor:
    if text is None:
        return np.atleast_1d(np.asarray(default, np.float64))
    try:
        return np.array([float(number) for number in text.split(",")])
    except ValueError:
        raise Problem(f"{name} {text}: expected numbers joined by commas") from None


def _forward(network: Module, array: Tensor, repeats: int | None) -> tuple[Any, list[float]]:
    """The output, and how long each further run took. A single sample serves if the network takes no batch.

    With a network on a device the array goes there, and the output comes back.
    """
    array = placed(array, network._onDevice)
    try:
        output = network.forward(array)
    except ShapeError as error:
        if array.shape[0] != 1 or array.ndim < 2:
            raise
        try:
            output = network.forward(array[0])
        except ShapeError:
            raise error from None  # the usual form is the one to complain about
        array = array[0]
    output = to_host(output)
    output = output.copy() if isinstance(output, np.ndarray) else output
    seconds = []
    for _ in range(repeats or 0):
        start = time.perf_counter()
        network.forward(array)
        if network._onDevice:
            cupy().cuda.get_current_stream().synchronize()
        seconds.append(time.perf_counter() - start)
    return output, seconds


def _described(output: Any) -> str:
    return files.text_shape(output.shape) if isinstance(output, np.ndarray) else type(output).__name__


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
            name = names[index] if names and index < len(names) else f"class {index}"
            share = float(np.exp(row[index])) if logarithmic else float(row[index])
            print(f"  {name:<12} " + (f"{100 * share:6.2f} %" if exact else f"{share:10.5f}"))
    if len(scores) > 100:
        print(f"  ... and {len(scores) - 100} more")
