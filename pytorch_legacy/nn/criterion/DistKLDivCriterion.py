"""The Kullback-Leibler divergence of distributions."""

from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class DistKLDivCriterion(NativeCriterion):
    """The Kullback-Leibler divergence between the target and the distribution whose logarithms are the input.

    .. math:: loss = \\frac{1}{n} \\sum_i t_i (\\log t_i - x_i)

    over all n elements, or their sum without `sizeAverage`. Targets that are not positive cost nothing.

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by the number of elements: True, until set.

    Notes
    -----
    Shapes: any; the target has as many elements as the input, and its dtype. An empty input costs 0. The mean
    is one over all elements, not over the samples of a batch.
    Source: Torch7 ``nn.DistKLDivCriterion``; C: ``THNN/criterion/DistKLDivCriterion.c``.

    Examples
    --------
    >>> loss, x, t = nn.DistKLDivCriterion(), np.log(np.float32([0.5, 0.5])), np.float32([0.25, 0.75])
    >>> round(loss.forward(x, t), 4)  # (0.25 * log(0.25 / 0.5) + 0.75 * log(0.75 / 0.5)) / 2
    0.0654
    >>> loss.backward(x, t)
    array([-0.125, -0.375], dtype=float32)
    """

    _layer = "DistKLDivCriterion"
    sizeAverage = True

    def __init__(self) -> None:
        super().__init__()
        self.sizeAverage = True
