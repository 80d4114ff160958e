"""Networks of which a part runs as programs."""

from __future__ import annotations

import copy
from threading import Lock
from typing import Any, NoReturn, Self

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import BusyError, CompileError, THNNError, UnsupportedError
from pytorch_legacy.program.inputs import Source, Spec, first_sizes, specs
from pytorch_legacy.program.program import BUSY, Program, prepared
from pytorch_legacy.recording import record


class Partial:
    """A chain of modules that runs as programs, but for modules that cannot be compiled, which run eagerly between them.

    ``pl.compile(net, example, partial=True)`` makes it of an nn.Sequential that is not compiled as a whole. It is called as a
    program, owns its weights as that does, and never writes to its inputs.
    """

    def __init__(self, net: Any, example: Any) -> None:
        self._lock = Lock()
        chain = prepared(net)
        modules = chain.modules if type(chain) is nn.Sequential else [chain]
        table = specs(chain, example)
        source = Source(table, chain)
        inputs = _inputs(modules, source.filled(source.arrays(first_sizes(chain, table))))
        isBatched = any(spec.shape[0] is None for spec in source.specs)
        self._steps: list[Any] = []
        group: list[int] = []
        for i, module in enumerate(modules):
            if _isRecorded(module, inputs[i]):
                group.append(i)
                continue
            self._compile(modules, group, inputs, isBatched)
            self._steps.append(module)
            group = []
        self._compile(modules, group, inputs, isBatched)

    def _compile(self, modules: list[Any], group: list[int], inputs: list[Any], isBatched: bool) -> None:
        """Adds a program of these modules, or the modules themselves if it cannot be proven."""
        if not group:
            return
        part = nn.Sequential(*(modules[i] for i in group)).type(modules[group[0]].type())
        try:
            self._steps.append(Program(part, tree.map(lambda array: _example(array, isBatched), inputs[group[0]])))
        except THNNError:
            self._steps += part.modules

    def __call__(self, *inputs: Any) -> Any:
        """Returns the network's output."""
        if not self._lock.acquire(blocking=False):
            raise BusyError(BUSY)
        try:
            value = inputs[0] if len(inputs) == 1 else [*inputs]
            isOwn = False
            for step in self._steps:
                if isinstance(step, Program):
                    value = step(value)
                else:
                    value = step.forward(value if isOwn else tree.map_arrays(np.copy, value))
                isOwn = True
            return value if isinstance(self._steps[-1], Program) else tree.map_arrays(np.copy, value)
        finally:
            self._lock.release()

    def save(self, path: Any) -> NoReturn:
        """Raises UnsupportedError: a file holds one program."""
        raise UnsupportedError("program.save: a network of which a part runs eagerly has no file; save the network by pl.save")

    def clone(self) -> Self:
        """Returns another one, for another thread."""
        with self._lock:
            other = object.__new__(type(self))
            other._lock = Lock()
            other._steps = [step.clone() if isinstance(step, Program) else copy.deepcopy(step) for step in self._steps]
        return other

    def forget(self) -> Self:
        """Makes the next call the first one."""
        for step in self._steps:
            step.forget()
        return self

    def __repr__(self) -> str:
        lines = [repr(step).partition("\n")[0] for step in self._steps]
        return "\n".join(["Partial", *(f"  {line}" for line in lines)])


def _inputs(modules: list[Any], value: Any) -> list[Any]:
    """Returns the input of each module of a chain."""
    found = []
    for module in modules:
        found.append(tree.map_arrays(np.copy, value))
        value = copy.deepcopy(module).forward(value)
    return found


def _isRecorded(module: Any, input: Any) -> bool:
    arrays = [*tree.leaves(input)]
    if not all(isinstance(array, np.ndarray) and array.ndim for array in arrays):
        return False
    try:
        record(module, input)
    except CompileError:
        return False
    return True


def _example(array: Any, isBatched: bool) -> Any:
    """Returns the shape of an array with a free batch, or the array."""
    if not isBatched or array.dtype.kind != "f":
        return array
    return Spec((None, *array.shape[1:]), array.dtype)
