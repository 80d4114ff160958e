"""Without the C library, files are read and weights moved; a computation raises an error."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NET = ROOT / "examples" / "digits" / "digits.t7"
CODE = """
import sys
if sys.argv[3] == "unbuilt":
    sys.modules["pytorch_legacy.backend._thnn"] = None
import pytorch_legacy as pl
plain, loaded = pl.t7.read(sys.argv[1]), pl.load(sys.argv[1])
assert type(plain["model"]) is pl.t7.TorchObject and isinstance(loaded["model"], pl.nn.Sequential)
tensors = pl.interop.tensors(loaded)
pl.interop.save(sys.argv[2] + ".npz", tensors)
assert set(pl.interop.load(sys.argv[2] + ".npz")) == set(tensors) and len(tensors) > 20
pl.save(sys.argv[2] + ".t7", loaded)
pl.t7.read(sys.argv[2] + ".t7")
for compute in (lambda: loaded["model"].forward(pl.t7.read(sys.argv[1])["mean"]), lambda: pl.nn.Linear(2, 3), pl.random.uniform):
    try:
        compute()
    except ImportError as error:
        assert "without the library .t7 files are read and weights converted, but nothing is computed" in str(error)
    except pl.THNNError:
        pass
    else:
        raise AssertionError("computed")
"""


def run(*command, **environment):
    call, env = [sys.executable, *map(str, command)], os.environ | environment
    done = subprocess.run(call, capture_output=True, text=True, cwd=ROOT, env=env)
    return done.returncode, done.stdout + done.stderr


def test_in_python(tmp_path):
    assert run("-c", CODE, NET, tmp_path / "net", "unbuilt") == (0, "")
    assert run("-c", CODE, NET, tmp_path / "net", "not found", PYTORCH_LEGACY_THNN="/nowhere/libTHNN.so") == (0, "")


def test_on_the_command_line(tmp_path):
    missing = {"PYTORCH_LEGACY_THNN": "/nowhere/libTHNN.so"}
    code, text = run("-m", "pytorch_legacy", "convert", NET, tmp_path / "net.npz", **missing)
    assert code == 0 and (tmp_path / "net.npz").exists(), text
    code, text = run("-m", "pytorch_legacy", "inspect", NET, **missing)
    assert "nn.Sequential" in text and "Traceback" not in text
    code, text = run("-m", "pytorch_legacy", "run", NET, ROOT / "examples" / "digits" / "digit_9.png", **missing)
    assert code != 0 and "nothing is computed" in text and "Traceback" not in text
