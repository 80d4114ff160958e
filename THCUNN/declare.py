"""Makes THCUNN.h from THNN.h and THCUNN/THCUNN_base.h: the functions of its layers for each element type, and of arrays.

python declare.py THCUNN.h
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
REALS = ("Cuda", "CudaDouble", "CudaHalf")


def tokenizer() -> ModuleType:
    """pytorch_legacy/backend/header.py alone: the package itself may not be built yet."""
    spec = importlib.util.spec_from_file_location("header", ROOT / "pytorch_legacy" / "backend" / "header.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["header"] = module
    spec.loader.exec_module(module)
    return module


header = tokenizer()


def twins() -> list[header.Function]:  # type: ignore[name-defined]
    """The functions of THNN.h that C files of layers define: all of these are compiled for the device too."""
    layers = header.definitions(ROOT)
    return [f for f in header.read(ROOT / "THNN" / "THNN.h") if f.generic and f.layer in layers]


def array_functions() -> list[header.Function]:  # type: ignore[name-defined]
    """The functions of THNN.h that take arrays of any element type."""
    return [f for f in header.read(ROOT / "THNN" / "THNN.h") if f.name.startswith("THNN_array")]


def twin(function: header.Function, real: str = "") -> str:  # type: ignore[name-defined]
    """The name of a function's twin: arrayCopy is ArrayCopy there, as lastError is LastError."""
    return f"THNN_{real}{function.name}" if real else function.name.replace("THNN_a", "THNN_CudaA")


def declaration(function: header.Function, real: str = "") -> str:  # type: ignore[name-defined]
    def typed(text: str) -> str:
        text = text.replace("THNNState", "THNNCudaState").replace("THTensor", f"TH{real}Tensor")
        return text.replace("THLongTensor", "THCudaLongTensor").replace("THByteTensor", "THCudaByteTensor")

    lines = []
    for i, argument in enumerate(function.arguments):
        mark = "," if i < len(function.arguments) - 1 else ");"
        comment = f" /* {argument.comment} */" if argument.comment else ""
        lines.append(f"    {typed(argument.type)} {argument.name}{mark}{comment}".replace("* ", "*", 1))
    return f"THNN_API {function.returns} {twin(function, real)}(\n" + "\n".join(lines) + "\n"


def main() -> None:
    layers = "\n".join(declaration(function, real) for real in REALS for function in twins())
    arrays = "\n".join(declaration(function) for function in array_functions())
    text = (HERE / "THCUNN_base.h").read_text(encoding="utf-8")
    text = text.replace("/* @ARRAYS@ */\n", arrays + "\n").replace("/* @LAYERS@ */\n", layers + "\n")
    text = text.replace('#include "THNN_base.h"', '#include "THNN.h"')
    target = Path(sys.argv[1])
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
