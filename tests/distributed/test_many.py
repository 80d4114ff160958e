"""``run-many`` and pl.distributed.map: many inputs, in threads of this process."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import errors, nn, t7
from pytorch_legacy.cli import main
from tests.cli.test_cli import DIGITS, EXAMPLES, SUPERRES, fail, run

for package in ("dask", "distributed", "pyarrow", "PIL"):
    pytest.importorskip(package, reason=f"{package} is not installed: the extras dask and image bring it")

import pyarrow.parquet as pq  # noqa: E402
from dask import array as da  # noqa: E402
from dask import bag as db  # noqa: E402
from PIL import Image  # noqa: E402

from pytorch_legacy.distributed import batches, sent, sources  # noqa: E402
from pytorch_legacy.distributed.results import Form, Parts  # noqa: E402
from pytorch_legacy.distributed.sent import Sent  # noqa: E402


def pictures(folder: Path, count: int, broken: tuple[int, ...]) -> Path:
    """Digits that are turned a little; those that are broken end too early, or are empty."""
    folder.mkdir()
    digits = [Image.open(EXAMPLES / "digits" / f"digit_{digit}.png").convert("L").resize((16, 16)) for digit in range(10)]
    for i in range(count):
        digits[i % 10].rotate(i % 7 - 3).save(path := folder / f"{i:04}.png")
        if i in broken:
            path.write_bytes(path.read_bytes()[: 60 * (i % 2)])
    return folder


# ---------------------------------------------------------------------------------------------- run


def test_a_folder(capsys, tmp_path: Path) -> None:
    folder, target = pictures(tmp_path / "in", 60, (7, 20)), tmp_path / "out.parquet"
    out = run(capsys, "run-many", DIGITS, str(folder), "-o", str(target), "--vector")
    assert "60 files; pictures resized to 8x8, gray, (byte / 255 - 0.305183) / 0.375996 [the file: size, mean, std" in out
    assert "60 rows; 2 with an error, the first: " in out and "0007.png" in out
    table = pq.read_table(target)
    rows = table.to_pylist()
    assert [row["input"] for row in rows] == [str(folder / f"{i:04}.png") for i in range(60)]
    assert [row["row"] for row in rows if row["error"]] == [7, 20]
    for row in rows:
        values = [row[name] for name in ("label", "index", "score", "vector")]
        assert values == [None] * 4 if row["error"] else row["label"] == str(row["row"] % 10) and row["score"] > 0.5
    described = json.loads(table.schema.metadata[b"pytorch_legacy"])
    assert described["complete"] and described["preprocessing"]["size"] == [8, 8]
    alone = np.array([row["vector"] for row in rows[:7]])
    net = pl.load(DIGITS)["model"].evaluate()
    for row, found in zip(rows, alone, strict=False):
        image = Image.open(row["input"]).resize((8, 8), Image.Resampling.BOX)
        x = (np.asarray(image, np.float32)[None, None] / 255 - np.float32(0.305183)) / np.float32(0.375996)
        np.testing.assert_allclose(net.forward(x).ravel(), found, atol=1e-4)
    assert not list(tmp_path.glob("*.parts"))
    (tmp_path / "one").mkdir()
    run(capsys, "run-many", DIGITS, str(folder), "-o", str(tmp_path / "one.parquet"), "--vector", "--threads", "1")
    assert pq.read_table(tmp_path / "one.parquet").equals(table)


def test_an_interrupted_run_goes_on(capsys, tmp_path: Path, monkeypatch) -> None:
    folder, target = pictures(tmp_path / "in", 64, (3,)), tmp_path / "out.parquet"
    command = ["run-many", DIGITS, str(folder), "-o", str(target), "--batch", "4", "--vector"]
    run(capsys, *command)
    whole = pq.read_table(target)
    write, parts = Parts.write, []

    def interrupted(self: Parts, start: int, stop: int, table: object) -> None:
        if len(parts) == 3:
            raise KeyboardInterrupt
        write(self, start, stop, table)
        parts.append(stop - start)

    monkeypatch.setattr(Parts, "write", interrupted)
    assert main(command) == 130
    monkeypatch.undo()
    assert f"has {sum(parts)} of 64 rows; the same command resumes" in capsys.readouterr().out
    some = pq.read_table(target)
    assert some.equals(whole.take(some["row"])) and len(some) == sum(parts) < 64
    assert not json.loads(some.schema.metadata[b"pytorch_legacy"])["complete"]
    assert "part of a run with another asked; remove the folder" in fail(capsys, *command, "--mean", "0")
    assert "part of a run with another batch" in fail(capsys, *command, "--batch", "5")
    assert f"going on: {sum(parts)} rows are done" in run(capsys, *command, "--threads", "1")
    assert pq.read_table(target).equals(whole)


def test_many_run_as_a_program(capsys, tmp_path: Path, monkeypatch) -> None:
    """The network is compiled once; --no-compile runs it module by module, with the same numbers but for rounding."""
    rows = np.random.default_rng(3).standard_normal((150, 1, 8, 8)).astype(np.float32)
    np.save(tmp_path / "x.npy", rows)
    made = []
    compile = sent.compile
    monkeypatch.setattr(sent, "compile", lambda net, example: made.append(example) or compile(net, example))
    tables = []
    for more in ([], ["--no-compile"]):
        target = tmp_path / f"out{len(more)}.parquet"
        run(capsys, "run-many", DIGITS, str(tmp_path / "x.npy"), "-o", str(target), "--vector", *more)
        tables.append(np.array(pq.read_table(target)["vector"].to_pylist()))
    assert made == [(None, 1, 8, 8)]
    np.testing.assert_allclose(*tables, atol=1e-4)
    net = nn.Sequential(nn.View(-1, 64), nn.Linear(64, 2), nn.SpatialFractionalMaxPooling(2, 2, 0.5, 0.5))
    program, note = sent.compiled(net, (64,), 1000)
    assert program is None and note.startswith("the network runs module by module: ")
    assert sent.compiled(nn.Linear(3, 2), (3,), sent.FEW - 1) == (None, "")


def test_a_program_maps_blocks_and_other_shapes_run_module_by_module() -> None:
    net = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    rows = np.random.default_rng(1).standard_normal((300, 3)).astype(np.float32)
    found = pl.distributed.map(net, da.from_array(rows, chunks=(70, 3))).compute()
    np.testing.assert_allclose(found, net.forward(rows), rtol=1e-6)
    program, _ = sent.compiled(net, (3,), 1000)
    both = Sent(net, program=program).here()
    for n in (1, 5):
        np.testing.assert_allclose(both.forward(rows[:n]), net.forward(rows[:n]), rtol=1e-6)
    assert both.forward(rows[0]).shape == (2,)
    again = pickle.loads(pickle.dumps(Sent(net, program=program)))
    np.testing.assert_allclose(again.here().forward(rows[:4]), net.forward(rows[:4]), rtol=1e-6)


def test_pictures_come_out(capsys, tmp_path: Path) -> None:
    """As the same network writes them one by one."""
    folder = pictures(tmp_path / "in", 3, (1,))
    out = run(capsys, "run-many", SUPERRES, str(folder), "-o", str(tmp_path / "out.parquet"))
    assert "outputs: a picture for each" in out
    paths = pq.read_table(tmp_path / "out.parquet")["picture"].to_pylist()
    assert paths == ["out/0000000_0000.png", None, "out/0000002_0002.png"]
    run(capsys, "run", SUPERRES, str(folder / "0002.png"), "-o", str(tmp_path / "one.png"))
    one, many = (np.asarray(Image.open(tmp_path / path), int) for path in ("one.png", paths[2]))
    assert one.shape == (32, 32) and abs(one - many).max() <= 1


def test_features_of_an_array(capsys, tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(50, 3, 6, 6)).astype(np.float32)
    net = nn.Sequential(nn.SpatialConvolution(3, 2, 3, 3))
    pl.save(tmp_path / "net.t7", net)
    np.save(tmp_path / "x.npy", x)
    run(capsys, "run-many", str(tmp_path / "net.t7"), str(tmp_path / "x.npy"), "-o", str(tmp_path / "out.parquet"))
    table = pq.read_table(tmp_path / "out.parquet")
    assert table["shape"].to_pylist() == [[2, 4, 4]] * 50 and table["input"][49].as_py() == "x.npy[49]"
    np.testing.assert_allclose(np.array(table["array"].to_pylist()).reshape(50, 2, 4, 4), net.forward(x), atol=1e-5)


def test_what_cannot_be(capsys, tmp_path: Path) -> None:
    target = str(tmp_path / "out.parquet")
    many = ["run-many", DIGITS, str(tmp_path), "-o", target]
    for options, words in (
        ([], "there is no picture and no .npy file"),
        (["--scheduler", "tcp://x:1", "--processes", "2"], "--processes: the workers of --scheduler have a number of their own"),
    ):
        assert words in fail(capsys, *many, *options)
    assert "expected a name that ends in .parquet" in fail(capsys, "run-many", DIGITS, str(tmp_path), "-o", "out.npy")
    np.save(tmp_path / "x.npy", np.zeros((9, 3, 8, 8), np.float32))
    assert "expected 1 planes" in fail(capsys, "run-many", DIGITS, str(tmp_path / "x.npy"), "-o", target)
    assert "--memory: an input takes" in fail(
        capsys, "run-many", DIGITS, str(pictures(tmp_path / "in", 2, ())), "-o", target, "--memory", "10kB"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "x.npy"]


def test_run_says_the_name_of_run_many(capsys, tmp_path: Path) -> None:
    """``run`` takes many inputs too, says the new name, and refuses what goes with one input alone."""
    folder, target = pictures(tmp_path / "in", 2, ()), str(tmp_path / "out.parquet")
    out = run(capsys, "run", DIGITS, str(folder), "-o", target, "--vector", "--batch", "1")
    assert "note: many inputs have a command of their own: pytorch-legacy run-many" in out
    assert len(pq.read_table(target)["vector"]) == 2
    assert "--time: is not for many inputs" in fail(capsys, "run", DIGITS, str(folder), "-o", target, "--time")
    assert f"pytorch-legacy run-many {DIGITS} {folder} -o results.parquet" in fail(capsys, "run", DIGITS, str(folder))
    for options in (["--processes", "2"], ["--no-compile"], ["--vector"]):
        assert f"{options[0]}: is an option of pytorch-legacy run-many" in fail(capsys, "run", DIGITS, DIGITS, *options)


def test_a_missing_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['distributed'] = None; from pytorch_legacy.cli import main; "
        f"sys.exit(main(['run-many', {DIGITS!r}, 'in', '-o', 'out.parquet']))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.returncode == 1 and 'run: pip install "pytorch-legacy[dask]"' in found.stderr


# ---------------------------------------------------------------------------------------------- parts of it


def test_arrays_of_all_kinds(tmp_path: Path) -> None:
    x = np.arange(24, dtype=np.float32).reshape(8, 3)
    np.save(tmp_path / "x.npy", x)
    np.savez_compressed(tmp_path / "x.npz", x=x, y=x[:1])
    t7.write(tmp_path / "x.t7", x)
    names = ["x.npy", "x.npz", "x.t7"]
    try:
        import zarr
    except ImportError:
        pass
    else:
        names.append("x.zarr")
        zarr.create_array(tmp_path / "x.zarr", shape=x.shape, chunks=(3, 3), dtype="f4")[:] = x
    preprocessing = sources.Preprocessing()
    for name in names:
        found = sources.opened([str(tmp_path / name)], "x" if name == "x.npz" else None, tmp_path, ())
        assert len(found) == 8 and found.cut(2, 9).names[0] == f"{name}[2]"
        rows = [sample.array for sample in found.cut(2, 5).samples(preprocessing, x.dtype)]
        np.testing.assert_array_equal(rows, x[2:5])
    (tmp_path / "x.npy").write_bytes((tmp_path / "x.npy").read_bytes()[:-20])
    with pytest.raises(sources.Problem, match="cannot be read as"):
        sources.opened([str(tmp_path / "x.npy")], None, tmp_path, ())


def test_files_of_all_kinds(tmp_path: Path, monkeypatch) -> None:
    pictures(tmp_path / "in", 4, ())
    (tmp_path / "in" / "deep").mkdir()
    (tmp_path / "in" / "text.md").write_text("no input")
    np.save(tmp_path / "in" / "deep" / "x.npy", np.zeros((1, 1, 4, 4), np.float32))
    np.save(tmp_path / "in" / "deep" / "y.npy", np.zeros((2, 1, 4, 4), np.float32))
    (tmp_path / "list").write_text("in/0001.png\r\nin/missing.png\n\nin\n")
    monkeypatch.chdir(tmp_path)
    folder = sources.opened(["in"], None, tmp_path, (Path("in/skipped"),))
    assert folder.names == (*(f"in/000{i}.png" for i in range(4)), "in/deep/x.npy", "in/deep/y.npy")
    assert sources.opened(["in/*1.png", "in/0003.png"], None, tmp_path, ()).names == ("in/0001.png", "in/0003.png")
    found = list(sources.opened(["list"], None, tmp_path, ()).samples(sources.Preprocessing(), np.dtype(np.float32)))
    assert found[0].array.shape == (1, 16, 16) and 0.9 < found[0].array.max() <= 1
    assert "there is no such file" in found[1].text and "expected a file" in found[2].text
    *_, one, two = folder.samples(sources.Preprocessing(), np.dtype(np.float32))
    assert one.array.shape == (1, 4, 4) and "expected one sample, got shape 2x1x4x4" in two.text


def test_one_bad_sample_fails_alone() -> None:
    net = nn.Sequential(nn.Linear(3, 2)).evaluate()
    rows = [np.full(3, i, np.float32) for i in range(5)]
    found = batches.outputs(net, [*rows[:2], np.zeros(4, np.float32), *rows[2:]], 2)
    assert isinstance(found.pop(2), batches.Failed)
    np.testing.assert_allclose(found, net.forward(np.stack(rows)), rtol=1e-6)


def test_a_network_that_mixes_its_batch_gets_one_at_a_time() -> None:
    rows = [np.array([1, 2], np.float32), np.array([5, -7], np.float32)]
    assert batches.choose_way(nn.Sequential(nn.Linear(2, 2)).evaluate(), rows) == "batch"
    assert batches.choose_way(nn.Sequential(nn.SoftMax(), nn.Sum(0), nn.Reshape(1, 2)).evaluate(), rows) == "one"


def test_outputs_that_differ_from_the_first_are_errors() -> None:
    form = Form("array", (2,), "float32")
    table = form.table(5, ["a", "b"], [np.ones(2), np.ones(3)], [None, None])
    assert table["vector"].to_pylist() == [[1, 1], None] and "expected an output of 2" in table["error"][1].as_py()


# ---------------------------------------------------------------------------------------------- map


def test_a_network_travels_as_its_parameters() -> None:
    net = nn.Sequential(nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10))
    x = np.ones((500, 100), np.float32)
    net.backward(x, net.forward(x))
    content = pickle.dumps(Sent(net))
    assert len(content) < sum(array.nbytes for array in net.parameters()[0]) + 5000
    here = pickle.loads(content)
    assert pickle.loads(content) is here
    np.testing.assert_array_equal(here.here().forward(x), net.forward(x))


def test_map(monkeypatch) -> None:
    net = nn.Sequential(nn.Reshape(12), nn.Linear(12, 5), nn.Dropout(0.5))
    x = np.random.default_rng(0).normal(size=(70, 3, 4)).astype(np.float32)
    expected = net.evaluate().forward(x).copy()
    net.training()
    rows = pl.distributed.map(net, da.from_array(x, chunks=(30, 2, 4)))
    assert rows.shape == (70, 5) and rows.chunks == ((30, 30, 10), (5,)) and rows.dtype == np.float32
    np.testing.assert_allclose(rows.compute(scheduler="threads"), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(rows[65:].compute(scheduler="sync"), expected[65:], rtol=1e-5, atol=1e-6)
    items = pl.distributed.map(net, db.from_sequence(list(x), npartitions=4))
    np.testing.assert_allclose(items.compute(scheduler="threads"), expected, rtol=1e-5, atol=1e-6)
    assert net.train
    with pytest.raises(errors.ShapeError):
        pl.distributed.map(net, da.zeros((4, 7), dtype=np.float32))
    with pytest.raises(errors.DtypeError, match="expected float32"):
        pl.distributed.map(net, da.zeros((4, 3, 4)))
    with pytest.raises(errors.ArgumentError, match=r"expected a dask\.array\.Array or a dask\.bag\.Bag, got ndarray"):
        pl.distributed.map(net, x)
    with pytest.raises(errors.ArgumentError, match="net: expected a module, got int"):
        pl.distributed.map(3, rows)
    monkeypatch.setitem(sys.modules, "dask.array", None)
    with pytest.raises(errors.UnsupportedError, match=r"pytorch-legacy\[dask\]"):
        pl.distributed.map(net, rows)


def stopped(command: list[str], monkeypatch: pytest.MonkeyPatch, count: int) -> list[Path]:
    """Runs a command until `count` parts are written; returns their paths."""
    write, written = Parts.write, []

    def interrupted(self: Parts, start: int, stop: int, table: object) -> None:
        if len(written) == count:
            raise KeyboardInterrupt
        write(self, start, stop, table)
        written.append(self._path(start, stop))

    monkeypatch.setattr(Parts, "write", interrupted)
    assert main(command) == 130
    monkeypatch.undo()
    return sorted(written)


def flip(path: Path, place: int) -> None:
    """Changes a bit of a file."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def test_damaged_parts_are_computed_again(capsys, tmp_path: Path, monkeypatch) -> None:
    folder, target = pictures(tmp_path / "in", 96, (3,)), tmp_path / "out.parquet"
    command = ["run-many", DIGITS, str(folder), "-o", str(target), "--batch", "2", "--vector", "--threads", "4"]
    run(capsys, *command)
    complete = pq.read_table(target)
    parts = stopped(command, monkeypatch, 7)
    (parts[0].parent / "other-file.parquet").write_bytes(b"of somebody")
    parts[0].write_bytes(b"")
    parts[1].write_bytes(parts[1].read_bytes()[:-20])
    flip(parts[2], parts[2].stat().st_size // 3)
    table = pq.read_table(parts[3])
    pq.write_table(table.slice(1), parts[3])
    pq.write_table(table.drop_columns("vector"), parts[4])
    shutil.copy(parts[6], parts[5])
    out = run(capsys, *command)
    for part, reason in zip(parts, (*["cannot be read"] * 3, "expected the rows", "expected the columns row, "), strict=False):
        assert f"computed again, as it is damaged: {part}: {reason}" in out
    assert "computed again: 1 more damaged parts" in out and f"going on: {len(table)} rows are done" in out
    assert pq.read_table(target).equals(complete)
    assert [*tmp_path.iterdir()] == [folder, target] or [*tmp_path.iterdir()] == [target, folder]


def test_no_changed_byte_changes_a_number(tmp_path: Path) -> None:
    """A changed byte makes a part unreadable, or is in what nobody reads."""
    form = Form("scores", (3,), "float32", vector=True)
    found = [np.random.default_rng(i).random(3, np.float32) for i in range(5)]
    table = form.table(0, [f"{i}.png" for i in range(5)], found, [None] * 5)
    parts = Parts(tmp_path)
    parts.write(0, 5, table)
    (part,) = tmp_path.iterdir()
    size, refused = part.stat().st_size, 0
    assert parts.check(form, tmp_path) == []
    for place in range(0, size, 11):
        flip(part, place)
        if parts._problem(0, 5, form, tmp_path):
            refused += 1
        else:
            assert parts._table(0, 5).equals(table), place
        flip(part, place)
    assert refused > size // 50


def test_options_without_a_use(capsys, tmp_path: Path) -> None:
    """Each is one line, before anything runs."""
    floats, target = tmp_path / "x.npy", str(tmp_path / "out.parquet")
    np.save(floats, np.zeros((4, 1, 8, 8), np.float32))
    t7.write(tmp_path / "x.t7", {"a": [np.zeros((4, 1, 8, 8), np.float32)], "images": np.zeros((2, 1, 8, 8), np.float32)})
    (tmp_path / "arrays").mkdir()
    for i in range(2):
        np.save(tmp_path / "arrays" / f"{i}.npy", np.zeros((1, 8, 8), np.float32))
    (tmp_path / "list.txt").write_text(f"{tmp_path / 'arrays' / '0.npy'}\n")
    folder = pictures(tmp_path / "in", 3, ())
    for arguments, text in (
        ([floats, "--key", "a"], "--key a: an .npy file holds one array"),
        ([folder, "--key", "a"], "--key a: only one .npz, .t7 or zarr input has several arrays"),
        ([tmp_path / "list.txt", "--key", "a"], "--key a: a list of paths holds no array"),
        ([floats, "--size", "8x8"], f"--size: {floats}: an array keeps its size"),
        ([tmp_path / "arrays", "--gray"], "--gray: "),
        ([floats, "--scale", "2"], "--scale: "),
        ([tmp_path / "x.t7", "--key", "b"], "--key b: there is no such place; tensors of the file: a.1, images"),
    ):
        text_of_error = fail(capsys, "run-many", DIGITS, *map(str, arguments), "-o", target)
        assert text in text_of_error and text_of_error.count("\n") == 1, arguments
    assert not [*tmp_path.glob("out*")]
    assert "4 rows of 1x8x8 float32" in run(capsys, "run-many", DIGITS, str(tmp_path / "x.t7"), "--key", "a.1", "-o", target)


def test_a_part_that_cannot_be_read_now_stays(tmp_path: Path, monkeypatch) -> None:
    """A lack of memory, or a disk that fails, says nothing against a part."""
    form, parts = Form("array", (2,), "float32"), Parts(tmp_path)
    parts.write(0, 1, form.table(0, ["x"], [np.zeros(2, np.float32)], [None]))
    for error in (MemoryError(), OSError(5, "Input/output error")):
        with monkeypatch.context() as patch, pytest.raises(type(error)):
            patch.setattr("pytorch_legacy.distributed.results._read", lambda path, error=error: (_ for _ in ()).throw(error))
            parts.check(form, tmp_path)
        assert parts.done() == [(0, 1)]


def test_a_lack_of_memory_names_the_input(capsys, tmp_path: Path) -> None:
    large, folder = str(tmp_path / "large.t7"), pictures(tmp_path / "in", 2, ())
    pl.save(large, nn.Sequential(nn.SpatialUpSamplingNearest(2_000_000)))
    text = fail(capsys, "run-many", large, str(folder), "-o", str(tmp_path / "out.parquet"))
    assert f"{folder / '0000.png'}: there is not enough memory (in module 1 of" in text and "--size" in text


def test_pictures_that_are_gone_are_computed_again(capsys, tmp_path: Path, monkeypatch) -> None:
    folder, target = pictures(tmp_path / "in", 20, ()), tmp_path / "out.parquet"
    command = ["run-many", SUPERRES, str(folder), "-o", str(target), "--batch", "1", "--threads", "1"]
    parts = stopped(command, monkeypatch, 3)
    names = [pq.read_table(part)["picture"][0].as_py() for part in parts]
    (tmp_path / names[0]).unlink()
    (tmp_path / names[1]).write_bytes((tmp_path / names[1]).read_bytes()[:-1])
    out = run(capsys, *command)
    assert f"{parts[0]}: its picture {names[0]} is missing or broken" in out and f"{parts[1]}: its picture" in out
    assert str(parts[2]) not in out
    for row in pq.read_table(target).to_pylist():
        Image.open(tmp_path / row["picture"]).load()


def test_the_note_of_a_run(capsys, tmp_path: Path, monkeypatch) -> None:
    folder, target = pictures(tmp_path / "in", 32, ()), tmp_path / "out.parquet"
    command = ["run-many", DIGITS, str(folder), "-o", str(target), "--batch", "2", "--threads", "1"]
    parts = stopped(command, monkeypatch, 2)
    note = parts[0].parent / "job.json"
    content = note.read_bytes()
    for broken in (content[:-10], b"", b"[]", b'{"same": {}, "plan": {}}'):
        note.write_bytes(broken)
        assert "job.json: is damaged" in fail(capsys, *command)
    note.unlink()
    assert "holds parts of a run, but not its job.json; remove the folder" in fail(capsys, *command)
    note.write_bytes(content)
    assert "going on: " in run(capsys, *command)


def test_a_part_that_breaks_while_the_run_goes_on(capsys, tmp_path: Path, monkeypatch) -> None:
    folder, target = pictures(tmp_path / "in", 32, ()), tmp_path / "out.parquet"
    command = ["run-many", DIGITS, str(folder), "-o", str(target), "--batch", "2", "--threads", "1"]
    write = Parts.write

    def broken(self: Parts, start: int, stop: int, table: object) -> None:
        write(self, start, stop, table)
        if start == 0:
            self._path(start, stop).write_bytes(b"PAR1")

    monkeypatch.setattr(Parts, "write", broken)
    text = fail(capsys, *command)
    assert "cannot be read" in text and "the same command computes its rows again" in text
    monkeypatch.undo()
    run(capsys, *command)
    assert len(pq.read_table(target)) == 32
