"""A network as a program."""

from __future__ import annotations

import copy
import ctypes
import os
import stat
import struct
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import tree
from pytorch_legacy.backend import binding
from pytorch_legacy.errors import (
    ArgumentError,
    BusyError,
    CompileError,
    DtypeError,
    OutOfMemoryError,
    ShapeError,
    THNNError,
    UnsupportedError,
    ValueRangeError,
)
from pytorch_legacy.files.writing import whole
from pytorch_legacy.messages import described, sizes
from pytorch_legacy.optimizing import optimize
from pytorch_legacy.program import notes
from pytorch_legacy.program.compiling import compiled
from pytorch_legacy.program.decoding import decoded, notes_in
from pytorch_legacy.program.encoding import encoded
from pytorch_legacy.program.execution import Opened, aligned
from pytorch_legacy.program.inputs import Sizes, Spec, batch_axes, first_sizes, leaves, specs, taken
from pytorch_legacy.program.listing import Listing, places
from pytorch_legacy.program.notes import Notes, Written
from pytorch_legacy.program.places import named_places
from pytorch_legacy.program.proof import as_exception, in_order
from pytorch_legacy.recording.recorder import Scalar

_KEPT = 8  # sizes that were compiled at their first use
_KEPT_BYTES = 1 << 30

BUSY = "program: another thread is within a call; program.clone() makes one for each thread"


class Program:
    """A network that was recorded, proven and runs in C: ``program(x)`` is one call. `pl.compile` makes it.

    It has copies of the network's weights and memory of its own. Nothing that is done to the network changes it. It never writes
    to its inputs, and each call returns new arrays.

    Examples
    --------
    >>> import numpy as np
    >>> import pytorch_legacy as pl
    >>> net = pl.nn.Sequential(pl.nn.Linear(3, 2), pl.nn.Tanh())
    >>> program = pl.compile(net, (None, 3))
    >>> x = np.ones((5, 3), np.float32)
    >>> bool((program(x) == net.evaluate().forward(x)).all())
    True
    >>> program
    Program: N x 3 -> N x 2, 2 calls, 32 bytes of weights

    Attributes
    ----------
    labels : list of str or None
        Names of the classes, which `save` writes and `load` reads.
    preparation : dict
        Preparation of pictures, in the same way: entries ``size``, ``crop``, ``gray``, ``bgr``, ``scale``, ``mean`` and ``std``.
    """

    _insteadOfSaving = "; program.save(path) writes it as a file of its own"
    labels: list[str] | None = None
    _mostKept = _KEPT
    _net: Any

    def __init__(self, net: Any, example: Any, shapes: Sequence[Any] = ()) -> None:
        if not isinstance(net, nn.Module):
            raise DtypeError(f"pl.compile: net: expected a module, got {described(net)}")
        if net._onDevice:
            raise UnsupportedError("pl.compile: net: expected a network on the host, got one on a GPU; pass net.float()")
        table, given = specs(net, example), prepared(net)
        self._begin(table, given, named_places(given))
        self.preparation: dict[str, Any] = {}
        made = self._add(shapes[0] if shapes else first_sizes(self._net, self._table))
        isCovered = all(spec.shape.count(None) == (axis is not None) for spec, axis in zip(self._specs, self._axes, strict=True))
        if isCovered and ((made.serves(1) and made.serves(1000)) or not self._isBatched()):
            self._net = None  # no other size can come
        self._mostKept = len(shapes) or _KEPT
        for others in shapes:
            self._program([np.empty(shape, spec.dtype) for shape, spec in zip(others, self._specs, strict=True)])

    def _begin(self, table: Any, net: Any, places: Any) -> None:
        """Sets what the programs of all sizes have in common."""
        self._lock = Lock()
        self._table = table
        self._specs = leaves(table)
        self._axes = batch_axes(self._specs)
        self._net = net
        self._places = places
        self._programs: dict[Any, Variant] = {}
        self._last: Any = (None, None)

    def __call__(self, *inputs: Any) -> Any:
        """Returns the network's output for an input, or a table, of the sizes that it was compiled for."""
        given = inputs[0] if len(inputs) == 1 else [*inputs]
        if not self._lock.acquire(False):
            raise BusyError(BUSY)
        try:
            if type(given) is np.ndarray and type(self._table) is Spec:
                arrays, shapes = [given], [given.shape]
            else:
                arrays = taken(self._table, given, "program: input")
                shapes = [array.shape for array in arrays]
            outputs, made = self._run(arrays, shapes)
            for place in made.notes.truths:
                outputs[place] = outputs[place].view(np.bool_)  # C has bytes
            output = made.notes.output
            return outputs[0] if output == 0 else tree.map_entries(lambda leaf: _leaf(outputs, leaf), output)
        finally:
            self._lock.release()

    def _run(self, arrays: list[Any], shapes: list[tuple[int, ...]]) -> tuple[list[Any], Variant]:
        """Returns the outputs for these arrays, and the program for their sizes."""
        known, made = self._last
        if shapes != known and (made is None or not made.opened.hasState):  # with a state it tells which sizes that has
            made = self._program(arrays)
            self._last = shapes, made
        try:
            return made.opened.run(arrays, shapes), made
        except THNNError as error:
            raise self._located(error, made) from None

    def clone(self) -> Self:
        """Returns a program for another thread, with the same weights in the same memory."""
        with self._lock:
            other = object.__new__(type(self))
            other.__dict__.update(self.__dict__)
            other._lock = Lock()
            other._last = (None, None)
            other._programs = {key: made._replace(opened=made.opened.clone()) for key, made in self._programs.items()}
            other._net = copy.deepcopy(self._net)
            other.labels, other.preparation = copy.deepcopy((self.labels, self.preparation))
        return other

    def forget(self) -> Self:
        """Deletes the state that earlier calls have left, as those of a recurrent network do. The next call is as the first."""
        with self._lock:
            for made in self._programs.values():
                made.opened.forget()
        return self

    @property
    def scores(self) -> str:
        """The output of a classifier: "shares" of a SoftMax, "logarithms" of a LogSoftMax, or ""."""
        return self._first.notes.scores

    def bytes(self) -> tuple[int, int]:
        """Returns the bytes of weights, and of the memory in which calls compute; that is 0 until the first call.

        Packed weights, which are laid out for the processor, come on top of both.
        """
        made = self._last[1]
        return self._first.notes.weights, 0 if made is None else made.opened.arena()

    def __repr__(self) -> str:
        known = self._first.notes
        inputs = ", ".join(notes.shape_texts(self._specs, any(one.least for one in known.lists)))
        outputs = ", ".join(self._shapes())
        count = len(known.lists[-1].modules)
        return f"Program: {inputs} -> {outputs}, {count} call{'s' * (count != 1)}, {known.weights} bytes of weights"

    def _shapes(self) -> list[str]:
        """Returns the shapes of the outputs, whatever the input is."""
        return notes.common_shapes([made.notes.shapes for made in self._programs.values()])

    # ---- files

    def save(self, path: Any) -> None:
        """Writes the program to a file: its calls and weights, for the sizes that were compiled so far and are still kept.

        `load` reads it, ``pytorch-legacy run``, and THNN_openProgramFile in C. The network is not in it, so no other sizes can be
        compiled. A state of earlier calls is not in it, either.

        Parameters
        ----------
        path : str or path-like
            Usually ends in ``.thnn``. A file that is there is replaced as a whole, or stays as it was if writing fails.

        Raises
        ------
        ArgumentError
            If outputs are tables of another structure for some sizes: a file has one structure.
        """
        with self._lock:
            content = self._bytes()
        with whole(path) as file:
            file.write(content)

    @classmethod
    def load(cls, path: Any, mmap: bool = True) -> Self:
        """Returns the program of a file that `save` or ``pytorch-legacy convert`` wrote.

        Parameters
        ----------
        path : str or path-like
        mmap : bool
            Whether the file is mapped, so that processes have its weights in common. Until the program is deleted, it must not be
            written to or shortened then. It may be deleted or replaced. Otherwise all of it is read.

        Raises
        ------
        ValueRangeError
            If the file is not a program, or damaged: its checksum is compared.
        VersionError
            If another version of this package wrote it.
        UnsupportedError
            If it calls a layer from outside of the package that is not loaded (`pl.extension.load`).

        Examples
        --------
        >>> import numpy as np
        >>> import pytorch_legacy as pl
        >>> pl.compile(pl.nn.Sequential(pl.nn.Linear(3, 2), pl.nn.Tanh()), (None, 3)).save("small.thnn")
        >>> pl.Program.load("small.thnn")
        Program: N x 3 -> N x 2, 2 calls, 32 bytes of weights
        """
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise ValueRangeError(f"Program.load: {path}: expected a regular file, got another one")
        isMapped = mmap and status.st_size
        content = np.memmap(path, np.uint8, "r") if isMapped else aligned(np.fromfile(path, np.uint8))
        return cls._loaded(content, f"Program.load: {path}")

    @classmethod
    def _loaded(cls, content: Any, caller: str) -> Self:
        """Returns the program of bytes, which have the alignment that C requires."""
        try:
            written = notes.read(notes_in(content))
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, struct.error) as error:
            Opened(content, caller)  # perhaps it says more
            expected = "expected the notes of this package, got others"
            raise ValueRangeError(f"{caller}: {expected} ({type(error).__name__}: {error})") from None
        for symbol in _outside([written.notes]):
            try:
                binding.require(symbol)
            except UnsupportedError as error:
                raise UnsupportedError(f"{caller}: {error}") from None
        opened = Opened(content, caller)
        made = Variant(opened, written.notes, False)
        self = object.__new__(cls)
        self._begin(written.table, None, written.places)
        self._programs[None] = made
        self.labels, self.preparation = written.labels, written.preparation
        opened.compare([spec.dtype for spec in self._specs], places(written.notes.output), len(written.notes.lists), caller)
        return self

    def _bytes(self) -> Any:
        """Returns the bytes of a file."""
        made = [*self._programs.values()]
        first = made[0].notes
        for other in made[1:]:
            if (other.notes.output, other.notes.truths) != (first.output, first.truths):
                raise ArgumentError("program.save: expected outputs of one structure for all sizes, got others for some")
        lists = [decoded(one.opened.bytes) for one in made]
        if len({*map(_state, lists)}) > 1:
            raise ArgumentError("program.save: expected a state of the same arrays for all sizes, got others for some")
        each = [[*zip(some, one.notes.lists, strict=True)] for some, one in zip(lists, made, strict=True)]
        every = [pair for isLater in (False, True) for pairs in each for pair in pairs if pair[0].isLater == isLater]
        known = first._replace(
            lists=[note for _, note in every], weights=max(one.notes.weights for one in made), shapes=self._shapes()
        )
        written = Written(self._table, self._places, known, *notes.checked(self.labels, self.preparation))
        content = encoded([one for one, _ in every], notes=notes.text(written, self._specs))
        Opened(content, "program.save")  # nobody could open a file that this refuses
        return content

    def __getstate__(self) -> dict[str, Any]:
        """Returns the contents of a pickle: the bytes of the lists, without a state; and the network, if more sizes may come."""
        left = {"_lock", "_last", "_programs"}
        programs = {key: (np.array(made.opened.bytes), made[1:]) for key, made in self._programs.items()}
        return {name: value for name, value in self.__dict__.items() if name not in left} | {"stored": programs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        stored = state.pop("stored")
        for symbol in _outside(rest[0] for _, rest in stored.values()):
            binding.require(symbol)
        self.__dict__.update(state, _lock=Lock(), _last=(None, None))
        self._programs = {key: Variant(Opened(aligned(content)), *rest) for key, (content, rest) in stored.items()}

    # ---- sizes

    @property
    def _first(self) -> Variant:
        """The program for the sizes of the example."""
        return next(iter(self._programs.values()))

    def _isBatched(self) -> bool:
        return any(axis is not None for axis in self._axes)

    def _sizes(self, shapes: Any) -> Sizes:
        return Sizes(tuple(shapes), self._axes)

    def _key(self, shapes: Any) -> Any:
        """Returns the key of the program for these shapes, whatever the batch is."""
        both = zip(shapes, self._axes, strict=True)
        return tuple(shape if axis is None else (*shape[:axis], *shape[axis + 1 :]) for shape, axis in both)

    def _batches(self, shapes: Any) -> set[int]:
        return {shape[axis] for shape, axis in zip(shapes, self._axes, strict=True) if axis is not None}

    def _name(self, number: int) -> str:
        """Returns how errors name the input of this number."""
        return "program: input"

    def _program(self, arrays: list[Any]) -> Any:
        """Returns the program for these arrays. Compiles it if they are the first ones of their sizes."""
        if None in self._programs:  # it was loaded; C names the sizes that it takes
            return self._programs[None]
        shapes = [array.shape for array in arrays]
        for number, (spec, shape) in enumerate(zip(self._specs, shapes, strict=True)):
            fits = len(shape) == len(spec.shape) and all(
                want in (None, size) for want, size in zip(spec.shape, shape, strict=True)
            )
            if not fits:
                wanted = " x ".join("any" if size is None else str(size) for size in spec.shape)
                raise ShapeError(f"{self._name(number)}: expected {wanted}, as it was compiled for, got {sizes(shape)}")
        batches = self._batches(shapes)
        if len(batches) > 1:
            raise ShapeError(
                f"{self._name(0)}: expected arrays of one batch, got batches of {', '.join(map(str, sorted(batches)))}"
            )
        key = self._key(shapes)
        batch = batches.pop() if batches else 1
        if batch == 0:
            raise ShapeError(f"{self._name(0)}: expected at least one sample, got none")
        for known in (key, (key, batch)):
            made = self._programs.get(known)
            if made is not None and (known != key or made.serves(batch)):
                return made
        made = None
        if key not in self._programs:
            made = self._add(shapes)
        if made is None or not (made.isFixed or made.serves(batch)):
            made = self._programs[(key, batch)] = self._compile(Sizes(tuple(shapes), (None,) * len(shapes)))
        self._bound()
        return made

    def _add(self, shapes: Any) -> Variant:
        """Compiles for these shapes and returns the program, which is kept."""
        made = self._compile(self._sizes(shapes))
        key, isFixed = self._key(shapes), made.isFixed and self._isBatched()  # made for this batch alone
        self._programs[(key, max(self._batches(shapes))) if isFixed else key] = made
        return made

    def _compile(self, wanted: Sizes) -> Variant:
        lists, opened = compiled(self._net, self._table, wanted)
        made = variant(in_order(lists), opened, wanted)
        self._refuse_others(made)
        return made

    def _refuse_others(self, made: Variant) -> None:
        """Raises CompileError if the program would call two versions of a layer."""
        known = _outside(one.notes for one in self._programs.values())
        for symbol in _outside([made.notes]) - known:
            if any(one.rpartition("_")[0] == symbol.rpartition("_")[0] for one in known):
                name = binding.function_name(symbol)
                raise CompileError(
                    f"program: {name} was loaded anew since it was compiled; compile the network again for more sizes"
                )

    def _bound(self) -> None:
        """Evicts the sizes that were compiled first, except those of the example, if there are too many."""
        _, *others = self._programs
        total = sum(self._programs[key].opened.bytes.nbytes for key in others)
        while len(others) > self._mostKept or (len(others) > 1 and total > _KEPT_BYTES and self._mostKept == _KEPT):
            key = others.pop(0)
            total -= self._programs.pop(key).opened.bytes.nbytes

    # ---- errors

    def _located(self, error: THNNError, made: Variant) -> THNNError:
        """Returns the exception of a call that failed, with the place of its module."""
        number, call = made.opened.failure()
        one = made.notes.lists[max(0, number)]
        if 0 <= call < len(one.modules):
            place, name = self._places[one.modules[call]] if one.modules[call] >= 0 else ([], "program")
            error = as_exception(error, one.errors.get(call, ""))
            error.args = (f"{name}{str(error.args[0]).removeprefix('program')}",)
            error.where[:0] = place
        return error


def for_sizes(net: Any, example: Any, shapes: Sequence[Any]) -> Program:
    """Returns a program that is compiled for these shapes, each a list with one for each array of `example`."""
    program = Program(net, example, shapes)
    _trim()
    return program


def prepared(net: Any) -> Any:
    """Returns the network that is recorded: optimized, in evaluation mode, without results of an earlier pass."""
    return optimize(net).evaluate().clearState()


def _leaf(outputs: list[Any], leaf: Any) -> Any:
    return outputs[leaf.of][0].item() if isinstance(leaf, Scalar) else outputs[leaf]


def _state(lists: list[Listing]) -> tuple[Any, ...]:
    """Returns the types and ranks of the states that lists keep."""
    results = len(lists[0].outputs) - max(len(one.inputs) - len(lists[0].inputs) for one in lists)
    return tuple((ref.dtype, len(ref.shape)) for ref in lists[0].outputs[results:])


def _outside(several: Iterable[Notes]) -> set[str]:
    """Returns the functions from outside of the library that programs with these notes call."""
    return {symbol for one in several for each in one.lists for symbol in each.outside}


class Variant(NamedTuple):
    """The lists for some sizes, opened: one for a single sample or a fixed batch, and perhaps one for all larger batches.

    A network with a state has as many lists again, for later calls. A program that was loaded has one variant for all sizes.
    """

    opened: Opened
    notes: Notes
    isFixed: bool  # true if it serves only the batch that it was compiled for

    def serves(self, batch: int) -> bool:
        """Returns whether the program takes a batch of that size."""
        return any(batch >= one.least if one.least else batch == 1 for one in self.notes.lists)


def variant(lists: Sequence[Listing], opened: Opened, wanted: Sizes) -> Variant:
    """Returns the program of these lists, which were compiled for these sizes."""
    first = lists[0]
    shapes = tuple(ref.shape for ref in first.inputs[: len(wanted.shapes)])
    isFixed = all(one.least == 0 for one in lists) and shapes == wanted.shapes
    return Variant(opened, notes.notes_on(lists, opened.count), isFixed)


def _trim() -> None:
    """Returns free memory to the system if the C library can do that: a proof has freed several copies of the weights."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def compile(
    net: Any, example: Any, partial: bool = False, *, criterion: Any = None, optimizer: Any = None, config: Any = None
) -> Any:
    """Records a network's evaluation or training, proves the recording and returns it as a program that runs in C.

    Parameters
    ----------
    net : Module
        Stays as it is. `pl.optimize` is part of compiling for evaluation.
    example : tuple, array, or list or dict of them
        Input that the network will get. In a shape, None stands for any size: ``(None, 3, 224, 224)`` for batches of pictures.
        An array stands for its own shape and dtype. A list or dict stands for a table. With a criterion, a pair of an input and
        a target; the target is None if the criterion needs none.
    partial : bool
        Whether a chain (nn.Sequential) that cannot be compiled as a whole may run its other modules as programs: those that
        cannot be compiled run eagerly between them. It has no effect on training steps.
    criterion : Criterion, optional
        Loss of a training step. Stays as it is.
    optimizer : {"sgd"}, optional
        Optimizer of `pl.optim` whose update is part of the step.
    config : dict or other MutableMapping, optional
        Options of `pl.optim.sgd`: learningRate, learningRateDecay, weightDecay, momentum, dampening, nesterov. A step reads the
        first two, and writes evalCounter and dfdx, as `pl.optim.sgd` does. The other options are fixed: a step raises an
        exception if they have changed.

    Returns
    -------
    Program, Partial, or TrainingStep
        Called with an input, it returns what the network in evaluation mode returns. If only the first size is free, it serves
        all batches. Other sizes are compiled, and proven, at their first use; the last 8 are kept. With a criterion, it is called
        with an input and a target, and returns the loss.

    Raises
    ------
    CompileError
        If the network does something that a program cannot repeat, such as to read a number that depends on its input, or to keep
        a state. The text names the module and the line. It is also raised if a proof fails.

    Notes
    -----
    Before `compile` returns, the program's outputs are compared with the network's, for up to 17 samples (proof.py).
    """
    from pytorch_legacy.program.steps import TrainingStep  # (that module imports this one)

    try:
        if criterion is None:
            if optimizer is not None or config is not None:
                raise ArgumentError("pl.compile: optimizer: expected None without a criterion; pass criterion=")
            program = Program(net, example)
        else:
            program = TrainingStep(net, example, criterion, optimizer, config)
        _trim()
        return program
    except CompileError:
        if not partial or criterion is not None:
            raise
        from pytorch_legacy.program.partial import Partial  # (that module imports this one)

        return Partial(net, example)
    except THNNError:
        raise
    except MemoryError as error:
        raise OutOfMemoryError(f"pl.compile: {error}") from None
    except RecursionError:
        raise CompileError("pl.compile: net: its modules are nested too deep, or contain themselves") from None
