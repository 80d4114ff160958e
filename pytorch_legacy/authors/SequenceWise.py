"""One module for all steps of a batch of sequences."""

from pytorch_legacy.authors.FoldedSequential import FoldedSequential
from pytorch_legacy.nn.Module import Module


class SequenceWise(FoldedSequential):
    """Applies a module for rows to all steps of all sequences at once.

    .. math:: y_{t,n} = f(x_{t,n})

    Parameters
    ----------
    module : Module
        Takes ``M x A`` and returns ``M x B``.

    Raises
    ------
    ShapeError
        If the input is not 3-D, or is empty.

    Notes
    -----
    Shapes: ``T x N x A`` to ``T x N x B``. A module that computes statistics of its batch, such as nn.BatchNormalization,
    computes them over all steps and sequences.
    Source: deepspeech.torch ``SequenceWise``.

    Examples
    --------
    >>> layer = authors.SequenceWise(nn.Linear(3, 2))
    >>> layer.forward(np.zeros((5, 4, 3), np.float32)).shape  # five steps of four sequences
    (5, 4, 2)
    """

    _title = "nn.SequenceWise"

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.add(self.view_in).add(module).add(self.view_out)
