"""A recurrent network in both directions with normalized input and clipped output."""

from pytorch_legacy import nn
from pytorch_legacy.authors.BatchBRNN import BatchBRNN


class BatchBRNNReLU(BatchBRNN):
    """A BatchBRNN in which the output of each direction is limited to the range from 0 to 20 before both are added.

    Parameters, attributes, errors and shapes are those of BatchRNN. The states between steps are not limited.

    Notes
    -----
    Earlier files have a cudnn.ClippedReLU in the place of the nn.Clamp.
    Source: deepspeech.torch ``BatchBRNNReLU``.

    Examples
    --------
    >>> net = authors.BatchBRNNReLU(3, 2).evaluate()
    >>> net.forward(np.zeros((5, 4, 3), np.float32)).shape
    (5, 4, 2)
    >>> net[5]
    nn.Clamp
    """

    _typename = "cudnn.BatchBRNNReLU"

    def __init__(self, inputDim: int, outputDim: int) -> None:
        super().__init__(inputDim, outputDim)
        self.insert(nn.Clamp(0, 20), 5)
