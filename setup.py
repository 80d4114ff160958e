"""Builds libTHNN with CMake and puts it, its headers and the generated bindings into the package.

The wheel holds no Python extension module, only a shared library that cffi opens: one wheel serves every Python 3.
"""

import importlib
import os
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
LIBRARY = "libTHNN" + {"darwin": ".dylib"}.get(sys.platform, ".so")

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
        shutil.copy(installed / "lib" / LIBRARY, library)
        if sys.platform == "linux":
            # What a program asks for that was linked with it. A wheel holds no links: there it is a second copy.
            soname = library / f"{LIBRARY}.{abi_version()}"
            soname.symlink_to(LIBRARY) if in_place else shutil.copy(library / LIBRARY, soname)
        for header in ("THNN.h", "THNN_base.h", "THNN_ffi.h"):
            shutil.copy(installed / "include" / header, library)
        # What layers outside of the package are compiled with: THNN/layer.h and, for kernels, the device's part of the core.
        include = library / "include"
        shutil.copytree(installed / "include" / "THNN", include / "THNN")
        for source in ("check", "environment", "space", "status"):
            shutil.copy(ROOT / "THNN" / "core" / f"{source}.c", include / "THNN" / "core")
        for folder in ("core", "host"):
            shutil.copytree(ROOT / "THCUNN" / folder, include / "THCUNN" / folder)
        shutil.copy(ROOT / "THCUNN" / "THCUNN_base.h", include / "THCUNN")
        if (installed / "lib" / "libTHCUNN.so").exists():
            shutil.copy(installed / "lib" / "libTHCUNN.so", library)
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
        check_call(["cmake", "--install", str(build)])
        return prefix

    def get_outputs(self) -> list[str]:
        return []

    def get_output_mapping(self) -> dict[str, str]:
        return {}


def abi_version() -> str:
    """The number in the SONAME."""
    header = (ROOT / "THNN" / "THNN_base.h").read_text()
    return header.partition("#define THNN_ABI_VERSION ")[2].split()[0]


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


setup(
    ext_modules=[Extension("pytorch_legacy.lib.libTHNN", [])],  # says that the wheel is not pure Python
    cmdclass={"build_ext": CMakeBuild, "bdist_wheel": PlatformWheel},
)
