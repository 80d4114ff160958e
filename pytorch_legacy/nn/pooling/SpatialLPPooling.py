"""p-norms of windows, as Torch7 has them."""

from typing import Any, ClassVar, Self

from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.pooling.SpatialPowerAveragePooling import SpatialPowerAveragePooling


class SpatialLPPooling(SpatialPowerAveragePooling):
    """p-norm of each window of a plane whose cells are not negative.

    .. math:: y_o = \\Big(\\sum_{i \\in R_o} x_i^p\\Big)^{1/p}

    The powers are those of the cells themselves: with an even p they are those of the magnitudes, with another integer
    they keep the sign, with any other p a negative cell makes its windows NaN, and so does a negative sum unless p = 1.
    `nn.SpatialPowerAveragePooling` takes magnitudes.

    Parameters
    ----------
    nInputPlane : int
        Not used.
    pnorm : float
        The power, a finite number above 0.
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``.
    In Torch7 this is a network of Square or Power, SpatialAveragePooling, MulConstant, and Sqrt or Power. It prints as
    such and is stored as such in .t7 files, but it is one layer here and has no ``modules``. Torch7's gradient of a
    window full of zeros was NaN unless p was 1 or 2; here it is 0, for p = 1 that of a sum.
    Source: Torch7 ``nn.SpatialLPPooling``; C: ``THNN/pooling/PowerAveragePooling.c``.

    Examples
    --------
    >>> nn.SpatialLPPooling(1, 2, 2, 1).forward(np.float32([[[3, 4, 5, 12]]]))  # sqrt(9 + 16), sqrt(25 + 144)
    array([[[ 5., 13.]]], dtype=float32)
    """

    kW: int
    kH: int
    dW: int
    dH: int
    _use_abs: ClassVar[bool] = False

    _inner: tuple[Module, ...] = ()  # the layers of the file, whose buffers and notes go back to it
    _optional: ClassVar[tuple[str, ...]] = ("padW", "padH", "ceil_mode")

    def __init__(self, nInputPlane: int, pnorm: float, kW: int, kH: int, dW: int | None = None, dH: int | None = None) -> None:
        super().__init__(pnorm, kW, kH, dW, dH)

    def __repr__(self) -> str:
        raised, rooted = ("Square", "Sqrt") if self.p == 2 else ("Power", "Power")
        pooled = f"SpatialAveragePooling({self.kW}x{self.kH}, {self.dW},{self.dH})"
        lines = [f"  ({i}): nn.{layer}" for i, layer in enumerate((raised, pooled, "MulConstant", rooted), 1)]
        return "\n".join(["nn.Sequential {", "  [input -> (1) -> (2) -> (3) -> (4) -> output]", *lines, "}"])

    def clearState(self) -> Self:
        for layer in self._inner:
            layer.clearState()
        return super().clearState()

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """The network in the file says what p is; its layers may be of classes that are not known here."""
        self._inner = tuple(fields["modules"])
        first, pooled, *_ = [getattr(child, "fields", None) or vars(child) for child in self._inner]
        mine = {key: value for key, value in fields.items() if key != "modules"}
        sizes = {name: pooled[name] for name in ("kW", "kH", "dW", "dH", *self._optional) if name in pooled}
        super()._fromTorch7(mine | sizes | {"p": first.get("pow", 2)}, version)

    def _toTorch7(self) -> dict[str, Any]:
        """The network that Torch7 expects."""
        sizes = {name: getattr(self, name) for name in ("kW", "kH", "dW", "dH", *self._optional)}
        pooled = self._fileLayer("nn.SpatialAveragePooling", **sizes, count_include_pad=True, divide=True)
        whole = self._fileLayer("nn.MulConstant", constant_scalar=self.kW * self.kH, inplace=False)
        if self.p == 2:
            modules = [self._fileLayer("nn.Square"), pooled, whole, self._fileLayer("nn.Sqrt", eps=0)]
        else:
            modules = [self._fileLayer("nn.Power", pow=self.p), pooled, whole, self._fileLayer("nn.Power", pow=1 / self.p)]
        for layer, inner in zip(modules, self._inner, strict=False):
            if inner._typename == layer.typename:
                was = inner._toRecord()
                results = {name: was.fields[name] for name in ("output", "gradInput") if name in was.fields}
                layer.version, layer.fields = was.version, was.fields | layer.fields | results
        fields = super()._toTorch7() | {"modules": modules}
        return {key: value for key, value in fields.items() if key not in ("p", *self._optional)}
