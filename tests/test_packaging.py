"""What a user installs: the wheel, the source archive, and the C library with its pkg-config and CMake packages.

These tests build, some of them with pip's isolation, which takes a minute: they run where the tools are there
(`pip install ".[dev]"`), as in .ci/run.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytorch_legacy import backend

ROOT = Path(__file__).resolve().parent.parent
HOST = """
#include <stdio.h>
#include <THNN.h>
int main(void)
{
  printf("%d\\n", THNN_versionNumber());
  return THNN_checkVersion(THNN_ABI_VERSION);
}
"""

# Opens a library in a Python that sees no packages.
OPEN = ["-I", "-S", "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1]).THNN_abiVersion()"]

needs_cmake = pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ninja")), reason="needs cmake and ninja")
# A folder of that name, where editable installs build, is also found, but has no file.
BUILD = find_spec("build")
needs_build = pytest.mark.skipif(BUILD is None or BUILD.origin is None, reason="needs build: pip install build")


# What is installed where is the question here, so nothing is optimized. Debug information would name the folder of the build.
QUICK = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=", "-DTHNN_PORTABLE=ON"]


def run(*command: str | Path, **environment: str) -> str:
    """Both outputs of the command, which must succeed."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTORCH_LEGACY_THNN"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env={**inherited, **environment})
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


BUILT = ["build", "dist", "lib", "_thnn.py", "_signatures.py", "*.pyi", "*.egg-info"]
UNTRACKED = ["__pycache__", ".git", ".venv", ".*_cache", ".hypothesis", ".benchmarks"]


def source_copy(to: Path) -> Path:
    """The sources without anything that was built."""
    return Path(shutil.copytree(ROOT, to, ignore=shutil.ignore_patterns(*BUILT, *UNTRACKED)))


# ---------------------------------------------------------------------------------------------- the C library


def once(name: str, factory: pytest.TempPathFactory, make: Callable[[Path], None]) -> Path:
    """A folder that is made once: the processes of a run share it."""
    run_folder = factory.getbasetemp()
    place = (run_folder.parent if "PYTEST_XDIST_WORKER" in os.environ else run_folder) / name
    with open(f"{place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "made").exists():
            make(place)
            (place / "made").touch()
    return place


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C library installed without Python, and then moved to another place."""

    def make(place: Path) -> None:
        options = [*QUICK, f"-DCMAKE_INSTALL_PREFIX={place / 'first'}"]
        run("cmake", "-S", ROOT, "-B", place / "build", "-G", "Ninja", *options)
        run("cmake", "--build", place / "build")
        run("cmake", "--install", place / "build")
        (place / "first").rename(place / "prefix")

    return once("cmake", tmp_path_factory, make) / "prefix"


def libdir(prefix: Path) -> Path:
    (library,) = prefix.glob("lib*/**/libTHNN.so")
    return library.parent


@needs_cmake
def test_cmake_install(prefix: Path) -> None:
    library = libdir(prefix) / "libTHNN.so"
    assert [library.readlink().name, library.resolve().name] == ["libTHNN.so.1", "libTHNN.so.0.1.0"]
    assert {"THNN.h", "THNN_base.h", "THNN_ffi.h", "THNN"} == {header.name for header in (prefix / "include").iterdir()}
    for file in ("layer.h", "THNN_base.h"):  # all that they include is there
        options = ["-DReal=Float", "-DTHNN_REAL=float", f"-I{prefix / 'include' / 'THNN'}", "-fsyntax-only", "-x", "c"]
        run("cc", *options, prefix / "include" / "THNN" / file)
    dynamic = run("readelf", "-d", library)
    assert "[libTHNN.so.1]" in dynamic
    assert "RUNPATH" not in dynamic and "RPATH" not in dynamic


@needs_cmake
@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="needs pkg-config")
def test_pkg_config(prefix: Path, tmp_path: Path) -> None:
    source, program = tmp_path / "host.c", tmp_path / "host"
    source.write_text(HOST)
    paths = {"PKG_CONFIG_PATH": str(libdir(prefix) / "pkgconfig"), "LD_LIBRARY_PATH": str(libdir(prefix))}
    flags = run("pkg-config", "--cflags", "--libs", "THNN", **paths).split()
    run("cc", source, "-o", program, *flags)
    assert run(program, **paths) == "100\n"
    assert run("pkg-config", "--modversion", "THNN", **paths) == "0.1.0\n"


@needs_cmake
def test_find_package(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "host.c").write_text(HOST)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\n"
        "project(host LANGUAGES C)\n"
        "find_package(THNN 0.1 REQUIRED)\n"
        "add_executable(host host.c)\n"
        "target_link_libraries(host PRIVATE THNN::THNN)\n"
    )
    build = tmp_path / "build"
    run("cmake", "-S", tmp_path, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    assert run(build / "host") == "100\n"


@needs_cmake
def test_add_subdirectory(tmp_path: Path) -> None:
    """A host has our target, its own kind of build, and nothing of ours to install."""
    (tmp_path / "host.c").write_text(HOST)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\n"
        "project(host LANGUAGES C)\n"
        f"add_subdirectory({ROOT} pytorch_legacy)\n"
        "add_executable(host host.c)\n"
        "target_link_libraries(host PRIVATE THNN::THNN)\n"
        "install(TARGETS host)\n"
    )
    build = tmp_path / "build"
    run("cmake", "-S", tmp_path, "-B", build, "-G", "Ninja")
    installed = {script.parent.name for script in build.rglob("cmake_install.cmake") if "file(INSTALL" in script.read_text()}
    assert installed == {"build"}
    assert "CMAKE_BUILD_TYPE:STRING=\n" in (build / "CMakeCache.txt").read_text()
    run("cmake", "-S", tmp_path, "-B", build, "-DTHNN_INSTALL=ON")
    assert "libTHNN" in (build / "pytorch_legacy" / "THNN" / "cmake_install.cmake").read_text()
    assert "libTHNN.so" in run("ninja", "-C", build, "-t", "inputs", "host")


@needs_cmake
@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("-DTHCUNN=metal", "THCUNN=metal: expected auto, cuda, host or off"),
    ],
)
def test_bad_option(option: str, message: str, tmp_path: Path) -> None:
    command = ["cmake", "-S", ROOT, "-B", tmp_path / "build", "-G", "Ninja", option]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())


# ---------------------------------------------------------------------------------------------- the Python package


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the source archive, and the wheel that was built from it in isolation."""

    def make(place: Path) -> None:
        source = source_copy(place / "source")
        run(sys.executable, "-m", "build", "--outdir", place / "dist", source, THNN_CMAKE_ARGS=" ".join(QUICK))

    return once("distributions", tmp_path_factory, make) / "dist"


@needs_build
def test_wheel(distributions: Path, tmp_path: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    assert re.fullmatch(r"pytorch_legacy-0\.1\.0-py3-none-(linux|macosx)_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        archive.extract("pytorch_legacy/lib/libTHNN.so", tmp_path)
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "pytorch_legacy").rglob("*.py")}
    assert modules <= names
    made = {"lib/libTHNN.so", "lib/THNN.h", "lib/THNN_base.h", "lib/THNN_ffi.h"}
    made |= {"backend/_thnn.py", "backend/_signatures.py", "py.typed", "nn/__init__.pyi", "nn/pooling/__init__.pyi"}
    made |= {f"lib/include/THNN/{name}" for name in ("layer.h", "core/core.h")} | {"extension/templates/pooling2d.c"}
    made |= {f"lib/include/THCUNN/{name}" for name in ("core/device.h", "THCUNN_base.h", "host/emulation.cpp")}
    made |= {"lib/libTHNN.so.1"} if sys.platform == "linux" else set()
    assert {f"pytorch_legacy/{name}" for name in made} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.split("/")[0] for name in names} == {"pytorch_legacy", "pytorch_legacy-0.1.0.dist-info"}
    library = tmp_path / "pytorch_legacy" / "lib" / "libTHNN.so"
    assert "RUNPATH" not in run("readelf", "-d", library)
    assert tempfile.gettempdir().encode() not in library.read_bytes()  # where it was built


@needs_build
def test_source_archive(distributions: Path) -> None:
    (archive,) = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    for folder in ("THNN", "THCUNN", "tests", "examples", "docs", "benchmarks", ".ci"):
        there = {str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*") if path.is_file()}
        assert {name for name in there if "__pycache__" not in name} <= names
    assert not {name for name in names if "_thnn.py" in name or "/lib/" in name}


@needs_build
def test_wheel_installs(distributions: Path, tmp_path: Path) -> None:
    """In an empty environment the wheel brings all it needs."""
    (wheel,) = distributions.glob("*.whl")
    run(sys.executable, "-m", "venv", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", wheel)
    script = "from pytorch_legacy import backend, nn; import numpy as np; print(backend.library_path);"
    script += "print(nn.SpatialAdaptiveAveragePooling(1, 1).forward(np.ones((1, 2, 2), np.float32)).tolist())"
    library, answer = run(python, "-I", "-c", script).splitlines()
    assert Path(library).is_relative_to(tmp_path / "env")
    assert answer == "[[[1.0]]]"
    run(python, *OPEN, library)

    # Python that is started in a checkout that nobody built finds this library.
    checkout = source_copy(tmp_path / "checkout")
    script = f"import os; os.chdir({str(checkout)!r}); import sys; sys.path.insert(0, ''); " + script
    assert run(python, "-c", script).startswith(f"{library}\n")
    assert run(python, "-c", script.replace("nn;", "nn, __path__ as path; print(*path);", 1)).startswith(str(checkout))

    # A program in C that is linked with it runs.
    folder, program = str(Path(library).parent), tmp_path / "host"
    (tmp_path / "host.c").write_text(HOST)
    run("cc", tmp_path / "host.c", "-o", program, f"-I{folder}", f"-L{folder}", "-lTHNN", f"-Wl,-rpath,{folder}")
    assert run(program) == "100\n"

    # Nothing stays behind.
    run(python, "-m", "pip", "uninstall", "-q", "-y", "pytorch_legacy")
    site = Path(library).parents[2]
    assert not [path for path in site.rglob("*") if "pytorch_legacy" in path.name]
    assert not (tmp_path / "env" / "bin" / "pytorch-legacy").exists()


def test_library_opens_by_path() -> None:
    """A host in another language finds the library of this environment, plain or editable."""
    run(sys.executable, *OPEN, backend.library_path)
