"""The base class of pooling layers with windows of one size."""

from typing import Any, ClassVar, Self

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


def strides_and_pads(axes: str) -> dict[str, Any]:
    """Returns the defaults of files before 2015: windows that follow each other, without padding."""

    def stride(axis: str) -> Any:
        return lambda fields: fields.get(f"k{axis}", 1)

    return {f"d{axis}": stride(axis) for axis in axes} | {f"pad{axis}": 0 for axis in axes}


class WindowedPooling(Native):
    """Base of layers with windows of k cells, d apart, that begin pad before the input, along each of their axes.

    A subclass names its axes in the order of its arguments, "W", "WH" or "TWH": the fields are then kW, dW, padW and so
    on. The number of windows along an axis of I cells is :math:`\\lfloor (I + 2 pad - k) / d \\rfloor + 1`; after
    ``ceil()`` the quotient is rounded up, but no window begins beyond the input and its near padding. So the kernel may
    be larger than the plane with its padding, by less than the stride: there is one window then.

    Parameters
    ----------
    kernel, stride, pad : tuple of int
        One number per axis. A stride of None is that of the kernel.
    """

    _axes: ClassVar[str] = "WH"
    _file = Form(defaults=strides_and_pads("WH") | {"ceil_mode": False})

    def __init__(self, kernel: tuple[int, ...], stride: tuple[int | None, ...], pad: tuple[int, ...] = ()) -> None:
        super().__init__()
        for axis, k in zip(self._axes, kernel, strict=True):
            setattr(self, f"k{axis}", check.count(self, f"k{axis}", k))
        for axis, k, d in zip(self._axes, kernel, stride, strict=True):
            setattr(self, f"d{axis}", k if d is None else d)
        for axis, p in zip(self._axes, pad or (0,) * len(kernel), strict=True):
            setattr(self, f"pad{axis}", p)
        self.ceil_mode = False

    def ceil(self) -> Self:
        """Lets the last window reach past the edge, and returns self."""
        self.ceil_mode = True
        return self

    def floor(self) -> Self:
        """Keeps all windows within the padding, and returns self."""
        self.ceil_mode = False
        return self

    def _sizes(self, name: str) -> tuple[int, ...]:
        return tuple(getattr(self, name + axis) for axis in self._axes)

    def __repr__(self) -> str:
        kernel, stride, pad = (self._sizes(name) for name in ("k", "d", "pad"))
        shown = [",".join(map(str, stride))] + [",".join(map(str, pad))] * any(pad)
        return f"{self._typename}({'x'.join(map(str, kernel))}, {', '.join(shown)})"
