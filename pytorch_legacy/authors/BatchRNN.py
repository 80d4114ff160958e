"""A recurrent network whose input is normalized over the batch."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.authors.FoldedSequential import FoldedSequential
from pytorch_legacy.files.classes import own
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check


class BatchRNN(FoldedSequential):
    """A simple recurrent network, whose weighted input is normalized over all steps and sequences of the batch.

    .. math:: h_t = \\max(0, \\mathrm{BN}(W x_t) + b_W + R h_{t-1} + b_R)

    Parameters
    ----------
    inputDim, outputDim : int
        Number of features of a step of the input, and of the output.

    Attributes
    ----------
    rnn : cudnn.RNN
        The recurrent part, without weights for its input (``CUDNN_SKIP_INPUT``).

    Raises
    ------
    ShapeError
        If the input is not 3-D with inputDim features, or is empty.

    Notes
    -----
    Shapes: ``T x N x inputDim`` to ``T x N x outputDim``. In training, the batch normalization needs more than one row.
    Source: deepspeech.torch ``BatchRNN``; Amodei et al. 2015.

    Examples
    --------
    >>> net = authors.BatchRNN(3, 2).evaluate()
    >>> net.forward(np.zeros((5, 4, 3), np.float32)).shape  # five steps of four sequences
    (5, 4, 2)
    """

    _typename = "cudnn.BatchRNN"
    _file = Form(kinds={"rnn": "a module"})
    _title = "BatchRNN"
    _directions = 1

    def __init__(self, inputDim: int, outputDim: int) -> None:
        super().__init__()
        check.count(self, "inputDim", inputDim)
        check.count(self, "outputDim", outputDim)
        rnn: Any = own("cudnn.RNN")(outputDim, outputDim, 1)
        rnn.inputMode = "CUDNN_SKIP_INPUT"
        rnn.numDirections = self._directions
        if self._directions == 2:
            rnn.bidirectional = "CUDNN_BIDIRECTIONAL"
        self.rnn = rnn.reset()
        self.add(self.view_in)
        self.add(nn.Linear(inputDim, outputDim, False))
        self.add(nn.BatchNormalization(outputDim))
        self.add(self.view_out)
        self.add(self.rnn)
