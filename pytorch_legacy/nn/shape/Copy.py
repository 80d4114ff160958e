"""Arrays copied from one type to another."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, described
from pytorch_legacy.storage import TENSOR_TYPES, Tensor


class Copy(Module):
    """Copies its input to an array of another type, and the gradient back::

        output    = input.astype(outtype)
        gradInput = gradOutput.astype(intype)

    If both types are the same, input and gradOutput are passed on as they are.

    Parameters
    ----------
    intype, outtype
        "torch.FloatTensor", "torch.DoubleTensor" and so on, or what NumPy takes for such a dtype.
    forceCopy : bool
        Copy even if the types are the same.
    dontCast : bool
        Keep both types when the module is converted; otherwise both become the new one.

    Notes
    -----
    Any shape. The types are those of the arrays ``gradInput`` and ``output``. Source: Torch7 nn.Copy.
    """

    _ours = {"dontCast": False}
    forceCopy = False
    dontCast = False

    def __init__(
        self,
        intype: Any = "torch.FloatTensor",
        outtype: Any = "torch.FloatTensor",
        forceCopy: bool = False,
        dontCast: bool = False,
    ) -> None:
        super().__init__()
        self.gradInput = np.empty(0, TENSOR_TYPES.get(intype, intype))
        self.output = np.empty(0, TENSOR_TYPES.get(outtype, outtype))
        self.forceCopy = forceCopy
        self.dontCast = dontCast

    def updateOutput(self, input: Tensor) -> Tensor:
        self.output = self._copied("input", self._check("input", input, self._intype), self._outtype)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._check("input", input, self._intype)
        check.shape(self, "gradOutput", self._check("gradOutput", gradOutput, self._outtype), input.shape)
        self.gradInput = self._copied("gradOutput", gradOutput, self._intype)
        return self.gradInput

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Converts the module, both its types included unless it was made with `dontCast`, and returns it."""
        return self if self.dontCast and type is not None else super().type(type, tensorCache)

    def clearState(self) -> "Copy":
        clear(self, "_input", "_gradOutput")
        super().clearState()
        return self

    @property
    def _intype(self) -> np.dtype[Any]:
        return self._dtype if self.gradInput is None else self.gradInput.dtype

    @property
    def _outtype(self) -> np.dtype[Any]:
        return self.output.dtype

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """Torch7 kept `forceCopy` in no field: it replaced the methods of layers that pass everything on."""
        super()._fromTorch7(fields, version)
        self.forceCopy = fields.get("forceCopy", "updateOutput" not in fields)

    def _toTorch7(self) -> dict[str, Any]:
        """Files hold functions if nothing is forced, and ours cannot: they say it in a field."""
        fields = super()._toTorch7()
        if self.forceCopy or "updateOutput" in self._fileFields:
            del fields["forceCopy"]
        return fields

    def _check(self, name: str, array: Tensor, dtype: np.dtype[Any]) -> Tensor:
        if not is_tensor(array) or array.dtype != dtype:
            raise DtypeError(f"{self._typename}: {name}: expected a {dtype} array, got {described(array)}")
        return array

    def _copied(self, name: str, array: Tensor, dtype: np.dtype[Any]) -> Tensor:
        if array.dtype == dtype and not self.forceCopy:
            return array
        # Neither output nor gradInput itself: that may be somebody's array, passed on when copying was not forced.
        copy = self._resize(f"_{name}", array.shape, dtype)
        copy[...] = array
        return copy
