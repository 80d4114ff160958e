"""The package ``threads``: jobs run one after another, each in a state of its own with globals of its own."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ..language.errors import raise_error, value_of
from ..language.operators import many
from ..language.table import Table, Userdata, fields, first, rawset
from .functions import functions
from .moving import Moving
from .values import is_callable, table_of, truth, with_metatable

if TYPE_CHECKING:
    from ..language.state import State

_SHARED = "threads.sharedserialize"
_MAX_THREADS = 1024  # states of a pool, each of which has packages of its own


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
            state.require("torch")
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


def _any_pool(value: Any, _: int, name: str) -> Pool:
    if not isinstance(value, Pool):
        raise_error(f"bad argument #1 to '{name}' (threads.Threads expected)")
    return value


def _pool(value: Any, position: int, name: str) -> Pool:
    """Returns a pool that runs."""
    if not _any_pool(value, position, name).isRunning:
        raise_error("thread system is not running")
    return value  # type: ignore[no-any-return]


def _addjob(pool: Pool, *given: Any) -> tuple[()]:
    if pool.isSpecific:
        number = given[0] if given else None
        if number.__class__ is not float or not 1 <= number <= len(pool.states):
            raise_error("thread index expected")
        thread, given = int(number) - 1, given[1:]
    else:
        thread, pool.next = pool.next, (pool.next + 1) % len(pool.states)
    function, end = (*given[:2], None, None)[:2]
    if not is_callable(function):
        raise_error("function callback expected")
    if end is not None and not is_callable(end):
        raise_error("function (or nil) endcallback expected")
    pool.add(thread, function, end, given[2:])
    return ()


def _dojob(pool: Pool) -> tuple[()]:
    if pool.jobs:
        pool.do_job()
    return ()


def _synchronize(pool: Pool) -> tuple[()]:
    if pool.isRunning:
        pool.synchronize()
    return ()


def _terminate(pool: Pool) -> tuple[()]:
    if pool.isRunning:
        pool.synchronize()
        pool.isRunning = False
        pool.states = []
    return ()


def _specific(pool: Pool, new: Any) -> Any:
    if new is None:
        return pool.isSpecific
    pool.synchronize()
    pool.isSpecific = truth(new)
    return ()


_METHODS = functions({
    "addjob": ("pool *any", _addjob),
    "dojob": ("pool", _dojob),
    "synchronize": ("anyPool", _synchronize),
    "terminate": ("anyPool", _terminate),
    "specific": ("pool any", _specific),
    "isrunning": ("any", lambda pool: isinstance(pool, Pool) and pool.isRunning),
    "hasjob": ("pool", lambda pool: bool(pool.jobs)),
    "haserror": ("pool", lambda pool: bool(pool.errors)),
    "acceptsjob": ("pool", lambda pool: len(pool.jobs) < len(pool.states)),
}, pool=_pool, anyPool=_any_pool)  # fmt: skip


def _lock(*names: str) -> Any:
    """Returns the constructor of an object whose methods do nothing: there is one thread."""

    def make(_: Any = None, given: Any = None, *_rest: Any) -> Table:
        made = Table()
        ident = given if given.__class__ is float else float(id(made))
        methods: dict[str, Any] = {name: lambda *_: () for name in (*names, "free", "retain")}
        made.__dict__.update(methods, id=lambda *_: ident)
        return made

    return with_metatable(Table(), __call=make)


def library(state: State) -> Table:
    """Returns the package's table, which makes a pool when it is called."""
    kind = "threads.serialize"
    metatable = fields(**_METHODS)
    metatable.__dict__["__index"] = metatable
    made_class: Any = type("Pool", (Pool,), {"__slots__": (), "_metatable": metatable})

    def serialization(name: str | None) -> Any:
        nonlocal kind
        if name is None:
            return kind
        kind = name
        return ()

    def make(n: int, *given: Any) -> Any:
        if not 1 <= n <= _MAX_THREADS:
            raise_error(f"bad argument #1 to 'Threads' (number of threads expected, 1 to {_MAX_THREADS})")
        pool, results = made_class(state, n, kind == _SHARED), Table()

        def keep(*values: Any) -> tuple[()]:
            rawset(results, float(len(results) + 1), table_of(values))
            return ()

        for function in given:
            for i in range(n):
                pool.add(i, function, keep if function is given[-1] else None, (float(i + 1),))
        pool.synchronize()
        pool.isSpecific = False
        return pool, results

    made = functions({"serialization": ("string?", serialization), "Threads": ("whole *function", make)})
    common = {"serialization": made["serialization"], "new": made["Threads"]}
    call = lambda _, *given: made["Threads"](*given)  # noqa: E731
    pools = with_metatable(fields(**common, **_METHODS), __call=call)
    table = fields(Threads=pools, Mutex=_lock("lock", "unlock"), Condition=_lock("signal", "wait"), **common)
    table.__dict__.update(functions({"safe": ("any", lambda function: function)}))
    return with_metatable(table, __call=call)
