"""Infers a network's input from its layers and from trial runs: "3 x H x W", "batch x 7", "a table of two: 10; 3 x H x W"."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from pytorch_legacy import nn, rnn
from pytorch_legacy.errors import THNNError, UnsupportedError
from pytorch_legacy.nn import walks
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Unknown import Unknown
from pytorch_legacy.nngraph import gModule
from pytorch_legacy.nngraph.Node import list_inputs

from . import inputs
from .examples import forget, indices
from .programs import ProgramNetwork

# Heights and widths of pictures to try, the small ones first, then those that published networks take, then the rest.
_USUAL = (16, 24, 8, 28, 32, 48, 64, 96, 112, 128, 224, 227, 231, 256, 299, 12, 20, 36, 40, 10, 221, 192, 160)
_SIZES = (*_USUAL, *(size for size in range(1, 65) if size not in _USUAL))
_FARTHER = 64  # a network takes any size if it takes one that is larger by this; it is more than the strides of a network make
SECONDS = 2.0  # limit of this thread, for all trials together
_MODULES = 2000
_COUNTS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_LETTERS = {"batch": "N", "steps": "T", "frames": "T"}


@dataclass(frozen=True)
class Array:
    """An array of a sample, or with `whole` of a batch: numbers, and words for sizes that vary; the range of indices."""

    sizes: tuple[int | str, ...]
    limits: tuple[int, int] | None = None
    whole: bool = False

    def __str__(self) -> str:
        shape = " x ".join(map(str, self.sizes))
        if self.limits is None:
            return shape
        few = {"": "", "steps": "", "1": "an index", "batch": "batch of indices"}.get(shape, f"{shape} indices")
        return f"{few or 'indices'} from {self.limits[0]} to {self.limits[1]}"


@dataclass(frozen=True)
class Table:
    """A table; None stands for an entry that is not known."""

    entries: tuple[Taken, ...]

    def __str__(self) -> str:
        count = len(self.entries)
        number = _COUNTS[count] if count < len(_COUNTS) else str(count)
        told = "; ".join("not known" if entry is None else str(entry) for entry in self.entries[:12])
        return f"a table of {number}" + (f": {told}{'; ...' * (count > 12)}" if any(map(_is_known, self.entries)) else "")


@dataclass(frozen=True)
class Each:
    """A table of any length, of steps where it is a sequence."""

    each: Taken
    steps: bool = False

    def __str__(self) -> str:
        each = _with_batch(self.each) if self.steps else self.each  # a step is a batch, as a rule
        return f"a table{' of steps' * self.steps}" + (f", each {each}" if _is_known(each) else "")


Taken = Array | Table | Each | None
_MOST_PARTS = 100  # entries of a table, of which a layer takes one
_MOST_ENTRIES = 10_000  # entries of a table that go to modules
_THROUGH: Any = object()  # for layers that change no sizes, or whose input is unknown: the following layers decide
_ELEMENTWISE = (nn.CAddTable, nn.CSubTable, nn.CMulTable, nn.CDivTable, nn.CMaxTable, nn.CMinTable)
_TABLES = (
    nn.JoinTable, nn.SelectTable, nn.NarrowTable, nn.FlattenTable, nn.MixtureTable, nn.ZipTable, nn.ZipTableOneToMany,
    nn.DotProduct, nn.CosineDistance, nn.PairwiseDistance, nn.MM, nn.MV, nn.Index, nn.MaskedSelect,
)  # fmt: skip


def _is_known(taken: Any) -> bool:
    return taken is not None and taken is not _THROUGH


# ---- what the layers say


class _Source:
    """A value on its way through a container.

    Attributes
    ----------
    readers : list of (Module, _Source)
        The modules that get the value, and their outputs.
    parts : dict
        The entries that the container takes out of it, by their positions.
    """

    def __init__(self) -> None:
        self.readers: list[tuple[Any, _Source]] = []
        self.parts: dict[int, _Source] = {}

    __iter__ = None  # the number of entries is not known

    def __getitem__(self, index: int) -> _Source:
        if type(index) is not int or not 0 <= index < _MOST_ENTRIES:
            raise IndexError(index)
        return self.parts.setdefault(index, _Source())

    @staticmethod
    def run(module: Any, value: Any) -> _Source:
        """Notes that a module gets the value. A table of several values tells nothing about each of them."""
        output = _Source()
        if isinstance(value, _Source):
            value.readers.append((module, output))
        return output


class Reader:
    """Reads what modules take, each module once."""

    def __init__(self) -> None:
        self._known: dict[int, Any] = {}

    def taken(self, module: Any) -> Any:
        """Returns the input of the module, None if it is unknown, or _THROUGH."""
        if id(module) not in self._known:
            self._known[id(module)] = None  # while it is asked: a module that stands within itself
            self._known[id(module)] = self._asked(module)
        return self._known[id(module)]

    def _asked(self, module: Any) -> Any:
        if isinstance(module, Unknown) or not isinstance(module, Module):
            return None
        if isinstance(module, gModule):
            return self._graph(module)
        if isinstance(module, rnn.Recurrent):
            return self._readBy(getattr(module, "inputModule", None), _Source())
        for kind, inside in ((rnn.BiSequencer, "forwardModule"), (rnn.Sequencer, "module")):
            if isinstance(module, kind):
                found = self.taken(getattr(module, inside, None))
                return Each(found if _is_known(found) else None, steps=True)
        size = next(
            (n for name in ("inputSize", "inputsize", "input_dim") if type(n := getattr(module, name, None)) is int), None
        )
        if size is not None and isinstance(module, rnn.AbstractRecurrent):
            return Array((size,))
        if size is not None and hasattr(module, "_steps"):  # cudnn's
            return Array(
                ("batch", "steps", size) if getattr(module, "batchFirst", False) else ("steps", "batch", size), whole=True
            )
        if size is not None and hasattr(module, "hidden_dim"):  # torch-rnn's
            return Array(("batch", "steps", size), whole=True)
        if size is not None and hasattr(module, "batchfirst"):
            return Array(("batch", "steps", size) if module.batchfirst else ("steps", "batch", size), whole=True)
        children = [child for child in getattr(module, "modules", None) or [] if isinstance(child, Module)]
        if isinstance(module, nn.Parallel):
            return None
        if isinstance(module, nn.MapTable) and children:
            found = self.taken(children[0])
            return Each(found if _is_known(found) else None)
        if isinstance(module, nn.Concat) and children:
            return _merged([self.taken(child) for child in children])
        if isinstance(module, nn.Container) and module.definesRoute():
            return self._routed(module)
        if children:
            return self.taken(children[0])
        return _layer(module)

    def _routed(self, container: nn.Container) -> Any:
        """Returns what a container takes whose class defines how values pass through its modules."""
        source = _Source()
        try:
            container.route(_Source.run, source)
        except Exception:  # modules of files may be anything
            return None
        return self._read(source)

    def _read(self, source: _Source) -> Any:
        """Returns what the modules take that read a value; those of one chain are followed without recursion."""
        while len(source.readers) == 1 and not source.parts:
            module, output = source.readers[0]
            if isinstance(module, (nn.SelectTable, *_ELEMENTWISE)) or self.taken(module) is not _THROUGH:
                return self._readBy(module, output)
            source = output
        answers = [self._readBy(module, output) for module, output in source.readers]
        if source.parts:
            parts = [source.parts.get(i) for i in range(max(source.parts) + 1)]
            answers.append(Table(tuple(None if part is None else _or_none(self._read(part)) for part in parts)))
        return _merged(answers) if answers else _THROUGH

    def _readBy(self, module: Any, output: _Source) -> Any:
        """Returns what one module takes, or the modules that read its output."""
        if isinstance(module, nn.SelectTable) and type(module.index) is int and 0 <= module.index < _MOST_PARTS:
            return Table((*[None] * module.index, _or_none(self._read(output))))
        if isinstance(module, _ELEMENTWISE):
            rest = self._read(output)
            return Each(rest if isinstance(rest, Array) else None)
        found = self.taken(module)
        return self._read(output) if found is _THROUGH else found

    def _graph(self, graph: gModule) -> Any:
        starts: list[list[Any]] = [[graph.innode]]
        if graph.nInputs > 1:
            starts = [[] for _ in range(min(graph.nInputs, 10_000))]
            for node in (part for whole in graph.innode.children for part in (whole, *whole.children)):
                place = node.data.get("selectindex")
                if type(place) is int and 1 <= place <= len(starts):
                    starts[place - 1].append(node)
        found = [self._from(nodes) for nodes in starts]
        return Table(tuple(map(_or_none, found))) if graph.nInputs > 1 else found[0]

    def _from(self, nodes: list[Any]) -> Any:
        """Returns the input of nodes of a graph, judged by the nodes after them."""
        waiting, seen, answers = [*nodes], {id(node) for node in nodes}, []
        while waiting:
            node = waiting.pop(0)
            several = len(list_inputs(node.data)) > 1
            module = node.module
            found = _THROUGH if module is None or (several and isinstance(module, _ELEMENTWISE)) else self.taken(module)
            if several and not isinstance(module, _ELEMENTWISE):
                found = None
            if isinstance(found, Array):
                return found
            if found is _THROUGH:
                waiting += [child for child in node.children if id(child) not in seen]
                seen |= {id(child) for child in node.children}
            answers.append(found)
        return next((answer for answer in answers if _is_known(answer)), None)


def _or_none(found: Any) -> Any:
    return found if _is_known(found) else None


def _merged(answers: list[Any]) -> Any:
    """Returns the common answer of modules that get the same input."""
    tables = [answer for answer in answers if isinstance(answer, Table)]
    if tables:
        longest = max(len(table.entries) for table in tables)
        columns = zip(*((*table.entries, *[None] * (longest - len(table.entries))) for table in tables), strict=True)
        return Table(tuple(next((entry for entry in column if _is_known(entry)), None) for column in columns))
    if all(answer is _THROUGH for answer in answers):
        return _THROUGH
    return next((answer for answer in answers if _is_known(answer)), None)


def _layer(module: Any) -> Any:
    """The input of one layer, as its fields tell."""
    name = module._typename.rpartition(".")[2]
    planes, frame = getattr(module, "nInputPlane", None), getattr(module, "inputFrameSize", None)
    weight = getattr(module, "weight", None)
    sizes = weight.shape if isinstance(weight, np.ndarray) else ()
    if (found := indices(module)) is not None:
        return Array((), (found[0], found[1] - 1))
    if isinstance(planes, int) and name.startswith(("Spatial", "Volumetric")):
        return Array((planes, *(("T",) if name.startswith("Volumetric") else ()), "H", "W"))
    if isinstance(frame, int):
        return Array(("frames", frame))
    if isinstance(module, nn.Bilinear) and len(sizes) == 3:
        return Table((Array(sizes[1:2]), Array(sizes[2:])))
    if isinstance(module, (nn.Euclidean, nn.WeightedEuclidean)) and len(sizes) == 2:
        return Array(sizes[:1])
    if (name.startswith("Linear") or isinstance(module, (nn.Cosine, nn.PartialLinear))) and len(sizes) == 2:
        return Array(sizes[1:])
    if "BatchNormalization" in name and isinstance(mean := getattr(module, "running_mean", None), np.ndarray):
        return Array((mean.size, *{"S": ("H", "W"), "V": ("T", "H", "W")}.get(name[0], ())))
    if isinstance(module, _ELEMENTWISE + _TABLES):
        return Each(None)
    shape = [*module.size] if isinstance(module, (nn.Reshape, nn.View)) else []
    if shape and all(isinstance(size, (int, np.integer)) and size > 0 for size in shape):
        return Array(tuple(map(int, shape)))  # the input may have another shape of as many numbers
    return _THROUGH


def read(module: Module) -> Any:
    """Returns the input that the layers of a network expect, None if nothing is known."""
    try:
        return _or_none(Reader().taken(module))
    except (RecursionError, AttributeError, TypeError, ValueError, IndexError, KeyError):
        return None  # a broken one, or one that is nested without end


def given(text: str, module: Module) -> inputs.Spec:
    """Returns the sizes of ``--input``, with the ranges of indices from the layers that take them."""
    return _indexed(inputs.parse(text), read(module))


def _indexed(spec: Any, taken: Any) -> Any:
    if isinstance(spec, list):
        entries = taken.entries if isinstance(taken, Table) else [taken.each] * len(spec) if isinstance(taken, Each) else ()
        return [_indexed(entry, other) for entry, other in zip_longest(spec, entries[: len(spec)])]
    taken = taken.each if isinstance(taken, Each) else taken
    isOpen = spec.limits is None and spec.kind not in ("float", "double")
    if not isOpen or not isinstance(taken, Array) or taken.limits is None:
        return spec
    kind = spec.kind or "int"
    return replace(spec, kind=kind, limits=(taken.limits[0], min(taken.limits[1], int(np.iinfo(inputs.KINDS[kind]).max))))


# ---- what trials tell


@dataclass(frozen=True)
class Expected:
    """The input that a network expects, judged by its layers.

    Attributes
    ----------
    batched, single : bool
        True if the network was seen to take a batch, and one sample, respectively; False by default.
    changes : bool
        True if the network made of a batch another number of samples; False by default.
    """

    taken: Any
    batched: bool = False
    single: bool = False
    changes: bool = False

    def __str__(self) -> str:
        return str(_with_batch(self.taken) if self.batched and not self.single else self.taken)

    def sentence(self) -> str:
        """With an article."""
        return f"{self}" if isinstance(self.taken, (Table, Each)) else f"an input of {self}"

    def spec(self) -> inputs.Spec | None:
        """Returns the text for `--input`; None if a part is unknown."""
        taken = self.taken if self.single and not self.batched else _with_batch(self.taken)
        return _spec(_with_steps(taken)) if _is_whole(taken) else None


def _with_batch(taken: Any) -> Any:
    """Returns the input of a batch for the input of a sample."""
    if isinstance(taken, Table):
        return Table(tuple(map(_with_batch, taken.entries)))
    if isinstance(taken, Each):
        return replace(taken, each=_with_batch(taken.each))
    if not isinstance(taken, Array) or taken.whole:
        return taken
    return replace(taken, sizes=("batch",) if taken.sizes == (1,) and taken.limits else ("batch", *taken.sizes), whole=True)


def _with_steps(taken: Any) -> Any:
    """With a number for the length of sequences, which is seldom asked to vary."""
    if isinstance(taken, Table):
        return Table(tuple(map(_with_steps, taken.entries)))
    if not isinstance(taken, Array):
        return taken
    length = 16 if taken.limits is None else 8
    return replace(taken, sizes=tuple(length if size in ("steps", "frames") else size for size in taken.sizes))


def _is_whole(taken: Any) -> bool:
    """Returns True if each part is known."""
    if isinstance(taken, Table):
        return all(map(_is_whole, taken.entries))
    return _is_whole(taken.each) if isinstance(taken, Each) else isinstance(taken, Array)


def _spec(taken: Any) -> inputs.Spec:
    if isinstance(taken, Table):
        return [_spec(entry) for entry in taken.entries]
    if isinstance(taken, Each):
        each = _spec(taken.each)
        # A sequence of arrays is an array, too.
        return replace(each, sizes=("T", *each.sizes)) if taken.steps and isinstance(each, inputs.Array) else [each, each]
    letters = tuple(size if isinstance(size, int) else _LETTERS.get(size, size) for size in taken.sizes)
    return inputs.Array(letters, "" if taken.limits is None else "int", taken.limits)


def expected(module: Module) -> Expected | None:
    """Returns the input that the network expects, as far as it is known."""
    taken = read(module)
    if taken is None:
        return None
    if walks.places(module) > _MODULES:
        return Expected(taken)
    try:
        return Trials(module).run(taken)
    except (THNNError, RecursionError, AttributeError, TypeError, ValueError, IndexError, KeyError, MemoryError):
        return Expected(taken)


def words(module: Module) -> str:
    """Returns a text about the input that the network expects, for an error."""
    takes = None if module._onDevice else expected(module)
    return "" if takes is None else f"; the network expects {takes.sentence()}"


def fixed_size(module: Module, planes: int) -> tuple[int, int] | None:
    """The only height and width of pictures that the network takes, as far as some trials tell."""
    if isinstance(module, ProgramNetwork):
        return module.pictureSize
    if walks.places(module) > _MODULES:
        return None
    found = Trials(module).size(Array((planes, "H", "W")))
    return None if found is None else (found, found)


class Trials:
    """Runs a copy of the network, which stays as it is, on zeros."""

    def __init__(self, module: Module) -> None:
        self.net = module.sharedClone().evaluate()
        self.end = time.thread_time() + SECONDS  # other threads may be at work
        self.refused = False  # True if a trial failed because of the input

    def run(self, taken: Any) -> Expected | None:
        """Returns the input with the sizes that are fixed, and with parts that follow from other parts."""
        if any(array.limits is not None and not array.sizes for array in _arrays(taken)):
            with_steps = _stepped(taken, ("steps",))
            one = _stepped(taken, (1,))  # a sample is one index
            taken = next((kind for kind in (with_steps, one) if self._batch(self._filled(kind)) == "keeps"), with_steps)
        taken = self._filled(taken)
        if not _is_whole(taken):
            return Expected(taken)
        if (size := self.size(taken)) is not None:
            taken = _sized(taken, size)
        free = any(isinstance(size, str) for array in _arrays(taken) for size in array.sizes)
        batch, single = "", False
        for scale in (16, 8, 32, 64, 128, 224) if free else (16,):
            batch = self._batch(taken, scale)
            single = not any(array.whole for array in _arrays(taken)) and self._takes(taken, scale)
            if batch or single or not self._is_in_time():
                break
        if not (batch or single or free) and self.refused:
            return None
        return Expected(taken, bool(batch), single, batch == "changes")

    def size(self, taken: Any) -> int | None:
        """The only height and width of pictures, or length of sequences, that fits, if there is one."""
        sizes = {size for array in _arrays(taken) if not array.whole for size in array.sizes if isinstance(size, str)}
        if not sizes or (len(sizes) > 1 and sizes != {"H", "W"}):
            return None
        for size in _SIZES:
            if not self._is_in_time():
                return None
            if self._fits(_sized(taken, size)):
                return None if self._fits(_sized(taken, size + _FARTHER)) else size
        return None

    def _fits(self, taken: Any) -> bool:
        """Returns True if the network takes the input and returns as many samples. If it takes no batch, a sample is tried."""
        batch = self._batch(taken)
        return batch == "keeps" or (not batch and self._takes(taken))

    def _filled(self, taken: Any) -> Any:
        """A table with parts that are not known, each like one that is, if the network then runs."""
        if not isinstance(taken, Table) or all(map(_is_whole, taken.entries)) or len(taken.entries) > 12:
            return taken
        known = dict.fromkeys(entry for entry in taken.entries if isinstance(entry, Array) and entry.limits is None)
        weights = (module.weight for module in self.net.listModules())
        widths = dict.fromkeys(len(weight) for weight in weights if isinstance(weight, np.ndarray) and weight.ndim == 2)
        for other in [*known, *map(Array, zip([*widths][:10], strict=True))]:
            filled = Table(tuple(other if entry is None else entry for entry in taken.entries))
            if _is_whole(filled) and (self._batch(filled) or self._takes(filled)):
                return filled
        return taken

    def _is_in_time(self) -> bool:
        return time.thread_time() < self.end

    def _takes(self, taken: Any, scale: int = 16) -> bool:
        return self._output(taken, 1, scale) is not None

    def _batch(self, taken: Any, scale: int = 16) -> str:
        """Returns the network's effect on a batch: it "keeps" the number of samples or "changes" it; "" if it takes none."""
        taken = _with_batch(taken)
        two = self._output(taken, 2, scale)
        if two is None:
            return ""
        three = self._output(taken, 3, scale)
        if three is None:
            return "changes"  # an input that fits two samples and not three is a sample of twice the size
        if isinstance(taken, Each) and taken.steps:  # a step has the samples
            two, three = ([_split_steps(output, scale)] for (output,) in (two, three))
        return "changes" if changes_batch(2, two[0], three[0]) or changes_batch(3, three[0], two[0]) else "keeps"

    def _output(self, taken: Any, batch: int, scale: int) -> list[Any] | None:
        """The output in a list, or None if the network does not take this."""
        try:
            forget(self.net)
            input = inputs.drawn(_spec(taken), self.net, {"N": batch, "H": scale, "W": scale, "T": scale}, None)
            output = self.net.forward(input)
        except UnsupportedError:
            raise
        except ImportError:  # without the library nothing can be tried
            return None
        except THNNError:
            self.refused = True
            return None
        return [inputs.mapped(lambda value: np.array(value) if isinstance(value, np.ndarray) else value, output)]


def changes_batch(count: int, output: Any, other: Any) -> bool:
    """Returns True if an output's number of samples differs from the input's, `count`. `other` is the output for another number.

    That is what a View or Reshape makes of an input of another size than it was made for: the rest goes to the batch. What is as
    long for any batch has no samples.
    """
    if isinstance(output, list):
        if not isinstance(other, list) or len(other) != len(output):
            return True
        return any(changes_batch(count, *entries) for entries in zip(output, other, strict=True))
    if not isinstance(output, np.ndarray) or not output.ndim or len(output) == count:
        return False
    return not (isinstance(other, np.ndarray) and other.ndim and len(other) == len(output))


def _split_steps(output: Any, count: int) -> Any:
    """Returns the list of `count` steps for an array of that length; any other output unchanged."""
    return [*output] if isinstance(output, np.ndarray) and output.ndim > 1 and len(output) == count else output


def _arrays(taken: Any) -> Iterator[Array]:
    if isinstance(taken, Table):
        for entry in taken.entries:
            yield from _arrays(entry)
    elif isinstance(taken, Each):
        yield from _arrays(taken.each)
    elif isinstance(taken, Array):
        yield taken


def _stepped(taken: Any, sizes: tuple[int | str, ...]) -> Any:
    """With these sizes for indices, which may come in any shape."""
    if isinstance(taken, Table):
        return Table(tuple(_stepped(entry, sizes) for entry in taken.entries))
    if isinstance(taken, Each):
        return replace(taken, each=_stepped(taken.each, sizes))
    isOpen = isinstance(taken, Array) and taken.limits is not None and not taken.sizes
    return replace(taken, sizes=sizes) if isOpen else taken


def _sized(taken: Any, size: int) -> Any:
    """With a number in place of these words."""
    if isinstance(taken, Table):
        return Table(tuple(_sized(entry, size) for entry in taken.entries))
    if isinstance(taken, Each):
        return replace(taken, each=_sized(taken.each, size))
    if taken.whole:
        return taken
    return replace(taken, sizes=tuple(one if isinstance(one, int) else size for one in taken.sizes))
