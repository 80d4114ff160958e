"""Records a pass of a whole network."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from pytorch_legacy.arrays import tree
from pytorch_legacy.arrays.device import Recorded, on_device
from pytorch_legacy.errors import CompileError, THNNError
from pytorch_legacy.messages import sizes
from pytorch_legacy.nn import walks
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.objects import Object
from pytorch_legacy.objects.copies import reachable
from pytorch_legacy.recording.numbers import numbers, refuse_changed
from pytorch_legacy.recording.recorder import Call, Memory, Recorder, Ref, Scalar, WritesInputError, memory_owner

_SKIPPED = ("_bindings", "_inPass")

Place = tuple[Any, ...]
"""The place of an array in a network: the fields, keys and numbers of entries that lead to it."""


@dataclass
class Recording:
    """A pass.

    Attributes
    ----------
    calls, memories
        Calls of the pass, and the memory that they read and write.
    inputs : list of Ref
    output
        A table like the network's, of Refs.
    values
        The same table of the arrays that the recorded pass computed; None if it was dry.
    number : int
        Of the pass, from 0, where several were recorded one after the other; they have their memories in common.
    changed : dict
        Places of arrays that the network has had before the pass, and that the pass changes. True means that it may use a part of
        what such an array has held before.
    replaced : list of tuple
        Places of such arrays in whose place the network has another array of the same shape and dtype afterwards.
    carried : dict
        Places of arrays that the network has had before the pass, and from which the pass reads what an earlier one has left: it
        changes them, or puts another array in their places. The values are their memories.
    held : list of int
        Memories that live from pass to pass, in the order of `record`'s argument.
    """

    calls: list[Call]
    memories: list[Memory]
    inputs: list[Ref]
    output: Any
    values: Any
    number: int = 0
    changed: dict[Place, bool] = field(default_factory=dict)
    replaced: list[Place] = field(default_factory=list)
    carried: dict[Place, int] = field(default_factory=dict)
    held: list[int] = field(default_factory=list)


def list_modules(net: Any) -> list[Any]:
    """Returns the modules of a network in the order in which calls number them, each once, and then the criterions inside."""
    found: dict[int, Any] = {}
    for module, _ in walks.every(net):
        found.setdefault(id(module), module)
    for one in reachable(net):
        if isinstance(one, Criterion):
            found.setdefault(id(one), one)
    return [*found.values()]


def record(
    net: Any,
    *inputs: Any,
    isDry: bool = False,
    held: Sequence[Place] = (),
    draws: bool = False,
    carried: Sequence[Place] = (),
) -> list[Recording]:
    """Records passes of a copy of `net` whose state is cleared.

    If the network writes to its input, each pass begins with a copy of that.

    Parameters
    ----------
    net : Module
    *inputs
        For each pass, a table of arrays of NumPy.
    isDry : bool
        Whether calls are noted without being made. Then the outputs' values are None.
    held : list of tuple
        Places of arrays (`array_places`) that live from pass to pass.
    draws : bool
        Whether draws from the random generator are noted. If False, they are refused.
    carried : list of tuple
        Places of arrays that hold what an earlier pass has left, so that no pass may take them for constants.

    Raises
    ------
    CompileError
        If the network does something that cannot be repeated.
    """
    for copies in (False, True):
        made = copy.deepcopy(net).clearState()
        modules = list_modules(made)
        owners = {place: memory_owner(array) for place, array in array_places(made).items()}
        recorder = Recorder(modules, isDry, [owners[place] for place in held], draws, [owners[place] for place in carried])
        try:
            bound: dict[Place, Any] = {}
            _convert(made, partial(_bound, recorder, bound))
            passes, count = [], 0 if draws else len(recorder.memories)  # steps restore arrays that change places
            before: dict[tuple[int, str], Any] = {}
            for number, one in enumerate(inputs):
                passes.append(_pass(made, recorder, number, one, copies))
                after = numbers(modules, count) if len(inputs) > 1 else {}
                if number:
                    refuse_changed(modules, before, after)
                before = after
            _drop_copies(passes, recorder)
            replaced = _replaced(made, recorder, bound) if draws else []
            for one in passes:
                one.changed, one.replaced = _changed(recorder, owners), replaced
                one.carried = {} if draws else _carried(made, recorder, owners, bound)
                one.held = [*range(len(held))]
            return passes
        except WritesInputError:
            pass
        finally:
            recorder.close()
            for module in modules:  # graphs are cycles
                module.__dict__.clear()
    raise AssertionError


def _bound(recorder: Recorder, bound: dict[Place, Any], array: Any, place: Place) -> Any:
    bound[place] = recorder.bound(array, "constant")
    return bound[place]


def _pass(net: Any, recorder: Recorder, number: int, inputs: Any, copies: bool) -> Recording:
    recorder.number, recorder.calls = number, []
    if not recorder.isDry:
        inputs = tree.map_arrays(lambda array: np.array(array, order="C"), inputs)
    given = tree.map_arrays(lambda array: recorder.bound(array, "input"), inputs)
    with np.errstate(all="ignore"), recorder.active():
        try:
            result = net.forward(tree.map_arrays(np.copy, given) if copies else given)
        except (THNNError, WritesInputError):
            if recorder.refusal is not None:  # the layer may have made another exception of that
                raise recorder.refusal from None
            raise
        except Exception as error:  # a user's layer may use an operation that recorded arrays lack
            raise recorder.refuse(f"{type(error).__name__}: {error}", error) from error
        output = tree.map_entries(lambda leaf: _result(recorder, leaf), result)
    values = None if recorder.isDry else tree.map_entries(lambda leaf: leaf.hidden.copy(), result)
    refs = [recorder.ref(array.hidden) for array in tree.leaves(given)]
    return Recording(recorder.calls, recorder.memories, refs, output, values, number)


def _result(recorder: Recorder, leaf: Any) -> Any:
    if not isinstance(leaf, Recorded):
        if isinstance(leaf, np.ndarray):
            raise recorder.refuse("the network's output holds an array of NumPy; make that array with like=input")
        raise recorder.refuse(f"the network's output holds a {type(leaf).__name__}, expected arrays alone")
    ref = recorder.ref(leaf.hidden)  # type: ignore[attr-defined]
    return ref if leaf.ndim else Scalar(ref)  # type: ignore[attr-defined]


def _drop_copies(passes: list[Recording], recorder: Recorder) -> None:
    """Deletes copies of memory, as clones of modules make them, that no call reads before it is overwritten."""
    users: dict[int, list[Call]] = {number: [] for number in recorder.copies}
    for call in (call for one in passes for call in one.calls):
        for number in {ref.memory for ref in call.refs()}:
            if number in users:
                users[number].append(call)
    outputs = {ref.memory for one in passes for ref in _refs(one.output)}
    dead = set()
    for number, calls in users.items():
        if calls and number not in outputs and _isOverwritten(calls[1:], number, recorder.memories[number].array.nbytes):
            dead.add(id(calls[0]))
    for one in passes:
        one.calls = [call for call in one.calls if id(call) not in dead]


def _isOverwritten(calls: list[Call], number: int, nbytes: int) -> bool:
    """Returns whether the calls write all bytes of a memory before one of them reads any."""
    written = np.zeros(nbytes, np.bool_)
    for call in calls:
        if any(ref.memory == number for ref in call.refs(call.reads)):
            return bool(written.all())
        for ref in call.refs(call.writes):
            if ref.memory == number:
                elements(written, ref)[...] = True
    return True


def elements(bytes: Any, ref: Ref) -> Any:
    """Returns the bytes of an array's elements as a view of all bytes of its memory."""
    shape, strides = (*ref.shape, ref.dtype.itemsize), (*ref.strides, 1)
    return np.lib.stride_tricks.as_strided(bytes[ref.offset :], shape, strides)


def _refs(output: Any) -> list[Ref]:
    return [leaf.of if isinstance(leaf, Scalar) else leaf for leaf in tree.leaves(output)]


def _changed(recorder: Recorder, owners: dict[Place, Any]) -> dict[Place, bool]:
    """Returns the first place of each array that the passes have changed; False if they wrote all of it before they read it."""
    changed = {id(one.array): one.initial is not None for one in recorder.memories if one.kind == "made"}
    found: dict[int, Place] = {}
    for place, owner in owners.items():
        if id(owner) in changed:
            found.setdefault(id(owner), place)
    return {place: changed[owner] for owner, place in found.items()}


def _replaced(net: Any, recorder: Recorder, bound: dict[Place, Any]) -> list[Place]:
    """Returns the places at which a network does not have the recorded array of before its passes.

    Raises
    ------
    CompileError
        If a pass has read an array that it has replaced by one of another shape or dtype.
    """
    found = []
    for place, before in bound.items():
        try:
            after: Any = array_at(net, place)
        except (LookupError, TypeError):
            continue
        isArray = isinstance(after, (Recorded, np.ndarray))
        if after is before or not isArray or _isSameView(recorder, after, before):
            continue
        if (after.shape, after.dtype) == (before.shape, before.dtype):
            found.append(place)
        elif recorder.memory(before.hidden).isRead:
            old, new = (f"{sizes(one.shape)} numbers of {one.dtype}" for one in (before, after))
            raise CompileError(
                f"pl.compile: {path(place)}: expected an array that passes write into, or replace by one of the same sizes and "
                f"dtype, got {old}, and {new} after a pass"
            )
    return found


def _carried(net: Any, recorder: Recorder, owners: dict[Place, Any], bound: dict[Place, Any]) -> dict[Place, int]:
    """Returns the places, and the memories, of arrays that hold what an earlier pass has left.

    Among them is no array that holds what it has held before, as one that passes norm, if that depends on no input.
    """
    found: dict[Place, int] = {}
    for place, owner in owners.items():
        memory = recorder.memory(owner)
        if memory.isChanged():
            found[place] = memory.number
    for place, before in bound.items():
        memory = recorder.memory(before.hidden)
        if memory.isRead and memory.kind == "constant" and before.size and _isOther(recorder, net, place, before):
            found[place] = memory.number
    return found


def _isOther(recorder: Recorder, net: Any, place: Place, before: Any) -> bool:
    """Returns whether a network has an array with other numbers than `before` at a place now."""
    try:
        after: Any = array_at(net, place)
    except (LookupError, TypeError):
        return False
    if after is before or not isinstance(after, (Recorded, np.ndarray)):
        return False
    if isinstance(after, Recorded):
        memory = recorder.memory(after.hidden)  # type: ignore[attr-defined]
        if memory is recorder.memory(before.hidden):
            return False
        if not memory.isKnown:
            return True
        after = after.hidden  # type: ignore[attr-defined]
    return not np.array_equal(after, before.hidden, equal_nan=after.dtype.kind == before.hidden.dtype.kind == "f")


def _isSameView(recorder: Recorder, one: Any, other: Any) -> bool:
    return isinstance(one, Recorded) and recorder.ref(one.hidden) == recorder.ref(other.hidden)  # type: ignore[attr-defined]


def array_places(net: Any) -> dict[Place, Any]:
    """Returns all arrays in the fields of a network, in its tables and in objects inside, by their places in these."""
    found: dict[Place, Any] = {}

    def note(array: Any, place: Place) -> Any:
        found[place] = array
        return array

    _convert(net, note, isOnce=False)
    return found


def array_at(net: Any, place: Place) -> Any:
    """Returns what is at a place in a network. Raises LookupError if there is none."""
    for step in place:
        net = _entries(net)[step]
    return net


def put_at(net: Any, place: Place, value: Any) -> None:
    """Puts a value at a place in a network."""
    holder = array_at(net, place[:-1])
    if isinstance(holder, tuple):
        put_at(net, place[:-1], (*holder[: place[-1]], value, *holder[place[-1] + 1 :]))
    else:
        _entries(holder)[place[-1]] = value


def path(place: Place) -> str:
    """Returns the expression of Python for a place in a training pass, such as ``net.modules[0].weight``."""
    return "".join(f".{step}" if isinstance(step, str) and step.isidentifier() else f"[{step!r}]" for step in place)[1:]


def _entries(thing: Any) -> Any:
    """Returns the fields of an object, or a table itself."""
    return thing.__dict__ if isinstance(thing, Object) else thing


def _convert(net: Any, change: Callable[[Any, Place], Any], isOnce: bool = True) -> None:
    """Replaces all arrays in the fields of a network, in its tables and in objects inside by what `change` makes of them.

    `change` gets the place of an array that has the fewest steps. So an array of a module has that place also while clones of
    the module share it. If `isOnce` is False, it gets all places.
    """
    made: dict[int, Any] = {}
    kept: list[Any] = []

    def array(value: Any, place: Place) -> Any:
        if type(value) is not np.ndarray:
            return value
        if id(value) not in made or not isOnce:
            kept.append(value)
            made[id(value)] = change(value, place)
        return made[id(value)]

    seen: set[int] = set()
    waiting: deque[tuple[Any, Place]] = deque([(net, ())])
    while waiting:
        value, path = waiting.popleft()
        if id(value) in seen:
            continue
        seen.add(id(value))
        kept.append(value)
        if isinstance(value, Object):
            value.__dict__.pop("_bindings", None)
            entries: Any = value.__dict__
        elif type(value) in (list, dict):
            entries = value
        else:
            if on_device(value):
                raise CompileError("pl.compile: expected a network on the host, got one on a GPU; call its float() first")
            continue
        places = [*entries.items()] if isinstance(entries, dict) else [*enumerate(entries)]
        for place, entry in places:
            if place in _SKIPPED:
                continue
            inner = (*path, place)
            if type(entry) is tuple and any(type(one) is np.ndarray for one in entry):
                entries[place] = tuple(array(one, (*inner, number)) for number, one in enumerate(entry))
            elif type(entry) is np.ndarray:
                entries[place] = array(entry, inner)
            elif type(entry) is tuple:
                waiting.extend((one, (*inner, number)) for number, one in enumerate(entry))
            else:
                waiting.append((entry, inner))
