"""A module with a place on a device."""

from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module


class GPU(Decorator):
    """A decorator that only calls its module. In Torch7 it also put that module on a certain GPU.

    Parameters
    ----------
    module : Module
    device : int
        Number of the GPU, counted from 1 as CUDA libraries of Lua do. It is kept, and means nothing here.
    outdevice : int, optional
        Number of the GPU to which the output went; `device` by default. It is kept likewise.

    Notes
    -----
    Source: Torch7 nn.GPU.

    Examples
    --------
    >>> net = nn.GPU(nn.MulConstant(2.0), 0)  # nn.GPU(module, 1) in Lua; runs wherever its module is
    >>> net.forward(np.float32([1, 2]))
    array([2., 4.], dtype=float32)
    """

    _file = Form(defaults={"outdevice": None})

    def __init__(self, module: Module, device: int, outdevice: int | None = None) -> None:
        super().__init__(module)
        self.setDevice(device)
        self.outdevice = device if outdevice is None else outdevice

    def setDevice(self, device: int) -> "GPU":
        """Notes another device and returns self."""
        self.device = device
        return self

    def __repr__(self) -> str:
        return f"{self._typename}({self.device}) @ {self.modules[0]!r}"

    def _toRecord(self) -> t7.TorchObject:
        """Torch7 reads the device first, to put on it what follows."""
        record = super()._toRecord()
        record.header = [self._ownTypeName, self.device]
        return record
