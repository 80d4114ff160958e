"""Compares the program of a training step with the eager network, before anybody gets it.

Several steps in a row, between which the parameters move, give the loss, the gradients and all held arrays that eager passes
give, and leave the random generator where these leave it. So does a program whose arrays each have memory of their own, with huge
numbers before and NaN after their lives. Where the eager pass raises an exception, so does the step.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.backend.library import follow_convolution
from pytorch_legacy.errors import CompileError, THNNError
from pytorch_legacy.program.encoding import poisoned
from pytorch_legacy.program.execution import Opened
from pytorch_legacy.program.inputs import Sizes, Source
from pytorch_legacy.program.listing import Listing
from pytorch_legacy.program.proof import Comparison, StateError, are_close, is_exception, opened, samples
from pytorch_legacy.program.training_pass import Held, TrainingPass, held_arrays, hold, loss, sharing_places
from pytorch_legacy.recording.network import array_at, path

_STEPS = 3
_NAMES = {"flat": "the vector of parameters", "flatGrad": "the vector of gradients", "loss": "the loss"}


def open_step(lists: Sequence[tuple[Listing, ...]], apart: bool = False) -> Opened:
    """Returns the program of these lists, whose convolutions have the algorithms of eager passes."""
    made = opened(lists, apart)
    follow_convolution(made.state())
    return made


class StepProof(Comparison):
    """The comparison of lists with their training pass, whose arrays in `held` live from step to step."""

    def __init__(self, lists: list[tuple[Listing, ...]], sizes: Sizes, source: Source, net: TrainingPass, held: Held) -> None:
        super().__init__(lists, sizes, source, net)
        self.held = held
        self.whole = [place for place in held.places if place not in net.replaced]  # memory that passes do not replace
        self.shared = sharing_places(net, held.changed())

    def prove(self, batches: Sequence[int]) -> Opened:
        """Returns the program of the lists, which gives what eager passes give for these batches.

        Raises
        ------
        StateError
            If the network keeps a state that the lists do not have.
        CompileError
            If it differs from the network in another way.
        """
        made = open_step(self.lists)
        for n in batches:
            shapes = self.sizes.at(n)
            ordinary = [("ordinary numbers", self.source.arrays(shapes)) for _ in range(_STEPS)]
            self._compare(made, ordinary, n)
            if n == 2 or len(batches) == 1:
                alone = [tuple(poisoned(one, range(1, 1 + len(self.held.written))) for one in self._alone(n))]
                self._compare(open_step(alone, apart=True), ordinary, n)
                past = ordinary[: len(self.lists[0]) - 1]
                for attack in self.source.attacks(shapes).items():
                    self._compare(made, [*past, attack], n)
        made.free_scratch()
        return made.clone()  # with an arena for the batches to come

    def _compare(self, program: Opened, inputs: list[tuple[str, list[Any]]], n: int) -> None:
        """Raises CompileError unless several steps in a row give what eager passes give."""
        eager, mirror = self._fresh(), self._fresh()
        hold(program, self.held, mirror, self.lists[0][0].outputs[0].dtype)
        program.forget()
        for number, (kind, arrays) in enumerate(inputs, 1):
            before, parameters = random.getRNGState(), mirror.flat.copy()
            expected = self._eager(eager, arrays)
            after = random.getRNGState()
            random.setRNGState(before)
            found = self._found(program, arrays)
            if isinstance(expected, type) or isinstance(found, type):
                if not is_exception(expected, found):
                    names = [one.__name__ if isinstance(one, type) else "a loss" for one in (expected, found)]
                    raise CompileError(
                        f"pl.compile: for {samples(n)} of {kind} the network gives {names[0]} and its step {names[1]}"
                    )
                return
            wrong = self._difference([*expected, *self._arrays(eager)], [*found, *self._arrays(mirror)])
            if not wrong and not np.array_equal(after, random.getRNGState()):
                wrong = "the random generator"
            if wrong and number > 1 and self._hasState(parameters, arrays, found, before):
                what = "the network's loss depends on earlier passes, and the loss of its step does not"
                raise StateError(f"pl.compile: for {samples(n)} of {kind} {what}; run the network itself")
            if wrong:
                what = f"{wrong} after {number} step{'s' * (number > 1)} differs from what {number} eager passes compute"
                raise CompileError(f"pl.compile: for {samples(n)} of {kind} {what}; run the network itself")
            for own, other in zip(*map(self._arrays, (mirror, eager)), strict=True):
                np.copyto(own, other)
            self._move(eager, mirror)

    def _fresh(self) -> TrainingPass:
        """Returns the network without a past, whose passes may replace arrays."""
        made = copy.deepcopy(self.net)
        made.replaced = ()
        return made

    def _arrays(self, net: TrainingPass) -> list[Any]:
        """Returns the arrays that a step may change: the held memory, and all arrays in it."""
        return [*held_arrays(net, self.whole), *(np.atleast_1d(array_at(net, place)) for place in self.shared)]

    def _difference(self, expected: list[Any], found: list[Any]) -> str:
        """Returns the name of a result of a step that is not the network's; "" if there is none."""
        names = ["loss", *map(path, self.whole), *map(path, self.shared)]
        for name, one, other in zip(names, expected, found, strict=True):
            if not are_close([one], [other], self.tolerance):
                return _NAMES.get(name, name)
        return ""

    def _hasState(self, parameters: Any, arrays: list[Any], found: list[Any], generator: Any) -> bool:
        """Returns whether a network without a past gives the loss that the step has found."""
        fresh = self._fresh()
        fresh.flat[...] = parameters
        random.setRNGState(generator)
        expected = self._eager(fresh, arrays)
        return not isinstance(expected, type) and are_close(expected, found, self.tolerance)

    def _move(self, eager: TrainingPass, mirror: TrainingPass) -> None:
        """Moves the parameters of both, so that the next step has other ones."""
        with np.errstate(all="ignore"):
            step = np.clip(np.nan_to_num(eager.flatGrad), -1, 1).astype(eager.flat.dtype)
        eager.flat -= eager.flat.dtype.type(0.125) * step
        mirror.flat[...] = eager.flat

    def _eager(self, eager: Any, arrays: list[Any]) -> Any:
        """Returns the loss of an eager pass, or the class of the exception that it raises."""
        found = super()._eager(eager, arrays)
        return found if isinstance(found, type) else [one.astype(np.float64) for one in found]

    def _found(self, program: Opened, arrays: list[Any]) -> Any:
        """Returns the loss of a step, or the class of the exception that it raises."""
        try:
            program.run(arrays)
            return [loss(program).astype(np.float64)]
        except THNNError as error:
            return self._raised(program, error)
