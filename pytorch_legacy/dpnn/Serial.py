"""A module that decides how it is saved."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import TENSOR_TYPES, is_tensor, tree
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module

BUFFERS = ("output", "gradInput", "momGradParams", "dpnn_input")
GRADIENTS = ("gradWeight", "gradBias")


class Serial(Decorator):
    """A decorator whose .t7 file has another precision, or lacks buffers that running does not need::

        pl.save("model.t7", nn.Serial(net, "torch.FloatTensor").mediumSerial())

    Parameters
    ----------
    module : Module
    tensortype : str, optional
        The type that the file gets, "torch.FloatTensor" or "torch.DoubleTensor"; as it is if not given.

    Raises
    ------
    DtypeError
        If `tensortype` is no tensor type.

    Notes
    -----
    In the file every module inside says in the field ``dpnn_typename`` what it is, and in ``dpnn_serialEmpty`` which of its
    fields are left empty. Both are kept when it is loaded. ``clone()`` gives what the file would, as in Torch7.
    Source: Element-Research dpnn ``Serial``.

    Examples
    --------
    >>> net = dpnn.Serial(nn.Square().double(), "torch.FloatTensor").mediumSerial()
    >>> net.forward(np.float64([1, 2]))
    array([1., 4.])
    >>> pl.save("model.t7", net)
    >>> pl.load("model.t7").forward(np.float32([1, 2]))  # floats in the file
    array([1., 4.], dtype=float32)
    """

    tensortype: str | None = None
    _inFile = False  # True for a twin, made for the file of a Serial around it, in that one's type (_fileType)
    _fileType: str | None = None

    _file = Form(defaults={"tensortype": None}, kinds={"tensortype": "text"})

    def __init__(self, module: Module, tensortype: str | None = None) -> None:
        super().__init__(module)
        if tensortype is not None and not (tensortype in TENSOR_TYPES or tensortype.startswith("torch.Cuda")):
            raise DtypeError(f'{self._typename}: tensortype: expected a tensor type, "torch.FloatTensor", got {tensortype!r}')
        self.tensortype = tensortype

    def heavySerial(self) -> Self:
        """Saves everything from now on, and returns self."""
        return self._leaveOut(lambda module: [])

    def mediumSerial(self) -> Self:
        """Leaves out the results of the last calls from now on, and returns self."""
        return self._leaveOut(_buffers)

    def lightSerial(self) -> Self:
        """Leaves out the gradients of the parameters, too, from now on, and returns self."""
        return self._leaveOut(lambda module: [*_buffers(module), *GRADIENTS])

    def _leaveOut(self, fields: Any) -> Self:
        for module in self.listModules():
            vars(module)["dpnn_serialEmpty"] = fields(module)
        return self

    def clone(self, *names: str) -> Self:
        """A copy as ``pl.load`` would return it from the module's file, as in Torch7: of its type, without what it leaves out."""
        twin = self._twin()
        for module in twin.listModules():
            vars(module).pop("_inFile", None)
            vars(module).pop("_fileType", None)
        result: Any = super(Serial, twin).clone()
        return result.share(self, *names) if names else result  # type: ignore[no-any-return]

    def _toTorch7(self) -> dict[str, Any]:
        if self._inFile and (self.tensortype not in TENSOR_TYPES or self.tensortype == self._fileType):
            own: dict[str, Any] = super()._toTorch7()
            return own
        record: dict[str, Any] = super(Serial, self._twin())._toTorch7()
        return record

    def _twin(self) -> Any:
        """Returns a twin, whose modules are twins of those inside: the arrays are theirs, the fields are the file's."""
        twins: dict[int, Any] = {}
        seen: dict[Any, Any] = {}
        waiting: list[Module] = []

        def twin(thing: Any) -> Any:
            if not isinstance(thing, Module):
                return thing
            if id(thing) not in twins:
                twins[id(thing)] = thing.__copy__()
                waiting.append(thing)
            return twins[id(thing)]

        copy: Any = twin(self)
        while waiting:
            thing = waiting.pop()
            empty = getattr(thing, "dpnn_serialEmpty", ())
            fields = vars(twins[id(thing)])
            for key, value in fields.items():
                fields[key] = _emptied(value) if key in empty else tree.map(twin, value, seen)
            fields["dpnn_typename"] = thing._typename
            if isinstance(thing, Serial):
                fields |= {"_inFile": True, "_fileType": self.tensortype}
        if self.tensortype in TENSOR_TYPES:  # arrays of a GPU's type keep their type here
            copy.type(self.tensortype)
        return copy


def _buffers(module: Module) -> list[str]:
    return list(getattr(module, "dpnn_mediumEmpty", BUFFERS))


def _emptied(value: Any) -> Any:
    """Returns the value in the file for a field that is left out: an empty tensor or table; numbers stay."""
    if is_tensor(value):
        return np.empty(0, value.dtype)
    return {} if isinstance(value, (list, dict)) else value
