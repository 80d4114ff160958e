"""A module that keeps its precision."""

from typing import Any, Self

from pytorch_legacy.arrays import CUDA_TYPES, TENSOR_TYPES, Tensor, is_tensor, on_device, to_device
from pytorch_legacy.errors import DtypeError, FieldError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import by_example, clear
from pytorch_legacy.objects.base import fitting


class DontCast(Decorator):
    """Leaves its module as it is when the network around it goes to another precision.

    Parameters
    ----------
    module : Module
    castin : bool
        Convert the input to the module's type, and gradInput back.
    castout : bool, optional
        Convert the output to the network's type, and gradOutput to the module's; as `castin` if not given.
    moduleType : str, optional
        The module's type, "torch.FloatTensor" or "torch.DoubleTensor"; what it is now if not given.

    Notes
    -----
    Arrays and tables of arrays; integer arrays are not converted. Like every new module it begins with the default tensor type,
    whatever the type of its module: nn.DontCast(net.double(), True) returns floats until a network around it, or
    .double(), says otherwise. Source: Torch7 nn.DontCast.

    Examples
    --------
    >>> net = nn.Sequential().add(nn.DontCast(nn.Linear(2, 1), True)).double()
    >>> net.forward(np.float64([1, 2])).dtype, net.get(0).get(0).weight.dtype
    (dtype('float64'), dtype('float32'))
    """

    _file = Form(
        defaults={"castin": False, "castout": None, "moduleType": None},
        kinds={"castout": "true or false", "moduleType": "text"},
    )

    _keepsType = True

    def __init__(self, module: Module, castin: bool = False, castout: bool | None = None, moduleType: str | None = None) -> None:
        super().__init__(module)
        self.castin = castin
        self.castout = castin if castout is None else castout
        self.moduleType = moduleType or module._type
        if self.moduleType not in TENSOR_TYPES | CUDA_TYPES:
            raise DtypeError(f"{self._typename}: moduleType: expected a tensor type, got {moduleType!r}")

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Notes the type of the network around; the module keeps its own."""
        if type is None:
            return self._type
        self._take(self._checkedType(type))
        if self.castout:
            self.output = _cast(None, self.output, self._type)
        if self.castin:
            self.gradInput = _cast(None, self.gradInput, self._type)
        return self

    def updateOutput(self, input: Any) -> Any:
        buffer = self.output
        output = super().updateOutput(self._inward("_input", input, self.castin))
        self.output = _cast(buffer, output, self._type) if self.castout else output
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        buffer = self.gradInput
        gradOutput = self._inward("_gradOutput", gradOutput, self.castout)
        gradInput = super().updateGradInput(self._inward("_input", input, self.castin), gradOutput)
        self.gradInput = _cast(buffer, gradInput, self._type) if self.castin else gradInput
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        gradOutput = self._inward("_gradOutput", gradOutput, self.castout)
        super().accGradParameters(self._inward("_input", input, self.castin), gradOutput, scale)

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        gradOutput = self._inward("_gradOutput", gradOutput, self.castout)
        super().accUpdateGradParameters(self._inward("_input", input, self.castin), gradOutput, lr)

    @property
    def _inputDtype(self) -> Any:
        return self._dtype if self.castin else self.modules[0]._inputDtype

    def clearState(self) -> Self:
        clear(self, "_input", "_gradOutput")
        return super().clearState()

    def _inward(self, name: str, value: Any, cast: bool) -> Any:
        """Returns the module's argument, converted in the buffer of that name if needed."""
        if not cast or value is None:
            return value
        check.any_arrays(self, name[1:], value)
        inward = _cast(getattr(self, name, None), value, self.moduleType)
        setattr(self, name, None if inward is value else inward)
        return inward

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        if is_tensor(self.output) and self.castout:
            self._dtype = self.output.dtype  # _type is that of the module there
        if not self.modules:
            raise FieldError("modules: expected the module, got none")
        self.moduleType = self.moduleType or self.modules[0]._type
        try:
            self._checkedType(self.moduleType)
        except ValueRangeError as error:
            raise FieldError(f"moduleType: {error}") from None

    def _toTorch7(self) -> dict[str, Any]:
        return super()._toTorch7() | {"_type": self.moduleType}


def _cast(buffer: Any, value: Any, name: str) -> Any:
    """`value` with its floating-point arrays in the tensor type `name`, copied to those of `buffer` where they fit."""
    dtype, device = (TENSOR_TYPES | CUDA_TYPES)[name], name in CUDA_TYPES

    def cast(old: Any, array: Tensor) -> Tensor:
        if on_device(array) != device:
            return to_device(array, device, dtype if array.dtype.kind == "f" else None)
        if array.dtype.kind != "f" or array.dtype == dtype:
            return array
        copy = fitting(old, array, dtype)
        copy[...] = array
        return copy

    return None if value is None else by_example(buffer, value, cast)
