"""Measures time and memory of loading files: pl.load against torchfile and OpenCV.

pip install ".[bench]"
python -m benchmarks.loading                 both parts
python -m benchmarks.loading --megabytes 100 a smaller model

Each measurement runs in a process of its own, so that its peak of memory is its own. The contestants take turns, and the
median of all rounds counts. The files are in the cache of the system: it is reading that is measured, not the disk.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn, t7

# The code that a process runs: {name: (imports, expression)}. `path` is the file.
CONTESTANTS = {
    "pl.load": ("import pytorch_legacy as pl", "pl.load(path)"),
    "t7.read": ("from pytorch_legacy import t7", "t7.read(path)"),
    "torchfile": ("import torchfile", "torchfile.load(path)"),
    "readTorchBlob": ("import cv2", "cv2.dnn.readTorchBlob(path)"),
    "readNetFromTorch": ("import cv2", "cv2.dnn.readNetFromTorch(path)"),
}

PROCESS = """
import json, sys, time
path = sys.argv[1]
{imports}
import numpy
def peak():
    # The kernel's own count, since this process began; what its parent had does not count.
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024
before = peak()
start = time.perf_counter()
value = {call}
load = time.perf_counter() - start
used = float({touch})
ready = time.perf_counter() - start
print(json.dumps([ready, peak() - before]))
"""


# The Python that runs a contestant, if not this one.
PYTHONS: dict[str, str] = {}


def run(name: str, path: Path, touch: str = "0") -> tuple[float, float]:
    """Seconds until the object is there and touched, and by how many MiB the process grew meanwhile at most."""
    imports, call = CONTESTANTS[name]
    code = PROCESS.format(imports=imports, call=call, touch=touch)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    python = PYTHONS.get(imports, sys.executable)
    if python != sys.executable:
        del environment["PYTHONPATH"]
    done = subprocess.run([python, "-c", code, str(path)], capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    seconds, growth = json.loads(done.stdout)
    return seconds, growth


def compare(title: str, path: Path, jobs: dict[str, str], rounds: int) -> None:
    """Print a line for each contestant; `jobs` says how each one's object is touched."""
    print(f"\n{title}, {path.stat().st_size / 1e6:.1f} MB")
    print(f"  {'':18} {'seconds':>9} {'ratio':>7} {'memory, MiB':>12}")
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(rounds):
        for name, touch in jobs.items():
            if name in found and not found[name]:
                continue
            try:
                found.setdefault(name, []).append(run(name, path, touch))
            except RuntimeError as error:
                found[name] = []
                print(f"  {name:18} {error}")
    ours = next(iter(jobs))
    base = statistics.median(seconds for seconds, _ in found[ours])
    for name, results in found.items():
        if results:
            seconds = statistics.median(seconds for seconds, _ in results)
            growth = statistics.median(growth for _, growth in results)
            print(f"  {name:18} {seconds:9.4f} {seconds / base:7.1f} {growth:12.1f}", flush=True)


def large_model(megabytes: int) -> nn.Sequential:
    """A chain of layers with that many megabytes of weights, without gradients, as models are published."""
    net = nn.Sequential()
    size = 2048
    for _ in range(max(1, round(megabytes * 1e6 / (4 * size * size)))):
        net.add(nn.Linear(size, size)).add(nn.ReLU())
    for layer in net.modules:
        layer.gradWeight = layer.gradBias = None
    return net


def small_objects(count: int = 100_000) -> dict[str, Any]:
    """Graphs of `count` objects of a few kinds."""
    nodes = [{"id": i, "weight": i + 0.5, "name": f"node{i}"} for i in range(count)]
    tree: list[Any] = [{"next": [], "id": i} for i in range(count // 2)]
    for i, node in enumerate(tree):
        node["next"] += [tree[i // 2], tree[i * i % (i + 1)]]
    layers = []
    for i in range(count // 4):
        fields = {"weight": np.full((2, 2), i, np.float32), "train": True, "name": f"layer{i}"}
        layers.append(t7.TorchObject("my.Layer", 1, fields))
    return {"tables of three fields": nodes, "tables that refer to each other": tree, "objects with a tensor each": layers}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--opencv", metavar="PYTHON", default=sys.executable, help="a Python that has OpenCV 4 and NumPy")
    options = parser.parse_args()
    PYTHONS["import cv2"] = options.opencv
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.t7"
        first: Callable[[str], str] = lambda weight: f"{weight}.ravel()[0] + {weight}.ravel()[-1]"  # noqa: E731
        pl.save(path, large_model(options.megabytes))
        touches = {
            "pl.load": first("value.modules[0].weight"),
            "torchfile": first("value[b'modules'][0][b'weight']"),
            "readNetFromTorch": first("value.getParam(value.getLayerNames()[0])"),
        }
        compare("A model of float weights, until its first layer was touched", path, touches, options.rounds)
        pl.save(path, np.ones((options.megabytes * 250_000 // 1000, 1000), np.float32))
        blob = first("value")
        compare("One tensor", path, {"pl.load": blob, "torchfile": blob, "readTorchBlob": blob}, options.rounds)
        for title, graph in small_objects().items():
            pl.save(path, graph)
            compare(f"100,000 {title}", path, {"t7.read": "0", "torchfile": "0"}, options.rounds)
        words = [f"word{i}" for i in range(50_000)]
        tables = {
            "A list of 100,000 numbers": [i / 2 for i in range(100_000)],
            "A vocabulary of 50,000 words": {"words": words, "numbers": {word: i for i, word in enumerate(words, 1)}},
        }
        for title, table in tables.items():
            pl.save(path, table)
            compare(title, path, {"pl.load": "0", "torchfile": "0"}, options.rounds)
        for name in ("digits", "superres"):
            network = Path(__file__).parents[1] / "examples" / name / f"{name}.t7"
            compare(f"The network {name}.t7", network, {"pl.load": "0", "torchfile": "0"}, options.rounds)
        pl.save(path, [nn.Linear(2, 2) for _ in range(10_000)])
        compare("10,000 modules of type nn.Linear (100,000 objects)", path, {"pl.load": "0", "torchfile": "0"}, options.rounds)


if __name__ == "__main__":
    main()
