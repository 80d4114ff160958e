"""Compiles training steps."""

from __future__ import annotations

from typing import Any, Self

from pytorch_legacy.backend import free_scratch
from pytorch_legacy.errors import CompileError
from pytorch_legacy.program.compiling import Compiler, Lists
from pytorch_legacy.program.execution import Opened
from pytorch_legacy.program.fusing import fused
from pytorch_legacy.program.inputs import Sizes
from pytorch_legacy.program.listing import Listing, listing
from pytorch_legacy.program.proof import StateError, in_order
from pytorch_legacy.program.state import with_state
from pytorch_legacy.program.step_proof import StepProof
from pytorch_legacy.program.training_pass import GRADIENTS, PARAMETERS, Held, TrainingPass, hold, kept_generator, sharing_places
from pytorch_legacy.recording import Recording, Scalar, record
from pytorch_legacy.recording.network import Place, path


class NewStateError(Exception):
    """A pass changes an array that was not known to be held."""

    def __init__(self, held: Held) -> None:
        super().__init__()
        self.held = held


def compiled_step(net: TrainingPass, table: Any, sizes: Sizes, held: Held) -> tuple[list[Listing], Opened, Held]:
    """Returns lists for these shapes, the program of them that runs on the arrays of `net`, and which arrays these are.

    They are those in `held`, or more if passes change more.
    """
    try:
        with kept_generator():
            return _compiled(net, table, sizes, held)
    finally:
        free_scratch()


def _compiled(net: TrainingPass, table: Any, sizes: Sizes, held: Held) -> tuple[list[Listing], Opened, Held]:
    passes = 1
    while True:
        try:
            made, opened = StepCompiler(net, table, sizes, held, passes).compile()
        except NewStateError as more:
            held = more.held
        except StateError:
            if passes > 1:
                raise
            passes = 3
        else:
            lists = in_order(made)
            hold(opened, held, net, lists[0].outputs[0].dtype)
            return lists, opened, held


class StepCompiler(Compiler):
    """Compiles a training step for one batch, or for any.

    Raises
    ------
    NewStateError
        If a pass changes other arrays than those that `held` says.
    """

    def __init__(self, net: TrainingPass, table: Any, sizes: Sizes, held: Held, passes: int) -> None:
        super().__init__(net, table, sizes, passes)
        self.held = held

    def _record(self, inputs: list[Any], isDry: bool = False) -> list[Recording]:
        held = self.held
        found = record(self.net, *map(self.source.filled, inputs), isDry=isDry, held=held.places, draws=True)
        written = {ref.memory for one in found for call in one.calls for ref in call.refs(call.writes)}
        more = [place for number, place in enumerate(held.places) if number in written and place not in held.written]
        if replaced := [place for place in found[0].replaced if place not in self.net.replaced]:
            self._replace(replaced)
        changed = [place for place, isCarried in found[0].changed.items() if isCarried or place[0] == "net"]
        if changed or more:
            raise NewStateError(Held([*held.places, *changed], [*held.written, *more, *changed]))
        return found

    def _replace(self, places: list[Place]) -> None:
        """Lets passes keep the memory of arrays that they replace, and begins anew."""
        for place in places:
            others = [other for other in sharing_places(self.net, [place]) if other != place]
            if others:
                owner = "the vector of all parameters" if others[0] in (PARAMETERS, GRADIENTS) else path(others[0])
                raise CompileError(
                    f"pl.compile: {path(place)}: expected passes that write into this array, because {owner} shares its "
                    f"memory, got one that replaces it; write {place[-1]}[...] = value"
                )
        self.net.replaced = [*self.net.replaced, *places]
        raise NewStateError(self.held)

    def _listed(self, recordings: list[Recording]) -> Lists:
        if not isinstance(recordings[0].output, Scalar):
            raise CompileError("pl.compile: criterion: expected one whose loss is a number, got one with an array or a table")
        written = self.held.numbers
        found = (listing(recordings[0], written=written),) if len(recordings) == 1 else with_state(recordings, self.net, written)
        return self._shared(tuple(map(fused, found)))

    def _fixed(self, sizes: Sizes) -> Self:
        return type(self)(self.net, self.table, sizes, self.held, self.passes)

    def _prove(self, lists: list[Lists], batches: list[int]) -> Any:
        return StepProof(lists, self.sizes, self.source, self.net, self.held).prove(batches)
