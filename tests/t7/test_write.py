"""Writing: plain values come back, a failure leaves no trace, and what the format cannot hold is refused."""

import io
import os
import stat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytorch_legacy import load, nn, save, t7


def round_trip(value, format):
    file = io.BytesIO()
    t7.write(file, value, format)
    return t7.read(file.getvalue())


def canonical(value):
    """Returns the form in which a plain value comes back: numbers and tables have one form each."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 and str(value) != "-0.0":
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return float(value)
    if isinstance(value, list):
        return [canonical(item) for item in value] or {}
    if isinstance(value, dict):
        table = {key: canonical(item) for key, item in value.items()}
        if table and set(table) == set(range(1, len(table) + 1)):
            return [table[key] for key in sorted(table)]
        return table
    return value


exact = st.integers(-(2**53), 2**53) | st.sampled_from([2**60, -(2**1000)])
scalars = st.none() | st.booleans() | exact | st.floats(allow_nan=False) | st.text()
keys = st.text() | st.integers(-3, 4)
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=30)


@settings(max_examples=200, deadline=None)
@given(values, st.sampled_from(["binary", "ascii"]))
def test_plain_values_come_back(value, format):
    found = round_trip(value, format)
    assert found == canonical(value)
    assert repr(found) == repr(canonical(value)) or isinstance(found, (dict, list))


@settings(max_examples=100, deadline=None)
@given(st.binary(), st.sampled_from(["binary", "ascii"]))
def test_strings_are_bytes(content, format):
    found = round_trip(content, format)
    assert found.encode("utf-8", "surrogateescape") == content
    assert round_trip({found: found}, format) == {found: found}


DTYPES = [np.uint8, np.int8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(DTYPES), st.binary(max_size=160), st.sampled_from(["binary", "ascii"]))
def test_every_bit_pattern_of_every_type(dtype, content, format):
    content = content[: len(content) // 8 * 8]
    array = np.frombuffer(content, dtype)
    found = round_trip(array, format)
    assert found.dtype == dtype and found.shape == (array.shape if array.size else (0,))
    np.testing.assert_array_equal(found, array)
    if np.issubdtype(dtype, np.floating):
        np.testing.assert_array_equal(np.signbit(found), np.signbit(array))
    if format == "binary":
        assert found.tobytes() == content


def test_long_text_arrays():
    # Longer than the pieces that are turned into text at once.
    for array in (np.random.default_rng(1).standard_normal(150_000), np.arange(200_000) - 10**15):
        np.testing.assert_array_equal(round_trip(array, "ascii"), array)


def test_numpy_scalars_and_tuples():
    value = (np.float32(0.5), np.int64(7), np.bool_(True), np.str_("text"), (1,))
    assert round_trip(value, "binary") == [0.5, 7, True, "text", [1]]


@pytest.mark.parametrize("format", ["binary", "ascii"])
def test_arrays_without_dimensions(format):
    # Layers give them for inputs of that kind, and keep them as their output.
    base = np.arange(3.0)
    arrays = [np.array(True), np.array(2, ">i4"), np.array(0.5, "f").view(t7.Storage)]
    found = round_trip([base, base[1:2].reshape(()), *arrays], format)
    assert [array.shape for array in found] == [(3,), (1,), (1,), (1,), (1,)]
    assert [array[0] for array in found[1:]] == [1.0, 1, 2, 0.5] and np.shares_memory(found[0], found[1])
    assert [array.dtype for array in found[2:]] == [np.uint8, np.int32, np.float32]
    one = np.array(1.5)
    first, second = round_trip([one, one], format)
    assert first is second
    net = nn.Sequential(nn.ReLU(), nn.Tanh()).double()
    net.backward(one, net.forward(one))
    file = io.BytesIO()
    save(file, net, format)
    np.testing.assert_array_equal(load(file.getvalue()).output, net.output.reshape(1))


@pytest.mark.parametrize(
    "value, words",
    [
        ({"a": [1, object()]}, r"root\.a\[2\]: expected a value that a \.t7 file can hold, got object"),
        (2**53 + 1, "a double holds exactly"),
        (np.int64(2**62 + 1), "a double holds exactly"),
        (10**400, "a double holds exactly"),
        ({None: 1}, "key that Lua allows"),
        ({float("nan"): 1}, "key that Lua allows"),
        ({"x": np.zeros((1,) * 33)}, r"root\.x: .*at most 32 dimensions, got 33"),
        (t7.Function(b"", [], form=9), "form 6, 7 or 8"),
        (np.zeros(3, np.complex64), "complex64"),
        (np.zeros(3, np.uint16), "uint16"),
        (np.ma.masked_array([1.0], [True]), "masked"),
        ("\ud800", "can be encoded"),
        (t7.TorchObject("torch.FloatTensor", 1, {}), "numpy.ndarray"),
        (t7.TorchObject("tds.Hash", 0, {}), "t7.Hash or a t7.Vec"),
        (t7.TorchObject("torch.Generator", 1, b"short"), "5048 bytes"),
        (t7.TorchObject("tds.AtomicCounter", 0, "x"), "int"),
        (t7.TorchObject("nn.GPU", 1, {}), "has a header"),
        (t7.TorchObject("nn.Linear", 1, {}, header={}), "has no header"),
        ([1, t7.TorchObject("nn.Linear", 1, {"weight": {1, 2}})], r"root\[2\]\.weight: .*got set"),
    ],
)
@pytest.mark.parametrize("format", ["binary", "ascii"])
def test_refused(value, words, format, tmp_path):
    path = tmp_path / "old.t7"
    t7.write(path, "old")
    before = path.read_bytes()
    file = io.BytesIO()
    for target in (path, file):
        with pytest.raises(t7.T7Error, match=words):
            t7.write(target, value, format)
    # The old file stands, the other got nothing, and nothing lies around.
    assert path.read_bytes() == before and file.getvalue() == b""
    assert os.listdir(tmp_path) == ["old.t7"]


def test_a_late_failure_in_a_large_file(tmp_path):
    path = tmp_path / "old.t7"
    t7.write(path, "old")
    # More than any buffer holds is on the disk when the bad value comes up.
    with pytest.raises(t7.T7Error, match=r"root\[2\]"):
        t7.write(path, [np.zeros(1_000_000), object()])
    assert t7.read(path) == "old" and os.listdir(tmp_path) == ["old.t7"]


def test_an_error_of_the_system_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "old.t7"
    t7.write(path, "old")

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        t7.write(path, "new")
    assert t7.read(path) == "old" and os.listdir(tmp_path) == ["old.t7"]
    with pytest.raises(FileNotFoundError):
        t7.write(tmp_path / "absent" / "new.t7", 1)
    with pytest.raises(ValueError, match="format"):
        t7.write(path, 1, "text")


def test_a_file_is_replaced_while_its_arrays_live(tmp_path):
    path = tmp_path / "net.t7"
    t7.write(path, np.arange(50_000.0))
    mapped = t7.read(path)
    t7.write(path, mapped * 2)
    assert mapped[49_999] == 49_999 and t7.read(path)[49_999] == 99_998


def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "net.t7", tmp_path / "link.t7"
    t7.write(path, 1)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    path.chmod(0o640)
    link.symlink_to(path)
    t7.write(link, 2)
    assert link.is_symlink() and t7.read(path) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_storage_is_written_whole():
    base = np.arange(1000.0)
    sizes = []
    for array in (base[:1], base[:1].copy()):
        file = io.BytesIO()
        t7.write(file, array)
        sizes.append(len(file.getvalue()))
    assert sizes[0] - sizes[1] == 999 * 8
