"""Programs in hosts without Python, beside Python's program: thnn-run, which reads a .thnn file, and the C that `pl.to_c` writes.

python -m benchmarks.hosts                 all networks, one sample
python -m benchmarks.hosts digits --rounds 9 --threads 2
python -m benchmarks.hosts --training      steps of training in C, of the networks of benchmarks.steps

The first column has the microseconds of a call of Python's program, a median as that of the hosts. A host has its time as a share
of that, the median of all rounds in which they took turns, the MiB that were resident while its process ran, and the most of
them. The outputs, or the gradients of the first step, have the same bits, or the line ends in "differs". The parameters move
between steps, which does not count.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.backend import library_path

from . import steps
from .measure import Job, ratios, seconds
from .nets import NETS

THNN_RUN = Path(pl.__file__).parent / "lib" / "thnn-run"
HOST = """\
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <THNN.h>
#include "net.h"

static int check(int32_t status)
{
  if (status != THNN_OK) exit((puts(THNN_lastError()), 1));
  return 0;
}

static double now(void)
{
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int byValue(const void *one, const void *other)
{
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

static void transfer(const char *name, const char *mode, void *data, size_t size, size_t count)
{
  FILE *file = fopen(name, mode);
  const size_t done = !file ? 0 : *mode == 'r' ? fread(data, size, count, file) : fwrite(data, size, count, file);
  if (done != count || fclose(file) != 0) exit((puts(name), 1));
}

int main(int argc, char **argv)
{
  if (argc != 2) return 1;
  const int times = atoi(argv[1]);
  double *took = calloc((size_t)times, sizeof *took);
  struct net *net;
  OPEN
  for (int i = 0; i < times; i++) {
    const double start = now();
    RUN
    took[i] = now() - start;
    AFTER
  }
  qsort(took, (size_t)times, sizeof *took, byValue);
  printf("%.9f\\n", took[times / 2]);
  CLOSE
  return 0;
}
"""
RUNNING = {
    "OPEN": """\
float *input = calloc(NET_INPUT(1), sizeof *input);
  float *output = calloc(NET_OUTPUT(1), sizeof *output);
  transfer("x.bin", "rb", input, sizeof *input, NET_INPUT(1));
  check(net_open(&net, "net.bin", 1));""",
    "RUN": "check(net_run(net, 1, input, output));",
    "AFTER": "",
    "CLOSE": 'transfer("y.bin", "wb", output, sizeof *output, NET_OUTPUT(1));',
}
TRAINING = {
    "OPEN": """\
INPUT *input = calloc(NET_INPUT, sizeof *input);
  int64_t *target = calloc(NET_TARGET, sizeof *target);
  double loss;
  transfer("x.bin", "rb", input, sizeof *input, NET_INPUT);
  transfer("t.bin", "rb", target, sizeof *target, NET_TARGET);
  check(net_open(&net, "net.bin"));
  check(THNN_manualSeed(NULL, 1));
  check(net_step(net, input, target, &loss));
  transfer("y.bin", "wb", net_gradients(net), sizeof(float), NET_PARAMETERS);""",
    "RUN": "check(net_step(net, input, target, &loss));",
    "AFTER": "for (int p = 0; p < NET_PARAMETERS; p++) net_parameters(net)[p] -= 1e-3f * net_gradients(net)[p];",
    "CLOSE": "",
}


def usual_seconds(job: Job, calls: int, after: Job = lambda: None) -> float:
    """Returns the median of the seconds of some calls. `after` runs after each of them, and does not count."""
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
        after()
    return median(times)


def compile_host(where: Path, words: dict[str, str], type: str = "float") -> None:
    """Compiles a host of net.c in a folder. `type` is that of its input."""
    (where / "host.c").write_text(re.sub("OPEN|RUN|AFTER|CLOSE", lambda found: words[found[0]], HOST))
    options = ["-std=c11", "-O2", f"-DINPUT={type}", f"-I{library_path.parent}"]
    linked = [library_path, f"-Wl,-rpath,{library_path.parent}", "-lm"]
    subprocess.run(["gcc", *options, "host.c", "net.c", "-o", "host", *linked], cwd=where, check=True)


def run(command: list[Any], where: Path, threads: int) -> tuple[str, float, float]:
    """Returns the output of a process, the median of its resident memory while it ran, and the largest, in MiB."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    process = subprocess.Popen(command, cwd=where, env=environment, stdout=subprocess.PIPE, text=True)
    seen, most = [0.0], 0.0
    while process.poll() is None:
        with suppress(OSError):
            found = dict(re.findall(r"(VmRSS|VmHWM):\s*(\d+) kB", Path(f"/proc/{process.pid}/status").read_text()))
            if found:  # a process that ends has no such lines
                seen.append(int(found["VmRSS"]) / 1024)
                most = int(found["VmHWM"]) / 1024
        time.sleep(0.002)
    said = process.communicate()[0]
    if process.returncode:
        raise SystemExit(f"{command[0]}: {said}")
    return said, median(seen), most


class Hosts:
    """The hosts of a network, which run in the folder `where`."""

    def __init__(self, name: str, where: Path, threads: int) -> None:
        make, given = NETS[name]
        pl.manualSeed(1)
        net, self.where, self.threads = make().evaluate(), where, threads
        self.x = given(1)
        example = (None, *self.x.shape[1:]) if self.x.dtype.kind == "f" else self.x
        self.program = pl.compile(net, example)
        self.output = self.program(self.x)
        self.program.save(where / "net.thnn")
        np.save(where / "x.npy", self.x)
        self.x.tofile(where / "x.bin")
        self.hasC = self._compiled(net, example)

    def _compiled(self, net: Any, example: Any) -> bool:
        """Compiles a host in C. Returns False for a network that takes no batch of floats."""
        if self.x.dtype != np.float32 or not isinstance(self.output, np.ndarray):
            return False
        pl.to_c(net, self.where / "net.c", example)
        compile_host(self.where, RUNNING)
        return True

    def python(self, times: int) -> float:
        return usual_seconds(lambda: self.program(self.x), times)

    def thnn_run(self, times: int) -> tuple[float, float, float]:
        command = [THNN_RUN, "net.thnn", "x.npy", "-o", "y.npy", "--time", str(times), "--threads", str(self.threads)]
        said, *sizes = run(command, self.where, self.threads)
        found = re.search(r"out, ([\d.e+-]+) ms", said)
        assert found is not None, said
        return float(found[1]) / 1e3, *sizes

    def c(self, times: int) -> tuple[float, float, float]:
        said, *sizes = run(["./host", str(times)], self.where, self.threads)
        return float(said), *sizes

    def areSame(self) -> bool:
        """Returns whether the outputs that the hosts have written have the bits of Python's."""
        outputs = [np.load(self.where / "y.npy")]
        outputs += [np.fromfile(self.where / "y.bin", self.output.dtype)] if self.hasC else []
        return all(one.tobytes() == self.output.tobytes() for one in outputs)


def line(name: str, rounds: int, threads: int) -> str:
    """Returns the line of one network."""
    with tempfile.TemporaryDirectory() as folder:
        hosts = Hosts(name, Path(folder), threads)
        times = max(3, min(1000, int(0.3 / hosts.python(3))))
        python, run, c = [], [], []
        for _ in range(rounds):
            python.append(hosts.python(times))
            run.append(hosts.thnn_run(times))
            if hosts.hasC:
                c.append(hosts.c(times))
        base = median(python)
        columns = [f"{1e6 * base:10.1f}"]
        for found in (run, c):
            if not found:
                columns.append(" " * 23)
                continue
            ratio = median(took / own for (took, *_), own in zip(found, python, strict=True))
            columns.append(f"{ratio:9.2f} {median(size for _, size, _ in found):6.0f} {max(most for *_, most in found):6.0f}")
        return f"{name:22} {' '.join(columns)}{'' if hosts.areSame() else '  differs'}"


def step_line(name: str, batch: int, rounds: int, threads: int) -> str:
    """Returns the line of a training step."""
    make, given, classes, _ = steps.NETS[name]
    pl.manualSeed(2)
    x = given(batch)
    net, labels = steps.with_labels(make(), x, classes)
    criterion = nn.CrossEntropyCriterion()
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        pl.to_c(net, where / "net.c", (x, labels), criterion=criterion)
        x.tofile(where / "x.bin")
        labels.tofile(where / "t.bin")
        compile_host(where, TRAINING, "float" if x.dtype == np.float32 else "int64_t")
        step = pl.compile(net, (x, labels), criterion=criterion)
        pl.manualSeed(1)
        step(x, labels)
        gradients = step.gradParameters.copy()
        times = max(3, min(1000, int(0.3 / seconds(lambda: step(x, labels), 3))))
        python, c = [], []

        def move() -> None:
            """Moves the parameters, so that no step finds packed weights of the one before."""
            step.parameters[...] -= np.float32(steps.RATE) * step.gradParameters

        for _ in range(rounds):
            python.append(usual_seconds(lambda: step(x, labels), times, move))
            c.append(float(run(["./host", str(times)], where, threads)[0]))
        isSame = gradients.tobytes() == (where / "y.bin").read_bytes()
    return f"{name:25} {batch:5} {1e6 * median(python):10.1f} {ratios(c, python):9.2f}{'' if isSame else '  differs'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="networks whose name holds one of these")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--training", action="store_true", help="steps of training")
    options = parser.parse_args()
    pl.setNumThreads(options.threads)
    if options.training:
        print(f"{'':25} batch {'Python, us':>10} {'net.c':>9}")
        for name, (_, _, _, batches) in steps.NETS.items():
            if not options.words or any(word in name for word in options.words):
                for batch in batches:
                    print(step_line(name, batch, options.rounds, options.threads), flush=True)
        return
    print(f"{'':22} {'Python, us':>10} {'thnn-run':>9} {'MiB':>6} {'peak':>6} {'net.c':>9} {'MiB':>6} {'peak':>6}")
    for name in NETS:
        if not options.words or any(word in name for word in options.words):
            print(line(name, options.rounds, options.threads), flush=True)


if __name__ == "__main__":
    main()
