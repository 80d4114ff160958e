"""The base of layers whose passes are functions of libTHNN."""

from collections.abc import Callable
from operator import attrgetter, itemgetter
from typing import Any, ClassVar, NamedTuple

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import SIGNATURES, binding, call, output_size
from pytorch_legacy.backend.prepared import Bindings
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.listed import by_class
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import Object


class Caller(Object):
    """An object whose passes call functions of libTHNN.

    What THNN.h calls the arguments of a function are the names of the object's fields: parameters, buffers and numbers are read
    there anew in each pass, so that a change of a field counts from the next pass on.

    Attributes
    ----------
    _layer : str
        Prefix of the functions' names: that of ``updateOutput`` is ``_layer`` and ``_updateOutput``.
    _names : dict
        The fields, beyond those of the bases, that have other names than the header's arguments.
    """

    _layer: ClassVar[str]
    _names: ClassVar[dict[str, str]] = {}

    def _call(self, name: str, *first: Any, **given: Any) -> None:
        """Calls the function of that name, or a whole name such as "Linear_updateOutput".

        `first` are its first arguments, `given` others under the header's names. All else comes from fields.
        """
        function, arguments = self._arguments(name, first, given)
        call(self, function, *arguments)

    def _size(self, name: str, *first: Any, **given: Any) -> tuple[int, ...]:
        """The shape that a function, such as "outputSize", tells; its arguments come as those of `_call`."""
        function, arguments = self._arguments(name, first, given)
        return output_size(self, function, *arguments)

    def _arguments(self, name: str, first: tuple[Any, ...], given: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
        """The whole name of a function, and its arguments in the header's order."""
        plan = _plan(type(self), name, len(first), *given)
        arguments = (*first, *plan.read(self), *given.values())
        return plan.function, plan.sort(arguments) if plan.sort else arguments

    def _pass(self, name: str, *handed: Any) -> Any:
        """Calls the function of a pass, whose buffers are made, prepares the next pass, and returns the first of the buffers."""
        plan = _plan(type(self), name, len(handed))
        input, fields = handed[0], plan.read(self)
        arguments = self._given(input, fields)
        call(self, plan.function, *handed, *arguments)
        isRepeatable = arguments is fields and type(input) is self._array and plan.isPlain and fields[0].size
        prepared = self._prepared(plan, handed, fields[0]) if isRepeatable else None
        passes = Bindings.of(self).passes
        if prepared is None:
            passes.pop(name, None)
        else:
            passes[name] = prepared
        return fields[0]

    def _prepared(self, plan: "Plan", handed: tuple[Any, ...], buffer: Any) -> Any:
        """Returns what repeats the pass that has just written `buffer` for the arrays `handed`; None if nothing can."""
        if any(buffer is array for array in handed):
            return None
        return Bindings.of(self).calls[plan.function].asPass(plan.read, buffer)

    def _given(self, input: Any, fields: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns the arguments for these fields. A class overrides it if some arguments depend on the input."""
        return fields


class Native(Caller, Module):
    """A layer whose passes are functions of libTHNN.

    A subclass names its functions (``_layer``) and has the fields that they want. Where there is a function ``_outputSize`` it
    tells the shape of the output, which else is that of the input; all arrays that ``_updateOutput`` writes have that shape.

    Attributes
    ----------
    _ranks : tuple of int
        The numbers of dimensions that an input may have, if C is not to judge that.
    _mayLackGradInput : bool
        True if no gradient of the input is computed once ``gradInput`` is None. If False, the default, there is a new one.
    """

    _ranks: ClassVar[tuple[int, ...]] = ()
    _mayLackGradInput: ClassVar[bool] = False

    # A pass prepares the next one (`PreparedCall.repeat`), unless it computes nothing. If the repeated call raises an exception,
    # or needs another buffer, the pass begins anew: it makes the buffers, or raises a fuller exception.

    def updateOutput(self, input: Any) -> Tensor:
        try:
            output = self.__dict__["_bindings"].passes["updateOutput"].repeat(self, (input,))
            if output is not None:
                return output
        except Exception:
            pass
        self._makeOutput(input)
        return self._pass("updateOutput", input)

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        try:
            gradInput = self.__dict__["_bindings"].passes["updateGradInput"].repeat(self, (input, gradOutput))
            if gradInput is not None:
                return gradInput
        except Exception:
            pass
        if self.gradInput is None and self._mayLackGradInput:
            return None
        self._makeGradInput(input, gradOutput)
        return self._pass("updateGradInput", input, gradOutput)

    def _makeOutput(self, input: Any) -> None:
        """Makes the buffers of ``updateOutput`` for an input, which may be the last output."""
        shape = self._outputShape(input)
        for name, dtype in _plan(type(self), "updateOutput", 1).written:
            self._resize(name, shape, dtype, mustNotOverlap=input)

    def _makeGradInput(self, input: Any, gradOutput: Any) -> None:
        """Makes the buffer of ``updateGradInput``."""
        self._resize("gradInput", check.tensor(self, "input", input, *self._ranks).shape, mustNotOverlap=[input, gradOutput])

    def _outputShape(self, input: Any) -> tuple[int, ...]:
        input = check.tensor(self, "input", input, *self._ranks)
        if f"{self._layer}_outputSize" not in SIGNATURES:
            return input.shape  # type: ignore[no-any-return]
        plan = _plan(type(self), "outputSize", 1)
        return output_size(self, plan.function, input, *self._given(input, plan.read(self)))


class Learner(Native):
    """A layer with parameters, whose function ``accGradParameters`` adds to their gradients."""

    _mayLackGradInput = True

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        plan = _plan(type(self), "accGradParameters", 2, "scale")
        call(self, plan.function, input, gradOutput, *plan.read(self), scale)


class Plan(NamedTuple):
    """The plan by which a call collects the arguments of a C function."""

    function: str
    fields: tuple[str, ...]
    read: Callable[[Any], tuple[Any, ...]]  # returns the values of the fields, in the header's order
    written: tuple[tuple[str, Any], ...]  # the fields of arrays that the function writes, and their dtypes; None: the object's
    isPlain: bool  # True if the arrays that the function writes stand first
    sort: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None  # first arguments, fields and given ones in the header's order


def _makePlan(cls: Any, name: str, count: int, *given: str) -> Plan:
    """Returns the plan of a call that gets its first `count` arguments by position, and those `given` by name."""
    function = name if name in SIGNATURES else f"{cls._layer}_{name}"
    if function not in SIGNATURES:
        cure = "pl.extension.load(...) of its file comes first"
        raise UnsupportedError(f"{cls._typename}: there is no C function {function}; {cure}")
    types = {argument: ctype for ctype, argument in SIGNATURES[function] if ctype not in ("THNNState *", "int64_t *")}
    names = [*types]
    if unknown := {*given} - {*names[count:]}:
        raise TypeError(f"{function}: has no further argument {', '.join(unknown)}")
    read = [name for name in names[count:] if name not in given]
    arrays = [name for name in read if "Tensor" in types[name]]
    written = [name for name in arrays if not types[name].startswith("const")]
    order = [*names[:count], *read, *given]
    named = {name: field for base in reversed(cls.__mro__) for name, field in vars(base).get("_names", {}).items()}
    fields = {name: named.get(name, name) for name in read}
    return Plan(
        function,
        (*fields.values(),),
        _reader(*fields.values()),
        tuple((fields[name], binding.DTYPES.get(types[name])) for name in written),
        read[: len(written)] == written != [],
        None if order == names else itemgetter(*[order.index(name) for name in names]),
    )


def _reader(*fields: str) -> Callable[[Any], tuple[Any, ...]]:
    if len(fields) > 1:
        return attrgetter(*fields)
    if not fields:
        return lambda thing: ()
    read = attrgetter(*fields)
    return lambda thing: (read(thing),)


_plan = by_class(_makePlan)
binding.on_signatures_changed.append(_plan.cache_clear)
