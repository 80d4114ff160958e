"""The part of a DataParallelTable that ran its copies in threads."""

from pytorch_legacy.authors.DataParallelTableBasic import DataParallelTableBasic


class DataParallelTableThreads(DataParallelTableBasic):
    """As DataParallelTableBasic, for a table that ran its copies in threads.

    Notes
    -----
    Source: cunn ``DataParallelTable.Threads``.
    """

    _typename = "nn.DataParallelTable.Threads"
