"""Names in files are written by others: none steers the terminal, forges a line or ends a command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import t7
from pytorch_legacy.cli import main

ROOT = Path(__file__).resolve().parents[2]
EVIL = "\x1b]0;title\x07\x1b[31m\nforged: line\r\u202e\x9b1m\udce9"


def test_nothing_raw_is_printed(capsys, tmp_path) -> None:
    """As class, key, field, string, class name of a label, upvalue; in headings, trees, stubs, errors, JSON."""
    function = t7.Function(b"\x1bLJ\x02", [{"name": EVIL, "id": 1, "value": 1}])
    layer = t7.TorchObject(EVIL, 1, {EVIL: np.ones(2), "f": function})
    values = [
        layer,
        {EVIL: layer, "x": {EVIL: EVIL}, "list": [EVIL], "net": t7.TorchObject("nn.Sequential", 1, {"modules": [layer]})},
        {EVIL: t7.TorchObject("nn.Linear", 1, {"weight": "x"})},
        {"model": t7.TorchObject("nn.Identity", 1, {}), "classes": [EVIL, EVIL], EVIL: np.zeros((1, 2), np.float32)},
        {EVIL: t7.TorchObject("nn.Identity", 1, {}), "b": t7.TorchObject("nn.Tanh", 1, {EVIL: 1, "updateOutput": function})},
    ]
    file, data = str(tmp_path / "x.t7"), str(tmp_path / "in.t7")
    t7.write(data, {"x": np.arange(2, dtype=np.float32)[None], EVIL: np.ones(1)})
    for value in values:
        t7.write(file, value)
        for arguments in (
            ["inspect", file], ["inspect", file, "--all", "--fields", "--verbose"], ["inspect", file, "--json"],
            ["inspect", file, "--input", "1x2"], ["inspect", file, "--model", EVIL], ["run", file, data],
            ["run", file, data, "--key", EVIL], ["run", file, data, "--model", EVIL], ["run", data, data],
            ["convert", file, str(tmp_path / "out.npz")], ["convert", file, str(tmp_path / "out.h5")],
            ["convert", file, str(tmp_path / "out.t7"), "--model", EVIL],
        ):  # fmt: skip
            status = main(arguments)
            captured = capsys.readouterr()
            text = captured.out + captured.err
            assert not set(text) & set("\x1b\x07\r\u202e\x9b\udce9"), (arguments, text)
            assert "\nforged" not in text and not text.startswith("forged")
            assert status == 0 or captured.err.splitlines()[-1].startswith("pytorch-legacy: ")


def test_the_key_3_and_the_number_3(capsys, tmp_path) -> None:
    t7.write(tmp_path / "x.t7", {3: "number", "3": "text", "a.b": 1, "a b": 2, "é": 3, 2.5: 4, "": 5})
    assert main(["inspect", str(tmp_path / "x.t7"), "--all"]) == 0
    out = capsys.readouterr().out
    assert "\n  3       'number'" in out and "'3'     'text'" in out and "'a.b'   1" in out and "\n  ''      5" in out


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ".h5", ".t7"])
def test_strange_keys_are_converted_or_refused_in_a_line(capsys, tmp_path, suffix: str) -> None:
    pytest.importorskip({".h5": "h5py"}.get(suffix, "numpy"))
    source, target = tmp_path / "x.t7", tmp_path / f"out{suffix}"
    for key in ("caf\udce9", "x" * 70_000, ".", "a/b", "/", "", "a\0b", "__metadata__", "..", "../../x", EVIL):
        t7.write(source, {key: np.ones(2), "other": np.zeros(1)})
        target.unlink(missing_ok=True)
        status = main(["convert", str(source), str(target)])
        captured = capsys.readouterr()
        assert captured.err.count("\n") == status and len(captured.err) < 500
        assert target.exists() == (status == 0)
        if status == 0:
            found = t7.read(target) if suffix == ".t7" else pl.interop.load(target)
            assert len(found) == 2
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


def test_few_bytes_stay_few(capsys, tmp_path) -> None:
    """A tensor of 2^25 elements, or of terabytes, in 150 bytes; of either byte order."""
    for form, count in (("binary", 1 << 25), ("ascii", 1 << 40), ("binary", 1 << 45)):
        one = np.ones(1)
        t7.write(tmp_path / "x.t7", {"w": np.broadcast_to(one, (count,)), "v": np.broadcast_to(one, (3, count))}, form)
        for suffix in (".npz", ".safetensors", ".h5"):
            assert main(["convert", str(tmp_path / "x.t7"), str(tmp_path / f"out{suffix}")]) == 1
            assert "repeat or share 8 bytes" in capsys.readouterr().err
        assert main(["inspect", str(tmp_path / "x.t7"), "--all"]) == 0
        assert main(["convert", str(tmp_path / "x.t7"), str(tmp_path / "y.t7")]) == 0
        t7.write(tmp_path / "x.t7", np.broadcast_to(np.ones(1), (3, count)), form)
        assert main(["inspect", str(tmp_path / "x.t7")]) == 0
        assert f"tensor 3x{count}" in capsys.readouterr().out
    assert (tmp_path / "y.t7").stat().st_size < 1000


def piped(command: str, **options: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    words = ["bash", "-o", "pipefail", "-c", command.replace("COMMAND", f"{sys.executable} -m pytorch_legacy")]
    return subprocess.run(words, capture_output=True, text=True, env=environment, timeout=120, **options)  # type: ignore[call-overload]


def test_a_reader_that_has_seen_enough(tmp_path) -> None:
    """Also where the output is larger than a pipe; and a disk that is full says so."""
    t7.write(tmp_path / "x.t7", {f"key{i:06}": i for i in range(20_000)})
    for part in ("| head -1", "| true", ">&-"):
        done = piped(f"COMMAND inspect {tmp_path / 'x.t7'} --all {part}")
        assert (done.returncode, done.stderr) == (0, "")
    if Path("/dev/full").exists():
        done = piped(f"COMMAND inspect {tmp_path / 'x.t7'} > /dev/full")
        assert done.returncode == 1 and done.stderr == "pytorch-legacy: [Errno 28] No space left on device\n"
        done = piped("COMMAND run --help > /dev/full")
        assert done.returncode == 1 and done.stderr == "pytorch-legacy: [Errno 28] No space left on device\n"


def test_an_output_without_unicode(tmp_path) -> None:
    t7.write(tmp_path / "x.t7", {"é": "ü"})
    done = piped(f"PYTHONIOENCODING=ascii COMMAND inspect {tmp_path / 'x.t7'} --all")
    assert done.returncode == 0 and "xfc" in done.stdout
    done = piped(f"COMMAND inspect {tmp_path}/$'caf\\xe9.t7'")
    assert done.returncode == 1 and "caf\\xe9.t7: there is no such file" in done.stderr
