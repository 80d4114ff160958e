"""Calls the layer functions of libTHNN on NumPy arrays, and those of libTHCUNN on CuPy arrays.

`call(module, "SpatialMaxPooling_updateOutput", input, output, ...)` takes the arguments in the header's order, without
the state. A module keeps a prepared call for each name (`prepared.py`), and in it a descriptor for each tensor argument.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Tensor, address, cupy, is_writable, on_device, on_host
from ..arrays.device import Recorded, recorder, recorders
from ..errors import DeviceError, DtypeError, ShapeError, UnsupportedError
from ..messages import mismatch
from . import cuda
from .header import Function
from .library import SIGNATURES, USES, check, ffi, lib
from .prepared import NULL, Bindings, PreparedCall, Slots

MAX_DIMS = 8
READONLY = 1
REALS = {np.dtype(np.float32): "Float", np.dtype(np.float64): "Double"}
DTYPES: dict[str, np.dtype[Any]] = {
    "THFloatTensor *": np.dtype(np.float32),
    "THDoubleTensor *": np.dtype(np.float64),
    "THLongTensor *": np.dtype(np.int64),
    "THByteTensor *": np.dtype(np.uint8),
}


UNFILLED: Any = object()
"""The array of a descriptor that was never filled. An absent argument, None, fills a descriptor."""


class _HeaderSnapshot:
    """Reads the header of an array by its attributes: ``raw`` is its current value, to be compared with a saved one."""

    __slots__ = ("array", "look")

    def __init__(self, look: Callable[[Any], Any], array: Any) -> None:
        self.look = look
        self.array = array

    @property
    def raw(self) -> Any:
        return self.look(self.array)


_NULL_ARGUMENT = _HeaderSnapshot(lambda array: None, None)
"""Stands for an omitted optional array."""


def _place(array: Any) -> Any:
    return address(array), is_writable(array), array.dtype, on_device(array) and cupy().cuda.runtime.getDevice()


def _extent(array: Any) -> Any:
    return array.shape, array.strides


# CPython's NumPy keeps these in a struct that its ABI fixes (PyArrayObject): data, nd, dimensions, strides, base, descr, flags.
# Sizes and strides follow each other, as a rule. To compare bytes takes no longer than `array.shape`.
_HEAD = struct.Struct("PiPPPPi")
_AT = object.__basicsize__
_WRITEABLE = 0x400
_Head = ctypes.c_char * _HEAD.size
_SIZES = [ctypes.c_char * (16 * n) for n in range(MAX_DIMS + 1)]


def _knows_layout() -> bool:
    """Returns True if the array struct has the expected layout.

    Otherwise, as under another Python, arrays are read by attribute.
    """
    if sys.implementation.name != "cpython" or struct.calcsize("P") != 8:
        return False
    array = np.zeros((3, 5), np.float32)[:, 1:3]
    data, n, sizes, strides, base, dtype, flags = _HEAD.unpack(_Head.from_address(id(array) + _AT).raw)
    isRight = (data, n, strides, base) == (address(array), 2, sizes + 16, id(array.base)) and dtype == id(array.dtype)
    return isRight and _SIZES[2].from_address(sizes).raw == struct.pack("4q", 3, 2, 20, 4) and bool(flags & _WRITEABLE)


def data_address(array: Any, knows_layout: bool = _knows_layout()) -> int:
    """Returns the address of the first element of an array of NumPy."""
    return ctypes.c_size_t.from_address(id(array) + _AT).value if knows_layout else address(array)


class TensorDescriptor:
    """The descriptor of one tensor argument, and the array that it describes.

    ``head.raw`` and ``sizes.raw`` tell where the array's elements lie now, and ``seen`` and ``sized`` what they told when the
    descriptor was filled. ``value`` is the descriptor, or NULL if there is no array.
    """

    __slots__ = (
        "address", "argument", "array", "descriptor", "dtype", "function", "head", "seen", "sized", "sizes", "value", "writes",
    )  # fmt: skip

    def __init__(self, function: str, argument: str, ctype: str) -> None:
        self.function = function
        self.argument = argument
        self.writes = not ctype.startswith("const ")
        ctype = ctype.removeprefix("const ")
        self.dtype = DTYPES[ctype]
        self.descriptor = ffi.new(ctype)
        self.address = ffi.cast("uintptr_t *", self.descriptor)  # the address of `data`, the first field
        self.array: Any = UNFILLED
        self.value: Any = None
        self.head: Any = None
        self.sizes: Any = None
        self.seen: Any = None
        self.sized: Any = None

    def fill(self, array: Any) -> None:
        """Describe another array, a changed one, or None. It stays referenced, so that its memory outlives the pointer."""
        if array is None:
            self.array, self.value = None, NULL
            self.head = self.sizes = _NULL_ARGUMENT
            self.seen = self.sized = None
        else:
            self._check(array)
            self._take(array)

    def release(self) -> None:
        """Drops the references to the array. The description of its sizes remains."""
        self.array, self.head, self.sizes = UNFILLED, None, None

    def _check(self, array: Any) -> None:
        isArray = type(array) is np.ndarray or on_host(array)
        if isinstance(array, Recorded):
            what = f"runs {self.function} in another thread, or holds it in no field"
            raise array.recorder.refuse(what)  # type: ignore[attr-defined]
        if not isArray or (array.dtype is not self.dtype and array.dtype != self.dtype):
            raise DtypeError(mismatch(self.where, array, self.dtype))

    def _take(self, array: Any, knows_layout: bool = _knows_layout()) -> None:
        self.array = UNFILLED  # until all is well
        head: Any
        sizes: Any
        if knows_layout:
            head = _Head.from_address(id(array) + _AT)
            seen = head.raw
            data, n, place, strides, _, _, flags = _HEAD.unpack(seen)
            knows_layout = strides == place + 8 * n  # but for views that lost dimensions by squeeze()
        if knows_layout:
            sizes = _SIZES[min(n, MAX_DIMS)].from_address(place)
            sized, isWritable = sizes.raw, flags & _WRITEABLE
            if sized != self.sized:
                extent = struct.unpack(f"{len(sized) // 8}q", sized)
                self._describe(n, extent[:n], extent[n:])
        else:
            head, sizes = _HeaderSnapshot(_place, array), _HeaderSnapshot(_extent, array)
            seen, sized = head.raw, sizes.raw
            data, isWritable, *_ = seen
            if sized != self.sized:
                self._describe(array.ndim, *sized)
        self.descriptor.flags = 0 if isWritable else READONLY
        self.address[0] = data
        self.head, self.seen, self.sizes, self.sized, self.array, self.value = head, seen, sizes, sized, array, self.descriptor

    def _describe(self, n: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        itemsize = self.dtype.itemsize
        self.sized = None
        if n == 0:  # to C this is the empty tensor
            n, shape, strides = 1, (1,), (itemsize,)
        if n > MAX_DIMS:
            raise ShapeError(f"{self.where}: expected at most {MAX_DIMS} dimensions, got {n}")
        if any(stride % itemsize for stride in strides):
            raise ShapeError(
                f"{self.where}: expected strides of whole elements ({itemsize} bytes), got {strides} bytes; "
                "pass np.ascontiguousarray(...)"
            )
        descriptor = self.descriptor
        descriptor.nDimension = n
        for d in range(n):
            descriptor.size[d] = shape[d]
            descriptor.stride[d] = strides[d] // itemsize

    @property
    def where(self) -> str:
        return f"{self.function}: {self.argument}"


class DeviceTensorDescriptor(TensorDescriptor):
    """The same for an array of CuPy, on the current device."""

    __slots__ = ()

    def __init__(self, function: str, argument: str, ctype: str) -> None:
        super().__init__(function, argument, ctype.replace("Half", "Byte"))  # a descriptor's layout is the same for all types
        if "Half" in ctype:
            self.dtype = np.dtype(np.float16)

    def _check(self, array: Any) -> None:
        if not on_device(array) or array.dtype != self.dtype:
            raise DtypeError(mismatch(self.where, array, self.dtype, True))
        place, current = array.data.device_id, cupy().cuda.runtime.getDevice()
        if place != current:
            raise DeviceError(f"{self.where}: expected an array on the current device, {current}, got one on device {place}")

    def _take(self, array: Any, knows_layout: bool = False) -> None:
        super()._take(array, knows_layout)


owners: dict[str, Any] = {}
"""The loaders of functions from outside of the library, by the function's name (extension/loader.py)."""

versions: dict[tuple[str, str], Any] = {}
"""The owner of each version of a function that was loaded, by the function's name and the digest of its file."""

_LOAD = "pl.extension.load(...) of its file comes first"

on_signatures_changed: list[Callable[[], None]] = []
"""Functions that are called when signatures have been added; each of them drops what it had derived from the old ones."""


def register(owner: Any, functions: dict[str, Function]) -> None:
    """Lets functions from outside of the library be called by their names; `owner` gives them for each element type."""
    for name, function in functions.items():
        pairs = tuple((argument.type, argument.name) for argument in function.arguments)
        SIGNATURES[name] = pairs  # type: ignore[index,unused-ignore]
        USES[name] = function.uses  # type: ignore[index,unused-ignore]
        owners[name] = versions[name, owner.digest] = owner
    for update in on_signatures_changed:
        update()


def in_program(real: str, name: str) -> str:
    """Registers the loaded version of a function from outside of the library for programs, and returns its name there.

    The name is ``FloatMyLayer_updateOutput_`` and the digest of its file, so that a program never runs another version.
    """
    owner = owners[name]
    symbol = f"{real}{name}_{owner.digest}"
    _register(owner, real, name, symbol)
    return symbol


def require(symbol: str) -> None:
    """Registers the function that `in_program` called so, perhaps in another process.

    Raises
    ------
    UnsupportedError
        If that version of its file has not been loaded.
    """
    real, name, digest = _parts(symbol)
    if owner := versions.get((name, digest)):
        _register(owner, real, name, symbol)
        return
    if name in owners:
        what = f"another version of {name} than {owners[name].path}, which is loaded; load the file that it was compiled with"
        raise UnsupportedError(f"program: it calls {what}, or compile the network again")
    raise UnsupportedError(f"program: it calls {name}, which is not loaded; {_LOAD}")


def function_name(symbol: str) -> str:
    """Returns the name without precision and digest, such as "MyLayer_updateOutput"."""
    return _parts(symbol)[1]


def _parts(symbol: str) -> tuple[str, str, str]:
    real = "Float" if symbol.startswith("Float") else "Double"
    name, _, digest = symbol.removeprefix(real).rpartition("_")
    return real, name, digest


_registered: set[str] = set()


def _register(owner: Any, real: str, name: str, symbol: str) -> None:
    if symbol not in _registered:
        owner.register(real, name, symbol)
        _registered.add(symbol)


def _bind(module: Any, name: str) -> PreparedCall:
    """Prepares the call of the C function `name` for this module."""
    if name not in SIGNATURES:
        raise UnsupportedError(f"{_where(module, name)}: there is no C function {name}; {_LOAD}")
    calls = Bindings.of(module).calls
    if recorders and (active := recorder()) is not None:
        calls[name] = PreparedCall(_stateless(active.native(module, name)), tuple, check, "")
        return calls[name]
    device = getattr(module, "_onDevice", False)
    real = "Half" if device and module._dtype == np.float16 else REALS.get(module._dtype)
    where = _where(module, name)
    if real is None:
        cure = "use .float() or .double()" + (", or on a GPU .cuda().half()" if module._dtype == np.float16 else "")
        raise DtypeError(f"{where}: expected a module of float32 or float64, got {module._dtype}; {cure}")
    arguments = [(argument, ctype) for ctype, argument in SIGNATURES[name] if argument != "state"]
    tensors = [
        (place, argument, ctype.replace("THTensor", f"TH{real}Tensor"))
        for place, (argument, ctype) in enumerate(arguments, 1)
        if "Tensor" in ctype
    ]

    def make() -> Slots:
        slot = DeviceTensorDescriptor if device else TensorDescriptor
        return tuple((place, slot(where, argument, ctype)) for place, argument, ctype in tensors)

    owner = owners.get(name)
    if device:
        function, report = owner.on_device(real, name) if owner else cuda.on_device(real, name)
        if function is None:
            raise UnsupportedError(f"{where}: has no CUDA kernel; use .float() or .double()")
    elif owner:
        function, report = owner.on_host(real, name)
    elif emulated := cuda.emulated(real, name):
        function, report = emulated, cuda.check
    else:
        function, report = getattr(lib, f"THNN_{real}{name}"), check
    if len(arguments) == len(SIGNATURES[name]):
        function = _stateless(function)
    calls[name] = PreparedCall(function, make, report, where)
    return calls[name]


def _stateless(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes no state, to be called as one that does."""
    return lambda state, *arguments: function(*arguments)


def _where(module: Any, name: str) -> str:
    """Returns the name of the call in error messages: that of the module's class, because users do not know the functions behind
    it.
    """
    own = str(getattr(module, "_typename", f"nn.{name}"))
    return f"{own}.{name}" if own == "random" else own


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
        prepared = module._bindings.calls[name]
    except (AttributeError, KeyError):
        prepared = _bind(module, name)
    try:
        prepared.run([NULL, *arguments])
    except DtypeError:
        raise
    except (TypeError, OverflowError) as error:
        raise _refused(module, name, arguments, error) from None


def output_size(module: Any, name: str, input: Tensor, *arguments: Any) -> tuple[int, ...]:
    """Shape of the output for an input: calls the C function `name` ("SpatialMaxPooling_outputSize")."""
    size = ffi.new("int64_t[8]")
    call(module, name, input, *arguments, size)
    return tuple(size[0 : input.ndim])


def call_random(name: str, argument: str, array: Tensor) -> None:
    """Call the C function `name` of the random generator on an array of int64 or uint8."""
    if active := recorder():
        raise active.refuse("draws from the random generator, which a program does not")
    ctype = next(ctype for ctype, dtype in DTYPES.items() if dtype == array.dtype)
    slot = TensorDescriptor(f"random.{name}", argument, ctype)
    slot.fill(array)
    check(getattr(lib, f"THNN_{name}")(ffi.NULL, slot.descriptor), slot.function)
