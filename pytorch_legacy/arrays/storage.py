"""Memory that arrays share.

In Torch7 a tensor is a window (offset, size, stride) onto a storage, and tensors may share one: tied weights do, and
after ``getParameters`` all weights of a network do. Here a NumPy array is a tensor, and its storage is the array at
the root of its ``.base`` chain. Whoever copies, converts or flattens arrays goes through this module, so that arrays
which shared memory before share it afterwards, with the same offsets and strides. CuPy's arrays are no different, but that
a view of any strides keeps its storage as the owner of its memory.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy.arrays import address, cupy, is_tensor, on_device, strided, to_device
from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.errors import DtypeError, ShapeError

Tensor = np.ndarray[Any, Any]

_MOST_REPEATED = 1 << 16
_MOST_TIMES, _MOST_BYTES = 64, 1 << 28  # limits of a view that repeats its memory: above both, its elements are not copied out


def base_storage(array: Tensor) -> Tensor:
    """Returns the array that owns the memory of `array`, or the last one before foreign memory (a file map, bytes)."""
    root = array
    while (base := _base_array(root)) is not None:
        root = base
    return root


def storage_offset(array: Tensor) -> int:
    """Returns the number of elements before the first one of `array` in its storage."""
    return placement(array).offset


class Placement(NamedTuple):
    """The position of an array's elements in its storage.

    `storage` is a vector over the whole memory of the root; `offset` and `strides` count its elements. Arrays with
    equal keys share their storage.
    """

    key: tuple[Any, ...]
    storage: Tensor
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def over(self, vector: Tensor) -> Tensor:
        """The array that lies in `vector` as the original lies in its storage."""
        size = vector.itemsize
        strides = tuple(stride * size for stride in self.strides)
        if on_device(vector):
            cuda, at = cupy().cuda, vector.data
            memory = cuda.UnownedMemory(at.ptr, vector.nbytes, vector, at.device_id)  # type: ignore[attr-defined]
            view: Tensor = cupy().ndarray(self.shape, vector.dtype, cuda.MemoryPointer(memory, self.offset * size), strides)
            return view
        return np.ndarray(self.shape, vector.dtype, vector, self.offset * size, strides)


def placement(array: Tensor) -> Placement:
    """Finds out where `array` lies."""
    root, size = base_storage(array), array.itemsize
    if array.size == 0 or any(stride % size for stride in array.strides):
        # Nothing to share, or strides that are no whole elements (a field of a record): a storage of its own.
        vector = array.reshape(-1)
        strides = np.ndarray(array.shape, vector.dtype).strides
        return Placement((id(array),), vector, 0, array.shape, tuple(stride // size for stride in strides))
    low, high = _bounds(root)
    # Elements of a view need not lie on the elements of its root: bytes of a file seen as floats.
    offset, phase = divmod(address(array) - low, size)
    if root.dtype == array.dtype and root.flags.c_contiguous:
        vector = root.reshape(-1)
    elif root.dtype == array.dtype and root.flags.f_contiguous:
        vector = root.T.reshape(-1)
    else:
        count = (high - low - phase) // size
        vector = _memory(root)[phase : phase + count * size].view(array.dtype)
    strides = tuple(stride // size for stride in array.strides)
    return Placement((id(root), array.dtype.str, phase), vector, offset, array.shape, strides)


def are_whole(array: Tensor, least: int, dtype: Any) -> Tensor:
    """Returns a mask of the whole numbers from `least` to the largest of the integer `dtype`; a cast would change the others."""
    if array.dtype.kind not in "iuf":
        return array != array
    most = int(np.iinfo(dtype).max)
    isSmall = array < float(most) if array.dtype.kind == "f" else array <= most  # 2 ** 63 - 1 is no float
    return (array >= least) & isSmall & (array == np.floor(array))


def map_storage(array: Tensor, change: Callable[[Tensor], Tensor], cache: dict[Any, Any], alone: bool = False) -> Tensor:
    """The array as it lies in a changed copy of its storage.

    Parameters
    ----------
    change
        Makes the new storage: it gets a vector and returns one of the same length, ``np.copy`` for example.
    cache
        Remembers arrays and storages: arrays moved with one cache share their new storage as they shared the old
        one, and one array stays one array.
    alone
        Move only the elements of this array, not the storage around it.
    """
    if id(array) not in cache:
        if isinstance(array, Recorded):
            result = array.inCopy(cache)  # type: ignore[attr-defined]
        elif alone and not is_repeated(array):
            result = change(array)
        else:
            place = placement(array)
            if place.key not in cache:
                # The originals are kept with their copies: an id must not be given away while it is a key.
                cache[place.key] = (place.storage, change(place.storage))
            result = place.over(cache[place.key][1])
        cache[id(array)] = (array, result)
    return cache[id(array)][1]


def flatten(arrays: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
    """One vector that holds the elements of all arrays, and the arrays as views of it.

    The storages are laid end to end in the order in which they first appear, each once. Arrays that shared memory,
    whole or in part, transposed or repeated with stride 0, share it in the vector too. Elements of a storage that
    belong to none of the arrays are left out.

    Raises
    ------
    DtypeError
        If the arrays differ in dtype.
    ShapeError
        If leaving out unused elements would tear an array apart.
    """
    if not arrays:
        return np.empty(0, np.float32), []
    if len({array.dtype for array in arrays}) > 1:
        names = ", ".join(sorted({array.dtype.name for array in arrays}))
        raise DtypeError(f"parameters of different dtypes cannot share one vector: {names}")

    starts: dict[Any, int] = {}
    storages: list[Tensor] = []
    places: list[Placement] = []
    total = 0
    for array in arrays:
        place = placement(array)
        if place.key not in starts:
            starts[place.key] = total
            storages.append(place.storage)
            total += place.storage.size
        places.append(place._replace(offset=starts[place.key] + place.offset))

    flat = np.concatenate(storages)
    used = np.zeros(total, np.bool_)
    for place in places:
        place.over(used)[...] = True
    if not used.all():
        flat = flat[to_device(used, on_device(flat))]
        position = np.cumsum(used) - 1
        places = [_compacted(place, position) for place in places]
    return flat, [place.over(flat) for place in places]


def _compacted(place: Placement, position: Tensor) -> Placement:
    """The placement after every element of the storage went to its new position."""
    if 0 in place.shape:
        return place._replace(offset=0)
    spots = place.over(position)
    first = spots[(0,) * spots.ndim]
    strides = []
    expected = np.full(spots.shape, first)
    for axis, size in enumerate(spots.shape):
        second = spots[tuple(int(size > 1 and dim == axis) for dim in range(spots.ndim))]
        strides.append(int(second - first))
        expected += strides[-1] * np.arange(size).reshape([-1 if dim == axis else 1 for dim in range(spots.ndim)])
    if not np.array_equal(spots, expected):
        sizes = " x ".join(map(str, place.shape))
        raise ShapeError(f"a parameter of {sizes} has gaps that other parameters fill in part")
    return place._replace(offset=int(first), strides=tuple(strides))


class PickledView:
    """Stands for a view while pickling: the storage, which pickle writes once, and the place in it."""

    def __init__(self, array: Tensor, root: Tensor) -> None:
        self.array, self.root = array, root

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_view, (self.root, *placement(self.array)[2:])


def is_repeated(array: Any) -> bool:
    """Returns True if an array has more elements than its storage, as if expanded: a few bytes that could ask for all memory."""
    return is_tensor(array) and array.size > _MOST_REPEATED and array.size > base_storage(array).size


def repeats(array: Tensor) -> bool:
    """Returns True for a view that repeats few bytes so often that a copy might need all memory."""
    return array.nbytes > max(_MOST_TIMES * base_storage(array).nbytes, _MOST_BYTES)


def pickled(array: Tensor) -> Any:
    """Returns the object to pickle in place of `array`, so that views of one storage share it after loading."""
    root = base_storage(array)
    keeps_its_order = root.flags.c_contiguous or root.flags.f_contiguous
    if root is array or root.dtype != array.dtype or array.size == 0 or not keeps_its_order:
        return array
    return PickledView(array, root)


def _unpickled_view(root: Tensor, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
    return Placement((), placement(root).storage, offset, shape, strides).over(placement(root).storage)


def any_overlap(arrays: Sequence[Tensor], others: Sequence[Tensor] = ()) -> bool:
    """Returns True if one of `arrays` may share memory with another one of them or with one of `others`.

    Arrays whose elements interlock, such as columns of one matrix, count as sharing.
    """
    spans = [(on_device(each), *_bounds(each), i) for i, group in enumerate((arrays, others)) for each in group if each.size]
    ends: dict[tuple[bool, int], int] = {}  # the end of the memory so far, for each device and group
    for device, low, high, group in sorted(spans):
        rivals = (0, 1) if group == 0 else (0,)
        if any(low < ends.get((device, rival), low) for rival in rivals):
            return True
        ends[device, group] = max(high, ends.get((device, group), high))
    return False


def _base_array(array: Tensor) -> Tensor | None:
    base = array.base
    if on_device(array):
        owner = base if base is not None else getattr(array.data.mem, "_owner", None)  # type: ignore[attr-defined]
        return owner if is_tensor(owner) else None  # the array that `Placement.over` laid it in
    if isinstance(base, memoryview):
        base = base.obj
    elif base is not None and not isinstance(base, np.ndarray):
        base = getattr(base, "base", None)  # as_strided puts a helper object between a view and its array
    return base if isinstance(base, np.ndarray) else None


def _bounds(array: Tensor) -> tuple[int, int]:
    """First address and address after the last byte of a non-empty array."""
    reaches = [stride * (size - 1) for stride, size in zip(array.strides, array.shape, strict=True)]
    first = address(array)
    low = first + sum(reach for reach in reaches if reach < 0)
    return low, first + sum(reach for reach in reaches if reach > 0) + array.itemsize


def _memory(root: Tensor) -> Tensor:
    """All bytes between the first and the last element of `root`."""
    low, high = _bounds(root)
    first = root[(*(slice(-1, None) if stride < 0 else slice(0, 1) for stride in root.strides), ...)]
    return strided(first.reshape(-1).view(np.uint8), (high - low,), (1,))
