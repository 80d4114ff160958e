"""dpnn's table of vectors."""

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
    """

    dpnn_sparseParameters = True
    accUpdate = False

    def __init__(self, dictSize: int, embeddingSize: int, accUpdate: bool = False) -> None:
        super().__init__(dictSize, embeddingSize)
        self.accUpdate = accUpdate
        if accUpdate:
            self.accUpdateOnly()
