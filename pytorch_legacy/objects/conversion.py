"""Conversion of objects to other types of tensors, on the host and on a device."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from pytorch_legacy import backend
from pytorch_legacy.arguments import as_doubles
from pytorch_legacy.arrays import (
    ALL_TYPES,
    CUDA_TYPES,
    Tensor,
    cupy,
    is_tensor,
    map_storage,
    on_device,
    to_device,
    tree,
    type_name,
)
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import BUFFERS
from pytorch_legacy.objects.copies import Copied


class Converted(Copied):
    """Fields whose arrays can be converted to another type, or moved to a device.

    Attributes
    ----------
    _exact : dict
        Constants that were given in double precision, byte by byte, under the names of the fields that have them rounded.
    """

    _everyday: ClassVar[tuple[str, ...]] = ("cuda", "double", "float", "type")
    _exact: dict[str, bytes] = {}

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Converts the floating-point arrays in all fields, objects inside included, and returns self.

        `type` is "torch.FloatTensor", "torch.DoubleTensor" or a dtype of NumPy; "torch.CudaTensor", "torch.CudaDoubleTensor" and
        "torch.CudaHalfTensor" move all arrays to the current CUDA device, and a DeviceError says if there is none. Without a type
        the method returns the name of the present one. Integer arrays (indices, masks) keep their dtype. Arrays that share a
        storage share the converted one; a dictionary `tensorCache` for several calls keeps sharing between their objects.
        """
        if type is None:
            return self._type
        name = self._checkedType(type)
        cache: dict[Any, Any] = {} if tensorCache is None else tensorCache
        waiting = [self] if id(self) not in cache else []

        def later(inner: Converted) -> Converted:
            """Objects inside wait for their turn, or containers in containers would call each other; but for other methods."""
            if inner.__class__.type is not Converted.type or "type" in inner.__dict__:
                return inner.type(name, cache) or inner
            if id(inner) not in cache:
                cache[id(inner)] = inner
                waiting.append(inner)
            return inner

        cache[id(self)] = self
        while waiting:
            thing = waiting.pop()
            fields, exact = thing._ownFields(), thing._unchanged()
            for key, value in fields.items():
                fields[key] = converted(value, name, cache, floatsOnly=True, alone=key in BUFFERS, each=later)
            for key, constant in exact.items():
                if (new := fields[key]) is not thing.__dict__[key]:
                    new[...] = to_device(constant, on_device(new), new.dtype)
            thing.__dict__ = fields
            thing._take(name)
        return self

    def float(self, tensorCache: dict[Any, Any] | None = None) -> Self:
        """Converts to single precision, on the host, and returns self."""
        self.type("torch.FloatTensor", tensorCache)
        return self

    def double(self, tensorCache: dict[Any, Any] | None = None) -> Self:
        """Converts to double precision, on the host, and returns self."""
        self.type("torch.DoubleTensor", tensorCache)
        return self

    def cuda(self, tensorCache: dict[Any, Any] | None = None) -> Self:
        """Moves to the current CUDA device, in single precision, and returns self.

        Arrays become CuPy's: parameters and buffers, and from then on outputs. ``float()`` brings all back.
        """
        self.type("torch.CudaTensor", tensorCache)
        return self

    def half(self, tensorCache: dict[Any, Any] | None = None) -> Self:
        """Converts to half precision where it is, and returns self. Layers compute in it on a CUDA device only."""
        self.type("torch.CudaHalfTensor" if self._onDevice else "torch.HalfTensor", tensorCache)
        return self

    def _take(self, name: str) -> None:
        """Notes the tensor type that the object now has."""
        self._dtype = ALL_TYPES[name]
        self._array = cupy().ndarray if name in CUDA_TYPES else np.ndarray

    def _checkedType(self, wanted: Any) -> str:
        name = wanted if isinstance(wanted, str) and wanted.startswith("torch.") else type_name(wanted)
        known = ALL_TYPES.get(name)
        if known is None or known.kind != "f":
            names = '"torch.FloatTensor", "torch.DoubleTensor" or "torch.CudaTensor"'
            raise ValueRangeError(f"{self._typename}: type: expected {names}, got {wanted!r}")
        if name in CUDA_TYPES:
            backend.require(f"{self._typename}: {name}")
        return name

    def _constant(self, name: str, value: Any) -> Tensor:
        """Numbers, a constant of the layer's user, as an array for field `name` in the object's element type.

        Digits that are lost in it are remembered: the field has them when the object is converted to double precision.
        """
        exact = as_doubles(self, name, value)
        constant = exact.astype(self._dtype)
        if (constant != exact).any():
            self._exact = self._exact | {name: exact.tobytes()}
        return constant

    def _unchanged(self) -> dict[str, Tensor]:
        """The constants in double precision of those fields that still hold them, rounded."""
        found = {}
        for name, digits in self._exact.items():
            field = self.__dict__.get(name)
            if is_tensor(field) and 8 * field.size == len(digits):
                exact = np.frombuffer(digits).reshape(field.shape)
                if np.array_equal(to_device(field, False), exact.astype(field.dtype), equal_nan=True):
                    found[name] = exact
        return found


def converted(
    value: Any,
    name: str,
    cache: dict[Any, Any],
    floatsOnly: bool = False,
    alone: bool = False,
    unconverted: tuple[type, ...] = (),
    each: Callable[[Converted], Any] | None = None,
) -> Any:
    """`value` with its arrays converted to the tensor type `name`; objects in it convert themselves, or go to `each`.

    Objects of the classes `unconverted` are left as they are.
    """
    convert_thing = each or (lambda thing: thing.type(name, cache))
    dtype, device = ALL_TYPES[name], name in CUDA_TYPES

    def convert(leaf: Any) -> Any:
        if is_tensor(leaf):
            return convert_array(leaf)
        return convert_thing(leaf) if isinstance(leaf, Converted) and not isinstance(leaf, unconverted) else leaf

    def convert_array(array: Tensor) -> Tensor:
        wanted = array.dtype if floatsOnly and array.dtype.kind != "f" else dtype
        if array.dtype == wanted and on_device(array) == device:
            return array
        with np.errstate(all="ignore"):  # elements of a storage that nobody uses may be anything
            return map_storage(array, lambda vector: to_device(vector, device, wanted), cache, alone)

    return tree.map(convert, value, cache)
