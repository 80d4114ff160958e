"""Compares a program with the network that it was made of, before anybody gets it.

- With each block of the arena in memory of its own, and in it huge numbers before and NaN after its life, the program gives the
  bits of the recorded pass. A function that reads what its declaration says is [OUT] gives others, as the recorded pass had NaN
  there.
- As it will run, it gives for several batches, and several inputs in a row, the bits that one eager network gives. Nothing is
  fused in that network, but its convolutions have the same algorithms (`fixed_convolutions`). Only what code outside of the
  package computes with NumPy's functions may differ by rounding, because NumPy adds up in another order than libTHNN: by at most
  1e-6 of the output's scale if floats take part, 1e-12 if doubles alone do.
- Where the eager network raises an exception, so does the program.

The inputs are ordinary numbers, numbers with ties and rows of zeros, NaN and infinities, and 1e25. Where sums overflow, it
depends on their order whether they are infinite or NaN, and where they cancel out, 1e-6 is little. Then a program with such
functions of NumPy gives the bits of a pass that is recorded for this input.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pytorch_legacy import errors
from pytorch_legacy.arrays import tree
from pytorch_legacy.backend import binding, free_scratch
from pytorch_legacy.errors import CompileError, THNNError
from pytorch_legacy.program.encoding import encoded, poisoned
from pytorch_legacy.program.execution import Opened
from pytorch_legacy.program.fusing import fused
from pytorch_legacy.program.inputs import LARGE, Sizes, Source
from pytorch_legacy.program.listing import Listing, at_batch, listing, places
from pytorch_legacy.program.places import origin
from pytorch_legacy.recording import Call, Ref, Scalar, record

_TOLERANCE = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-12}
_MOVING = {"arrayCopy", "arrayFill", "arrayIota", "arrayTake", "arrayPut", "arrayChoose", "arrayWithin"}


class StateError(CompileError):
    """The network keeps a state from one pass to the next."""


def in_order(lists: Sequence[tuple[Listing, ...]]) -> list[Listing]:
    """Returns the lists as a program has them: those of first passes, then those of later ones."""
    return [one for phase in zip(*lists, strict=True) for one in phase]


def opened(lists: Sequence[tuple[Listing, ...]], apart: bool = False) -> Opened:
    """Returns what runs these lists."""
    return Opened(encoded(in_order(lists), apart))


class Comparison:
    """Lists of calls, and the network that they are compared with.

    Parameters
    ----------
    lists : list of tuple of Listing
        For one batch, or for one sample and for larger batches. Each is the list of every pass, or of the first and of later
        ones.
    sizes : Sizes
    source : Source
    net : Module
        Without anything of an earlier pass. It stays as it is.
    """

    def __init__(self, lists: list[tuple[Listing, ...]], sizes: Sizes, source: Source, net: Any) -> None:
        self.lists = lists
        self.sizes = sizes
        self.source = source
        self.net = net
        self.hasState = len(lists[0]) > 1
        self.tolerance = numpy_tolerance(call for each in lists for one in each for call in one.calls)

    def _of(self, n: int) -> tuple[Listing, ...]:
        """Returns the lists for a batch of n."""
        return self.lists[-1 if n > 1 else 0]

    def _alone(self, n: int) -> list[Listing]:
        """Returns the lists for a batch of n, without a size that is free."""
        return [at_batch(one, n) if one.least else one for one in self._of(n)]

    def _eager(self, eager: Any, arrays: list[Any]) -> Any:
        """Returns the outputs of the network for an input, or the class of the exception that it raises."""
        with np.errstate(all="ignore"):
            try:
                table = self.source.filled([array.copy() for array in arrays])
                return [np.array(leaf) for leaf in tree.leaves(eager.forward(table))]
            except Exception as error:  # a layer of a user's may raise any
                return type(error)

    def _raised(self, program: Opened, error: THNNError) -> type[THNNError]:
        """Returns the class of the exception for a run of the program that failed."""
        number, place = program.failure()
        calls = in_order(self.lists)[max(0, number)].calls
        return type(as_exception(error, calls[place].error if 0 <= place < len(calls) else ""))


class Proof(Comparison):
    """The comparison of lists with their network, which is in evaluation mode."""

    def __init__(self, lists: list[tuple[Listing, ...]], sizes: Sizes, source: Source, net: Any) -> None:
        super().__init__(lists, sizes, source, net)
        self.program = opened(lists)

    def prove(self, seen: dict[int, Any], batches: Sequence[int]) -> Opened:
        """Returns the program of the lists.

        Parameters
        ----------
        seen : dict
            For some batches, the inputs and the outputs of the passes that were recorded.
        batches : list of int
            Those for which the program is compared with the network.

        Raises
        ------
        CompileError
            If the program is not the network. It names the first module whose calls differ, if there is one.
        """
        for n, passes in seen.items():
            self._compare_recorded(n, passes)
        for n in batches:
            self._compare_eager(n, hasAttacks=n == 2 or len(batches) == 1)
            if n not in seen and n > 1:
                self._compare_memory(n)
        return self._made(batches[0])

    def _made(self, n: int) -> Opened:
        """Returns the program without what the proof has left: with an arena and packed weights for a batch of n alone."""
        made = self.program.clone()
        made.free_scratch()
        for _ in range(1 + self.hasState):  # a run packs the weights
            made.run(self.source.arrays(self.sizes.at(n)))
        made.forget()
        return made

    def _poisoned(self, n: int) -> Opened:
        """Returns a program of this batch alone, with each block in memory of its own."""
        return opened([tuple(map(poisoned, self._alone(n)))], apart=True)

    def _compare_recorded(self, n: int, passes: list[Any]) -> None:
        """Compares a program that runs in poisoned memory with the recorded passes, at first and after `forget`."""
        leaves = places(self._of(n)[0].output)
        order = [leaves.index(place) for place in range(1 + max(leaves, default=-1))]
        program = self._poisoned(n)
        for _ in range(2 if n < 3 else 1):
            program.forget()
            for inputs, outputs in passes:
                try:
                    found = program.run(inputs)
                except THNNError as error:
                    what = f"a program fails, the pass that it was recorded from did not ({error})"
                    raise CompileError(f"pl.compile: for {samples(n)} {what}{_suspected(self._of(n))}") from None
                if not all(map(_isSame, found, [outputs[place] for place in order])):
                    what = "a program differs from the pass that it was recorded from"
                    raise CompileError(f"pl.compile: for {samples(n)} {what}{_suspected(self._of(n))}")

    def _compare_memory(self, n: int) -> None:
        """Compares a program that runs in poisoned memory with the program as it will run."""
        program = self._poisoned(n)
        self.program.forget()
        for _ in range(1 + self.hasState):
            inputs = self.source.arrays(self.sizes.at(n))
            if not all(map(_isSame, program.run(inputs), self.program.run(inputs))):
                what = "a program's output depends on which memory its arrays have"
                raise CompileError(f"pl.compile: for {samples(n)} {what}{_suspected(self._of(n))}")

    def _compare_eager(self, n: int, hasAttacks: bool) -> None:
        """Compares the program with the eager network for several inputs in a row; with a state, once more after `forget`."""
        shapes = self.sizes.at(n)
        inputs = [("ordinary numbers", self.source.arrays(shapes))] * (1 + self.hasState)
        if hasAttacks:
            inputs += self.source.attacks(shapes).items()
        eager = _copied(self.net)
        for _ in range(1 + self.hasState):
            self.program.forget()
            eager = _copied(self.net) if self.hasState else eager
            past: list[Any] = []
            for kind, arrays in inputs:
                past = [*past, arrays] if self.hasState else [arrays]
                self._compare_pass(eager, past, kind, n)
        free_scratch()  # packed weights of the eager network

    def _compare_pass(self, eager: Any, past: list[Any], kind: str, n: int) -> None:
        """Raises CompileError unless the program gives what the network gives for the last input in `past`, behind the others.

        Sums in another order may differ by more where they overflow, as those of large numbers do, or cancel out. Then the
        program must give the bits of such a pass that is recorded.
        """
        expected, found = self._eager(eager, past[-1]), self._found(past[-1], n)
        if isinstance(expected, type) or isinstance(found, type):
            if not is_exception(expected, found):
                names = [one.__name__ if isinstance(one, type) else "an output" for one in (expected, found)]
                raise self._difference(past, found, kind, n, f"the network gives {names[0]} and its program {names[1]}")
            return
        leaves = [*tree.leaves(self._of(n)[0].output)]  # a number of Python has the precision of the array that it was in
        each = zip(expected, leaves, found, strict=True)
        expected = [one.astype(array.dtype) if isinstance(leaf, Scalar) else one for one, leaf, array in each]
        if are_close(expected, found, self.tolerance):
            return
        isNear = kind == LARGE or are_close(expected, found, 100 * self.tolerance)
        if not (self.tolerance and isNear and self._isRecorded(past, found)):
            raise self._difference(past, found, kind, n, "the program's output differs from the network's")

    def _found(self, arrays: list[Any], n: int) -> Any:
        """Returns the outputs of the program for an input, or the class of the exception that it raises."""
        [first, *_] = self._of(n)
        try:
            outputs = self.program.run(arrays)
        except THNNError as error:
            return self._raised(self.program, error)
        kinds = [ref.dtype for ref in first.outputs]
        outputs = [one.view(kind) if kind == np.bool_ else one for one, kind in zip(outputs, kinds, strict=False)]
        return [outputs[place] for place in places(first.output)]

    def _isRecorded(self, past: list[Any], found: list[Any]) -> bool:
        """Returns whether a recorded pass, the last of several, gives these outputs."""
        values = record(self.net, *map(self.source.filled, past))[-1].values
        return all(map(_isSame, tree.leaves(values), found))

    def _difference(self, past: list[Any], found: Any, kind: str, n: int, what: str) -> CompileError:
        """Returns the error for a program that is not the network. Does a network without a past give what the program gives?"""
        again = self._eager(_copied(self.net), past[-1])
        if isinstance(again, type) or isinstance(found, type):
            isState = again is found
        else:
            isState = are_close(again, found, self.tolerance)
            if not isState:
                with np.errstate(all="ignore"):
                    both = [(x.astype(float), y.reshape(x.shape)) for x, y in zip(again, found, strict=True)]
                    worst = max(float(np.abs(x - y).max(initial=0)) for x, y in both)
                what += f" by {worst:.3g}"
        if isState:
            what = "the network's output depends on earlier passes, and the output of its program does not"
            return StateError(f"pl.compile: for {samples(n)} of {kind} {what}; run the network itself")
        return CompileError(f"pl.compile: for {samples(n)} of {kind} {what}{self._origin(past, n)}")

    def _origin(self, past: list[Any], n: int) -> str:
        """Returns which module makes the first call that is another one when the pass is recorded again; "" if none does."""
        if self.hasState:
            return ""
        try:
            again = fused(listing(record(self.net, self.source.filled(past[-1]))[0]))
        except THNNError:
            return ""
        [own] = self._alone(n)
        for one, other in zip(own.calls, again.calls, strict=False):
            if _described(one, own) != _described(other, again):
                where = origin(self.net, one.module)
                return where and f", first {where}"
        return ""


def numpy_tolerance(calls: Iterable[Call]) -> float:
    """Returns by how much of their scale results may differ: 0 if NumPy computes none of them in eager passes."""
    computing = [call for call in calls if call.isNumPy and call.name not in _MOVING]
    return max((_TOLERANCE.get(ref.dtype, 0.0) for call in computing for ref in call.refs()), default=0.0)


def _described(call: Call, one: Listing) -> list[Any]:
    """Returns what a call does, with the contents of constants in place of their numbers."""

    def argument(value: Any) -> Any:
        if isinstance(value, Ref) and one.blocks[value.memory].kind == "constant":
            return value._replace(memory=0), one.blocks[value.memory].content
        return value

    return [call.name, call.module, *map(argument, call.arguments)]


def samples(n: int) -> str:
    return "1 sample" if n == 1 else f"{n} samples"


def _suspected(lists: Sequence[Listing]) -> str:
    """Returns what functions from outside of the library may do that no program can repeat."""
    names = {binding.function_name(call.name): None for one in lists for call in one.calls if call.isOutside}
    what = "read an array that its declaration says is [OUT], draw random numbers, or keep a state in C"
    return f"; does {' or '.join(names)} {what}?" if names else ""


def _copied(net: Any) -> Any:
    return copy.deepcopy(net).clearState()


def is_exception(expected: Any, found: Any) -> bool:
    """Returns whether the program raises the exception of the network, or one of the same kind if NumPy raised that."""
    if expected is found:
        return True
    isOwn = isinstance(expected, type) and not issubclass(expected, THNNError)
    return isOwn and isinstance(found, type) and issubclass(found, expected)


def as_exception(error: THNNError, name: str) -> THNNError:
    """Returns the exception of a call whose `Call.error` is `name`."""
    return getattr(errors, name)(error.args[0]) if name else error  # type: ignore[no-any-return]


def _isSame(one: Any, other: Any) -> bool:
    """Returns whether two arrays have the same bits. All NaN are equal."""
    if (one.shape or (1,)) != (other.shape or (1,)):
        return False
    one = one.reshape(other.shape)
    if one.dtype.kind != "f":
        return bool(np.array_equal(one, other))
    bits = one.view(f"i{one.itemsize}") == other.view(f"i{one.itemsize}")
    return one.dtype == other.dtype and bool((bits | (np.isnan(one) & np.isnan(other))).all())


def _isClose(one: Any, other: Any, tolerance: float) -> bool:
    """Returns whether two arrays differ at most by `tolerance` of their scale; with 0, whether they have the same bits."""
    if not tolerance:
        return _isSame(one, other)
    if (one.shape or (1,)) != other.shape or one.dtype != other.dtype:
        return False
    one = one.reshape(other.shape)
    if one.dtype.kind != "f":
        return bool(np.array_equal(one, other))
    finite = np.isfinite(one)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return False
    if not finite.any():
        return True
    x, y = one[finite].astype(np.float64), other[finite].astype(np.float64)
    return bool(np.all(np.abs(x - y) <= tolerance * max(np.abs(x).max(), np.finfo(one.dtype).tiny)))


def are_close(some: list[Any], others: list[Any], tolerance: float) -> bool:
    return all(_isClose(one, other, tolerance) for one, other in zip(some, others, strict=True))
