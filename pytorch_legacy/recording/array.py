"""The arrays of a pass that is recorded."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.errors import IndexRangeError
from pytorch_legacy.recording import indexing, numpy_functions, operands, reductions, universal
from pytorch_legacy.recording.recorder import address, memory_owner


class RecordedArray(Recorded, np.lib.mixins.NDArrayOperatorsMixin):
    """An array as a layer sees it while a pass is recorded: no array of NumPy, as CuPy's are none.

    NumPy hands over what is done with it (``__array_ufunc__``, ``__array_function__``). Shapes, dtypes and strides can be read. A
    number can be read only if it depends on no input of the network. To read another one, to use a mask as an index, or to make
    an array of NumPy of it raises `CompileError`, which names the module and the line.

    Attributes
    ----------
    recorder : Recorder
    hidden : array
        The array of NumPy inside, which only the recorder uses.
    """

    __slots__ = ("hidden", "recorder")
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, recorder: Any, hidden: Any) -> None:
        self.recorder = recorder
        self.hidden = hidden

    # ---- what NumPy hands over

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        return universal.universal(self.recorder, ufunc, method, inputs, keywords)

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        return numpy_functions.other(self.recorder, function, arguments, keywords)

    # ---- what can be read

    shape = property(lambda self: self.hidden.shape)
    dtype = property(lambda self: self.hidden.dtype)
    ndim = property(lambda self: self.hidden.ndim)
    size = property(lambda self: self.hidden.size)
    itemsize = property(lambda self: self.hidden.itemsize)
    nbytes = property(lambda self: self.hidden.nbytes)
    strides = property(lambda self: self.hidden.strides)
    flags = property(lambda self: self.hidden.flags)
    real = property(lambda self: self)  # there are no complex ones
    mT = property(lambda self: self.recorder.wrap(self.hidden.mT))
    T = property(lambda self: self.recorder.wrap(self.hidden.T))

    def __len__(self) -> int:
        return len(self.hidden)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self.hidden)))

    def __repr__(self) -> str:
        return f"<recorded {self.dtype} array of {' x '.join(map(str, self.shape))}>"

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    __copy__ = lambda self: self.copy()  # noqa: E731

    # ---- views

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        if order != "C":
            raise self.recorder.refuse(f"reshapes in the order {order!r}, which is not recorded")
        shape = shape[0] if len(shape) == 1 and not hasattr(shape[0], "__index__") else shape
        return indexing.reshape(self.recorder, self, shape)

    def ravel(self, order: str = "C") -> Any:
        return self.reshape(-1, order="C" if order in "CKA" and self.flags.c_contiguous else order)

    def transpose(self, *axes: Any) -> Any:
        return self.recorder.wrap(self.hidden.transpose(*axes))

    def swapaxes(self, one: int, other: int) -> Any:
        return self.recorder.wrap(self.hidden.swapaxes(one, other))

    def squeeze(self, axis: Any = None) -> Any:
        return self.recorder.wrap(self.hidden.squeeze(axis))

    def diagonal(self, *arguments: Any) -> Any:
        return self.recorder.wrap(self.hidden.diagonal(*arguments))

    def view(self, *arguments: Any) -> Any:
        if arguments and arguments[0] != self.dtype and not self.isKnown():
            raise self.recorder.refuse(f"sees an array of {self.dtype} as {arguments[0]}, which is not recorded")
        return self.recorder.wrap(self.hidden.view(*arguments))

    def strided(self, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
        """Returns a view with other sizes, and strides in bytes."""
        return self.recorder.wrap(np.lib.stride_tricks.as_strided(self.hidden, shape, strides))

    def __getitem__(self, key: Any) -> Any:
        return indexing.item(self.recorder, self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        indexing.put(self.recorder, self, key, value)

    # ---- copies

    def copy(self, order: str = "C") -> Any:
        made = self.recorder.empty(self.shape, self.dtype)
        operands.copy(self.recorder, made, self)
        return made

    def inCopy(self, cache: dict[Any, Any]) -> Any:
        """Returns the array as it lies in a copy of all of its memory. With one `cache` there is one copy of each memory."""
        owner = memory_owner(self.hidden)
        if not self.size or not (owner.flags.c_contiguous or owner.flags.f_contiguous):
            return self.copy()
        if id(owner) not in cache:
            made = self.recorder.empty((owner.size,), owner.dtype)
            operands.copy(self.recorder, made, self.recorder.wrap(owner.ravel(order="K")))
            self.recorder.copies.append(self.recorder.memory(made.hidden).number)
            cache[id(owner)] = owner, made.hidden
        offset = address(self.hidden) - address(owner)
        return self.recorder.wrap(np.ndarray(self.shape, self.dtype, cache[id(owner)][1], offset, self.strides))

    def flatten(self, order: str = "C") -> Any:
        return self.copy().reshape(-1, order=order)

    def astype(self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True) -> Any:
        if not copy and self.dtype == dtype:
            return self
        made = self.recorder.empty(self.shape, dtype)
        operands.copy(self.recorder, made, self)
        return made

    def fill(self, value: Any) -> None:
        operands.copy(self.recorder, self, value)

    # ---- what is computed

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return reductions.reduce(self.recorder, np.add, self, axis, dtype, out, keepdims)

    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return reductions.reduce(self.recorder, np.multiply, self, axis, dtype, out, keepdims)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return reductions.reduce(self.recorder, np.maximum, self, axis, None, out, keepdims)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return reductions.reduce(self.recorder, np.minimum, self, axis, None, out, keepdims)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return reductions.reduce(self.recorder, np.logical_or, self, axis, None, out, keepdims)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return reductions.reduce(self.recorder, np.logical_and, self, axis, None, out, keepdims)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return reductions.mean(self.recorder, self, axis, dtype, out, keepdims)

    def var(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        return reductions.variance(self.recorder, self, axis, dtype, out, ddof, keepdims)

    def std(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        return np.sqrt(self.var(axis, dtype, None, ddof, keepdims), *([] if out is None else [out]))

    def argmax(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        return reductions.extreme(self.recorder, self, axis, out, keepdims, np.maximum)

    def argmin(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        return reductions.extreme(self.recorder, self, axis, out, keepdims, np.minimum)

    def cumsum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        return reductions.scan(self.recorder, self, axis, dtype, out)

    def take(self, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
        return indexing.take(self.recorder, self, indices, axis, out, mode)

    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        return np.repeat(self, repeats, axis)  # type: ignore[call-overload]

    def dot(self, other: Any, out: Any = None) -> Any:
        return numpy_functions.dot(self.recorder, self, other, out)

    def clip(self, *limits: Any, **keywords: Any) -> Any:
        return numpy_functions.clip(self.recorder, self, *limits, **keywords)

    def round(self, decimals: int = 0, out: Any = None) -> Any:
        if decimals:
            raise self.recorder.refuse("rounds to decimals, which is not recorded")
        return np.rint(self) if out is None else np.rint(self, out=out)

    def within(self, low: float, high: float, text: str, error: type[Exception] = IndexRangeError) -> None:
        """Notes a check: `error`, which begins with `text`, unless all elements are whole numbers from `low` to `high`."""
        if self.size:
            try:
                self.recorder.array("arrayWithin", self.hidden, float(low), float(high), text)
            except IndexRangeError as wrong:
                raise error(str(wrong).removeprefix("THNN_").removeprefix("arrayWithin: ")) from None
            finally:
                self.recorder.calls[-1].error = error.__name__

    # ---- numbers, which depend on data unless they come of constants alone

    def isKnown(self) -> bool:
        """Returns whether its contents depend on no input."""
        return bool(self.recorder.memory(self.hidden).mayRead())

    def _number(self, how: str) -> Any:
        if not self.isKnown():
            raise self.recorder.refuse(
                f"reads numbers of an array ({how}) that depends on the network's input or on earlier passes, "
                "which a program cannot repeat"
            )
        view = self.hidden[...]  # no call would repeat a change of it
        view.flags.writeable = False
        return view

    def __bool__(self) -> bool:
        return bool(self._number("bool"))

    def __float__(self) -> float:
        return float(self._number("float"))

    def __int__(self) -> int:
        return int(self._number("int"))

    def __complex__(self) -> complex:
        return complex(self._number("complex"))

    def __index__(self) -> int:
        return operator.index(self._number("index"))

    def __round__(self, digits: int = 0) -> Any:
        return round(self._number("round"), digits)

    def __contains__(self, value: Any) -> bool:
        return value in self._number("in")

    def __format__(self, form: str) -> str:
        return format(self._number("format"), form)

    def __array__(self, *arguments: Any, **keywords: Any) -> Any:
        return np.array(self._number("np.asarray"), *arguments, **keywords)

    def __getattr__(self, name: str) -> Any:
        """Returns an attribute of the array inside, if that depends on no input."""
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"a recorded array has no attribute {name!r}")
        return getattr(self._number(name), name)
