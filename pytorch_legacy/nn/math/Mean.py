"""Means along a dimension."""

from pytorch_legacy.nn.math.Sum import Sum


class Mean(Sum):
    """Takes the mean along one dimension, counted from 0 (Lua's ``nn.Mean(2)`` is ``nn.Mean(1)``): a Sum with ``sizeAverage``.

    Parameters
    ----------
    dimension : int
        Negative ones count from the end.
    nInputDims : int, optional
        The rank of one sample. An input with one dimension more is a batch, and `dimension` does not count its first.

    Notes
    -----
    Source: Torch7 nn.Mean.

    Examples
    --------
    >>> nn.Mean(1).forward(np.float32([[1, 2, 6], [10, 20, 60]]))  # nn.Mean(2) in Lua
    array([ 3., 30.], dtype=float32)
    """

    def __init__(self, dimension: int = 0, nInputDims: int | None = None) -> None:
        super().__init__(dimension, nInputDims, sizeAverage=True)
