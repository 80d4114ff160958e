"""Files appear whole or not at all, in every format and wherever they are written."""

from __future__ import annotations

import os
import resource
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import errors, explain, interop, t7
from pytorch_legacy.files.writing import whole
from pytorch_legacy.inference import files

ARRAYS = {"a": np.arange(50_000.0), "b": np.ones((2, 3), np.float32)}


def picture(path: Path) -> None:
    pytest.importorskip("PIL")
    noise = np.random.default_rng(0).random((1, 3, 200, 300), np.float32)
    files.write(str(path), noise, files.Source(np.empty(0), True))


def figure(path: Path) -> None:
    pytest.importorskip("matplotlib")
    explain.windows("adaptive", 30, 7).draw(path)


def dot(path: Path) -> None:
    x = pl.nn.Identity()()
    pl.nngraph.graph.draw(pl.nn.gModule([x], [x]), path, "long " * 1000)


def by_name(path: Path) -> None:
    pytest.importorskip({".h5": "h5py"}.get(path.suffix, "numpy"))
    interop.save(path, ARRAYS)


WRITERS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "t7": (".t7", lambda path: pl.save(path, ARRAYS)),
    "ascii": (".t7", lambda path: pl.save(path, ARRAYS, "ascii")),
    "npz": (".npz", by_name),
    "safetensors": (".safetensors", by_name),
    "h5": (".h5", by_name),
    "npy": (".npy", lambda path: files.write(str(path), ARRAYS["a"], files.Source(np.empty(0)))),
    "picture": (".png", picture),
    "figure": (".svg", figure),
    "dot": (".dot", dot),
}
writers = pytest.mark.parametrize("name", WRITERS)


@contextmanager
def small_files() -> Iterator[None]:
    """As on a disk that is full after 1000 bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@writers
def test_an_existing_file_keeps_its_place(name: str, tmp_path: Path) -> None:
    """Its mode, the link that leads to it, other names; and nothing else is left beside it."""
    suffix, write = WRITERS[name]
    real, link, other = tmp_path / f"real{suffix}", tmp_path / f"link{suffix}", tmp_path / "other"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real.name)
    os.link(real, other)
    write(link)
    assert link.is_symlink() and real.stat().st_size > 3 and stat.S_IMODE(real.stat().st_mode) == 0o640
    assert other.read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == {real.name, link.name, "other"}


@writers
def test_a_full_disk(name: str, tmp_path: Path) -> None:
    suffix, write = WRITERS[name]
    target = tmp_path / f"net{suffix}"
    target.write_bytes(b"old")
    with small_files(), pytest.raises(OSError, match="too large") as caught:
        write(target)
    assert caught.value.filename == str(target)
    assert target.read_bytes() == b"old" and [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("name", ["t7", "npz", "h5", "picture"])
def test_a_fifo_gets_the_bytes(name: str, tmp_path: Path) -> None:
    suffix, write = WRITERS[name]
    write(tmp_path / f"plain{suffix}")
    fifo, got = tmp_path / f"fifo{suffix}", []
    os.mkfifo(fifo)
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()))
    reader.start()
    write(fifo)
    reader.join(10)
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    assert len(got[0]) == (tmp_path / f"plain{suffix}").stat().st_size


def test_what_cannot_be_replaced(tmp_path: Path) -> None:
    with whole(os.devnull) as file:
        file.write(b"nothing")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.t7"))
        with pytest.raises(OSError, match="no place for a file"):
            pl.save(tmp_path / "s.t7", 1)
        assert stat.S_ISSOCK((tmp_path / "s.t7").stat().st_mode)
    for target, error in ((tmp_path, IsADirectoryError), (f"{tmp_path}/", IsADirectoryError), ("", FileNotFoundError),
                          (tmp_path / "no" / "net.t7", FileNotFoundError)):  # fmt: skip
        with pytest.raises(error) as caught:
            pl.save(target, 1)
        assert caught.value.filename == str(target) or target == f"{tmp_path}/"
    assert [path.name for path in tmp_path.iterdir()] == ["s.t7"]


def test_an_open_file_is_written_into(tmp_path: Path) -> None:
    """/dev/stdout and its kin are names of files that others have open."""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("there is no /proc here")
    target = tmp_path / "net.t7"
    with open(target, "w+b") as file:
        (tmp_path / "link").symlink_to(f"/proc/self/fd/{file.fileno()}")
        for name in (f"/dev/fd/{file.fileno()}", tmp_path / "link"):
            pl.save(name, [name.__class__.__name__])
            assert os.fstat(file.fileno()).st_ino == target.stat().st_ino
            assert pl.load(target) == [name.__class__.__name__]


def test_new_files(tmp_path: Path) -> None:
    """The usual mode, through a link that leads nowhere yet, names as long as the system takes."""
    (tmp_path / "link.t7").symlink_to("new.t7")
    mask = os.umask(0o027)
    try:
        pl.save(tmp_path / "link.t7", 1)
        pl.save(tmp_path / f"{'ä' * 125}.t7", 1)
    finally:
        os.umask(mask)
    assert (tmp_path / "link.t7").is_symlink()
    assert stat.S_IMODE((tmp_path / "new.t7").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_is_protected_stays(tmp_path: Path) -> None:
    target = tmp_path / "net.t7"
    pl.save(target, 1)
    target.chmod(0o400)
    with pytest.raises(PermissionError, match=r"net\.t7"):
        pl.save(target, 2)
    target.chmod(0o600)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError, match=r"denied to its folder.*net\.t7"):
            pl.save(target, 2)
    finally:
        tmp_path.chmod(0o700)
    assert pl.load(target) == 1


def test_whatever_goes_wrong_meanwhile(tmp_path: Path) -> None:
    target = tmp_path / "net.t7"
    pl.save(target, 1)
    for error in (KeyboardInterrupt, ValueError):
        with pytest.raises(error), whole(target) as file:
            file.write(b"half")
            raise error
    with pytest.raises(pl.T7Error):
        pl.save(target, [np.zeros(1000), object()])
    assert pl.load(target) == 1 and [path.name for path in tmp_path.iterdir()] == ["net.t7"]


KILLED = """
import os, signal, sys
from pytorch_legacy.files.writing import whole
with whole(sys.argv[1]) as file:
    file.write(bytes(1 << 21))
    file.flush()
    print(file.name, flush=True)
    if sys.argv[2] == "wait":
        sys.stdin.read(1)
    else:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def start(target: Path, how: str) -> tuple[subprocess.Popen[str], Path]:
    """A process that writes a target and waits, or is killed meanwhile; and its unfinished file."""
    command = [sys.executable, "-c", KILLED, str(target), how]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_a_killed_save_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    target = tmp_path / "net.t7"
    pl.save(target, 1)
    waiting, unfinished = start(target, "wait")
    killed, left = start(target, "die")
    assert killed.wait(30) < 0 and left.stat().st_size == 1 << 21 and left != unfinished
    (tmp_path / ".net.t7.notes").write_text("of the user")
    (tmp_path / ".other.t7.0.tmp").write_text("of another target")
    pl.save(target, 2)
    assert pl.load(target) == 2 and not left.exists() and unfinished.stat().st_size == 1 << 21
    waiting.communicate("x", 30)
    assert waiting.returncode == 0 and target.read_bytes() == bytes(1 << 21)
    assert {path.name for path in tmp_path.iterdir()} == {"net.t7", ".net.t7.notes", ".other.t7.0.tmp"}


def test_what_has_the_name_of_an_unfinished_file(tmp_path: Path) -> None:
    """A link, a folder and a FIFO stay, and are not followed."""
    target, victim = tmp_path / "net.t7", tmp_path / "victim"
    victim.write_text("x")
    (tmp_path / ".net.t7.0.tmp").symlink_to(victim)
    (tmp_path / ".net.t7.1.tmp").mkdir()
    os.mkfifo(tmp_path / ".net.t7.2.tmp")
    pl.save(target, 1)
    assert pl.load(target) == 1 and victim.read_text() == "x" and len([*tmp_path.iterdir()]) == 5


def test_many_save_one_target_at_once(tmp_path: Path) -> None:
    def save(i: int) -> None:
        for _ in range(30):
            pl.save(tmp_path / "net.t7", [i] * 100)

    threads = [threading.Thread(target=save, args=(i,)) for i in range(4)]
    children: list[int] = []
    while len(children) < 2:
        children.append(os.fork())
        if children[-1] == 0:
            try:
                save(9)
                os._exit(0)
            finally:
                os._exit(1)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    assert len({*pl.load(tmp_path / "net.t7")}) == 1 and [path.name for path in tmp_path.iterdir()] == ["net.t7"]


# ------------------------------------------------------------------------------------------ names and formats


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ".h5"])
def test_every_name_comes_back_or_is_refused(suffix: str, tmp_path: Path) -> None:
    """No two arrays end up under one name, and none under another."""
    pytest.importorskip({".npz": "numpy", ".safetensors": "safetensors"}.get(suffix, "h5py"))
    target = tmp_path / f"names{suffix}"
    fine = ["a", "A", "a b", "é", "\x1b[31m", "a\nb", "a#2", "file", "b/c", "..", "x.npy", "c\\d", "'", '"']
    interop.save(target, {name: np.full(2, i) for i, name in enumerate(fine)})
    found = interop.load(target)
    assert {name: int(array[0]) for name, array in found.items()} == {name: i for i, name in enumerate(fine)}
    before = target.read_bytes()
    bad = {
        ".npz": [["a\0b", "a"], ["a", "a.npy"], ["\udce9"], ["x" * 65536]],
        ".safetensors": [["a\0b"], ["__metadata__"], ["\udce9"]],
        ".h5": [["a\0b", "a"], ["a", "a/b"], ["a/b", "a"], ["."], [""], ["/a"], ["a/"], ["a//b"], ["a/./b"], ["\udce9"]],
    }[suffix]
    for names in bad:
        with pytest.raises(errors.ValueRangeError, match=r"interop\.save: .*expected a name .*, got '"):
            interop.save(target, {name: np.ones(1) for name in names})
    with pytest.raises(errors.DtypeError, match="'x': expected an array of numbers"):
        interop.save(target, {"x": np.array([None])})
    with pytest.raises(errors.DtypeError, match="names that are text, got 3"):
        interop.save(target, {3: np.ones(1)})  # type: ignore[dict-item]
    assert target.read_bytes() == before


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ".h5"])
def test_every_kind_of_number(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip({".npz": "numpy", ".safetensors": "safetensors"}.get(suffix, "h5py"))
    types = ["b", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">f4", ">i8"]
    arrays = {kind: np.arange(6).astype(kind).reshape(2, 3)[:, ::-1] for kind in types}
    arrays |= {"none": np.empty((0, 3)), "one": np.array(2.5), "columns": np.arange(6.0).reshape(2, 3).T}
    interop.save(tmp_path / f"x{suffix}", arrays)
    found = interop.load(tmp_path / f"x{suffix}")
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].shape == array.shape and found[name].dtype.newbyteorder("=") == array.dtype.newbyteorder("="), name
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ".h5"])
def test_few_bytes_make_no_large_file(suffix: str, tmp_path: Path) -> None:
    """Tensors that repeat their elements, or many that share them: as files of others they would fill a disk."""
    pytest.importorskip({".npz": "numpy", ".safetensors": "safetensors"}.get(suffix, "h5py"))
    target = tmp_path / f"x{suffix}"
    vector = np.ones(100_000)
    for arrays in (
        {"w": np.broadcast_to(np.ones(1), (1 << 25,))},
        {"w": np.broadcast_to(np.ones(1), (1 << 40,))},
        {f"w{i}": vector[i:] for i in range(100)},
    ):
        with pytest.raises(errors.ShapeError, match=r"repeat or share .* bytes, and would take .* the largest is w"):
            interop.save(target, arrays)
    assert not list(tmp_path.iterdir())
    interop.save(target, {"w": np.broadcast_to(np.ones(3), (100, 3)), "v": vector, "part": vector[:50_000]})
    assert interop.load(target)["w"].shape == (100, 3)


@pytest.mark.parametrize("name", ["w.npz", "w.safetensors", "w.H5", "w.pth", "w.pt", "w.onnx"])
def test_names_of_other_formats(name: str, tmp_path: Path) -> None:
    target = tmp_path / name
    with pytest.raises(errors.UnsupportedError, match=r"save: .*expected the name of a \.t7 file.*convert .*w\.t7"):
        pl.save(target, pl.nn.Linear(2, 2))
    assert not target.exists()
    for other in ("w", "w.net", "w.v1.0", "w.dat"):
        pl.save(tmp_path / other, 3)
        assert pl.load(tmp_path / other) == 3


def test_files_of_others_point_to_what_reads_them(tmp_path: Path) -> None:
    for suffix, package in ((".npz", "numpy"), (".safetensors", "safetensors"), (".h5", "h5py")):
        pytest.importorskip(package)
        interop.save(tmp_path / f"x{suffix}", {"a": np.ones(1)})
        with pytest.raises(pl.T7Error, match=r"expected a \.t7 file, got .*pytorch_legacy\.interop\.load"):
            pl.load(tmp_path / f"x{suffix}")
    for content, words in (
        (b"\n\x09VGG_ILSVRC\x12\x05data", "a Caffe model: cv2.dnn"),
        (b"\n\x07AlexNet\xa2\x06\x10\n", "a Caffe model"),
        (b"\x08\x07\x12\x07pytorch", "an ONNX model: onnx.load"),
    ):
        with pytest.raises(pl.T7Error, match=words):
            pl.load(content)


def test_names_from_strange_keys() -> None:
    """Names are text that every format holds, each tensor has one, and none is lost."""
    keys = [3, "3", "3#2", "caf\udce9", "a\0b", "a", "\x1b[31m", "", "tensor", "é"]
    named = interop.tensors({key: np.full(1, i) for i, key in enumerate(keys)})
    assert [int(array[0]) for array in named.values()] == list(range(len(keys)))
    assert list(named) == ["3", "3#2", "3#2#2", "caf\\xe9", "a\\x00b", "a", "\\x1b[31m", "tensor", "tensor#2", "é"]
    assert t7.nodes.index_text(3) == "[3]" and t7.nodes.index_text("3") == "['3']"
