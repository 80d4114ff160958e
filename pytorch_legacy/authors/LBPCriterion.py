"""The difference between the local binary patterns of two images."""

from math import isqrt
from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.huber import huber, huberSlope
from pytorch_legacy.authors.RandomBinaryConvolution import RandomBinaryConvolution
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import sizes


class LBPCriterion(Criterion):
    """Compares what random filters with weights of -1, 0 and 1 give for two images.

    .. math:: loss = \\frac{1}{n} \\sum_i f(g(\\mathrm{clip}(x))_i - g(\\mathrm{clip}(t))_i), \\quad
        f(d) = d^2 / 2 \\text{ if } |d| < \\gamma \\text{ else } \\gamma (|d| - \\gamma / 2)

    with filters g, whose outputs have n elements, and images limited to the range from 0 to 1.

    Parameters
    ----------
    ch : int
        Number of channels.
    n : int
        Number of filters. The first `ch` of the first layer are the channels themselves.
    k : int
        Width and height of the filters.
    layers : int
        Number of layers of filters, one after the other.

    Attributes
    ----------
    gamma : float
        0.1.
    filter1, filter2 : Module
        The filters for input and target, which are the same.

    Raises
    ------
    ShapeError
        If the input is neither ``N x ch x H x W`` nor ``N x (ch * S * S)``, or the target has another shape.

    Notes
    -----
    Shapes: ``N x ch x H x W``, or rows of square images.
    As in the original, the gradient passes the limits 0 and 1, as if the input had not been limited. The original divided it
    by another number than the loss; here it is the gradient of the loss.
    Source: waifu2x ``LBPCriterion``.

    Examples
    --------
    >>> loss, x = authors.LBPCriterion(1, 4), np.float32([[[[0, 1, 0], [1, 0, 1], [0, 1, 0]]]])
    >>> loss.forward(x, x), bool(loss.backward(x, x).any())
    (0.0, False)
    """

    _typename = "w2nn.LBPCriterion"
    _file = Form(
        dropped=("diff", "diff_abs", "square_loss_buff", "linear_loss_buff", "input", "target"),
        defaults={"gamma": 0.1},
        kinds={"filter1": "a module", "filter2": "a module", "gamma": "a number", "ch": "a whole number from 1 on"},
    )

    def __init__(self, ch: int, n: int = 128, k: int = 3, layers: int = 1) -> None:
        super().__init__()
        self.gamma = 0.1
        self.ch, self.n, self.k = check.count(self, "ch", ch), check.count(self, "n", n, ch), check.count(self, "k", k)
        self.layers = check.count(self, "layers", layers)
        self.filter1: Any = self._filters()
        self.filter2: Any = self.filter1.clone()

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        _, difference = self._difference(input, target)
        self.output = huber(difference, self.gamma) / max(difference.size, 1)
        return self.output

    def updateGradInput(self, input: Tensor, target: Tensor) -> Tensor:
        images, difference = self._difference(input, target)
        gradient = huberSlope(difference, self.gamma) / self._dtype.type(max(difference.size, 1))
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=[input, target])
        gradInput[...] = self.filter1.updateGradInput(images, gradient).reshape(input.shape)
        return gradInput

    def _filters(self) -> Any:
        """Builds the filters."""
        filters = nn.Sequential()
        for i in range(self.layers):
            filters.add(RandomBinaryConvolution(self.n if i else self.ch, self.n, self.k, self.k))
        pickChannels(filters[0], self.ch)
        return filters

    def _difference(self, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the limited input, and what the filters give for input and target."""
        images = [self._images(name, value) for name, value in (("input", input), ("target", target))]
        check.shape(self, "target", images[1], images[0].shape)
        ofTarget = self.filter2.updateOutput(images[1]).copy()  # filter1 may be the same module
        return images[0], self.filter1.updateOutput(images[0]) - ofTarget

    def _images(self, name: str, value: Any) -> Tensor:
        array = check.tensor(self, name, value, 2, 4)
        if array.ndim == 2:
            size = isqrt(array.shape[1] // self.ch)
            if self.ch * size * size != array.shape[1]:
                wanted = f"rows of {self.ch} square planes"
                raise ShapeError(f"{self._typename}: {name}: expected {wanted}, got {sizes(array.shape)}")
            array = array.reshape(len(array), self.ch, size, size)
        return compute.clip(array, 0, 1)


def pickChannels(convolution: Any, count: int) -> None:
    """Lets the first filters of a convolution pick one channel each."""
    middle = convolution.kH // 2, convolution.kW // 2
    convolution.weight[:count] = 0
    for channel in range(count):
        convolution.weight[(channel, channel, *middle)] = 1
