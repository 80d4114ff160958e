"""Convolutions beside PyTorch's, over the shapes that networks have.

python -m benchmarks.convolutions                    all dense shapes, forward, gradInput, gradWeight, one sample, two threads
python -m benchmarks.convolutions --grouped          those in groups: MobileNet's and MnasNet's depth-wise ones, ResNeXt's
python -m benchmarks.convolutions 3x3 --threads 1    those whose name holds a word
python -m benchmarks.convolutions --batch 8 --rounds 20 --onnx

Calls of both are interleaved; a figure is the least time of all rounds. Behind it is the root mean square of the error against
double precision, as a share of that of the results. A ratio above 1 says that ours is faster; PyTorch's
backward makes one gradient at a time, as ours does. With --onnx forward is beside ONNX Runtime, too, whose threads spin on for a
while and slow both others. On a machine with other work, put `chrt -f 10` in front.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .limit import gflops
from .measure import rms_error

# name: input planes, rows (and columns), output planes, kernel, stride, padding, dilation, and groups if there are any
SHAPES = {
    "7x7s2 3-64@224": (3, 224, 64, 7, 2, 3, 1),
    "1x1 64-256@56": (64, 56, 256, 1, 1, 0, 1),
    "1x1 256-64@56": (256, 56, 64, 1, 1, 0, 1),
    "3x3 64@56": (64, 56, 64, 3, 1, 1, 1),
    "3x3 128@28": (128, 28, 128, 3, 1, 1, 1),
    "3x3 256@14": (256, 14, 256, 3, 1, 1, 1),
    "3x3 512@7": (512, 7, 512, 3, 1, 1, 1),
    "3x3 64@224": (64, 224, 64, 3, 1, 1, 1),
    "3x3s2 64-128@56": (64, 56, 128, 3, 2, 1, 1),
    "3x3s2 256-512@14": (256, 14, 512, 3, 2, 1, 1),
    "1x1s2 64-128@56": (64, 56, 128, 1, 2, 0, 1),
    "3x3 3-32@256": (3, 256, 32, 3, 1, 1, 1),
    "3x3 32-3@256": (32, 256, 3, 3, 1, 1, 1),
    "5x5 64@56": (64, 56, 64, 5, 1, 2, 1),
    "3x3 3-64@224": (3, 224, 64, 3, 1, 1, 1),
    "3x3 128-256@56": (128, 56, 256, 3, 1, 1, 1),
    "3x3 512@28": (512, 28, 512, 3, 1, 1, 1),
    "3x3 512@14": (512, 14, 512, 3, 1, 1, 1),
    "3x3 64@56 dilation 2": (64, 56, 64, 3, 1, 2, 2),
}


def depthwise(planes: int, rows: int, kernel: int = 3, stride: int = 1, multiplier: int = 1) -> dict[str, tuple[int, ...]]:
    name = f"{kernel}x{kernel}{f's{stride}' * (stride > 1)} {planes}@{rows} depth-wise{f' x{multiplier}' * (multiplier > 1)}"
    return {name: (planes, rows, planes * multiplier, kernel, stride, kernel // 2, 1, planes)}


GROUPED = (
    depthwise(32, 112)
    | depthwise(64, 112, stride=2)
    | depthwise(128, 56)
    | depthwise(128, 56, stride=2)
    | depthwise(256, 28)
    | depthwise(256, 28, stride=2)
    | depthwise(512, 14)
    | depthwise(512, 14, stride=2)
    | depthwise(1024, 7)
    | depthwise(72, 56, 5, 2)
    | depthwise(120, 28, 5)
    | depthwise(64, 56, multiplier=2)
    | depthwise(256, 14, multiplier=2)
    | {f"3x3 32 groups of {n}@{h}": (32 * n, h, 32 * n, 3, 1, 1, 1, 32) for n, h in ((4, 56), (8, 28), (16, 14), (32, 7))}
    | {f"3x3s2 32 groups of {n}@{h}": (32 * n, h, 32 * n, 3, 2, 1, 1, 32) for n, h in ((8, 56), (16, 28), (32, 14))}
)


def onnx_session(
    x: Any, weight: Any, bias: Any, stride: int, pad: int, dilation: int, groups: int, threads: int
) -> Callable[[], Any]:
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper

    numbers = {"strides": [stride] * 2, "pads": [pad] * 4, "dilations": [dilation] * 2, "group": groups}
    node = helper.make_node("Conv", ["x", "w", "b"], ["y"], **numbers)
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", x.shape), ("y", None))]
    constants = [onnx.numpy_helper.from_array(value, name) for name, value in (("w", weight), ("b", bias))]
    graph = helper.make_graph([node], "g", ends[:1], ends[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"x": x})[0]


class Contest(NamedTuple):
    """A layer, its input and gradOutput, and the functions that are timed in each pass: ours first."""

    module: Any
    x: Any
    g: Any
    passes: dict[str, dict[str, Callable[[], Any]]]


def contest(shape: tuple[int, ...], batch: int, threads: int, onnx: bool) -> Contest:
    """Returns the layer of that shape beside PyTorch's and, if wanted, ONNX Runtime's."""
    import torch

    from pytorch_legacy import cudnn, nn

    planes, size, outputs, kernel, stride, pad, dilation, groups = (*shape, 1)[:8]
    random = np.random.default_rng(0)
    module: Any
    if groups == 1:
        module = nn.SpatialDilatedConvolution(planes, outputs, kernel, kernel, stride, stride, pad, pad, dilation, dilation)
    else:
        module = cudnn.SpatialConvolution(planes, outputs, kernel, kernel, stride, stride, pad, pad, groups)
    module.float()
    x = random.standard_normal((batch, planes, size, size), dtype=np.float32)
    g = random.standard_normal(module.forward(x).shape, dtype=np.float32)
    module.zeroGradParameters()
    tx, tg = torch.from_numpy(x), torch.from_numpy(g)
    weight, bias = torch.from_numpy(np.array(module.weight)), torch.from_numpy(np.array(module.bias))

    def theirs(place: int) -> Callable[[], Any]:
        """Returns PyTorch's gradient of the input, 0, or of the weights, 1, which computes that of the bias, too."""
        two = [[value] * 2 for value in (stride, pad, dilation)]
        wanted = [place == 0, place == 1, place == 1]
        return lambda: torch.ops.aten.convolution_backward(tg, tx, weight, [outputs], *two, False, [0, 0], groups, wanted)[place]

    forward = {
        "ours": lambda: module.updateOutput(x),
        "torch": lambda: torch.conv2d(tx, weight, bias, stride, pad, dilation, groups),
    }
    if onnx:
        forward["onnx"] = onnx_session(x, weight.numpy(), bias.numpy(), stride, pad, dilation, groups, threads)

    def gradWeight() -> Any:
        module.accGradParameters(x, g)
        return module.gradWeight

    passes = {
        "forward": forward,
        "gradInput": {"ours": lambda: module.updateGradInput(x, g), "torch": theirs(0)},
        "gradWeight": {"ours": gradWeight, "torch": theirs(1)},
    }
    return Contest(module, x, g, passes)


def errors(one: Contest, name: str) -> dict[str, float]:
    """Returns the error of each function's result in that pass, against the same layer in double precision."""
    double, x, g = one.module.clone().double(), one.x.astype(np.float64), one.g.astype(np.float64)
    exact = double.forward(x)
    if name == "gradInput":
        exact = double.updateGradInput(x, g)
    elif name == "gradWeight":
        one.module.zeroGradParameters()
        double.zeroGradParameters()
        double.accGradParameters(x, g)
        exact = double.gradWeight
    return {who: rms_error(np.reshape(function(), exact.shape), exact) for who, function in one.passes[name].items()}


def least(functions: dict[str, Callable[[], Any]], rounds: int, pause: float) -> dict[str, float]:
    """Milliseconds of each, the least of so many rounds in turn.

    Threads of the others have gone to sleep before. A processor that has slept is slow for some milliseconds, so each warms up.
    """
    times: dict[str, float] = dict.fromkeys(functions, math.inf)
    for _ in range(rounds):
        for name, function in functions.items():
            time.sleep(pause)
            warm = time.perf_counter() + 0.02
            while time.perf_counter() < warm:
                function()
            begin = time.perf_counter()
            function()
            times[name] = min(times[name], time.perf_counter() - begin)
    return {name: seconds * 1e3 for name, seconds in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--passes", default="forward,gradInput,gradWeight")
    parser.add_argument("--onnx", action="store_true")
    parser.add_argument("--grouped", action="store_true", help="convolutions in groups instead of dense ones")
    options = parser.parse_args()
    import torch

    import pytorch_legacy as pl

    pl.setNumThreads(options.threads)
    torch.set_num_threads(options.threads)
    torch.set_grad_enabled(False)
    if most := gflops(options.threads):
        print(f"limit of {options.threads} threads: {most:.0f} Gflop/s; operations that Winograd's way saves are counted, too")
    ratios: dict[str, list[float]] = {}
    for name, shape in (GROUPED if options.grouped else SHAPES).items():
        if options.words and not any(word in name for word in options.words):
            continue
        planes, size, outputs, kernel, stride, pad, dilation, groups = (*shape, 1)[:8]
        places = ((size + 2 * pad - (kernel - 1) * dilation - 1) // stride + 1) ** 2
        work = 2e-6 * options.batch * outputs * (planes // groups) * kernel * kernel * places
        one = contest(shape, options.batch, options.threads, options.onnx)
        for way, functions in one.passes.items():
            if way not in options.passes.split(","):
                continue
            error = errors(one, way)
            times = least(functions, options.rounds, 0.03 if options.threads > 1 else 0.002)
            figures = "  ".join(f"{who} {ms:8.3f} ms ({work / ms:4.0f} Gflop/s, {error[who]:.1e})" for who, ms in times.items())
            for who, ms in times.items():
                if who != "ours":
                    ratios.setdefault(f"{way} / {who}", []).append(ms / times["ours"])
            print(f"{name:30} {way:10} {figures}  {times['torch'] / times['ours']:5.2f}", flush=True)
    for way, values in ratios.items():
        print(f"{way:20} geometric mean {math.exp(sum(map(math.log, values)) / len(values)):.2f}, least {min(values):.2f}")


if __name__ == "__main__":
    main()
