"""A pull towards the features of an image."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.Loss import Loss
from pytorch_legacy.files.form import Form


class ContentLoss(Loss):
    """Compares features with those of another image.

    .. math:: loss = \\frac{strength}{n} \\sum_i (x_i - target_i)^2

    Parameters and attributes are those of Loss. An input of another size than the target passes uncompared.

    Notes
    -----
    Shapes: any; the output is the input itself.
    Source: neural-style ``ContentLoss``.

    Examples
    --------
    >>> layer, x = authors.ContentLoss(10, np.float32([1, 2])), np.float32([1, 4])
    >>> layer.forward(x) is x, layer.loss  # 10 times the mean of 0 and 4
    (True, 20.0)
    >>> layer.backward(x, np.zeros(2, np.float32))
    array([ 0., 20.], dtype=float32)
    """

    _file = Form(kinds={"crit": "a criterion"})

    def updateOutput(self, input: Tensor) -> Tensor:
        if self._isSkipped(input):
            self.output = input
            return input
        return super().updateOutput(input)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        if self._isSkipped(input):
            self.gradInput = gradOutput
            return gradOutput
        return super().updateGradInput(input, gradOutput)

    def _isSkipped(self, input: Tensor) -> bool:
        return self.mode == "loss" and input.size != self.target.size
