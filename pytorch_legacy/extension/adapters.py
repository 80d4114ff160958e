"""Adapters through which programs call functions of layers: C functions that take their arguments as an array (THNNArgument).

They are compiled when a program first calls the layer, into a library of their own for each version of it. So layers of built
libraries have them, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..backend import library
from ..backend.header import Argument, Function
from . import compiler

_KINDS = {
    "THTensor *": ("f", "tensor"),
    "THLongTensor *": ("l", "tensor"),
    "THByteTensor *": ("b", "tensor"),
    "int64_t": ("i", "integer"),
    "int32_t": ("j", "integer"),
    "double": ("d", "number"),
}
"""The letter in a signature (THNN_registerLayer), and the field of THNNArgument, of each type."""


class Adapters:
    """The adapters of the functions of one library.

    Parameters
    ----------
    path : Path
        The layer's file.
    digest : str
        Tells its version apart.
    functions : list of Function
    """

    def __init__(self, path: Path, digest: str, functions: list[Function]) -> None:
        import cffi

        self._ffi = cffi.FFI()
        lines = ['#include "THNN_program.h"']
        for function in functions:
            if function.arguments[0].name != "state":  # it returns sizes, which is nothing for programs
                continue
            for Real in compiler.REALS:
                name = f"{Real}{function.name}"
                lines += _text(name, Real, function.arguments[1:])
                self._ffi.cdef(f"extern void *adapted_{name}; int32_t call_{name}(void *, const void *);")
        self._lib = self._ffi.dlopen(str(_compiled(path, digest, "\n".join([*lines, ""]))))

    def register(self, symbol: str, real: str, function: Function, address: Any) -> None:
        """Lets programs call a function, which is at this address, by the name `symbol`."""
        setattr(self._lib, f"adapted_{real}{function.name}", self._ffi.cast("void *", address))
        adapter = library.ffi.cast("THNNLayerCall *", getattr(self._lib, f"call_{real}{function.name}"))
        letters = "".join(map(_letter, function.arguments[1:]))
        library.check(library.lib.THNN_registerLayer(symbol.encode(), adapter, letters.encode()), function.name)


def _letter(argument: Argument) -> str:
    letter, _ = _KINDS[argument.type.removeprefix("const ")]
    return letter.upper() if "Tensor" in argument.type and not argument.type.startswith("const ") else letter


def _text(name: str, Real: str, arguments: list[Argument]) -> list[str]:
    types = ["THNNState *", *(argument.type.replace("THTensor", f"TH{Real}Tensor") for argument in arguments)]
    values = ["state", *(f"a[{i}].{_KINDS[a.type.removeprefix('const ')][1]}" for i, a in enumerate(arguments))]
    return [
        f"int32_t (*adapted_{name})({', '.join(types)});",
        f"int32_t call_{name}(THNNState *state, const THNNArgument *a) {{ return adapted_{name}({', '.join(values)}); }}",
    ]


def _compiled(path: Path, digest: str, text: str) -> Path:
    command = [*compiler.host_compiler(), "-std=gnu11", *compiler.COMMON, f"-I{compiler.INCLUDE.parent}", "-shared"]

    def make(target: Path) -> str:
        source = target.with_suffix(".c")
        source.write_text(text, encoding="utf-8")
        return compiler.run([*command, str(source), "-o", str(target)], path)

    return compiler.kept(f"{path.stem}-adapters.so", [compiler.identity(compiler.host_compiler()), *command, text, digest], make)[
        0
    ]
