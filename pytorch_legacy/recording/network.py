"""Records a pass of a whole network."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from pytorch_legacy.arrays import tree
from pytorch_legacy.arrays.device import Recorded, on_device
from pytorch_legacy.errors import CompileError, THNNError
from pytorch_legacy.nn import walks
from pytorch_legacy.objects import Object
from pytorch_legacy.recording.recorder import Call, Memory, Recorder, Ref, Scalar, WritesInputError

_SKIPPED = ("_bindings", "_inPass")


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
    """

    calls: list[Call]
    memories: list[Memory]
    inputs: list[Ref]
    output: Any
    values: Any
    number: int = 0


def list_modules(net: Any) -> list[Any]:
    """Returns the modules of a network in the order in which calls number them, each once."""
    found: dict[int, Any] = {}
    for module, _ in walks.every(net):
        found.setdefault(id(module), module)
    return [*found.values()]


def record(net: Any, *inputs: Any, isDry: bool = False) -> list[Recording]:
    """Records passes of a copy of `net` whose state is cleared.

    If the network writes to its input, each pass begins with a copy of that.

    Parameters
    ----------
    net : Module
    *inputs
        For each pass, a table of arrays of NumPy.
    isDry : bool
        Whether calls are noted without being made. Then the outputs' values are None.

    Raises
    ------
    CompileError
        If the network does something that cannot be repeated.
    """
    for copies in (False, True):
        made = copy.deepcopy(net).clearState()
        modules = list_modules(made)
        recorder = Recorder(modules, isDry)
        try:
            _convert(made, recorder)
            return [_pass(made, recorder, number, one, copies) for number, one in enumerate(inputs)]
        except WritesInputError:
            pass
        finally:
            recorder.close()
            for module in modules:  # graphs are cycles
                module.__dict__.clear()
    raise AssertionError


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
        raise recorder.refuse(f"the network's output holds a {type(leaf).__name__}, expected arrays alone")
    ref = recorder.ref(leaf.hidden)  # type: ignore[attr-defined]
    return ref if leaf.ndim else Scalar(ref)  # type: ignore[attr-defined]


def _convert(net: Any, recorder: Recorder) -> None:
    """Replaces all arrays in the fields of a network, in its tables and in objects inside, by recorded ones."""
    made: dict[int, Any] = {}
    kept: list[Any] = []

    def array(value: Any) -> Any:
        if type(value) is not np.ndarray:
            return value
        if id(value) not in made:
            kept.append(value)
            made[id(value)] = recorder.bound(value, "constant")
        return made[id(value)]

    seen: set[int] = set()
    waiting: list[Any] = [net]
    while waiting:
        value = waiting.pop()
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
            if type(entry) is tuple and any(type(one) is np.ndarray for one in entry):
                entries[place] = tuple(map(array, entry))
            elif type(entry) is np.ndarray:
                entries[place] = array(entry)
            elif type(entry) is tuple:
                waiting.extend(entry)
            else:
                waiting.append(entry)
