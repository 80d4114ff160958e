"""Calls of layers' C functions while passes are recorded: each is noted, and made on the hidden arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy.backend import binding
from pytorch_legacy.backend.library import SIGNATURES, USES, check, ffi, lib
from pytorch_legacy.errors import DtypeError, THNNError
from pytorch_legacy.recording.array import RecordedArray


class NativeCall:
    """The C function of a layer, which is called with its arguments and without the state.

    Parameters
    ----------
    recorder : Recorder
        Notes the calls.
    module : Module
        Chooses the element type. Errors name it.
    name : str
        The function, such as "Linear_updateOutput".
    """

    def __init__(self, recorder: Any, module: Any, name: str) -> None:
        real = binding.REALS.get(np.dtype(module._dtype))
        if real is None:
            raise recorder.refuse(f"there is no function {name} for {module._dtype}")
        self._draws = "_" not in name
        if self._draws and not recorder.draws:
            raise recorder.refuse("draws from the random generator, which a program does not")
        self._recorder, self._module, self._name, self._real = recorder, module, name, real
        self._where = binding._where(module, name)
        self._uses = USES[name]
        self._signature = [argument for argument in SIGNATURES[name] if argument[1] != "state"]
        self._state = [ffi.NULL] if len(self._signature) != len(SIGNATURES[name]) else []
        # A function that returns a size is no part of the pass, so it is not noted.
        self._returnsSize = any(ctype == "int64_t *" for ctype, _ in SIGNATURES[name])
        self._isOutside = name in binding.owners
        self._function, self._report, self._symbol = self._outside() if self._isOutside else self._inside()

    def _inside(self) -> tuple[Any, Any, str]:
        """Returns a function of the library, what raises its errors, and its name in programs."""
        symbol = f"{self._real}{self._name}"
        return getattr(lib, f"THNN_{symbol}"), check, symbol

    def _outside(self) -> tuple[Any, Any, str]:
        """Returns the same for a function that was loaded from a file."""
        function, report = binding.owners[self._name].on_host(self._real, self._name)
        try:
            return function, report, "" if self._returnsSize else binding.in_program(self._real, self._name)
        except THNNError as error:
            raise self._recorder.refuse(str(error)) from None

    def __call__(self, *arguments: Any) -> None:
        plain = self._plain(arguments)
        descriptors = self._descriptors(plain)
        if not self._returnsSize and not self._noted(plain):
            return
        if self._draws:
            self._recorder.memory(plain[0]).isKnown = False
        before = self._recorder.only_read(plain, self._uses) if self._isOutside else {}
        values: list[Any] = [ffi.NULL if one is None else one for one in plain]
        for place, described in descriptors.items():
            values[place] = described.descriptor
        if status := self._function(*self._state, *values):
            self._report(status, self._where)
        for place, content in before.items():
            if plain[place].tobytes() != content:
                argument = self._signature[place][1]
                raise self._recorder.refuse(f"{self._name} writes {argument}, which its declaration says is [IN]")

    def _plain(self, arguments: tuple[Any, ...]) -> list[Any]:
        """Returns the arguments with NumPy's arrays for recorded ones. Arrays that are not recorded become constants."""
        plain = [one.hidden if type(one) is RecordedArray else one for one in arguments]
        for place, ((ctype, argument), one) in enumerate(zip(self._signature, plain, strict=True)):
            if "Tensor" not in ctype or one is None:
                continue
            if not isinstance(one, np.ndarray):
                raise DtypeError(f"{self._where}: {argument}: expected an array, got {one!r:.60}")
            if type(arguments[place]) is not RecordedArray:
                if not ctype.startswith("const"):
                    raise self._recorder.refuse(f"{self._name} writes {argument}, an array that was made with no like=")
                plain[place] = self._recorder.constant(one).hidden
        return plain

    def _descriptors(self, plain: list[Any]) -> dict[int, binding.TensorDescriptor]:
        """Returns the filled descriptors of array arguments by their places."""
        found = {}
        for place, ((ctype, argument), one) in enumerate(zip(self._signature, plain, strict=True)):
            if "Tensor" in ctype and one is not None:
                found[place] = binding.TensorDescriptor(self._where, argument, ctype.replace("THTensor", f"TH{self._real}Tensor"))
                found[place].fill(one)
        return found

    def _noted(self, plain: list[Any]) -> bool:
        """Notes the call, and returns whether it is to be made."""
        pairs = zip(self._signature, plain, strict=True)
        numbers = [one if one is None or isinstance(one, np.ndarray) else _number(ctype, one) for (ctype, _), one in pairs]
        names = [argument for _, argument in self._signature]
        isTraining = "train" in names and numbers[names.index("train")]
        uses = self._uses.replace("t", "w" if isTraining else "x")  # the array keeps its memory in any case
        noted: bool = self._recorder.note(self._symbol, numbers, uses, self._module, self._isOutside)
        return noted


def _number(ctype: str, value: Any) -> Any:
    return float(value) if ctype == "double" else int(value)
