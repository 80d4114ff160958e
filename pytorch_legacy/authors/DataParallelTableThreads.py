"""The part of a DataParallelTable that ran its copies in threads."""

from pytorch_legacy.authors.DataParallelTableBasic import DataParallelTableBasic


class DataParallelTableThreads(DataParallelTableBasic):
    """As DataParallelTableBasic, for a table that ran its copies in threads.

    Notes
    -----
    Source: cunn ``DataParallelTable.Threads``.

    Examples
    --------
    >>> table = authors.DataParallelTable(0).add(nn.Square())
    >>> table.impl = authors.DataParallelTableThreads(table)
    >>> table.forward(np.float32([[1, 2]]))  # as without it
    array([[1., 4.]], dtype=float32)
    """

    _typename = "nn.DataParallelTable.Threads"
