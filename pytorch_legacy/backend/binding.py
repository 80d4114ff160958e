"""Calls the layer functions of libTHNN on NumPy arrays, and those of libTHCUNN on CuPy arrays.

`call(module, "SpatialMaxPooling_updateOutput", input, output, ...)` takes the arguments in the header's order, without
the state. A module keeps a binding for each name it has called, and in it a descriptor for each tensor argument, which
is filled again only when another array comes or its shape has changed. That keeps the cost of a call near one
microsecond.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..arrays import cupy, misplaced, on_device, on_host
from ..errors import DeviceError, DtypeError, ShapeError, UnsupportedError
from ..storage import Tensor
from . import cuda
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
        if not on_host(array):
            raise DtypeError(misplaced(self.where, array, self.dtype, False))
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


class DeviceSlot(Slot):
    """The same for an array of CuPy, on the current device."""

    __slots__ = ()

    def __init__(self, function: str, argument: str, ctype: str) -> None:
        super().__init__(function, argument, ctype.replace("Half", "Byte"))  # a descriptor's layout is the same for all types
        if "Half" in ctype:
            self.dtype = np.dtype(np.float16)

    def fill(self, array: Any) -> None:
        if not on_device(array):
            raise DtypeError(misplaced(self.where, array, self.dtype, True))
        if array.dtype != self.dtype:
            raise DtypeError(
                f"{self.where}: expected {self.dtype}, got {array.dtype}; convert the array, or the module with "
                '.cuda() or .type("torch.CudaDoubleTensor")'
            )
        place, current = array.data.device_id, cupy().cuda.runtime.getDevice()
        if place != current:
            raise DeviceError(f"{self.where}: expected an array on the current device, {current}, got one on device {place}")
        shape, strides, descriptor = array.shape, array.strides, self.descriptor
        self.array = None
        if shape != self.shape or strides != self.strides:
            self._describe(shape, strides)
        descriptor.flags = 0
        descriptor.data = ffi.cast(self.ctype[:-2] + " *", array.data.ptr)
        self.array = array


# A call is written out for the arguments of its C function, as dataclasses write their methods: a loop over them would
# cost as much as the call itself.
CALL = """
def bind(cfunction, make, check, where, NULL):
    slots = None
    def call({arguments}):
        nonlocal slots
        mine, slots = slots or make(), None
        {unpacked} = mine
        try:{tensors}
            status = cfunction({values})
        finally:
            slots = mine
        if status: check(status, where)
    return call
"""
TENSOR = """
            if {name} is None: {name}_ = NULL
            else:
                if {name} is not {slot}.array or {name}.shape != {slot}.shape: {slot}.fill({name})
                {name}_ = {slot}.descriptor"""


@cache
def _binder(name: str) -> Any:
    """The function `bind` of CALL for the C function `name`."""
    arguments = [argument for _, argument in SIGNATURES[name] if argument != "state"]
    tensors = [argument for ctype, argument in SIGNATURES[name] if "Tensor" in ctype]
    values = {"state": "NULL"} | {argument: f"{argument}_" for argument in tensors}  # NULL: the process-wide state
    source = CALL.format(
        arguments=", ".join(arguments),
        unpacked="".join(f"slot{i}, " for i in range(len(tensors))),
        tensors="".join(TENSOR.format(name=argument, slot=f"slot{i}") for i, argument in enumerate(tensors)),
        values=", ".join(values.get(argument, argument) for _, argument in SIGNATURES[name]),
    )
    scope: dict[str, Any] = {}
    exec(source, scope)
    return scope["bind"]


def _bind(module: Any, name: str) -> Any:
    """A function that calls the C function `name` for this module."""
    device = getattr(module, "_onDevice", False)
    real = "Half" if device and module._dtype == np.float16 else REALS.get(module._dtype)
    where = _where(module, name)
    if real is None:
        cure = "use .float() or .double()" + (", or on a GPU .cuda().half()" if module._dtype == np.float16 else "")
        raise DtypeError(f"{where}: expected a module of float32 or float64, got {module._dtype}; {cure}")
    types = {argument: ctype.removeprefix("const ") for ctype, argument in SIGNATURES[name] if "Tensor" in ctype}

    def make() -> tuple[Slot, ...]:
        """Descriptors for one call at a time: if two threads run one module, the second gets its own."""
        slot = DeviceSlot if device else Slot
        return tuple(slot(where, argument, ctype.replace("THTensor", f"TH{real}Tensor")) for argument, ctype in types.items())

    if device:
        function, report = cuda.on_device(real, name)
        if function is None:
            raise UnsupportedError(f"{where}: has no CUDA kernel; use .float() or .double()")
    elif emulated := cuda.emulated(real, name):
        function, report = emulated, cuda.check
    else:
        function, report = getattr(lib, f"THNN_{real}{name}"), check
    bound = _binder(name)(function, make, report, where, ffi.NULL)
    module.__dict__.setdefault("_bindings", {})[name] = bound
    return bound


def _where(module: Any, name: str) -> str:
    """How errors name the function: by the module's class, which may use another layer's function."""
    own = getattr(module, "_typename", "nn")
    return own + name[name.index("_") :] if "_" in name else f"{own}.{name}"


def _refused(module: Any, name: str, arguments: tuple[Any, ...], error: Exception) -> DtypeError:
    """cffi refused a number: say which."""
    where = _where(module, name)
    parameters = [parameter for parameter in SIGNATURES[name] if parameter[1] != "state"]
    for (ctype, argument), value in zip(parameters, arguments, strict=False):
        if "*" not in ctype:
            try:
                ffi.new(ctype + "[1]", [value])
            except (TypeError, OverflowError):
                kind = "a number" if ctype == "double" else f"an integer ({ctype.removesuffix('_t')})"
                return DtypeError(f"{where}: {argument}: expected {kind}, got {value!r}")
    return DtypeError(f"{where}: {error}")


def call(module: Any, name: str, *arguments: Any) -> None:
    """Call the C function `name` with the module's element type.

    Parameters
    ----------
    module : Module or Criterion
        Whose `_dtype` chooses the function, and which keeps the binding.
    name : str
        Name without prefix, as in "Linear_updateOutput".
    *arguments
        As in THNN.h, without the state: arrays, None for an optional tensor, numbers. The arrays of a module on a
        device are CuPy's, and the work is queued on CuPy's current stream.

    Raises
    ------
    THNNError
        The library's own message, or what is wrong with an array before it gets there.
    """
    try:
        bound = module._bindings[name]
    except (AttributeError, KeyError):
        bound = _bind(module, name)
    try:
        bound(*arguments)
    except DtypeError:
        raise
    except (TypeError, OverflowError) as error:
        raise _refused(module, name, arguments, error) from None


def output_size(module: Any, name: str, input: Tensor, *arguments: Any) -> tuple[int, ...]:
    """Shape of the output for an input: calls the C function `name` ("SpatialMaxPooling_outputSize").

    The last answer is kept: as long as the input's shape and the arguments are the same, no call is made.
    """
    try:
        shape, same, answer = module._bindings["outputSize"]
        if shape == input.shape and same == arguments:
            return answer
    except (AttributeError, KeyError, ValueError):
        pass  # the first time, or another weight than before
    size = ffi.new("int64_t[8]")
    call(module, name, input, *arguments, size)
    answer = tuple(size[0 : input.ndim])
    module._bindings["outputSize"] = (input.shape, arguments, answer)
    return answer


def call_random(name: str, argument: str, array: Tensor) -> None:
    """Call the C function `name` of the random generator on an array of int64 or uint8."""
    ctype = next(ctype for ctype, dtype in DTYPES.items() if dtype == array.dtype)
    slot = Slot(f"random.{name}", argument, ctype)
    slot.fill(array)
    check(getattr(lib, f"THNN_{name}")(ffi.NULL, slot.descriptor), slot.function)
