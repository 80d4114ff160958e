"""The commands that pages and help texts show run as they stand: those of a guide one after the other, others by themselves."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import interop, nn
from pytorch_legacy.cli import convert, inspect, main, run, run_many
from pytorch_legacy.interop import plain

ROOT = Path(__file__).resolve().parent.parent
GUIDE = "docs/porting.md"
PAGES = ("README.md", "docs/t7.md", "docs/bridges.md", "docs/scaling.md")
# Names for what the reader has, such as MODEL.t7; the address of a cluster; a text that stops.
_PLACEHOLDER = re.compile(r"\b[A-Z]{3,}|\.\.\. |tcp://|--help|new-layer|--classes")
_NEEDS = (
    (r"\.(py|pt2|onnx)\b", "torch"),
    (r"--into .*--input ", "torch"),  # the weights have the names of the module that the bridge writes
    (r"\.onnx\b", "onnxruntime"),
    (r"\.parquet\b", "dask"),
    (r"\.safetensors\b", "safetensors"),
    (r"\.(png|jpg)\b|\bphotos\b", "PIL"),
)


def commands(text: str) -> Iterator[str]:
    """The commands in a page: lines of shell, parts of them, and code in a sentence or a table."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [part.strip() for block in blocks for line in block.splitlines() for part in re.split(" && |  +#", line)]
    inline = re.findall(r"`(pytorch-legacy [^`]*)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    for command in [*lines, *inline]:
        if command.startswith("pytorch-legacy ") and " " in command[15:] and not _PLACEHOLDER.search(command):
            yield command


def help_commands() -> Iterator[str]:
    for text in (inspect.DESCRIPTION, run.DESCRIPTION, run_many.DESCRIPTION, convert.DESCRIPTION):
        for line in re.findall(r"^  (pytorch-legacy .*?)(?:  +.*)?$", text, re.MULTILINE):
            if not _PLACEHOLDER.search(line):
                yield line


def call(command: str) -> None:
    words = shlex.split(command)
    for pattern, package in _NEEDS:
        if re.search(pattern, command) and find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    assert main(words[1:]) == 0, command


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the pages take for granted, under the names that they use."""
    folder = tmp_path_factory.mktemp("bundle")
    (folder / "examples").symlink_to(ROOT / "examples")
    digits, superres = ROOT / "examples" / "digits", ROOT / "examples" / "superres"
    net = nn.Sequential(nn.SpatialConvolution(3, 4, 3, 3, 4, 4), nn.ReLU(), nn.SpatialAdaptiveAveragePooling(1, 1), nn.View(4))
    net.add(nn.Linear(4, 5)).add(nn.LogSoftMax()).evaluate()
    pictures = nn.Sequential(nn.View(-1).setNumInputDims(3), nn.Linear(3072, 4))
    words = nn.Sequential(nn.LookupTable(9, 4), nn.Sum(1))
    pl.save(folder / "net.t7", net)
    pl.save(folder / "text.t7", net, "ascii")
    pl.save(folder / "two.t7", nn.Sequential(nn.ParallelTable(pictures, words), nn.CAddTable()))
    pl.save(folder / "ckpt.t7", {"model": net, "protos": {"rnn": nn.Linear(2, 3)}})
    pl.save(folder / "vocab.t7", {"a": 1, "b": 2})
    pl.save(folder / "data.t7", {"train": {"images": np.zeros((4, 3, 5, 5), np.float32), "labels": np.arange(4)}})
    interop.save(folder / "new.npz", interop.tensors(net))
    shutil.copy(folder / "new.npz", folder / "net.npz")
    for name in ("old.t7", "opt.t7"):
        shutil.copy(ROOT / "tests" / "golden" / "compat" / "SpatialBatchNormalization_std_2x3x2x2.t7", folder / name)
    np.save(folder / "images.npy", np.zeros((4, 3, 5, 5)))
    np.save(folder / "input.npy", np.zeros((2, 3, 64, 64), np.float32))
    for name in ("labels.csv", "rows.csv"):
        plain.write(folder / name, np.arange(4))
    for source, name in ((digits / "digits.t7", "digits.t7"), (digits / "digit_3.png", "digit_3.png"), (superres / "superres.t7",
                         "superres.t7"), (superres / "superres_lr_rgb.png", "small.png")):  # fmt: skip
        shutil.copy(source, folder / name)
    if find_spec("PIL"):
        from PIL import Image

        (folder / "photos").mkdir()
        for i in range(3):
            Image.new("RGB", (64, 64), (50 * i, 9, 9)).save(folder / "photos" / f"{i}.png")
        Image.new("RGB", (300, 260), (1, 2, 3)).save(folder / "photo.jpg")
    if find_spec("torch"):
        pl.to_python(net, folder / "net.py", (None, 3, 224, 224))
    return folder


def test_the_commands_of_a_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, in a folder that has nothing but the examples of the project."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = [*commands((ROOT / GUIDE).read_text(encoding="utf-8"))]
    assert len(found) >= 10
    for command in found:
        try:
            call(command)
        except pytest.skip.Exception:
            continue  # a package may be missing


def test_pages_have_commands() -> None:
    counts = {page: len([*commands((ROOT / page).read_text(encoding="utf-8"))]) for page in PAGES}
    for page, least in {"README.md": 4, "docs/t7.md": 12, "docs/bridges.md": 4, "docs/scaling.md": 2}.items():
        assert counts[page] >= least, page
    assert len([*help_commands()]) >= 18


@pytest.mark.parametrize(
    "command",
    dict.fromkeys(chain(*(commands((ROOT / page).read_text(encoding="utf-8")) for page in PAGES), help_commands())),
)
def test_a_command(command: str, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone, in a folder with the files that it names."""
    folder = shutil.copytree(bundle, tmp_path / "work", symlinks=True)
    monkeypatch.chdir(folder)
    if "digits_ddp.t7" in command:
        shutil.copy(folder / "digits.t7", folder / "digits_ddp.t7")  # examples/ddp.py writes this file
    call(command)
