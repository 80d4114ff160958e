"""Small layers one after the other, without what each would do for itself.

Before a layer makes its last call again, it looks at its input, its buffer and its numbers (``backend/binding.py``). In a chain
the input is the array that the layer before has just written: that one is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pytorch_legacy.backend.binding import Note
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.passes import marks_module

Run = Callable[[list[Any], Any], tuple[int, Any]]


class Chain:
    """The first modules of an nn.Sequential, as many as do nothing but a call.

    ``run(modules, input)`` makes their last calls again, as far as all is as it was. It returns how many modules have run, of
    `count`, and what the last of them gave.
    """

    __slots__ = ("count", "left", "run", "wait")
    _MOST = 1 << 16

    def __init__(self) -> None:
        self.run: Run | None = None
        self.count = 0
        self.left = self.wait = 2  # passes until `run` is made anew: each time twice as many, for it may be of no use

    def missed(self, modules: list[Any], input: Any) -> None:
        """The modules have run for this input, and some of them by themselves that `run` does not know."""
        self.run, self.count = None, 0  # at once: it holds arrays that may be in no other use any more
        self.left -= 1
        if self.left:
            return
        self.wait = min(2 * self.wait, self._MOST)
        self.left = self.wait
        notes = [*_notes(modules, input)]
        if len(notes) > 1:
            self.run, self.count = _runner([*modules], notes), len(notes)


def _notes(modules: list[Any], input: Any) -> Iterator[Note]:
    """The last call of each module, up to the first one that does more than that."""
    for module in modules:
        repeat = module.__dict__.get("_bindings", {}).get("updateOutput")
        if type(module).updateOutput is not Native.updateOutput or not hasattr(repeat, "note_for"):
            return
        note = repeat.note_for(module, input)
        if not note.isOwn or note.given or note.buffer is None or note.buffer is not note.target.array:
            return
        yield note
        input = note.buffer


def _runner(modules: list[Any], notes: list[Note]) -> Run:
    first = notes[0]
    source, buffer = first.source, first.buffer
    kinds = {type(module) for module in modules[: len(notes)]}
    links = [
        (module, module.__dict__, n.read, n.known, n.target, n.target.head, n.target.sizes, n.own, n.function, n.arguments)
        for module, n in zip(modules, notes, strict=False)
    ]
    isFree = True

    @marks_module
    def run(present: list[Any], input: Any) -> tuple[int, Any]:
        nonlocal isFree
        if not isFree:
            return 0, input
        isFree = False
        done = 0
        fields: dict[str, Any] = {}
        try:
            if present != modules:
                return 0, input
            for kind in kinds:
                if kind.updateOutput is not Native.updateOutput:
                    return 0, input
            if input is not source.array or source.head.raw != source.seen or source.sizes.raw != source.sized:
                source.fill(input)
            if source.sized != first.sized or (input is buffer) is not first.isBuffer:
                return 0, input
            for module, own, read, known, target, head, sizes, others, function, arguments in links:  # noqa: B007
                if own["_inPass"] or "updateOutput" in own:
                    break
                fields = own
                fields["_inPass"] = True
                now = read(fields)
                if now[0] is not target.array or head.raw != target.seen or sizes.raw != target.sized:
                    break
                if others and _are_others(now, others):
                    break
                if now != known or function(*arguments):
                    break
                fields["_inPass"] = False
                input = target.array
                done += 1
        except Exception:
            pass  # the module says what is wrong
        finally:
            fields["_inPass"] = False
            isFree = True
        return done, input

    return run


def _are_others(now: tuple[Any, ...], own: list[Any]) -> bool:
    """Is one of the further arrays another one, or changed?"""
    return any(now[place] is not slot.array or slot.head.raw != slot.seen or slot.sizes.raw != slot.sized for place, slot in own)
