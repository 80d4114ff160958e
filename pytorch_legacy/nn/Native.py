"""The base of layers whose passes are functions of libTHNN."""

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from typing import Any, ClassVar

from pytorch_legacy.backend import SIGNATURES, binding, call, output_size
from pytorch_legacy.errors import BusyError, UnsupportedError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module

# What the functions get from the caller of a pass. All else they get from fields of the layer.
_HANDED = {"state", "input", "gradOutput", "size", "scale"}

Reader = tuple[Callable[[Any], tuple[Any, ...]], slice]


class Native(Module):
    """A layer whose passes are functions of libTHNN.

    A subclass names its functions. What THNN.h calls their arguments are the names of the layer's fields: parameters, buffers
    and numbers are read there anew in each pass, so that a change of a field counts from the next pass on. As in the header,
    arguments come in the order input, (gradOutput,) what is written, other arrays, numbers.

    Attributes
    ----------
    _layer : str
        The functions are ``_layer`` and ``_outputSize``, ``_updateOutput``, ``_updateGradInput``. Without the first of them the
        output has the shape of the input.
    _names : dict
        The fields that have other names than the header's arguments.
    _mayLackGradInput : bool
        Is no gradient of the input computed once ``gradInput`` is None? Else there is a new one.
    """

    _layer: ClassVar[str]
    _names: ClassVar[dict[str, str]] = {}
    _results: ClassVar[tuple[str, ...]] = ("output",)  # what updateOutput writes, in the header's order
    _mayLackGradInput: ClassVar[bool] = False
    _bindings: dict[str, Any]

    # A pass notes what it found (`_pass`). As long as the shape of the input, the numbers and the buffers stay the same, the
    # next one has nothing to do but the call. Where that ends in an error the long way is taken, which mends it or says what is
    # wrong: C looks at everything before it writes.

    def updateOutput(self, input: Any) -> Any:
        try:
            kind, shape, read, output, place, last, numbers, known, run = self._bindings["updateOutput"]
            if type(input) is kind and input.shape == shape:
                arguments = read(self)
                if arguments[0] is output and arguments[place] is last and arguments[numbers] == known:
                    run(input, *arguments)
                    return output
        except BusyError:
            raise
        except Exception:
            pass
        self._makeOutput(input)
        return self._pass("updateOutput", len(self._results) - 1, input)

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        try:
            kind, shape, read, gradInput, _, _, numbers, known, run = self._bindings["updateGradInput"]
            if type(input) is kind and input.shape == shape:
                arguments = read(self)
                if arguments[0] is gradInput and arguments[numbers] == known:
                    run(input, gradOutput, *arguments)
                    return gradInput
        except BusyError:
            raise
        except Exception:
            pass
        if self.gradInput is None and self._mayLackGradInput:
            return None
        self._makeGradInput(input, gradOutput)
        return self._pass("updateGradInput", 0, input, gradOutput)

    def _pass(self, name: str, place: int, *handed: Any) -> Any:
        """Calls the function of a pass, whose buffers are made, and returns the first of them. The one at `place` is the last."""
        function = f"{self._layer}_{name}"
        read, numbers = self._reader(name)
        fields = read(self)
        arguments = self._given(handed[0], fields)
        call(self, function, *handed, *arguments)
        input, buffer = handed[0], fields[0]
        worksInPlace = any(buffer is array for array in handed)
        if arguments is fields and type(input) is self._array and not worksInPlace:
            buffers, known, run = (buffer, place, fields[place]), fields[numbers], self._bindings[function]
            self._bindings[name] = self._array, input.shape, read, *buffers, numbers, known, run
        return arguments[0]

    def _makeOutput(self, input: Any) -> None:
        """Makes the buffers of ``updateOutput`` for an input."""
        self._resize("output", self._outputShape(input))

    def _makeGradInput(self, input: Any, gradOutput: Any) -> None:
        """Makes the buffer of ``updateGradInput``."""
        self._resize("gradInput", check.tensor(self, "input", input).shape)

    def _outputShape(self, input: Any) -> tuple[int, ...]:
        check.tensor(self, "input", input)
        function = f"{self._layer}_outputSize"
        if function not in SIGNATURES:
            return input.shape  # type: ignore[no-any-return]
        return output_size(self, function, input, *self._given(input, self._read("outputSize")))

    def _read(self, name: str) -> tuple[Any, ...]:
        """What the function of that pass gets from fields."""
        return self._reader(name)[0](self)

    def _given(self, input: Any, fields: tuple[Any, ...]) -> tuple[Any, ...]:
        """What to hand over for these fields: other numbers, where some depend on the input."""
        return fields

    @property
    def _numbers(self) -> tuple[Any, ...]:
        """The numbers that ``updateOutput`` hands over."""
        return self._reader("updateOutput", True)[0](self)

    def _reader(self, name: str, onlyNumbers: bool = False) -> Reader:
        cls: Any = type(self)
        return _reader(cls, f"{self._layer}_{name}", onlyNumbers)


class Learner(Native):
    """A layer with parameters, whose function ``accGradParameters`` adds to their gradients."""

    _mayLackGradInput = True

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        try:
            function, read = self._bindings["accGradParameters"]
        except (AttributeError, KeyError):
            function, (read, _) = f"{self._layer}_accGradParameters", self._reader("accGradParameters")
        call(self, function, input, gradOutput, *read(self), scale)
        self._bindings["accGradParameters"] = function, read


@lru_cache(1024)
def _reader(layer: Any, function: str, onlyNumbers: bool) -> Reader:
    """What reads from a layer's fields all that a C function wants, in order, and which part of that are the numbers."""
    if function not in SIGNATURES:
        cure = "pl.extension.load(...) of its file comes first"
        raise UnsupportedError(f"{layer._typename}: there is no C function {function}; {cure}")
    wanted = [(ctype, name) for ctype, name in SIGNATURES[function] if name not in _HANDED]
    if onlyNumbers:
        wanted = [(ctype, name) for ctype, name in wanted if "Tensor" not in ctype]
    arrays = sum("Tensor" in ctype for ctype, _ in wanted)
    fields = [layer._names.get(name, name) for _, name in wanted]
    if len(fields) > 1:
        return attrgetter(*fields), slice(arrays, None)
    return lambda module: tuple([getattr(module, field) for field in fields]), slice(arrays, None)


binding.forgetful.append(_reader.cache_clear)
