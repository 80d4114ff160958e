"""Compiles the layers that the instruments need to WebAssembly: one JavaScript file that a page loads, also from a file."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from docs.site import ROOT
from pytorch_legacy.backend import header

THNN = ROOT / "THNN"

# The layers whose functions a page may call, in single precision.
LAYERS = (
    # windows
    "SpatialMaxPooling", "SpatialAveragePooling", "SpatialAdaptiveAveragePooling", "SpatialAdaptiveMaxPooling",
    "SpatialDilatedMaxPooling", "SpatialGlobalAveragePooling", "SpatialGlobalMaxPooling", "SpatialFractionalMaxPooling",
    "SpatialMaxUnpooling", "SpatialPowerAveragePooling", "SpatialSubSampling", "SpatialSoftPool", "SpatialLocalImportancePooling",
    "SpatialStochasticPooling", "SpatialGaussianPooling", "SpatialS3Pooling", "SpatialMixedPooling", "SpatialGatedPooling",
    # sums
    "SpatialDilatedConvolution",
    # curves
    "Threshold", "Tanh", "Sigmoid", "LogSigmoid", "ELU", "LeakyReLU", "SoftPlus", "HardTanh", "HardShrink", "SoftShrink", "Abs",
    "Square",
)  # fmt: skip
OTHERS = ("malloc", "free", "THNN_lastError", "THNN_setNumThreads", "THNN_manualSeed", "THNN_random")

COMPILE = (
    "-O2", "-std=gnu11", "-w", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", f"-I{THNN}", "-DReal=Float",
    "-DTHNN_REAL=float", "-DTHNN_REAL_IS_Float=1", "-DTHNN_PORTABLE", "-DTHNN_NO_CLONES", "-DTHNN_OWN_TEAM",
)  # fmt: skip
LINK = (
    "-O2", "-sSINGLE_FILE=1", "-sWASM_BIGINT=1", "-sMODULARIZE=1", "-sEXPORT_NAME=createTHNN", "-sENVIRONMENT=web",
    "-sALLOW_MEMORY_GROWTH=1", "-sFILESYSTEM=0", "-sEXPORTED_RUNTIME_METHODS=UTF8ToString",
)  # fmt: skip

# The kind of each argument of a C function in a page.
_KINDS = {
    "THNNState *": "state", "const THTensor *": "in", "THTensor *": "out", "const THLongTensor *": "inLong",
    "THLongTensor *": "outLong", "int64_t": "integer", "int64_t *": "size", "int32_t": "number", "double": "number",
}  # fmt: skip


class CompileError(Exception):
    """emcc failed; the text is what it said."""


def functions() -> list[header.Function]:
    return [function for function in header.read(THNN / "THNN.h") if function.layer in LAYERS]


def signatures() -> dict[str, list[tuple[str, str]]]:
    """The names of each function's arguments, and their kinds."""
    return {function.name: [(one.name, _KINDS[one.type]) for one in function.arguments] for function in functions()}


def sources() -> list[Path]:
    """The core, what layers of the families share, and the layers themselves. The linker leaves out what nothing calls."""
    defined = header.definitions(ROOT)
    wanted = {defined[layer] for layer in LAYERS}
    files = [path for family in {path.parent for path in wanted} | {THNN / "core"} for path in family.glob("*.c")]
    left = {path for layer, path in defined.items() if layer[0].isupper()} - wanted
    return sorted(path for path in files if path not in left and "_avx" not in path.stem)


def build(jobs: int) -> Path | None:
    """The JavaScript file, from the cache in build/wasm if nothing has changed; None where there is no emcc."""
    if not shutil.which("emcc"):
        return None
    exports = [*OTHERS, *(f"THNN_Float{function.name}" for function in functions())]
    link = [*LINK, "-sEXPORTED_FUNCTIONS=" + ",".join(f"_{name}" for name in exports)]
    folder = ROOT / "build" / "wasm"
    made = folder / f"{_key(link)}.js"
    if made.exists():
        return made
    with TemporaryDirectory() as work:
        _declare(Path(work) / "declared")
        with ThreadPoolExecutor(jobs) as pool:
            objects = list(pool.map(partial(_object, Path(work)), sources()))
        script = Path(work) / "thnn.js"
        _emcc(*objects, *link, "-o", str(script))
        text = f"const THNN_SIGNATURES = {json.dumps(signatures())};\n" + script.read_text(encoding="utf-8")
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    made.write_text(text, encoding="utf-8")
    return made


def _declare(folder: Path) -> None:
    """Writes the headers that C files include for their layers. That these agree with THNN.h, the library's build checks."""
    folder.mkdir()
    for layer in header.definitions(ROOT):
        (folder / f"{layer}.h").write_text('#include "core/real.h"\n', encoding="utf-8")


def _object(folder: Path, source: Path) -> str:
    target = folder / f"{source.parent.name}-{source.stem}.o"
    _emcc(*COMPILE, f"-I{folder}", "-c", str(source), "-o", str(target))
    return str(target)


def _emcc(*arguments: str) -> str:
    # Debian's emcc finds its modules only by Debian's node; another one that stands before it in PATH must be told.
    modules = os.pathsep.join(filter(None, (os.environ.get("NODE_PATH"), "/usr/share/nodejs")))
    run = subprocess.run(["emcc", *arguments], capture_output=True, text=True, env=os.environ | {"NODE_PATH": modules})
    if run.returncode:
        raise CompileError(f"emcc {' '.join(arguments)}:\n{run.stderr}")
    return run.stdout


def _key(link: list[str]) -> str:
    """A name for all that the result depends on."""
    key = hashlib.sha256(repr((_emcc("--version"), COMPILE, link, signatures())).encode())
    for path in sorted(path for ending in ("*.c", "*.h") for path in THNN.rglob(ending)):
        key.update(f"\0{path.relative_to(THNN)}\0".encode() + path.read_bytes())
    return key.hexdigest()[:32]
