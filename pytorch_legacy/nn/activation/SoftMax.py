"""Probabilities from scores."""

from pytorch_legacy.nn.Native import Native


class SoftMax(Native):
    """Makes the channels of each position positive, with sum 1.

    .. math:: y_c = \\frac{e^{x_c}}{\\sum_k e^{x_k}}

    computed without overflow. A score of -inf has probability 0; where all scores are -inf, or one is inf or NaN, all
    results are NaN.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: Torch7 ``nn.SoftMax``; C: ``THNN/activation/SoftMax.c``.

    Examples
    --------
    >>> np.round(nn.SoftMax().forward(np.float32([[1, 1, 1, 1], [0, 1, 2, 3]])), 4)
    array([[0.25  , 0.25  , 0.25  , 0.25  ],
           [0.0321, 0.0871, 0.2369, 0.6439]], dtype=float32)
    """

    _layer = "SoftMax"
