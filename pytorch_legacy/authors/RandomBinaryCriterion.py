"""The difference between local patterns of images, computed by one layer of filters."""

from typing import Any

from pytorch_legacy.authors.LBPCriterion import LBPCriterion, pickChannels
from pytorch_legacy.authors.RandomBinaryConvolution import RandomBinaryConvolution
from pytorch_legacy.files.form import Form


class RandomBinaryCriterion(LBPCriterion):
    """An LBPCriterion with one layer of filters, as waifu2x had it before.

    Parameters
    ----------
    ch : int
        Number of channels.
    n : int
        Number of filters. The first `ch` are the channels themselves.
    k : int
        Width and height of the filters.

    Notes
    -----
    Loss, shapes, errors and gradient are those of LBPCriterion.
    Source: waifu2x ``RandomBinaryCriterion``.

    Examples
    --------
    >>> loss, x = authors.RandomBinaryCriterion(1, 4), np.zeros((1, 1, 3, 3), np.float32)
    >>> loss.forward(x, x)
    0.0
    """

    _typename = "w2nn.RandomBinaryCriterion"
    _file = Form(private=("layers",))

    def __init__(self, ch: int, n: int = 32, k: int = 3) -> None:
        super().__init__(ch, n, k)

    def _filters(self) -> Any:
        filters = RandomBinaryConvolution(self.ch, self.n, self.k, self.k)
        pickChannels(filters, self.ch)
        return filters
