"""Settings of the whole suite."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:
    # There is a process for each core. NumPy's BLAS reads this when it is loaded, here and in the processes that tests start: its
    # threads wait for each other in loops, and take the time of other tests.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytorch_legacy as pl
from pytorch_legacy import backend
from tests.rows import run

# Their assertions then say what they compared.
pytest.register_assert_rewrite("tests.capi", "tests.trees", "tests.trial")

if sys.dont_write_bytecode:
    # Each of the many processes of a run would compile all that it imports. What is compiled lies apart from the sources then.
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(Path(__file__).resolve().parents[1] / "build" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

# A run repeats the last one: what modules draw while tests are collected, and what each test draws, follow one seed.
pl.manualSeed(1)

kernels = "fast"
# In the processes of xdist there is one for each core: their threads would be in each other's way. 0 is the default.
threads = 1 if "PYTEST_XDIST_WORKER" in os.environ else 0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--dtype", action="append", choices=["float64", "float32"], help="the case table in this precision alone")
    parser.addoption("--kernels", choices=["fast", "plain"], default="fast", help="what layers compute with: backend.set_kernels")


def pytest_configure(config: pytest.Config) -> None:
    global kernels
    kernels = config.option.kernels
    backend.set_num_threads(threads)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Uses work stealing, because some tests take seconds and most of them milliseconds."""
    if config.getoption("numprocesses", None):
        config.option.dist = "worksteal"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Turns garbage collection off while tests are collected: nothing can be freed, and it would double the time."""
    thresholds = gc.get_threshold()
    gc.set_threshold(0)  # it stays enabled: Dask asks that when it is imported, and disables it for good if it is not
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*thresholds)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Moves long tests to the front where tests run in several processes."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.get_closest_marker("long") is None)  # a stable sort


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    return run(pyfuncitem, reset)


@pytest.fixture(autouse=True)
def seeded() -> None:
    reset()


def reset() -> None:
    """Restores the process-wide settings that another test may have changed."""
    pl.manualSeed(1)
    backend.set_num_threads(threads)
    pl.setPoolingBackward("default")
    backend.set_kernels(kernels)
    pl.setConvolution("fast")
