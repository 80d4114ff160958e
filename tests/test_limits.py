"""No limit on threads, their stacks or memory ends the process: fewer threads do the work, or one."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

WORK = """
    import os, resource, sys
    import numpy as np
    from pytorch_legacy import backend, nn

    x = np.linspace(-3, 3, 1 << 20, dtype="f")
    small, matrix = x[: 1 << 16].copy(), x.reshape(1024, 1024)
    tanh, linear = nn.Tanh(), nn.Linear(1024, 256)

    def passes():
        # Large, small, large: teams of different sizes follow each other.
        for input in (x, small, x, x[: 1 << 18], x):
            yield hash(tanh.forward(input).tobytes())
        yield hash(linear.forward(matrix).tobytes())

    backend.set_num_threads(1)
    expected = [*passes()]
    threads, memory, processes = map(int, sys.argv[1:])
    if memory:
        taken = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize"))
        resource.setrlimit(resource.RLIMIT_AS, (taken + (memory << 20),) * 2)
    if processes:
        os.setuid(65534)
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    backend.set_num_threads(threads)
    for _ in range(3):
        try:
            assert [*passes()] == expected
        except MemoryError:
            assert memory  # the process' own arrays find none
    print("done")
"""
LIMITS: dict[str, tuple[tuple[int, int, int], dict[str, str], str]] = {
    # threads, free memory in MB (0: any), threads of the user (0: any); environment; for the shell
    "no threads": ((8, 0, 1), {}, ""),
    "few threads": ((64, 0, 4), {}, ""),
    "little memory": ((64, 24, 0), {}, ""),
    "memory of few threads": ((1024, 60, 0), {}, ""),
    "huge stacks": ((16, 200, 0), {"OMP_STACKSIZE": "4G"}, ""),
    "tiny stacks": ((8, 0, 0), {"OMP_STACKSIZE": "64K"}, "ulimit -Ss 256"),
    "endless stacks": ((8, 100, 0), {}, "ulimit -Ss unlimited"),
    "all at once": ((300, 40, 3), {"OMP_STACKSIZE": "1G", "OMP_WAIT_POLICY": "active", "OMP_DYNAMIC": "true"}, "ulimit -Ss 512"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("name", LIMITS)
def test_no_limit_ends_the_process(name: str) -> None:
    numbers, environment, shell = LIMITS[name]
    if numbers[2] and os.getuid() != 0:
        pytest.skip("becomes another user, who has no processes yet")
    command = f'{shell or ":"} && exec "$@"'
    arguments = ["sh", "-c", command, "sh", sys.executable, "-W", "ignore", "-c", textwrap.dedent(WORK), *map(str, numbers)]
    inherited = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}  # users have its threads
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=150, env={**inherited, **environment})
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


ROW = """
    import resource
    import numpy as np
    from pytorch_legacy import backend, nn

    backend.set_num_threads(1)
    x = np.ones((1, 1, 1 << 22), "f")
    layer = nn.SpatialAdaptiveAveragePooling(5, 1)
    taken = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize"))
    resource.setrlimit(resource.RLIMIT_AS, (taken + (400 << 20),) * 2)
    assert (layer.forward(x) == 1).all()
    print("done")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_adaptive_averages_of_one_row() -> None:
    """They ask for as many rows of memory as they have: here for a few of 16 MB."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(ROW)], capture_output=True, text=True, timeout=150)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


COMPILE = """
    import resource
    import numpy as np
    import pytorch_legacy as pl
    from pytorch_legacy import nn

    net = nn.Sequential(nn.Linear(10, 1000), nn.Tanh(), nn.Linear(1000, 10)).evaluate()
    x = np.ones((300, 10), "f")
    expected = net.forward(x)
    pl.compile(nn.Linear(2, 2), (None, 2))
    taken = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize"))
    resource.setrlimit(resource.RLIMIT_AS, (taken + (100 << 20),) * 2)
    program = pl.compile(net, (None, 10))  # 65,536 samples take 500 MB
    assert abs(program(x) - expected).max() < 1e-5 and len(program._programs) == 1  # it serves all batches
    print("done")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_network_is_compiled_where_addresses_are_few() -> None:
    """A dry recording of many samples wants addresses; without them there is one of fewer samples."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(COMPILE)], capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr
