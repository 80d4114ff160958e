"""Files that other people made with Torch7, where a folder that holds them is named."""

import io
import os
from pathlib import Path

import numpy as np
import pytest

from pytorch_legacy import t7

FOLDER = os.environ.get("PYTORCH_LEGACY_REALFILES")
FILES = sorted(path for path in Path(FOLDER).iterdir() if path.suffix in (".t7", ".net")) if FOLDER else []

pytestmark = pytest.mark.skipif(not FILES, reason="PYTORCH_LEGACY_REALFILES names no folder with files")

# Cuda types are written as the plain ones; text of an older Torch7 had fewer digits.
CHANGED = ("cudnn.torch__modelTemp", "e-lab__face-detector.ascii")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_read_and_written_again(path):
    value = t7.read(path)
    ascii_format = ".ascii." in path.name
    file = io.BytesIO()
    t7.write(file, value, "ascii" if ascii_format else "binary")
    if path.name.startswith(CHANGED):
        again = io.BytesIO()
        t7.write(again, t7.read(file.getvalue()), "ascii" if ascii_format else "binary")
        assert again.getvalue() == file.getvalue()
    else:
        assert file.getvalue() == path.read_bytes()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_truncated(path):
    content = path.read_bytes()
    for end in np.linspace(0, len(content) - 5, 20, dtype=int):
        with pytest.raises(t7.T7Error):
            t7.read(content[:end])


@pytest.mark.parametrize(
    "name, check",
    [
        ("python-torchfile__hello=123.t7", lambda x: x == {"hello": 123}),
        ("python-torchfile__list_table.t7", lambda x: x == ["hello", "world", "third item", 123]),
        ("python-torchfile__tds_vec.t7", lambda x: x == [123, 456]),
        ("python-torchfile__tds_hash.t7", lambda x: x == {1: 2, 2: 3, 10: 11}),
        ("python-torchfile__recursive_class.t7", lambda x: x.fields["a"] is x),
        ("python-torchfile__recursive_kv_table.t7", lambda x: x[t7.IdentityKey(x)] is x),
        ("python-torchfile__function_upvals.t7", lambda x: len(x.upvalues) == 1),
        ("python-torchfile__gmodule_with_linear_identity.t7", lambda x: x.typename == "nn.gModule"),
        ("cudnn.torch__modelTemp.t7", lambda x: x.fields["weight"].dtype == np.float32),
        ("cpp-torch__basic_x.t7", lambda x: x.tolist() == [1, 2, 3]),
        ("char-rnn__lstm_epoch2.36_1.7753.t7", lambda x: abs(x["val_loss"] - 1.7753191349554005) < 1e-15),
    ],
)
def test_contents(name, check):
    if not (Path(FOLDER) / name).exists():
        pytest.skip("not in the folder")
    assert check(t7.read(Path(FOLDER) / name))
