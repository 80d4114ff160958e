"""The part of a DataParallelTable that ran its copies."""

from typing import Any

from pytorch_legacy.objects import Object


class DataParallelTableBasic(Object):
    """The part of Torch7 that ran the copies of a DataParallelTable one after the other; does nothing here.

    Parameters
    ----------
    dpt : DataParallelTable
        The table that it belongs to.

    Notes
    -----
    Source: cunn ``DataParallelTable.Basic``.

    Examples
    --------
    >>> table = authors.DataParallelTable(0).add(nn.Square())
    >>> type(table.impl).__name__, table.impl.dpt is table
    ('DataParallelTableBasic', True)
    >>> table.forward(np.float32([[1, 2]]))  # the table runs its network itself
    array([[1., 4.]], dtype=float32)
    """

    _typename = "nn.DataParallelTable.Basic"

    def __init__(self, dpt: Any) -> None:
        self.dpt = dpt

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        self.__dict__.update(self._open(fields))

    def _toTorch7(self) -> dict[str, Any]:
        return {key: value for key, value in self._ownFields().items() if key[0] != "_"}
