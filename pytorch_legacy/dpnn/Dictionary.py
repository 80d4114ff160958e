"""dpnn's table of vectors."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.embedding.LookupTable import LookupTable


class Dictionary(LookupTable):
    """A LookupTable by another name.

    Parameters
    ----------
    dictSize, embeddingSize : int
        Number of rows, and of elements of a row.
    accUpdate : bool
        Keep no ``gradWeight``, for training with ``backwardUpdate`` alone.

    Notes
    -----
    Everything else is as in LookupTable. Torch7's ``parameters`` gave only the rows used last; here it gives the whole weight,
    which leads to the same steps, since the gradients of the others are zero. Source: Element-Research dpnn ``Dictionary``.

    Examples
    --------
    >>> layer = dpnn.Dictionary(3, 2)  # three words, two numbers for each
    >>> layer.weight[...] = [[0, 1], [10, 11], [20, 21]]
    >>> layer.forward(np.array([2, 0]))  # words count from 0; from 1 in Lua
    array([[20., 21.],
           [ 0.,  1.]], dtype=float32)
    """

    dpnn_sparseParameters = True
    accUpdate = False

    _file = Form(defaults={"accUpdate": False})

    def __init__(self, dictSize: int, embeddingSize: int, accUpdate: bool = False) -> None:
        super().__init__(dictSize, embeddingSize)
        self.accUpdate = accUpdate
        if accUpdate:
            self.accUpdateOnly()
