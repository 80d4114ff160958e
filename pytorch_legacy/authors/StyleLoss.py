"""A pull towards the style of images."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.GramMatrix import GramMatrix
from pytorch_legacy.authors.Loss import Loss
from pytorch_legacy.files.form import Form


class StyleLoss(Loss):
    """Compares how the channels go together with how they do in other images.

    .. math:: loss = \\frac{strength}{C^2} \\sum_{c,d} \\Big(\\frac{G_{c,d}}{n} - target_{c,d}\\Big)^2

    where G is the GramMatrix of the input, of n elements. Further parameters and attributes are those of Loss.

    Attributes
    ----------
    gram : Module
        Computes G.
    blend_weight : float or None
        The part of the next image in the target, for targets that several images are captured for.

    Notes
    -----
    Shapes: ``C x H x W``; the output is the input itself.
    Source: neural-style ``StyleLoss``; Gatys et al. 2015.

    Examples
    --------
    >>> x, mirrored = np.float32([[[1, 2]], [[3, 4]]]), np.float32([[[2, 1]], [[4, 3]]])
    >>> layer = authors.StyleLoss(1)
    >>> layer.mode = "capture"  # what comes by is the style
    >>> layer.forward(x) is x
    True
    >>> layer.mode = "loss"
    >>> layer.forward(mirrored) is mirrored, layer.loss  # places do not matter
    (True, 0.0)
    >>> layer.forward(2 * x).shape, layer.loss
    ((2, 1, 2), 125.4375)
    """

    blend_weight: float | None = None

    _file = Form(kinds={"crit": "a criterion", "gram": "a module"})

    def __init__(self, strength: float, target: Tensor | None = None, normalize: bool = False) -> None:
        super().__init__(strength, target, normalize)
        self.gram: Any = GramMatrix()

    def _seen(self, input: Tensor) -> Tensor:
        self.G = self.gram.forward(input) / self._dtype.type(input.size)
        return self.G

    def _capture(self, seen: Tensor) -> None:
        if self.blend_weight is None:
            super()._capture(seen)
        else:
            part = seen * self._dtype.type(self.blend_weight)
            self.target = self.target + part if self.target.size else part

    def _gradient(self, input: Tensor) -> Tensor:
        gradient = self.crit.backward(self.G, self.target) / self._dtype.type(input.size)
        return self.gram.backward(input, gradient)
