"""Many Python threads, forked children, and states: results stay right and nothing hangs."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend, errors, nn, nngraph
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
    """A thread has its numbers, or is told to make a clone; the module is none the worse."""
    module, (input,) = MAKERS[name](), inputs(1)
    expected = module.forward(input).copy()

    def forward(_: int) -> bool:
        try:
            return np.shape(module.forward(input)) == expected.shape
        except errors.BusyError as error:
            return "clone()" in str(error)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(forward, range(80)))
    assert_same(module.forward(input), expected)


@pytest.mark.parametrize("make", [nn.CAddTable, nn.Dropout], ids=["arithmetic", "draws"])
def test_a_module_for_each_thread(make: Callable[[], nn.Module]) -> None:
    """A thread's large additions and random draws do not affect other threads."""
    array = np.ones((64, 64, 64), np.float32)

    def forward(_: int) -> bool:
        layer = make()
        return all(layer.forward([array, array] if make is nn.CAddTable else array).shape == array.shape for _ in range(15))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(forward, range(8)))


class Waiting(nn.Module):
    """Stops in the middle of its pass until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self._isIn, self._mayGo = threading.Event(), threading.Event()

    def updateOutput(self, input: Array) -> Array:
        self._isIn.set()
        assert self._mayGo.wait(20)
        return input

    def updateGradInput(self, input: Array, gradOutput: Array) -> Array:
        return self.updateOutput(gradOutput)


class WaitingLoss(nn.Criterion):
    """The same, a criterion."""

    def __init__(self) -> None:
        super().__init__()
        self._isIn, self._mayGo = threading.Event(), threading.Event()

    def updateOutput(self, input: Array, target: Any) -> Any:
        return Waiting.updateOutput(self, input)  # type: ignore[arg-type]

    updateGradInput = updateOutput


Pass = Callable[[Any, Array], Any]
HOLDERS: dict[str, tuple[Any, Pass]] = {
    "forward": (lambda wait: wait, lambda thing, x: thing.forward(x)),
    "backward": (lambda wait: wait, lambda thing, x: thing.backward(x, x)),
    "backwardUpdate": (lambda wait: wait, lambda thing, x: thing.backwardUpdate(x, x, 0.1)),
    "call": (lambda wait: wait, lambda thing, x: thing(x)),
    "container": (lambda wait: nn.Sequential().add(nn.Power(2)).add(wait), lambda thing, x: thing.forward(x)),
    "container's own backward": (lambda wait: nn.ConcatTable().add(wait), lambda thing, x: thing.backward(x, [x])),
    "criterion": (lambda wait: nn.MultiCriterion().add(WaitingLoss()), lambda thing, x: thing.forward(x, x)),
    "criterion backward": (lambda wait: WaitingLoss(), lambda thing, x: thing.backward(x, x)),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_second_thread_is_told_to_clone(name: str) -> None:
    make, run = HOLDERS[name]
    thing, x = make(Waiting()), np.ones(3, "f")
    inner = thing if hasattr(thing, "_isIn") else (getattr(thing, "modules", None) or thing.criterions)[-1]
    first = threading.Thread(target=run, args=(thing, x))
    first.start()
    assert inner._isIn.wait(20)
    try:
        for other in HOLDERS.values():
            if isinstance(thing, nn.Criterion) == (other in (HOLDERS["criterion"], HOLDERS["criterion backward"])):
                with pytest.raises(errors.BusyError, match=r"another thread .* clone\(\)"):
                    other[1](thing, x)
    finally:
        inner._mayGo.set()
        first.join()
    run(thing, x)  # it is free again
    assert not thing._inPass


NETWORKS: dict[str, Callable[[Any], tuple[nn.Module, Any]]] = {
    "Sequential": lambda layer: (nn.Sequential(nn.Identity(), layer), np.ones((2, 3), "f")),
    "ConcatTable": lambda layer: (nn.ConcatTable(layer), np.ones((2, 3), "f")),
    "ParallelTable": lambda layer: (nn.ParallelTable(layer), [np.ones((2, 3), "f")]),
    "Concat": lambda layer: (nn.Concat(1, layer), np.ones((2, 3), "f")),
    "Parallel": lambda layer: (nn.Parallel(0, 0, layer), np.ones((1, 3), "f")),
    "MapTable": lambda layer: (nn.MapTable(layer), [np.ones((2, 3), "f")]),
    "Decorator": lambda layer: (nn.Decorator(layer), np.ones((2, 3), "f")),
    "gModule": lambda layer: ((lambda node: nngraph.gModule([node], [layer(node)]))(nn.Identity()()), np.ones((2, 3), "f")),
    "deep": lambda layer: (nn.Sequential(nn.ConcatTable(nn.Sequential(layer))), np.ones((2, 3), "f")),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_layers_inside_a_network_are_within_its_pass(name: str) -> None:
    """A layer in NumPy that two networks share is not entered twice either."""
    layer = Waiting()
    net, x = NETWORKS[name](layer)
    first = threading.Thread(target=net.forward, args=(x,))
    first.start()
    assert layer._isIn.wait(20)
    try:
        for make in NETWORKS.values():
            other, y = make(layer)
            with pytest.raises(errors.BusyError, match=r"Waiting: another thread .* clone\(\)"):
                other.forward(y)
    finally:
        layer._mayGo.set()
        first.join()
    net.forward(x)
    assert not any(module._inPass for module in net.listModules())


class Recursive(nn.Module):
    depth = 3

    def updateOutput(self, input: Array) -> Array:
        if self.depth == 0:
            raise KeyError("an error on the way")
        self.depth -= 1
        return self.forward(input) if self.depth else input


def test_a_pass_may_call_itself_and_end_with_an_error() -> None:
    module, x = Recursive(), np.ones(3, "f")
    assert module.forward(x) is x
    with pytest.raises(KeyError, match="on the way"):
        module.forward(x)
    with ThreadPoolExecutor(1) as pool, pytest.raises(KeyError):
        pool.submit(module.forward, x).result()  # no thread is in this module
    clone = module.clone()
    module._inPass = True  # as in a child that was forked while a thread was within
    module.depth = clone.depth = 2
    assert module.forward(x) is x is clone.forward(x)
    module.depth = 2
    assert nn.Sequential(nn.ConcatTable(module)).forward(x)[0] is x  # the module calls itself inside of a network
    with pytest.raises(KeyError, match="on the way"):
        nn.Sequential(module).forward(x)
    assert not module._inPass


class Copied(nn.SpatialConvolution):
    """Its output is copied within its pass: after that, the next thread's pass may write to the buffer."""

    def updateOutput(self, input: Array) -> Array:
        return super().updateOutput(input).copy()  # type: ignore[no-any-return]


def test_a_layer_that_two_networks_share() -> None:
    """A second thread cannot enter a C function of the same layer, because it would write the memory that the first one reads."""
    layer = Copied(8, 8, 7, 7)
    x = np.ones((8, 90, 90), "f")
    expected = layer.forward(x).copy()

    def forward(_: int) -> bool:
        try:
            return bool(np.array_equal(nn.Sequential().add(layer).forward(x), expected))
        except errors.BusyError as error:
            return "clone()" in str(error) and error.where == ["in module 1 of nn.Sequential"]

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(forward, range(40)))


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

# More callers than a library for products would have places for.
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
    layer = nn.Tanh()
    layer.output, same = np.empty_like(x), np.empty(x.shape, bool)  # the threads may take all memory that is left
    taken = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize"))
    resource.setrlimit(resource.RLIMIT_AS, (taken + (100 << 20),) * 2)  # 8 MB a thread
    backend.set_num_threads(64)
    print("done" if np.equal(layer.forward(x), expected, out=same).all() else "wrong")
"""


# A caller that stays on one processor has its worker on another one, and only the library's own threads are told where to run.
BESIDE = """
    import os
    import numpy as np
    from pytorch_legacy import backend, nn

    allowed = os.sched_getaffinity(0)
    x, layer = np.linspace(-3, 3, 1 << 20, dtype="f"), nn.Tanh()
    backend.set_num_threads(1)
    expected = layer.forward(x).copy()
    backend.set_num_threads(2)
    before = set(os.listdir("/proc/self/task"))
    for processor in sorted(allowed)[:2] * 2:
        os.sched_setaffinity(0, {processor})
        same = np.array_equal(layer.forward(x), expected)
        os.sched_setaffinity(0, allowed)
        same &= np.array_equal(layer.forward(x), expected)
        (worker,) = set(os.listdir("/proc/self/task")) - before
        places = os.sched_getaffinity(int(worker))
        assert same and len(allowed - places) == (len(allowed) > 1) and places <= allowed, (processor, places)
        assert all(os.sched_getaffinity(int(thread)) == allowed for thread in before)
    print("done")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc, or forks")
@pytest.mark.parametrize(
    "code", [FORK, FORK_WITHIN, CROWD, NO_THREADS, BESIDE], ids=["fork", "within", "crowd", "no_threads", "beside"]
)
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
