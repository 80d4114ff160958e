"""Results of libTHNN do not depend on the caller's floating-point environment, its locale or errno, and no call changes them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pytorch_legacy import backend
from tests import capi
from tests.core.environments import MODES

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COMPILER = shutil.which(os.environ.get("CC", "gcc"))
FLAGS = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]

# A locale of which only the decimal separator is defined.
COMMA = """comment_char %
escape_char /
LC_NUMERIC
decimal_point "<U002C>"
thousands_sep ""
grouping -1
END LC_NUMERIC
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("environment") / "environment.so"
    assert COMPILER
    subprocess.run([COMPILER, *FLAGS, HERE / "environment.c", "-o", target, "-lm"], check=True, timeout=60)
    return target


@pytest.mark.skipif(COMPILER is None or not sys.platform.startswith("linux"), reason="needs gcc, and what only glibc knows")
@pytest.mark.parametrize("modes", [("flush", "up"), ("traps",)], ids=["flush", "traps"])
def test_every_function_in_every_mode(host: Path, modes: tuple[str, ...]) -> None:
    """Threads are made in the first mode of a process. In the other modes they are there before."""
    assert {*modes} <= {*MODES}
    command = [sys.executable, "-m", "tests.core.environments", host, *modes]
    environment = {**os.environ, "PYTORCH_LEGACY_THNN": str(backend.library_path), "OMP_NUM_THREADS": "4"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10 * (1 + len(modes)) * len(capi.GENERIC)


MESSAGES = """
    import ctypes, json, locale
    from tests.core.environments import messages

    usual = [*messages()]
    locale.setlocale(locale.LC_NUMERIC, "comma")
    found = [*messages()]
    text = ctypes.create_string_buffer(8)
    ctypes.CDLL(None).snprintf(text, 8, b"%g", ctypes.c_double(1.5))
    print(json.dumps([usual, found, text.value.decode()]))
"""


@pytest.mark.skipif(shutil.which("localedef") is None, reason="needs localedef of glibc")
def test_messages_have_a_point_in_every_locale(tmp_path: Path) -> None:
    """The host's own numbers have its comma afterwards."""
    source = tmp_path / "comma.txt"
    source.write_text(COMMA)
    subprocess.run(["localedef", "-c", "-i", source, "-f", "ANSI_X3.4-1968", tmp_path / "comma"], capture_output=True, timeout=60)
    environment = {**os.environ, "PYTORCH_LEGACY_THNN": str(backend.library_path), "LOCPATH": str(tmp_path)}
    command = [sys.executable, "-c", textwrap.dedent(MESSAGES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    usual, found, of_host = json.loads(done.stdout)
    assert of_host == "1,5"
    assert sum("-0.123456" in message for message in usual) > 10
    assert found == usual


OWN_LAYER = """
    import ctypes, sys
    import pytorch_legacy as pl
    from tests import capi
    from tests.core.environments import MODES, Host, compare, filled, small, with_threads

    pl.extension.new_layer("SoftCut", "pointwise", "SoftCut")
    extension = pl.extension.load("SoftCut/SoftCut.c")
    host = Host(sys.argv[1], ctypes.CDLL(str(extension.library)))
    for function in extension.functions.values():
        small(host, function, *MODES)
        with_threads(4)
        compare(host, MODES, filled(capi.valid(function, "Float", capi.SIZES | {"any": 1 << 20})), function.name)
    print(host.calls)
"""


@pytest.mark.skipif(COMPILER is None or not sys.platform.startswith("linux"), reason="needs gcc, and what only glibc knows")
def test_a_layer_outside_of_the_package(host: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTORCH_LEGACY_THNN": str(backend.library_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"
    command = [sys.executable, "-c", textwrap.dedent(OWN_LAYER), host]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100
