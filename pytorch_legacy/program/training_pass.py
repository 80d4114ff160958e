"""A training step as lists of calls: forward, loss, backward and the gradients of the parameters in one pass.

Three kinds of memory live from step to step, and are *held*: the parameters, their gradients, and every array of the network
that a pass changes in place, such as running statistics. Held arrays that no step writes are further inputs of a list. All others
are further outputs, whose contents the list may read before it writes them. So a step needs no copy of them.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.messages import sizes
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.program.execution import Opened
from pytorch_legacy.program.updates import Sgd
from pytorch_legacy.recording.network import Place, array_places
from pytorch_legacy.recording.recorder import begin, memory_owner

PARAMETERS: Place = ("flat",)
GRADIENTS: Place = ("flatGrad",)
VELOCITY: Place = ("velocity",)


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
    isFirst : bool
        Whether the next pass is the first one, which has no momentum.
    """

    sgd: Sgd | None = None
    isFirst = False

    def __init__(self, net: Any, criterion: Any) -> None:
        super().__init__()
        self.net = copy.deepcopy(net).training().clearState()
        self.criterion = copy.deepcopy(criterion)
        self._dtype = net._dtype
        self.flat, self.flatGrad = self.net.getParameters()
        self.velocity = np.empty(0, self.flat.dtype)

    def learnBy(self, sgd: Sgd) -> None:
        """Lets passes move the parameters."""
        self.sgd = sgd
        self.velocity = np.zeros_like(self.flat) if sgd.momentum else self.velocity

    def held(self) -> Held:
        """Returns the arrays that passes hold whatever network there is."""
        places = [PARAMETERS, GRADIENTS] if self.flat.size else []
        places += [VELOCITY] if self.velocity.size else []
        return Held(places, places if self.sgd else places[1:])

    def updateOutput(self, input: Any) -> Any:
        """Returns the loss for a table of an input, a target if the criterion needs one, and a rate if there is an optimizer."""
        *rest, rate = input if self.sgd else (*input, None)
        given, target = rest if len(rest) == 2 else (*rest, None)
        begin("zeroGradParameters")
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
            self.sgd.move(self.flat, self.flatGrad, self.velocity, rate, self.isFirst)
        return self.output

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
    found = array_places(net)
    return [owned(found[place]) for place in places]


def sharing_places(net: TrainingPass, places: Sequence[Place]) -> list[Place]:
    """Returns the places of all arrays that are in the memory of the arrays at these places."""
    found = array_places(net)
    owners = {id(memory_owner(found[place])) for place in places}
    return [place for place, array in found.items() if id(memory_owner(array)) in owners]


class StepRunner:
    """Runs the lists of a step on the arrays that it holds.

    Parameters
    ----------
    opened : Opened
    held : Held
    net : TrainingPass
        Its arrays are read and written in place.
    dtype : dtype
        Type of the loss.
    """

    count = 1  # the number of results

    def __init__(self, opened: Opened, held: Held, net: TrainingPass, dtype: Any) -> None:
        self.opened = opened
        self.held = held
        self._loss = np.empty(1, dtype)
        self._read = held_arrays(net, held.read())
        self._readShapes = [array.shape for array in self._read]
        self._shapes: Any = None
        opened.bind([self._loss, *held_arrays(net, held.changed())])

    def run(self, arrays: list[Any], shapes: list[tuple[int, ...]]) -> Any:
        """Returns the loss of a step, as an array of one number that the next step overwrites."""
        opened = self.opened
        if opened.hasState and shapes != self._shapes:
            wanted, got = (", ".join(map(sizes, one)) for one in (self._shapes, shapes))
            what = f"expected {wanted}, as before, for the state of earlier steps, got {got}; forget() begins anew"
            raise ShapeError(f"step: input: {what}")
        self._shapes = shapes
        opened.run(arrays + self._read, shapes + self._readShapes)
        return self._loss

    @property
    def hasState(self) -> bool:
        """True if the next step depends on earlier ones."""
        return self.opened.hasState

    @property
    def bytes(self) -> Any:
        """The bytes of the program."""
        return self.opened.bytes

    def forget(self) -> None:
        """Makes the next step the first one of a network with a state."""
        self.opened.forget()

    def arena(self) -> int:
        """Returns the bytes of memory in which steps compute."""
        return self.opened.arena()

    def failure(self) -> tuple[int, int]:
        """Returns the numbers of the list and the call in which the latest step failed; -1 if none did."""
        return self.opened.failure()


class TwoRunners:
    """Runs the lists of the first step, and those of later ones, as momentum has another beginning.

    Parameters
    ----------
    first, later : StepRunner
    lists : int
        The number of lists of the first step.

    Attributes
    ----------
    isLater : bool
        True if the next step is a later one.
    """

    count = 1
    hasState = False

    def __init__(self, first: StepRunner, later: StepRunner, lists: int) -> None:
        self.first = first
        self.later = later
        self.held = later.held
        self.bytes = later.bytes
        self.isLater = True
        self._lists = lists

    def run(self, arrays: list[Any], shapes: list[tuple[int, ...]]) -> Any:
        """Returns the loss of a step."""
        return (self.later if self.isLater else self.first).run(arrays, shapes)

    def forget(self) -> None:
        """Keeps all as it is, because neither has a state."""

    def arena(self) -> int:
        """Returns the bytes of memory in which steps compute."""
        return self.first.arena() + self.later.arena()

    def failure(self) -> tuple[int, int]:
        """Returns the numbers of the list and the call in which the latest step failed; -1 if none did."""
        list, call = (self.later if self.isLater else self.first).failure()
        return (list + self._lists if self.isLater and list >= 0 else list), call


@contextmanager
def kept_generator() -> Iterator[None]:
    """Lets the random generator go on afterwards from where it is now."""
    state = random.getRNGState()
    try:
        yield
    finally:
        random.setRNGState(state)
