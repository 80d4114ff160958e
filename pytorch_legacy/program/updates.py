"""The update of `pl.optim.sgd` as a part of training steps."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, NamedTuple

from pytorch_legacy.errors import ArgumentError, ValueRangeError
from pytorch_legacy.messages import described
from pytorch_legacy.optim.shared import Call, entry

_READ = ("learningRate", "learningRateDecay", "evalCounter", "dfdx")


class Sgd(NamedTuple):
    """The options of `pl.optim.sgd` that a step is compiled for."""

    weightDecay: float
    momentum: float
    dampening: float
    nesterov: bool

    def move(self, flat: Any, gradient: Any, velocity: Any, coefficients: Any) -> None:
        """Moves the parameters in place, as `pl.optim.sgd` does.

        `coefficients` are minus the learning rate, and by how much the velocity and the gradient count in the new velocity.
        """
        rate, decay, gain = (coefficients[place : place + 1] for place in range(3))
        step = gradient + self.weightDecay * flat if self.weightDecay else gradient
        if self.momentum:
            velocity *= decay
            velocity += gain * step
            step = step + self.momentum * velocity if self.nesterov else velocity
        flat += rate * step


_NAMES = {*Sgd._fields, *_READ}


def options(config: Any, flat: Any, caller: str) -> Sgd:
    """Returns the options in a table that are fixed when a step is compiled. Errors call the function `caller`."""
    if not isinstance(config, MutableMapping):
        raise ArgumentError(f"{caller}: config: expected a dict of options of optim.sgd, got {described(config)}")
    if unknown := [name for name in config if name not in _NAMES]:
        wanted = ", ".join((*_READ[:2], *Sgd._fields))
        raise ArgumentError(f"{caller}: config: expected {wanted}, got {unknown[0]!r}; call optim.sgd after the step for it")
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
    sgd : Sgd
    flat : array
        The parameters.
    velocity, coefficients : array
        Those of `Sgd.move`.
    """

    def __init__(self, config: Any, sgd: Sgd, flat: Any, velocity: Any, coefficients: Any) -> None:
        self.config = config
        self._sgd = sgd
        self._flat = flat
        self._velocity = velocity
        self._coefficients = coefficients
        self._given = self._fixed()

    def begin(self) -> None:
        """Sets the coefficients of the next step. With momentum, the velocity of the first one is the gradient."""
        if self._fixed() != self._given or not self.config.keys() <= _NAMES:
            self._compare()
        call = Call("sgd", self._flat, self.config, None)
        self._coefficients[0] = -call.annealed(1e-3, call.last("evalCounter"))
        if not self._sgd.momentum:
            return
        decay, gain = self._sgd.momentum, 1 - self._sgd.dampening
        velocity = entry(self.config, "dfdx")
        if velocity is None:
            self._velocity.fill(-0.0)  # -0 + x is x, also if x is -0
            decay, gain = 1, 1
        elif velocity is not self._velocity:
            self._velocity[...] = call.remembered("dfdx")
        self._coefficients[1], self._coefficients[2] = decay, gain

    def _fixed(self) -> list[Any]:
        """Returns the values of the options that no step may change."""
        return [entry(self.config, name) for name in Sgd._fields]

    def _compare(self) -> None:
        """Raises ValueRangeError unless the table has the options that the step was compiled for."""
        given = options(self.config, self._flat, "step")
        for name, expected, got in zip(Sgd._fields, self._sgd, given, strict=True):
            if got != expected:
                raise ValueRangeError(
                    f"step: config: {name}: expected {expected}, as it was compiled for, got {got}; compile the network again"
                )

    def end(self) -> None:
        """Counts a step."""
        if self._sgd.momentum:
            self.config["dfdx"] = self._velocity
        self.config["evalCounter"] = entry(self.config, "evalCounter", 0) + 1
