"""The package ``cutorch`` for programs that were written for a GPU. Tensors lie on the CPU: there is no device.

``torch.CudaTensor`` is ``torch.FloatTensor``, also in ``x:cuda()``, ``x:type()`` and ``torch.setdefaulttensortype``, and
``torch.CudaDoubleTensor`` is ``torch.DoubleTensor``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..language.table import Table, fields
from ..tensors.conversions import type_
from ..tensors.tensor import DTYPES, Tensor
from .functions import functions

if TYPE_CHECKING:
    from ..language.state import State

_NOTHING = (
    *("synchronize", "synchronizeAll", "reserveStreams", "setStream", "setDefaultStream", "streamWaitFor", "streamBarrier"),
    *("streamSynchronize", "streamWaitForMultiDevice", "streamBarrierMultiDevice", "reserveBlasHandles", "setBlasHandle"),
    *("setHeapTracking", "setPeerToPeerAccess", "setKernelPeerToPeerAccess", "shutdown"),
)
"""Functions without an effect: there are no streams, and all has been computed when a function returns."""
_ZERO = ("getDeviceCount", "getStream", "getNumStreams", "getBlasHandle", "getNumBlasHandles")
_FALSE = ("getPeerToPeerAccess", "getKernelPeerToPeerAccess", "isManagedPtr", "hasHalfInstructions", "hasFastHalfInstructions")
_PROPERTIES = dict.fromkeys(("major", "minor", "totalGlobalMem", "freeGlobalMem", "multiProcessorCount"), 0.0)


def _always(value: Any) -> Any:
    return "*any", lambda *_: value


_FUNCTIONS: dict[str, Any] = {
    **dict.fromkeys(_NOTHING, _always(())),
    **dict.fromkeys(_ZERO, _always(0.0)),
    **dict.fromkeys(_FALSE, _always(False)),
    "getDevice": _always(1.0),
    "setDevice": ("number", lambda _: ()),
    "withDevice": ("number function *any", lambda _, function, *given: function(*given)),
    "getMemoryUsage": _always((0.0, 0.0)),
    "getDeviceProperties": ("*any", lambda *_: fields(name="CPU", **_PROPERTIES)),
}


def _seeds() -> dict[str, Any]:
    """Returns the functions of seeds. A GPU had a generator of its own, so that torch's goes on as it did in the original."""
    last = 0.0

    def manualSeed(seed: float) -> tuple[()]:
        nonlocal last
        last = seed
        return ()

    setting, reading = ("number", manualSeed), ("*any", lambda *_: last)
    return {
        **dict.fromkeys(("manualSeed", "manualSeedAll"), setting),
        **dict.fromkeys(("initialSeed", "seed", "seedAll"), reading),
    }


def _add_types(state: State, torch: Table) -> None:
    """The names of CUDA's classes are further names of those of the CPU."""
    types = state.types
    methods: dict[str, Any] = {"cuda": ("any", lambda x: type_(x, "torch.FloatTensor")), "getDevice": _always(0.0)}
    for word in DTYPES:
        own = "Cuda" if word == "Float" else f"Cuda{word}"
        for end in ("Tensor", "Storage"):
            types.names[f"torch.{own}{end}"] = types.names[f"torch.{word}{end}"]
            types.registry.__dict__[f"torch.{own}{end}"] = types.registry.__dict__[f"torch.{word}{end}"]
            torch.__dict__[f"{own}{end}"] = torch.__dict__[f"{word}{end}"]
        if word != "Float":
            methods[f"cuda{word}"] = "any", lambda x, name=f"torch.{word}Tensor": type_(x, name)
    made = functions(methods)
    for kind in types.names.values():
        if issubclass(kind, Tensor):
            types.metatable(kind.name).__dict__.update(made)


def library(state: State) -> Table:
    """Returns the package's table."""
    torch = state.require("torch")
    _add_types(state, torch)
    made = functions({**_FUNCTIONS, **_seeds()})
    made |= {name: torch.__dict__[name] for name in ("getRNGState", "setRNGState")}
    made |= dict.fromkeys(("createCudaHostTensor", "createCudaHostFloatTensor"), torch.__dict__["FloatTensor"])
    made["createCudaHostDoubleTensor"] = torch.__dict__["DoubleTensor"]
    return fields(**made, hasHalf=False, driverVersion=0.0, runtimeVersion=0.0)
