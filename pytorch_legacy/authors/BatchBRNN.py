"""A recurrent network in both directions whose input is normalized over the batch."""

from pytorch_legacy import nn
from pytorch_legacy.authors.BatchRNN import BatchRNN


class BatchBRNN(BatchRNN):
    """A BatchRNN that runs in both directions; the outputs of both are added.

    .. math:: h_t = \\overrightarrow{h}_t + \\overleftarrow{h}_t

    Parameters, attributes, errors and shapes are those of BatchRNN.

    Notes
    -----
    Source: deepspeech.torch ``BatchBRNN``; Amodei et al. 2015.

    Examples
    --------
    >>> net = authors.BatchBRNN(3, 2).evaluate()
    >>> net.forward(np.zeros((5, 4, 3), np.float32)).shape  # five steps of four sequences
    (5, 4, 2)
    """

    _typename = "cudnn.BatchBRNN"
    _title = "BatchBRNN"
    _directions = 2

    def __init__(self, inputDim: int, outputDim: int) -> None:
        super().__init__(inputDim, outputDim)
        self.add(nn.View(-1, 2, outputDim).setNumInputDims(2))
        self.add(nn.Sum(2))
