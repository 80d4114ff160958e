"""A walk over all that a script in a sandbox can reach.

``python -m tests.lua.walking`` calls every function and lists the events of the system. It is a process of its own, because a
hook of Python's audits stays until the end.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from types import FrameType, FunctionType
from typing import Any

import pytorch_legacy as pl
from pytorch_legacy.lua.language.operators import many
from pytorch_legacy.lua.language.state import State
from pytorch_legacy.lua.language.table import Table
from pytorch_legacy.lua.session import to_lua

AUDITED = ("open", "os.", "subprocess.", "socket.", "shutil.", "tempfile.", "glob.", "ctypes.dlopen", "pty.")
PROBED = ("stat", "lstat", "access", "readlink", "getenv", "getenvb")
OWN = os.path.join("tensors", "memory.py")
SLOW = ("sleep", "usleep", "collectgarbage")
SECONDS = 0.1  # for a call; some functions do not end with such arguments
OBJECTS = """
return torch.MemoryFile(), torch.ones(2, 2), torch.LongStorage{1, 2}, torch.Timer(), torch.CmdLine(), torch.Generator(),
   nn.Sequential():add(nn.Linear(2, 2)), require('tds').Hash(), require('tds').Vec(), nn.MSECriterion(), nn.Identity()()
"""


class Recorder:
    """The events of the system while functions of a script run."""

    def __init__(self) -> None:
        self.events: set[str] = set()
        self.name = ""
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.name and event.startswith(AUDITED):
            self.note(event, arguments)

    def note(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Notes an event, unless its cause is the import of a module, a look at free memory, or the check of a path."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if "importlib" in file or file.endswith(OWN) or frame.f_code.co_name == "_is_open":
                return
            frame = frame.f_back
        self.events.add(f"{self.name}: {event} {arguments[:1]}")

    def probe(self) -> None:
        """Replaces functions and variables of ``os`` for which Python has no event."""
        for name in PROBED:
            setattr(os, name, self._probed(name, getattr(os, name)))
        for name in ("environ", "environb"):
            setattr(os, name, _Environment(getattr(os, name), self, name))

    def _probed(self, name: str, function: Any) -> Any:
        def called(*arguments: Any, **keywords: Any) -> Any:
            if self.name:
                self.note(f"os.{name}", arguments)
            return function(*arguments, **keywords)

        return called


class _Environment(dict[Any, Any]):
    """The environment, whose readers are noted."""

    def __init__(self, plain: Any, recorder: Recorder, name: str) -> None:
        super().__init__(plain)
        self._recorder, self._name = recorder, name

    def get(self, key: Any, default: Any = None) -> Any:
        if self._recorder.name:
            self._recorder.note(f"os.{self._name}", (key,))
        return super().get(key, default)

    def __getitem__(self, key: Any) -> Any:
        return self.get(key)


def session_of(sandbox: bool) -> pl.lua.Session:
    """Returns a session in which all packages are open."""
    session = pl.lua.Session(sandbox=sandbox, path=[])
    for name in session._state.globals.package.preload.__dict__:
        session._state.require(name)
    session.execute("for name, class in pairs(nn) do local _ = type(class) == 'table' and class.updateOutput end")
    return session


def reachable(state: State, values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yields the functions to which tables and metatables lead, by their names."""
    seen: set[int] = set()
    stack = [("", value) for value in [state.globals, state.loaded, *state.metatables.values(), state.types.registry, *values]]
    while stack:
        name, value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Table):
            stack += [(str(key), one) for key, one in value.__dict__.items()]
            stack += [(str(key), one) for pair in dict.items(value) for key, one in enumerate(pair)]
            metatable = state.metatable(value)
            if isinstance(metatable, Table):
                stack.append(("", metatable))
            if isinstance(found := state.border.classes.python_of(value), type):
                stack += [(name, state.index(value, name)) for name in vars(found) if name[0] != "_"]
        elif isinstance(value, FunctionType):
            yield name, value
        elif (metatable := state.metatable(value)) is not None:
            stack.append(("", metatable))


@contextlib.contextmanager
def _deadline() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _ended(*_: Any) -> None:
    raise RuntimeError("a call took too long")


def walk(recorder: Recorder) -> tuple[list[str], int]:
    """Calls all functions. Returns the names of those that a sandbox refuses, and how many there are."""
    session = session_of(True)
    state = session._state
    objects = list(many(state.load(OBJECTS, "=walk")()))
    functions = list(reachable(state, objects))
    file, new = __file__, "walked.tmp"
    given: list[tuple[Any, ...]] = [
        (),
        (file,),
        ("echo walked",),
        (file, "r"),
        (new, "w"),
        (new, "rw"),
        (None, new),
        (file, new, new),
    ]
    given += [(one, new) for one in objects] + [(one,) for one in objects] + [(new, one) for one in objects[:2]]
    given += [(objects[-1], "title", new), (to_lua({"HOME": "x", "input": file}, state),), (2.0,), (2.0, 2.0)]
    refused = set()
    for name, function in functions:
        for arguments in given if name not in SLOW else given[:1]:
            recorder.name = name
            try:
                with _deadline():
                    function(*arguments)
            except Exception as error:
                if "a sandbox has no " in str(error):
                    refused.add(str(error).partition("a sandbox has no ")[2])
            finally:
                recorder.name = ""
    return sorted(refused), len(functions)


def main() -> None:
    recorder = Recorder()
    signal.signal(signal.SIGALRM, _ended)
    session_of(False)  # Modules that functions import are imported now.
    recorder.probe()
    warnings.simplefilter("ignore")  # a warning reads the line that it shows
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        recorder.name = "control"
        open(os.devnull).close()
        os.stat(os.devnull)
        os.environ.get("HOME")
        recorder.name = ""
        control = sorted(recorder.events)
        recorder.events.clear()
        refused, count = walk(recorder)
    print(json.dumps({"events": sorted(recorder.events), "refused": refused, "functions": count, "control": control}))


if __name__ == "__main__":
    main()
