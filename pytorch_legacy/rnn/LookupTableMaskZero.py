"""Vectors picked from a table, with one index for padding."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.embedding.LookupTable import LookupTable


class LookupTableMaskZero(LookupTable):
    """An nn.LookupTable in which index 0 stands for padding and gives zeros::

        output[...] = weight[input[...]]                with weight[0] = 0

    Parameters
    ----------
    nIndex, nOutput : int
        Number of words, and of elements of a row.

    Attributes
    ----------
    weight : array of (nIndex + 1) x nOutput
        Row 0 is set to zero by each ``forward``.

    Raises
    ------
    IndexRangeError
        If an index is not in 0 .. nIndex.

    Notes
    -----
    **Indices are the same in Python and in Lua**: 0 is padding and the words are 1 .. nIndex, in files and arrays of both.
    (Elsewhere what Lua counts from 1 counts from 0 here.)
    Source: Element-Research rnn ``LookupTableMaskZero``.

    Examples
    --------
    >>> layer = rnn.LookupTableMaskZero(2, 2)  # words 1 and 2, as in Lua
    >>> layer.weight[1:] = [[10, 11], [20, 21]]
    >>> layer.forward(np.array([2, 0, 1]))
    array([[20., 21.],
           [ 0.,  0.],
           [10., 11.]], dtype=float32)
    """

    _file = Form(version=1)
    _lua = Lua(inputs=(), methods={"renorm": {}})  # 0 is padding, and words count from 1, in both

    def __init__(self, nIndex: int, nOutput: int) -> None:
        super().__init__(nIndex + 1, nOutput)

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "weight", self.weight, 2)[0] = 0
        return super().updateOutput(input)
