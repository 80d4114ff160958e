"""Many Python threads, forked children, and states: results stay right and nothing hangs."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend, errors, nn
from tests.trees import Array, assert_same

ffi, lib = backend.ffi, backend.lib

MAKERS: dict[str, Callable[[], nn.Module]] = {
    "SpatialAdaptiveAveragePooling": lambda: nn.SpatialAdaptiveAveragePooling(5, 4),
    "SpatialMaxPooling": lambda: nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1),
    "SpatialConvolution": lambda: nn.SpatialConvolution(4, 5, 3, 3, 1, 1, 1, 1),
    "Tanh": nn.Tanh,
    "LogSoftMax": nn.LogSoftMax,
}


def passes(module: nn.Module, input: Array) -> list[Array]:
    output = module.forward(input)
    gradInput = module.backward(input, np.ones_like(output))
    return [output.copy(), gradInput.copy()]


def inputs(count: int) -> list[Array]:
    rng = np.random.default_rng(4)
    return [rng.standard_normal((1 + i % 3, 4, 40, 41)).astype("f") for i in range(count)]


@pytest.mark.parametrize("name", MAKERS)
def test_one_module_for_each_thread(name: str) -> None:
    """Large and small inputs, forward and backward, all at once."""
    modules = [MAKERS[name]() for _ in range(8)]
    work = [(module, input) for module, input in zip(modules, inputs(8), strict=True)]
    expected = [passes(*row) for row in work]

    def repeated(row: tuple[nn.Module, Array]) -> list[Any]:
        return [passes(*row) for _ in range(10)]

    with ThreadPoolExecutor(8) as pool:
        for results, right in zip(pool.map(repeated, work), expected, strict=True):
            for result in results:
                assert_same(result, right)


@pytest.mark.parametrize("name", MAKERS)
def test_one_module_for_all_threads(name: str) -> None:
    """Threads that run one module on one input write the same numbers to the same place."""
    module, (input,) = MAKERS[name](), inputs(1)
    expected = module.forward(input).copy()

    def forward(_: int) -> int:
        for _ in range(10):
            module.forward(input)
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(forward, range(8))) == 8
    assert_same(module.output, expected)


def test_errors_in_many_threads() -> None:
    """Each thread gets the text of its own error."""

    def fail(width: int) -> str:
        for _ in range(50):
            with pytest.raises(errors.ShapeError) as caught:
                nn.SpatialAdaptiveAveragePooling(1, 1).forward(np.zeros((2, width), "f"))
        return str(caught.value)

    with ThreadPoolExecutor(8) as pool:
        for width, text in enumerate(pool.map(fail, range(40))):
            assert f"got 2-D (2 x {width})" in text


# ---------------------------------------------------------------------------------------------- fork

FORK = """
    import os, signal, sys, threading
    import numpy as np
    from pytorch_legacy import backend, nn

    signal.alarm(60)  # a hang ends here
    backend.set_num_threads(3)
    net = nn.Sequential().add(nn.SpatialConvolution(4, 5, 3, 3)).add(nn.SpatialMaxPooling(2, 2)).add(nn.Tanh())
    x = np.random.default_rng(0).standard_normal((8, 4, 64, 64)).astype("f")

    def passes():
        output = net.forward(x)
        return output.tobytes() + net.backward(x, np.ones_like(output)).tobytes()

    expected = passes()
    for generation in range(3):
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            same = [passes() == expected for _ in range(3)]
            if generation == 2:  # a child of the child
                if os.fork() == 0:
                    os._exit(0 if passes() == expected else 3)
                same.append(os.wait()[1] == 0)
            os._exit(0 if all(same) and backend.get_num_threads() == 1 else 4)
        assert os.waitpid(child, 0)[1] == 0, "the child failed or hung"
        assert passes() == expected, "the parent is not what it was"
    assert backend.get_num_threads() == 3
    print("done")
"""


FORK_WITHIN = """
    import os, signal, threading
    import numpy as np
    from pytorch_legacy import backend, nn

    signal.alarm(100)
    backend.set_num_threads(1)
    x = np.random.default_rng(0).standard_normal((64, 64)).astype("f")
    nets = [nn.Linear(64, 64) for _ in range(4)]
    expected, over = nets[0].forward(x).tobytes(), threading.Event()

    def products(net):
        while not over.is_set():
            net.forward(x)

    threads = [threading.Thread(target=products, args=(net,)) for net in nets[1:]]
    for thread in threads:
        thread.start()
    for _ in range(300):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(0 if nets[0].forward(x).tobytes() == expected else 3)
        assert os.waitpid(child, 0)[1] == 0, "the child failed or hung"
    over.set()
    for thread in threads:
        thread.join()
    print("done")
"""

# OpenBLAS has memory for 128 callers, and breaks at one more.
CROWD = """
    import threading
    import numpy as np
    from pytorch_legacy import backend, nn

    backend.set_num_threads(1)
    x = np.random.default_rng(0).standard_normal((40, 300)).astype("f")
    net = nn.Linear(300, 200)
    expected = net.forward(x).tobytes()
    nets, ready, bad = [net.clone() for _ in range(200)], threading.Barrier(200), []

    def products(net):
        ready.wait()
        bad.extend(1 for _ in range(5) if net.forward(x).tobytes() != expected)

    threads = [threading.Thread(target=products, args=(net,)) for net in nets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("wrong" if bad else "done")
"""

NO_THREADS = """
    import resource
    import numpy as np
    from pytorch_legacy import backend, nn

    x = np.linspace(-3, 3, 1 << 21, dtype="f")
    backend.set_num_threads(1)
    expected = nn.Tanh().forward(x).copy()
    taken = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize"))
    resource.setrlimit(resource.RLIMIT_AS, (taken + (100 << 20),) * 2)  # 8 MB a thread
    backend.set_num_threads(64)
    layer = nn.Tanh()
    layer.output = np.empty_like(x)
    print("done" if (layer.forward(x) == expected).all() else "wrong")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc, or forks")
@pytest.mark.parametrize("code", [FORK, FORK_WITHIN, CROWD, NO_THREADS], ids=["fork", "fork_within", "crowd", "no_threads"])
def test_what_a_host_may_do(code: str) -> None:
    """A child that is forked after the parent has run threads, or while it does, computes the same, alone, and waits for
    nobody; any number of threads may call; where the system has no more threads, fewer do the work. Nothing is printed."""
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=150)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


# ---------------------------------------------------------------------------------------------- states


def state() -> Any:
    place = ffi.new("THNNState **")
    assert lib.THNN_newState(place) == 0
    assert place[0] != ffi.NULL
    return place[0]


def threads_of(state: Any) -> int:
    threads = ffi.new("int32_t *")
    assert lib.THNN_getNumThreads(state, threads) == 0
    return int(threads[0])


def tensor(array: Array) -> Any:
    view = ffi.new("THDoubleTensor *")
    view.data = ffi.cast("double *", array.ctypes.data)
    view.nDimension = array.ndim
    for d in range(array.ndim):
        view.size[d], view.stride[d] = array.shape[d], array.strides[d] // 8
    return view


def test_states_keep_their_thread_counts() -> None:
    before = backend.get_num_threads()
    one, other = state(), state()
    assert threads_of(one) == threads_of(other)
    assert lib.THNN_setNumThreads(one, 3) == 0
    assert lib.THNN_setNumThreads(other, 5) == 0
    assert (threads_of(one), threads_of(other), backend.get_num_threads()) == (3, 5, before)
    assert lib.THNN_setNumThreads(one, 0) == 0
    assert threads_of(one) > 0
    assert lib.THNN_freeState(one) == lib.THNN_freeState(other) == 0


def test_states_at_work() -> None:
    """A state of one's own, one for all threads, and none: the same results, before and after scratch is freed."""
    rng = np.random.default_rng(6)
    x = rng.standard_normal((6, 40, 40)).transpose(0, 2, 1)  # strided, so that scratch memory is needed
    module = nn.SpatialAdaptiveAveragePooling(7, 9).double()
    expected = module.forward(x).copy()
    shared = state()

    def forward(mine: Any) -> bool:
        right = True
        for turn in range(20):
            output = np.full((6, 9, 7), np.nan)
            status = lib.THNN_DoubleSpatialAdaptiveAveragePooling_updateOutput(mine, tensor(x), tensor(output), 7, 9)
            right &= status == 0 and np.array_equal(output, expected)
            if turn % 5 == 4:
                right &= lib.THNN_freeScratch(mine) == 0
        return right

    own = [state() for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(forward, [*own, *[shared] * 20, *[ffi.NULL] * 4]))
    for one in [*own, shared]:
        assert lib.THNN_freeState(one) == 0


def test_freeing_nothing() -> None:
    assert lib.THNN_freeState(ffi.NULL) == 0
    assert lib.THNN_freeScratch(ffi.NULL) == 0
