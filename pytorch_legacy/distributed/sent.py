"""A network on its way to workers: its parameters once and nothing else; each thread that runs it has a clone."""

from __future__ import annotations

import threading
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import THNNError
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects.copies import rebind
from pytorch_legacy.program import Program, compile

_here: WeakValueDictionary[str, Sent] = WeakValueDictionary()


FEW = 128
"""For fewer inputs than these it takes longer to compile a network than to run it."""


class Compiled:
    """A network for `batches.run` that runs as a program where its input has the shape of that."""

    def __init__(self, net: Module, program: Program, shape: tuple[int, ...]) -> None:
        self._typename = net._typename
        self._net, self._program, self._shape = net, program, shape

    def forget(self) -> None:
        self._net.forget()
        self._program.forget()

    def forward(self, input: Any) -> Any:
        """Returns the output."""
        return self._program(input) if input.shape[1:] == self._shape else self._net.forward(input)


def compiled(net: Module, shape: tuple[int, ...], count: int) -> tuple[tuple[Program, tuple[int, ...]] | None, str]:
    """A program for batches of samples of this shape, and that shape, if it is worth it; or None and why there is none."""
    if count < FEW:
        return None, ""
    try:
        return (compile(net, (None, *shape)), shape), ""
    except THNNError as error:
        return None, f"the network runs module by module: {error}"


class Sent:
    """Pickles as the parameters of a network, and its program. What arrives in a process several times is one there."""

    def __init__(self, net: Module, key: str | None = None, program: Any = None) -> None:
        self.net = without_buffers(net) if key is None else net
        self.key = key or uuid4().hex
        self.program = program
        self._threads = threading.local()
        _here.setdefault(self.key, self)

    def __reduce__(self) -> Any:
        return _arrived, (self.key, self.net, self.program)

    def __dask_tokenize__(self) -> str:
        return self.key

    def here(self) -> Any:
        """The clone of this thread. It shares its parameters with those of other threads."""
        if not hasattr(self._threads, "net"):
            net = self.net.sharedClone()
            self._threads.net = net if self.program is None else Compiled(net, self.program[0].clone(), self.program[1])
        return self._threads.net


def _arrived(key: str, net: Module, program: Any) -> Sent:
    return _here.get(key) or Sent(net, key, program)


def without_buffers(net: Module) -> Module:
    """A copy for evaluation, on the parameters of `net`, without buffers and without memory for gradients."""
    copy = net.sharedClone().clearState().evaluate()
    parameters, gradients = copy.parameters() or ([], [])
    known = {id(parameter) for parameter in parameters}
    nothing = [
        (gradient, np.broadcast_to(np.zeros(1, gradient.dtype), gradient.shape))
        for gradient in gradients
        if is_tensor(gradient) and gradient.size and id(gradient) not in known
    ]
    rebind(copy, nothing)
    return copy
