"""Errors from end to end: status codes, the library's text, exceptions, and what the bindings refuse by themselves."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

from pytorch_legacy import backend, errors, nn
from pytorch_legacy.backend import header
from pytorch_legacy.backend.binding import call
from tests import capi
from tests.capi import HEADER

STATUS = header.enums(header.text(HEADER))["THNNStatus"]
CODES = {name.removeprefix("THNN_ERR_"): code for name, code in STATUS.items() if code}
EXCEPTIONS = [
    (errors.NullError, "NULL", ValueError),
    (errors.ShapeError, "SHAPE", ValueError),
    (errors.ValueRangeError, "VALUE", ValueError),
    (errors.IndexRangeError, "INDEX", IndexError),
    (errors.OutOfMemoryError, "MEMORY", MemoryError),
    (errors.UnsupportedError, "UNSUPPORTED", NotImplementedError),
    (errors.DeviceError, "DEVICE", RuntimeError),
    (errors.VersionError, "VERSION", RuntimeError),
]


def pooling() -> nn.SpatialAdaptiveAveragePooling:
    return nn.SpatialAdaptiveAveragePooling(2, 2)


def test_every_code_has_an_exception() -> None:
    assert {code for _, code, _ in EXCEPTIONS} == set(CODES)
    for exception, code, builtin in EXCEPTIONS:
        assert exception.code == CODES[code]
        assert issubclass(exception, errors.THNNError) and issubclass(exception, builtin)
        raised = errors.from_status(CODES[code], "text")
        assert type(raised) is exception and str(raised) == "text" and raised.code == CODES[code]


def test_unknown_code() -> None:
    """A newer library may know more codes than this package."""
    raised = errors.from_status(99, "text")
    assert type(raised) is errors.THNNError and raised.code == 99


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_exceptions_survive_copies(duplicate) -> None:  # type: ignore[no-untyped-def]
    """As multiprocessing makes them."""
    error = errors.from_status(2, "nn.Linear: input: expected 3 columns, got 2")
    error.where = ["in module 1 of nn.Sequential"]
    twin = duplicate(error)
    assert (type(twin), str(twin), twin.code, twin.where) == (type(error), str(error), error.code, error.where)


# ---------------------------------------------------------------------------------------------- the library's text


def test_text_names_everything() -> None:
    """Function, argument, what was expected, what came: here with a prefix, in Python with the class."""
    function = next(f for f in capi.GENERIC if f.name == "SpatialAdaptiveAveragePooling_updateOutput")
    wrong = capi.valid(function, "Double")
    wrong.values["output"].size[0] = 7
    assert wrong() == CODES["SHAPE"]
    name = "SpatialAdaptiveAveragePooling_updateOutput"
    assert capi.last_error() == f"THNN_Double{name}: output: expected 2 x 3 x 2 x 3, got 7 x 3 x 2 x 3"
    with pytest.raises(errors.ShapeError) as caught:
        call(pooling(), name, np.zeros((1, 4, 4), "f"), np.zeros((1, 3, 3), "f"), 2, 2)
    assert str(caught.value) == "nn.SpatialAdaptiveAveragePooling: output: expected 1 x 2 x 2, got 1 x 3 x 3"


def test_text_stays_until_the_next_error() -> None:
    with pytest.raises(errors.ShapeError):
        pooling().forward(np.zeros((4, 4), "f"))
    text = capi.last_error()
    pooling().forward(np.zeros((1, 4, 4), "f"))
    assert capi.last_error() == text
    with pytest.raises(errors.ValueRangeError):
        nn.SpatialAdaptiveAveragePooling(2**40, 1).forward(np.zeros((1, 4, 4), "f"))
    assert capi.last_error() != text


def test_text_is_each_threads_own() -> None:
    with pytest.raises(errors.ShapeError):
        pooling().forward(np.zeros((4, 4), "f"))
    ours, theirs = capi.last_error(), []

    def fail() -> None:
        theirs.append(capi.last_error())
        with pytest.raises(errors.ValueRangeError):
            nn.SpatialAdaptiveAveragePooling(2**40, 1).forward(np.zeros((1, 4, 4), "f"))
        theirs.append(capi.last_error())

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    assert theirs[0] == "no error"
    assert "owidth" in theirs[1]
    assert capi.last_error() == ours


# ---------------------------------------------------------------------------------------------- the bindings

NAME = "SpatialAdaptiveAveragePooling_updateOutput"
INPUT, OUTPUT = np.zeros((1, 4, 4), "f"), np.zeros((1, 2, 2), "f")


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        (([1, 2], OUTPUT, 2, 2), errors.DtypeError, "input: expected a float32 array, got a list of 2 numbers"),
        ((INPUT.astype("d"), OUTPUT, 2, 2), errors.DtypeError, "input: expected float32, got float64"),
        ((INPUT.astype(">f4"), OUTPUT, 2, 2), errors.DtypeError, "input: expected float32, got >f4"),
        ((INPUT, OUTPUT.astype("i"), 2, 2), errors.DtypeError, "output: expected float32, got int32"),
        ((np.zeros((1,) * 9, "f"), OUTPUT, 2, 2), errors.ShapeError, "input: expected at most 8 dimensions, got 9"),
        ((INPUT, None, 2, 2), errors.NullError, "output: expected an array, got None"),
        ((INPUT, OUTPUT, 2.5, 2), errors.DtypeError, r"owidth: expected an integer \(int64\), got 2.5"),
        ((INPUT, OUTPUT, 2, "2"), errors.DtypeError, r"oheight: expected an integer \(int64\), got '2'"),
        ((INPUT, OUTPUT, 2**70, 2), errors.DtypeError, r"owidth: expected an integer \(int64\), got \d+"),
        ((INPUT, OUTPUT, None, 2), errors.DtypeError, "owidth: expected an integer"),
    ],
)
def test_bindings_refuse(arguments: tuple[object, ...], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match) as caught:
        call(pooling(), NAME, *arguments)
    assert str(caught.value).startswith("nn.SpatialAdaptiveAveragePooling: ")


def test_strides_of_half_elements() -> None:
    records = np.zeros((1, 4, 4), [("flag", "i2"), ("value", "f4")])
    with pytest.raises(errors.ShapeError, match=r"input: expected strides of whole elements \(4 bytes\), got"):
        pooling().forward(records["value"])


def test_nothing_is_left_behind() -> None:
    """A call that was refused does not spoil the next one on the same module."""
    module = pooling()
    x = np.random.default_rng(0).standard_normal((1, 4, 4)).astype("f")
    expected = module.forward(x).copy()
    for wrong in (np.zeros((4, 4), "f"), np.zeros((1, 4, 4)), np.zeros((1,) * 9, "f"), "text", None):
        with pytest.raises(errors.THNNError):
            module.forward(wrong)
        np.testing.assert_array_equal(module.forward(x), expected)


@pytest.mark.parametrize("threads", [-1, 1025, 2**31 - 1])
def test_thread_counts(threads: int) -> None:
    before = backend.get_num_threads()
    with pytest.raises(errors.ValueRangeError, match=rf"threads: expected 0 to 1024, got {threads}"):
        backend.set_num_threads(threads)
    assert backend.get_num_threads() == before


def test_no_memory() -> None:
    """Scratch memory beyond any address space: an error, and the next call works."""
    endless = np.broadcast_to(np.float32(1), (2**23, 2**23))
    criterion = nn.MSECriterion()
    with pytest.raises(errors.OutOfMemoryError, match=r"scratch memory: expected \d+ elements of \d bytes, got none"):
        criterion.forward(endless, endless)
    assert criterion.forward(np.ones(3, "f"), np.zeros(3, "f")) == 1.0
