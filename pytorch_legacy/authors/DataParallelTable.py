"""One network on several GPUs."""

from collections.abc import Sequence
from typing import Any, Self

from pytorch_legacy.authors.DataParallelTableBasic import DataParallelTableBasic
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module


class DataParallelTable(Decorator):
    """A decorator that only calls its module. The dimension counts from 0: Lua's ``nn.DataParallelTable(1)`` is ``(0)``.

    Take ``modules[0]``, the network itself, to go on without the wrapper.

    Parameters
    ----------
    dimension : int
        The dimension along which the batch was divided. Means nothing here.
    flattenParams, usenccl : bool
        How parameters went from GPU to GPU. They are kept, and mean nothing here.

    Attributes
    ----------
    gpuAssignments : list of int
        Numbers of the GPUs, counted from 1 as the libraries of Lua do.

    Raises
    ------
    ShapeError
        If a second module is added.

    Notes
    -----
    Source: cunn ``DataParallelTable``.

    Examples
    --------
    >>> net = authors.DataParallelTable(0).add(nn.Square())
    >>> net.forward(np.float32([[1, 2], [3, 4]])).tolist()
    [[1.0, 4.0], [9.0, 16.0]]
    >>> net.modules[0]  # goes on without the wrapper
    nn.Square
    """

    _file = Form(
        version=3,
        oneBased=("dimension",),
        dropped=("buffer",),
        defaults={"gpuAssignments": lambda fields: [1], "flattenParams": False, "usenccl": False},
        kinds={"gpuAssignments": "a list of numbers"},
    )

    def __init__(self, dimension: int, flattenParams: bool = False, usenccl: bool = False) -> None:
        Container.__init__(self)
        self.dimension = dimension
        self.gpuAssignments: list[int] = []
        self.flattenParams = flattenParams
        self.usenccl = usenccl
        self.needsSync = False
        self.inputGpu: Any = {}
        self.gradOutputGpu: Any = {}
        self.outputGpu: Any = {}
        self.gradInputGpu: Any = {}
        self.impl = DataParallelTableBasic(self)

    def add(self, module: Module, gpus: int | Sequence[int] = 1) -> Self:
        """Sets the module, and notes the GPUs that it ran on; returns self."""
        if self.modules and self.modules[0] is not module:
            raise ShapeError(f"{self._typename}: add: expected one module, got a second one")
        self.modules[:] = [module]
        self.gpuAssignments += [gpus] if isinstance(gpus, int) else list(gpus)
        return self

    def syncParameters(self) -> Self:
        """Brought the copies up to date; there are none here."""
        return self

    def flattenParameters(self) -> None:
        """Makes the parameters views of one vector."""
        self.getParameters()

    def _toRecord(self) -> t7.TorchObject:
        """The GPUs stand in front of the fields."""
        return t7.TorchObject(self._typename, self._version or 1, self._toTorch7(), self.gpuAssignments)

    def __repr__(self) -> str:
        return f"DataParallelTable: {len(self.gpuAssignments)} x {self.modules[0]!r}"
