"""A training step as lists of calls: forward, loss, backward and the gradients of the parameters in one pass.

Three kinds of memory live from step to step, and are *held*: the parameters, their gradients, and every array of the network
that a pass changes, such as running statistics. Held arrays that no step writes are further inputs of a list. All others are
further outputs, whose contents the list may read before it writes them. So a step needs no copy of them. An array that a pass
replaces by another one is changed, too: a pass that is recorded copies the new one into the old one at its end.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.program.execution import Opened
from pytorch_legacy.program.updates import Sgd
from pytorch_legacy.recording.network import Place, array_at, array_places, put_at
from pytorch_legacy.recording.recorder import begin, memory_owner

PARAMETERS: Place = ("flat",)
GRADIENTS: Place = ("flatGrad",)
VELOCITY: Place = ("velocity",)
COEFFICIENTS: Place = ("coefficients",)
ZEROING = "zeroGradParameters"
"""The first part of a pass."""


class TrainingPass(Module):
    """A network and a criterion as one module, which computes the loss of an input and a target, and the gradients.

    It owns copies of both. With an optimizer it also moves the parameters.

    Attributes
    ----------
    net, criterion
    flat, flatGrad : array
        The vectors of the network's parameters and of their gradients.
    sgd : Sgd or None
    velocity : array
        The memory of the momentum.
    coefficients : array
        The three numbers of `Sgd.move`.
    replaced : list of tuple
        Places of arrays that passes replace, and that keep their memory.
    """

    sgd: Sgd | None = None
    replaced: Sequence[Place] = ()

    def __init__(self, net: Any, criterion: Any) -> None:
        super().__init__()
        self.net = copy.deepcopy(net).training().clearState()
        self.criterion = copy.deepcopy(criterion)
        self._dtype = net._dtype
        self.flat, self.flatGrad = self.net.getParameters()
        self.velocity = np.empty(0, self.flat.dtype)
        self.coefficients = np.empty(0, self.flat.dtype)

    def learnBy(self, sgd: Sgd) -> None:
        """Lets passes move the parameters."""
        self.sgd = sgd
        self.velocity = np.zeros_like(self.flat) if sgd.momentum else self.velocity
        self.coefficients = np.array([-0.125, sgd.momentum, 1 - sgd.dampening], self.flat.dtype)

    def held(self) -> Held:
        """Returns the arrays that passes hold whatever network there is."""
        places = [PARAMETERS, GRADIENTS] if self.flat.size else []
        if not self.sgd:
            return Held(places, places[1:])
        places += [VELOCITY] if self.velocity.size else []
        return Held([*places, COEFFICIENTS], places)

    def updateOutput(self, input: Any) -> Any:
        """Returns the loss for a table of an input, and a target if the criterion needs one."""
        given, target = input if len(input) == 2 else (*input, None)
        before = [array_at(self, place) for place in self.replaced]
        begin(ZEROING)
        self.net.zeroGradParameters()
        begin("forward: updateOutput")
        found = self.net.forward(given)
        begin("criterion")
        self.output = self.criterion.forward(found, target)
        gradient = self.criterion.backward(found, target)
        begin("backward: updateGradInput and accGradParameters")
        self.net.backward(given, gradient)
        if self.sgd:
            begin("update")
            self.sgd.move(self.flat, self.flatGrad, self.velocity, self.coefficients)
        if before:
            begin("arrays that were replaced")
            self._restore(before)
        return self.output

    def _restore(self, before: list[Any]) -> None:
        """Copies arrays that replace others into these, which take their places again."""
        after = [np.copy(array_at(self, place)) for place in self.replaced]  # two arrays may have changed places
        for place, old, new in zip(self.replaced, before, after, strict=True):
            old[...] = new
            put_at(self, place, old)

    def clearState(self) -> Self:
        self.net.clearState()
        return super().clearState()

    def _children(self) -> list[Any]:
        return [self.net]


class Held:
    """The arrays that live from step to step.

    Attributes
    ----------
    places : list of tuple
        Their places in a TrainingPass.
    written : set of tuple
        Those that a step changes.
    """

    def __init__(self, places: Sequence[Place], written: Sequence[Place]) -> None:
        self.places = [*places]
        self.written = {*written}

    @property
    def numbers(self) -> list[int]:
        """The numbers of the places that a step changes."""
        return [number for number, place in enumerate(self.places) if place in self.written]

    def read(self) -> list[Place]:
        """Returns the places that a step only reads, in the order of its inputs."""
        return [place for place in self.places if place not in self.written]

    def changed(self) -> list[Place]:
        """Returns the places that a step changes, in the order of its outputs."""
        return [place for place in self.places if place in self.written]


def owned(array: Any) -> Any:
    """Returns the memory of an array as a dense one."""
    owner = memory_owner(array)
    return owner if owner.ndim and owner.flags.c_contiguous else owner.ravel(order="K")


def held_arrays(net: TrainingPass, places: Sequence[Place]) -> list[Any]:
    """Returns the memory of the arrays at these places."""
    return [owned(array_at(net, place)) for place in places]


def sharing_places(net: TrainingPass, places: Sequence[Place]) -> list[Place]:
    """Returns the places of all arrays that are in the memory of the arrays at these places."""
    found = array_places(net)
    owners = {id(memory_owner(found[place])) for place in places}
    return [place for place, array in found.items() if id(memory_owner(array)) in owners]


def hold(opened: Opened, held: Held, net: TrainingPass, dtype: Any) -> None:
    """Lets later runs of a program read and write the held arrays of a training pass, and write a loss of this dtype."""
    opened.hold(held_arrays(net, held.read()), [np.empty(1, dtype), *held_arrays(net, held.changed())])


def loss(opened: Opened) -> Any:
    """Returns the loss of the latest run, an array of one number that the next one overwrites."""
    return opened.written[0]


@contextmanager
def kept_generator() -> Iterator[None]:
    """Lets the random generator go on afterwards from where it is now."""
    state = random.getRNGState()
    try:
        yield
    finally:
        random.setRNGState(state)
