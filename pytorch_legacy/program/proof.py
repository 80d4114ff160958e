"""Compares a program with the network that it was made of, before anybody gets it.

- With each block of the arena in memory of its own, and NaN in it before and after its life, the program gives the bits of the
  recorded pass.
- As it will run, it gives for several batches, and several inputs in a row, what one eager network gives. If the network is made
  of layer functions alone, these are the same bits. Where it has array functions too, the two may differ by rounding, because
  NumPy adds up in another order than libTHNN: by at most 1e-6 of the output's scale if floats take part, 1e-12 if doubles alone
  do.
- Where the eager network raises an exception, so does the program.

The inputs are ordinary numbers, numbers with ties and rows of zeros, NaN and infinities, and 1e25. Where sums overflow, it
depends on their order whether they are infinite or NaN, and where they cancel out, 1e-6 is little. Then a program with array
functions gives the bits of a pass that is recorded for this input.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pytorch_legacy import errors
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import CompileError, THNNError
from pytorch_legacy.optimizing import frozen
from pytorch_legacy.program.encoding import encoded, poisoned
from pytorch_legacy.program.execution import Opened, Runner
from pytorch_legacy.program.listing import Listing, at_batch, places
from pytorch_legacy.recording import Scalar, record

_MOST_BYTES = 512 << 20
_TOLERANCE = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-12}


class Source:
    """Makes inputs.

    Parameters
    ----------
    specs : list of Spec
    net : Module
        Tells which inputs it takes: ordinary numbers, or else indices.
    """

    def __init__(self, specs: Sequence[Any], net: Any, table: Callable[[Sequence[Any]], Any]) -> None:
        self.specs = specs
        self._draw = np.random.default_rng(20)
        self._net = net
        self._table = table
        self._areIndices: bool | None = None

    def arrays(self, shapes: Sequence[tuple[int, ...]], n: int) -> list[Any]:
        """Ordinary inputs of these shapes: numbers of a normal distribution, or small indices where the network wants these."""
        if self._areIndices is None:
            self._areIndices = False
            try:
                copy.deepcopy(self._net).forward(self._table(self.arrays(shapes, n)))
            except (MemoryError, RecursionError):
                raise
            except Exception:
                self._areIndices = True
        return [self._ordinary(spec, shape) for spec, shape in zip(self.specs, shapes, strict=True)]

    def _ordinary(self, spec: Any, shape: tuple[int, ...]) -> Any:
        if spec.example is not None and spec.example.size:
            sample = spec.example if spec.example.shape == shape else np.resize(spec.example, shape)
            return np.array(sample, spec.dtype)
        if spec.dtype.kind != "f" or self._areIndices:
            return self._draw.integers(0, 2, shape).astype(spec.dtype)
        return self._draw.standard_normal(shape).astype(spec.dtype)

    def attacks(self, shapes: Sequence[tuple[int, ...]], n: int) -> list[list[Any]]:
        """Inputs that decide whether something depends on data: ties and zeros, NaN and infinities, large numbers."""
        plain = self.arrays(shapes, n)
        ties = [np.round(one).astype(one.dtype) for one in self.arrays(shapes, n)]
        for one in ties:
            one[: one.shape[0] // 2 + (one.ndim == 1)] = 0
        odd = [one.copy() for one in plain]
        large = [one.copy() for one in plain]
        for one, other in zip(odd, large, strict=True):
            if one.dtype.kind == "f" and one.size:
                places = self._draw.integers(0, one.size, 3)
                one.reshape(-1)[places] = [np.nan, np.inf, -np.inf]
                with np.errstate(over="ignore"):
                    other *= one.dtype.type(1e25)
        return [plain, ties, odd, large]

    def most(self, sizes: Any) -> int:
        """The largest batch of a proof: 17, or as many as a proof's memory has room for, at least 4."""
        single = sum(int(np.prod(shape)) * 8 for shape in sizes.at(1))
        return int(max(4, min(17, _MOST_BYTES // (64 * max(1, single)))))


class StateError(CompileError):
    """The network keeps a state from one pass to the next."""


def runner(lists: list[tuple[Listing, ...]], apart: bool = False) -> Runner:
    """What runs these lists."""
    phases = [[one[phase] for one in lists] for phase in range(len(lists[0]))]
    opened = [Opened(encoded(phase, apart), [ref.dtype for ref in phase[0].inputs]) for phase in phases]
    return Runner(opened[0], opened[1] if len(opened) > 1 else None, 1 + max(places(lists[0][0].output), default=-1))


def prove(lists: list[Any], sizes: Any, batches: Sequence[int], source: Source, seen: dict[int, Any], net: Any) -> Runner:
    """Returns the program of these lists; raises CompileError if it is not the network.

    Parameters
    ----------
    lists : list of tuple of Listing
        For one batch, or for one sample and for larger batches. Each is the list of every pass, or of the first and of
        later ones.
    seen : dict
        For some batches, the inputs and the outputs of the passes that were recorded.
    net : Module
        In evaluation mode, without anything of an earlier pass.
    """
    for n, passes in seen.items():
        chosen = [at_batch(one, n) if one.least else one for one in lists[-1 if n > 1 else 0]]
        program = runner([tuple(map(poisoned, chosen))], apart=True)
        for _ in range(2 if n < 3 else 1):
            program.forget()
            for inputs, outputs in passes:
                if not all(map(_isSame, program.run(inputs), [outputs[place] for place in _places(chosen[0])])):
                    raise CompileError(f"pl.compile: for {n} samples a program differs from the pass that it was recorded from")
    program = runner(lists)
    every = [one for each in lists for one in each]
    computing = [call for one in every for call in one.calls if call.name.startswith("array") and call.name not in _MOVING]
    tolerance = max((_TOLERANCE.get(ref.dtype, 0.0) for call in computing for ref in call.refs()), default=0.0)
    hasState = len(lists[0]) > 1
    for n in batches:
        eager = _copied(net)
        inputs = [source.arrays(sizes.at(n), n)] * (1 + hasState)
        if n == 2 or len(batches) == 1:
            inputs = [*inputs, *source.attacks(sizes.at(n), n)]
        for _ in range(1 + hasState):
            program.forget()
            eager = _copied(net) if hasState else eager
            for place, arrays in enumerate(inputs):
                isLarge = place == len(inputs) - 1 > hasState
                past = inputs[: place + 1] if hasState else [arrays]
                _compare(program, eager, source._table, past, lists[-1 if n > 1 else 0], tolerance, n, net, isLarge)
    program.forget()
    return program


_MOVING = {"arrayCopy", "arrayFill", "arrayIota", "arrayTake", "arrayPut", "arrayChoose", "arrayWithin"}


def _copied(net: Any) -> Any:
    return frozen(copy.deepcopy(net).clearState())


def _places(one: Listing) -> list[int]:
    """Which leaf of the output's table each output is, the first of them."""
    leaves = places(one.output)
    return [leaves.index(place) for place in range(1 + max(leaves, default=-1))]


def _compare(
    program: Runner, eager: Any, table: Any, past: list[Any], lists: Any, tolerance: float, n: int, net: Any, isLarge: bool
) -> None:
    """Raises CompileError if a program does not give what the network gives for the last input in `past`, behind the others.

    Sums in another order may differ by more where they overflow, as those of large numbers do, or cancel out. Then the program
    must give the bits of such a pass that is recorded.
    """
    arrays = past[-1]
    expected: Any = None
    found: Any = None
    with np.errstate(all="ignore"):
        try:
            expected = [np.array(leaf) for leaf in tree.leaves(eager.forward(table([array.copy() for array in arrays])))]
        except Exception as error:  # a layer of a user's may raise any
            expected = type(error)
    try:
        outputs = program.run(arrays)
        kinds = [ref.dtype for ref in lists[0].outputs]
        outputs = [one.view(kind) if kind == np.bool_ else one for one, kind in zip(outputs, kinds, strict=False)]
        leaves = [*tree.leaves(lists[0].output)]
        found = [outputs[one.of] if isinstance(one, Scalar) else outputs[one] for one in leaves]
        if not isinstance(expected, type):  # a number of Python has the precision of the array that it was in
            each = zip(expected, leaves, found, strict=True)
            expected = [one.astype(array.dtype) if isinstance(leaf, Scalar) else one for one, leaf, array in each]
    except THNNError as error:
        number, calls = program.failure(), lists[program.isLater].calls
        found = type(named(error, calls[number].error if 0 <= number < len(calls) else ""))
    if isinstance(expected, type) or isinstance(found, type):
        isOwn = isinstance(expected, type) and not issubclass(expected, THNNError)  # an exception of NumPy, as IndexError
        if expected is not found and not (isOwn and isinstance(found, type) and issubclass(found, expected)):
            names = [one.__name__ if isinstance(one, type) else "an output" for one in (expected, found)]
            what = f"the network gives {names[0]} and its program {names[1]}"
            raise _difference(net, table, arrays, found, tolerance, n, what)
        return
    for one, other in zip(expected, found, strict=True):
        if not _isClose(one, other, tolerance):
            isNear = isLarge or all(_isClose(x, y, 100 * tolerance) for x, y in zip(expected, found, strict=True))
            if tolerance and isNear and _isRecorded(net, [*map(table, past)], found):
                return
            raise _difference(net, table, arrays, found, tolerance, n, "the program's output differs from the network's")


def _isRecorded(net: Any, inputs: list[Any], found: list[Any]) -> bool:
    """Does a pass that is recorded, the last of several, give these outputs?"""
    values = [*tree.leaves(record(net, *inputs)[-1].values)]
    return all(map(_isSame, values, found))


def named(error: THNNError, name: str) -> THNNError:
    """The exception of a call whose `Call.error` is `name`."""
    return getattr(errors, name)(error.args[0]) if name else error  # type: ignore[no-any-return]


def _isSame(one: Any, other: Any) -> bool:
    """Are these the same bits, but for those of a NaN?"""
    if (one.shape or (1,)) != (other.shape or (1,)):
        return False
    one = one.reshape(other.shape)
    if one.dtype.kind != "f":
        return bool(np.array_equal(one, other))
    bits = one.view(f"i{one.itemsize}") == other.view(f"i{one.itemsize}")
    return one.dtype == other.dtype and bool((bits | (np.isnan(one) & np.isnan(other))).all())


def _isClose(one: Any, other: Any, tolerance: float) -> bool:
    """Do they differ by rounding alone, at most by `tolerance` of their scale? 0 asks for the same bits."""
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


def _difference(net: Any, table: Any, arrays: list[Any], found: Any, tolerance: float, n: int, what: str) -> CompileError:
    """The error for a program that is not the network. Does a network without a past give what the program gives?"""
    again: Any
    try:
        with np.errstate(all="ignore"):
            again = [np.array(leaf) for leaf in tree.leaves(_copied(net).forward(table(arrays)))]
    except Exception as error:
        again = type(error)
    if isinstance(again, type) or isinstance(found, type):
        isState = again is found
    else:
        isState = all(_isClose(one, other, tolerance) for one, other in zip(again, found, strict=True))
        if not isState:
            with np.errstate(all="ignore"):
                both = [(x.astype(float), y.reshape(x.shape)) for x, y in zip(again, found, strict=True)]
                worst = max(float(np.abs(x - y).max(initial=0)) for x, y in both)
            what += f" by {worst:.3g}"
    if isState:
        return StateError("pl.compile: the network keeps a state from one pass to the next, which its program does not have")
    return CompileError(f"pl.compile: for {n} samples {what}")
