"""Logarithms."""

from pytorch_legacy.nn.Native import Native


class Log(Native):
    """The natural logarithm of each element::

        output    = log(input)
        gradInput = gradOutput / input

    Notes
    -----
    Any shape. 0 gives -inf, what is below gives NaN. Source: Torch7 nn.Log; C: ``THNN/activation/Log.c``.

    Examples
    --------
    >>> np.round(nn.Log().forward(np.float32([1, 2, 0])), 4)
    array([0.    , 0.6931,   -inf], dtype=float32)
    """

    _layer = "Log"
