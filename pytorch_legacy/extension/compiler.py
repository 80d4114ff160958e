"""Compiles what is loaded, with the compiler that is there, once: results are kept in a cache folder by what went into them."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pytorch_legacy.arguments import outside

from .. import backend
from ..backend import installed
from ..errors import ExtensionError

INCLUDE = installed.library / "include"
# As libTHNN is compiled: no -ffast-math, which would change how the whole process computes.
COMMON = ("-fPIC", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-Wall", "-Wextra")
# These warnings are errors: the code compiles, but cannot be meant.
STRICT = ("-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types", "-Werror=int-conversion")
REALS = {"Float": "float", "Double": "double"}


def cache() -> Path:
    """The folder of what has been compiled: ``pytorch_legacy/extension`` in XDG_CACHE_HOME, or in ~/.cache."""
    home = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(home) if os.path.isabs(home) else Path.home() / ".cache") / "pytorch_legacy" / "extension"


def host_compiler() -> tuple[str, ...]:
    """The C compiler: what CC says, else cc, gcc or clang."""
    return _found("CC", ("cc", "gcc", "clang"), "C")


def cxx_compiler() -> tuple[str, ...]:
    """The C++ compiler: what CXX says, else g++ or c++."""
    return _found("CXX", ("g++", "c++"), "C++")


def _found(variable: str, names: Sequence[str], language: str) -> tuple[str, ...]:
    if named := shlex.split(os.environ.get(variable, "")):
        if shutil.which(named[0]):
            return tuple(named)
        raise ExtensionError(f"{variable}={named[0]}: there is no such compiler")
    for name in names:
        if shutil.which(name):
            return (name,)
    raise ExtensionError(
        f"no {language} compiler was found ({variable}, {', '.join(names)}); install one, as with `apt install {names[-2]}`, "
        f"or say in {variable} where it is"
    )


@lru_cache
def _identity(compiler: tuple[str, ...], place: str | None) -> str:
    """Returns the compiler's version text and path."""
    told = subprocess.run([*compiler, "--version"], capture_output=True, text=True, errors="replace")
    return f"{place}\n{told.stdout}"


def identity(compiler: tuple[str, ...]) -> str:
    return _identity(compiler, shutil.which(compiler[0]))


def is_gcc(compiler: tuple[str, ...]) -> bool:
    """Returns True if the compiler turns shared loops into calls that libTHNN's threads know."""
    told = identity(compiler)
    return "clang" not in told and ("Free Software Foundation" in told or "gcc" in told.lower())


def run(command: Sequence[str], about: Path) -> str:
    """Runs a compiler; returns its warnings. Its errors, with file and line, become an ExtensionError about that file."""
    return _done(command, about).stderr.strip()


def _done(command: Sequence[str], about: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"LC_ALL": "C"}
    try:
        done = subprocess.run([*command], capture_output=True, text=True, errors="replace", env=environment)
    except OSError as error:
        raise ExtensionError(f"{about}: cannot run {command[0]}: {error}") from None
    if done.returncode:
        raise ExtensionError(f"{about}: {command[0]} says:\n{(done.stderr or done.stdout).strip()}{_hint(done.stderr)}")
    return done


def _hint(text: str) -> str:
    if "undefined reference to `GOMP_" in text or "undefined symbol: GOMP_" in text:
        return "\nshared loops may say: omp parallel for num_threads(n), reduction(...), schedule(dynamic)"
    if "THNN/layer.h" in text and "No such file" in text:
        return f"\nthe headers are not in {INCLUDE}: install the package again"
    return ""


def kept(name: str, key: Sequence[str], make: Callable[[Path], str]) -> tuple[Path, bool]:
    """The file that was made of `key` in an earlier run, or is made now by ``make(path)``; and whether it is new.

    What `make` returns, the compiler's warnings, is shown. Where nothing can be kept, the file lives as long as the process.
    """
    digest = hashlib.sha256("\0".join(key).encode(errors="surrogateescape")).hexdigest()[:32]
    try:
        folder = cache() / digest
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        work = Path(tempfile.mkdtemp(prefix="make-", dir=folder))
    except (OSError, RuntimeError):  # there is no home
        folder = work = Path(_of_the_process()) / digest
        folder.mkdir(exist_ok=True)
    target = folder / name
    try:
        if target.exists():
            return target, False
        if told := make(work / name):
            warnings.warn(told, stacklevel=outside())
        os.replace(work / name, target)
        return target, True
    finally:
        if work != folder:
            shutil.rmtree(work, ignore_errors=True)


@lru_cache
def _of_the_process() -> str:
    import atexit

    folder = tempfile.mkdtemp(prefix="pytorch_legacy-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class Compiled(NamedTuple):
    """A shared library, and the digest of what it was compiled of: the layer's own files and flags, on whatever machine."""

    library: Path
    digest: str


def digest(*contents: bytes) -> str:
    """Tells versions of a layer apart."""
    return hashlib.sha256(b"".join(hashlib.sha256(one).digest() for one in contents)).hexdigest()[:32]


def shared_library(source: Path, header: Path | None, flags: Sequence[str], sharesLoops: bool = True) -> Compiled:
    """The shared library of a C file, for float and for double.

    The file is compiled behind THNN/layer.h and its own header, so that a function which does not agree with its declaration is
    an error of the compiler's.
    """
    compiler = host_compiler()
    loops = ["-fopenmp" if sharesLoops and is_gcc(compiler) else "-fopenmp-simd"]
    if is_gcc(compiler):
        loops.append("-ftrack-macro-expansion=0")  # messages name the line of the layer's file, not those of THNN_ and THNN_PASTE
    first = [flag for file in (INCLUDE / "THNN" / "layer.h", header) if file for flag in ("-include", str(file))]
    places = [f"-I{INCLUDE}", f"-I{INCLUDE / 'THNN'}", f"-I{source.parent}"]
    usual = ["-std=gnu11", *COMMON, *STRICT, *loops]
    options = [*usual, *places, *first, *flags]
    typed = {Real: [f"-DReal={Real}", f"-DTHNN_REAL={real}", f"-DTHNN_REAL_IS_{Real}=1"] for Real, real in REALS.items()}
    expanded = [_preprocessed([*compiler, *options, *defines, str(source)], source) for defines in typed.values()]
    texts = [_BLANK.sub("\n", _MARKER.sub("\n", text)) for text in expanded]

    def make(target: Path) -> str:
        told: list[str] = []
        objects = []
        for Real, defines in typed.items():
            objects.append(str(target.with_name(f"{Real}.o")))
            said = run([*compiler, *options, *defines, "-c", str(source), "-o", objects[-1]], source)
            if said and said not in told:
                told.append(said)
        ends = ["-Wl,-z,defs"] if sys.platform == "linux" else []
        libraries = [flag for flag in flags if flag.startswith(("-l", "-L", "-Wl,"))]
        run([*compiler, "-shared", "-o", str(target), *objects, *ends, *libraries, "-lm"], source)
        return "\n".join(told)

    # Folders are no part of the key: the texts have all that is read from them, so that a copy of a layer is not compiled again.
    key = [identity(compiler), *compiler, *usual, *flags, *texts, backend.version()]
    contents = [file.read_bytes() for text in expanded for file in _own(text)]
    return Compiled(kept(f"{source.stem}.so", key, make)[0], digest(*contents, *map(os.fsencode, flags)))


def _preprocessed(command: Sequence[str], about: Path) -> str:
    """All that is compiled: the file and what it includes, expanded. Lines say which file the next ones come from."""
    return _done([*command, "-E"], about).stdout


_MARKER = re.compile(r'^# \d+ "((?:[^"\\\n]|\\.)*)"((?: \d)*)\n', re.MULTILINE)
_BLANK = re.compile(r"\n\s*\n")


def _own(expanded: str) -> list[Path]:
    """The files of a preprocessed text that are the layer's own, in their order: neither the system's nor the interface's."""
    names = {_unquoted(name): None for name, flags in _MARKER.findall(expanded) if "3" not in flags}
    return [file for name in names if (file := Path(name)).is_file() and not file.is_relative_to(INCLUDE)]


def _unquoted(name: str) -> str:
    """A file's name in a line of the preprocessor: a backslash is before a mark, or before three octal digits of a byte."""
    one = re.compile(rb"\\([0-7]{3}|.)")
    return os.fsdecode(one.sub(lambda found: bytes([int(found[1], 8)]) if len(found[1]) == 3 else found[1], os.fsencode(name)))
