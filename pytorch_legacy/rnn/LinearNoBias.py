"""A linear map of vectors."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.linear.Linear import Linear


class LinearNoBias(Linear):
    """An nn.Linear without a bias::

        output = weight @ input

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of a vector before and after.

    Notes
    -----
    Shapes: ``(N x) inputSize`` to ``(N x) outputSize``. Older files hold a bias of zeros, which is dropped.
    Source: Element-Research rnn ``LinearNoBias``.

    Examples
    --------
    >>> layer = rnn.LinearNoBias(2, 1)
    >>> layer.weight[...] = [[2, 3]]
    >>> layer.forward(np.float32([10, 1]))
    array([23.], dtype=float32)
    """

    _file = Form(dropped=("bias", "gradBias"), outdated=("bias", "gradBias"))
    bias: Tensor | None = None

    def __init__(self, inputSize: int, outputSize: int) -> None:
        super().__init__(inputSize, outputSize, bias=False)
