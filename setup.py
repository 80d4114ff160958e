"""Builds libTHNN with CMake and puts it, its headers and the generated bindings into the package.

The wheel holds no Python extension module, only a shared library that cffi opens: one wheel serves every Python 3.
"""

import importlib
import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from subprocess import check_call
from types import ModuleType

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
LINK = re.compile(
    r"^```.*?^```|`[^`\n]+`"  # code, which stays as it is
    r"|(?P<bang>!?)\[(?P<text>[^\[\]]*)\]\((?P<target>[^)\s]+)\)",  # [text](target) or ![text](target)
    re.MULTILINE | re.DOTALL,
)

if not os.access(ROOT, os.W_OK):
    raise SystemExit(
        f"pytorch_legacy: {ROOT} cannot be written to, and building makes files there; build a copy: "
        f"cp -r {ROOT} COPY && pip install ./COPY"
    )


class CMakeBuild(build_ext):
    """Runs CMake, installs into pytorch_legacy/lib, generates the bindings and the stubs."""

    def run(self) -> None:
        in_place = self.inplace or self.editable_mode
        package = ROOT / "pytorch_legacy" if in_place else Path(self.build_lib).resolve() / "pytorch_legacy"
        installed = self.cmake(editable=in_place)

        # Plain copies: distutils' own would keep an older build of the library if its file is younger.
        library = package / "lib"
        shutil.rmtree(library, ignore_errors=True)
        library.mkdir(parents=True)
        hasCuda = (installed / "include" / "THCUNN.h").exists()
        for name in ("THNN", "THCUNN") if hasCuda else ("THNN",):
            link, file = library_files(name)
            shutil.copy(installed / "lib" / file, library)
            if in_place:  # A wheel cannot hold links.
                (library / link).symlink_to(file)
        shutil.copy(installed / "bin" / "thnn-run", library)
        for header in ("THNN.h", "THNN_base.h", "THNN_array.h", "THNN_program.h", "THNN_ffi.h"):
            shutil.copy(installed / "include" / header, library)
        # What layers outside of the package are compiled with: THNN/layer.h and, for kernels, the device's part of the core.
        include = library / "include"
        shutil.copytree(installed / "include" / "THNN", include / "THNN")
        for source in ("check", "environment", "space", "status"):
            shutil.copy(ROOT / "THNN" / "core" / f"{source}.c", include / "THNN" / "core")
        for folder in ("core", "host"):
            shutil.copytree(ROOT / "THCUNN" / folder, include / "THCUNN" / folder)
        shutil.copy(ROOT / "THCUNN" / "THCUNN_base.h", include / "THCUNN")
        if hasCuda:
            shutil.copy(installed / "include" / "THCUNN.h", library)

        backend = package / "backend"
        backend.mkdir(exist_ok=True)
        generator("build").generate(library / "THNN_ffi.h", library / "THNN.h", backend)
        generator("stubs").generate(ROOT / "pytorch_legacy", package)

    def cmake(self, editable: bool) -> Path:
        """Configure, build and install; returns the prefix."""
        # Kept for the next editable install, which then compiles only what has changed.
        build = ROOT / "build" / "editable" if editable else Path(self.build_temp).resolve() / "thnn"
        prefix = build / "prefix"
        options = [f"-DPython3_EXECUTABLE={sys.executable}", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DCMAKE_INSTALL_LIBDIR=lib"]
        options += [f"-DTHCUNN={os.environ.get('PYTORCH_LEGACY_CUDA', 'off')}"]  # nvcc takes minutes: only when asked
        options += shlex.split(os.environ.get("THNN_CMAKE_ARGS", ""))
        # --fresh: a cache would lead to the tools of an earlier, isolated build environment.
        check_call(["cmake", "--fresh", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", *options])
        check_call(["cmake", "--build", str(build)])
        # A wheel leaves out the names of internal functions, which only debuggers and profilers read.
        check_call(["cmake", "--install", str(build), *([] if editable else ["--strip"])])
        return prefix

    def get_outputs(self) -> list[str]:
        return []

    def get_output_mapping(self) -> dict[str, str]:
        return {}


def library_files(name: str) -> tuple[str, str]:
    """Returns two file names: the one that the linker reads for -l`name`, and the one that a linked program loads."""
    header = (ROOT / "THNN" / "THNN_base.h").read_text()
    abi = header.partition("#define THNN_ABI_VERSION ")[2].split()[0]
    if sys.platform == "darwin":
        return f"lib{name}.dylib", f"lib{name}.{abi}.dylib"
    return f"lib{name}.so", f"lib{name}.so.{abi}"


def project_url() -> str:
    """Returns the address of the project's page without a slash at its end; an empty string if PROJECT_URL is not set."""
    given = os.environ.get("PROJECT_URL", "")
    if given and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", given):
        expected = "expected the address of the project's page, such as https://example.org/owner/name"
        raise SystemExit(f"pytorch_legacy: PROJECT_URL: {expected}, got {given!r}")
    return given.rstrip("/")


def project_urls(url: str) -> dict[str, str]:
    """Returns the links in the margin of the page on PyPI."""
    own = {
        "Homepage": url,
        "Source": url,
        "Documentation": f"{url}/tree/main/docs",
        "Changelog": f"{url}/blob/main/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }
    return (own if url else {}) | {"The original, Torch7's nn": "https://github.com/torch/nn"}


def description(url: str) -> str:
    """Returns README.md for PyPI, which has none of the files that relative links name.

    With an address of the project's page, relative links become links to that page. Without one, the text of each link and the
    caption of each picture stay.
    """

    def absolute(found: re.Match[str]) -> str:
        bang, text, target = found["bang"], found["text"], found["target"]
        if target is None or re.match(r"#|[a-z][a-z0-9+.-]*:", target):
            return found[0]
        return f"{bang}[{text}]({url}/{'raw' if bang else 'blob'}/main/{target})" if url else text

    return LINK.sub(absolute, (ROOT / "README.md").read_text(encoding="utf-8"))


def generator(module: str) -> ModuleType:
    """A module of pytorch_legacy.backend alone: the package cannot be imported before its library is there."""
    for name, path in (("pytorch_legacy", []), ("pytorch_legacy.backend", [str(ROOT / "pytorch_legacy" / "backend")])):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = path
    return importlib.import_module(f"pytorch_legacy.backend.{module}")


class PlatformWheel(bdist_wheel):
    """py3-none-<platform>: any Python 3, this machine's library."""

    def run(self) -> None:
        # Modules that an earlier build left there would come along.
        shutil.rmtree(self.get_finalized_command("build").build_lib, ignore_errors=True)
        super().run()

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


url = project_url()
setup(
    long_description=description(url),
    long_description_content_type="text/markdown",
    project_urls=project_urls(url),
    ext_modules=[Extension("pytorch_legacy.lib.libTHNN", [])],  # says that the wheel is not pure Python
    cmdclass={"build_ext": CMakeBuild, "bdist_wheel": PlatformWheel},
)
