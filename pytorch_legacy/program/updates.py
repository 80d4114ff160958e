"""The update of `pl.optim.sgd` as a part of training steps."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy.errors import ArgumentError, ValueRangeError
from pytorch_legacy.messages import described
from pytorch_legacy.optim.shared import Call, entry

_FIXED = ("weightDecay", "momentum", "dampening", "nesterov")
_READ = ("learningRate", "learningRateDecay", "evalCounter", "dfdx")


class Sgd(NamedTuple):
    """The options of `pl.optim.sgd` that a step is compiled for."""

    weightDecay: float
    momentum: float
    dampening: float
    nesterov: bool

    def move(self, flat: Any, gradient: Any, velocity: Any, rate: Any, isFirst: bool) -> None:
        """Moves the parameters in place, as `pl.optim.sgd` does. `rate` is an array of one number: minus the learning rate."""
        step = gradient + self.weightDecay * flat if self.weightDecay else gradient
        if self.momentum:
            if isFirst:
                velocity[...] = step
            else:
                velocity *= self.momentum
                velocity += (1 - self.dampening) * step
            step = step + self.momentum * velocity if self.nesterov else velocity
        flat += rate * step


def options(config: Any, flat: Any) -> Sgd:
    """Returns the options in a table that are fixed when a step is compiled."""
    if not isinstance(config, MutableMapping):
        raise ArgumentError(f"pl.compile: config: expected a dict of options of optim.sgd, got {described(config)}")
    if unknown := [name for name in config if name not in _FIXED + _READ]:
        wanted = ", ".join((*_READ[:2], *_FIXED))
        raise ArgumentError(f"pl.compile: config: expected {wanted}, got {unknown[0]!r}; call optim.sgd after the step for it")
    call = Call("sgd", flat, config, None)
    momentum = call.number("momentum", 0)
    found = Sgd(
        float(call.number("weightDecay", 0)),
        float(momentum),
        float(call.number("dampening", momentum)),
        bool(entry(config, "nesterov", False)),
    )
    if found.nesterov and not (found.momentum > 0 and found.dampening == 0):
        got = f"{found.momentum} and {found.dampening}"
        raise ValueRangeError(f"optim.sgd: nesterov: expected momentum > 0 and dampening = 0, got {got}")
    return found


class SgdTable:
    """The table of options and of what is remembered, which a step reads and writes as `pl.optim.sgd` does.

    Parameters
    ----------
    config : MutableMapping
    flat : array
        The parameters.
    velocity : array
        The memory of the momentum.
    hasMomentum : bool
    """

    def __init__(self, config: Any, flat: Any, velocity: Any, hasMomentum: bool) -> None:
        self.config = config
        self._flat = flat
        self._velocity = velocity
        self._hasMomentum = hasMomentum
        self.rate = np.zeros(1, flat.dtype)

    def begin(self, runner: Any) -> None:
        """Sets the rate of the next step, and with momentum whether that is a later one."""
        call = Call("sgd", self._flat, self.config, None)
        self.rate[0] = -call.annealed(1e-3, call.last("evalCounter"))
        if not self._hasMomentum:
            return
        velocity = entry(self.config, "dfdx")
        if velocity is not None and velocity is not self._velocity:
            self._velocity[...] = call.remembered("dfdx")
        runner.isLater = velocity is not None

    def end(self) -> None:
        """Counts a step."""
        if self._hasMomentum:
            self.config["dfdx"] = self._velocity
        self.config["evalCounter"] = entry(self.config, "evalCounter", 0) + 1
