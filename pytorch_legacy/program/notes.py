"""Facts about a program beside its calls, and the text of them in its bytes.

The text has lines "key value". Some are for every reader, such as the C program ``thnn-run``:

    input       type and sizes of an input; N is the free batch
    output      the same of an output
    label       name of a class; the first such line is class 0
    scores      "shares" or "logarithms" if the output is that of a SoftMax or LogSoftMax
    size, crop, gray, bgr, scale, mean, std
                preparation of a picture, as in `inference.preprocessing.Preprocessing`

The line "python" has what `Program` needs, in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy import errors
from pytorch_legacy.errors import ArgumentError
from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.messages import described
from pytorch_legacy.program.inputs import Spec, batch_axes
from pytorch_legacy.program.listing import Listing
from pytorch_legacy.program.listing import places as numbers
from pytorch_legacy.recording.recorder import Ref, Scalar


class ListNotes(NamedTuple):
    """The facts that are kept of a list.

    Attributes
    ----------
    modules : list of int
        The module of each call.
    errors : dict
        ``Call.error`` by the numbers of calls that have one.
    least : int
    outside : list of str
        The functions from outside of the library, as `binding.in_program` calls them.
    """

    modules: list[int]
    errors: dict[int, str]
    least: int
    outside: list[str]


class Notes(NamedTuple):
    """The facts that are kept of the lists of a program.

    Attributes
    ----------
    output : int, Scalar, or list or dict of them
        Table of the numbers of outputs.
    truths : list of int
        The outputs that are truth values.
    shapes : list of str
        The shapes of the outputs, as "N x 10".
    weights : int
        Bytes of constants.
    scores : str
        "shares", "logarithms" or "".
    lists : list of ListNotes
        In the order of the program.
    """

    output: Any
    truths: list[int]
    shapes: list[str]
    weights: int
    scores: str
    lists: list[ListNotes]


_SCORES = {"SoftMax": "shares", "LogSoftMax": "logarithms"}


def notes_on(lists: Sequence[Listing], results: int) -> Notes:
    """Returns the notes on lists in the order of the program, which have so many outputs that are results."""
    last = lists[0].calls[-1].name if lists[0].calls else ""
    outputs = lists[-1].outputs[:results]
    return Notes(
        lists[0].output,
        [place for place, ref in enumerate(lists[0].outputs[:results]) if ref.dtype == np.bool_],
        [_sizes(ref) for ref in outputs],
        sum(map(len, {block.content for one in lists for block in one.blocks})),
        _SCORES.get(last.partition("_")[0].removeprefix("Float").removeprefix("Double"), ""),
        [_on_list(one) for one in lists],
    )


def _sizes(ref: Ref) -> str:
    return " x ".join("N" if isinstance(size, tuple) else str(size) for size in ref.shape)


def _on_list(one: Listing) -> ListNotes:
    errors = {number: call.error for number, call in enumerate(one.calls) if call.error}
    outside = sorted({call.name for call in one.calls if call.isOutside})
    return ListNotes([call.module for call in one.calls], errors, one.least, outside)


def shape_texts(specs: Sequence[Spec], isBatched: bool) -> list[str]:
    """Returns the shapes of inputs, as "N x 3 x any". N is a batch of any size, if there are lists for those."""
    found = []
    for spec, axis in zip(specs, batch_axes(specs), strict=True):
        free = ["N" if place == axis and isBatched else "any" for place in range(len(spec.shape))]
        found.append(" x ".join(one if size is None else str(size) for size, one in zip(spec.shape, free, strict=True)))
    return found


def common_shapes(several: Sequence[Sequence[str]]) -> list[str]:
    """Returns the shapes of outputs for several sizes of the input: "any" where they differ."""
    found = []
    for shapes in zip(*several, strict=True):
        sizes = [shape.split(" x ") for shape in shapes]
        isSame = len({*map(len, sizes)}) == 1
        found.append(" x ".join(_common(each) for each in zip(*sizes, strict=True)) if isSame else "any")
    return found


def _common(sizes: Sequence[str]) -> str:
    return sizes[0] if len({*sizes}) == 1 else "any"


PREPARATION = ("size", "crop", "gray", "bgr", "scale", "mean", "std")
"""The entries of `Program.preparation`."""


def checked(labels: Any, preparation: Any) -> tuple[list[str] | None, dict[str, Any]]:
    """Returns labels and preparation as files hold them."""
    if labels is not None and not (isinstance(labels, (list, tuple)) and all(isinstance(one, str) for one in labels)):
        raise ArgumentError(f"program.save: labels: expected a list of texts or None, got {described(labels)}")
    if not isinstance(preparation, dict) or not {*preparation} <= {*PREPARATION}:
        raise ArgumentError(f"program.save: preparation: expected a dict of {', '.join(PREPARATION)}, got {preparation!r:.200}")
    return None if labels is None else [*labels], {name: _entry(name, value) for name, value in preparation.items()}


def _entry(name: str, value: Any) -> Any:
    """Returns an entry of a preparation as numbers of Python."""
    if isinstance(value, bool):
        return value
    numbers = np.asarray(value).tolist()
    every = numbers if isinstance(numbers, list) else [numbers]
    if not 1 <= len(every) <= 3 or not all(isinstance(one, (int, float)) and isfinite(one) for one in every):
        raise ArgumentError(f"program.save: preparation: {name}: expected one number, or up to three of them, got {value!r:.200}")
    return numbers


# ---- the text


class Written(NamedTuple):
    """The content of the notes in a file."""

    table: Any
    places: list[tuple[list[str], str]]
    notes: Notes
    labels: list[str] | None
    preparation: dict[str, Any]


def text(written: Written, specs: Sequence[Spec]) -> str:
    """Returns the notes of a program as text."""
    return "".join(f"{key} {value}\n" for key, value in _lines(written, specs))


def _lines(written: Written, specs: Sequence[Spec]) -> Iterator[tuple[str, str]]:
    notes = written.notes
    isBatched = any(one.least for one in notes.lists)
    for spec, shape in zip(specs, shape_texts(specs, isBatched), strict=True):
        yield "input", f"{spec.dtype} {shape}"
    for shape in notes.shapes:
        yield "output", shape
    if notes.scores:
        yield "scores", notes.scores
    for label in written.labels or ():
        yield "label", printable(" ".join(label.split()))
    for name, value in written.preparation.items():
        yield name, " ".join(repr(one) for one in (value if isinstance(value, (tuple, list)) else (value,)))
    lists = [[one.modules, [*one.errors.items()], one.least, one.outside] for one in notes.lists]
    content = {
        "table": _packed(written.table),
        "places": written.places,
        "output": _packed(notes.output),
        "truths": notes.truths,
        "weights": notes.weights,
        "lists": lists,
        "labels": written.labels,
        "preparation": written.preparation,
    }
    yield "python", json.dumps(content)


def _packed(value: Any) -> Any:
    """Returns a table of specs, or of the numbers of outputs, for JSON."""
    if isinstance(value, Spec):
        return {"shape": value.shape, "dtype": str(value.dtype)}
    if isinstance(value, Scalar):
        return {"number": value.of}
    if isinstance(value, dict):
        if wrong := [key for key in value if type(key) not in (str, int, float, bool)]:
            raise ArgumentError(f"program.save: expected tables with keys that are texts or numbers, got {wrong[0]!r:.200}")
        return {"pairs": [[key, _packed(entry)] for key, entry in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [*map(_packed, value)]}
    return [*map(_packed, value)] if isinstance(value, list) else value


def read(content: str) -> Written:
    """Returns the notes of a text. Raises ValueError, TypeError, AttributeError or LookupError if it is none."""
    lines = [line.partition(" ")[::2] for line in content.splitlines()]
    found = json.loads(next((value for key, value in lines if key == "python"), "{}"))
    shapes = [value for key, value in lines if key == "output"]
    scores = next((value for key, value in lines if key == "scores"), "")
    lists = [_list(*one) for one in found["lists"]]
    truths = [*map(int, found["truths"])]
    output = _unpacked(found["output"], _number)
    if not {*truths} <= {*numbers(output)}:
        raise ValueError("truth values in no output")
    notes = Notes(output, truths, shapes, int(found["weights"]), scores, lists)
    places = [([*map(str, where)], str(name)) for where, name in found["places"]]
    if any(number >= len(places) for one in lists for number in one.modules):
        raise ValueError("a call of a module that is not listed")
    labels = None if found["labels"] is None else [*map(str, found["labels"])]
    return Written(_unpacked(found["table"], _spec), places, notes, labels, {**found["preparation"]})


def _list(modules: list[int], raised: list[Any], least: int, outside: list[str]) -> ListNotes:
    for _, name in raised:
        if not issubclass(getattr(errors, name), errors.THNNError):
            raise ValueError(f"no exception of the package: {name}")
    return ListNotes([*map(int, modules)], {int(call): name for call, name in raised}, int(least), [*map(str, outside)])


def _unpacked(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Returns the table of which `_packed` made `value`."""
    if isinstance(value, list):
        return [_unpacked(entry, leaf) for entry in value]
    if isinstance(value, dict) and "tuple" in value:
        return tuple(_unpacked(entry, leaf) for entry in value["tuple"])
    if isinstance(value, dict) and "pairs" in value:
        return {key: _unpacked(entry, leaf) for key, entry in value["pairs"]}
    return leaf(value)


def _number(value: Any) -> Any:
    return Scalar(int(value["number"])) if isinstance(value, dict) else int(value)


def _spec(value: Any) -> Spec:
    return Spec(tuple(None if size is None else int(size) for size in value["shape"]), np.dtype(value["dtype"]))
