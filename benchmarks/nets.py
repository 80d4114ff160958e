"""Whole networks beside PyTorch, ONNX Runtime, OpenVINO and OpenCV, each engine in a process of its own; they take turns.

python -m benchmarks.nets                              every network, one sample and eight
python -m benchmarks.nets ResNet --batch 1 --rounds 20 --threads 1
python -m benchmarks.nets --training                   a step of training beside PyTorch
python -m benchmarks.nets --crowded                    ... while another process uses a processor all the time
python -m benchmarks.nets --plot nets.png              ... drawn, too
python -m benchmarks.nets --engines program optimized  these engines alone
python -m benchmarks.nets --other ../before            ... and `pl.optimize` of another checkout, with the package in its .venv

The peers run what `pl.to_torch` and `pl.to_onnx` make of the network, but OpenCV, which reads the same .t7. "optimized" is
`pl.optimize`, "program" is `pl.compile`. An engine that is not installed, or cannot run a network, has no figure. A turn is
a pass that warms caches and threads, and one that is timed; before it there is a pause, for threads of some engines spin
for a while after their work. Memory is the most that its process ever had, with the libraries that the engine needs.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn

from .bridge import chain, memory, resnet50

ENGINES = ("ours", "optimized", "program", "PyTorch", "ONNX Runtime", "OpenVINO", "OpenCV")
ONNX = {"ONNX Runtime", "OpenVINO"}  # engines that run the file of pl.to_onnx
EXAMPLES = Path(__file__).parents[1] / "examples"
CHARACTERS = 65  # characters of a text


def convolution(inputs: int, outputs: int, k: int = 3, stride: int = 1) -> nn.Module:
    return nn.SpatialConvolution(inputs, outputs, k, k, stride, stride, k // 2, k // 2)


def resnet18() -> nn.Module:
    """The basic blocks of fb.resnet.torch."""

    def block(inputs: int, n: int, stride: int) -> nn.Module:
        branch = chain(convolution(inputs, n, 3, stride).noBias(), nn.SpatialBatchNormalization(n), nn.ReLU(True))
        branch.add(convolution(n, n).noBias()).add(nn.SpatialBatchNormalization(n))
        shortcut = nn.Identity()
        if inputs != n:
            shortcut = chain(convolution(inputs, n, 1, stride).noBias(), nn.SpatialBatchNormalization(n))
        return chain(nn.ConcatTable().add(branch).add(shortcut), nn.CAddTable(True), nn.ReLU(True))

    net = chain(convolution(3, 64, 7, 2).noBias(), nn.SpatialBatchNormalization(64), nn.ReLU(True))
    net.add(nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1))
    for inputs, n in ((64, 64), (64, 128), (128, 256), (256, 512)):
        net.add(block(inputs, n, 1 if inputs == n else 2)).add(block(n, n, 1))
    return net.add(nn.SpatialAveragePooling(7, 7, 1, 1)).add(nn.View(512).setNumInputDims(3)).add(nn.Linear(512, 1000))


def vgg16() -> nn.Module:
    """Its convolutions."""
    net, planes = nn.Sequential(), 3
    for n, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            net.add(convolution(planes, n)).add(nn.ReLU(True))
            planes = n
        net.add(nn.SpatialMaxPooling(2, 2, 2, 2))
    return net


def style() -> nn.Module:
    """The network of fast-neural-style: reflected borders, five residual blocks, two transposed convolutions."""

    def layer(inputs: int, outputs: int, k: int, stride: int = 1) -> list[nn.Module]:
        return [convolution(inputs, outputs, k, stride), nn.SpatialBatchNormalization(outputs), nn.ReLU(True)]

    def block() -> nn.Module:
        branch = chain(*layer(128, 128, 3), *layer(128, 128, 3)[:2])
        return chain(nn.ConcatTable().add(branch).add(nn.Identity()), nn.CAddTable())

    net = chain(nn.SpatialReflectionPadding(16, 16, 16, 16), *layer(3, 32, 9), *layer(32, 64, 3, 2), *layer(64, 128, 3, 2))
    for _ in range(5):
        net.add(block())
    for inputs, outputs in ((128, 64), (64, 32)):
        net.add(nn.SpatialFullConvolution(inputs, outputs, 3, 3, 2, 2, 1, 1, 1, 1))
        net.add(nn.SpatialBatchNormalization(outputs)).add(nn.ReLU(True))
    return net.add(convolution(32, 3, 9)).add(nn.Tanh())


def char_rnn() -> nn.Module:
    """The network of torch-rnn, with two layers of 128 units, which reads fifty characters of a text at once."""
    layers = [nn.LookupTable(CHARACTERS, 64), rnn.SeqLSTM(64, 128), rnn.SeqLSTM(128, 128)]
    return nn.Sequential(*layers, rnn.Sequencer(nn.Linear(128, CHARACTERS)), rnn.Sequencer(nn.LogSoftMax()))


def text(batch: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, CHARACTERS, (50, batch))


def pictures(*shape: int) -> Callable[[int], np.ndarray]:
    return lambda batch: np.random.default_rng(0).standard_normal((batch, *shape)).astype(np.float32)


def sample(file: str) -> Callable[[], nn.Module]:
    def load() -> nn.Module:
        value = pl.load(EXAMPLES / file)
        return value["model"] if isinstance(value, dict) else value  # type: ignore[no-any-return]

    return load


# name: the network, and what makes so many samples
NETS: dict[str, tuple[Callable[[], nn.Module], Callable[[int], np.ndarray]]] = {
    "ResNet-18": (resnet18, pictures(3, 224, 224)),
    "ResNet-50": (resnet50, pictures(3, 224, 224)),
    "VGG-16, convolutions": (vgg16, pictures(3, 224, 224)),
    "style transfer": (style, pictures(3, 256, 256)),
    "digits": (sample("digits/digits.t7"), pictures(1, 8, 8)),
    "superres": (sample("superres/superres.t7"), pictures(1, 128, 128)),
    "char-rnn": (char_rnn, text),
}
PAUSE = 0.05  # seconds
TRAINED = {"ResNet-18": 1000, "digits": 10, "char-rnn": CHARACTERS}  # classes


# ---- what a process of an engine does


def prepared(engine: str, folder: Path, x: Any, threads: int) -> Callable[[], Any]:
    """A pass of that engine over `x`."""
    if engine in ("ours", "optimized", "program"):
        pl.setNumThreads(threads)
        net = pl.load(folder / "net.t7").evaluate()
        if engine == "program":
            program = pl.compile(net, (None, *x.shape[1:]) if x.dtype.kind == "f" else x)
            del net
            return lambda: program(x)
        net = pl.optimize(net) if engine == "optimized" else net
        return lambda: net.forward(x)
    if engine == "PyTorch":
        import torch

        torch.set_num_threads(threads)
        module, given = pl.to_torch(pl.load(folder / "net.t7").evaluate(), x.shape).eval(), torch.from_numpy(x)

        @torch.no_grad()
        def run() -> Any:
            return module(given)

        return run
    if engine == "ONNX Runtime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0" if os.environ.get("NO_SPIN") else "1")
        session = onnxruntime.InferenceSession(str(folder / "net.onnx"), options, providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name
        return lambda: session.run(None, {name: x})
    if engine == "OpenVINO":
        import openvino

        core = openvino.Core()
        single = {"INFERENCE_PRECISION_HINT": "f32"}  # else it computes with bfloat16, where the processor can
        compiled = core.compile_model(str(folder / "net.onnx"), "CPU", {"INFERENCE_NUM_THREADS": threads, **single})
        return lambda: compiled(x)
    import cv2

    cv2.setNumThreads(threads)
    read = cv2.dnn.readNetFromTorch(str(folder / "net.t7"), True, True)

    def opencv() -> Any:
        read.setInput(x)
        return read.forward()

    return opencv


def trained(engine: str, folder: Path, x: Any, threads: int, classes: int) -> Callable[[], Any]:
    """A step of training: forward, loss, backward, and the parameters moved. Classes are the last dimension of the output."""
    if engine == "PyTorch":
        import torch

        torch.set_num_threads(threads)
        module = pl.to_torch(pl.load(folder / "net.t7").evaluate(), x.shape).train()
        optimizer, given = torch.optim.SGD(module.parameters(), 1e-3), torch.from_numpy(x)

        def step() -> None:
            optimizer.zero_grad()
            scores = module(given).flatten(0, -2)
            torch.nn.functional.cross_entropy(scores, torch.arange(len(scores)) % classes).backward()
            optimizer.step()

        return step
    pl.setNumThreads(threads)
    net: Any = pl.load(folder / "net.t7").training()
    criterion = nn.CrossEntropyCriterion()
    net.modules[0].gradInput = None  # nobody reads that of x, and PyTorch leaves it out

    def ours() -> None:
        net.zeroGradParameters()
        output = net.forward(x)
        scores = output.reshape(-1, classes)
        labels = np.arange(len(scores)) % classes
        criterion.forward(scores, labels)
        net.backward(x, criterion.backward(scores, labels).reshape(output.shape))
        net.updateParameters(1e-3)

    return ours


def serve(engine: str, folder: Path, threads: int, classes: int) -> None:
    """Answers each line of the input with the milliseconds of a pass; at the end, with the most memory there was."""
    x = np.load(folder / "x.npy")
    run = trained(engine, folder, x, threads, classes) if classes else prepared(engine, folder, x, threads)
    run()
    print("ready", flush=True)
    for _ in sys.stdin:
        run()
        begin = time.perf_counter()
        run()
        print(1e3 * (time.perf_counter() - begin), flush=True)
    print(memory("VmHWM") / 2**20, flush=True)


# ---- the one that asks


class Engine:
    """A process that runs one engine. `other` is a checkout whose package runs "optimized" under the name "other"."""

    def __init__(self, name: str, folder: Path, threads: int, classes: int, other: Path | None) -> None:
        self.name, self.times = name, []  # type: tuple[str, list[float]]
        isOther = name == "other" and other is not None
        python = str(other.resolve() / ".venv" / "bin" / "python") if isOther and other else sys.executable
        engine = "optimized" if isOther else name
        command = [python, "-m", "benchmarks.nets", "--serve", engine, str(folder), str(threads), str(classes)]
        pipe, place = subprocess.PIPE, other if isOther else None
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, cwd=place)
        self.works = self._line() == "ready"

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def turn(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.times.append(float(self._line()))

    def end(self) -> float:
        """MiB."""
        assert self.process.stdin
        self.process.stdin.close()
        most = float(self._line() or "nan")
        self.process.wait()
        return most


def measure(
    name: str, batch: int, threads: int, rounds: int, isTraining: bool, engines: list[str], other: Path | None
) -> dict[str, tuple[float, float]]:
    """Median milliseconds and most MiB of each engine that runs this network."""
    make, given = NETS[name]
    found = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        net = make()
        x = given(batch)
        np.save(folder / "x.npy", x)
        pl.save(folder / "net.t7", net.clearState())
        if not isTraining and ONNX & set(engines):
            pl.to_onnx(net.evaluate(), folder / "net.onnx", x.shape)
        classes = TRAINED[name] if isTraining else 0
        running = []
        for engine in engines:
            process = Engine(engine, folder, threads, classes, other)
            if process.works:
                running.append(process)
        for _ in range(rounds):
            for process in running:
                time.sleep(PAUSE)
                process.turn()
        for process in running:
            found[process.name] = median(process.times), process.end()
    return found


@contextlib.contextmanager
def another_process() -> Iterator[None]:
    """One that never rests."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        busy.kill()
        busy.wait()


def plot(rows: list[tuple[str, dict[str, tuple[float, float]]]], engines: list[str], path: str) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 0.5 * len(rows) + 1.5))
    for k, engine in enumerate(engines):
        dots = [(found[engine][0] / found[engines[0]][0], at) for at, (_, found) in enumerate(rows) if engine in found]
        if dots:
            axes.plot(*zip(*dots, strict=True), "osP^Dv*X"[k], label=engine)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_xlabel(f"time, as a multiple of {engines[0]}")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.legend()
    figure.savefig(path, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="networks whose name holds one of these")
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--threads", type=int, default=pl.getNumThreads())
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--training", action="store_true", help="steps of training in place of evaluation")
    parser.add_argument("--crowded", action="store_true", help="another process uses a processor all the time")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, help="these engines alone")
    parser.add_argument("--other", type=Path, metavar="CHECKOUT", help="pl.optimize of another checkout takes part")
    parser.add_argument("--plot", metavar="IMAGE")
    parser.add_argument("--serve", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        engine, folder, threads, classes = options.serve
        serve(engine, Path(folder), int(threads), int(classes))
        return
    engines = options.engines or (["ours", "PyTorch"] if options.training else [*ENGINES])
    engines += ["other"] * bool(options.other)
    print(f"{options.threads} threads; median ms of {options.rounds} rounds, times {engines[0]}, MiB")
    print(f"{'network':24} batch  " + "  ".join(f"{engine:>22}" for engine in engines))
    rows = []
    for name in NETS:
        if (options.words and not any(word in name for word in options.words)) or (options.training and name not in TRAINED):
            continue
        for batch in options.batch:
            with another_process() if options.crowded else contextlib.nullcontext():
                found = measure(name, batch, options.threads, options.rounds, options.training, engines, options.other)
            unit = found[engines[0]][0]
            cells = [
                f"{found[engine][0]:9.2f} {found[engine][0] / unit:6.2f} {found[engine][1]:5.0f}"
                if engine in found
                else f"{'-':>22}"
                for engine in engines
            ]
            print(f"{name:24} {batch:5}  " + "  ".join(cells), flush=True)
            rows.append((f"{name}, {batch}", found))
    if options.plot:
        plot(rows, engines, options.plot)


if __name__ == "__main__":
    main()
