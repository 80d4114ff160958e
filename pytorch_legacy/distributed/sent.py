"""A network on its way to workers: its parameters once and nothing else; each thread that runs it has a clone."""

from __future__ import annotations

import threading
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects.copies import rebind

_here: WeakValueDictionary[str, Sent] = WeakValueDictionary()


class Sent:
    """Pickles as the parameters of a network. What arrives in a process several times is one there."""

    def __init__(self, net: Module, key: str | None = None) -> None:
        self.net = without_buffers(net) if key is None else net
        self.key = key or uuid4().hex
        self._threads = threading.local()
        _here.setdefault(self.key, self)

    def __reduce__(self) -> Any:
        return _arrived, (self.key, self.net)

    def __dask_tokenize__(self) -> str:
        return self.key

    def here(self) -> Module:
        """The clone of this thread. It shares its parameters with those of other threads."""
        if not hasattr(self._threads, "net"):
            self._threads.net = self.net.sharedClone()
        net: Module = self._threads.net
        return net


def _arrived(key: str, net: Module) -> Sent:
    return _here.get(key) or Sent(net, key)


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
