"""Measures the conversion of a ResNet-50 to a file of PyTorch, proof included: its time, and its memory beyond the memory before.

python -m benchmarks.bridge
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pytorch_legacy as pl
from pytorch_legacy import nn


def chain(*modules: nn.Module) -> nn.Module:
    net = nn.Sequential()
    for module in modules:
        net.add(module)
    return net


def resnet50() -> nn.Module:
    """The network of fb.resnet.torch: bottlenecks, and convolutions in the shortcuts where the size changes."""
    planes = 64

    def conv(inputs: int, outputs: int, k: int = 1, stride: int = 1) -> nn.Module:
        return nn.SpatialConvolution(inputs, outputs, k, k, stride, stride, k // 2, k // 2).noBias()

    def bottleneck(n: int, stride: int) -> nn.Module:
        nonlocal planes
        inputs, planes = planes, 4 * n
        branch = chain(conv(inputs, n), nn.SpatialBatchNormalization(n), nn.ReLU(True))
        branch.add(conv(n, n, 3, stride)).add(nn.SpatialBatchNormalization(n)).add(nn.ReLU(True))
        branch.add(conv(n, planes)).add(nn.SpatialBatchNormalization(planes))
        isSame = inputs == planes
        shortcut = nn.Identity() if isSame else chain(conv(inputs, planes, 1, stride), nn.SpatialBatchNormalization(planes))
        return chain(nn.ConcatTable().add(branch).add(shortcut), nn.CAddTable(True), nn.ReLU(True))

    net = chain(conv(3, 64, 7, 2), nn.SpatialBatchNormalization(64), nn.ReLU(True), nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1))
    for n, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        net.add(chain(*[bottleneck(n, 1 if i else stride) for i in range(count)]))
    return net.add(nn.SpatialAveragePooling(7, 7, 1, 1)).add(nn.View(2048).setNumInputDims(3)).add(nn.Linear(2048, 1000))


def memory(what: str) -> int:
    """Bytes of this process, as the kernel counts them: VmRSS now, VmHWM at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) << 10


def measure() -> tuple[float, float, float]:
    """Seconds, bytes of weights, and bytes beyond what the process had before."""
    net = resnet50().evaluate()
    weights = sum(array.nbytes for array in net.parameters()[0])
    with tempfile.TemporaryDirectory() as folder:
        small = chain(nn.SpatialConvolution(3, 4, 3, 3), nn.SpatialBatchNormalization(4), nn.ReLU(True))
        pl.to_python(small, Path(folder) / "small.py", (None, 3, 8, 8))  # the first conversion imports all modules
        Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts anew
        before, start = memory("VmRSS"), time.perf_counter()
        pl.to_python(net, Path(folder) / "net.py", (None, 3, 224, 224))
        return time.perf_counter() - start, weights, memory("VmHWM") - before


if __name__ == "__main__":
    seconds, weights, peak = measure()
    print(f"ResNet-50 to net.py: {seconds:.1f} s, {peak / 2**20:.0f} MiB, {peak / weights:.2f} times its weights")
