"""Tensors are views of the file: nothing is copied, nothing is written back, what was shared stays shared."""

import gc
import io
import mmap
import os
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import t7
from pytorch_legacy.arrays import base_storage
from pytorch_legacy.files.t7 import reader
from pytorch_legacy.files.t7.collecting import resting

from .golden import FOLDER


def owner(array):
    """Returns the buffer of the file under the storage of an array."""
    base = base_storage(array).base
    return base.obj if isinstance(base, memoryview) else base


@pytest.fixture
def large(tmp_path):
    """A file with two tensors on one storage and a third on another, large enough to be mapped."""
    path = tmp_path / "large.t7"
    flat = np.arange(100_000, dtype=np.float32)
    t7.write(
        path,
        {"text": "x" * 3, "a": flat[:60_000].reshape(300, 200), "b": flat[50_000:], "c": np.ones((3, 5))},
    )
    return path


def test_views_of_the_map(large):
    value = t7.read(large)
    a, b, c = value["a"], value["b"], value["c"]
    assert all(isinstance(owner(array), mmap.mmap) for array in (a, b, c))
    assert owner(a) is owner(c)
    assert np.shares_memory(a, b) and not np.shares_memory(a, c)
    assert base_storage(a) is base_storage(b) and base_storage(a).size == 100_000
    b[0] = -1
    assert a[250, 0] == -1


def test_writing_to_an_array_leaves_the_file(large):
    before = large.read_bytes()
    value = t7.read(large)
    value["a"][...] = 7
    value["c"] += 1
    assert large.read_bytes() == before
    assert t7.read(large)["a"][0, 1] == 1


def test_arrays_outlive_the_deleted_file(large):
    value = t7.read(large)
    large.unlink()
    assert value["b"][-1] == 99_999


def test_nothing_keeps_the_map_alive(large):
    value = t7.read(large)
    gone = weakref.ref(base_storage(value["a"]))
    gc.disable()
    try:
        del value
        assert gone() is None
    finally:
        gc.enable()


def test_files_that_others_may_write_are_read(large):
    """Arrays that were read keep their values, whatever becomes of the file; only a file that others cannot change is mapped."""
    expected = np.arange(60_000, dtype=np.float32).reshape(300, 200)
    cases = [(0o644, {}, True), (0o646, {}, False), (0o646, {"mmap": True}, True), (0o644, {"mmap": False}, False)]
    for mode, options, isMapped in cases:
        large.chmod(mode)
        for load in (t7.read, pl.load):
            value = load(large, **options)
            assert isinstance(owner(value["a"]), mmap.mmap) is isMapped
            assert isMapped or isinstance(owner(value["a"]), bytearray)
    read = pl.load(large, mmap=False)
    with open(large, "r+b") as file:
        file.truncate(100)
    np.testing.assert_array_equal(read["a"], expected)
    with pytest.raises(ValueError, match="mmap: expected 'auto', True or False, got 'no'"):
        t7.read(large, mmap="no")


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_an_error_keeps_no_file_open(large):
    content = large.read_bytes()
    module = t7.TorchObject("nn.Linear", 1, {"weight": "none", "big": np.zeros(50_000)})
    broken = {"short": content[:-100_000], "long": content + b"more", "tag": content[:-8] + b"\xff" * 8}
    file = io.BytesIO()
    t7.write(file, [np.ones(20_000), module])
    broken["module"] = file.getvalue()
    gc.disable()
    try:
        kept, before = [], len(os.listdir("/proc/self/fd"))
        for name, bad in broken.items():
            path = large.with_name(name)
            path.write_bytes(bad)
            for _ in range(5):
                try:
                    pl.load(path)
                except t7.T7Error as error:
                    kept.append(error)
        assert len(kept) >= 15
        assert len(os.listdir("/proc/self/fd")) == before
        maps = Path("/proc/self/maps").read_text()
        assert not any(str(large.with_name(name)) in maps for name in broken)
    finally:
        gc.enable()


def test_unaligned_places():
    # One byte more of text moves every element of the file by one.
    for length in range(9):
        file = io.BytesIO()
        t7.write(file, ["x" * length, np.arange(6.0)])
        array = t7.read(file.getvalue())[1]
        assert isinstance(owner(array), bytearray)
        np.testing.assert_array_equal(array, np.arange(6.0))
        array *= 2
        assert array.sum() == 30


def test_bytes_of_the_caller_stay_as_they_are():
    content = bytearray((FOLDER / "tensor_Double.t7").read_bytes())
    before = bytes(content)
    array = t7.read(content)
    array[...] = 0
    assert content == before


def test_small_files_hold_no_descriptor(tmp_path):
    arrays = []
    path = tmp_path / "small.t7"
    t7.write(path, np.arange(10))
    for _ in range(3000):
        arrays.append(t7.read(path))
    assert all(array[9] == 9 for array in arrays)


def test_a_storage_and_its_tensors():
    table = t7.read(FOLDER / "shared_storage.t7")
    first, second, part, storage = (table[key] for key in (1, 2, 3, 4))
    assert type(storage) is t7.Storage and type(first) is np.ndarray
    storage[2] = 99
    assert first[2] == second[0, 2] == part[0] == 99
    assert np.shares_memory(storage, part)


@pytest.mark.parametrize("format", ["binary", "ascii"])
def test_views_are_written_once(format):
    base = np.arange(24, dtype=np.int32)
    views = [
        base.reshape(4, 6),
        base.reshape(4, 6).T,
        base[3:20:2],
        np.broadcast_to(base[:3], (5, 3)),
        base.view(t7.Storage),
    ]
    file = io.BytesIO()
    t7.write(file, [*views, views[0]], format)
    assert file.getvalue().count(b"torch.IntStorage") == 1
    again = t7.read(file.getvalue())
    for array, view in zip(again, views, strict=False):
        np.testing.assert_array_equal(array, view)
        assert array.strides == view.strides and base_storage(array) is base_storage(again[0])
    assert again[5] is again[0]


def test_arrays_that_torch_has_no_storage_for(tmp_path):
    base = np.arange(12.0).reshape(3, 4)
    record = np.zeros(4, [("a", np.float32), ("b", np.int8)])
    record["a"] = [1, 2, 3, 4]
    values = [
        base[::-1],
        base.astype(">f8"),
        record["a"],
        base > 5,
        np.asfortranarray(base),
        np.empty((0, 3)),
    ]
    path = tmp_path / "odd.t7"
    t7.write(path, values)
    again = t7.read(path)
    for array, value in zip(again[:5], values, strict=False):
        np.testing.assert_array_equal(array, value)
        assert array.dtype.isnative
    assert again[3].dtype == np.uint8
    assert again[5].shape == (0,)


def test_a_part_of_a_storage_is_a_storage():
    storage = np.arange(5).view(t7.Storage)
    file = io.BytesIO()
    t7.write(file, [storage, storage[1:3], storage])
    whole, part, same = t7.read(file.getvalue())
    assert type(part) is t7.Storage and part.tolist() == [1, 2] and whole is same and len(whole) == 5


def test_huge_expanded_tensor_costs_nothing():
    value = np.broadcast_to(np.float32(3), (1 << 20, 1 << 20))
    file = io.BytesIO()
    t7.write(file, value)
    again = t7.read(file.getvalue())
    assert again.shape == value.shape and again[77, 5] == 3 and base_storage(again).size == 1


@pytest.mark.parametrize("runs", [True, False])
def test_the_garbage_collector_rests_until_the_last_thread_has_read(monkeypatch, runs):
    """The second thread must not take the first one's pause for the user's wish, nor the first one end that of the second."""
    file = io.BytesIO()
    t7.write(file, [1])
    inside, leave = threading.Barrier(2, timeout=30), [threading.Event() for _ in range(2)]
    names = {}

    def detect_later(*arguments):
        inside.wait()
        assert leave[names[threading.get_ident()]].wait(30)
        return detect(*arguments)

    def work(number):
        names[threading.get_ident()] = number
        t7.read(file.getvalue())

    detect = reader.detect
    monkeypatch.setattr(reader, "detect", detect_later)
    (gc.enable if runs else gc.disable)()
    try:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for number, thread in enumerate(threads):
            assert thread.is_alive()
            leave[number].set()
            thread.join()
            assert gc.isenabled() is (runs and number == 1)
        monkeypatch.undo()
        with pytest.raises(t7.T7Error):
            t7.read(file.getvalue()[:-3])
        assert gc.isenabled() is runs
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_collects_garbage():
    with resting:
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() and resting._count == 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert gc.isenabled()
