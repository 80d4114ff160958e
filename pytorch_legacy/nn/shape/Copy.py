"""Arrays copied from one type to another."""

from typing import Any

import numpy as np

from pytorch_legacy import backend
from pytorch_legacy.arrays import CUDA_TYPES, TENSOR_TYPES, Tensor, is_tensor, on_device, to_device
from pytorch_legacy.arrays.types import getdefaulttensortype
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.messages import mismatch
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, described
from pytorch_legacy.objects.base import fitting


class Copy(Module):
    """Copies its input to an array of another type, and the gradient back::

        output    = input.astype(outtype)
        gradInput = gradOutput.astype(intype)

    With a type of a CUDA device on one side, data move between it and the host. If both types are the same, input and
    gradOutput are passed on as they are.

    Parameters
    ----------
    intype, outtype
        "torch.FloatTensor", "torch.DoubleTensor" and so on, or what NumPy takes for such a dtype; the default tensor type if
        not given.
    forceCopy : bool
        Copy even if the types are the same.
    dontCast : bool
        Keep both types when the module is converted; otherwise both become the new one.

    Notes
    -----
    Any shape. The types are those of the arrays ``gradInput`` and ``output``. Source: Torch7 nn.Copy.

    Examples
    --------
    >>> layer = nn.Copy("torch.FloatTensor", "torch.DoubleTensor")
    >>> layer.forward(np.float32([1, 2]))
    array([1., 2.])
    >>> layer.backward(np.float32([1, 2]), np.float64([3, 4]))
    array([3., 4.], dtype=float32)
    """

    _file = Form(
        implied={"dontCast": False},
        luaMethods=("updateOutput", "updateGradInput"),
        defaults={"forceCopy": False, "dontCast": False},
    )
    forceCopy = False
    dontCast = False

    def __init__(
        self,
        intype: Any = None,
        outtype: Any = None,
        forceCopy: bool = False,
        dontCast: bool = False,
    ) -> None:
        super().__init__()
        default = getdefaulttensortype()
        self.gradInput = self._empty("intype", default if intype is None else intype)
        self.output = self._empty("outtype", default if outtype is None else outtype)
        self.forceCopy = forceCopy
        self.dontCast = dontCast

    def updateOutput(self, input: Tensor) -> Tensor:
        self.output = self._copied("input", self._check("input", input, self._intype), self._outtype)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._check("input", input, self._intype)
        gradOutput = check.matching(self, "gradOutput", self._check("gradOutput", gradOutput, self._outtype), input.shape)
        self.gradInput = self._copied("gradOutput", gradOutput, self._intype)
        return self.gradInput

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Converts the module, both its types included unless it was made with `dontCast`, and returns it."""
        return self if self.dontCast and type is not None else super().type(type, tensorCache)

    def clearState(self) -> "Copy":
        clear(self, "_input", "_gradOutput")
        super().clearState()
        return self

    def _empty(self, name: str, type: Any) -> Tensor:
        try:
            dtype = np.dtype((TENSOR_TYPES | CUDA_TYPES).get(type, type))
        except TypeError:
            raise DtypeError(f"{self._typename}: {name}: expected a tensor type or a dtype, got {type!r}") from None
        if type in CUDA_TYPES:
            backend.require(f"{self._typename}: {type}")
        return to_device(np.empty(0, dtype), type in CUDA_TYPES)

    @property
    def _intype(self) -> tuple[np.dtype[Any], bool]:
        """The dtype, and whether on a device."""
        return (self._dtype, self._onDevice) if self.gradInput is None else (self.gradInput.dtype, on_device(self.gradInput))

    @property
    def _inputDtype(self) -> Any:
        return self._intype[0]

    @property
    def _outtype(self) -> tuple[np.dtype[Any], bool]:
        return self.output.dtype, on_device(self.output)

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

    def _check(self, name: str, array: Tensor, type: tuple[np.dtype[Any], bool]) -> Tensor:
        if not is_tensor(array) or array.dtype != type[0]:
            raise DtypeError(f"{self._typename}: {name}: expected a {type[0]} array, got {described(array)}")
        if on_device(array) != type[1]:
            raise DtypeError(mismatch(f"{self._typename}: {name}", array, *type))
        return array

    def _copied(self, name: str, array: Tensor, type: tuple[np.dtype[Any], bool]) -> Tensor:
        dtype, device = type
        if on_device(array) != device:
            return to_device(array, device, dtype)
        if array.dtype == dtype and not self.forceCopy:
            return array
        # Neither output nor gradInput itself: that may be somebody's array, passed on when copying was not forced.
        copy = self.__dict__[f"_{name}"] = fitting(self.__dict__.get(f"_{name}"), array, dtype)
        copy[...] = array
        return copy
