"""The same rows on a GPU, beside PyTorch CUDA: what ``python -m benchmarks --device cuda`` measures.

Both contestants work in turn, on several sets of arrays that together are larger than the second-level cache, and are timed
with CUDA events: the median of many calls. Rates are those of the bytes that a layer cannot avoid, beside the measured rate of
copying.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import DeviceError, UnsupportedError

from .measure import Pair, ratios
from .rows import Row, text

LARGER_THAN_CACHE = 256 << 20  # bytes; the caches of today's devices have up to 128 MiB
SIZES = [((64, 256, 33, 33), (14, 14)), ((64, 256, 56, 56), (7, 7)), ((64, 256, 37, 53), (14, 14)), ((64, 256, 56, 56), (1, 1))]

Job = Callable[[], object]


def missing() -> str | None:
    """Returns the requirement of the measurement that is missing, in a line."""
    try:
        nn.Identity().cuda()
    except DeviceError as error:
        return str(error)
    if not torch.cuda.is_available():
        return f"the comparison needs PyTorch with CUDA, got {torch.__version__} without a device"
    return None


def sets(bytes: int) -> int:
    """Returns the number of sets of arrays that are together larger than the cache."""
    return max(2, min(64, -(-LARGER_THAN_CACHE // max(bytes, 1))))


def once(job: Job) -> float:
    """Seconds of a call on the device."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    job()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) / 1e3


def pair(ours: list[Job], theirs: list[Job], budget: float, copy: float = float("inf")) -> Pair:
    """Both in turn, set after set; after a round that is not counted, rounds for about `budget` seconds. `copy` is the limit's
    rate."""
    warm = sum(once(job) for job in (*ours, *theirs))
    a: list[float] = []
    b: list[float] = []
    jobs = cycle(zip(ours, theirs, strict=True))
    while len(a) < 2 * len(ours) or (sum(a) + sum(b) < budget and len(a) * warm < 50 * budget):
        one, other = next(jobs)
        a.append(once(one))
        b.append(once(other))
    return Pair(statistics.median(a), statistics.median(b), ratios(b, a), 1 / (copy * statistics.median(a)))


def copy_bandwidth() -> float:
    """Bytes per second of copying a large array on the device, reading and writing counted."""
    source = torch.rand(128 << 20, device="cuda")
    target = torch.empty_like(source)
    return 2 * 4 * source.numel() / statistics.median(once(lambda: target.copy_(source)) for _ in range(20))


def up(value: Any) -> Any:
    """An input on the device, in memory of its own."""
    import cupy

    return [up(entry) for entry in value] if isinstance(value, list) else cupy.array(value)


def shared(value: Any) -> Any:
    """The same memory for PyTorch."""
    if isinstance(value, list):
        return [shared(entry) for entry in value]
    return torch.from_dlpack(value)


def measure(row: Row, copy: float, budget: float, report: Callable[..., None]) -> None:
    """Print the row's two lines; a line that says why not, where the layer or its peer does not run there."""
    host = row.arrays()
    count = sets(row.bytes[0])
    module = row.module()
    try:
        if row.parameters or getattr(module, "weight", None) is not None:
            row.peer(module, peers_of(host))  # makes the peer's parameters, on the host
            for name in ("peer", "statistics"):
                if hasattr(module, name):
                    moved = [tensor.detach().cuda() for tensor in getattr(module, name)]
                    setattr(module, name, [tensor.requires_grad_() for tensor in moved] if name == "peer" else moved)
        module.cuda()
        modules = [module, *(module.clone() for _ in range(count - 1))]
        inputs = [up(host) for _ in range(count)]
        outputs = [each.forward(x) for each, x in zip(modules, inputs, strict=True)]
        tensors = [shared(x) for x in inputs]
        with torch.no_grad():
            result = pair(
                [lambda m=m, x=x: m.forward(x) for m, x in zip(modules, inputs, strict=True)],
                [lambda x=x: row.peer(module, x) for x in tensors],
                budget,
                copy,
            )
        report(row, "forward", 0, result)
        backward(row, module, modules, inputs, outputs, tensors, copy, budget, report)
    except (UnsupportedError, RuntimeError, TypeError, ValueError) as error:
        print(f"{row.layer:32} {row.label:38} not measured: {str(error).splitlines()[0]:.90}", flush=True)


def backward(row: Row, module: Any, modules: Any, inputs: Any, outputs: Any, tensors: Any, copy: float, budget: float,
             report: Callable[..., None]) -> None:  # fmt: skip
    import cupy

    gradients = [output * 0 + 1 if isinstance(output, cupy.ndarray) else None for output in outputs]
    jobs: list[Job] = []
    for x, gradient in zip(tensors, gradients, strict=True):
        leaves = [leaf for leaf in (x if isinstance(x, list) else [x]) if leaf.is_floating_point()]
        for leaf in leaves:
            leaf.requires_grad_()
        result = row.peer(module, x)
        wanted = leaves + [p for p in getattr(module, "peer", []) if p.requires_grad]
        given = torch.ones_like(result) if gradient is None else torch.from_dlpack(gradient).view_as(result)
        jobs.append(lambda r=result, w=wanted, g=given: torch.autograd.grad(r, w, g, retain_graph=True))
    ours: list[Job] = [lambda m=m, x=x, g=g: m.backward(x, g) for m, x, g in zip(modules, inputs, gradients, strict=True)]
    report(row, "backward", 1, pair(ours, jobs, budget, copy))


def peers_of(host: Any) -> Any:
    return [torch.from_numpy(array) for array in host] if isinstance(host, list) else torch.from_numpy(host)


def directions(budget: float) -> None:
    """Print how long adaptive average pooling takes backward when it gathers and when it scatters with atomics."""
    print(f"{'SpatialAdaptiveAveragePooling':32} {'gather ms':>9} {'scatter ms':>10} {'torch ms':>9}")
    for shape, size in SIZES:
        module = nn.SpatialAdaptiveAveragePooling(*size[::-1]).cuda()
        host = np.random.default_rng(0).standard_normal(shape, np.float32)
        count = sets(host.nbytes)
        inputs = [up(host) for _ in range(count)]
        modules = [module, *(module.clone() for _ in range(count - 1))]
        gradients = [m.forward(x) * 0 + 1 for m, x in zip(modules, inputs, strict=True)]
        times: dict[str, Pair] = {}
        for how in ("gather", "scatter"):
            pl.setPoolingBackward(how)
            ours: list[Job] = [lambda m=m, x=x, g=g: m.backward(x, g) for m, x, g in zip(modules, inputs, gradients, strict=True)]
            peers: list[Job] = []
            for x, gradient in zip(inputs, gradients, strict=True):
                tensor, g = shared(x).requires_grad_(), torch.from_dlpack(gradient)
                result = F.adaptive_avg_pool2d(tensor, size)
                peers.append(lambda r=result, t=tensor, g=g: torch.autograd.grad(r, [t], g, retain_graph=True))
            times[how] = pair(ours, peers, budget)
        pl.setPoolingBackward("default")
        gather, scatter = times["gather"], times["scatter"]
        label = f"{text(shape)} to {text(size)}"
        print(f"{label:32} {1e3 * gather.ours:9.3f} {1e3 * scatter.ours:10.3f} {1e3 * gather.theirs:9.3f}", flush=True)


def main(
    words: list[str], budget: float, gather_or_scatter: bool, all_rows: Callable[[list[str]], Any], report: Callable[..., None]
) -> None:
    if problem := missing():
        sys.exit(f"python -m benchmarks --device cuda: {problem}")
    copy = copy_bandwidth()
    print(
        f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, PyTorch {torch.__version__}, pytorch_legacy {pl.__version__}"
    )
    print(f"measured limit: copy {copy / 1e9:.0f} GB/s\n")
    if gather_or_scatter:
        directions(budget)
        return
    print(f"{'layer':32} {'input':38} {'':8} {'ours ms':>9} {'torch ms':>9} {'ratio':>6}   rate, share of the limit")
    print("ratio above 1: ours is faster\n")
    for row in all_rows(words):
        measure(row, copy, budget, report)
    directions(budget)
