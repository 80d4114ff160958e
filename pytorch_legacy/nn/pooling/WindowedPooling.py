"""What pooling layers with windows of one size share."""

from typing import Any, Self

from pytorch_legacy.nn.Module import Module


class WindowedPooling(Module):
    """Base of layers with windows of kH x kW cells, dH x dW apart, that begin padH x padW before the input.

    The number of windows along an axis of I cells is :math:`\\lfloor (I + 2 pad - k) / d \\rfloor + 1`; after ``ceil()`` the
    quotient is rounded up, but no window begins beyond the input and its near padding.
    """

    ceil_mode = False
    padW = 0
    padH = 0

    def __init__(self, kW: int, kH: int, dW: int, dH: int, padW: int, padH: int) -> None:
        super().__init__()
        self.kW, self.kH = kW, kH
        self.dW, self.dH = dW, dH
        self.padW, self.padH = padW, padH

    def ceil(self) -> Self:
        """Lets the last window reach past the edge, and returns self."""
        self.ceil_mode = True
        return self

    def floor(self) -> Self:
        """Keeps all windows within the padding, and returns self."""
        self.ceil_mode = False
        return self

    @property
    def _window(self) -> tuple[int, int, int, int, int, int, bool]:
        return self.kW, self.kH, self.dW, self.dH, self.padW, self.padH, self.ceil_mode

    def __repr__(self) -> str:
        pad = f", {self.padW},{self.padH}" if self.padW or self.padH else ""
        return f"{self._typename}({self.kW}x{self.kH}, {self.dW},{self.dH}{pad})"

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """Files before 2015 lack the pads and ceil_mode."""
        defaults = {"padW": 0, "padH": 0, "ceil_mode": False}
        super()._fromTorch7(defaults | {key: value for key, value in fields.items() if value is not None}, version)
