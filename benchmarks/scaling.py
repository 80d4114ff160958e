"""Measures the gain of `pytorch-legacy run` and of training by a second worker, and the cost of a worker.

pip install ".[bench,image,dask]"
python -m benchmarks.scaling                          all of it, some minutes
python -m benchmarks.scaling --page docs/scaling.md   ... and into the page, in the place of what its section "Measured" has
python -m benchmarks.scaling --rounds 1 --pictures 400

Each figure is the median of some rounds, in which the contestants take turns. The time that a command takes for eight pictures
stands in a column of its own, and is taken off before pictures a second are counted.
"""

from __future__ import annotations

import argparse
import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
from distributed import Client, LocalCluster
from PIL import Image

import pytorch_legacy as pl
from pytorch_legacy.distributed.results import Form, Parts
from pytorch_legacy.distributed.sent import Sent
from pytorch_legacy.distributed.sources import Files

from .__main__ import processor
from .nets import resnet18

ROOT = Path(__file__).parents[1]
WAYS = ("--threads 1", "--threads 2", "--processes 1 --threads 1", "--processes 2 --threads 2")
FEW = 8  # pictures of a run that measures the start


def command(*arguments: str) -> float:
    """Seconds of a command of this package."""
    code = "import sys; from pytorch_legacy.cli import main; sys.exit(main())"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
    return time.perf_counter() - start


def pictures(folder: Path, count: int, size: int, ending: str) -> str:
    """Enlarged digits with noise, so that they take the bytes of photographs."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    digits = [Image.open(ROOT / "examples" / "digits" / f"digit_{i}.png").convert("L").resize((size, size)) for i in range(10)]
    for i in range(count):
        array = np.asarray(digits[i % 10], np.int16)[..., None] + rng.integers(-20, 20, (size, size, 3))
        picture = Image.fromarray(array.clip(0, 255).astype(np.uint8))
        (picture if ending == "jpg" else picture.convert("L")).save(folder / f"{i:06}.{ending}")
    return str(folder)


def running(folder: Path, count: int, rounds: int) -> list[str]:
    """Returns the table of `run-many`: of a small network on small pictures, and of a ResNet-18 on photographs."""
    pl.save(folder / "resnet18.t7", resnet18().evaluate())
    works = {
        "digits, 16x16 png": (str(ROOT / "examples/digits/digits.t7"), count, 16, "png", ()),
        "ResNet-18, 256x256 jpg": (str(folder / "resnet18.t7"), max(count // 40, 4 * FEW), 256, "jpg", ("--preset", "fb.resnet")),
    }
    lines = ["| network, pictures | workers | start, s | pictures a second | times one thread |", "|---|---|---:|---:|---:|"]
    for title, (net, number, size, ending, options) in works.items():
        many = pictures(folder / f"{size}", number, size, ending)
        few = pictures(folder / f"{size}-few", FEW, size, ending)
        starts: dict[str, list[float]] = {way: [] for way in WAYS}
        speeds: dict[str, list[float]] = {way: [] for way in WAYS}
        for _ in range(rounds):
            for way in WAYS:
                where = ["-o", str(folder / "out.parquet"), *options, *way.split()]
                starts[way].append(command("run-many", net, few, *where))
                speeds[way].append((number - FEW) / max(command("run-many", net, many, *where) - starts[way][-1], 1e-3))
        for way in WAYS:
            gain = median(a / b for a, b in zip(speeds[way], speeds[WAYS[0]], strict=True))
            lines.append(f"| {title} | `{way}` | {median(starts[way]):.1f} | {median(speeds[way]):,.0f} | {gain:.2f} |")
    return lines


def training(folder: Path, rounds: int) -> list[str]:
    """The table of examples/ddp.py: what its epochs say, without the first one."""
    lines = [
        "| pictures in a step of each process | processes | pictures a second | times one process |",
        "|---:|---:|---:|---:|",
    ]
    for batch in (16, 64):
        speeds: dict[int, list[float]] = {1: [], 2: []}
        for turn in range(rounds):
            for processes, found in speeds.items():
                options = ["--processes", str(processes), "--batch", str(batch), "--epochs", "10"]
                out = folder / f"{processes}-{batch}-{turn}.t7"
                done = subprocess.run(
                    [sys.executable, "examples/ddp.py", "--out", str(out), *options],
                    check=True, capture_output=True, text=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
                )  # fmt: skip
                found.append(
                    median(float(n.replace(",", "")) for n in re.findall(r"([\d,]+) pictures a second", done.stdout)[1:])
                )
        for processes, found in speeds.items():
            gain = median(a / b for a, b in zip(found, speeds[1], strict=True))
            lines.append(f"| {batch} | {processes} | {median(found):,.0f} | {gain:.2f} |")
    return lines


def tasks(count: int = 2000) -> float:
    """Seconds that the scheduler and its client take for a task which does nothing, with two worker processes."""
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", memory_limit=0, silence_logs=50
        ) as cluster,
        Client(cluster) as client,
    ):
        client.gather(client.map(_nothing, range(100), pure=False))
        start = time.perf_counter()
        client.gather(client.map(_nothing, range(count), pure=False))
        return (time.perf_counter() - start) / count


def _nothing(number: int) -> int:
    return number


def parts(folder: Path, count: int = 200) -> float:
    """Seconds to write a part of 64 rows to the disk."""
    table = Form("scores", (1000,), "float32").table(
        0, ["photos/000000.jpg"] * 64, [np.zeros(1000, np.float32)] * 64, [None] * 64
    )
    (folder / "parts").mkdir()
    written = Parts(folder / "parts")
    start = time.perf_counter()
    for i in range(count):
        written.write(64 * i, 64 * i + 64, table)
    return (time.perf_counter() - start) / count


def sizes() -> list[str]:
    """Bytes that go from process to process: no measurement of time, so they hold for every machine."""
    names = tuple(f"photos/{i:06}.jpg" for i in range(64))
    source = Files(tuple(f"/data/{name}" for name in names), names)
    one = (len(pickle.dumps(source)) - len(pickle.dumps(source.cut(0, 1)))) / 63
    rows = []
    for vector in (False, True):
        outputs = [row.copy() for row in np.random.default_rng(0).normal(size=(64, 1000)).astype(np.float32)]
        table = Form("scores", (1000,), "float32", vector=vector).table(0, names, outputs, [None] * 64)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        rows.append(sink.getvalue().size / 64)
    net = len(pickle.dumps(Sent(resnet18().evaluate())))
    return [
        "| what is sent | bytes |",
        "|---|---:|",
        f"| the network to each worker, once: ResNet-18 | {net:,} |",
        f"| a task of 64 pictures to a worker, their paths | {len(pickle.dumps(source)):,} |",
        f"| ... for each picture of it | {one:.0f} |",
        f"| a row that comes back: label and score | {rows[0]:.0f} |",
        f"| ... with `--vector`, of 1,000 classes | {rows[1]:,.0f} |",
    ]


def measured(count: int, rounds: int) -> list[str]:
    """The section of the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run, train = running(folder, count, rounds), training(folder, rounds)
        task, part = tasks(), parts(folder)
    machine = f"{time.strftime('%Y-%m-%d')}, {processor()}, {os.cpu_count()} processors; medians of {rounds} rounds."
    return [
        machine, "", *run, "",
        *train, "",
        f"Scheduler and client take {1e3 * task:.2g} ms for a task that does nothing. A piece of 64 rows is on the disk after "
        f"{1e3 * part:.2g} ms.",
    ]  # fmt: skip


def replaced(page: str, heading: str, lines: list[str]) -> str:
    """The page with another text under a heading."""
    before, found, after = page.partition(f"{heading}\n")
    if not found:
        raise SystemExit(f"expected a line {heading} in the page")
    level = heading.split()[0]
    rest = re.search(rf"^#{{2,{len(level)}}} ", after, re.MULTILINE)
    return before + found + "\n" + "\n".join(lines) + "\n" + ("\n" + after[rest.start() :] if rest else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=8000, metavar="N", help="small ones, and a fortieth as many large ones")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", action="store_true", help="only the sizes of messages")
    parser.add_argument("--page", type=Path, help="put the figures into this page")
    options = parser.parse_args()
    lines = sizes() if options.sizes else measured(options.pictures, options.rounds)
    print("\n".join(lines))
    if options.page and not options.sizes:
        options.page.write_text(replaced(options.page.read_text(), "### Measured", lines))


if __name__ == "__main__":
    main()
