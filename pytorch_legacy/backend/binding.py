"""Calls the layer functions of libTHNN on NumPy arrays.

`call(module, "SpatialMaxPooling_updateOutput", input, output, ...)` takes the arguments in the header's order, without
the state. A module keeps one `Function` for each name it has called, and in it a descriptor for each tensor argument,
which is filled again only when another array comes or its shape has changed. That keeps the cost of a call near one
microsecond.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DtypeError, ShapeError
from ._signatures import SIGNATURES  # type: ignore[import-not-found,unused-ignore]
from .library import check, ffi, lib

MAX_DIMS = 8
READONLY = 1
REALS = {np.dtype(np.float32): "Float", np.dtype(np.float64): "Double"}
DTYPES: dict[str, np.dtype[Any]] = {
    "THFloatTensor *": np.dtype(np.float32),
    "THDoubleTensor *": np.dtype(np.float64),
    "THLongTensor *": np.dtype(np.int64),
    "THByteTensor *": np.dtype(np.uint8),
}
CTYPES = {"float32": "float[]", "float64": "double[]", "int64": "int64_t[]", "uint8": "uint8_t[]"}


class Slot:
    """The descriptor of one tensor argument, and the array that it describes."""

    __slots__ = ("argument", "array", "ctype", "descriptor", "dtype", "function", "shape", "strides")

    def __init__(self, function: str, argument: str, ctype: str) -> None:
        self.function = function
        self.argument = argument
        self.dtype = DTYPES[ctype]
        self.ctype = CTYPES[self.dtype.name]
        self.descriptor = ffi.new(ctype)
        self.array: Any = None
        self.shape: tuple[int, ...] | None = None
        self.strides: tuple[int, ...] | None = None

    def fill(self, array: Any) -> None:
        """Describe another array. It stays referenced, so that its memory outlives the descriptor's pointer."""
        if type(array) is not np.ndarray and not isinstance(array, np.ndarray):
            raise DtypeError(f"{self.where}: expected a NumPy array of {self.dtype}, got {type(array).__name__}")
        if array.dtype != self.dtype:
            raise DtypeError(
                f"{self.where}: expected {self.dtype}, got {array.dtype}; convert the array, or the module with "
                ".float() or .double()"
            )
        shape, strides, descriptor = array.shape, array.strides, self.descriptor
        self.array = None  # until all is well
        if shape != self.shape or strides != self.strides:
            self._describe(shape, strides)
        flags = array.flags
        descriptor.flags = 0 if flags.writeable else READONLY
        if flags.c_contiguous:
            descriptor.data = ffi.from_buffer(self.ctype, array)
        else:
            descriptor.data = ffi.cast(self.ctype[:-2] + " *", array.__array_interface__["data"][0])
        self.array = array

    def _describe(self, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        n, itemsize = len(shape), self.dtype.itemsize
        if n > MAX_DIMS:
            raise ShapeError(f"{self.where}: expected at most {MAX_DIMS} dimensions, got {n}")
        if any(stride % itemsize for stride in strides):
            raise ShapeError(
                f"{self.where}: expected strides of whole elements ({itemsize} bytes), got {strides} bytes; "
                "pass np.ascontiguousarray(...)"
            )
        descriptor = self.descriptor
        self.shape = None
        descriptor.nDimension = n
        for d in range(n):
            descriptor.size[d] = shape[d]
            descriptor.stride[d] = strides[d] // itemsize
        self.shape, self.strides = shape, strides

    @property
    def where(self) -> str:
        return f"{self.function}: {self.argument}"


Frame = tuple[list[tuple[Slot, int, int]], list[tuple[int, int]], list[Any]]


class Function:
    """One C function as one module calls it; errors name it by the module: "nn.ReLU_updateOutput"."""

    __slots__ = ("_cfunction", "_frame", "_name", "_parameters", "_real", "_state")

    def __init__(self, name: str, real: str, typename: str) -> None:
        self._name = typename + name[name.index("_") :] if "_" in name else f"nn.{name}"
        self._real = real
        self._cfunction = getattr(lib, f"THNN_{real}{name}")
        parameters = SIGNATURES[name]
        self._state = [ffi.NULL] if parameters[0][1] == "state" else []  # NULL: the process-wide state
        self._parameters = parameters[len(self._state) :]
        self._frame: Frame | None = self._make()

    def _make(self) -> Frame:
        """Descriptors, positions of numbers, and the C call's argument list, for one call at a time."""
        slots, scalars = [], []
        values: list[Any] = self._state + [ffi.NULL] * len(self._parameters)
        first = len(self._state)
        for position, (ctype, argument) in enumerate(self._parameters):
            if "Tensor" in ctype:
                concrete = ctype.removeprefix("const ").replace("THTensor", f"TH{self._real}Tensor")
                slots.append((Slot(self._name, argument, concrete), position, first + position))
            else:
                scalars.append((position, first + position))
        return slots, scalars, values

    def __call__(self, *arguments: Any) -> None:
        # Two threads may run one module: the second then works with descriptors of its own.
        frame, self._frame = self._frame, None
        if frame is None:
            frame = self._make()
        slots, scalars, values = frame
        try:
            for slot, position, to in slots:
                array = arguments[position]
                if array is None:
                    slot.array = None
                    values[to] = ffi.NULL
                    continue
                if array is not slot.array or array.shape != slot.shape:
                    slot.fill(array)
                values[to] = slot.descriptor
            for position, to in scalars:
                values[to] = arguments[position]
            try:
                status = self._cfunction(*values)
            except (TypeError, OverflowError) as error:
                raise self._bad_scalar(arguments, error) from None
            if status:
                check(status, self._name)
        finally:
            self._frame = frame

    def _bad_scalar(self, arguments: tuple[Any, ...], error: Exception) -> DtypeError:
        """cffi refused a number: say which."""
        for (ctype, argument), value in zip(self._parameters, arguments, strict=False):
            if "*" in ctype:
                continue
            try:
                ffi.new(ctype + "[1]", [value])
            except (TypeError, OverflowError):
                kind = "a number" if ctype == "double" else f"an integer ({ctype.removesuffix('_t')})"
                return DtypeError(f"{self._name}: {argument}: expected {kind}, got {value!r}")
        return DtypeError(f"{self._name}: {error}")


def _bind(module: Any, name: str) -> Function:
    dtype = module._dtype
    real = REALS.get(dtype)
    if real is None:
        raise DtypeError(f"nn.{name}: expected a module of float32 or float64, got {dtype}; call .float() or .double() on it")
    function = Function(name, real, getattr(module, "_typename", "nn"))
    module.__dict__.setdefault("_bindings", {})[name] = function
    return function


def call(module: Any, name: str, *arguments: Any) -> None:
    """Call the C function `name` with the module's element type.

    Parameters
    ----------
    module : Module or Criterion
        Whose `_dtype` chooses the function, and which keeps the binding.
    name : str
        Name without prefix, as in "Linear_updateOutput".
    *arguments
        As in THNN.h, without the state: arrays, None for an optional tensor, numbers.

    Raises
    ------
    THNNError
        The library's own message, or what is wrong with an array before it gets there.
    """
    try:
        function = module._bindings[name]
    except (AttributeError, KeyError):
        function = _bind(module, name)
    function(*arguments)


def output_size(module: Any, name: str, *arguments: Any) -> tuple[int, ...]:
    """Shape of the output: calls the C function `name` ("SpatialMaxPooling_outputSize").

    The last answer is kept: as long as shapes and numbers are the same, no call is made.
    """
    key = tuple([a.shape if isinstance(a, np.ndarray) else a for a in arguments])
    kept = module.__dict__.setdefault("_bindings", {}).get("outputSize")
    if kept is not None and kept[0] == key:
        return kept[1]
    size = ffi.new("int64_t[8]")
    call(module, name, *arguments, size)
    shape = tuple(size[0 : arguments[0].ndim])
    module._bindings["outputSize"] = (key, shape)
    return shape
