"""The inputs of a network that is compiled: what they may be, and examples of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy.arrays import as_arrays, is_tensor, on_device
from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.errors import ArgumentError, CompileError, DtypeError
from pytorch_legacy.messages import described, mismatch

_DTYPES = {np.dtype(one) for one in (np.float32, np.float64, np.int64, np.uint8)}


class Spec(NamedTuple):
    """The shape and dtype of one input. None in `shape` stands for any size. `example` is an array of that kind, or None."""

    shape: tuple[int | None, ...]
    dtype: np.dtype[Any]
    example: Any = None


def specs(net: Any, example: Any) -> Any:
    """Returns `example`, in which each shape or array is a `Spec`."""
    if isinstance(example, Spec):
        return example
    if isinstance(example, tuple) and all(size is None or _isSize(size) for size in example):
        if not example or any(size is not None and size < 0 for size in example):
            raise ArgumentError(f"pl.compile: example: expected a shape of one or more sizes, got {example}")
        return Spec(tuple(None if size is None else int(size) for size in example), np.dtype(net._inputDtype))
    if is_tensor(example) and not on_device(example):
        if example.dtype not in _DTYPES:
            raise DtypeError(
                f"pl.compile: example: expected an array of {', '.join(sorted(map(str, _DTYPES)))}, got {example.dtype}"
            )
        return Spec(example.shape or (1,), example.dtype, np.array(example).reshape(example.shape or (1,)))
    if isinstance(example, (list, tuple)) and example:
        return [specs(net, one) for one in example]
    if isinstance(example, dict) and example:
        return {key: specs(net, one) for key, one in example.items()}
    wanted = "expected a shape, an array, or a list or dict of them"
    raise ArgumentError(f"pl.compile: example: {wanted}, got {described(example)}")


def _isSize(size: Any) -> bool:
    return hasattr(size, "__index__") and not is_tensor(size) and not isinstance(size, bool)


def leaves(value: Any) -> list[Spec]:
    """Returns the specs of a table of them, in order."""
    if isinstance(value, Spec):
        return [value]
    return [one for entry in (value.values() if isinstance(value, dict) else value) for one in leaves(entry)]


def taken(table: Any, given: Any, name: str) -> list[Any]:
    """Returns the arrays in a value that fits a table of specs. Errors call it `name`."""
    arrays: list[Any] = []

    def take(spec: Any, value: Any, place: str) -> None:
        if isinstance(value, Recorded):
            raise CompileError("program: a pass that is recorded cannot call a program; it can call the network itself")
        if isinstance(spec, Spec):
            if not isinstance(value, np.ndarray) or value.dtype != spec.dtype:
                raise DtypeError(mismatch(f"{name}{place}", value, spec.dtype))
            arrays.append(value if value.ndim else value.reshape(1))
            return
        entries = spec.items() if isinstance(spec, dict) else enumerate(spec)
        fits = (
            isinstance(value, dict) and value.keys() == spec.keys()
            if isinstance(spec, dict)
            else (isinstance(value, (list, tuple)) and len(value) == len(spec))
        )
        if not fits:
            raise DtypeError(f"{name}{place}: expected a table of {len(spec)}, got {described(value)}")
        for key, entry in entries:
            take(entry, value[key], f"{place}[{key!r}]")

    try:
        given = as_arrays(given, False)
    except DtypeError as error:
        raise DtypeError(f"{name}: {error}") from None
    take(table, given, "")
    return arrays


def filled(value: Any, arrays: Sequence[Any]) -> Any:
    """Returns a table of specs with these arrays in their places."""
    waiting = iter(arrays)
    return _filled(value, waiting)


def _filled(value: Any, waiting: Iterator[Any]) -> Any:
    if isinstance(value, Spec):
        return next(waiting)
    if isinstance(value, dict):
        return {key: _filled(one, waiting) for key, one in value.items()}
    return [_filled(one, waiting) for one in value]


def batch_axes(found: Sequence[Spec]) -> tuple[int | None, ...]:
    """Returns which axis of each input has the size of the batch: the first one where that is free, else the only free one."""
    if any(spec.shape[0] is None for spec in found):
        return tuple(0 if spec.shape[0] is None else None for spec in found)
    if any(spec.shape.count(None) > 1 for spec in found):
        return (None,) * len(found)
    return tuple(spec.shape.index(None) if None in spec.shape else None for spec in found)


class Sizes(NamedTuple):
    """The shapes of inputs for one batch, whose size the axes in `axes` have."""

    shapes: tuple[tuple[int, ...], ...]
    axes: tuple[int | None, ...]

    def at(self, n: int) -> list[tuple[int, ...]]:
        """Returns the shapes for a batch of n."""
        both = zip(self.shapes, self.axes, strict=True)
        return [shape if axis is None else (*shape[:axis], n, *shape[axis + 1 :]) for shape, axis in both]


class Source:
    """Makes inputs of a network.

    Parameters
    ----------
    table : Spec, or list or dict of them
        Specification of the possible inputs.
    net : Module
        Tells which numbers it takes: ordinary ones, or else indices.
    """

    def __init__(self, table: Any, net: Any) -> None:
        self.table = table
        self.specs = leaves(table)
        self._draw = np.random.default_rng(20)
        self._net = net
        self._areIndices: bool | None = None

    def filled(self, arrays: Sequence[Any]) -> Any:
        """Returns the table with these arrays, as the network gets it."""
        return filled(self.table, arrays)

    def arrays(self, shapes: Sequence[tuple[int, ...]]) -> list[Any]:
        """Returns ordinary inputs of these shapes: normally distributed numbers, or small indices if the network wants these."""
        if self._areIndices is None:
            self._areIndices = False
            try:
                copy.deepcopy(self._net).forward(self.filled(self.arrays(shapes)))
            except (MemoryError, RecursionError):
                raise
            except Exception:
                self._areIndices = True
        return [self._ordinary(spec, shape) for spec, shape in zip(self.specs, shapes, strict=True)]

    def _ordinary(self, spec: Spec, shape: tuple[int, ...]) -> Any:
        if spec.example is not None and spec.example.size:
            sample = spec.example if spec.example.shape == shape else np.resize(spec.example, shape)
            return np.array(sample, spec.dtype)
        if spec.dtype.kind != "f" or self._areIndices:
            return self._draw.integers(0, 2, shape).astype(spec.dtype)
        return self._draw.standard_normal(shape).astype(spec.dtype)

    def empty(self, shapes: Sequence[tuple[int, ...]]) -> list[Any]:
        """Returns arrays of these shapes whose elements nobody reads."""
        return [np.empty(shape, spec.dtype) for spec, shape in zip(self.specs, shapes, strict=True)]

    def attacks(self, shapes: Sequence[tuple[int, ...]]) -> dict[str, list[Any]]:
        """Returns inputs by which a layer may decide something, each by what an error calls it."""
        plain = self.arrays(shapes)
        ties = [np.round(one).astype(one.dtype) for one in self.arrays(shapes)]
        for one in ties:
            one[: one.shape[0] // 2 + (one.ndim == 1)] = 0
        odd = [one.copy() for one in plain]
        large = [one.copy() for one in plain]
        for one, other in zip(odd, large, strict=True):
            if one.dtype.kind == "f" and one.size:
                places = self._draw.integers(0, one.size, 3)
                one.reshape(-1)[places] = [np.nan, np.inf, -np.inf]
                with np.errstate(over="ignore"):
                    other *= one.dtype.type(1e25)
        return {"ordinary numbers": plain, "ties and rows of zeros": ties, "NaN and infinities": odd, LARGE: large}


LARGE = "numbers near 1e25"
_TRIED = (32, 64, 224, 128, 16, 8, 4, 2)


def first_sizes(net: Any, table: Any) -> tuple[tuple[int, ...], ...]:
    """Returns the shapes to begin with: two samples, and for all other free sizes the first one that the network takes."""
    source = Source(table, net)
    axes = batch_axes(source.specs)

    def shapes(size: int, batch: int) -> tuple[tuple[int, ...], ...]:
        def of(spec: Spec, axis: int | None) -> tuple[int, ...]:
            return tuple((batch if place == axis else size) if one is None else one for place, one in enumerate(spec.shape))

        return tuple(map(of, source.specs, axes))

    isFree = any(spec.shape.count(None) > (axis is not None) for spec, axis in zip(source.specs, axes, strict=True))
    tried = [(size, batch) for batch in (2, 32) for size in (_TRIED if isFree else _TRIED[:1])]
    for size, batch in tried:
        try:
            copy.deepcopy(net).forward(source.filled(Source(table, net).arrays(shapes(size, batch))))
        except (MemoryError, RecursionError):
            raise
        except Exception:  # any layer may raise any exception; the recording names the place
            continue
        return shapes(size, batch)
    return shapes(*tried[0])
