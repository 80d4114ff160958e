"""A training step as a program."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import (
    ArgumentError,
    BusyError,
    CompileError,
    DtypeError,
    ShapeError,
    UnsupportedError,
    ValueRangeError,
)
from pytorch_legacy.messages import described, sizes
from pytorch_legacy.program.inputs import Sizes, Spec, first_sizes, leaves, specs, taken
from pytorch_legacy.program.places import named_places
from pytorch_legacy.program.program import Program, Variant, variant
from pytorch_legacy.program.training import compiled_step
from pytorch_legacy.program.training_pass import TrainingPass, kept_generator, loss, sharing_places
from pytorch_legacy.program.updates import SgdTable, options
from pytorch_legacy.recording.network import array_at
from pytorch_legacy.recording.recorder import address

_BUSY = "step: another thread is within a call; compile the network once for each thread"


class TrainingStep(Program):
    """A training step that was recorded, proven and runs in C: ``loss = step(x, target)``. `pl.compile` makes it.

    A call sets the gradients to zero, computes the network's output in training mode and its loss, and adds the gradients of the
    parameters to theirs. The step has copies of the network's parameters, running statistics and other arrays. Nothing that is
    done to the network changes it.

    Attributes
    ----------
    parameters, gradParameters : array
        The vectors of all parameters and of their gradients, in the order of ``net.getParameters()``. A step reads the first and
        writes the second. So an optimizer of `pl.optim` that moves the first one moves the parameters of the next step. A step
        also writes the parameters of layers that do so in their passes, such as `nn.LookupTable` with `maxNorm`.

    Examples
    --------
    >>> net, criterion = pl.nn.Sequential(pl.nn.Linear(3, 2), pl.nn.LogSoftMax()), pl.nn.ClassNLLCriterion()
    >>> x, labels = np.float32([[1, 2, 3], [3, 2, 1]]), np.array([0, 1])
    >>> step = pl.compile(net, ((None, 3), labels), criterion=criterion)
    >>> first = step(x, labels)
    >>> for _ in range(10):
    ...     loss = step(x, labels)
    ...     x_, losses = pl.optim.sgd(lambda w: (loss, step.gradParameters), step.parameters, {"learningRate": 0.1})
    >>> step(x, labels) < first
    True
    >>> step.writeTo(net)
    """

    _insteadOfSaving = "; save the network to which step.writeTo(net) has copied the parameters"

    def __init__(self, net: Any, example: Any, criterion: Any, optimizer: Any = None, config: Any = None) -> None:
        check_pair(net, criterion)
        table, given = pair(net, example), TrainingPass(net, criterion)
        self._begin(table, given, named_places(given))
        self._optimizer = self._updating(optimizer, config)
        isPlain = len(self._table) == 2 and all(type(one) is Spec for one in self._table)
        self._dtypes = tuple(one.dtype for one in self._table) if isPlain else None  # two arrays need no other check
        self._held = self._net.held()  # the arrays that steps of any size hold
        with kept_generator():
            first = first_sizes(self._net, self._table)
        self._add(first)

    def __call__(self, input: Any, target: Any = None) -> Any:  # type: ignore[override]
        """Returns the loss, and writes the gradients."""
        if not self._lock.acquire(False):
            raise BusyError(_BUSY)
        try:
            if (
                type(input) is np.ndarray is type(target)
                and (input.dtype, target.dtype) == self._dtypes
                and input.ndim
                and target.ndim
            ):
                arrays = [input, target]
            else:
                arrays = self._arrays(input, target)
            optimizer = self._optimizer
            if optimizer is not None:
                optimizer.begin()
            _, made = self._run(arrays, [array.shape for array in arrays])
            if optimizer is not None:
                optimizer.end()
            return loss(made.opened).item()
        finally:
            self._lock.release()

    @property
    def parameters(self) -> Any:
        """The vector of all parameters."""
        return self._net.flat

    @property
    def gradParameters(self) -> Any:
        """The vector of the gradients of all parameters."""
        return self._net.flatGrad

    def bytes(self) -> tuple[int, int]:
        """Returns the bytes of the parameters, and of the memory in which steps compute; that is 0 until the first step."""
        return self.parameters.nbytes, super().bytes()[1]

    def writeTo(self, net: Any) -> None:
        """Copies the parameters and the running statistics into a network like the one that was compiled."""
        what = "step.writeTo: net: expected a network like the one that was compiled"
        if not isinstance(net, nn.Module):
            raise DtypeError(f"{what}, got {described(net)}")
        parameters, others = (_parameters(one) for one in (self._net.net, net))
        if len(parameters) != len(others):
            raise ShapeError(f"{what}, got one with {len(others)} arrays of parameters in the place of {len(parameters)}")
        pairs = [*zip(parameters, others, strict=True)]
        for place in sharing_places(self._net, [place for place in self._held.changed() if place[0] == "net"]):
            try:
                other = array_at(net, place[1:])
            except (LookupError, TypeError):
                other = None
            if not isinstance(other, np.ndarray):
                raise ShapeError(f"{what}, got one without {'.'.join(map(str, place[1:]))}")
            pairs.append((array_at(self._net, place), other))
        sources: dict[int, int] = {}
        for own, other in pairs:
            if own.shape != other.shape:
                raise ShapeError(f"{what}, got an array of {sizes(other.shape)} in the place of one of {sizes(own.shape)}")
            if not other.flags.writeable:
                raise ValueRangeError(f"{what}, got one with a read-only array")
            if own.size and sources.setdefault(address(other), address(own)) != address(own):
                raise ShapeError(f"{what}, got one that shares an array of {sizes(other.shape)} in the place of two arrays")
        for own, other in pairs:
            other[...] = own

    def clone(self) -> NoReturn:
        """Raises UnsupportedError: two steps that share parameters would change them at once."""
        raise UnsupportedError(
            "step.clone: a training step has its parameters for itself; compile the network once for each thread"
        )

    def save(self, path: Any) -> NoReturn:
        """Raises UnsupportedError: a file has programs for evaluation."""
        raise UnsupportedError("step.save: a training step is no file; save the network that step.writeTo(net) fills")

    @classmethod
    def load(cls, path: Any, mmap: bool = True) -> NoReturn:
        """Raises UnsupportedError: no file has a training step."""
        raise UnsupportedError("TrainingStep.load: no file has a training step; pl.Program.load reads programs")

    def __getstate__(self) -> NoReturn:
        raise UnsupportedError("a training step cannot be pickled or copied; pickle the network that step.writeTo(net) fills")

    def __repr__(self) -> str:
        pairs = [" x ".join("N" if size is None else str(size) for size in spec.shape) for spec in self._specs]
        calls = len(self._first.notes.lists[-1].modules)
        return f"TrainingStep: {', '.join(pairs)} -> loss, {calls} call{'s' * (calls != 1)}, {self.parameters.size} parameters"

    def _updating(self, optimizer: Any, config: Any) -> SgdTable | None:
        """Lets steps move the parameters, if there is an optimizer, and returns its table."""
        if optimizer is None and config is None:
            return None
        name = getattr(optimizer, "__name__", optimizer)
        if name != "sgd":
            what = (
                f"expected 'sgd', got {name!r}" if type(name) is str or name is None else f"expected 'sgd', got {described(name)}"
            )
            cure = "call another optimizer of pl.optim after the step, with step.gradParameters and step.parameters"
            raise CompileError(f"pl.compile: optimizer: {what}; {cure}")
        config = {} if config is None else config
        sgd = options(config, self.parameters, "pl.compile")
        self._net.learnBy(sgd)
        return SgdTable(config, sgd, self.parameters, self._net.velocity, self._net.coefficients)

    def _arrays(self, input: Any, target: Any) -> list[Any]:
        """Returns the arrays in an input and a target."""
        arrays = taken(self._table[0], input, "step: input")
        if len(self._table) > 1:
            return arrays + taken(self._table[1], with_arrays(target, self._net.net), "step: target")
        if target is not None:
            raise DtypeError(f"step: target: expected none, as it was compiled for, got {described(target)}")
        return arrays

    def _name(self, number: int) -> str:
        return "step: input" if number < len(leaves(self._table[0])) else "step: target"

    def _compile(self, wanted: Sizes) -> Variant:
        lists, opened, held = compiled_step(self._net, self._table, wanted, self._held)
        made = variant(lists, opened, wanted)
        self._refuse_others(made)
        if held is not self._held:  # programs for other sizes have copies of the arrays that this one changes
            self._held, self._programs, self._last = held, {}, (None, None)
        return made


def _parameters(net: Any) -> list[Any]:
    return (net.parameters() or ([], []))[0]


def check_pair(net: Any, criterion: Any) -> None:
    """Raises an error unless there are a network on the host and a criterion."""
    for name, value, kind in (("net", net, nn.Module), ("criterion", criterion, nn.Criterion)):
        if not isinstance(value, kind):
            raise DtypeError(f"pl.compile: {name}: expected a {kind.__name__.lower()}, got {described(value)}")
    if net._onDevice:
        raise UnsupportedError("pl.compile: net: expected a network on the host, got one on a GPU; pass net.float()")


def pair(net: Any, example: Any) -> list[Any]:
    """Returns the specs of an input and of its target."""
    if not isinstance(example, (tuple, list)) or len(example) != 2 or _isShape(example):
        wanted = "expected a pair of an input and a target, as ((None, 3), (None, 2)) or (x, labels)"
        raise ArgumentError(f"pl.compile: example: {wanted}, got {described(example)}")
    given, target = example
    if target is None:
        return [specs(net, given)]
    table = [specs(net, given), specs(net, with_arrays(target, net))]
    if any(spec.shape[0] is None for spec in leaves(table[0])):  # an example of labels stands for those of any batch
        table[1] = tree.map_entries(_batched, table[1])
    return table


def with_arrays(target: Any, net: Any) -> Any:
    """Returns a target, or an example of one, in which arrays of one element stand for numbers."""
    if isinstance(target, (int, np.integer)) and not isinstance(target, bool):
        return np.array([target], np.int64) if abs(int(target)) < 1 << 63 else target
    if isinstance(target, (float, np.floating)):
        return np.array([target], net._dtype)
    if type(target) not in (list, tuple) or _isShape(target):
        return target
    return [with_arrays(entry, net) for entry in target]


def _isShape(value: Any) -> bool:
    return type(value) is tuple and all(size is None or isinstance(size, (int, np.integer)) for size in value)


def _batched(spec: Spec) -> Spec:
    return spec if spec.example is None else spec._replace(shape=(None, *spec.shape[1:]))
