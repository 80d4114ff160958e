"""The package ``threads``: jobs run one after another, each in a state of its own with globals of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, number, string
from ..language.errors import raise_error, value_of
from ..language.operators import many
from ..language.table import Table, Userdata, fields, first, rawset
from .moving import Moving
from .values import table_of, truth, with_metatable

if TYPE_CHECKING:
    from ..language.state import State

_SHARED = "threads.sharedserialize"


class Pool(Userdata):
    """The threads of ``threads.Threads(n, ...)``.

    Attributes
    ----------
    states : list of State
        A state a thread.
    jobs : deque
        Jobs that wait: the number of a thread, the function and its arguments in its state, and what gets the results.
    isShared : bool
        Tensors that go to a thread, and come back, are not copied.
    isSpecific : bool
        Jobs name their thread.
    """

    __slots__ = ("errors", "isRunning", "isShared", "isSpecific", "jobs", "main", "next", "states")

    def __init__(self, main: State, n: int, isShared: bool) -> None:
        assert main.sibling is not None
        self.main, self.isShared = main, isShared
        self.states = [main.sibling() for _ in range(n)]
        for i, state in enumerate(self.states, 1):
            state.globals.__dict__["__threadid"] = float(i)
        self.jobs: deque[tuple[int, Any, tuple[Any, ...], Any]] = deque()
        self.errors: list[str] = []
        self.isRunning, self.isSpecific, self.next = True, True, 0

    def add(self, thread: int, function: Any, end: Any, arguments: tuple[Any, ...]) -> None:
        """Adds a job. The oldest one is done before, if there are as many as threads."""
        if self.errors:
            self.synchronize()
        while len(self.jobs) >= len(self.states):
            self.do_job()
        moving = Moving(self.main, self.states[thread], self.isShared)
        self.jobs.append((thread, moving.value(function), tuple(moving.value(one) for one in arguments), end))

    def do_job(self) -> None:
        """Runs the oldest job, and hands its results on. Errors are kept."""
        thread, function, arguments, end = self.jobs.popleft()
        try:
            found = many(function(*arguments))
        except Exception as error:
            self._failed(thread, "callback", error)
            return
        if end is None:
            return
        try:
            moving = Moving(self.states[thread], self.main, self.isShared)
            end(*(moving.value(one) for one in found))
        except Exception as error:
            self._failed(thread, "endcallback", error)

    def _failed(self, thread: int, kind: str, error: Exception) -> None:
        value = value_of(error)
        self.errors.append(f"[thread {thread + 1} {kind}] {first(self.main.tostring(value))}")

    def synchronize(self) -> None:
        """Runs all jobs. Raises the errors of jobs since the last time."""
        while self.jobs:
            self.do_job()
        if self.errors:
            message = "\n" + "\n".join(self.errors)
            self.errors = []
            raise_error(message)


def _pool(value: Any, name: str) -> Pool:
    if not isinstance(value, Pool):
        raise_error(f"bad argument #1 to '{name}' (threads.Threads expected)")
    if not value.isRunning:
        raise_error("thread system is not running")
    return value


def _thread(pool: Pool, value: Any) -> int:
    if value.__class__ is not float or not 1 <= value <= len(pool.states):
        raise_error("thread index expected")
    return int(value) - 1


def addjob(pool: Any = MISSING, *arguments: Any) -> tuple[()]:
    pool = _pool(pool, "addjob")
    if pool.isSpecific:
        thread, arguments = _thread(pool, arguments[0] if arguments else None), arguments[1:]
    else:
        thread, pool.next = pool.next, (pool.next + 1) % len(pool.states)
    function, end = (*arguments[:2], None, None)[:2]
    if not callable(function):
        raise_error("function callback expected")
    if end is not None and not callable(end):
        raise_error("function (or nil) endcallback expected")
    pool.add(thread, function, end, arguments[2:])
    return ()


def dojob(pool: Any = MISSING, *_: Any) -> tuple[()]:
    pool = _pool(pool, "dojob")
    if pool.jobs:
        pool.do_job()
    return ()


def synchronize(pool: Any = MISSING, *_: Any) -> tuple[()]:
    if not isinstance(pool, Pool) or pool.isRunning:
        _pool(pool, "synchronize").synchronize()
    return ()


def terminate(pool: Any = MISSING, *_: Any) -> tuple[()]:
    if isinstance(pool, Pool) and pool.isRunning:
        pool.synchronize()
        pool.isRunning = False
        pool.states = []
    return ()


def specific(pool: Any = MISSING, new: Any = None, *_: Any) -> Any:
    pool = _pool(pool, "specific")
    if new is None:
        return pool.isSpecific
    pool.synchronize()
    pool.isSpecific = truth(new)
    return ()


def isrunning(pool: Any = MISSING, *_: Any) -> bool:
    return isinstance(pool, Pool) and pool.isRunning


def hasjob(pool: Any = MISSING, *_: Any) -> bool:
    return bool(_pool(pool, "hasjob").jobs)


def haserror(pool: Any = MISSING, *_: Any) -> bool:
    return bool(_pool(pool, "haserror").errors)


def acceptsjob(pool: Any = MISSING, *_: Any) -> bool:
    pool = _pool(pool, "acceptsjob")
    return len(pool.jobs) < len(pool.states)


_METHODS: dict[str, Callable[..., Any]] = {
    **{"addjob": addjob, "dojob": dojob, "synchronize": synchronize, "terminate": terminate, "specific": specific},
    **{"isrunning": isrunning, "hasjob": hasjob, "haserror": haserror, "acceptsjob": acceptsjob},
}


def _lock(*names: str) -> Any:
    """Returns the constructor of an object whose methods do nothing: there is one thread."""

    def make(_: Any = None, given: Any = None, *_rest: Any) -> Table:
        made = Table()
        ident = given if given.__class__ is float else float(id(made))
        methods: dict[str, Any] = {name: lambda *_: () for name in (*names, "free", "retain")}
        made.__dict__.update(methods, id=lambda *_: ident)
        return made

    return with_metatable(Table(), __call=make)


def safe(function: Any = MISSING, *_: Any) -> Any:
    return function


def library(state: State) -> Table:
    """Returns the package's table, which makes a pool when it is called."""
    kind = "threads.serialize"
    metatable = fields(**_METHODS)
    metatable.__dict__["__index"] = metatable
    made_class: Any = type("Pool", (Pool,), {"__slots__": (), "_metatable": metatable})

    def serialization(name: Any = None, *_: Any) -> Any:
        nonlocal kind
        if name is None:
            return kind
        kind = string(name, 1, "serialization")
        return ()

    def make(_: Any, n: Any = MISSING, *functions: Any) -> Any:
        count = int(number(n, 1, "Threads"))
        if count < 1:
            raise_error("bad argument #1 to 'Threads' (number of threads expected)")
        pool, results = made_class(state, count, kind == _SHARED), Table()

        def keep(*values: Any) -> tuple[()]:
            rawset(results, float(len(results) + 1), table_of(values))
            return ()

        for function in functions:
            for i in range(count):
                pool.add(i, function, keep if function is functions[-1] else None, (float(i + 1),))
        pool.synchronize()
        pool.isSpecific = False
        return pool, results

    threads = fields(serialization=serialization, new=lambda *arguments: make(None, *arguments), **_METHODS)
    pools = with_metatable(threads, __call=make)
    table = fields(Threads=pools, Mutex=_lock("lock", "unlock"), Condition=_lock("signal", "wait"), safe=safe)
    table.__dict__.update(serialization=serialization, new=threads.__dict__["new"])
    return with_metatable(table, __call=make)
