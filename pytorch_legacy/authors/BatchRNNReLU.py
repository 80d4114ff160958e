"""A recurrent network with normalized input and clipped output."""

from typing import Any

from pytorch_legacy.authors.BatchRNN import BatchRNN
from pytorch_legacy.files.classes import own


class BatchRNNReLU(BatchRNN):
    """A BatchRNN whose output is limited to the range from 0 to 20. The states between steps are not limited.

    Parameters, attributes, errors and shapes are those of BatchRNN.

    Notes
    -----
    Source: deepspeech.torch ``BatchRNNReLU``.

    Examples
    --------
    >>> net = authors.BatchRNNReLU(3, 2).evaluate()
    >>> net.forward(np.zeros((5, 4, 3), np.float32)).shape
    (5, 4, 2)
    >>> net[5]
    cudnn.ClippedReLU
    """

    _typename = "cudnn.BatchRNNReLU"

    def __init__(self, inputDim: int, outputDim: int) -> None:
        super().__init__(inputDim, outputDim)
        clipped: Any = own("cudnn.ClippedReLU")(20)
        self.insert(clipped, 5)
