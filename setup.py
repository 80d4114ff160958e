"""Builds libTHNN with CMake and puts it, its headers and the generated bindings into the package.

The wheel holds no Python extension module, only a shared library that cffi opens: one wheel serves every Python 3.
"""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    """Runs CMake, installs into pytorch_legacy/lib, generates the bindings."""

    def run(self) -> None:
        in_place = self.inplace or getattr(self, "editable_mode", False)
        package = ROOT / "pytorch_legacy" if in_place else Path(self.build_lib).resolve() / "pytorch_legacy"
        build = Path(self.build_temp).resolve() / "thnn"
        prefix = build / "prefix"
        options = os.environ.get("THNN_CMAKE_ARGS", "").split()
        run = subprocess.check_call
        run(["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", f"-DPython3_EXECUTABLE={sys.executable}",
             "-DTHNN_WHEEL=ON", "-DCMAKE_INSTALL_LIBDIR=lib", f"-DCMAKE_INSTALL_PREFIX={prefix}", *options])  # fmt: skip
        run(["cmake", "--build", str(build)])
        run(["cmake", "--install", str(build)])

        library = package / "lib"
        library.mkdir(parents=True, exist_ok=True)
        name = {"darwin": "libTHNN.dylib"}.get(sys.platform, "libTHNN.so")
        self.copy_file(str((prefix / "lib" / name).resolve()), str(library / name))
        for header in ("THNN.h", "THNN_ffi.h"):
            self.copy_file(str(prefix / "include" / header), str(library / header))

        sys.path.insert(0, str(ROOT))
        try:
            # The package itself cannot be imported before its library is there: take its generator alone.
            sys.modules["pytorch_legacy"] = type(sys)("pytorch_legacy")
            sys.modules["pytorch_legacy"].__path__ = []
            sys.modules["pytorch_legacy.backend"] = type(sys)("pytorch_legacy.backend")
            sys.modules["pytorch_legacy.backend"].__path__ = [str(ROOT / "pytorch_legacy" / "backend")]
            from pytorch_legacy.backend.build import generate

            (package / "backend").mkdir(parents=True, exist_ok=True)
            generate(library / "THNN_ffi.h", library / "THNN.h", package / "backend")
        finally:
            sys.path.remove(str(ROOT))

    def get_outputs(self) -> list[str]:
        return []

    def get_output_mapping(self) -> dict[str, str]:
        return {}


class PlatformWheel(bdist_wheel):
    """py3-none-<platform>: any Python 3, this machine's library."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


setup(ext_modules=[Extension("pytorch_legacy.lib.libTHNN", [])],
      cmdclass={"build_ext": CMakeBuild, "bdist_wheel": PlatformWheel})  # fmt: skip
