"""The package ``cutorch`` for programs that were written for a GPU. Tensors lie on the CPU: there is no device.

``torch.CudaTensor`` is ``torch.FloatTensor``, also in ``x:cuda()``, ``x:type()`` and ``torch.setdefaulttensortype``, and
``torch.CudaDoubleTensor`` is ``torch.DoubleTensor``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, number
from ..language.errors import raise_error
from ..language.table import Table, fields
from ..tensors.conversions import type_
from ..tensors.tensor import DTYPES, Tensor

if TYPE_CHECKING:
    from ..language.state import State

_DEVICES = 0.0
_NOTHING = (
    *("synchronize", "synchronizeAll", "reserveStreams", "setStream", "setDefaultStream", "streamWaitFor", "streamBarrier"),
    *("streamSynchronize", "streamWaitForMultiDevice", "streamBarrierMultiDevice", "reserveBlasHandles", "setBlasHandle"),
    *("setHeapTracking", "setPeerToPeerAccess", "setKernelPeerToPeerAccess", "shutdown"),
)
"""Functions without an effect: there are no streams, and all has been computed when a function returns."""


def _nothing(name: str) -> Callable[..., Any]:
    def done(*_: Any) -> tuple[()]:
        return ()

    return done


def getDeviceCount(*_: Any) -> float:
    return _DEVICES


def getDevice(*_: Any) -> float:
    return 1.0


def setDevice(device: Any = MISSING, *_: Any) -> tuple[()]:
    number(device, 1, "setDevice")
    return ()


def withDevice(device: Any = MISSING, function: Any = MISSING, *arguments: Any) -> Any:
    number(device, 1, "withDevice")
    if not callable(function):
        raise_error("bad argument #2 to 'withDevice' (function expected)")
    return function(*arguments)


def getMemoryUsage(*_: Any) -> tuple[float, float]:
    """Returns free and total memory of the device."""
    return 0.0, 0.0


def getDeviceProperties(*_: Any) -> Table:
    return fields(name="CPU", major=0.0, minor=0.0, totalGlobalMem=0.0, freeGlobalMem=0.0, multiProcessorCount=0.0)


def _one(value: Any) -> Callable[..., Any]:
    def given(*_: Any) -> Any:
        return value

    return given


def _seeds() -> dict[str, Any]:
    """Returns the functions of seeds. A GPU had a generator of its own, so that torch's goes on as it did in the original."""
    last = 0.0

    def manualSeed(seed: Any = MISSING, *_: Any) -> tuple[()]:
        nonlocal last
        last = number(seed, 1, "manualSeed")
        return ()

    def initialSeed(*_: Any) -> float:
        return last

    return {
        "manualSeed": manualSeed,
        "manualSeedAll": manualSeed,
        **dict.fromkeys(("initialSeed", "seed", "seedAll"), initialSeed),
    }


def _converter(name: str) -> Callable[..., Any]:
    def converted(x: Any = MISSING, *_: Any) -> Any:
        return type_(x, name)

    return converted


def _add_types(state: State, torch: Table) -> None:
    """The names of CUDA's classes are further names of those of the CPU."""
    types = state.types
    methods: dict[str, Any] = {"cuda": _converter("torch.FloatTensor")}
    for word in DTYPES:
        own = "Cuda" if word == "Float" else f"Cuda{word}"
        for end in ("Tensor", "Storage"):
            types.names[f"torch.{own}{end}"] = types.names[f"torch.{word}{end}"]
            types.registry.__dict__[f"torch.{own}{end}"] = types.registry.__dict__[f"torch.{word}{end}"]
            torch.__dict__[f"{own}{end}"] = torch.__dict__[f"{word}{end}"]
        methods[f"cuda{'' if word == 'Float' else word}"] = _converter(f"torch.{word}Tensor")
    methods["getDevice"] = _one(0.0)
    for kind in types.names.values():
        if issubclass(kind, Tensor):
            types.metatable(kind.name).__dict__.update(methods)


def library(state: State) -> Table:
    """Returns the package's table."""
    torch = state.require("torch")
    _add_types(state, torch)
    made: dict[str, Any] = {name: _nothing(name) for name in _NOTHING}
    made |= _seeds()
    made |= {name: torch.__dict__[name] for name in ("getRNGState", "setRNGState")}
    made |= {"getDeviceCount": getDeviceCount, "getDevice": getDevice, "setDevice": setDevice, "withDevice": withDevice}
    made |= {"getMemoryUsage": getMemoryUsage, "getDeviceProperties": getDeviceProperties}
    made |= {name: _one(0.0) for name in ("getStream", "getNumStreams", "getBlasHandle", "getNumBlasHandles")}
    made |= {name: _one(False) for name in ("getPeerToPeerAccess", "getKernelPeerToPeerAccess", "isManagedPtr")}
    made |= {"hasHalf": False, "hasHalfInstructions": _one(False), "hasFastHalfInstructions": _one(False)}
    made["createCudaHostTensor"] = made["createCudaHostFloatTensor"] = torch.__dict__["FloatTensor"]
    made["createCudaHostDoubleTensor"] = torch.__dict__["DoubleTensor"]
    made |= {"driverVersion": 0.0, "runtimeVersion": 0.0}
    return fields(**made)
