"""Loads layers of one's own: what `load` compiles or opens becomes functions that classes name and `call` calls."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ..backend import binding, cuda, library
from ..backend.header import Function
from ..errors import ExtensionError
from . import compiler, declarations, device, runtime
from .adapters import Adapters

LAYER_VERSION = 3
"""THNN_LAYER_VERSION of THNN/core/interface.h."""

_built: dict[Path, str] = {}  # digests of the libraries that were opened, because the system opens each name once
_opened: list[Any] = []  # for ever: modules and threads may still be in a library that was loaded anew


class Extension:
    """The result of `load`: the functions of one file.

    Attributes
    ----------
    path : Path
        The file.
    library : Path
        The shared library that was opened.
    functions : dict
        For each function, as in "MyLayer_updateOutput", its declaration: ``arguments`` with name, type, tags and shape.
    digest : str
        Tells versions of the file apart.
    emulates : bool
        True if the kernels of the ``.cu`` file run on the CPU, in place of the C functions.
    """

    def __init__(
        self, path: Path, compiled: compiler.Compiled, functions: list[Function], kernels: Path | None, emulates: bool
    ) -> None:
        self.path = path
        self.library = compiled.library
        self.digest = f"emulated{compiled.digest}" if emulates else compiled.digest
        self.functions = {function.name: function for function in functions}
        self.emulates = emulates
        self._kernels = kernels
        self._declarations: Path = path
        self._lib = self._open()

    def _open(self) -> Any:
        import cffi

        ffi = cffi.FFI()
        for function in self.functions.values():
            # Descriptors are made by libTHNN's bindings.
            types = ", ".join("void *" if argument.is_pointer else argument.type for argument in function.arguments)
            ffi.cdef("\n".join(f"int32_t {symbol}({types});" for symbol in function.exports))
        ffi.cdef("int32_t THNN_attachLayer(const void *table);")
        try:
            lib = ffi.dlopen(str(self.library))
        except OSError as error:
            raise _Unreadable(f"{self.path}: cannot open {self.library}: {error}") from None
        _opened.append(lib)
        if not hasattr(lib, "THNN_attachLayer"):
            raise ExtensionError(f"{self.path}: has no THNN_attachLayer; its sources are to include THNN/layer.h")
        if not hasattr(library.lib, "THNN_layerInterface"):
            raise ExtensionError(f"{library.library_path}: has no interface for layers; install the package again")
        table = library.lib.THNN_layerInterface(LAYER_VERSION)
        if table == library.ffi.NULL:
            raise ExtensionError(f"{library.library_path}: {library.ffi.string(library.lib.THNN_lastError()).decode()}")
        built = lib.THNN_attachLayer(table)
        if built < 0:
            raise _OtherLoops(f"{self.path}: was compiled with -fopenmp by gcc, libTHNN was not: compile it with -fopenmp-simd")
        if built:
            raise ExtensionError(
                f"{self.path}: was built for version {built} of THNN/layer.h, or in another layout; this library has version "
                f"{LAYER_VERSION}: build it again"
            )
        for function in self.functions.values():
            for symbol in function.exports:
                if not hasattr(lib, symbol):
                    raise ExtensionError(f"{self.path}: {function.name}: is declared, but {symbol} is not defined")
        return lib

    def on_host(self, real: str, name: str) -> tuple[Callable[..., int] | None, Callable[..., None]]:
        """Returns the function for arrays of the host, and the function that raises its errors."""
        if self.emulates:
            return cuda.emulated_by(self._twin, real, name)
        return getattr(self._lib, f"THNN_{real}{name}"), library.check

    def on_device(self, real: str, name: str) -> tuple[Callable[..., int] | None, Callable[..., None]]:
        """The same for arrays of a CUDA device; None if there is no ``.cu`` file."""
        if self._kernels is None:
            return None, library.check
        return cuda.on_device_by(self._twin, real, name)

    def register(self, real: str, name: str, symbol: str) -> None:
        """Lets programs call a function by the name `symbol`."""
        if self.emulates:
            raise ExtensionError(f"{self.path}: emulate: programs call C functions, not kernels; load it without emulate=True")
        self._adapters.register(symbol, real, self.functions[name], getattr(self._lib, f"THNN_{real}{name}"))

    @cached_property
    def _adapters(self) -> Adapters:
        made = Adapters(self.path, self.digest, [*self.functions.values()])
        _opened.append(made)
        return made

    @cached_property
    def _twin(self) -> cuda.Library:
        assert self._kernels is not None
        if not self.emulates and device.nvcc() is None:
            return runtime.library(self._kernels, self._declarations)
        return cuda.Library(device.shared_library(self._kernels, self._declarations, self.emulates))

    def __repr__(self) -> str:
        first, *rest = self.functions
        layer = first.rpartition("_")[0]
        names = [first, *(f"...{name[len(layer) :]}" if name.startswith(f"{layer}_") else name for name in rest)]
        return f"<extension {self.path.stem}: {', '.join(names)}>"


class _Unreadable(ExtensionError):
    """The system cannot open the library."""


class _OtherLoops(ExtensionError):
    """libTHNN has no threads for gcc's loops."""


def load(
    file: str | os.PathLike[str],
    header: str | os.PathLike[str] | None = None,
    *,
    flags: Sequence[str] | str = (),
    emulate: bool = False,
) -> Extension:
    """Compiles and binds a layer's C file, or binds a library that is built already.

    The functions can then be called by layers: a class derived from `Layer` or `Learner` names them in ``_layer``; `call` calls
    one. What was compiled is kept in a cache folder (``pytorch_legacy`` in XDG_CACHE_HOME or ~/.cache), and compiled again when
    the file, a header, the compiler, its flags or the library has changed. A changed file that is loaded again
    counts for new layers and programs; earlier programs go on with what they were compiled with.

    Parameters
    ----------
    file : path
        "MyLayer.c", written as those of THNN are, with ``#include "THNN/layer.h"``; "MyLayer.cu", whose C file is beside it; or
        a shared library. A "MyLayer.cu" beside "MyLayer.c" is found, and compiled when a layer is first used on a device.
    header : path, optional
        File that declares the functions, as THNN.h does. The default for a C file is "MyLayer.h" beside it,
        or the top of the file itself.
    flags : list of str, or str
        More for the compiler: ``["-DWIDTH=3", "-lfftw3"]``.
    emulate : bool
        Run the kernels of the ``.cu`` file on the CPU, thread by thread, in place of the C functions: how they are tested without
        a GPU. It needs g++, and is slow.

    Returns
    -------
    Extension

    Raises
    ------
    ExtensionError
        If there is no compiler, it refuses the file (with file and line), a declaration is not as in THNN.h, or the library
        was built for another version of the interface.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> pl.extension.load("mine/MyLayer.c")  # doctest: +SKIP
    <extension MyLayer: MyLayer_updateOutput, ..._updateGradInput>
    """
    path = Path(file).resolve()
    kernels: Path | None = None
    if path.suffix == ".cu":
        kernels, path = path, path.with_suffix(".c")
    for needed in (path, kernels):
        if needed and not needed.is_file():
            raise FileNotFoundError(2, os.strerror(2), str(needed))
    isSource = path.suffix == ".c"
    if not isSource and not {".so", ".dylib"} & set(path.suffixes):
        raise ExtensionError(f"{path}: expected a .c or .cu file, or a shared library (.so)")
    beside = path.with_suffix(".h")
    if header is not None:
        declares = Path(header).resolve()
        if not declares.is_file():
            raise FileNotFoundError(2, os.strerror(2), str(declares))
    elif isSource:
        declares = beside if beside.is_file() else path
    else:
        raise ExtensionError(f"{path}: expected header=, the file that declares its functions as THNN.h does")
    functions = declarations.declared(declares)
    _refuse_taken(path, functions)
    if kernels is None and isSource and path.with_suffix(".cu").is_file():
        kernels = path.with_suffix(".cu")
    if emulate and kernels is None:
        raise ExtensionError(f"{path}: emulate: expected {path.with_suffix('.cu').name} beside it")
    given = shlex.split(flags) if isinstance(flags, str) else [*flags]
    extension = _made(path, declares, functions, kernels, given, emulate, isSource)
    extension._declarations = declares
    binding.register(extension, extension.functions)
    return extension


def _made(
    path: Path, declares: Path, functions: list[Function], kernels: Path | None, flags: list[str], emulate: bool, isSource: bool
) -> Extension:
    if not isSource:
        built = compiler.digest(path.read_bytes())
        if _built.setdefault(path, built) != built:
            raise ExtensionError(f"{path}: has changed since it was opened, which the system cannot undo: give it another name")
        digest = compiler.digest(path.read_bytes(), declares.read_bytes())
        return Extension(path, compiler.Compiled(path, digest), functions, kernels, emulate)
    header = declares if declares != path else None
    for sharesLoops in (True, False):
        compiled = compiler.shared_library(path, header, flags, sharesLoops)
        try:
            return Extension(path, compiled, functions, kernels, emulate)
        except _OtherLoops:
            continue
        except _Unreadable:
            compiled.library.unlink(missing_ok=True)  # the stored library is broken
            return Extension(path, compiler.shared_library(path, header, flags, sharesLoops), functions, kernels, emulate)
    raise AssertionError("loops of one thread suit every library")


def _refuse_taken(path: Path, functions: list[Function]) -> None:
    for function in functions:
        if function.name not in library.SIGNATURES:
            continue
        owner = binding.owners.get(function.name)
        if owner is None:
            raise ExtensionError(f"{path}: {function.name}: is the name of a function of libTHNN; choose another one")
        if owner.path != path:
            raise ExtensionError(f"{path}: {function.name}: is loaded from {owner.path} already; choose another name")
