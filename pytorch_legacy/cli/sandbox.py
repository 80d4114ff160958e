"""The process in which ``pytorch-legacy lua --sandbox`` runs a program of Lua.

The session takes away files, processes and the environment (`pytorch_legacy.lua.Session`). The process adds limits of the system,
which hold also inside of C code, and refuses events that Python reports to its audit hooks. The parent copies the output of its
child, because a child that must not write files could not write into a redirected output either.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO

from pytorch_legacy.inference.problem import Problem

OPTIONS = ("code", "path", "seed", "stub", "script", "arguments", "seconds", "bytes")
SECONDS, BYTES = 60.0, 2 * 10**9
_CHILD = "import sys; sys.path.append(sys.argv[2]); from pytorch_legacy.cli import sandbox; sys.exit(sandbox.child(sys.argv[1]))"
_ROOT = str(Path(__file__).parents[2])  # The folder of the package, for a package that is not installed.
_MAX_SECONDS, _MAX_BYTES = 1e9, 1 << 62  # The system takes no larger limits.
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PIECE = 1 << 16  # bytes that are copied at once
_LOOKS = ("os.listdir", "os.scandir", "os.putenv", "os.unsetenv")  # events that change nothing outside of the process
_REFUSED = ("os.", "subprocess.", "socket.", "shutil.", "pty.")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def run(options: argparse.Namespace) -> None:
    """Runs a program in a child process. Raises a Problem that names the limit if a limit ended the process."""
    if sys.platform == "win32":
        raise Problem("--sandbox: expected a POSIX system, whose processes have limits, got Windows")
    given = json.dumps({name: getattr(options, name) for name in OPTIONS})
    environment = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1")}
    sys.stdout.flush()
    # Output without a buffer (-u) arrives also if a limit ends the process. Modules of the working folder are not imported (-P).
    process = subprocess.Popen(
        [sys.executable, "-u", "-P", "-c", _CHILD, given, _ROOT], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    pairs = ((process.stdout, sys.stdout.buffer), (process.stderr, sys.stderr.buffer))
    unread: list[OSError] = []
    copies = [Thread(target=_copy, args=(source, sink, process, unread)) for source, sink in pairs]
    try:
        for copy in copies:
            copy.start()
        for copy in copies:
            copy.join()
        status = process.wait()
    finally:
        process.kill()
        process.wait()
    if unread:
        raise unread[0]
    if status < 0:
        raise Problem(_reason(-status, options))
    if status:
        raise SystemExit(status)


def _copy(source: Any, sink: BinaryIO, process: subprocess.Popen[bytes], unread: list[OSError]) -> None:
    """Copies the output of the child. The child is ended, and the error kept, if the output cannot be written any more."""
    try:
        while data := source.read1(_PIECE):
            sink.write(data)
            sink.flush()
    except OSError as error:
        unread.append(error)
        process.kill()


def _reason(number: int, options: argparse.Namespace) -> str:
    """Returns the message for a child that a signal ended."""
    name = "-e CODE" if options.script is None else options.script
    if number in (signal.SIGALRM, signal.SIGXCPU):
        return f"{name}: the program did not end within {options.seconds:g} seconds; --seconds N sets another limit"
    ended = f"{name}: the program was ended by {signal.Signals(number).name}"
    return f"{ended}; it may use {options.bytes:,} bytes of memory, and --bytes N sets another limit"


def child(given: str) -> int:
    """Runs the program in this process, under its limits. Returns the exit status."""
    from . import lua, main

    return main(argparse.Namespace(command="lua", execute=lua.execute_confined, **json.loads(given)))


def confine(seconds: float, size: int) -> None:
    """Limits this process: it ends after `seconds`, gets `size` further bytes of memory, writes no file and starts no process."""
    import resource

    seconds = min(seconds, _MAX_SECONDS)
    used = resource.getrusage(resource.RUSAGE_SELF)
    limits = {  # These are soft limits, at which the system sends the signal that names them.
        resource.RLIMIT_CPU: math.ceil(used.ru_utime + used.ru_stime + seconds),
        resource.RLIMIT_AS: min(_taken() + size, _MAX_BYTES),
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for kind, limit in limits.items():
        most = resource.getrlimit(kind)[1]
        soft, hard = (limit, limit + 1) if most == resource.RLIM_INFINITY else (min(limit, most), min(limit + 1, most))
        resource.setrlimit(kind, (soft, hard))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # The system ends the process, also in the midst of C code.
    signal.setitimer(signal.ITIMER_REAL, seconds)
    sys.dont_write_bytecode = True
    sys.addaudithook(_refuse)


def _taken() -> int:
    """Returns the bytes of the address space of this process, 0 if the system does not report them."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Raises an error for an event that writes files, or that starts processes or connections."""
    if event == "open":
        isRefused = isinstance(arguments[2], int) and bool(arguments[2] & _WRITING)
    else:
        isRefused = event.startswith(_REFUSED) and event not in _LOOKS
    if isRefused:
        raise PermissionError(f"a sandbox has no {event}")
