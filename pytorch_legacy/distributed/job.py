"""``pytorch-legacy run-many NET.t7 INPUTS -o RESULTS.parquet``: a run that can be stopped, killed and resumed."""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import logging
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

from pytorch_legacy import backend
from pytorch_legacy.files.writing import whole
from pytorch_legacy.inference.output import say
from pytorch_legacy.inference.preprocessing import Preprocessing
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.inference.progress import Progress, busy
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.version import __version__

try:
    import dask
    import psutil
    from distributed import Client, LocalCluster
    from distributed.system import MEMORY_LIMIT

    from . import plan, sources
    from .drive import Stopped, drive, spans
    from .results import Parts
    from .sent import compiled
    from .work import Deliver
except ImportError as error:
    raise Problem(f'many inputs need Dask ({error}); run: pip install "pytorch-legacy[dask]"') from None


_MAX_TOLD = 5  # damaged parts that are named one by one


def run(net: Module, value: Any, preprocessing: Preprocessing, options: argparse.Namespace) -> None:
    """Runs `net`, of the file with the content `value`, as the options say; goes on with what another run left."""
    target = Path(options.output)
    folder = target.with_name(f"{target.name}.parts")
    pictures = target.with_suffix("")
    with _locked(folder), _interruptible():
        source = sources.opened(options.inputs, options.key, folder, (folder, pictures))
        _refuse_useless(options, source)
        job = Job(net, value, preprocessing, options, source, folder, pictures)
        try:
            job.run()
        except (KeyboardInterrupt, Stopped):
            done = job.join(complete=False)
            if done:
                say(f"stopped: {options.output} has {done:,} of {len(source):,} rows; the same command resumes")
            raise
        say(f"wrote {options.output}: {job.join(complete=True):,} rows{job.errors()}")
        shutil.rmtree(folder)


def _refuse_useless(options: argparse.Namespace, source: sources.Source) -> None:
    """Refuses options for pictures, or for bytes, if no input is one."""
    given = {name for name in ("size", "crop", "gray", "bgr", "scale", "preset") if getattr(options, name) is not None}
    isArray = isinstance(source, sources.Rows) or all(name.lower().endswith(".npy") for name in source.names)
    isFloat = isinstance(source, sources.Rows) and source.dtype != "uint8" and options.mean is None and options.std is None
    if isArray and (useless := given - {"scale", "preset"}):
        raise Problem(f"--{min(useless)}: {options.inputs[0]}: an array keeps its size and the order of its channels")
    if isFloat and given:
        raise Problem(f"--{min(given)}: {options.inputs[0]}: only --mean and --std change an array that is not of bytes")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """The folder of parts, which is one run's; it goes if nothing came of it."""
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Problem(f"{folder}: another run is writing there") from None
        try:
            yield
        except BaseException:
            if not Parts(folder).done():
                shutil.rmtree(folder)
            raise


@contextmanager
def _interruptible() -> Iterator[None]:
    """A batch system that ends the run is heard like Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Job:
    """A run over a source, from its plan to its file."""

    def __init__(
        self, net: Module, value: Any, preprocessing: Preprocessing, options: argparse.Namespace, source: sources.Source,
        folder: Path, pictures: Path,
    ) -> None:  # fmt: skip
        self._net, self._value, self._preprocessing, self._options = net, value, preprocessing, options
        self._source = source
        self._parts, self._pictures = Parts(folder), pictures
        self._note = folder / "job.json"
        self._plan: plan.Plan | None = None
        self._program: Any = None

    def run(self) -> None:
        """Computes what is missing."""
        same = self._same()
        self._plan = self._stored(same)
        if self._plan is not None:
            with busy("checking what is done"):
                removed = self._parts.check(self._plan.form, self._pictures)
            for text in removed[:_MAX_TOLD]:
                say(f"computed again, as it is damaged: {text}")
            if len(removed) > _MAX_TOLD:
                say(f"computed again: {len(removed) - _MAX_TOLD:,} more damaged parts")
        missing = self._parts.missing(len(self._source))
        left = sum(stop - start for start, stop in missing)
        if not left:
            return
        threads = backend.get_num_threads()
        try:
            with _client(self._options) as client:
                with busy("looking at the first inputs"):
                    capacity = _capacity(client, self._options)
                    made = plan.made(
                        self._net, self._value, self._preprocessing, self._source, self._options, self._plan, capacity
                    )  # fmt: skip
                if self._plan is None:
                    self._plan = made.plan
                    with whole(self._note) as file:
                        file.write(json.dumps({"same": same, "plan": made.plan.to_json()}).encode())
                for line in made.notes:
                    say(line)
                if self._options.compile is not False and made.plan.way != "bare":
                    with busy("compiling the network"):
                        self._program, note = compiled(self._net, made.shape, len(self._source))
                    if note:
                        say(f"note: {note}")
                if left < len(self._source):
                    say(f"going on: {len(self._source) - left:,} rows are done")
                self._compute(client, made, missing)
        finally:
            backend.set_num_threads(threads)

    def _compute(self, client: Client, made: plan.Made, missing: list[tuple[int, int]]) -> None:
        left = sum(stop - start for start, stop in missing)
        progress = Progress(len(self._source), len(self._source) - left)
        key, errors = f"pytorch-legacy-{uuid4().hex}", 0

        def finished(start: int, stop: int, table: Any, files: dict[str, bytes]) -> None:
            nonlocal errors
            for name, content in files.items():
                self._pictures.mkdir(exist_ok=True)
                with whole(self._pictures / name) as file:
                    file.write(content)
            self._parts.write(start, stop, table)
            errors += len(table) - table["error"].null_count
            progress.add(stop - start, errors)

        client.register_plugin(Deliver(key, self._net, self._program, made.plan, self._pictures.name), name=key)
        try:
            drive(client, key, self._source, made.plan, spans(missing, made.span, made.plan.unit), finished)
        finally:
            progress.end()
            if self._options.scheduler:
                with suppress(OSError):  # it may be what ended the run
                    client.unregister_worker_plugin(key)

    def join(self, complete: bool) -> int:
        """Writes the file of all rows that are done; returns how many there are."""
        done = sum(stop - start for start, stop in self._parts.done())
        if done and self._plan is not None:
            described = {
                "pytorch_legacy": __version__,
                **self._same(),
                "preprocessing": asdict(self._plan.preprocessing),
                "batch": self._plan.batch,
                "rows": len(self._source),
                "done": done,
                "complete": complete,
            }
            self._parts.join(self._options.output, self._plan.form, described)
        return done

    def errors(self) -> str:
        """Returns a text with the number of rows that have an error, and the first one."""
        count, first = self._parts.errors()
        return f"; {count:,} with an error, the first: {first}" if count else ""

    def _same(self) -> dict[str, Any]:
        """Returns the settings that a resumed run must share with the earlier one."""
        options = self._options
        with open(options.file, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {
            "network": os.path.abspath(options.file),
            "sha256": digest,
            "model": options.model,
            "inputs": self._source.fingerprint(),
            "asked": json.loads(json.dumps(asdict(self._preprocessing))),
            "options": {name: getattr(options, name) for name in ("compile", "double", "optimize", "vector")},
        }

    def _stored(self, same: dict[str, Any]) -> plan.Plan | None:
        """The plan of the run that this one goes on with."""
        remedy = "remove the folder to begin anew, or choose another -o"
        if not self._note.exists():
            if self._parts.done():
                raise Problem(f"{self._note.parent}: holds parts of a run, but not its {self._note.name}; {remedy}")
            return None
        try:
            stored = json.loads(self._note.read_bytes())
            found = plan.Plan.from_json(stored["plan"])
            known = {name: stored["same"].get(name) for name in same}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Problem(f"{self._note}: is damaged ({type(error).__name__}: {error}); {remedy}") from None
        other = [name for name in same if known[name] != same[name]]
        if self._options.batch and found.batch != self._options.batch:
            other.append("batch")
        if other:
            raise Problem(f"{self._note.parent}: holds a part of a run with another {' and '.join(other)}; {remedy}")
        return found


def _threads(options: argparse.Namespace) -> int:
    """Returns the number of threads of this machine that compute, in all."""
    return max(options.threads or os.cpu_count() or 1, options.processes or 1)


def _capacity(client: Client, options: argparse.Namespace) -> plan.Capacity:
    """Returns the available threads and memory.

    A thread's memory does not depend on their number, up to one for each processor.
    """
    if options.scheduler:
        workers = list(client.scheduler_info(n_workers=-1)["workers"].values())
        limits = ((options.memory or worker["memory_limit"] // 2 or _memory()) // worker["nthreads"] for worker in workers)
        return plan.Capacity(sum(worker["nthreads"] for worker in workers), min(limits))
    threads = _threads(options)
    return plan.Capacity(threads, (options.memory or _memory()) // max(os.cpu_count() or 1, threads))


def _memory() -> int:
    """Half of what is free on this machine."""
    return int(min(psutil.virtual_memory().available, MEMORY_LIMIT)) // 2


@contextmanager
def _client(options: argparse.Namespace) -> Iterator[Client]:
    """Opens Dask's threads in this process, its processes on this machine, or the workers of a scheduler."""
    if options.scheduler:
        with _quiet(), _connected(options.scheduler) as client:
            yield client
        return
    threads, processes = _threads(options), options.processes or 1
    with (
        # A process that ends is started again however often: a cluster gives up one that is not there when it looks.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1000 days"}),
        LocalCluster(
            n_workers=processes,
            threads_per_worker=max(1, threads // processes),
            processes=bool(options.processes),
            dashboard_address="127.0.0.1:0",  # a free port, as others may run beside this one
            memory_limit=0,
            silence_logs=50,
            scheduler_kwargs={"allowed_failures": 1},
            **({"preload": ["pytorch_legacy.distributed.work"]} if options.processes else {}),
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _connected(scheduler: str) -> Client:
    """Returns a client of a scheduler that has workers."""
    try:
        client = Client(scheduler, timeout=20)
    except (OSError, ValueError) as error:
        raise Problem(f"--scheduler {scheduler}: {error}") from None
    try:
        with busy("waiting for workers"):
            client.wait_for_workers(1, timeout=60)
    except BaseException as error:
        client.close()
        if isinstance(error, TimeoutError):
            raise Problem(f"--scheduler {scheduler}: it has no workers") from None
        raise
    return client


@contextmanager
def _quiet() -> Iterator[None]:
    """Hides Dask's log of connections and workers that end, because the run reports the consequences."""
    levels = [(handler, handler.level) for handler in logging.getLogger("distributed").handlers]
    for handler, _ in levels:
        handler.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for handler, level in levels:
            handler.setLevel(level)
