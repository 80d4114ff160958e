"""Measures every layer against PyTorch, and prints ratio, achieved rate and the machine's limit.

The last two figures are the errors of ours and of PyTorch's results: the root mean square of the difference from double
precision, as a share of that of the results. Layers that draw numbers have none.

pip install ".[bench]"
python -m benchmarks                          all layers, forward and backward, two threads
python -m benchmarks Pooling --threads 1      those whose name holds a word
python -m benchmarks Pooling --directions     backward passes of pooling layers: gather against scatter
python -m benchmarks --overhead               only the cost of a call on ten elements
python -m benchmarks --rows FILE.py           layers of your own: examples/own/benchmark.py is such a file
python -m benchmarks --device cuda            on a GPU: needs CuPy, libTHCUNN and PyTorch with CUDA
python -m benchmarks.loading                  files: see there
python -m benchmarks.lua                      loops in Lua: see there
python -m benchmarks.lua_programs             the step of char-rnn in Lua and in Python: see there
python -m benchmarks.scaling                  workers and processes: see there
python -m benchmarks.beside RUN RUN           what it printed on several machines, side by side
python -m benchmarks.libraries OLD.so NEW.so  two builds of the library against each other
"""

from __future__ import annotations

import os

# OpenBLAS and oneDNN choose kernels when they are loaded: let them see the processor as it is.
os.environ.pop("OPENBLAS_CORETYPE", None)

import argparse
import platform
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit('the benchmarks need PyTorch; run: pip install ".[bench]"')

import pytorch_legacy as pl
from pytorch_legacy import nn

from . import cuda
from .layers import rows
from .measure import Limit, Pair, pair, rms_error, seconds
from .rows import Row, gradient_of, rows_of


def copying() -> Limit:
    """Copying an array that no cache holds, reading and writing counted."""
    source = torch.rand(32 << 20)
    target = torch.empty_like(source)
    return Limit(lambda: target.copy_(source), 2 * 4 * source.numel())


def gemm_rate() -> float:
    """Floating-point operations per second of a matrix product of 2048 x 2048: the better of PyTorch's and ours."""
    a = torch.rand(2048, 2048)
    linear, x = nn.Linear(2048, 2048, False), a.numpy()
    return 2 * 2048**3 / min(seconds(job, 3) for job in (lambda: torch.mm(a, a), lambda: linear.forward(x)) for _ in range(3))


def processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def measure(row: Row, copy: Limit, gemm: float, budget: float) -> None:
    """Print the row's two lines."""
    x, module = row.arrays(), row.module()
    output = module.forward(x)
    tensors = [torch.from_numpy(array) for array in x] if isinstance(x, list) else torch.from_numpy(x)
    gradOutput = gradient_of(output)
    exact = None if row.isDrawn else exactly(module, x, gradOutput)
    with torch.no_grad():
        errors = [rms_error(each, exact[0]) for each in (output, row.peer(module, tensors))] if exact else []
        forward = pair(lambda: module.forward(x), lambda: row.peer(module, tensors), budget, limit=copy)
    report(row, "forward", 0, forward, gemm, errors)

    inputs = [tensor for tensor in (tensors if isinstance(x, list) else [tensors]) if tensor.is_floating_point()]
    for tensor in inputs:
        tensor.requires_grad_()
    result = row.peer(module, tensors)
    gradient = torch.from_numpy(gradOutput).view_as(result) if gradOutput is not None else torch.ones(())
    wanted = inputs + [p for p in getattr(module, "peer", []) if p.requires_grad]
    backward = pair(lambda: module.backward(x, gradOutput),
                    lambda: torch.autograd.grad(result, wanted, gradient, retain_graph=True), budget,
                    limit=copy)  # fmt: skip
    errors = []
    if exact and inputs:
        theirs = torch.autograd.grad(result, inputs, gradient, retain_graph=True)
        errors = [rms_error(each, exact[1]) for each in (module.backward(x, gradOutput), theirs)]
    report(row, "backward", 1, backward, gemm, errors)


def exactly(module: Any, x: Any, gradOutput: Any) -> tuple[Any, Any]:
    """Returns output and gradInput of the layer in double precision."""
    double = module.clone().double()
    given = [double_of(each) for each in x] if isinstance(x, list) else double_of(x)
    return double.forward(given), double.backward(given, None if gradOutput is None else double_of(gradOutput))


def double_of(array: Any) -> Any:
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def report(row: Row, name: str, index: int, result: Pair, gemm: float | None = None, errors: Sequence[float] = ()) -> None:
    """Prints a line of the table."""
    rate = row.bytes[index] / result.ours
    line = f"{row.layer:32} {row.label:38} {name:8} {1e3 * result.ours:9.3f} {1e3 * result.theirs:9.3f} {result.ratio:6.2f} "
    line += f"{rate / 1e9:7.1f} GB/s {100 * row.bytes[index] * result.perByte:4.0f} %"
    if row.flops and gemm:
        flops = row.flops[index] / result.ours
        line += f"   {flops / 1e9:6.0f} Gflop/s {100 * flops / gemm:3.0f} %"
    line += "".join(f"  {error:.1e}" for error in errors)
    print(line, flush=True)


def overhead() -> None:
    """Prints the cost of a call with nothing to compute: microseconds on ten elements, and of a step of small layers."""
    print("\nA call on ten elements, microseconds" + " " * 32 + "ours  PyTorch")
    x = np.ones((1, 10), np.float32)
    image = np.ones((1, 1, 2, 5), np.float32)
    t, ti = torch.from_numpy(x), torch.from_numpy(image)
    linear, peer = nn.Linear(10, 10), torch.nn.Linear(10, 10)
    relus, peers = nn.Sequential(), torch.nn.Sequential(*[torch.nn.ReLU() for _ in range(10)])
    for _ in range(10):
        relus.add(nn.ReLU())
    relu, tanh, soft = nn.ReLU(), nn.Tanh(), nn.SoftMax()
    average, maximum = nn.SpatialAveragePooling(2, 2), nn.SpatialMaxPooling(2, 2)
    adaptive = nn.SpatialAdaptiveAveragePooling(1, 1)
    layers = nn.Sequential(*[nn.Linear(10, 10) for _ in range(10)])
    layers.zeroGradParameters()
    parameters = [torch.zeros(parameter.shape, requires_grad=True) for parameter in layers.parameters()[0]]
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    optimizer = torch.optim.SGD(parameters, 1e-3)
    jobs = {
        "ReLU": (lambda: relu.forward(x), lambda: torch.relu(t)),
        "Tanh": (lambda: tanh.forward(x), lambda: torch.tanh(t)),
        "SoftMax": (lambda: soft.forward(x), lambda: torch.softmax(t, 1)),
        "Linear 10 to 10": (lambda: linear.forward(x), lambda: peer(t)),
        "SpatialAveragePooling 2x2": (lambda: average.forward(image), lambda: F.avg_pool2d(ti, 2, 1)),
        "SpatialMaxPooling 2x2": (lambda: maximum.forward(image), lambda: F.max_pool2d(ti, 2)),
        "SpatialAdaptiveAveragePooling": (lambda: adaptive.forward(image), lambda: F.adaptive_avg_pool2d(ti, 1)),
        "Sequential of ten ReLU": (lambda: relus.forward(x), lambda: peers(t)),
        "updateParameters of ten Linear 10 to 10": (lambda: layers.updateParameters(1e-3), optimizer.step),
    }  # fmt: skip
    with torch.no_grad():
        for name, (ours, theirs) in jobs.items():
            result = pair(ours, theirs, 0.5)
            print(f"  {name:60} {1e6 * result.ours:9.2f} {1e6 * result.theirs:8.2f}")


def directions(words: list[str], budget: float) -> None:
    """Print how long the backward passes of average and max pooling take when they gather and when they scatter."""
    print(f"{'layer':32} {'input':38} {'gather ms':>9} {'scatter ms':>10}  gather / scatter")
    for row in rows(words):
        if not row.layer.endswith(("AveragePooling", "MaxPooling")) or any(
            kind in row.layer for kind in ("Global", "Power", "Frac")
        ):
            continue
        rng = np.random.default_rng(0)
        x, module = rng.standard_normal(row.shape, np.float32), row.make()
        gradOutput = rng.standard_normal(module.forward(x).shape, np.float32)

        def backward(how: str, module: Any = module, x: Any = x, gradOutput: Any = gradOutput) -> None:
            pl.setPoolingBackward(how)
            module.backward(x, gradOutput)

        both = pair(lambda: backward("scatter"), lambda: backward("gather"), budget)
        print(f"{row.layer:32} {row.label:38} {both.theirs * 1e3:9.3f} {both.ours * 1e3:10.3f}  {both.ratio:6.2f}", flush=True)
    pl.setPoolingBackward("default")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="measure only layers whose name or label holds one of these")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=float, default=0.6, metavar="SECONDS", help="for each measurement (default 0.6)")
    parser.add_argument("--directions", action="store_true", help="gather against scatter in pooling layers")
    parser.add_argument("--rows", metavar="FILE.py", help="measure the rows of this file: layers of your own")
    parser.add_argument("--overhead", action="store_true", help="only the cost of a call")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options = parser.parse_args()
    if options.device == "cuda":
        cuda.main(options.words, options.budget, options.directions, rows, report)
        return

    torch.set_num_threads(options.threads)
    pl.setNumThreads(options.threads)
    copy, gemm = copying(), gemm_rate()
    rate = copy.bytes / min(seconds(copy.job, 3) for _ in range(3))
    print(f"{time.strftime('%Y-%m-%d')}, {processor()}, {options.threads} threads")
    print(f"pytorch_legacy {pl.__version__}, PyTorch {torch.__version__}, NumPy {np.__version__}")
    print(f"measured limits: copy {rate / 1e9:.1f} GB/s, matrix product {gemm / 1e9:.0f} Gflop/s (float32)\n")
    if options.directions:
        directions(options.words, options.budget)
        return
    if not options.overhead:
        print(f"{'layer':32} {'input':38} {'':8} {'ours ms':>9} {'torch ms':>9} {'ratio':>6}   rate, share of the limit, errors")
        print("ratio above 1: ours is faster\n")
        for row in rows_of(options.rows, options.words) if options.rows else rows(options.words):
            measure(row, copy, gemm, options.budget)
    if options.overhead or not (options.words or options.rows):
        overhead()


if __name__ == "__main__":
    main()
