"""run and pl.distributed.map over worker processes: workers that are killed, broken pictures, memory."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.cli import main
from pytorch_legacy.inference.preprocessing import Preprocessing
from tests.cli.test_cli import DIGITS, run

for package in ("dask", "distributed", "pyarrow", "PIL"):
    pytest.importorskip(package, reason=f"{package} is not installed: the extras dask and image bring it")

import pyarrow.parquet as pq  # noqa: E402
from dask import array as da  # noqa: E402
from dask import bag as db  # noqa: E402
from distributed import Client, KilledWorker, LocalCluster  # noqa: E402

from pytorch_legacy.distributed import job  # noqa: E402
from pytorch_legacy.distributed.drive import Stopped, drive, spans  # noqa: E402
from pytorch_legacy.distributed.plan import Capacity, Plan, made  # noqa: E402
from pytorch_legacy.distributed.results import Form  # noqa: E402
from pytorch_legacy.distributed.sources import Files, opened  # noqa: E402
from tests.distributed.test_many import pictures  # noqa: E402
from tests.terminal import as_foreground  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
MIB = 1 << 20


@pl.register("tests.Trap")
class Trap(nn.Module):
    """Takes its time, and ends its process at a sample that begins with 666."""

    def __init__(self, seconds: float = 0) -> None:
        super().__init__()
        self.seconds = seconds

    def updateOutput(self, input: Any) -> Any:
        time.sleep(self.seconds)
        if (input[..., 0] == 666).any():
            os.kill(os.getpid(), signal.SIGKILL)
        self.output = input.copy()
        return self.output


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", memory_limit=0, silence_logs=50
    ) as cluster:
        yield cluster


def killing(cluster: Any, when: Any) -> threading.Thread:
    """A thread that kills a worker process as soon as `when` says so."""

    def kill() -> None:
        until = time.monotonic() + 60
        while not when():
            assert time.monotonic() < until
            time.sleep(0.005)
        os.kill(next(nanny.pid for nanny in cluster.workers.values() if nanny.pid), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def trap(folder: Path, rows: int, fatal: tuple[int, ...] = (), seconds: float = 0) -> list[str]:
    """A network with a trap, and the rows that go into it."""
    x = np.random.default_rng(0).normal(size=(rows, 3)).astype(np.float32)
    x[list(fatal), 0] = 666
    np.save(folder / "x.npy", x)
    linear = nn.Linear(3, 4)
    pl.save(folder / "net.t7", nn.Sequential(Trap(seconds), linear))
    return ["run-many", str(folder / "net.t7"), str(folder / "x.npy"), "-o", str(folder / "out.parquet")]


# ---------------------------------------------------------------------------------------------- run


def test_2000_pictures_and_ten_broken_ones(capsys, tmp_path: Path, cluster) -> None:
    """A row for each, in order; bit for bit what one process makes of them, also if a worker is killed in the middle."""
    broken = tuple(range(13, 2000, 199))
    folder = pictures(tmp_path / "in", 2000, broken)
    command = ["run-many", DIGITS, str(folder), "--vector", "-o"]
    run(capsys, *command, str(tmp_path / "one.parquet"), "--threads", "1")
    parts = tmp_path / "two.parquet.parts"
    killer = killing(cluster, lambda: len(list(parts.glob("*-*.parquet"))) > 1)
    out = run(capsys, *command, str(tmp_path / "two.parquet"), "--scheduler", cluster.scheduler_address)
    killer.join()
    assert "2,000 rows; 10 with an error, the first: " in out
    table = pq.read_table(tmp_path / "two.parquet")
    assert table.equals(pq.read_table(tmp_path / "one.parquet"))
    rows = table.to_pylist()
    assert [row["input"] for row in rows] == [str(folder / f"{i:04}.png") for i in range(2000)]
    assert [row["row"] for row in rows if row["error"]] == list(broken)
    assert all(f"{row['row']:04}.png: " in row["error"] for row in rows if row["error"])
    good = [row for row in rows if not row["error"]]
    assert len(good) == 1990 and sum(row["label"] == str(row["row"] % 10) for row in good) > 1900
    assert not parts.exists()


def test_a_killed_worker_of_processes(tmp_path: Path) -> None:
    """A row that ends its process has an error, alone; those beside it do not."""
    command = trap(tmp_path, 12, (5,), 0.05)
    code = f"from tests.distributed import test_cluster; from pytorch_legacy.cli import main; raise SystemExit(main({command}"
    done = subprocess.run(
        [sys.executable, "-c", f"if __name__ == '__main__':\n {code} + ['--processes', '2', '--batch', '1']))"],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0 and not done.stderr, done.stderr
    rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [(row["row"], row["error"]) for row in rows if row["error"]] == [(5, "worker processes end with it")]
    assert sum(row["label"] is not None for row in rows) == 11


def test_ctrl_c_at_a_terminal(tmp_path: Path) -> None:
    """It goes to the worker processes, too, which leave it to the command."""
    command = trap(tmp_path, 4000, (), 0.05)
    code = f"from tests.distributed import test_cluster; from pytorch_legacy.cli import main; raise SystemExit(main({command}"
    process = subprocess.Popen(
        [sys.executable, "-c", f"if __name__ == '__main__':\n {code} + ['--processes', '2', '--batch', '2']))"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=as_foreground,
    )  # fmt: skip
    parts, until = tmp_path / "out.parquet.parts", time.monotonic() + 60
    while not any(parts.glob("*-*.parquet")) and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "the same command resumes" in out and "Traceback" not in errors, errors
    some = pq.read_table(tmp_path / "out.parquet")
    assert 0 < len(some) < 4000 and len(set(some["row"].to_pylist())) == len(some)


def test_what_is_done_is_kept_when_the_workers_are_gone(capsys, tmp_path: Path, monkeypatch) -> None:
    command = trap(tmp_path, 40)
    run(capsys, *command[:-1], str(tmp_path / "whole.parquet"), "--batch", "4")
    with monkeypatch.context() as patch:

        def gone(client: Any, key: str, source: Any, plan: Plan, pieces: Any, finished: Any) -> None:
            drive(client, key, source, plan, iter([next(pieces)]), finished)
            raise Stopped("all workers are gone")

        patch.setattr(job, "drive", gone)
        assert main([*command, "--batch", "4"]) == 1
    captured = capsys.readouterr()
    assert "of 40 rows; the same command resumes" in captured.out and "all workers are gone" in captured.err
    assert not json.loads(pq.read_schema(tmp_path / "out.parquet").metadata[b"pytorch_legacy"])["complete"]
    run(capsys, *command, "--batch", "4")
    assert pq.read_table(tmp_path / "out.parquet").equals(pq.read_table(tmp_path / "whole.parquet"))


OWN = """if __name__ == "__main__":
    import numpy as np
    import dask.array as da
    import pytorch_legacy as pl

    pl.extension.new_layer("SoftCut", "pointwise", ".")
    from SoftCut import SoftCut

    net, x = pl.nn.Sequential(pl.nn.Linear(3, 4), SoftCut(2)), np.random.default_rng(0).normal(size=(300, 3)).astype("f")
    pl.save("net.t7", net)
    np.save("x.npy", x)
    np.save("y.npy", net.evaluate().forward(x))
    rows = pl.distributed.map(net, da.from_array(x, chunks=(100, 3)))
    np.save("mapped.npy", rows.compute(scheduler="processes"))
    text = open("SoftCut.c").read()
    open("SoftCut.c", "w").write(text.replace("y[i] = ", "y[i] = 10 * "))
    try:
        rows.compute(scheduler="processes")
    except pl.THNNError as error:
        print(error)
    open("SoftCut.c", "w").write(text)
"""


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")
def test_a_layer_in_C_from_outside_of_the_package(tmp_path: Path) -> None:
    """Its program runs in worker processes, which load the file of its class; another version there is an error."""
    (tmp_path / "own.py").write_text(OWN)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def python(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert python("own.py").startswith("program: it calls another version of SoftCut_updateOutput than ")
    expected = np.load(tmp_path / "y.npy")
    np.testing.assert_allclose(np.load(tmp_path / "mapped.npy"), expected, rtol=1e-5, atol=1e-6)
    options = ["--classes", "SoftCut.py", "-o", "out.parquet", "--vector", "--processes", "2"]
    out = python("-m", "pytorch_legacy", "run-many", "net.t7", "x.npy", *options)
    assert "300 rows" in out and "note: " not in out
    np.testing.assert_allclose(pq.read_table(tmp_path / "out.parquet")["vector"].to_pylist(), expected, rtol=1e-5, atol=1e-6)


# ---------------------------------------------------------------------------------------------- memory

MEASURED = """
import sys
from pathlib import Path
from pytorch_legacy.cli import main
status = main(sys.argv[1:])
print("VmHWM", next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")))
sys.exit(status)
"""


def peak(tmp_path: Path, rows: int, memory: str) -> int:
    """Bytes that a process takes at most which runs a network over an array of so many rows of 256 KiB."""
    np.lib.format.open_memmap(tmp_path / f"{rows}.npy", "w+", np.float32, (rows, 1, 256, 256)).flush()  # zeros take no disk
    command = ["run-many", str(tmp_path / "net.t7"), str(tmp_path / f"{rows}.npy"), "-o", str(tmp_path / f"{rows}.parquet")]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command, "--memory", memory, "--threads", "2"],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert pq.read_metadata(tmp_path / f"{rows}.parquet").num_rows == rows
    return int(done.stdout.split()[-1]) << 10


def test_memory_of_threads_is_bounded(tmp_path: Path) -> None:
    """An array ten times the limit: the process grows by less than the limit beyond what it takes for a few rows."""
    pl.save(tmp_path / "net.t7", nn.Sequential(nn.SpatialAveragePooling(8, 8, 8, 8), nn.View(1024)))
    few, many = peak(tmp_path, 64, "128MiB"), peak(tmp_path, 5120, "128MiB")
    assert many - few < 128 * MIB, f"{(many - few) / MIB:.0f} MiB"


def test_memory_of_workers_is_bounded(capsys, tmp_path: Path) -> None:
    """Workers that would be killed at a tenth of the array are not, and do it all."""
    limit, rows = 320 * MIB, 12800
    np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float32, (rows, 1, 256, 256)).flush()
    assert (tmp_path / "x.npy").stat().st_size >= 10 * limit
    pl.save(tmp_path / "net.t7", nn.Sequential(nn.SpatialAveragePooling(256, 256), nn.View(1)))
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", memory_limit=limit, silence_logs=50
    ) as cluster:
        pids = [nanny.pid for nanny in cluster.workers.values()]
        command = ["run-many", str(tmp_path / "net.t7"), str(tmp_path / "x.npy"), "-o", str(tmp_path / "out.parquet")]
        assert f"wrote {command[-1]}: {rows:,} rows\n" in run(capsys, *command, "--scheduler", cluster.scheduler_address)
        assert pids == [nanny.pid for nanny in cluster.workers.values()]  # none was killed
        for pid in pids:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            assert next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")) < limit


# ---------------------------------------------------------------------------------------------- map


@pytest.mark.parametrize("given", [False, True], ids=["network in the tasks", "network at the client's"])
def test_map_survives_killed_workers(cluster, given: bool) -> None:
    """All of them, one after the other: the network is not lost with them."""
    net = nn.Sequential(Trap(0.1), nn.Linear(3, 4)).evaluate()
    x = np.random.default_rng(0).normal(size=(10 * 64, 3)).astype(np.float32)
    expected = net.forward(x).copy()
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        rows = pl.distributed.map(net, da.from_array(x, chunks=(64, 3)), client=client if given else None)
        items = pl.distributed.map(net, db.from_sequence(list(x), npartitions=10), client=client if given else None)
        first = client.compute(rows[:64]).result()
        np.testing.assert_allclose(first, expected[:64], rtol=1e-6, atol=1e-6)
        killed = [nanny.pid for nanny in cluster.workers.values()]
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        found = client.compute(rows)
        time.sleep(0.5)
        np.testing.assert_allclose(found.result(timeout=120), expected, rtol=1e-6, atol=1e-6)
        assert not set(killed) & {nanny.pid for nanny in cluster.workers.values()}
        killer = killing(cluster, lambda: any(client.processing().values()))
        found = client.compute(items)
        np.testing.assert_allclose(found.result(timeout=120), expected, rtol=1e-6, atol=1e-6)
        killer.join()


# ---------------------------------------------------------------------------------------------- who is to blame


class Fake:
    """A client whose pieces run when they are waited for. One with a fatal row takes all with it that run at that time."""

    def __init__(self, fatal: set[int]) -> None:
        self.fatal, self.running, self.done = fatal, [], []

    def nthreads(self) -> dict[str, int]:
        return {"a worker": 3}

    def submit(self, function: Any, run: str, source: Files, start: int, *, key: str, pure: bool) -> Any:
        future = Piece(self, key, start, start + len(source))
        self.running.append(future)
        return future


class Piece:
    def __init__(self, client: Fake, key: str, start: int, stop: int) -> None:
        self.client, self.key, self.start, self.stop, self.error = client, key, start, stop, None

    def add_done_callback(self, call: Any) -> None:
        threading.Timer(0.005, call, [self]).start()

    def result(self) -> Any:
        rows = [row for piece in self.client.running for row in range(piece.start, piece.stop)]
        if self.client.fatal & set(rows):
            for piece in self.client.running:
                piece.error = KilledWorker(self.key, None, 3)  # type: ignore[arg-type]
        self.client.running.remove(self)
        if self.error:
            raise self.error
        self.client.done.append((self.start, self.stop))
        return None, {}


def test_only_the_row_that_ends_workers_is_to_blame() -> None:
    count, fatal = 100, {3, 4, 50, 99}
    plan = Plan(Preprocessing(), Form("array", None, "float32"), "batch", 4, 4, "float32")
    source = Files(tuple(map(str, range(count))), tuple(map(str, range(count))))
    got: list[tuple[int, int, Any]] = []
    client = Fake(fatal)
    drive(client, "key", source, plan, spans([(0, count)], 12, 4), lambda *piece: got.append(piece[:3]))  # type: ignore[arg-type]
    assert sorted(row for start, stop, _ in got for row in range(start, stop)) == list(range(count))
    assert {start for start, _, table in got if table is not None} == fatal
    alone = [piece for piece in client.done if piece[0] % 4 or (piece[1] - piece[0]) % 4]
    assert all(fatal & set(range(start // 4 * 4, start // 4 * 4 + 4)) for start, _ in alone)  # batches stay whole elsewhere


def test_a_scheduler_that_is_gone() -> None:
    plan = Plan(Preprocessing(), Form("array", None, "float32"), "batch", 4, 4, "float32")
    client = Fake(set())

    def cancelled(self: Piece) -> Any:
        raise OSError("connection reset")

    for status, kind in (("cancelled", Stopped), ("error", OSError)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Piece, "result", cancelled)
            patch.setattr(Piece, "status", status, raising=False)
            with pytest.raises(kind):
                drive(client, "key", Files(("a",), ("a",)), plan, iter([(0, 1)]), lambda *piece: None)  # type: ignore[arg-type]


def test_pieces_grow_with_the_workers(tmp_path: Path) -> None:
    """One process writes them all: its pieces a second are bounded."""
    np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float32, (100_000_000, 3)).flush()
    source = opened([str(tmp_path / "x.npy")], None, tmp_path, ())
    options = argparse.Namespace(batch=None, vector=False)
    net = nn.Sequential(Trap(0.01), nn.Linear(3, 2)).evaluate()
    sizes = Capacity(1, 1 << 30), Capacity(4000, 1 << 30)
    few, many = (made(net, None, Preprocessing(), source, options, None, capacity).span for capacity in sizes)
    assert few == 64 and many >= 5 * few


def test_pieces_begin_where_batches_do() -> None:
    """Also behind what an interrupted run has left, so that batches have the same rows as in one that was not."""
    assert list(spans([(0, 30)], 12, 4)) == [(0, 12), (12, 24), (24, 30)]
    assert list(spans([(2, 30), (33, 35), (36, 38)], 8, 4)) == [
        (2, 4), (4, 12), (12, 20), (20, 28), (28, 30), (33, 35), (36, 38)
    ]  # fmt: skip
