"""OpenNMT's output layer."""

from collections.abc import Sequence
from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.authors.OnmtNetwork import OnmtNetwork
from pytorch_legacy.nn import check


class OnmtGenerator(OnmtNetwork):
    """Log-probabilities of the next word, and of each of its features.

    .. math:: y_k = \\log \\mathrm{softmax}(W_k x + b_k)

    Parameters
    ----------
    rnnSize : int
        Number of elements of the input.
    sizes : int or sequence of int
        Number of words; or a list of the number of words, and the number of values of each feature.

    Raises
    ------
    ShapeError
        If the input is not ``N x rnnSize``, or gradOutput is no list of as many arrays as the output.

    Notes
    -----
    Shapes: ``N x rnnSize`` to a list of arrays ``N x sizes[k]``, also if there is one size. The network of earlier files
    gives one array, and this class puts it into a list, as OpenNMT did.
    Source: OpenNMT ``onmt.Generator``.

    Examples
    --------
    >>> layer = authors.OnmtGenerator(3, [5, 2])
    >>> words, features = layer.forward(np.ones((4, 3), np.float32))
    >>> np.exp(words).sum(1).round(4), features.shape
    (array([1., 1., 1., 1.], dtype=float32), (4, 2))
    """

    _typename = "onmt.Generator"

    def __init__(self, rnnSize: int, sizes: int | Sequence[int]) -> None:
        check.count(self, "rnnSize", rnnSize)
        counts = [sizes] if isinstance(sizes, int) else list(sizes)
        net = nn.ConcatTable()
        for i, count in enumerate(counts):
            linear = nn.Linear(rnnSize, check.count(self, f"sizes[{i}]", count))
            net.add(nn.Sequential().add(nn.Identity()).add(linear).add(nn.LogSoftMax()))
        check.count(self, "the number of sizes", len(counts))
        super().__init__(net)

    def updateOutput(self, input: Any) -> list[Any]:
        output = super().updateOutput(input)
        self.output = output if isinstance(output, list) else [output]
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        return super().updateGradInput(input, self._gradientOfNet(gradOutput))

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        super().accGradParameters(input, self._gradientOfNet(gradOutput), scale)

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        super().accUpdateGradParameters(input, self._gradientOfNet(gradOutput), lr)

    def _gradientOfNet(self, gradOutput: Any) -> Any:
        """Returns the gradient as the network takes it."""
        isTable = self.net is None or isinstance(self.net.output, list)
        return gradOutput if isTable else check.table(self, "gradOutput", gradOutput, 1)[0]
