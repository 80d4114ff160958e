"""Tests of what users install: the wheel, the source archive, and the C library with its pkg-config and CMake packages.

These tests build, some of them with pip's isolation, which takes a minute. They need the extra dev and are skipped without it;
`.ci/run` installs it.
"""

from __future__ import annotations

import fcntl
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from email import message_from_string
from email.message import Message
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from pytorch_legacy import backend
from pytorch_legacy.backend import library

ROOT = Path(__file__).resolve().parent.parent
NETWORK_HOST = """\
#include <stdio.h>
#include <THNN.h>
#include "digits.h"

int main(int argc, char **argv)
{
  static float input[DIGITS_INPUT(1)], output[DIGITS_OUTPUT(1)];
  struct digits *net;
  if (argc != 2 || digits_open(&net, argv[1], 1) != THNN_OK || digits_run(net, 1, input, output) != THNN_OK) return 1;
  for (int i = 0; i < DIGITS_OUTPUT(1); i++) printf("%.9g\\n", output[i]);
  return digits_close(net);
}
"""
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
HAS_SETUPTOOLS = find_spec("setuptools") is not None and find_spec("setuptools.command.bdist_wheel") is not None
needs_setuptools = pytest.mark.skipif(not HAS_SETUPTOOLS, reason='needs a new setuptools: pip install "setuptools>=77"')
needs_twine = pytest.mark.skipif(find_spec("twine") is None, reason='needs twine: pip install twine "readme-renderer[md]"')

PROJECT_URL = "https://example.org/owner/name"
THNN_FILE = f"lib/{library.file_name('THNN')}"
HEADERS = ("THNN.h", "THNN_base.h", "THNN_array.h", "THNN_program.h", "THNN_ffi.h")

# These tests concern the installed files, so nothing is optimized. Debug information would name the folder of the build.
QUICK = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=", "-DTHNN_PORTABLE=ON"]


# Users do not have these variables. `python -I` does not read Python's own ones (PYTHONPATH, PYTHONOPTIMIZE, ...), but pip would:
# it writes and removes other files of bytecode then, and may find another installation of the package.
OURS = ("PYTORCH_LEGACY_", "PROJECT_URL", "PYTHON", "PIP_NO_COMPILE")


def run(*command: str | Path, **environment: str) -> str:
    """Runs the command, which must succeed, and returns both of its outputs."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
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
    include = prefix / "include"
    assert {*HEADERS, "THNN"} == {header.name for header in include.iterdir()}
    options = ["-DReal=Float", "-DTHNN_REAL=float", f"-I{include / 'THNN'}", "-fsyntax-only", "-x", "c"]
    for file in ("THNN/layer.h", "THNN/THNN_base.h", *(header for header in HEADERS if header != "THNN_ffi.h")):
        run("cc", *options, include / file)  # all that it includes is there
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
    """A folder with the source archive, and with the wheel that was built from it. PROJECT_URL is set for the wheel alone."""

    def make(place: Path) -> None:
        source, dist = source_copy(place / "source"), place / "dist"
        run(sys.executable, "-m", "build", "--sdist", "--outdir", dist, source)
        (archive,) = dist.glob("*.tar.gz")
        (place / "unpacked").mkdir()
        run("tar", "-xf", archive, "-C", place / "unpacked")
        (unpacked,) = (place / "unpacked").iterdir()
        variables = {"THNN_CMAKE_ARGS": " ".join(QUICK), "PROJECT_URL": f"{PROJECT_URL}/"}
        run(sys.executable, "-m", "build", "--wheel", "--outdir", dist, unpacked, **variables)

    return once("distributions", tmp_path_factory, make) / "dist"


@needs_build
def test_wheel(distributions: Path, tmp_path: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    assert re.fullmatch(r"pytorch_legacy-0\.1\.0-py3-none-(linux|macosx)_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        contents = Counter((file.CRC, file.file_size) for file in archive.infolist())
        archive.extract(f"pytorch_legacy/{THNN_FILE}", tmp_path)
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "pytorch_legacy").rglob("*.py")}
    assert modules <= names
    made = {THNN_FILE, "lib/thnn-run", *(f"lib/{header}" for header in HEADERS)}
    made |= {"backend/_thnn.py", "backend/_signatures.py", "py.typed", "nn/__init__.pyi", "nn/pooling/__init__.pyi"}
    made |= {f"lib/include/THNN/{name}" for name in ("layer.h", "core/core.h")} | {"extension/templates/pooling2d.c"}
    made |= {f"lib/include/THCUNN/{name}" for name in ("core/device.h", "THCUNN_base.h", "host/emulation.cpp")}
    assert {f"pytorch_legacy/{name}" for name in made} <= names
    assert {f"pytorch_legacy-0.1.0.dist-info/licenses/{name}" for name in ("LICENSE", "NOTICE")} <= names
    assert {name.split("/")[0] for name in names} == {"pytorch_legacy", "pytorch_legacy-0.1.0.dist-info"}
    assert not [size for (_, size), count in contents.items() if count > 1 and size > 20_000]  # nothing large is there twice
    library = tmp_path / "pytorch_legacy" / THNN_FILE
    assert tempfile.gettempdir().encode() not in library.read_bytes()  # the folder of the build
    if sys.platform == "linux":
        assert f"[{library.name}]" in run("readelf", "-d", library)  # the SONAME: a linked program finds the file
        assert "RUNPATH" not in run("readelf", "-d", library)
        assert ".symtab" not in run("readelf", "-SW", library)


@needs_build
def test_source_archive(distributions: Path) -> None:
    """The source archive holds the files of the repository, and what setuptools adds."""
    (archive,) = distributions.glob("*.tar.gz")
    source = distributions.parent / "source"
    with tarfile.open(archive) as tar:
        names = {member.name.partition("/")[2] for member in tar.getmembers() if member.isfile()}
    there = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    there -= {"superres.png"}  # the README's first command may have written it
    made = {name for name in names | there if name in ("PKG-INFO", "setup.cfg") or name.startswith("pytorch_legacy.egg-info/")}
    assert names - made == there - made
    assert {".clang-format", ".ci/run", ".github/workflows/ci.yml", "tests/golden/manifest.json"} <= names


def metadata_of(distributions: Path) -> tuple[Message, Message]:
    """Returns the metadata of the source archive and of the wheel."""
    (archive,), (wheel,) = distributions.glob("*.tar.gz"), distributions.glob("*.whl")
    with tarfile.open(archive) as tar:
        (member,) = [member for member in tar.getmembers() if re.fullmatch(r"[^/]+/PKG-INFO", member.name)]
        file = tar.extractfile(member)
        assert file is not None
        source = file.read().decode()
    with zipfile.ZipFile(wheel) as zipped:
        built = zipped.read("pytorch_legacy-0.1.0.dist-info/METADATA").decode()
    return message_from_string(source), message_from_string(built)


def links_of(text: str) -> list[str]:
    """Returns the targets of all links and pictures of a page in Markdown: inline, by reference, and in HTML."""
    text = re.sub(r"^```.*?^```|`[^`\n]+`", "", text, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"""\]\(\s*([^)\s]+)|^\s*\[[^\]]+\]:\s*(\S+)|(?:href|src)=["']([^"']+)""", text, re.MULTILINE)
    return ["".join(groups) for groups in found]


def relative(links: list[str]) -> list[str]:
    return [link for link in links if not link.startswith(("https://", "#"))]


ORIGINAL = "The original, Torch7's nn, https://github.com/torch/nn"


@needs_build
def test_wheel_and_archive_metadata_with_and_without_project_url(distributions: Path) -> None:
    """The wheel was built with PROJECT_URL: all links are absolute. The source archive was built without: there are none."""
    without, built = metadata_of(distributions)
    assert without.get_all("Project-URL") == [ORIGINAL]
    assert not relative(links_of(without.get_payload()))

    assert built.get_all("Project-URL") == [
        f"Homepage, {PROJECT_URL}",
        f"Source, {PROJECT_URL}",
        f"Documentation, {PROJECT_URL}/tree/main/docs",
        f"Changelog, {PROJECT_URL}/blob/main/CHANGELOG.md",
        f"Issues, {PROJECT_URL}/issues",
        ORIGINAL,
    ]
    links = links_of(built.get_payload())
    written = relative(links_of((ROOT / "README.md").read_text()))
    assert len(written) > 20
    for link in written:
        assert (ROOT / link.partition("#")[0]).exists(), link
        kind = "raw" if posixpath.splitext(link)[1] == ".png" else "blob"
        assert f"{PROJECT_URL}/{kind}/main/{link}" in links
    assert not relative(links)

    words = [re.sub(r"\W+", " ", message.get_payload().replace(PROJECT_URL, "")) for message in (without, built)]
    assert all("the input enlarged by bicubic interpolation and the network s output" in text for text in words)


class Targets(HTMLParser):
    """Collects the targets of links and pictures of an HTML page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attributes if name in ("href", "src")]


@needs_build
@needs_twine
def test_wheel_and_archive_pass_the_checks_of_pypi(distributions: Path) -> None:
    files = [*distributions.glob("*.whl"), *distributions.glob("*.tar.gz")]
    assert len(files) == 2
    said = run(sys.executable, "-m", "twine", "check", "--strict", *files)
    assert said.count("PASSED") == 2

    from readme_renderer import markdown

    for message in metadata_of(distributions):
        page = markdown.render(message.get_payload())
        assert page and "<table>" in page
        assert not relative(Targets(page).found)


@needs_setuptools
@pytest.mark.parametrize("url", ["example.org/a", "git@example.org:a/b", "https://", "https://example.org/a b", "https://a/b?c"])
def test_bad_project_url_of_a_wheel(url: str) -> None:
    command = [sys.executable, "setup.py", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PROJECT_URL": url})
    assert done.returncode != 0
    assert f"PROJECT_URL: expected the address of the project's page, such as {PROJECT_URL}, got {url!r}\n" in done.stderr


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

    # The commands of docs/building.md link a program in C with it.
    program = tmp_path / "host"
    (tmp_path / "host.c").write_text(HOST)
    (commands,) = re.findall(r"```sh\n(LIB=.*?)```", (ROOT / "docs" / "building.md").read_text(), re.DOTALL)
    run("bash", "-euc", f"cd {tmp_path}; PATH={python.parent}:$PATH; {commands}")
    assert run(program) == "100\n"

    # A network runs from a file, and as C that is compiled against the wheel's header and library.
    commands, lib = python.parent, Path(library).parent
    for target in ("digits.thnn", "digits.c"):
        run(
            commands / "pytorch-legacy",
            "convert",
            ROOT / "examples" / "digits" / "digits.t7",
            tmp_path / target,
            "--input",
            "1x1x8x8",
        )
    np.save(tmp_path / "zeros.npy", np.zeros((1, 1, 8, 8), np.float32))
    run(commands / "thnn-run", tmp_path / "digits.thnn", tmp_path / "zeros.npy", "-o", tmp_path / "scores.npy")
    (tmp_path / "main.c").write_text(NETWORK_HOST)
    flags = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{lib}", f"-Wl,-rpath,{lib}"]
    run("gcc", *flags, tmp_path / "main.c", tmp_path / "digits.c", library, "-o", tmp_path / "main")
    scores = np.float32([*map(float, run(tmp_path / "main", tmp_path / "digits.bin").split())])
    np.testing.assert_array_equal(scores, np.load(tmp_path / "scores.npy")[0])

    # Nothing stays behind.
    run(python, "-m", "pip", "uninstall", "-q", "-y", "pytorch_legacy")
    site = Path(library).parents[2]
    assert not [path for path in site.rglob("*") if "pytorch_legacy" in path.name]
    assert not (tmp_path / "env" / "bin" / "pytorch-legacy").exists()


def test_library_opens_by_path() -> None:
    """A host in another language finds the library of this environment, plain or editable."""
    run(sys.executable, *OPEN, backend.library_path)
