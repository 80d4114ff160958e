"""libTHNN exports the functions of its header, and nothing else.

golden_symbols.txt has what hosts may have been linked with: a function that leaves the header breaks them. New functions need
no line there; `python -m tests.test_symbols` adds them when a release is made. Where one has to go, raise THNN_ABI_VERSION.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytorch_legacy import backend
from pytorch_legacy.backend import header
from tests.capi import FUNCTIONS, HEADER

LIST = Path(__file__).with_name("golden_symbols.txt")
GOLDEN = LIST.read_text().split()
HEADED = sorted(symbol for function in FUNCTIONS for symbol in function.exports)

needs_nm = pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm (binutils)")
needs_readelf = pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf (binutils)")
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ELF only")


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_no_function_leaves_the_header() -> None:
    assert len(GOLDEN) >= 671 and not set(GOLDEN) - set(HEADED), "hosts were linked with these functions: raise THNN_ABI_VERSION"


@needs_nm
@on_linux
def test_library_exports_the_header() -> None:
    lines = [line.split() for line in output("nm", "-D", "--defined-only", str(backend.library_path)).splitlines()]
    exported = sorted(name.partition("@")[0] for *_, kind, name in lines if kind in "TtWwDdBbRrVi")
    assert exported == HEADED


@needs_readelf
@on_linux
def test_soname_carries_the_abi_version() -> None:
    version = re.search(r"^#define THNN_ABI_VERSION (\d+)", header.text(HEADER), re.MULTILINE)
    assert version is not None
    assert f"[libTHNN.so.{version[1]}]" in output("readelf", "-d", str(backend.library_path))
    assert backend.lib.THNN_abiVersion() == int(version[1])


def test_version_is_the_header_s() -> None:
    numbers = re.findall(r"^#define THNN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.text(HEADER), re.MULTILINE)
    assert backend.version() == ".".join(numbers)


def test_version_check() -> None:
    abi = backend.lib.THNN_abiVersion()
    assert backend.lib.THNN_checkVersion(abi) == 0
    assert backend.lib.THNN_checkVersion(abi + 1) == 8
    message = backend.ffi.string(backend.lib.THNN_lastError()).decode()
    assert message == f"THNN_checkVersion: abiVersion: expected {abi}, the ABI of this library, got {abi + 1}"


if __name__ == "__main__":
    LIST.write_text("".join(f"{symbol}\n" for symbol in HEADED))
