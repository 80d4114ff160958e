"""The mean squared error, with outliers that count less."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import call
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class SmoothL1Criterion(Criterion):
    """Squared differences where they are below 1, absolute ones where they are not.

    .. math:: loss = \\frac{1}{n} \\sum_i f(x_i - t_i), \\quad
        f(d) = d^2 / 2 \\text{ if } |d| < 1 \\text{ else } |d| - 1/2

    over all n elements, or their sum without `sizeAverage`. Also known as the Huber loss.

    Parameters
    ----------
    sizeAverage : bool
        Whether to divide by the number of elements.

    Notes
    -----
    Shapes: any; the target has as many elements as the input, and its dtype. An empty input costs 0.
    Source: Torch7 ``nn.SmoothL1Criterion``; C: ``THNN/criterion/SmoothL1Criterion.c``.

    Examples
    --------
    >>> loss, x, t = nn.SmoothL1Criterion(), np.float32([1.5, 4]), np.float32([1, 1])
    >>> loss.forward(x, t)  # (0.5**2 / 2 + 3 - 0.5) / 2
    1.3125
    >>> loss.backward(x, t)
    array([0.25, 0.5 ], dtype=float32)
    """

    sizeAverage = True

    _file = Form(defaults={"sizeAverage": True})

    def __init__(self, sizeAverage: bool = True) -> None:
        super().__init__()
        self.sizeAverage = sizeAverage

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        loss = self._resize("output_tensor", (1,))
        call(self, "SmoothL1Criterion_updateOutput", input, target, loss, self.sizeAverage)
        self.output = float(loss[0])
        return self.output

    def updateGradInput(self, input: Tensor, target: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "SmoothL1Criterion_updateGradInput", input, target, gradInput, self.sizeAverage)
        return gradInput
